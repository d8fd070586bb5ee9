#include "controlplane/backup/progress.h"

#include "tests/fl_test.h"

static void sizes_have_a_unit(void **state)
{
    (void)state;
    assert_string_equal(progress_size(0).text, "0 B");
    assert_string_equal(progress_size(1023).text, "1023 B");
    assert_string_equal(progress_size(1536).text, "1.5 KiB");
    assert_string_equal(progress_size(UINT64_C(41) << 20).text, "41.0 MiB");
    assert_string_equal(progress_size(UINT64_MAX).text, "16777216.0 TiB");
}

static void nothing_is_written_over_without_a_terminal(void **state)
{
    struct progress progress = {0};

    (void)state;
    progress_show(&progress, "database", 7, 9);
    assert_false(progress.is_shown);
    progress_end(&progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_a_unit),
        cmocka_unit_test(nothing_is_written_over_without_a_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
