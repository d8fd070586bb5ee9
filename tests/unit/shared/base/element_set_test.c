#include "shared/base/element_set.h"

#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void add(struct fl_element_set *set, uint32_t element)
{
    struct fl_err err = {0};

    assert_true(fl_element_set_add(set, element, &err));
}

static void what_was_picked_is_in_and_can_be_counted_and_found_by_place(void **state)
{
    const uint32_t elements[] = {0, 1, 2, 7, 9, 10, UINT32_MAX};
    struct fl_element_set set = {0};

    (void)state;
    assert_int_equal(fl_element_set_count(&set), 0);
    assert_false(fl_element_set_has(&set, 0));
    for (uint32_t i = 0; i < 7; i++) {
        add(&set, elements[i]);
    }
    assert_int_equal(set.len, 4);
    assert_int_equal(fl_element_set_count(&set), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_true(fl_element_set_has(&set, elements[i]));
        assert_int_equal(fl_element_set_nth(&set, i), elements[i]);
        assert_int_equal(fl_element_set_rank(&set, elements[i]), i);
    }
    assert_false(fl_element_set_has(&set, 3));
    assert_false(fl_element_set_has(&set, 8));
    assert_false(fl_element_set_has(&set, 11));
    assert_int_equal(fl_element_set_rank(&set, 8), 4);
    fl_element_set_fini(&set);
}

static void numbers_come_in_order_and_not_in_too_many_ranges(void **state)
{
    struct fl_element_set set = {0};
    struct fl_err err = {0};

    (void)state;
    add(&set, 5);
    assert_false(fl_element_set_add(&set, 5, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(fl_element_set_add(&set, 4, &err));
    for (uint32_t i = 1; i < FL_ELEMENT_SET_RANGES_MAX; i++) {
        add(&set, 5 + 2 * i);
    }
    assert_false(fl_element_set_add(&set, 5 + 2 * FL_ELEMENT_SET_RANGES_MAX, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    add(&set, 5 + 2 * FL_ELEMENT_SET_RANGES_MAX - 1); /* the newest range may grow */
    fl_element_set_fini(&set);
}

static void random_sets_come_back_from_their_bytes(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 1);
    for (int round = 0; round < 200; round++) {
        struct fl_element_set set = {0}, back = {0};
        struct fl_err err = {0};
        struct fl_buf bytes, again;
        uint32_t element = 0;

        for (uint64_t i = fl_prng_below(&prng, 100); i > 0; i--) {
            element += (uint32_t)fl_prng_below(&prng, fl_prng_chance(&prng, 500000) ? 3 : 1 << 20);
            add(&set, element++);
        }
        fl_buf_init(&bytes, FL_ELEMENT_SET_BYTES_MAX);
        fl_buf_init(&again, FL_ELEMENT_SET_BYTES_MAX);
        assert_true(fl_element_set_encode(&bytes, &set));
        assert_true(fl_element_set_decode(view(&bytes), &back, &err));
        assert_int_equal(back.len, set.len);
        assert_int_equal(fl_element_set_count(&back), fl_element_set_count(&set));
        assert_true(fl_element_set_encode(&again, &back));
        assert_true(fl_str_eq(view(&bytes), view(&again)));
        fl_buf_fini(&bytes);
        fl_buf_fini(&again);
        fl_element_set_fini(&set);
        fl_element_set_fini(&back);
    }
}

static void bytes_that_are_no_set_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\1", 1},                        /* half a range */
        {"\200", 1},                      /* half a number */
        {"\1\200\0", 3},                  /* longer than it needs to be */
        {"\377\377\377\377\17\1", 6},     /* past the last element */
        {"\0\377\377\377\377\17", 6},     /* more elements than can be counted */
        {"\200\200\200\200\20\0", 6},     /* a number past 32 bits */
        {"\1\0\377\377\377\377\17\0", 8}, /* the second one past the last element */
    };
    char large[FL_ELEMENT_SET_BYTES_MAX + 2] = {0};
    struct fl_element_set set = {0};
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct fl_str bytes = {bad[i].bytes, bad[i].len};

        assert_false(fl_element_set_decode(bytes, &set, &err));
        assert_int_equal(err.code, FL_TORN);
        assert_null(set.at);
    }
    assert_false(fl_element_set_decode((struct fl_str){large, sizeof large}, &set, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_true(
        fl_element_set_decode((struct fl_str){large, FL_ELEMENT_SET_BYTES_MAX}, &set, &err));
    assert_int_equal(fl_element_set_count(&set), FL_ELEMENT_SET_RANGES_MAX);
    fl_element_set_fini(&set);
    assert_true(fl_element_set_decode(FL_STR(""), &set, &err));
    assert_int_equal(fl_element_set_count(&set), 0);
}

FL_TESTS(cmocka_unit_test(what_was_picked_is_in_and_can_be_counted_and_found_by_place),
         cmocka_unit_test(numbers_come_in_order_and_not_in_too_many_ranges),
         cmocka_unit_test(random_sets_come_back_from_their_bytes),
         cmocka_unit_test(bytes_that_are_no_set_are_refused))
