#include "agent/tunnel/identity.h"

#include "tests/fl_test.h"

#define NOW ((fl_ms)1800000000000)
#define DAY_MS (24 * FL_HOUR_MS)

static const struct fl_cert cert = {.from = NOW, .until = NOW + DAY_MS};

static void it_is_renewed_at_half_of_its_life_however_often_the_agent_begins(void **state)
{
    static const fl_ms starts[] = {NOW, NOW + FL_HOUR_MS, NOW + 11 * FL_HOUR_MS,
                                   NOW + 13 * FL_HOUR_MS, NOW + 2 * DAY_MS};

    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        assert_int_equal(agent_identity_renew_at(&cert, false, starts[i]), NOW + DAY_MS / 2);
    }
}

static void a_fresh_one_is_renewed_at_half_of_its_life_too(void **state)
{
    struct fl_cert backdated = {.from = NOW - 5 * FL_MINUTE_MS, .until = NOW + DAY_MS};

    (void)state;
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW), NOW + DAY_MS / 2);
    assert_int_equal(agent_identity_renew_at(&backdated, true, NOW + FL_SECOND_MS),
                     (backdated.from + backdated.until) / 2);
}

static void a_clock_that_is_wrong_neither_renews_without_end_nor_too_late(void **state)
{
    (void)state;
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW + DAY_MS), NOW + DAY_MS * 3 / 2);
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW + DAY_MS / 2), NOW + DAY_MS);
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW - 10 * DAY_MS),
                     NOW - 10 * DAY_MS + DAY_MS / 2);
}

FL_TESTS(cmocka_unit_test(it_is_renewed_at_half_of_its_life_however_often_the_agent_begins),
         cmocka_unit_test(a_fresh_one_is_renewed_at_half_of_its_life_too),
         cmocka_unit_test(a_clock_that_is_wrong_neither_renews_without_end_nor_too_late))
