#include "shared/base/heap.h"

#include <stdlib.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

#define ITEMS 20000

static void pop_nothing(void *arg)
{
    fl_heap_pop(arg);
}

static int compare(const void *a, const void *b)
{
    const struct fl_heap_item *x = a;
    const struct fl_heap_item *y = b;

    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static void items_come_out_as_a_sort_would_have_them(void **state)
{
    static struct fl_heap_item items[ITEMS];
    struct fl_heap heap = {0};
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 31);
    for (uint64_t i = 0; i < ITEMS; i++) {
        int64_t key = fl_prng_between(&prng, -500, 500); /* many are equal and need their tie */

        if (i % 100 == 0) key = INT64_MIN;
        if (i % 100 == 1) key = INT64_MAX;
        items[i] = (struct fl_heap_item){.key = key, .tie = ~i, .value = fl_prng_u64(&prng)};
        fl_heap_push(&heap, items[i]);
    }
    qsort(items, ITEMS, sizeof(items[0]), compare);
    for (size_t i = 0; i < ITEMS; i++) {
        const struct fl_heap_item *peeked = fl_heap_peek(&heap);
        struct fl_heap_item item;

        assert_non_null(peeked);
        assert_memory_equal(peeked, &items[i], sizeof(items[i]));
        item = fl_heap_pop(&heap);
        assert_memory_equal(&item, &items[i], sizeof(items[i]));
    }
    assert_null(fl_heap_peek(&heap));
    assert_int_equal(heap.len, 0);
    fl_heap_fini(&heap);
}

static void what_is_removed_from_the_middle_is_gone_and_the_rest_in_order(void **state)
{
    struct fl_heap heap = {0};
    struct fl_prng prng;
    int64_t removed_sum = 0, sum = 0, before = INT64_MIN;

    (void)state;
    fl_prng_seed(&prng, 7);
    for (uint64_t i = 0; i < ITEMS; i++) {
        int64_t key = fl_prng_between(&prng, -5000, 5000);

        sum += key;
        fl_heap_push(&heap, (struct fl_heap_item){.key = key, .tie = i});
    }
    for (int i = 0; i < ITEMS / 2; i++) {
        size_t at = (size_t)fl_prng_between(&prng, 0, (int64_t)heap.len - 1);

        removed_sum += heap.at[at].key;
        fl_heap_remove(&heap, at);
    }
    assert_int_equal(heap.len, ITEMS - ITEMS / 2);
    while (heap.len > 0) {
        struct fl_heap_item item = fl_heap_pop(&heap);

        assert_true(item.key >= before);
        before = item.key;
        sum -= item.key;
    }
    assert_int_equal(sum, removed_sum);
    fl_heap_push(&heap, (struct fl_heap_item){.key = 1});
    fl_heap_remove(&heap, 0);
    assert_int_equal(heap.len, 0);
    fl_heap_fini(&heap);
}

static void pushes_between_pops_keep_the_order(void **state)
{
    struct fl_heap heap = {0};
    struct fl_prng prng;
    int64_t now = 0;
    uint64_t tie = 0;

    (void)state;
    fl_prng_seed(&prng, 32);
    for (int i = 0; i < 20000; i++) {
        if (heap.len == 0 || fl_prng_chance(&prng, 520000)) {
            int64_t key = now + fl_prng_between(&prng, 0, 1000);

            fl_heap_push(&heap, (struct fl_heap_item){.key = key, .tie = tie++});
        } else {
            struct fl_heap_item item = fl_heap_pop(&heap);

            assert_true(item.key >= now);
            now = item.key;
            if (heap.len > 0) assert_true(compare(&item, fl_heap_peek(&heap)) < 0);
        }
    }
    fl_heap_fini(&heap);
}

static void an_empty_heap_peeks_nothing_and_may_be_ended(void **state)
{
    struct fl_heap heap = {0};

    (void)state;
    assert_null(fl_heap_peek(&heap));
    assert_true(fl_test_aborts(pop_nothing, &heap));
    fl_heap_fini(&heap);
    fl_heap_fini(NULL);
}

FL_TESTS(cmocka_unit_test(items_come_out_as_a_sort_would_have_them),
         cmocka_unit_test(what_is_removed_from_the_middle_is_gone_and_the_rest_in_order),
         cmocka_unit_test(pushes_between_pops_keep_the_order),
         cmocka_unit_test(an_empty_heap_peeks_nothing_and_may_be_ended))
