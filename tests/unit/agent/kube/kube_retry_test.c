#include "agent/kube/kube_retry.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static fl_ms wait_for(unsigned status, fl_ms named, bool is_read, unsigned retries)
{
    struct kube_failure failure = {.status = status, .retry_after_ms = named};
    struct fl_prng prng;
    fl_ms least = INT64_MAX, most = -1;

    for (uint64_t seed = 0; seed < 200; seed++) {
        fl_ms wait;

        fl_prng_seed(&prng, seed);
        wait = kube_retry_wait(&failure, is_read, retries, &prng);
        if (wait < least) least = wait;
        if (wait > most) most = wait;
    }
    assert_true(least == -1 ? most == -1 : most <= least * 3 / 2);
    assert_true(least < 20 || most > least); /* not all at the same time */
    return least == -1 ? -1 : least / 10 * 10;
}

static void a_429_is_sent_again_after_the_named_time(void **state)
{
    (void)state;
    assert_int_equal(wait_for(429, 3000, false, 0) / 100, 30);
    assert_int_equal(wait_for(429, 0, false, 5), 0);
    assert_int_equal(wait_for(429, -1, true, 0) / 100, 10);
    assert_int_equal(wait_for(429, KUBE_RETRY_WAIT_MS_MAX + 1, true, 0), -1);
    assert_int_equal(wait_for(429, 0, true, KUBE_RETRIES_MAX), -1);
}

static void a_5xx_is_sent_again_when_that_is_safe(void **state)
{
    (void)state;
    assert_int_equal(wait_for(503, 2000, false, 0) / 100, 20);
    assert_int_equal(wait_for(500, -1, false, 0), -1);
    assert_int_equal(wait_for(500, -1, true, 0), 250);
    assert_int_equal(wait_for(502, -1, true, 1) / 100, 5);
    assert_int_equal(wait_for(504, -1, true, 5) / 1000, 8);
    assert_int_equal(wait_for(501, -1, true, 0), -1);
    assert_int_equal(wait_for(511, -1, true, 0), -1);
}

static void anything_else_is_the_callers(void **state)
{
    static const unsigned statuses[] = {0, 200, 302, 400, 401, 403, 404, 409, 410, 422, 600};

    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        assert_int_equal(wait_for(statuses[i], 1000, true, 0), -1);
    }
}

static void a_wait_grows_up_to_a_limit(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 1);
    for (unsigned retries = 0; retries < 100; retries++) {
        fl_ms least = retries < 5 ? (fl_ms)250 << retries : 8000;
        fl_ms wait = kube_retry_backoff(retries, &prng);

        assert_true(wait >= least && wait <= least * 3 / 2);
    }
}

FL_TESTS(cmocka_unit_test(a_429_is_sent_again_after_the_named_time),
         cmocka_unit_test(a_5xx_is_sent_again_when_that_is_safe),
         cmocka_unit_test(anything_else_is_the_callers),
         cmocka_unit_test(a_wait_grows_up_to_a_limit))
