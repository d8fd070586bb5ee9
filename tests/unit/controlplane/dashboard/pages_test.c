/* Which paths are the application's. */
#include "controlplane/dashboard/pages.h"

#include "tests/fl_test.h"

static void the_application_has_its_paths_and_no_other(void **state)
{
    static const char *const own[] = {"/",          "/jobs", "/jobs/", "/jobs/job-7/logs",
                                      "/clusters/", "/login"};
    static const char *const others[] = {"",       "/v1/jobs", "/livez",  "/jobsx", "//jobs",
                                         "/JOBS/", "/%6aobs",  "/ui/app", "jobs",   "/job"};

    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        assert_true(pages_has_path(fl_str_c(own[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(pages_has_path(fl_str_c(others[i])));
    }
}

FL_TESTS(cmocka_unit_test(the_application_has_its_paths_and_no_other))
