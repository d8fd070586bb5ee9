#include "controlplane/engine/time_rule.h"

#include "tests/fl_test.h"

static const fl_ms wall = 1790000000000; /* in 2026 */

/* Renewed with all clocks right, and the core's time a minute behind them. */
static const struct time_mark renewed = {
    .at = wall - 60000, .clocks = {.postgres = wall, .hub = wall, .uptime = 5000, .boot = 7}};

/* Later by 'ms', all clocks right. */
static struct time_reading later(fl_ms ms)
{
    return (struct time_reading){
        .postgres = wall + ms, .hub = wall + ms, .uptime = 5000 + ms, .boot = 7};
}

/* By so much the core's time has gone on. */
static fl_ms gone(const struct time_reading *now)
{
    return time_rule_resume(&renewed, now, 0) - renewed.at;
}

static void time_goes_on_as_all_clocks_say(void **state)
{
    struct time_reading now = later(8 * FL_HOUR_MS);
    char text[TIME_TEXT_MAX];

    (void)state;
    assert_int_equal(gone(&now), 8 * FL_HOUR_MS);
    assert_false(time_rule_is_set(&renewed, &now, renewed.at + 8 * FL_HOUR_MS, text));
}

static void one_clock_that_is_set_ahead_moves_nothing(void **state)
{
    static const fl_ms steps[] = {1000, FL_DAY_MS, 20 * 365 * FL_DAY_MS};

    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct time_reading now = later(7000);

        now.postgres += steps[i];
        assert_int_equal(gone(&now), 7000);
        now = later(7000);
        now.hub += steps[i];
        assert_int_equal(gone(&now), 7000);
    }
}

static void a_host_that_has_both_is_known_by_its_uptime(void **state)
{
    struct time_reading now = later(7000);

    (void)state;
    now.postgres += FL_DAY_MS;
    now.hub += FL_DAY_MS;
    assert_int_equal(gone(&now), 7000);
    now.boot = 8; /* it counts from another boot now */
    assert_int_equal(gone(&now), FL_DAY_MS + 7000);
}

static void the_uptime_of_another_boot_is_not_compared(void **state)
{
    struct time_reading now = later(7000);

    (void)state;
    now.uptime = 10;
    now.boot = 8;
    assert_int_equal(gone(&now), 7000);
    now.boot = 0; /* not known */
    assert_int_equal(gone(&now), 7000);
}

static void a_clock_that_is_set_back_stops_it_for_this_once(void **state)
{
    struct time_reading now = later(7000);

    (void)state;
    now.postgres -= FL_DAY_MS;
    assert_int_equal(gone(&now), 0);
    assert_int_equal(time_rule_resume(&renewed, &now, renewed.at + 400), renewed.at + 400);
}

static void without_a_mark_postgres_decides(void **state)
{
    struct time_mark none = {0};
    struct time_reading now = later(0);

    (void)state;
    assert_int_equal(time_rule_resume(&none, &now, 5), wall);
    assert_int_equal(time_rule_resume(&none, &now, wall + 9), wall + 9);
}

static void the_log_names_the_clocks(void **state)
{
    struct time_reading now = later(7000);
    char text[TIME_TEXT_MAX];

    (void)state;
    now.postgres += FL_DAY_MS;
    assert_true(time_rule_is_set(&renewed, &now, renewed.at + 7000, text));
    assert_string_equal(
        text, "a clock was set: since the lease was last renewed Postgres's moved by 86407000 ms, "
              "this host's by 7000 ms, its uptime by 7000 ms; deadlines and expiries went on by "
              "7000 ms, the rest is left out");
    assert_true(time_rule_differ(&now, renewed.at + 7000, text));
    assert_string_equal(
        text, "clocks differ: from Postgres's, this host's by -86400000 ms, and the hub's time, in "
              "which deadlines and expiries count, by -86460000 ms; set the hosts' clocks right, "
              "by NTP");
    now = later(7000);
    assert_false(time_rule_differ(&now, now.postgres, text));
    now.postgres += TIME_SKEW_MS;
    assert_false(time_rule_is_set(&renewed, &now, renewed.at + 7000, text));
}

FL_TESTS(cmocka_unit_test(time_goes_on_as_all_clocks_say),
         cmocka_unit_test(one_clock_that_is_set_ahead_moves_nothing),
         cmocka_unit_test(a_host_that_has_both_is_known_by_its_uptime),
         cmocka_unit_test(the_uptime_of_another_boot_is_not_compared),
         cmocka_unit_test(a_clock_that_is_set_back_stops_it_for_this_once),
         cmocka_unit_test(without_a_mark_postgres_decides),
         cmocka_unit_test(the_log_names_the_clocks))
