#include "shared/base/hash.h"

#include <string.h>

#define K0 0x9e3779b97f4a7c15u
#define K1 0xbf58476d1ce4e5b9u
#define K2 0x94d049bb133111ebu
#define K3 0xd6e8feb86659fd93u

static const uint32_t crc_table[8][256] = {
#include "shared/base/crc32c_table.def"
};

static uint64_t load64(const uint8_t *at)
{
    uint64_t v;

    memcpy(&v, at, sizeof(v));
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static uint64_t load32(const uint8_t *at)
{
    uint32_t v;

    memcpy(&v, at, sizeof(v));
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(v) : v;
}

/* Every bit of the result depends on every bit of both. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t fl_hash64(uint64_t seed, const void *ptr, size_t len)
{
    const uint8_t *at = ptr;
    size_t left = len;
    uint64_t h = seed ^ K0;
    uint64_t a = 0;
    uint64_t b = 0;

    for (; left > 16; left -= 16, at += 16) {
        h = fold(load64(at) ^ K1, load64(at + 8) ^ h);
    }
    if (left >= 8) { /* the two loads overlap unless there are 16 bytes */
        a = load64(at);
        b = load64(at + left - 8);
    } else if (left >= 4) {
        a = load32(at);
        b = load32(at + left - 4);
    } else if (left > 0) {
        a = (uint64_t)at[0] << 16 | (uint64_t)at[left / 2] << 8 | at[left - 1];
    }
    h = fold(a ^ K1, b ^ h);
    return fold(h ^ K2, (uint64_t)len ^ K3);
}

/* Each step can be undone, so two different chains stay different until they take in different
 * numbers. */
uint64_t fl_hash_u64(uint64_t seed, uint64_t v)
{
    uint64_t h = (seed + K0) * K3 ^ v;

    h = (h ^ (h >> 30)) * K1;
    h = (h ^ (h >> 27)) * K2;
    return h ^ (h >> 31);
}

uint32_t fl_crc32c(uint32_t crc, const void *ptr, size_t len)
{
    const uint8_t *at = ptr;

    crc = ~crc;
    for (; len >= 8; len -= 8, at += 8) {
        uint64_t v = load64(at) ^ crc;

        crc = crc_table[7][v & 255] ^ crc_table[6][v >> 8 & 255] ^ crc_table[5][v >> 16 & 255] ^
              crc_table[4][v >> 24 & 255] ^ crc_table[3][v >> 32 & 255] ^
              crc_table[2][v >> 40 & 255] ^ crc_table[1][v >> 48 & 255] ^ crc_table[0][v >> 56];
    }
    for (; len > 0; len--, at++) {
        crc = crc >> 8 ^ crc_table[0][(crc ^ *at) & 255];
    }
    return ~crc;
}
