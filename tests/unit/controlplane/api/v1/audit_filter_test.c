/* Which rows of the audit a filter takes. */
#include "controlplane/api/v1/audit_filter.h"

#include "tests/fl_test.h"

static const struct read_audit_row cancelled = {
    .at = 1000, .audit.actor = {"token:3k9d ci", 13}, .audit.body = {"cancel job-7 all", 16}};
static const struct read_audit_row refused = {.at = 2000,
                                              .audit.actor = {"stranger", 8},
                                              .audit.body = {"listAudit /v1/audit", 19},
                                              .audit.outcome = {"unauthenticated", 15}};

static bool takes(struct audit_filter filter, const struct read_audit_row *row)
{
    return audit_filter_takes(&filter, row);
}

static void a_row_has_an_action_an_object_and_an_outcome(void **state)
{
    struct read_audit_row bare = {.audit.body = FL_STR("begin")};

    (void)state;
    assert_true(fl_str_eq(audit_action(&cancelled), FL_STR("cancel")));
    assert_true(fl_str_eq(audit_object(&cancelled), FL_STR("job-7")));
    assert_true(fl_str_eq(audit_outcome(&cancelled), FL_STR("done")));
    assert_true(fl_str_eq(audit_object(&refused), FL_STR("/v1/audit")));
    assert_true(fl_str_eq(audit_outcome(&refused), FL_STR("unauthenticated")));
    assert_true(fl_str_eq(audit_action(&bare), FL_STR("begin")));
    assert_int_equal(audit_object(&bare).len, 0);
    bare.audit.body = (struct fl_str){0};
    assert_int_equal(audit_action(&bare).len, 0);
}

static void a_filter_takes_rows_that_fit_all_its_parts(void **state)
{
    (void)state;
    assert_true(audit_filter_is_empty(&(struct audit_filter){0}));
    assert_false(audit_filter_is_empty(&(struct audit_filter){.until = 1}));
    assert_true(takes((struct audit_filter){0}, &refused));
    assert_true(takes((struct audit_filter){.subject = FL_STR("token:3k9d ci")}, &cancelled));
    assert_true(takes((struct audit_filter){.subject = FL_STR("token:3k9d")}, &cancelled));
    assert_true(takes((struct audit_filter){.subject = FL_STR("3k9d")}, &cancelled));
    assert_false(takes((struct audit_filter){.subject = FL_STR("3k9")}, &cancelled));
    assert_false(takes((struct audit_filter){.subject = FL_STR("ci")}, &cancelled));
    assert_false(takes((struct audit_filter){.subject = FL_STR("3k9d")}, &refused));
    assert_true(takes((struct audit_filter){.action = FL_STR("cancel"), .object = FL_STR("job-7")},
                      &cancelled));
    assert_false(takes(
        (struct audit_filter){.action = FL_STR("cancel"), .object = FL_STR("job-70")}, &cancelled));
    assert_false(takes((struct audit_filter){.outcome = FL_STR("done")}, &refused));
    assert_true(takes((struct audit_filter){.since = 1000, .until = 1001}, &cancelled));
    assert_false(takes((struct audit_filter){.since = 1001}, &cancelled));
    assert_false(takes((struct audit_filter){.until = 1000}, &cancelled));
}

FL_TESTS(cmocka_unit_test(a_row_has_an_action_an_object_and_an_outcome),
         cmocka_unit_test(a_filter_takes_rows_that_fit_all_its_parts))
