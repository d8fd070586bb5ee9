/* The rows that the simulator's seeds made durable in the fake Postgres, written once more by the
 * real store into a real one, with connections cut, backends ended and stores replaced on the way:
 * a core loaded from it is the core that is loaded from the fake, the journal holds the same, and
 * the tables are its fold (I7).  Most seeds for their first half minute, some as a whole. */
#include <inttypes.h>
#include <stdlib.h>

#include "controlplane/core/core.h"
#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"
#include "tests/fuzz/core_fold.h"
#include "tests/sim/world.h"
#include "tests/store/diff_help.h"
#include "tests/store/store_help.h"

enum { PART_MS = 30000, INFLIGHT = 2, KILL_EVERY = 60 };

struct replay {
    char *conninfo;
    PGconn *admin;
    struct fl_prng prng;
    const struct fake_pg *recorded;
    struct help *help;
    uint64_t next;                         /* batch to send */
    uint64_t settled;                      /* the newest that was answered */
    uint64_t seeds, batches, rows, resent; /* all together */
    uint64_t kills[4], landed, lost, hash;
};

/* ---- the store under test -------------------------------------------------------------------- */

/* Becomes the leader; the takeover tells which batches in flight have landed. */
static void take(struct replay *replay)
{
    uint64_t from = replay->settled + 1;
    const struct engine_taken *taken = &replay->help->taken;

    assert_int_equal(help_take(replay->help, from), FL_OK);
    assert_in_range(taken->batch_newest, replay->settled, replay->next - 1);
    assert_int_equal(taken->keys_len, taken->batch_newest - replay->settled);
    replay->landed += taken->keys_len;
    replay->lost += replay->next - 1 - taken->batch_newest;
    replay->resent += replay->next - 1 - taken->batch_newest;
    replay->settled = taken->batch_newest;
    replay->next = taken->batch_newest + 1;
    fl_vec_clear(&replay->help->results);
}

/* Waits until no more than 'left' are in flight. */
static void settle(struct replay *replay, uint64_t left)
{
    struct help *help = replay->help;

    while (replay->next - 1 - replay->settled > left) {
        help_until(help, help->results.len > 0);
        for (size_t i = 0; i < help->results.len; i++) {
            const struct help_result *result = &help->results.at[i];

            if (result->batch != replay->settled + 1 || result->result != ENGINE_COMMITTED) {
                fail_msg("batch %" PRIu64 " is %d: %s", result->batch, (int)result->result,
                         result->text);
            }
            replay->settled++;
        }
        fl_vec_clear(&help->results);
    }
}

static void send(struct replay *replay)
{
    struct fake_pg_journal entry = fake_pg_journal_at(replay->recorded, replay->next);
    struct core_batch *batch = core_batch_create(entry.batch);

    batch->at = entry.at;
    diff_add_rows(batch, entry.body);
    replay->rows += batch->rows.len;
    replay->next++;
    replay->help->port.commit(replay->help->store, batch, replay->help->taken.epoch, help_now());
    core_batch_destroy(batch);
}

/* ---- kills ----------------------------------------------------------------------------------- */

static void kill_it(struct replay *replay)
{
    uint64_t way = fl_prng_below(&replay->prng, 4);

    replay->kills[way]++;
    switch (way) {
    case 0: /* the connection, with all that is on it */
        break;
    case 1: /* its server process */
        diff_run(replay->admin, "select pg_terminate_backend(writer_pid, 10000) from leader");
        break;
    case 2: /* the whole store: the next is another process of the same instance */
        help_destroy(replay->help);
        replay->help = diff_help(replay->conninfo, "replay", 0);
        break;
    default: /* another leads first */
    {
        struct help *other = diff_help(replay->conninfo, "replay", 0);

        assert_int_equal(help_take(other, 0), FL_OK);
        help_destroy(other);
    } break;
    }
    take(replay);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static struct core *new_core(void)
{
    struct core_config config = core_config_default();

    return core_create(&config);
}

static void load_row(void *ctx, const struct row *row)
{
    struct fl_err err = {0};

    if (!core_load(ctx, row, &err)) fail_msg("%s", err.text);
}

static uint64_t hash_and_destroy(struct core *core)
{
    uint64_t hash = core_hash(core);

    core_check(core);
    core_destroy(core);
    return hash;
}

static uint64_t hash_of_real(struct replay *replay)
{
    struct core *core = new_core();

    replay->help->on_row = load_row;
    replay->help->on_row_ctx = core;
    help_load(replay->help);
    return hash_and_destroy(core);
}

static uint64_t hash_of_recorded(const struct replay *replay)
{
    struct core *core = new_core();

    fake_pg_load(replay->recorded, load_row, core);
    return hash_and_destroy(core);
}

/* The hash of a core that is loaded from Postgres's journal alone, folded by core_fold.h. */
static uint64_t hash_of_journal(const struct fake_pg *journal)
{
    struct core *core = new_core();
    struct core_fold fold = {0};

    for (size_t i = 1; i < fake_pg_journal_len(journal); i++) {
        struct fake_pg_journal entry = fake_pg_journal_at(journal, i);
        struct core_batch *batch = core_batch_create(entry.batch);

        diff_add_rows(batch, entry.body);
        core_fold_add(&fold, batch);
        core_batch_destroy(batch);
    }
    core_fold_load(&fold, core);
    core_fold_fini(&fold);
    return hash_and_destroy(core);
}

static void must(bool is_good, const struct replay *replay, const struct fl_err *err)
{
    if (!is_good) fail_msg("seed %" PRIu64 ": %s", replay->seeds + 1, err->text);
}

static void compare(struct replay *replay)
{
    struct fake_pg *fold = diff_fold_journal(replay->admin);
    struct fl_err err = {0};
    uint64_t hash = hash_of_recorded(replay);

    must(diff_journal(replay->admin, replay->recorded, false, &err), replay, &err);
    must(diff_tables(replay->admin, fold, &err), replay, &err); /* I7 */
    must(diff_fold(replay->admin, &err), replay, &err);
    must(diff_tables(replay->admin, replay->recorded, &err), replay, &err);
    assert_int_equal(hash_of_real(replay), hash);
    assert_int_equal(hash_of_journal(fold), hash);
    replay->hash = fl_hash_u64(replay->hash, hash);
    fake_pg_destroy(fold);
}

static void replay_one(void *ctx, const struct fake_pg *recorded)
{
    struct replay *replay = ctx;
    uint64_t end = fake_pg_newest(recorded), kills = 0;

    replay->recorded = recorded;
    diff_reset(replay->admin);
    replay->help = diff_help(replay->conninfo, "replay", 0);
    replay->next = 1;
    replay->settled = 0;
    take(replay);
    while (replay->settled < end) {
        /* One kill in each seed at least, however short. */
        if (fl_prng_below(&replay->prng, KILL_EVERY) == 0 || (replay->next == end && !kills)) {
            kill_it(replay);
            kills++;
            continue;
        }
        if (replay->next > end) {
            settle(replay, 0);
            continue;
        }
        send(replay);
        settle(replay, INFLIGHT - 1);
    }
    /* The last start is a fresh one. */
    help_destroy(replay->help);
    replay->help = diff_help(replay->conninfo, "replay", 0);
    take(replay);
    compare(replay);
    help_destroy(replay->help);
    replay->help = NULL;
    replay->batches += end;
    replay->seeds++;
}

/* The comparison can fail: one row of one table is another. */
static void look_closely(void *ctx, const struct fake_pg *recorded)
{
    static const char *const sqls[] = {
        "update open_job set priority = priority + 1 where job = (select max(job) from open_job)",
        "update cluster set session_epoch = session_epoch + 1 where id = 1",
        "update attempt set cluster = 3 - cluster where (job, element, n) = (select a.job, "
        "a.element, a.n"
        " from open_job join attempt a using (job) left join attempt_end e using (job, element, n)"
        " left join element_end x on x.job = a.job and x.element = a.element where a.cluster in "
        "(1, 2)"
        " and e.job is null and x.job is null limit 1)",
        "insert into open_mark(job, kind, value, at) select max(job), 1, 1, 1 from open_job o"
        " where not exists (select 1 from open_mark m where m.job = o.job and m.kind = 1)",
        "insert into counter(id, value) values (1, 1000000)"
        " on conflict (id) do update set value = 1000000",
    };
    struct replay *replay = ctx;

    replay_one(replay, recorded);
    replay->help = diff_help(replay->conninfo, "replay", 0);
    for (size_t i = 0; i < sizeof sqls / sizeof sqls[0]; i++) {
        uint64_t before = hash_of_real(replay);

        diff_run(replay->admin, sqls[i]);
        if (hash_of_real(replay) == before) fail_msg("not noticed: %s", sqls[i]);
    }
    help_destroy(replay->help);
}

static void one_row_that_differs_is_noticed(void **state)
{
    struct replay replay = {0};

    (void)state;
    fl_prng_seed(&replay.prng, 3);
    replay.conninfo = diff_database();
    replay.admin = help_connect(replay.conninfo);
    world_peek(1, PART_MS, look_closely, &replay);
    PQfinish(replay.admin);
    fl_free(replay.conninfo);
}

static void a_core_loaded_after_replay_is_the_recorded_one(void **state)
{
    struct replay replay = {0};
    uint64_t seeds = diff_by_mode(10, 200, 1000), whole = diff_by_mode(1, 10, 50);

    (void)state;
    fl_prng_seed(&replay.prng, 7);
    replay.conninfo = diff_database();
    replay.admin = help_connect(replay.conninfo);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        world_peek(seed, PART_MS, replay_one, &replay);
    }
    for (uint64_t seed = seeds + 1; seed <= seeds + whole; seed++) {
        world_peek(seed, INT64_MAX, replay_one, &replay);
    }
    printf("# %" PRIu64 " seeds replayed, %" PRIu64 " as a whole: %" PRIu64 " batches, %" PRIu64
           " rows; killed %" PRIu64 " times by a lost connection, %" PRIu64
           " by an ended backend, %" PRIu64 " by another store, %" PRIu64
           " by another leader; of what was in flight %" PRIu64 " batches landed, %" PRIu64
           " were sent again\n",
           replay.seeds, whole, replay.batches, replay.rows, replay.kills[0], replay.kills[1],
           replay.kills[2], replay.kills[3], replay.landed, replay.lost);
    assert_int_equal(replay.seeds, seeds + whole);
    for (size_t i = 0; i < 4; i++) {
        assert_true(replay.kills[i] > 0);
    }
    PQfinish(replay.admin);
    fl_free(replay.conninfo);
}

FL_TESTS(cmocka_unit_test(one_row_that_differs_is_noticed),
         cmocka_unit_test(a_core_loaded_after_replay_is_the_recorded_one))
