#include "controlplane/logs/key_filter.h"

#include "shared/base/buf.h"
#include "shared/base/hash.h"

#define BITS_OF_KEY 4
#define BITS_BYTES (LOG_KEY_FILTER_BLOCK_BYTES - 4) /* a CRC-32C stands behind them */

uint64_t log_key_filter_hash(const struct log_key *key)
{
    uint8_t bytes[LOG_KEY_BYTES];

    log_key_put(bytes, key);
    return fl_hash64(1, bytes, sizeof(bytes));
}

uint32_t log_key_filter_blocks(size_t keys_len)
{
    return (uint32_t)(keys_len / LOG_KEY_FILTER_BLOCK_KEYS + 1);
}

uint32_t log_key_filter_block(uint64_t hash, uint32_t blocks_len)
{
    return (uint32_t)((hash & UINT32_MAX) * blocks_len >> 32);
}

/* The n-th bit of a key; the upper half of the hash has not chosen the block. */
static uint32_t bit_of(uint64_t hash, uint32_t n)
{
    return (uint32_t)(fl_hash_u64(n, hash >> 32) % (BITS_BYTES * 8));
}

void log_key_filter_add(uint8_t block[LOG_KEY_FILTER_BLOCK_BYTES], uint64_t hash)
{
    for (uint32_t n = 0; n < BITS_OF_KEY; n++) {
        uint32_t bit = bit_of(hash, n);

        block[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

void log_key_filter_seal(uint8_t *blocks, uint32_t blocks_len)
{
    for (uint32_t i = 0; i < blocks_len; i++) {
        uint8_t *block = blocks + (size_t)i * LOG_KEY_FILTER_BLOCK_BYTES;
        struct fl_buf crc = {.at = block + BITS_BYTES, .cap = 4, .max = 4};

        fl_buf_put_u32(&crc, fl_crc32c(0, block, BITS_BYTES));
    }
}

bool log_key_filter_may_have(const uint8_t block[LOG_KEY_FILTER_BLOCK_BYTES], uint64_t hash)
{
    struct fl_reader reader = fl_reader(block, LOG_KEY_FILTER_BLOCK_BYTES);

    reader.pos = BITS_BYTES;
    if (fl_read_u32(&reader) != fl_crc32c(0, block, BITS_BYTES)) return true;
    for (uint32_t n = 0; n < BITS_OF_KEY; n++) {
        uint32_t bit = bit_of(hash, n);

        if (!(block[bit / 8] >> bit % 8 & 1)) return false;
    }
    return true;
}
