#include "shared/wire/named_resources.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static bool reads(struct fl_str text)
{
    struct fl_arena arena = {0};
    const struct fl_named_resource *offers;
    struct fl_buf again;
    struct fl_err err = {0};
    size_t len;
    bool is = fl_named_resources_read(text, &arena, &offers, &len, &err);

    if (is) { /* one list has one text */
        fl_buf_init(&again, FL_NAMED_RESOURCES_BYTES_MAX);
        assert_true(fl_named_resources_write(&again, offers, len));
        assert_int_equal(again.len, text.len);
        if (text.len > 0) assert_memory_equal(again.at, text.at, text.len);
        fl_buf_fini(&again);
    }
    fl_arena_fini(&arena);
    return is;
}

static void offers_are_lines(void **state)
{
    static const char text[] =
        "hugepages-2Mi=1125899906842624/0\nnvidia.com/gpu=8/3\nrdma/hca=1/1\n";
    struct fl_arena arena = {0};
    const struct fl_named_resource *offers;
    struct fl_err err = {0};
    size_t len;

    (void)state;
    assert_true(fl_named_resources_read(fl_str_c(text), &arena, &offers, &len, &err));
    assert_int_equal(len, 3);
    assert_true(fl_str_eq(offers[1].name, FL_STR("nvidia.com/gpu")));
    assert_int_equal(offers[1].total, 8);
    assert_int_equal(offers[1].free, 3);
    assert_int_equal(offers[0].total, FL_NAMED_AMOUNT_MAX);
    assert_true(reads(fl_str_c(text)));
    assert_true(reads((struct fl_str){0}));
    fl_arena_fini(&arena);
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[] = {
        "a/b",
        "a/b=1/1",
        "a/b=1\n",
        "=1/1\n",
        "a/b=/1\n",
        "a/b=1/\n",
        "a/b=01/1\n",
        "a/b=1/01\n",
        "a/b=1/2\n",
        "a/b=0/0\n",
        "cpu=1/1\n",
        "a b=1/1\n",
        "a/b=-1/1\n",
        "a/b=1/1/1\n",
        "\n",
        "a/b=1/1\n\n",
        "b/b=1/1\na/b=1/1\n",
        "a/b=1/1\na/b=1/1\n",
        "a/b=1125899906842625/0\n",
        "a/b=99999999999999999999/0\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (reads(fl_str_c(bad[i]))) fail_msg("taken: %s", bad[i]);
    }
}

/* The longest list fits the field; one more is refused. */
static void there_is_a_most(void **state)
{
    static char names[FL_NAMED_RESOURCES_MAX + 1][318];
    struct fl_named_resource offers[FL_NAMED_RESOURCES_MAX + 1];
    struct fl_buf out;

    (void)state;
    for (int i = 0; i <= FL_NAMED_RESOURCES_MAX; i++) {
        memset(names[i], 'a', 317);
        names[i][0] = (char)('a' + i);
        for (int dot = 63; dot < 253; dot += 64) {
            names[i][dot] = '.';
        }
        names[i][253] = '/';
        offers[i] =
            (struct fl_named_resource){{names[i], 317}, FL_NAMED_AMOUNT_MAX, FL_NAMED_AMOUNT_MAX};
    }
    fl_buf_init(&out, FL_NAMED_RESOURCES_BYTES_MAX);
    assert_true(fl_named_resources_write(&out, offers, FL_NAMED_RESOURCES_MAX));
    assert_true(reads((struct fl_str){(const char *)out.at, out.len}));
    fl_buf_clear(&out);
    assert_false(fl_named_resources_write(&out, offers, FL_NAMED_RESOURCES_MAX + 1));
    fl_buf_fini(&out);
}

static void random_text_is_refused_or_canonical(void **state)
{
    static const char letters[] = "ab/=1039\n\n=/";
    struct fl_prng prng;
    unsigned taken = 0;

    (void)state;
    fl_prng_seed(&prng, 97);
    for (int i = 0; i < 400000; i++) {
        char text[20];
        size_t len = 1 + fl_prng_below(&prng, sizeof text - 1);

        for (size_t b = 0; b < len; b++) {
            text[b] = letters[fl_prng_below(&prng, sizeof letters - 1)];
        }
        taken += reads((struct fl_str){text, len});
    }
    assert_true(taken > 10);
}

FL_TESTS(cmocka_unit_test(offers_are_lines), cmocka_unit_test(anything_else_is_refused),
         cmocka_unit_test(there_is_a_most), cmocka_unit_test(random_text_is_refused_or_canonical))
