/* The reader and its connection, on a real Postgres; the tables of identity, page by page. */
#include "controlplane/store/pg_conn.h"
#include "controlplane/store/read_identity.h"
#include "controlplane/store/read_jobs.h"
#include "controlplane/store/reader.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/read_help.h"

/* ---- identity -------------------------------------------------------------------------------- */

static void on_row(void *ctx, const struct row *row)
{
    struct read_world *world = ctx;
    char text[512];

    assert_true(read_identity_is(row));
    row_print(row, text, sizeof text);
    read_tell(world, "%s\n", text);
}

static void on_done(void *ctx, const struct fl_err *err, uint64_t batch)
{
    struct read_world *world = ctx;

    world->answers++;
    read_tell(world, "%s %" PRIu64 "\n", err ? fl_code_name(err->code) : "done", batch);
}

static size_t lines_with(const char *text, const char *word)
{
    size_t n = 0;

    for (; (text = strstr(text, word)); text++) {
        n++;
    }
    return n;
}

static void who_may_come_in_is_read_page_by_page(void **state)
{
    struct fl_err err = {0};
    struct core_batch *batch;
    struct read_world world;

    (void)state;
    read_setup(&world);
    assert_string_equal(
        read_heard(&world, read_identity(world.reader, on_row, on_done, &world, &err)), "done 0\n");
    batch = read_batch(&world);
    help_row(batch, ROW(queue_put, .queue = 1, .tenant = 1, .is_paused = 1, .name = FL_STR("ml")));
    help_row(batch, ROW(cluster_put, .cluster = 1, .state = 1, .access = 2, .session_epoch = 4,
                        .generation = 3, .seen = 2, .key = {{1}}, .name = FL_STR("east"),
                        .uid = FL_STR("u"), .uuid = FL_STR("uuid")));
    help_row(batch,
             ROW(join_put, .token = {{9}}, .tenant = 1, .expires_at = 77, .name = FL_STR("west")));
    help_row(batch, ROW(token_put, .tenant = 1, .scopes = 3, .made_at = 5, .mac = {{2}},
                        .id = FL_STR("t1"), .name = FL_STR("ci"), .queue = FL_STR("ml"),
                        .old_mac = {{3}}, .old_until = 8, .rotated_at = 7));
    read_commit(&world, batch);
    assert_string_equal(
        read_heard(&world, read_identity(world.reader, on_row, on_done, &world, &err)),
        "queue_put queue=1 tenant=1 is_paused=1 name=ml is_removed=0 has_default_cpu=0"
        " default_cpu_milli=0\n"
        "cluster_put cluster=1 state=1 access=2 is_draining=0 session_epoch=4 generation=3 seen=2"
        " key=01000000 name=east uid=u uuid=uuid\n"
        "join_put token=09000000 tenant=1 expires_at=77 cluster=0 key=00000000 name=west\n"
        "token_put tenant=1 scopes=3 made_at=5 expires_at=0 mac=02000000 id=t1 name=ci queue=ml"
        " old_mac=03000000 old_until=8 rotated_at=7\n"
        "done 1\n");
    help_run(world.conninfo,
             "insert into queue select i, 1, false, 'q' || i from generate_series(2, 60) i;"
             "insert into join_token select sha256(i::text::bytea), 1, i, 0, sha256('k'), 'c'"
             " from generate_series(1, 40) i");
    (void)read_heard(&world, read_identity(world.reader, on_row, on_done, &world, &err));
    assert_int_equal(lines_with(world.told, "queue_put"), 60);
    assert_int_equal(lines_with(world.told, "join_put"), 41);
    read_teardown(&world);
}

/* ---- the connection -------------------------------------------------------------------------- */

static void end_readers(const struct read_world *world)
{
    help_run(world->conninfo, "select pg_terminate_backend(pid) from pg_stat_activity"
                              " where application_name = 'fairlead front'"
                              " and datname = current_database()");
}

static void a_lost_connection_is_made_again_and_what_was_asked_is_asked_again(void **state)
{
    struct fl_err err = {0};
    struct read_world world;
    uint64_t last = 0;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    (void)read_page(&world, (struct read_jobs_query){0});
    for (int i = 0; i < 40; i++) {
        last = read_events_newest(world.reader, read_tell_events, &world, &err);
        assert_true(last > 0);
    }
    reader_turn(world.reader, help_now());
    end_readers(&world);
    while (world.answers < 41) {
        (void)read_heard(&world, last);
        assert_int_equal(world.next, 3);
    }
    end_readers(&world);
    (void)read_page(&world, (struct read_jobs_query){0});
    assert_true(reader_stats(world.reader).lost > 0 && world.troubles > 0);
    assert_int_equal(reader_stats(world.reader).waiting, 0);
    read_teardown(&world);
}

static void what_is_forgotten_is_not_answered_and_what_is_too_much_is_refused(void **state)
{
    const struct fl_job job = {2};
    struct fl_err err = {0};
    struct read_world world;
    uint64_t forgotten;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    forgotten = read_events_of_job(world.reader, job, 0, 0, read_tell_events, &world, &err);
    reader_forget(world.reader, forgotten);
    (void)read_page(&world, (struct read_jobs_query){0});
    assert_int_equal(world.answers, 1);
    for (int i = 0; i < READER_ASKS_MAX; i++) {
        assert_true(read_events_newest(world.reader, read_tell_events, &world, &err) > 0);
    }
    assert_int_equal(read_events_newest(world.reader, read_tell_events, &world, &err), 0);
    assert_int_equal(err.code, FL_FULL);
    while (world.answers < 1 + READER_ASKS_MAX) {
        (void)read_heard(&world, 1);
    }
    read_teardown(&world);
}

static void without_a_database_the_answer_is_that_there_is_none(void **state)
{
    struct read_world world = {0};
    struct fl_err err = {0};
    fl_ms now = 1000;

    (void)state;
    world.reader =
        reader_create("host=/nowhere/at/all user=nobody", help_waker(), read_on_trouble, &world);
    assert_true(read_events_newest(world.reader, read_tell_events, &world, &err) > 0);
    for (; world.answers == 0 && now < 1000 + 2 * READER_WAIT_MS; now += 50) {
        assert_true(reader_deadline(world.reader, now) <= 1000 + READER_WAIT_MS);
        reader_turn(world.reader, now);
    }
    assert_int_equal(now, 1000 + READER_WAIT_MS + 50);
    assert_string_equal(world.told, "unavailable: the database does not answer\n");
    assert_true(world.troubles > 3 && world.troubles < 12); /* it backs off */
    reader_destroy(world.reader);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* A question whose statement is wrong would fail again: no client shall be asked to try again. */
static void a_statement_that_the_database_does_not_understand_is_our_error(void **state)
{
    struct fl_err err = {0};
    struct read_world world;
    uint64_t ask;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    (void)read_page(&world, (struct read_jobs_query){0}); /* its statements are prepared */
    help_run(world.conninfo, "alter table queue rename column name to title");
    ask = read_identity(world.reader, on_row, on_done, &world, &err);
    assert_string_equal(read_heard(&world, ask), "bug 3\n");
    (void)read_page(&world, (struct read_jobs_query){0}); /* other questions have their answers */
    assert_int_equal(reader_stats(world.reader).lost, 0);
    read_teardown(&world);
}

static void a_failure_is_ours_or_passes_by_itself(void **state)
{
    static const struct {
        const char sqlstate[6];
        enum fl_code code;
    } cases[] = {
        {"42703", FL_BUG},         {"22P02", FL_BUG},         {"23505", FL_BUG},
        {"21000", FL_BUG},         {"54001", FL_BUG},         {"53100", FL_NO_SPACE},
        {"42501", FL_UNAVAILABLE}, {"57014", FL_UNAVAILABLE}, {"40P01", FL_UNAVAILABLE},
        {"53300", FL_UNAVAILABLE}, {"XX000", FL_UNAVAILABLE}, {"", FL_UNAVAILABLE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pg_failure failure = {0};

        memcpy(failure.sqlstate, cases[i].sqlstate, sizeof failure.sqlstate);
        assert_int_equal(pg_failure_code(&failure), cases[i].code);
    }
}

FL_TESTS(cmocka_unit_test(a_statement_that_the_database_does_not_understand_is_our_error),
         cmocka_unit_test(a_failure_is_ours_or_passes_by_itself),
         cmocka_unit_test(who_may_come_in_is_read_page_by_page),
         cmocka_unit_test(a_lost_connection_is_made_again_and_what_was_asked_is_asked_again),
         cmocka_unit_test(what_is_forgotten_is_not_answered_and_what_is_too_much_is_refused),
         cmocka_unit_test(without_a_database_the_answer_is_that_there_is_none))
