#include "controlplane/logs/key_filter.h"

#include "tests/fl_test.h"

enum { KEYS = 10000 };

static uint64_t hash_of(uint32_t element)
{
    struct log_key key = {.attempt = {.job = {7}, .element = element, .incarnation = 1, .n = 1},
                          .tenant = {1}};

    return log_key_filter_hash(&key);
}

enum { BLOCKS = KEYS / LOG_KEY_FILTER_BLOCK_KEYS + 1 };

static bool may_have(const uint8_t *filter, uint64_t hash)
{
    uint32_t block = log_key_filter_block(hash, BLOCKS);

    return log_key_filter_may_have(filter + (size_t)block * LOG_KEY_FILTER_BLOCK_BYTES, hash);
}

static void no_key_is_missed_and_few_others_seem_to_be_there(void **state)
{
    static uint8_t filter[BLOCKS * LOG_KEY_FILTER_BLOCK_BYTES];
    uint32_t wrong = 0;

    (void)state;
    assert_int_equal(log_key_filter_blocks(KEYS), BLOCKS);
    for (uint32_t i = 0; i < KEYS; i++) {
        size_t block = log_key_filter_block(hash_of(i), BLOCKS);

        log_key_filter_add(filter + block * LOG_KEY_FILTER_BLOCK_BYTES, hash_of(i));
    }
    log_key_filter_seal(filter, BLOCKS);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_true(may_have(filter, hash_of(i)));
        wrong += may_have(filter, hash_of(KEYS + i));
    }
    assert_true(wrong < KEYS / 50);
    for (size_t i = 0; i < sizeof(filter); i += LOG_KEY_FILTER_BLOCK_BYTES) {
        filter[i + 7] ^= 4;
    }
    assert_true(may_have(filter, hash_of(KEYS + 1))); /* a damaged block rules nothing out */
    assert_true(may_have(filter, hash_of(1)));
}

FL_TESTS(cmocka_unit_test(no_key_is_missed_and_few_others_seem_to_be_there))
