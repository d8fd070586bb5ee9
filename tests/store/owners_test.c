/* The owner of an attempt, as a front knows it: from its own STARTs, and from a real Postgres. */
#include "controlplane/front/attempt_owner_cache.h"

#include "controlplane/front/front_reader.h"
#include "shared/base/alloc.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})

struct world {
    char *conninfo;
    struct help *help;
    struct fl_loop *loop;
    struct front_reader *reader;
    struct attempt_owner_cache *owners;
    uint64_t batch;
    size_t told;
    uint32_t clusters[400]; /* by ticket, + 1; 0: not told */
};

static void on_owner(void *ctx, uint64_t ticket, const struct log_owner *owner)
{
    struct world *world = ctx;

    assert_true(ticket < 400);
    assert_int_equal(world->clusters[ticket], 0);
    world->clusters[ticket] = owner->cluster.n + 1;
    world->told++;
}

static void start_front(struct world *world, const char *conninfo)
{
    world->reader = front_reader_create(world->loop, conninfo);
    world->owners = attempt_owner_cache_create(world->loop, world->reader, on_owner, world);
}

static void end_front(struct world *world)
{
    front_reader_destroy(world->reader);
    attempt_owner_cache_destroy(world->owners);
}

static void setup(struct world *world)
{
    *world = (struct world){.conninfo = help_database()};
    world->help = help_create(world->conninfo, "a");
    assert_int_equal(help_take(world->help, 0), FL_OK);
    world->batch = world->help->taken.batch_newest;
    world->loop = fl_loop_create();
    start_front(world, world->conninfo);
}

static void teardown(struct world *world)
{
    end_front(world);
    fl_loop_destroy(world->loop);
    help_destroy(world->help);
    fl_free(world->conninfo);
}

/* Attempt 1 of elements 0 to 99 of this job: even ones are cluster 4's, odd ones cluster 3's. */
static void fill(struct world *world, uint64_t job)
{
    struct core_batch *batch = help_batch(++world->batch);
    struct fl_digest digest = {{7}};

    help_row(batch, ROW(spec_new, .job = 0, .digest = digest, .body = FL_STR("{}")));
    help_row(batch,
             ROW(job_new, .job = job, .tenant = 1, .queue = 1, .elements = 100, .spec = digest));
    for (uint32_t element = 0; element < 100; element++) {
        help_row(batch, ROW(attempt_new, .job = job, .element = element, .n = 1, .incarnation = 1,
                            .cluster = element % 2 ? 3 : 4));
    }
    assert_int_equal(help_commit(world->help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
}

static struct fl_attempt attempt(uint64_t job, uint32_t element, uint16_t n, uint32_t incarnation)
{
    return (struct fl_attempt){{job}, element, n, incarnation};
}

/* Told at once: the cluster; -1: later. */
static int at_once(struct world *world, uint64_t ticket, struct fl_attempt attempt)
{
    struct log_owner owner;

    if (!attempt_owner_cache_find(world->owners, ticket, attempt, &owner)) return -1;
    return (int)owner.cluster.n;
}

static void wait_told(struct world *world, size_t told)
{
    fl_ms end = help_now() + HELP_WAIT_MS;

    while (world->told < told) {
        if (help_now() > end) fail_msg("%zu of %zu were told", world->told, told);
        fl_loop_turn(world->loop, 10);
    }
}

static void what_was_started_here_is_known_at_once(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    attempt_owner_cache_started(world.owners, attempt(1, 0, 1, 1), (struct fl_cluster){9});
    assert_int_equal(at_once(&world, 1, attempt(1, 0, 1, 1)), 9);
    assert_int_equal(at_once(&world, 2, attempt(1, 0, 0, 1)), 0);
    assert_int_equal(at_once(&world, 3, attempt(1, 0, 1, 2)), -1);
    teardown(&world);
}

static void what_is_not_remembered_is_read(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    fill(&world, 1);
    for (uint32_t element = 0; element < 100; element++) {
        assert_int_equal(at_once(&world, element, attempt(1, element, 1, 1)), -1);
        assert_int_equal(at_once(&world, 100 + element, attempt(1, element, 1, 1)), -1);
    }
    wait_told(&world, 200);
    for (uint32_t element = 0; element < 100; element++) {
        assert_int_equal(world.clusters[element], 1 + (element % 2 ? 3 : 4));
        assert_int_equal(world.clusters[100 + element], 1 + (element % 2 ? 3 : 4));
    }
    assert_int_equal(at_once(&world, 300, attempt(1, 1, 1, 1)), 3); /* from now on it is */
    teardown(&world);
}

static void what_is_no_attempt_is_nobodys(void **state)
{
    static const struct fl_attempt none[] = {
        {{1}, 0, 2, 1},          {{1}, 0, 1, 2},
        {{1}, 100, 1, 1},        {{2}, 0, 1, 1},
        {{99999}, 0, 1, 1},      {{0}, 0, 1, 1},
        {{UINT64_MAX}, 0, 1, 1}, {{1}, UINT32_MAX, UINT16_MAX, 1},
    };
    size_t len = sizeof none / sizeof *none;
    struct world world;

    (void)state;
    setup(&world);
    fill(&world, 1);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(at_once(&world, i, none[i]), -1);
    }
    wait_told(&world, len);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(world.clusters[i], 1);
    }
    teardown(&world);
}

/* A read that fails is no answer: the connection is cut while questions are out, again and
 * again. */
static void a_lost_connection_refuses_nobody(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    fill(&world, 1);
    for (uint32_t element = 0; element < 100; element++) {
        assert_int_equal(at_once(&world, element, attempt(1, element, 1, 1)), -1);
    }
    fl_loop_turn(world.loop, 0);
    help_run(world.conninfo, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> "
                             "pg_backend_pid() and datname = current_database()");
    wait_told(&world, 100);
    for (uint32_t element = 0; element < 100; element++) {
        assert_int_equal(world.clusters[element], 1 + (element % 2 ? 3 : 4));
    }
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(what_was_started_here_is_known_at_once),
         cmocka_unit_test(what_is_not_remembered_is_read),
         cmocka_unit_test(what_is_no_attempt_is_nobodys),
         cmocka_unit_test(a_lost_connection_refuses_nobody))
