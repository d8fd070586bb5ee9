#include "shared/base/map.h"

#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

#define KEYS 3000

/* A number of 0..KEYS-1 and its key; the reference is an array by that number. */
static size_t key_of(uint64_t n, char out[40])
{
    return (size_t)snprintf(out, 40, "%.*s%d", (int)(n % 17), "a-long-prefix-that-repeats", (int)n);
}

static void random_operations_agree_with_an_array(void **state)
{
    struct fl_map map = {0};
    struct fl_prng prng;
    uint64_t *values = fl_new_array(uint64_t, KEYS); /* 0: absent */
    size_t len = 0;

    (void)state;
    fl_prng_seed(&prng, 21);
    for (uint64_t n = 1; n <= 200000; n++) {
        uint64_t which = fl_prng_below(&prng, KEYS);
        uint64_t value = 5;
        char key[40];
        size_t key_len = key_of(which, key);

        assert_int_equal(fl_map_find(&map, key, key_len, &value), values[which] != 0);
        assert_int_equal(value, values[which] ? values[which] : 5);
        if (fl_prng_chance(&prng, n / 25000 % 2 == 0 ? 700000 : 150000)) {
            len += !values[which];
            values[which] = n;
            fl_map_put(&map, key, key_len, n);
        } else {
            len -= !!values[which];
            assert_int_equal(fl_map_remove(&map, key, key_len), values[which] != 0);
            values[which] = 0;
        }
        assert_int_equal(map.len, len);
        if (n % 20000 != 0) continue;
        for (uint64_t k = 0; k < KEYS; k++) { /* no key was lost in a move */
            key_len = key_of(k, key);
            assert_int_equal(fl_map_find(&map, key, key_len, NULL), values[k] != 0);
        }
    }
    assert_true(len > 100);
    fl_map_fini(&map);
    fl_free(values);
}

static void keys_are_copied(void **state)
{
    struct fl_map map = {0};
    char key[4] = "abc";

    (void)state;
    fl_map_put(&map, key, 3, 1);
    key[0] = 'x';
    assert_true(fl_map_find(&map, "abc", 3, NULL));
    assert_false(fl_map_find(&map, key, 3, NULL));
    fl_map_fini(&map);
}

static void keys_are_bytes_of_any_length(void **state)
{
    struct fl_map map = {0};
    uint64_t value = 0;
    char *big = fl_alloc(1 << 20);

    (void)state;
    fl_map_put(&map, NULL, 0, 1);
    fl_map_put(&map, "\0", 1, 2);
    fl_map_put(&map, "\0\0", 2, 3);
    fl_map_put(&map, big, 1 << 20, 4);
    assert_int_equal(map.len, 4);
    assert_true(fl_map_find(&map, "", 0, &value));
    assert_int_equal(value, 1);
    assert_true(fl_map_find(&map, "\0", 1, &value));
    assert_int_equal(value, 2);
    assert_true(fl_map_find(&map, "\0\0", 2, &value));
    assert_int_equal(value, 3);
    assert_true(fl_map_find(&map, big, 1 << 20, &value));
    assert_int_equal(value, 4);
    assert_false(fl_map_find(&map, big, (1 << 20) - 1, &value));
    assert_true(fl_map_remove(&map, NULL, 0));
    assert_false(fl_map_find(&map, "", 0, NULL));
    fl_map_fini(&map);
    fl_free(big);
}

static void a_value_may_be_anything(void **state)
{
    struct fl_map map = {0};
    uint64_t value = 7;

    (void)state;
    fl_map_put(&map, "k", 1, 0);
    assert_true(fl_map_find(&map, "k", 1, &value));
    assert_int_equal(value, 0);
    fl_map_put(&map, "k", 1, UINT64_MAX);
    assert_true(fl_map_find(&map, "k", 1, &value));
    assert_true(value == UINT64_MAX);
    assert_int_equal(map.len, 1);
    fl_map_fini(&map);
}

static void an_empty_map_finds_nothing_and_may_be_ended(void **state)
{
    struct fl_map map = {0};

    (void)state;
    assert_false(fl_map_find(&map, "k", 1, NULL));
    assert_false(fl_map_remove(&map, "k", 1));
    fl_map_fini(&map);
    fl_map_fini(NULL);
    fl_map_put(&map, "k", 1, 1);
    assert_true(fl_map_remove(&map, "k", 1));
    assert_false(fl_map_remove(&map, "k", 1));
    fl_map_fini(&map);
}

FL_TESTS(cmocka_unit_test(random_operations_agree_with_an_array), cmocka_unit_test(keys_are_copied),
         cmocka_unit_test(keys_are_bytes_of_any_length), cmocka_unit_test(a_value_may_be_anything),
         cmocka_unit_test(an_empty_map_finds_nothing_and_may_be_ended))
