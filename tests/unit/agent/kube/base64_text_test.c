#include "agent/kube/base64_text.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static const char *read_text(const char *text, struct fl_arena *arena)
{
    struct fl_str bytes;

    return base64_text_read(fl_str_c(text), arena, &bytes) ? bytes.at : "refused";
}

static void base64_is_read_with_its_padding(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(read_text("", &arena), "");
    assert_string_equal(read_text("Zg==", &arena), "f");
    assert_string_equal(read_text("Zm8=", &arena), "fo");
    assert_string_equal(read_text("Zm9v", &arena), "foo");
    assert_string_equal(read_text("Zm9v\r\nYmFy\n", &arena), "foobar");
    assert_string_equal(read_text("/+8=", &arena), "\xff\xef");
    fl_arena_fini(&arena);
}

static void each_text_has_one_spelling(void **state)
{
    static const char *const others[] = {"Zg",    "Zm9=", "Zg=",  "Zg===", "Z",
                                         "Zm9v=", "Z=g=", "Zh==", "_-8=",  "Zm9v Zm9v",
                                         "Zm9v*", "====", "="};
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_string_equal(read_text(others[i], &arena), "refused");
    }
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(base64_is_read_with_its_padding),
         cmocka_unit_test(each_text_has_one_spelling))
