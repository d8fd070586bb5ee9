#include "controlplane/core/row_deed.h"

#include "tests/fl_test.h"

static uint64_t job_of(const char *body, const char *outcome)
{
    struct row row = {.kind = ROW_audit,
                      .audit = {.body = fl_str_c(body), .outcome = fl_str_c(outcome)}};

    return row_deed(&row).job.n;
}

static void deeds_on_one_job_name_it_and_nothing_else_does(void **state)
{
    struct row row = {.kind = ROW_audit};
    struct row other = {.kind = ROW_mark_set, .mark_set = {.job = 7}};

    (void)state;
    assert_int_equal(job_of("hold job-7", ""), 7);
    assert_int_equal(job_of("release job-7", ""), 7);
    assert_int_equal(job_of("cancel job-a", ""), 10);
    assert_int_equal(job_of("edit job-7 queue=b held", ""), 7);
    assert_int_equal(job_of("submit job-7+3", ""), 0);
    assert_int_equal(job_of("hold job-7", "denied"), 0);
    assert_int_equal(job_of("hold", ""), 0);
    assert_int_equal(job_of("hold job-", ""), 0);
    assert_int_equal(job_of("", ""), 0);
    assert_int_equal(row_deed(&other).job.n, 0);
    row.audit.body = FL_STR("cancel job-7");
    assert_int_equal(row_deed(&row).mark, CORE_MARK_cancel);
    row.audit.body = FL_STR("edit job-7 held");
    assert_int_equal(row_deed(&row).mark, CORE_MARK_held);
}

FL_TESTS(cmocka_unit_test(deeds_on_one_job_name_it_and_nothing_else_does))
