/* The fake Postgres of the simulator answers as the real one does: the same operations, good, bad
 * and cut short, are given to both, through the real store and through fake_pg.h, and every answer
 * is compared; now and then also all that a load gives, and each table and the journal.
 * Good batches are those of a seed of the simulator, one seed a round; bad ones are made up beside
 * them.  An operation is one commit, takeover, renewal, release, cut, load or look-up. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/lease.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"
#include "tests/sim/world.h"
#include "tests/store/diff_help.h"
#include "tests/store/diff_help_bad.h"
#include "tests/store/store_help.h"

#define CUTS_MIN 20 /* for each outcome */

enum { ACTORS = 3, INFLIGHT = 2, SEED_FIRST = 1 };

/* A process that may lead.  The first two are one instance, started twice. */
struct actor {
    const char *instance;
    struct help *help;
    char *holder;
    /* a second hand on its lease, so that it is renewed when the test says so */
    struct lease *lease;
    fl_ms lease_now;
    uint32_t backend; /* the fake's number; 0: it has no writer connection */
    uint64_t epoch, next;
    bool is_failed; /* something was refused: a takeover is due */
    FL_VEC(struct help_result) expected;
    size_t judged; /* how many of the results were compared */
};

struct diff {
    struct fl_prng prng;
    char *conninfo;
    PGconn *admin;
    struct fake_pg *fake;
    const struct fake_pg *recorded; /* the source of good batches */
    size_t cursor;                  /* in its journal */
    size_t taking;                  /* how many recorded batches the present one holds */
    struct actor actors[ACTORS];
    struct actor *leader; /* the last to take over */
    fl_ms wall;           /* the fake's clock */
    uint64_t lookups;
    uint64_t ops, ops_max;
    uint64_t results[ENGINE_UNKNOWN + 1];
    uint64_t takes, denied, renewed, not_renewed, loads, found, not_found, cut_landed, cut_lost,
        compared;
    uint64_t *bad; /* refused, by kind */
    size_t bad_next;
    bool is_to_tamper;
    uint64_t dice; /* the more, the rarer is what is no commit: a takeover costs as much as many */
};

static uint64_t below(struct diff *diff, uint64_t n)
{
    return fl_prng_below(&diff->prng, n);
}

static void must(bool is_good, const struct diff *diff, const struct fl_err *err)
{
    if (!is_good) fail_msg("after %" PRIu64 " operations: %s", diff->ops, err->text);
}

/* ---- commits --------------------------------------------------------------------------------- */

/* Waits until no more than 'left' results are still to come, and compares those that came. */
static void settle(struct diff *diff, struct actor *actor, size_t left)
{
    struct help *help = actor->help;

    help_until(help, help->results.len + left >= actor->expected.len);
    for (; actor->judged < help->results.len; actor->judged++) {
        const struct help_result *real = &help->results.at[actor->judged];
        const struct help_result *fake = &actor->expected.at[actor->judged];

        fl_assert(actor->judged < actor->expected.len);
        if (real->batch != fake->batch || real->result != fake->result) {
            fail_msg("after %" PRIu64 " operations: batch %" PRIu64 " is %d (%s) in the real one,"
                     " batch %" PRIu64 " is %d (%s) in the fake",
                     diff->ops, real->batch, (int)real->result, real->text, fake->batch,
                     (int)fake->result, fake->text);
        }
    }
}

static void settle_all(struct diff *diff)
{
    for (size_t i = 0; i < ACTORS; i++) {
        settle(diff, &diff->actors[i], 0);
    }
}

static enum engine_commit fake_commit(struct diff *diff, struct actor *actor,
                                      const struct core_batch *batch, uint64_t epoch,
                                      const char **text)
{
    struct fl_buf body;
    enum engine_commit result;

    fl_buf_init(&body, SIZE_MAX / 2);
    for (size_t i = 0; i < batch->rows.len; i++) {
        assert_true(row_encode(&body, &batch->rows.at[i]));
    }
    result = fake_pg_begin(diff->fake, actor->backend, batch->number, batch->at, epoch,
                           (struct fl_str){(const char *)body.at, body.len}, text);
    if (result == ENGINE_COMMITTED) result = fake_pg_commit(diff->fake, actor->backend, text);
    fl_buf_fini(&body);
    return result;
}

/* To both; the real one's answer is compared when it comes.  The batch is destroyed. */
static enum engine_commit commit(struct diff *diff, struct actor *actor, struct core_batch *batch,
                                 uint64_t epoch)
{
    struct help_result expected = {.batch = batch->number};
    const char *text = "";

    settle(diff, actor, INFLIGHT - 1);
    diff->ops++;
    expected.result = fake_commit(diff, actor, batch, epoch, &text);
    snprintf(expected.text, sizeof expected.text, "%s", text);
    fl_vec_push(&actor->expected, expected);
    diff->results[expected.result]++;
    actor->next = batch->number + 1;
    if (expected.result != ENGINE_COMMITTED) actor->is_failed = true;
    actor->help->port.commit(actor->help->store, batch, epoch, help_now());
    core_batch_destroy(batch);
    return expected.result;
}

/* ---- good batches ---------------------------------------------------------------------------- */

static bool is_over(const struct diff *diff)
{
    return diff->cursor >= fake_pg_journal_len(diff->recorded) || diff->ops >= diff->ops_max;
}

/* The next of the recording, now and then two in one. */
static struct core_batch *good_batch(struct diff *diff, uint64_t number)
{
    struct core_batch *batch = core_batch_create(number);
    size_t left = fake_pg_journal_len(diff->recorded) - diff->cursor;

    diff->taking = left > 1 && below(diff, 20) == 0 ? 2 : left > 0;
    for (size_t i = 0; i < diff->taking; i++) {
        struct fake_pg_journal entry = fake_pg_journal_at(diff->recorded, diff->cursor + i);

        batch->at = entry.at;
        diff_add_rows(batch, entry.body);
    }
    return batch;
}

static void op_commit(struct diff *diff)
{
    struct actor *actor = diff->leader;

    if (commit(diff, actor, good_batch(diff, actor->next), actor->epoch) == ENGINE_COMMITTED) {
        diff->cursor += diff->taking;
    }
}

/* ---- bad ones -------------------------------------------------------------------------------- */

static void op_bad(struct diff *diff)
{
    struct actor *actor = diff->leader;
    struct core_batch *batch = help_batch(actor->next);
    size_t kind = diff->bad_next++ % diff_bads_len;

    /* Nothing of this must stay, either. */
    help_row(batch, (struct row){.kind = ROW_audit, .audit = {.tenant = 1, .actor = FL_STR("me")}});
    help_row(batch, (struct row){.kind = ROW_queue_put, .queue_put = {.queue = 7000, .tenant = 1}});
    if (!diff_add_bad(&diff_bads[kind], diff->fake, &diff->prng, batch)) {
        core_batch_destroy(batch);
        return;
    }
    if (commit(diff, actor, batch, actor->epoch) != ENGINE_POISONED) {
        fail_msg("%s is not refused", diff_bads[kind].name);
    }
    diff->bad[kind]++;
}

/* The chain: a number, an epoch or both that do not fit. */
static void op_bad_chain(struct diff *diff)
{
    struct actor *actor = diff->leader;
    uint64_t numbers[] = {actor->next,     actor->next + 1, actor->next + 1 + below(diff, 1000),
                          actor->next - 1, below(diff, 3),  DIFF_ROOM + below(diff, 3)};
    uint64_t number = numbers[below(diff, sizeof numbers / sizeof numbers[0])];
    uint64_t epoch = actor->epoch + below(diff, 3) - 1;
    enum engine_commit result;

    if (number == actor->next && epoch == actor->epoch) epoch++;
    result = commit(diff, actor, good_batch(diff, number), epoch);
    assert_int_not_equal(result, ENGINE_COMMITTED);
}

static void op_random(struct diff *diff)
{
    struct actor *actor = diff->leader;
    struct core_batch *batch = help_batch(actor->next);

    for (uint64_t left = below(diff, 5); left > 0; left--) { /* none, too */
        diff_add_random_row(&diff->prng, batch);
    }
    commit(diff, actor, batch, actor->epoch);
}

/* ---- takeovers ------------------------------------------------------------------------------- */

/* The writer connection is no more, and no result of what was sent on it will come. */
static void forget_writer(struct diff *diff, struct actor *actor)
{
    fake_pg_end(diff->fake, actor->backend);
    actor->backend = 0;
    actor->is_failed = false;
    fl_vec_clear(&actor->expected);
    fl_vec_clear(&actor->help->results);
    actor->judged = 0;
}

static void learn_holder(struct diff *diff, struct actor *actor)
{
    PGresult *result = PQexec(diff->admin, "select holder from lease");
    size_t len;

    assert_int_equal(PQntuples(result), 1);
    len = strlen(PQgetvalue(result, 0, 0)) + 1;
    actor->holder = fl_new_array(char, len);
    memcpy(actor->holder, PQgetvalue(result, 0, 0), len);
    PQclear(result);
    actor->lease = lease_create(diff->conninfo, actor->holder, DIFF_TTL_MS, help_waker());
}

/* The fake's part of a takeover that the real one has answered with 'real'. */
static void take_in_fake(struct diff *diff, struct actor *actor, uint64_t from, enum fl_code real)
{
    struct engine_taken taken;
    struct time_mark mark;
    uint32_t backend;
    enum fl_code code;

    forget_writer(diff, actor);
    backend = fake_pg_connect(diff->fake);
    code = fake_pg_take(diff->fake, backend, actor->instance, diff->wall, from, 0, &taken, &mark);
    if (code != real) {
        fail_msg("after %" PRIu64 " operations: a takeover by %s is %s in the real one, %s in the"
                 " fake",
                 diff->ops, actor->instance, fl_code_name(real), fl_code_name(code));
    }
    diff->ops++;
    diff->takes++;
    if (code != FL_OK) {
        diff->denied++;
        fake_pg_end(diff->fake, backend);
        return;
    }
    diff_taken(&actor->help->taken, &taken);
    actor->backend = backend;
    actor->epoch = taken.epoch;
    actor->next = taken.batch_newest + 1;
    diff->leader = actor;
    if (!actor->lease) learn_holder(diff, actor);
}

static enum fl_code take(struct diff *diff, struct actor *actor)
{
    uint64_t from = below(diff, 2) ? fake_pg_newest(diff->fake) + 3 - below(diff, 12) : 0;
    enum fl_code code;

    if (from > fake_pg_newest(diff->fake) + 3) from = 1; /* it went below nothing */
    settle_all(diff);
    code = help_take(actor->help, from);
    take_in_fake(diff, actor, from, code);
    return code;
}

static void expire(struct diff *diff)
{
    diff_run(diff->admin, "update lease set expires_at = clock_timestamp() - interval '1 s'");
    diff->wall += FAKE_PG_TTL_MS + 1;
}

static void release(struct diff *diff, struct actor *actor)
{
    char sql[300];

    settle_all(diff);
    diff->ops++;
    store_release(actor->help->store, help_now());
    help_until(actor->help, store_is_released(actor->help->store));
    if (actor->holder) { /* a store waits for 2 s, not for ever */
        snprintf(sql, sizeof sql,
                 "update lease set holder = '', instance = '', expires_at = clock_timestamp()"
                 " where holder = '%s'",
                 actor->holder);
        diff_run(diff->admin, sql);
    }
    fake_pg_release(diff->fake, actor->instance, actor->epoch, diff->wall, (struct time_mark){0});
    forget_writer(diff, actor);
}

static struct actor *any_actor(struct diff *diff)
{
    return &diff->actors[below(diff, ACTORS)];
}

/* Until somebody leads whose connection is whole. */
static void need_leader(struct diff *diff)
{
    while (!diff->leader || diff->leader->backend == 0 || diff->leader->is_failed) {
        if (take(diff, any_actor(diff)) == FL_OK) return;
        if (below(diff, 2)) {
            expire(diff);
        } else {
            release(diff, any_actor(diff));
        }
    }
}

/* The old leader's backend is not found, so that its connection lives on with a stale epoch. */
static void take_deaf(struct diff *diff)
{
    settle_all(diff);
    expire(diff);
    diff_run(diff->admin, "update leader set writer_pid = null");
    fake_pg_faults(diff->fake)->is_deaf = true;
    assert_int_equal(take(diff, any_actor(diff)), FL_OK);
    fake_pg_faults(diff->fake)->is_deaf = false;
}

static void op_take(struct diff *diff)
{
    switch (below(diff, 6)) {
    case 0:
        take(diff, any_actor(diff));
        break;
    case 1:
        expire(diff);
        assert_int_equal(take(diff, any_actor(diff)), FL_OK);
        break;
    case 2:
    case 3:
        release(diff, any_actor(diff));
        take(diff, any_actor(diff));
        break;
    default:
        take_deaf(diff);
        break;
    }
}

/* One that led, or whose connection was refused something, goes on as if nothing had happened. */
static void op_stale(struct diff *diff)
{
    struct actor *actor = any_actor(diff);

    if (actor->backend == 0) return;
    settle_all(diff); /* the moment when one connection sees another's work is a matter of time */
    commit(diff, actor, good_batch(diff, below(diff, 2) ? actor->next : diff->leader->next),
           actor->epoch);
    if (actor->expected.at[actor->expected.len - 1].result == ENGINE_COMMITTED) {
        diff->cursor += diff->taking;
    }
}

/* ---- the lease ------------------------------------------------------------------------------- */

static bool renew(struct actor *actor)
{
    fl_ms give_up_at = help_now() + HELP_WAIT_MS;

    if (lease_state(actor->lease) != LEASE_HELD) {
        lease_hold(actor->lease, actor->lease_now, 0);
    }
    actor->lease_now += DIFF_TTL_MS / 3; /* it is due */
    for (;;) {
        if (lease_turn(actor->lease, actor->lease_now)) return false;
        if (lease_is_good(actor->lease, actor->lease_now + DIFF_TTL_MS / 3 + 1)) return true;
        if (help_now() > give_up_at) fail_msg("waited in vain for a renewal");
        help_wait(20);
    }
}

static void op_renew(struct diff *diff)
{
    struct actor *actor = any_actor(diff);
    bool real, fake;

    if (!actor->lease) return;
    settle_all(diff);
    diff->ops++;
    real = renew(actor);
    fake =
        fake_pg_renew(diff->fake, actor->instance, actor->epoch, diff->wall, (struct time_mark){0});
    assert_int_equal(real, fake);
    if (real) {
        diff->renewed++;
    } else {
        diff->not_renewed++;
    }
}

/* ---- a commit that is cut short -------------------------------------------------------------- */

static void end_backend(struct diff *diff)
{
    diff_run(diff->admin, "select pg_terminate_backend(writer_pid, 10000) from leader");
}

static void wait_until_durable(struct diff *diff, uint64_t batch)
{
    fl_ms give_up_at = help_now() + HELP_WAIT_MS;

    while (diff_number(diff->admin, "select max(batch) from journal") < batch) {
        if (help_now() > give_up_at) fail_msg("waited in vain for batch %" PRIu64, batch);
    }
}

/* The real outcome of a cut: known only after the next takeover. */
struct cut {
    struct core_batch *batches[INFLIGHT];
    size_t takes[INFLIGHT]; /* how many recorded batches each holds */
    size_t len;
};

/* Sends, then loses the connection in one of the ways in which that can be. */
static void cut_short(struct diff *diff, struct actor *actor, const struct cut *cut)
{
    uint64_t cuts = diff->cut_landed + diff->cut_lost;
    /* First those whose outcome is sure, by turns. */
    uint64_t way = cuts < 2 * CUTS_MIN ? (cuts % 2 ? 1 : 4) : below(diff, 5);
    uint64_t last = actor->next + cut->len - 1;
    struct help *help = actor->help;
    bool is_locked = way == 1 || way == 2;

    if (is_locked) diff_run(diff->admin, "begin; select from leader for update");
    for (size_t i = 0; i < cut->len; i++) {
        help->port.commit(help->store, cut->batches[i], actor->epoch, help_now());
    }
    switch (way) {
    case 0: /* the client goes at once */
        help->port.drop(help->store);
        break;
    case 1: /* the backend, while the batch waits for a lock */
        end_backend(diff);
        break;
    case 2: /* the client, while the batch waits for a lock; it may land later */
        help->port.drop(help->store);
        break;
    case 3: /* the backend, at once */
        end_backend(diff);
        break;
    default: /* the answer alone is lost */
        wait_until_durable(diff, last);
        help->port.drop(help->store);
        break;
    }
    if (is_locked) diff_run(diff->admin, "rollback");
    if (way == 1 || way == 3) help_until(help, help->results.len - actor->judged == cut->len);
}

/* The store's answers before the cut must be true, and after the first unknown one all are. */
static size_t landed(struct diff *diff, struct actor *actor, const struct cut *cut,
                     const struct engine_taken *taken)
{
    const struct help *help = actor->help;
    size_t said = help->results.len - actor->judged, n = 0;

    while (n < taken->keys_len && taken->keys[n].epoch == actor->epoch) {
        assert_int_equal(taken->keys[n].batch, actor->next + n);
        n++;
    }
    assert_true(n == taken->keys_len && n <= cut->len);
    assert_int_equal(taken->batch_newest, actor->next + n - 1);
    for (size_t i = 0; i < said; i++) {
        const struct help_result *result = &help->results.at[actor->judged + i];

        assert_int_equal(result->batch, actor->next + i);
        if (result->result == ENGINE_COMMITTED) {
            assert_true(i < n);
        } else {
            assert_int_equal(result->result, ENGINE_UNKNOWN);
        }
    }
    if (n > 0) {
        diff->cut_landed++;
    } else {
        diff->cut_lost++;
    }
    return n;
}

static void op_cut(struct diff *diff)
{
    struct actor *actor = diff->leader, *taker = any_actor(diff);
    struct cut cut = {.len = 1 + below(diff, INFLIGHT)};
    uint64_t from = actor->next;
    size_t n;

    settle_all(diff);
    if (actor->is_failed || diff->cursor + 2 * INFLIGHT >= fake_pg_journal_len(diff->recorded)) {
        return;
    }
    for (size_t i = 0, at = diff->cursor; i < cut.len; i++) {
        cut.batches[i] = good_batch(diff, from + i);
        cut.takes[i] = diff->taking;
        diff->cursor += diff->taking; /* put back below */
        if (i + 1 == cut.len) diff->cursor = at;
    }
    cut_short(diff, actor, &cut);
    if (strcmp(taker->instance, actor->instance) != 0) expire(diff);
    assert_int_equal(help_take(taker->help, from), FL_OK);
    n = landed(diff, actor, &cut, &taker->help->taken);
    for (size_t i = 0; i < cut.len; i++) {
        const char *text = "";

        diff->ops++;
        if (i < n) {
            assert_int_equal(fake_commit(diff, actor, cut.batches[i], actor->epoch, &text),
                             ENGINE_COMMITTED);
            diff->cursor += cut.takes[i];
        }
        core_batch_destroy(cut.batches[i]);
    }
    forget_writer(diff, actor);
    take_in_fake(diff, taker, from, FL_OK);
}

/* ---- a disk that is full --------------------------------------------------------------------- */

/* The function is replaced, the triggers stay: making them takes locks that maintenance may be
 * waiting for. */
#define DISK_IS(body)                                                                              \
    "create or replace function full_disk() returns trigger language plpgsql as $$ begin " body    \
    " end $$"
#define DISK_FULL DISK_IS("raise sqlstate '53100' using message = 'no space left';")
#define DISK_FREE DISK_IS("return new;")

static void op_full(struct diff *diff)
{
    settle_all(diff);
    diff_run(diff->admin, DISK_FULL);
    fake_pg_faults(diff->fake)->is_full = true;
    op_commit(diff);
    op_commit(diff);
    take(diff, any_actor(diff));
    settle_all(diff);
    diff_run(diff->admin, DISK_FREE);
    fake_pg_faults(diff->fake)->is_full = false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void op_load(struct diff *diff)
{
    struct actor *actor = any_actor(diff);
    struct help *help = actor->help;
    struct fl_err err = {0};
    struct fl_buf rows;

    expire(diff);
    assert_int_equal(take(diff, actor), FL_OK);
    diff->ops++;
    diff->loads++;
    fl_buf_init(&rows, SIZE_MAX / 2);
    diff_fake_load(diff->fake, &rows);
    help_load(help);
    must(diff_rows((struct fl_str){(const char *)help->rows.at, help->rows.len},
                   (struct fl_str){(const char *)rows.at, rows.len}, &err) ||
             fl_err_wrap(&err, "load"),
         diff, &err);
    fl_buf_fini(&rows);
}

static void op_lookup(struct diff *diff)
{
    struct help *help = any_actor(diff)->help;
    struct row row = {.idempotency = {.tenant = 1, .key = FL_STR("never used")}};
    struct fl_digest sha;
    struct fl_str answer;
    bool is_there;
    char text[256];

    settle_all(diff);
    diff->ops++;
    if (below(diff, 4)) (void)diff_any(diff->fake, &diff->prng, ROW_TABLE_idempotency, &row);
    if (below(diff, 8) == 0) row.idempotency.tenant++;
    help->port.lookup(help->store, ++diff->lookups, (struct fl_tenant){row.idempotency.tenant},
                      row.idempotency.key, help_now());
    help_until(help, help->found == diff->lookups);
    assert_true(help->is_found_good);
    is_there = fake_pg_lookup(diff->fake, (struct fl_tenant){row.idempotency.tenant},
                              row.idempotency.key, &sha, &answer);
    if (!is_there) {
        diff->not_found++;
        sha = (struct fl_digest){{0}};
        answer = (struct fl_str){0};
    } else {
        diff->found++;
    }
    snprintf(text, sizeof text, FL_STR_FMT, FL_STR_ARG(answer));
    assert_int_equal(help->found_bytes, answer.len);
    assert_string_equal(help->found_text, text);
    assert_memory_equal(&help->found_sha, &sha, sizeof sha);
}

static void compare_all(struct diff *diff)
{
    struct fl_err err = {0};

    settle_all(diff);
    must(diff_tables(diff->admin, diff->fake, &err), diff, &err);
    must(diff_journal(diff->admin, diff->fake, true, &err), diff, &err);
    must(diff_fold(diff->admin, &err), diff, &err);
    diff->compared++;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void one_operation(struct diff *diff)
{
    uint64_t dice = below(diff, diff->dice);

    need_leader(diff);
    if (is_over(diff)) return;
    if (dice < 60) {
        op_bad(diff);
    } else if (dice < 100) {
        op_bad_chain(diff);
    } else if (dice < 200) {
        op_random(diff);
    } else if (dice < 350) {
        op_cut(diff);
    } else if (dice < 450) {
        op_take(diff);
    } else if (dice < 550) {
        op_stale(diff);
    } else if (dice < 650) {
        op_renew(diff);
    } else if (dice < 655) {
        op_full(diff);
    } else if (dice < 700) {
        op_load(diff);
    } else if (dice < 850) {
        op_lookup(diff);
    } else if (dice < 855) {
        compare_all(diff);
    } else {
        op_commit(diff);
    }
}

static void round_begin(struct diff *diff)
{
    static const char *const instances[ACTORS] = {"one", "one", "two"};

    diff_reset(diff->admin);
    diff->fake = fake_pg_create(DIFF_ROOM, DIFF_ROOM);
    diff->cursor = 1; /* 0 is genesis */
    for (size_t i = 0; i < ACTORS; i++) {
        diff->actors[i] = (struct actor){.instance = instances[i],
                                         .help = diff_help(diff->conninfo, instances[i], 4)};
    }
}

static void round_end(struct diff *diff)
{
    for (size_t i = 0; i < ACTORS; i++) {
        struct actor *actor = &diff->actors[i];

        help_destroy(actor->help);
        lease_destroy(actor->lease);
        fl_free(actor->holder);
        fl_vec_fini(&actor->expected);
    }
    diff->leader = NULL;
    fake_pg_destroy(diff->fake);
}

/* The rest of the database for as long as the test runs. */
static void set_up(struct diff *diff)
{
    struct help *help;

    diff->conninfo = diff_database();
    diff->admin = help_connect(diff->conninfo);
    diff->bad = fl_new_array(uint64_t, diff_bads_len);
    diff_run(diff->admin,
             "alter table job add constraint poison check (name <> '" FAKE_PG_POISON "');" DISK_FREE
             ";"
             "create trigger full_disk before insert on journal for each row"
             " execute function full_disk();"
             "create trigger full_disk before update on lease for each row"
             " execute function full_disk();"
             "set synchronous_commit = off"); /* for this connection only, not for the store's */
    help = diff_help(diff->conninfo, "first", 4);
    assert_int_equal(help_take(help, 0), FL_OK);
    help_until(help, help->job_below == DIFF_ROOM && help->batch_below == DIFF_ROOM);
    help_destroy(help);
    /* That is all: further batches must not make room for themselves. */
    diff_run(diff->admin, "create function no_more() returns event_trigger language plpgsql as $$"
                          " begin raise 'there are partitions enough'; end $$;"
                          "create event trigger no_more on ddl_command_start"
                          " when tag in ('CREATE TABLE') execute function no_more()");
}

static void run_round(void *ctx, const struct fake_pg *recorded)
{
    struct diff *diff = ctx;

    diff->recorded = recorded;
    round_begin(diff);
    while (!is_over(diff)) {
        one_operation(diff);
    }
    compare_all(diff);
    op_load(diff);
    if (diff->is_to_tamper) {
        const char *sql = diff_blind_spot(diff->admin, diff->fake);

        if (sql) fail_msg("not noticed: %s", sql);
    }
    round_end(diff);
}

static void tear_down(struct diff *diff)
{
    PQfinish(diff->admin);
    fl_free(diff->bad);
    fl_free(diff->conninfo);
}

static void one_row_that_differs_is_noticed(void **state)
{
    struct diff diff = {.ops_max = 1000, .is_to_tamper = true, .dice = 10000};

    (void)state;
    fl_prng_seed(&diff.prng, 2);
    set_up(&diff);
    world_peek(1, INT64_MAX, run_round, &diff);
    tear_down(&diff);
}

static void tell(const struct diff *diff)
{
    printf("# %" PRIu64 " operations, both alike: %" PRIu64 " batches committed, %" PRIu64
           " poisoned, %" PRIu64 " deposed, %" PRIu64 " reload, %" PRIu64 " no space, %" PRIu64
           " unknown; %" PRIu64 " takeovers, %" PRIu64 " of them denied; %" PRIu64
           " renewals, %" PRIu64 " denied; %" PRIu64 " loads; %" PRIu64 " keys found, %" PRIu64
           " not; all compared %" PRIu64 " times\n",
           diff->ops, diff->results[ENGINE_COMMITTED], diff->results[ENGINE_POISONED],
           diff->results[ENGINE_DEPOSED], diff->results[ENGINE_RELOAD],
           diff->results[ENGINE_NO_SPACE], diff->results[ENGINE_UNKNOWN], diff->takes, diff->denied,
           diff->renewed + diff->not_renewed, diff->not_renewed, diff->loads, diff->found,
           diff->not_found, diff->compared);
    printf("# cut commits: %" PRIu64 " landed, %" PRIu64 " did not\n", diff->cut_landed,
           diff->cut_lost);
}

static void the_fake_postgres_answers_as_the_real_one(void **state)
{
    struct diff diff = {.ops_max = diff_by_mode(5000, 40000, 1000000),
                        .dice = diff_by_mode(10000, 20000, 20000)};

    (void)state;
    fl_prng_seed(&diff.prng, 20);
    set_up(&diff);
    for (uint64_t seed = SEED_FIRST; diff.ops < diff.ops_max; seed++) {
        world_peek(seed, INT64_MAX, run_round, &diff);
    }
    tell(&diff);
    assert_true(diff.cut_landed >= CUTS_MIN && diff.cut_lost >= CUTS_MIN);
    for (size_t i = 0; i < diff_bads_len; i++) {
        if (diff.bad[i] == 0) fail_msg("%s never came up", diff_bads[i].name);
    }
    for (size_t i = 0; i <= ENGINE_UNKNOWN; i++) {
        if (i == ENGINE_AWAY) continue; /* no other session of the fake holds a lock */
        assert_true(diff.results[i] > 0);
    }
    assert_true(diff.denied > 0 && diff.renewed > 0 && diff.not_renewed > 0);
    assert_true(diff.found > 0 && diff.not_found > 0);
    tear_down(&diff);
}

FL_TESTS(cmocka_unit_test(one_row_that_differs_is_noticed),
         cmocka_unit_test(the_fake_postgres_answers_as_the_real_one))
