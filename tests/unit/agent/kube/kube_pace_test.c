#include "agent/kube/kube_pace.h"

#include "tests/fl_test.h"

/* Starts as many as may start now. */
static unsigned start_all(struct kube_pace *pace, bool is_stream, fl_ms now)
{
    unsigned started = 0;

    while (kube_pace_ready_at(pace, is_stream, now) <= now) {
        kube_pace_start(pace, is_stream, now);
        started++;
    }
    return started;
}

static void a_burst_is_followed_by_so_many_a_second(void **state)
{
    struct kube_pace pace;

    (void)state;
    kube_pace_init(&pace, 10, 5, 1000, 7000);
    assert_int_equal(start_all(&pace, false, 7000), 5);
    assert_int_equal(kube_pace_ready_at(&pace, false, 7000), 7100);
    assert_int_equal(kube_pace_ready_at(&pace, false, 7099), 7100);
    assert_int_equal(start_all(&pace, false, 7100), 1);
    assert_int_equal(start_all(&pace, false, 7350), 2);
    assert_int_equal(kube_pace_ready_at(&pace, false, 7350), 7400);
    assert_int_equal(start_all(&pace, true, INT64_MAX / 2), 5); /* full, and no more */
    assert_int_equal(start_all(&pace, true, 7350), 0);          /* time steps back */
}

static void a_rate_over_one_a_millisecond_works_too(void **state)
{
    struct kube_pace pace;

    (void)state;
    kube_pace_init(&pace, 5000, 1, 1000, 0);
    assert_int_equal(start_all(&pace, false, 0), 1);
    assert_int_equal(kube_pace_ready_at(&pace, false, 0), 1);
    assert_int_equal(start_all(&pace, false, 1), 1);
}

static void so_many_run_at_once(void **state)
{
    struct kube_pace pace;

    (void)state;
    kube_pace_init(&pace, 1000, 100, 2, 0);
    assert_int_equal(start_all(&pace, false, 0), 2);
    assert_true(kube_pace_ready_at(&pace, false, 0) == KUBE_PACE_NEVER);
    kube_pace_end(&pace, false);
    assert_int_equal(start_all(&pace, false, 0), 1);
    assert_int_equal(start_all(&pace, true, 0), 97); /* streams only take tokens */
    kube_pace_end(&pace, true);
    assert_true(kube_pace_ready_at(&pace, false, 0) == KUBE_PACE_NEVER);
}

static void a_pause_holds_back_all(void **state)
{
    struct kube_pace pace;

    (void)state;
    kube_pace_init(&pace, 1000, 100, 2, 0);
    kube_pace_pause(&pace, 5000);
    kube_pace_pause(&pace, 3000);
    assert_int_equal(kube_pace_ready_at(&pace, false, 100), 5000);
    assert_int_equal(kube_pace_ready_at(&pace, true, 100), 5000);
    assert_int_equal(start_all(&pace, false, 5000), 2);
}

static void start_early(void *arg)
{
    kube_pace_start(arg, false, 0);
}

static void a_start_before_its_time_is_a_bug(void **state)
{
    struct kube_pace pace;

    (void)state;
    kube_pace_init(&pace, 1, 1, 1, 0);
    kube_pace_start(&pace, false, 0);
    assert_true(fl_test_aborts(start_early, &pace));
}

FL_TESTS(cmocka_unit_test(a_burst_is_followed_by_so_many_a_second),
         cmocka_unit_test(a_rate_over_one_a_millisecond_works_too),
         cmocka_unit_test(so_many_run_at_once), cmocka_unit_test(a_pause_holds_back_all),
         cmocka_unit_test(a_start_before_its_time_is_a_bug))
