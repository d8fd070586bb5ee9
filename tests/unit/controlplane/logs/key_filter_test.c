#include "controlplane/logs/key_filter.h"

#include "tests/fl_test.h"

enum { KEYS = 10000 };

static uint64_t hash_of(uint32_t element)
{
    struct log_key key = {.attempt = {.job = {7}, .element = element, .incarnation = 1, .n = 1},
                          .tenant = {1}};

    return log_key_filter_hash(&key);
}

static bool may_have(const struct fl_buf *filter, uint64_t hash)
{
    uint32_t block = log_key_filter_block(hash, log_key_filter_blocks(KEYS));

    return log_key_filter_may_have(filter->at + (size_t)block * LOG_KEY_FILTER_BLOCK_BYTES, hash);
}

static void no_key_is_missed_and_few_others_seem_to_be_there(void **state)
{
    static uint64_t hashes[KEYS];
    struct fl_buf filter;
    uint32_t wrong = 0;

    (void)state;
    for (uint32_t i = 0; i < KEYS; i++) {
        hashes[i] = hash_of(i);
    }
    fl_buf_init(&filter, 1 << 20);
    log_key_filter_put(&filter, hashes, KEYS);
    assert_int_equal(filter.len, (size_t)log_key_filter_blocks(KEYS) * LOG_KEY_FILTER_BLOCK_BYTES);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_true(may_have(&filter, hashes[i]));
        wrong += may_have(&filter, hash_of(KEYS + i));
    }
    assert_true(wrong < KEYS / 50);
    for (size_t i = 0; i < filter.len; i += LOG_KEY_FILTER_BLOCK_BYTES) {
        filter.at[i + 7] ^= 4;
    }
    assert_true(may_have(&filter, hash_of(KEYS + 1))); /* a damaged block rules nothing out */
    assert_true(may_have(&filter, hash_of(1)));
    fl_buf_fini(&filter);
}

FL_TESTS(cmocka_unit_test(no_key_is_missed_and_few_others_seem_to_be_there))
