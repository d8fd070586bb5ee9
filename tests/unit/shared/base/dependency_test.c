#include "shared/base/dependency.h"

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

static void a_list_comes_back_from_its_bytes(void **state)
{
    struct fl_dependency list[FL_JOB_AFTER_MAX] = {{{7}, 0, FL_ON_success}, {{8}, 0, FL_ON_any}};
    struct fl_arena arena = {0};
    struct fl_dependencies back;
    struct fl_str bytes;
    struct fl_err err = {0};

    (void)state;
    for (uint64_t i = 2; i < FL_JOB_AFTER_MAX; i++) {
        list[i] = (struct fl_dependency){{UINT64_MAX - i}, 0, FL_ON_failure};
    }
    bytes = fl_dependencies_encode(list, FL_JOB_AFTER_MAX, &arena);
    assert_int_equal(bytes.len, FL_JOB_AFTER_BYTES_MAX);
    assert_true(fl_dependencies_decode(bytes, &arena, &back, &err));
    assert_int_equal(back.len, FL_JOB_AFTER_MAX);
    for (size_t i = 0; i < back.len; i++) {
        assert_int_equal(back.at[i].job.n, list[i].job.n);
        assert_int_equal(back.at[i].line, 0);
        assert_int_equal(back.at[i].on, list[i].on);
    }
    bytes = fl_dependencies_encode(list, 0, &arena);
    assert_int_equal(bytes.len, 0);
    assert_true(fl_dependencies_decode(bytes, &arena, &back, &err));
    assert_int_equal(back.len, 0);
    fl_arena_fini(&arena);
}

static void the_bytes_are_those_of_every_release(void **state)
{
    static const uint8_t want[] = {7, 1, 0, 0, 0, 0, 0, 0, 3};
    struct fl_dependency one = {{0x107}, 0, FL_ON_failure};
    struct fl_arena arena = {0};
    struct fl_str bytes = fl_dependencies_encode(&one, 1, &arena);

    (void)state;
    assert_int_equal(bytes.len, sizeof want);
    assert_memory_equal(bytes.at, want, sizeof want);
    fl_arena_fini(&arena);
}

static void other_bytes_are_refused(void **state)
{
    static const char *const bad[] = {"\7\0\0\0\0\0\0\0",     /* cut */
                                      "\7\0\0\0\0\0\0\0\1\1", /* one too many */
                                      "\0\0\0\0\0\0\0\0\1",   /* no job */
                                      "\7\0\0\0\0\0\0\0\0",   /* no end */
                                      "\7\0\0\0\0\0\0\0\5"};
    static const size_t len[] = {8, 10, 9, 9, 9};
    static const uint8_t many[FL_JOB_AFTER_BYTES_MAX + 9] = {1, [8] = 1};
    struct fl_arena arena = {0};
    struct fl_dependencies back;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fl_err err = {0};

        assert_false(fl_dependencies_decode((struct fl_str){bad[i], len[i]}, &arena, &back, &err));
        assert_int_equal(err.code, FL_TORN);
    }
    assert_false(fl_dependencies_decode((struct fl_str){(const char *)many, sizeof many}, &arena,
                                        &back, NULL));
    fl_arena_fini(&arena);
}

static void ends_have_names(void **state)
{
    enum fl_dependency_on on;

    (void)state;
    assert_true(fl_dependency_on_parse(FL_STR("success"), &on) && on == FL_ON_success);
    assert_true(fl_dependency_on_parse(FL_STR("any"), &on) && on == FL_ON_any);
    assert_true(fl_dependency_on_parse(FL_STR("failure"), &on) && on == FL_ON_failure);
    assert_true(fl_dependency_on_parse(FL_STR("each"), &on) && on == FL_ON_each);
    assert_false(fl_dependency_on_parse(FL_STR("ok"), &on));
    assert_string_equal(fl_dependency_on_name(FL_ON_any), "any");
    assert_null(fl_dependency_on_name((enum fl_dependency_on)5));
}

FL_TESTS(cmocka_unit_test(a_list_comes_back_from_its_bytes),
         cmocka_unit_test(the_bytes_are_those_of_every_release),
         cmocka_unit_test(other_bytes_are_refused), cmocka_unit_test(ends_have_names))
