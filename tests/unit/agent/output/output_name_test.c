#include "agent/output/output_name.h"

#include "tests/fl_test.h"

static void output_files_sort_by_their_names(void **state)
{
    char low[OUTPUT_NAME_MAX];
    char high[OUTPUT_NAME_MAX];
    uint64_t offset;

    (void)state;
    output_name(255, low);
    output_name(UINT64_C(1) << 40, high);
    assert_true(strcmp(low, high) < 0);
    assert_true(output_name_parse(high, &offset));
    assert_true(offset == UINT64_C(1) << 40);
    assert_false(output_name_parse("out.12", &offset));
    assert_false(output_name_parse("out.00000000000000FF", &offset));
}

FL_TESTS(cmocka_unit_test(output_files_sort_by_their_names))
