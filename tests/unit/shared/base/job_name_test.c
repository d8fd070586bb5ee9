#include "shared/base/job_name.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void names_are_short_and_lower_case(void **state)
{
    const struct {
        uint64_t n;
        const char *name;
    } known[] = {
        {0, "job-0"},           {1, "job-1"},
        {10, "job-a"},          {17, "job-h"},
        {18, "job-j"},          {20, "job-m"},
        {22, "job-p"},          {27, "job-v"},
        {31, "job-z"},          {32, "job-10"},
        {1023, "job-zz"},       {1048575, "job-zzzz"},
        {1048576, "job-10000"}, {UINT64_MAX, "job-fzzzzzzzzzzzz"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char name[FL_JOB_NAME_MAX];

        fl_job_name((struct fl_job){known[i].n}, name);
        assert_string_equal(name, known[i].name);
    }
}

static void every_name_is_parsed_back(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 61);
    for (int i = 0; i < 100000; i++) {
        struct fl_job job = {(fl_prng_u64(&prng) | (uint64_t)1 << 63) >> fl_prng_below(&prng, 64)};
        struct fl_job parsed = {0};
        char name[FL_JOB_NAME_MAX];

        fl_job_name(job, name);
        assert_true(fl_job_parse(fl_str_c(name), &parsed, NULL));
        assert_true(parsed.n == job.n);
    }
}

static void what_is_no_name_is_refused_and_nothing_is_written(void **state)
{
    const char *bad[] = {
        "",
        "job",
        "job-",
        "JOB-1",
        "job_1",
        "1",
        " job-1",
        "job-1 ",
        "job-0",
        "job-01",
        "job-i",
        "job-l",
        "job-o",
        "job-u",
        "job-A",
        "job--1",
        "job-1\n",
        "job-g000000000000",  /* bit 64 */
        "job-zzzzzzzzzzzzz",  /* 13 digits, 65 bits */
        "job-10000000000000", /* 14 digits */
        "job-\u00e4",
    };
    struct fl_job job = {77};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fl_err err = {0};

        assert_false(fl_job_parse(fl_str_c(bad[i]), &job, &err));
        assert_int_equal(err.code, FL_INVALID);
        assert_true(strlen(err.text) > 10);
        assert_true(job.n == 77);
    }
    assert_false(fl_job_parse((struct fl_str){"job-1\0", 6}, &job, NULL));
    assert_false(fl_job_parse((struct fl_str){0}, &job, NULL));
    assert_true(fl_job_parse((struct fl_str){"job-12", 5}, &job, NULL));
    assert_int_equal(job.n, 1);
}

FL_TESTS(cmocka_unit_test(names_are_short_and_lower_case),
         cmocka_unit_test(every_name_is_parsed_back),
         cmocka_unit_test(what_is_no_name_is_refused_and_nothing_is_written))
