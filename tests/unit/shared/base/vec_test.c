#include "shared/base/vec.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

struct item {
    struct {
        uint64_t n;
    } id;
    char tag;
};

struct items {
    FL_VEC(struct item) all;
    FL_VEC(uint8_t) bytes;
};

static struct item item_of(uint64_t n)
{
    return (struct item){.id = {n}, .tag = 'i'};
}

static void pop_nothing(void *arg)
{
    FL_VEC(int) v = {0};

    (void)arg;
    (void)fl_vec_pop(&v);
}

static void insert_behind_the_end(void *arg)
{
    FL_VEC(int) v = {0};

    (void)arg;
    fl_vec_insert(&v, 1, 1);
}

static void remove_the_end(void *arg)
{
    FL_VEC(int) v = {0};

    (void)arg;
    fl_vec_remove(&v, 0);
}

static void reserve_more_than_memory_has(void *arg)
{
    FL_VEC(uint64_t) v = {0};

    (void)arg;
    fl_vec_reserve(&v, SIZE_MAX / 4);
}

static void items_come_back_in_the_order_they_were_pushed(void **state)
{
    struct items items = {0};

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        fl_vec_push(&items.all, (struct item){.id = {i}, .tag = 'x'}); /* commas are fine */
        fl_vec_push(&items.bytes, (uint8_t)i);
    }
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(items.all.at[i].id.n, i);
        assert_int_equal(items.bytes.at[i], i & 255);
    }
    for (uint64_t i = 1000; i-- > 0;) {
        assert_int_equal(fl_vec_pop(&items.all).id.n, i);
    }
    assert_int_equal(items.all.len, 0);
    fl_vec_fini(&items.all);
    fl_vec_fini(&items.bytes);
}

static void inserting_and_removing_agrees_with_a_plain_array(void **state)
{
    FL_VEC(uint32_t) v = {0};
    uint32_t plain[2001];
    size_t len = 0;
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 3);
    for (uint32_t n = 0; n < 20000; n++) {
        if (len < 2000 && (len == 0 || fl_prng_chance(&prng, 550000))) {
            size_t i = fl_prng_below(&prng, len + 1);

            memmove(plain + i + 1, plain + i, (len++ - i) * sizeof(plain[0]));
            plain[i] = n;
            fl_vec_insert(&v, i, n);
        } else {
            size_t i = fl_prng_below(&prng, len);

            memmove(plain + i, plain + i + 1, (--len - i) * sizeof(plain[0]));
            fl_vec_remove(&v, i);
        }
        assert_int_equal(v.len, len);
        if (n % 100 == 0 && len) assert_memory_equal(v.at, plain, len * sizeof(plain[0]));
    }
    fl_vec_fini(&v);
}

static void the_lower_bound_is_the_first_that_is_not_less(void **state)
{
    FL_VEC(struct item) v = {0};

    (void)state;
    assert_int_equal(fl_vec_lower_bound(&v, id.n, 5), 0);
    for (uint64_t n = 0; n < 100; n++) {
        fl_vec_push(&v, item_of(n / 2 * 10)); /* 0 0 10 10 20 20 ... 490 490 */
    }
    for (uint64_t key = 0; key <= 490; key++) {
        assert_int_equal(fl_vec_lower_bound(&v, id.n, key), (key + 9) / 10 * 2);
    }
    assert_int_equal(fl_vec_lower_bound(&v, id.n, 491), 100);
    assert_int_equal(fl_vec_lower_bound(&v, id.n, UINT64_MAX), 100);
    fl_vec_fini(&v);
}

static void every_argument_is_evaluated_once(void **state)
{
    FL_VEC(int) vs[2] = {0};
    size_t which = 0;
    int n = 0;

    (void)state;
    fl_vec_push(&vs[which++], n++);
    fl_vec_push(&vs[which--], n++);
    assert_int_equal(vs[0].at[0], 0);
    assert_int_equal(vs[1].at[0], 1);
    assert_int_equal(n, 2);
    assert_int_equal(which, 0);
    fl_vec_insert(&vs[which++], 0, n++);
    assert_int_equal(which, 1);
    assert_int_equal(vs[0].at[0], 2);
    fl_vec_fini(&vs[0]);
    fl_vec_fini(&vs[1]);
}

static void macros_may_stand_within_each_other(void **state)
{
    FL_VEC(int) from = {0};
    FL_VEC(int) to = {0};

    (void)state;
    fl_vec_push(&from, 1);
    fl_vec_push(&from, 2);
    fl_vec_push(&to, fl_vec_pop(&from));
    fl_vec_insert(&to, 0, fl_vec_pop(&from));
    assert_int_equal(to.at[0], 1);
    assert_int_equal(to.at[1], 2);
    for (int i = 0; i < 100; i++) {
        fl_vec_push(&to, to.at[to.len - 1]); /* an item of its own, even when it moves */
    }
    assert_int_equal(to.at[101], 2);
    fl_vec_fini(&from);
    fl_vec_fini(&to);
}

static void what_is_reserved_does_not_move(void **state)
{
    FL_VEC(int) v = {0};
    int *at;

    (void)state;
    fl_vec_reserve(&v, 1000);
    at = v.at;
    assert_true(v.cap >= 1000);
    for (int i = 0; i < 1000; i++) {
        fl_vec_push(&v, i);
    }
    assert_ptr_equal(v.at, at);
    fl_vec_reserve(&v, 10);
    assert_int_equal(v.len, 1000);
    fl_vec_clear(&v);
    assert_int_equal(v.len, 0);
    assert_true(v.cap >= 1000);
    fl_vec_fini(&v);
    assert_null(v.at);
    assert_int_equal(v.cap, 0);
    fl_vec_fini(&v);
}

static void what_is_out_of_range_aborts(void **state)
{
    (void)state;
    assert_true(fl_test_aborts(pop_nothing, NULL));
    assert_true(fl_test_aborts(insert_behind_the_end, NULL));
    assert_true(fl_test_aborts(remove_the_end, NULL));
    assert_true(fl_test_aborts(reserve_more_than_memory_has, NULL));
}

FL_TESTS(cmocka_unit_test(items_come_back_in_the_order_they_were_pushed),
         cmocka_unit_test(inserting_and_removing_agrees_with_a_plain_array),
         cmocka_unit_test(the_lower_bound_is_the_first_that_is_not_less),
         cmocka_unit_test(every_argument_is_evaluated_once),
         cmocka_unit_test(macros_may_stand_within_each_other),
         cmocka_unit_test(what_is_reserved_does_not_move),
         cmocka_unit_test(what_is_out_of_range_aborts))
