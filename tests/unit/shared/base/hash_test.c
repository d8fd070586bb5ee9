#include "shared/base/hash.h"

#include <stdlib.h>

#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

/* The definition, bit by bit. */
static uint32_t crc32c_slowly(uint32_t crc, const uint8_t *at, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        }
    }
    return ~crc;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void no_two_are_equal(uint64_t *hashes, size_t len)
{
    qsort(hashes, len, sizeof(hashes[0]), compare);
    for (size_t i = 1; i < len; i++) {
        if (hashes[i] == hashes[i - 1]) fail();
    }
}

/* They may be stored: a release that changes them breaks what was written before. */
static void hashes_are_the_same_on_every_machine_and_in_every_release(void **state)
{
    const char text[] = "the quick brown fox jumps over the lazy dog";

    (void)state;
    assert_true(fl_hash64(0, "", 0) == 0x2ebffacf8a5afe2fu);
    assert_true(fl_hash64(0, "a", 1) == 0x68db535a1c1eac6du);
    assert_true(fl_hash64(1, "a", 1) == 0x3fabad777bf9f977u);
    assert_true(fl_hash64(0, text, 7) == 0xf9ffa3232b2ce73bu);
    assert_true(fl_hash64(0, text, 16) == 0xae40afad49cf909au);
    assert_true(fl_hash64(0, text, 17) == 0x649764d6710a5b3eu);
    assert_true(fl_hash64(7, text, 43) == 0x5e91e78081d8f2d9u);
    assert_true(fl_hash_u64(0, 0) == 0x6ae4947ecd406822u);
    assert_true(fl_hash_u64(1, 2) == 0x8aa361b77b282f04u);
}

static void a_hash_does_not_depend_on_where_the_bytes_are(void **state)
{
    char at[100 + 8];
    char from[100];

    (void)state;
    for (size_t i = 0; i < sizeof(from); i++) {
        from[i] = (char)(i * 37);
    }
    for (size_t len = 0; len <= sizeof(from); len++) {
        for (size_t shift = 0; shift < 8; shift++) {
            memset(at, (int)shift, sizeof(at));
            memcpy(at + shift, from, len);
            assert_true(fl_hash64(9, at + shift, len) == fl_hash64(9, from, len));
        }
    }
    assert_true(fl_hash64(9, NULL, 0) == fl_hash64(9, from, 0));
}

static void a_million_near_keys_do_not_collide(void **state)
{
    const size_t n = 1000000;
    uint64_t *hashes = fl_new_array(uint64_t, n);
    char key[32];

    (void)state;
    for (size_t i = 0; i < n; i++) {
        hashes[i] = fl_hash64(0, key, (size_t)snprintf(key, sizeof(key), "job-%zu", i));
    }
    no_two_are_equal(hashes, n);
    for (uint64_t i = 0; i < n; i++) {
        hashes[i] = fl_hash_u64(i % 1000, i / 1000);
    }
    no_two_are_equal(hashes, n);
    fl_free(hashes);
}

static void zero_bytes_count(void **state)
{
    static const uint8_t zeros[1000];
    uint64_t hashes[1001];

    (void)state;
    for (size_t len = 0; len <= 1000; len++) {
        hashes[len] = fl_hash64(0, zeros, len);
    }
    no_two_are_equal(hashes, 1001);
}

/* Each bit of the input, wherever it is, turns about half of the bits of the hash. */
static void one_bit_changes_half_of_the_hash(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 51);
    for (size_t len = 1; len <= 48; len++) {
        for (size_t bit = 0; bit < len * 8; bit++) {
            int turned = 0;

            for (int i = 0; i < 16; i++) {
                uint8_t bytes[48];
                uint64_t before;

                for (size_t k = 0; k < len; k++) {
                    bytes[k] = (uint8_t)fl_prng_u64(&prng);
                }
                before = fl_hash64(0, bytes, len);
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                turned += __builtin_popcountll(before ^ fl_hash64(0, bytes, len));
            }
            assert_true(turned > 16 * 32 - 110 && turned < 16 * 32 + 110); /* 7 sigma */
        }
    }
    for (int bit = 0; bit < 64; bit++) {
        int turned = 0;

        for (int i = 0; i < 64; i++) {
            uint64_t a = fl_prng_u64(&prng);
            uint64_t b = fl_prng_u64(&prng);
            uint64_t one = (uint64_t)1 << bit;

            turned += __builtin_popcountll(fl_hash_u64(a, b) ^ fl_hash_u64(a ^ one, b));
            turned += __builtin_popcountll(fl_hash_u64(a, b) ^ fl_hash_u64(a, b ^ one));
        }
        assert_true(turned > 128 * 32 - 400 && turned < 128 * 32 + 400);
    }
}

static void the_crc_is_castagnolis(void **state)
{
    uint8_t bytes[32];

    (void)state;
    assert_int_equal(fl_crc32c(0, "", 0), 0);
    assert_int_equal(fl_crc32c(0, NULL, 0), 0);
    assert_int_equal(fl_crc32c(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, sizeof(bytes)); /* RFC 3720, B.4 */
    assert_int_equal(fl_crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(fl_crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
}

static void the_table_agrees_with_the_definition_in_any_pieces(void **state)
{
    uint8_t bytes[600];
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 52);
    for (int i = 0; i < 5000; i++) {
        size_t len = fl_prng_below(&prng, sizeof(bytes) + 1);
        size_t cut = fl_prng_below(&prng, len + 1);
        uint32_t crc;

        for (size_t k = 0; k < len; k++) {
            bytes[k] = (uint8_t)fl_prng_u64(&prng);
        }
        crc = fl_crc32c(0, bytes, len);
        assert_int_equal(crc, crc32c_slowly(0, bytes, len));
        assert_int_equal(crc, fl_crc32c(fl_crc32c(0, bytes, cut), bytes + cut, len - cut));
    }
}

FL_TESTS(cmocka_unit_test(hashes_are_the_same_on_every_machine_and_in_every_release),
         cmocka_unit_test(a_hash_does_not_depend_on_where_the_bytes_are),
         cmocka_unit_test(a_million_near_keys_do_not_collide), cmocka_unit_test(zero_bytes_count),
         cmocka_unit_test(one_bit_changes_half_of_the_hash),
         cmocka_unit_test(the_crc_is_castagnolis),
         cmocka_unit_test(the_table_agrees_with_the_definition_in_any_pieces))
