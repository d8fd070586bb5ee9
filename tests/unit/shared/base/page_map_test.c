#include "shared/base/page_map.h"

#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "shared/base/vec.h"
#include "tests/fl_test.h"

struct pair {
    uint64_t key;
    uint32_t value;
};

struct pairs {
    struct pair *at; /* sorted by key */
    size_t len, cap;
};

static void put_zero(void *arg)
{
    fl_page_map_put(arg, 1, 0);
}

static uint32_t next_of(const struct pairs *pairs, uint64_t from, uint64_t *ret_key)
{
    size_t i = fl_vec_lower_bound(pairs, key, from);

    if (i == pairs->len) return 0;
    *ret_key = pairs->at[i].key;
    return pairs->at[i].value;
}

static uint32_t prev_of(const struct pairs *pairs, uint64_t before, uint64_t *ret_key)
{
    size_t i = fl_vec_lower_bound(pairs, key, before);

    if (i == 0) return 0;
    *ret_key = pairs->at[i - 1].key;
    return pairs->at[i - 1].value;
}

static void walk_agrees(const struct fl_page_map *map, const struct pairs *pairs)
{
    uint64_t key = 0;
    uint32_t value;
    size_t i = 0;

    while ((value = fl_page_map_next(map, key, &key))) {
        assert_true(i < pairs->len);
        assert_true(pairs->at[i].key == key && pairs->at[i].value == value);
        i++;
        if (key++ == UINT64_MAX) break;
    }
    assert_int_equal(i, pairs->len);
    key = UINT64_MAX;
    i -= i > 0 && pairs->at[i - 1].key == key; /* nothing is above it that could lead to it */
    while ((value = fl_page_map_prev(map, key, &key))) {
        assert_true(i-- > 0);
        assert_true(pairs->at[i].key == key && pairs->at[i].value == value);
    }
    assert_int_equal(i, 0);
}

/* Keys in clusters: dense runs, near each other, far apart, and at both ends of the numbers. */
static uint64_t random_key(struct fl_prng *prng)
{
    switch (fl_prng_below(prng, 6)) {
    case 0:
        return fl_prng_below(prng, 600);
    case 1:
        return 65536 - 200 + fl_prng_below(prng, 400);
    case 2:
        return ((uint64_t)1 << 40) + fl_prng_below(prng, 100000);
    case 3:
        return UINT64_MAX - fl_prng_below(prng, 500);
    case 4:
        return fl_prng_below(prng, 64) << fl_prng_below(prng, 59);
    default:
        return fl_prng_below(prng, 40) * 0x0101010101010101u;
    }
}

static void random_operations_agree_with_a_sorted_array(void **state)
{
    struct fl_page_map map = {0};
    struct pairs pairs = {0};
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 11);
    for (uint32_t n = 1; n <= 100000; n++) {
        uint64_t key = random_key(&prng);
        size_t i = fl_vec_lower_bound(&pairs, key, key);
        bool is_there = i < pairs.len && pairs.at[i].key == key;
        uint32_t old = is_there ? pairs.at[i].value : 0;
        /* it fills, then drains, and again */
        uint32_t put_per_million = n / 12500 % 2 == 0 ? 750000 : 200000;

        assert_int_equal(fl_page_map_find(&map, key), old);
        if (fl_prng_chance(&prng, put_per_million)) {
            fl_page_map_put(&map, key, n);
            if (is_there) {
                pairs.at[i].value = n;
            } else {
                fl_vec_insert(&pairs, i, (struct pair){key, n});
            }
            assert_int_equal(fl_page_map_find(&map, key), n);
        } else {
            assert_int_equal(fl_page_map_remove(&map, key), old);
            if (is_there) fl_vec_remove(&pairs, i);
            assert_int_equal(fl_page_map_find(&map, key), 0);
        }
        assert_int_equal(map.len, pairs.len);

        uint64_t from = random_key(&prng);
        uint64_t key_seen = 1234;
        uint64_t key_wanted = 1234; /* untouched when there is none */

        assert_int_equal(fl_page_map_next(&map, from, &key_seen),
                         next_of(&pairs, from, &key_wanted));
        assert_true(key_seen == key_wanted);
        key_seen = key_wanted = 4321;
        assert_int_equal(fl_page_map_prev(&map, from, &key_seen),
                         prev_of(&pairs, from, &key_wanted));
        assert_true(key_seen == key_wanted);
        if (n % 5000 == 0) walk_agrees(&map, &pairs);
    }
    assert_true(pairs.len > 500);
    while (pairs.len > 0) {
        struct pair pair = fl_vec_pop(&pairs);

        assert_int_equal(fl_page_map_remove(&map, pair.key), pair.value);
    }
    assert_int_equal(map.len, 0);
    assert_int_equal(fl_page_map_bytes(&map), 0); /* every node was freed */
    assert_null(map.root);
    fl_page_map_fini(&map);
    fl_vec_fini(&pairs);
}

static void every_single_key_can_live_alone(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 64; shift++) {
        uint64_t keys[] = {(uint64_t)1 << shift, ((uint64_t)1 << shift) - 1,
                           UINT64_MAX - ((uint64_t)1 << shift)};

        for (size_t i = 0; i < 3; i++) {
            struct fl_page_map map = {0};
            uint64_t key = 0;

            fl_page_map_put(&map, keys[i], 9);
            assert_int_equal(fl_page_map_find(&map, keys[i]), 9);
            assert_int_equal(fl_page_map_find(&map, keys[i] ^ 1), 0);
            assert_int_equal(fl_page_map_find(&map, ~keys[i]), 0);
            assert_int_equal(fl_page_map_next(&map, 0, &key), 9);
            assert_true(key == keys[i]);
            assert_int_equal(fl_page_map_next(&map, keys[i], &key), 9);
            assert_int_equal(fl_page_map_prev(&map, keys[i], &key), 0);
            if (keys[i] < UINT64_MAX) {
                assert_int_equal(fl_page_map_prev(&map, UINT64_MAX, &key), 9);
                assert_true(key == keys[i]);
                assert_int_equal(fl_page_map_prev(&map, keys[i] + 1, &key), 9);
                assert_true(key == keys[i]);
                assert_int_equal(fl_page_map_next(&map, keys[i] + 1, &key), 0);
            }
            assert_true(key == keys[i]);
            assert_true(fl_page_map_bytes(&map) <= 17 << 10);
            assert_int_equal(fl_page_map_remove(&map, keys[i]), 9);
            assert_int_equal(fl_page_map_bytes(&map), 0);
            fl_page_map_fini(&map);
        }
    }
}

static void dense_keys_cost_four_bytes_and_a_tenth(void **state)
{
    struct fl_page_map map = {0};
    uint64_t wanted = 1;

    (void)state;
    for (uint64_t key = 1; key <= 1000000; key++) {
        fl_page_map_put(&map, key, (uint32_t)key);
    }
    assert_int_equal(map.len, 1000000);
    assert_true(fl_page_map_bytes(&map) <= 4100000);
    for (uint64_t key = 0; fl_page_map_next(&map, key, &key); key++) {
        if (key != wanted++) fail();
    }
    assert_int_equal(wanted, 1000001);

    /* As jobs end, oldest first, memory comes back, and the tree keeps its height only while it
     * must. */
    for (uint64_t key = 1; key <= 999990; key++) {
        if (fl_page_map_remove(&map, key) != key) fail();
    }
    assert_int_equal(map.len, 10);
    assert_true(fl_page_map_bytes(&map) <= 6000);
    fl_page_map_put(&map, 3, 3);
    for (uint64_t key = 999991; key <= 1000000; key++) {
        assert_int_equal(fl_page_map_remove(&map, key), key);
    }
    assert_int_equal(map.height, 0);
    assert_int_equal(fl_page_map_find(&map, 3), 3);
    fl_page_map_fini(&map);
}

static void an_empty_map_finds_nothing_and_may_be_ended(void **state)
{
    struct fl_page_map map = {0};
    uint64_t key = 77;

    (void)state;
    assert_int_equal(fl_page_map_find(&map, 0), 0);
    assert_int_equal(fl_page_map_find(&map, UINT64_MAX), 0);
    assert_int_equal(fl_page_map_remove(&map, 0), 0);
    assert_int_equal(fl_page_map_next(&map, 0, &key), 0);
    assert_int_equal(key, 77);
    fl_page_map_fini(&map);
    fl_page_map_fini(NULL);
    fl_page_map_put(&map, 70000, 1); /* fini with several levels */
    fl_page_map_put(&map, UINT64_MAX, 1);
    fl_page_map_fini(&map);
    assert_int_equal(map.len, 0);
    assert_int_equal(fl_page_map_bytes(&map), 0);
}

static void putting_zero_is_a_bug(void **state)
{
    struct fl_page_map map = {0};

    (void)state;
    assert_true(fl_test_aborts(put_zero, &map));
}

FL_TESTS(cmocka_unit_test(random_operations_agree_with_a_sorted_array),
         cmocka_unit_test(every_single_key_can_live_alone),
         cmocka_unit_test(dense_keys_cost_four_bytes_and_a_tenth),
         cmocka_unit_test(an_empty_map_finds_nothing_and_may_be_ended),
         cmocka_unit_test(putting_zero_is_a_bug))
