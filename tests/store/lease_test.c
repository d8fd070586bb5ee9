/* The lease, its release, its expiry, and how long a holder may rely on it. */
#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

/* SHORT_MS is for a lease that is to run out; a holder that is to keep its lease has 8 s for each
 * renewal, however slow machine and server are. */
enum { SHORT_MS = 1200, CLOCK_TTL_MS = 4500, LONG_MS = 12000, PATIENCE_MS = 60000 };

static struct help *instance(const char *conninfo, const char *name, uint32_t ttl_ms)
{
    struct store_config config = store_config_default();

    config.conninfo = conninfo;
    config.instance = name;
    config.lease_ttl_ms = ttl_ms;
    return help_create_with(&config);
}

static void spend(struct help *help, fl_ms ms)
{
    for (fl_ms end = help_now() + ms; help_now() < end;) {
        help_turn(help, 20);
    }
}

/* 'help_take', while the other goes on renewing. */
static enum fl_code take_beside(struct help *help, struct help *other)
{
    help->is_taken = help->is_failed = false;
    help->port.take(help->store, 0, 0, help_now());
    for (fl_ms end = help_now() + HELP_WAIT_MS; !help->is_taken && !help->is_failed;) {
        assert_true(help_now() < end);
        help_turn(help, 20);
        help_turn(other, 0);
    }
    return help->is_taken ? FL_OK : help->failed_code;
}

static void of_two_one_leads_for_as_long_as_it_renews(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", LONG_MS), *b = instance(conninfo, "b", LONG_MS);
    fl_ms end;

    (void)state;
    assert_int_equal(help_take(a, 0), FL_OK);
    for (end = help_now() + LONG_MS * 4 / 3; help_now() < end;) {
        assert_int_equal(take_beside(b, a), FL_DEPOSED);
        spend(a, LONG_MS / 12);
    }
    assert_false(a->is_lease_lost);
    assert_int_equal(help_number(conninfo, "select epoch from leader"), 1);
    help_destroy(a);
    help_destroy(b);
    fl_free(conninfo);
}

static void the_lease_of_one_that_is_gone_expires_by_the_databases_time(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", SHORT_MS), *b = instance(conninfo, "b", SHORT_MS);
    fl_ms start;

    (void)state;
    start = help_now(); /* before it is asked for */
    assert_int_equal(help_take(a, 0), FL_OK);
    help_destroy(a);
    while (help_take(b, 0) != FL_OK) {
        assert_true(help_now() < start + PATIENCE_MS);
        spend(b, 50);
    }
    assert_true(help_now() - start >= SHORT_MS - 100);
    help_destroy(b);
    fl_free(conninfo);
}

static void a_holder_that_cannot_renew_stops_at_two_thirds(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", LONG_MS);
    PGconn *pg = help_connect(conninfo);
    fl_ms asked = help_now(), locked, held;

    (void)state;
    assert_int_equal(help_take(a, 0), FL_OK);
    PQclear(PQexec(pg, "begin; select * from lease for update"));
    locked = help_now();
    for (fl_ms end = locked + PATIENCE_MS; !a->is_lease_lost;) {
        held = help_now(); /* the turn comes after this: a lease that it keeps was good now */
        assert_true(held < end);
        help_turn(a, 20);
        if (!a->is_lease_lost) assert_true(held <= locked + LONG_MS * 2 / 3);
    }
    assert_true(help_now() >= asked + LONG_MS * 2 / 3);
    PQfinish(pg);
    assert_int_equal(help_take(a, 0), FL_OK); /* and takes it again like anybody */
    help_destroy(a);
    fl_free(conninfo);
}

static void one_that_slept_past_two_thirds_knows_it_before_it_issues(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", SHORT_MS);

    (void)state;
    assert_int_equal(help_take(a, 0), FL_OK);
    spend(a, SHORT_MS / 2); /* the lease connection is there */
    usleep(SHORT_MS * 1000);
    help_turn(a, 0);
    assert_true(a->is_lease_lost);
    help_destroy(a);
    fl_free(conninfo);
}

static void a_batch_that_waits_behind_a_takeover_is_checked_again(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", LONG_MS);
    struct core_batch *batch = help_batch(1);
    PGconn *pg = help_connect(conninfo);

    (void)state;
    assert_int_equal(help_take(a, 0), FL_OK);
    /* A takeover that does not end the old writer, to leave the chain alone with it. */
    PQclear(PQexec(pg, "begin; update leader set epoch = epoch + 1"));
    help_job(batch, 1, 1);
    a->port.commit(a->store, batch, a->taken.epoch, help_now());
    spend(a, 200);
    assert_int_equal(a->results.len, 0); /* it waits for the row */
    PQclear(PQexec(pg, "commit"));
    help_until(a, a->results.len == 1);
    assert_int_equal(a->results.at[0].result, ENGINE_DEPOSED);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 0);
    core_batch_destroy(batch);
    PQfinish(pg);
    help_destroy(a);
    fl_free(conninfo);
}

static void a_takeover_ends_a_writer_that_holds_its_locks(void **state)
{
    char *conninfo = help_database();
    struct help *a = instance(conninfo, "a", SHORT_MS), *b = instance(conninfo, "b", SHORT_MS);
    struct core_batch *batch = help_batch(1);
    char *large = fl_new_array(char, 65536);
    fl_ms start = help_now();

    (void)state;
    assert_int_equal(help_take(a, 0), FL_OK);
    for (uint64_t i = 0; i < 64; i++) {
        help_row(batch, (struct row){.kind = ROW_spec_new,
                                     .spec_new = {.job = i, .body = {large, 65536}}});
    }
    /* Never turned again: the rest of its 4 MiB stays in its own memory, the leader row locked. */
    a->port.commit(a->store, batch, a->taken.epoch, help_now());
    while (help_take(b, 0) != FL_OK) {
        spend(b, 50);
        assert_true(help_now() - start < PATIENCE_MS);
    }
    assert_int_equal(b->taken.batch_newest, 0);
    help_until(a, a->is_lease_lost || a->results.len > 0);
    if (a->results.len > 0) assert_int_not_equal(a->results.at[0].result, ENGINE_COMMITTED);
    assert_int_equal(help_number(conninfo, "select count(*) from spec"), 0);
    core_batch_destroy(batch);
    fl_free(large);
    help_destroy(a);
    help_destroy(b);
    fl_free(conninfo);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* It led, and is gone without a word and before it renewed; its row's clocks are moved by the SQL,
 * which is what the next leader sees when the clocks were set the other way.  Returns the mark that
 * its take kept, below which no later term begins; its own term began when the row had it. */
static fl_ms gone_at_once(const char *conninfo, const char *sql)
{
    struct help *a = instance(conninfo, "a", CLOCK_TTL_MS);
    fl_ms mark;

    assert_int_equal(help_take(a, 0), FL_OK);
    mark = help_number(conninfo, "select core_at from lease");
    assert_in_range(a->taken.at - mark, 0, PATIENCE_MS);
    help_destroy(a);
    help_run(conninfo, sql);
    return mark;
}

static void a_step_of_one_clock_does_not_move_the_cores_time(void **state)
{
    static const char *const steps[] = {
        "update lease set postgres_at = postgres_at - 86400000",
        "update lease set hub_at = hub_at - 86400000",
        "update lease set postgres_at = postgres_at + 86400000",
        "update lease set hub_at = hub_at - 500000000000",
        /* both are one host's, which was not booted */
        "update lease set postgres_at = postgres_at - 86400000, hub_at = hub_at - 86400000",
    };

    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *conninfo = help_database();
        fl_ms from = help_now(), mark = gone_at_once(conninfo, steps[i]);
        struct help *b = instance(conninfo, "a", CLOCK_TTL_MS);

        assert_int_equal(help_take(b, 0), FL_OK);
        assert_in_range(b->taken.at - mark, 0, help_now() - from);
        assert_int_equal(b->troubles, 1);
        assert_non_null(strstr(b->trouble, "a clock was set"));
        help_destroy(b);
        fl_free(conninfo);
    }
}

static void time_that_all_clocks_have_counted_goes_by(void **state)
{
    char *conninfo = help_database();
    fl_ms mark =
        gone_at_once(conninfo, "update lease set postgres_at = postgres_at - 3600000,"
                               " hub_at = hub_at - 3600000, uptime_at = uptime_at - 3600000");
    struct help *b = instance(conninfo, "a", CLOCK_TTL_MS);

    (void)state;
    assert_int_equal(help_take(b, 0), FL_OK);
    assert_in_range(b->taken.at - mark, 3600000, 3600000 + PATIENCE_MS);
    help_destroy(b);
    fl_free(conninfo);
}

static void a_lease_that_ends_in_a_day_is_not_waited_for(void **state)
{
    char *conninfo = help_database();
    struct help *b = instance(conninfo, "b", CLOCK_TTL_MS);

    (void)state;
    gone_at_once(conninfo, "update lease set expires_at = expires_at + interval '1 day'");
    assert_int_equal(help_take(b, 0), FL_OK);
    help_destroy(b);
    fl_free(conninfo);
}

FL_TESTS(cmocka_unit_test(of_two_one_leads_for_as_long_as_it_renews),
         cmocka_unit_test(the_lease_of_one_that_is_gone_expires_by_the_databases_time),
         cmocka_unit_test(a_holder_that_cannot_renew_stops_at_two_thirds),
         cmocka_unit_test(one_that_slept_past_two_thirds_knows_it_before_it_issues),
         cmocka_unit_test(a_batch_that_waits_behind_a_takeover_is_checked_again),
         cmocka_unit_test(a_takeover_ends_a_writer_that_holds_its_locks),
         cmocka_unit_test(a_step_of_one_clock_does_not_move_the_cores_time),
         cmocka_unit_test(time_that_all_clocks_have_counted_goes_by),
         cmocka_unit_test(a_lease_that_ends_in_a_day_is_not_waited_for))
