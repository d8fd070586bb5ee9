#include "agent/kube/kube_rate_limit.h"

#include "tests/fl_test.h"

/* Starts as many as may start now. */
static unsigned start_all(struct kube_rate_limit *limit, bool is_stream, fl_ms now)
{
    unsigned started = 0;

    while (kube_rate_limit_ready_at(limit, is_stream, now) <= now) {
        kube_rate_limit_start(limit, is_stream, now);
        started++;
    }
    return started;
}

static void a_burst_is_followed_by_so_many_a_second(void **state)
{
    struct kube_rate_limit limit;

    (void)state;
    kube_rate_limit_init(&limit, 10, 5, 1000, 7000);
    assert_int_equal(start_all(&limit, false, 7000), 5);
    assert_int_equal(kube_rate_limit_ready_at(&limit, false, 7000), 7100);
    assert_int_equal(kube_rate_limit_ready_at(&limit, false, 7099), 7100);
    assert_int_equal(start_all(&limit, false, 7100), 1);
    assert_int_equal(start_all(&limit, false, 7350), 2);
    assert_int_equal(kube_rate_limit_ready_at(&limit, false, 7350), 7400);
    assert_int_equal(start_all(&limit, true, INT64_MAX / 2), 5); /* full, and no more */
    assert_int_equal(start_all(&limit, true, 7350), 0);          /* time steps back */
}

static void a_rate_over_one_a_millisecond_works_too(void **state)
{
    struct kube_rate_limit limit;

    (void)state;
    kube_rate_limit_init(&limit, 5000, 1, 1000, 0);
    assert_int_equal(start_all(&limit, false, 0), 1);
    assert_int_equal(kube_rate_limit_ready_at(&limit, false, 0), 1);
    assert_int_equal(start_all(&limit, false, 1), 1);
}

static void so_many_run_at_once(void **state)
{
    struct kube_rate_limit limit;

    (void)state;
    kube_rate_limit_init(&limit, 1000, 100, 2, 0);
    assert_int_equal(start_all(&limit, false, 0), 2);
    assert_true(kube_rate_limit_ready_at(&limit, false, 0) == KUBE_RATE_LIMIT_NEVER);
    kube_rate_limit_end(&limit, false);
    assert_int_equal(start_all(&limit, false, 0), 1);
    assert_int_equal(start_all(&limit, true, 0), 97); /* streams only take tokens */
    kube_rate_limit_end(&limit, true);
    assert_true(kube_rate_limit_ready_at(&limit, false, 0) == KUBE_RATE_LIMIT_NEVER);
}

static void a_pause_holds_back_all(void **state)
{
    struct kube_rate_limit limit;

    (void)state;
    kube_rate_limit_init(&limit, 1000, 100, 2, 0);
    kube_rate_limit_pause(&limit, 5000);
    kube_rate_limit_pause(&limit, 3000);
    assert_int_equal(kube_rate_limit_ready_at(&limit, false, 100), 5000);
    assert_int_equal(kube_rate_limit_ready_at(&limit, true, 100), 5000);
    assert_int_equal(start_all(&limit, false, 5000), 2);
}

static void start_early(void *arg)
{
    kube_rate_limit_start(arg, false, 0);
}

static void a_start_before_its_time_is_a_bug(void **state)
{
    struct kube_rate_limit limit;

    (void)state;
    kube_rate_limit_init(&limit, 1, 1, 1, 0);
    kube_rate_limit_start(&limit, false, 0);
    assert_true(fl_test_aborts(start_early, &limit));
}

FL_TESTS(cmocka_unit_test(a_burst_is_followed_by_so_many_a_second),
         cmocka_unit_test(a_rate_over_one_a_millisecond_works_too),
         cmocka_unit_test(so_many_run_at_once), cmocka_unit_test(a_pause_holds_back_all),
         cmocka_unit_test(a_start_before_its_time_is_a_bug))
