#include "controlplane/usage/usage_cache.h"

#include "shared/spec/job_spec.h" /* FL_JOB_LABELS_BYTES_MAX */
#include "tests/fl_test.h"

static void remember(struct usage_cache *cache, uint64_t id, const char *owner)
{
    struct row_job_new job = {.job = id,
                              .tenant = 1,
                              .queue = 3,
                              .spec = {{7}},
                              .labels = FL_STR("team=vision\n"),
                              .owner = fl_str_c(owner)};

    usage_cache_job(cache, &job, 1000 + (fl_ms)id);
}

static void a_job_is_known_by_what_its_row_said(void **state)
{
    struct usage_cache cache = {0};
    char owner[] = "amy";
    const struct usage_job *job;

    (void)state;
    remember(&cache, 5, owner);
    owner[0] = 'x'; /* it was copied */
    job = usage_cache_find(&cache, 5);
    assert_non_null(job);
    assert_true(job->tenant == 1 && job->queue == 3 && job->spec.at[0] == 7);
    assert_int_equal(job->submitted_at, 1005);
    assert_true(fl_str_eq(job->owner, FL_STR("amy")));
    assert_true(fl_str_eq(job->labels, FL_STR("team=vision\n")));
    assert_null(usage_cache_find(&cache, 6));
    usage_cache_empty(&cache);
    assert_null(usage_cache_find(&cache, 5));
}

static void a_job_that_was_looked_up_is_known_from_then_on(void **state)
{
    struct usage_cache cache = {0};
    char owner[] = "amy";
    struct usage_job found = {.tenant = 1, .queue = 4, .submitted_at = 9, .owner = fl_str_c(owner)};
    const struct usage_job *job;

    (void)state;
    usage_cache_keep(&cache, 5, &found);
    owner[0] = 'x'; /* it was copied */
    job = usage_cache_find(&cache, 5);
    assert_non_null(job);
    assert_true(job->queue == 4 && job->submitted_at == 9);
    assert_true(fl_str_eq(job->owner, FL_STR("amy")));
    found.queue = 5;
    usage_cache_keep(&cache, 5, &found);
    assert_int_equal(usage_cache_find(&cache, 5)->queue, 5);
    usage_cache_empty(&cache);
}

static void an_edited_job_is_known_no_more(void **state)
{
    struct usage_cache cache = {0};

    (void)state;
    remember(&cache, 5, "amy");
    remember(&cache, 6, "amy");
    usage_cache_forget(&cache, 5);
    usage_cache_forget(&cache, 7);
    assert_null(usage_cache_find(&cache, 5));
    assert_non_null(usage_cache_find(&cache, 6));
    for (uint64_t i = 100; i < 100 + USAGE_HALF_MAX; i++) { /* 6 is old now */
        remember(&cache, i, "ben");
    }
    assert_non_null(usage_cache_find(&cache, 6));
    usage_cache_forget(&cache, 6);
    assert_null(usage_cache_find(&cache, 6));
    usage_cache_empty(&cache);
}

static void an_attempt_ends_once(void **state)
{
    struct usage_cache cache = {0};
    struct usage_nth first = {5, 2, 1}, second = {5, 2, 2};
    fl_ms at = 0;

    (void)state;
    usage_cache_began(&cache, &first, 100);
    usage_cache_began(&cache, &second, 200);
    assert_true(usage_cache_ended(&cache, &first, &at) && at == 100);
    assert_false(usage_cache_ended(&cache, &first, &at));
    assert_true(usage_cache_ended(&cache, &second, &at) && at == 200);
    usage_cache_began(&cache, &first, 100);
    usage_cache_empty(&cache);
    assert_false(usage_cache_ended(&cache, &first, &at));
}

static void a_full_one_forgets_its_oldest_half(void **state)
{
    struct usage_cache cache = {0};
    fl_ms at = 0;

    (void)state;
    for (uint64_t i = 1; i <= 2 * USAGE_HALF_MAX + 1; i++) {
        struct usage_nth attempt = {i, 0, 1};

        remember(&cache, i, "");
        usage_cache_began(&cache, &attempt, (fl_ms)i);
    }
    assert_null(usage_cache_find(&cache, 1));
    assert_false(usage_cache_ended(&cache, &(struct usage_nth){1, 0, 1}, &at));
    for (uint64_t i = USAGE_HALF_MAX + 2; i <= 2 * USAGE_HALF_MAX + 1; i++) {
        struct usage_nth attempt = {i, 0, 1};

        assert_non_null(usage_cache_find(&cache, i));
        assert_true(usage_cache_ended(&cache, &attempt, &at));
        assert_int_equal(at, i);
    }
    usage_cache_empty(&cache);
}

static void long_labels_fill_it_sooner(void **state)
{
    static char labels[FL_JOB_LABELS_BYTES_MAX];
    struct row_job_new job = {.labels = {labels, sizeof labels}};
    struct usage_cache cache = {0};

    (void)state;
    for (job.job = 1; job.job <= USAGE_HALF_MAX; job.job++) {
        usage_cache_job(&cache, &job, 1);
        assert_true(fl_arena_bytes(&cache.young.arena) + fl_arena_bytes(&cache.old.arena) <=
                    3 * USAGE_HALF_BYTES_MAX);
    }
    assert_null(usage_cache_find(&cache, 1));
    assert_non_null(usage_cache_find(&cache, USAGE_HALF_MAX));
    usage_cache_empty(&cache);
}

FL_TESTS(cmocka_unit_test(a_job_is_known_by_what_its_row_said),
         cmocka_unit_test(a_job_that_was_looked_up_is_known_from_then_on),
         cmocka_unit_test(an_edited_job_is_known_no_more), cmocka_unit_test(an_attempt_ends_once),
         cmocka_unit_test(a_full_one_forgets_its_oldest_half),
         cmocka_unit_test(long_labels_fill_it_sooner))
