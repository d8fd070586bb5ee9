#include "tests/sim/db.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/engine/lease_rule.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

enum { LOCK_RETRY_MS = 100, LOCK_RETRIES_MAX = 50, BEHIND_MS = 5 };
enum { EPOCH_2026_MS_HIGH = 1767225600 };

/* The fate of one commit on its way. */
enum fate { FATE_GOOD, FATE_CUT_BEFORE, FATE_CUT_AFTER, FATE_CUT_LATE };

struct commit {
    struct db *db;
    struct db_client *client; /* outlives its process: see is_alive */
    uint32_t generation, backend;
    uint64_t batch, epoch;
    fl_ms at, opened_at, sent_at;
    enum fate fate;
    enum engine_commit result;
    const char *text;
    struct fl_buf body;
    uint64_t tables;           /* a bit for each that it writes */
    FL_VEC(uint64_t) requests; /* that it answers */
    fl_ms waits_from;          /* it waits for somebody's lock since then; 0: it does not */
    bool is_executed;
    bool is_stale; /* its hub stood still after it had been formed */
};

/* A request whose batch was refused for what may pass by itself. */
struct away_request {
    uint64_t request;
    uint32_t refusals;
};

struct lookup {
    uint64_t number, id;
    struct fl_tenant tenant;
    char key[128];
    size_t key_len;
};

/* An answer has arrived; it is read in the client's next turn. */
struct arrival {
    sim_fn *fn;
    void *ctx;
    uint64_t a, b;
};

struct db_client {
    struct db *db;
    struct engine_results results;
    void (*wake)(void *ctx);
    struct time_reading (*clocks)(void *ctx);
    fl_ms (*before_commit)(void *ctx);
    void *wake_ctx;
    const char *instance;
    uint32_t away_ms;
    uint32_t generation; /* grows with each drop; answers to older questions are dropped */
    uint32_t backend;
    fl_ms server_at, answer_at; /* a later event happens later */
    fl_ms answered_at;
    fl_ms sent_at;           /* the newest batch: since then the next one was filled */
    bool is_cut;             /* the writer's connection is lost, its owner will hear of it */
    FL_VEC(uint64_t) flying; /* batches whose answer is due, oldest first */
    struct engine_taken taken;
    struct time_mark mark; /* with 'taken', as the lease's row kept it */
    fl_ms taken_wall;
    fl_ms core_ahead_ms;    /* the core's time is so far ahead of its own clock */
    struct time_mark asked; /* the renewal on its way */
    fl_ms asked_at;         /* in true time */
    uint64_t take_from, take_above;
    uint64_t lost_batch, lost_epoch; /* the first one of unknown fate */
    bool is_alive;                   /* its process is */
    FL_VEC(struct arrival) arrivals; /* oldest first */
    bool is_turning;
    fl_ms now;          /* its turn's time, by its own clock */
    fl_ms paused_until; /* in true time */

    struct lease_rule lease;
    fl_ms take_sent_at;   /* by its own clock */
    uint64_t lease_epoch; /* the term that holds it */
    uint64_t question;    /* the newest on the lease's connection; answers to older ones are lost */

    FL_VEC(struct away_request) away; /* oldest first */
    bool fell_away;   /* the newest commit was refused so, and nothing went wrong since */
    bool tries_again; /* the engine hears of the takeover that followed */
};

struct db {
    struct sim *sim;
    struct db_config config;
    struct fake_pg *pg;
    struct checks *checks;
    FL_VEC(struct db_client *) clients; /* also those whose process is gone: plans may name them */
    FL_VEC(struct commit *) commits;    /* not freed yet */
    FL_VEC(struct lookup) lookups;      /* on their way, by number */
    uint64_t lookup_next;
    fl_ms renewed_at;
    fl_ms down_until, slow_until, slow_ms, wall_offset;
    fl_ms locked_until;
    uint64_t locked_tables;
    bool is_full, is_read_only;
    const char *leader; /* the last to take over */
};

fl_ms db_renewed_at(const struct db *db)
{
    return db->renewed_at;
}

fl_ms db_true_wall(const struct db *db)
{
    return (fl_ms)EPOCH_2026_MS_HIGH * 1000 + db->sim->now;
}

static fl_ms wall(const struct db *db)
{
    return db_true_wall(db) + db->wall_offset;
}

static bool is_down(const struct db *db)
{
    return db->sim->now < db->down_until;
}

static fl_ms draw_delay(struct db *db)
{
    return sim_between(db->sim, 0, db->config.delay_ms_max);
}

static fl_ms draw_work(struct db *db)
{
    fl_ms max = db->config.work_ms_max;

    if (db->sim->now < db->slow_until) max += db->slow_ms;
    return sim_between(db->sim, max / 4, max);
}

struct db *db_create(struct sim *sim, const struct db_config *config, uint64_t job_below)
{
    struct db *db = fl_new(struct db);

    db->sim = sim;
    db->config = *config;
    db->pg = fake_pg_create(job_below, (uint64_t)1 << 40);
    return db;
}

static void free_commit(struct commit *commit)
{
    struct db *db = commit->db;

    for (size_t i = 0; i < db->commits.len; i++) {
        if (db->commits.at[i] != commit) continue;
        fl_vec_remove(&db->commits, i);
        break;
    }
    fl_buf_fini(&commit->body);
    fl_vec_fini(&commit->requests);
    fl_free(commit);
}

void db_destroy(struct db *db)
{
    if (!db) return;
    while (db->commits.len) {
        free_commit(db->commits.at[0]);
    }
    for (size_t i = 0; i < db->clients.len; i++) {
        fl_vec_fini(&db->clients.at[i]->flying);
        fl_vec_fini(&db->clients.at[i]->arrivals);
        fl_vec_fini(&db->clients.at[i]->away);
        fl_free(db->clients.at[i]);
    }
    fl_vec_fini(&db->clients);
    fl_vec_fini(&db->commits);
    fl_vec_fini(&db->lookups);
    fake_pg_destroy(db->pg);
    fl_free(db);
}

void db_set_checks(struct db *db, struct checks *checks)
{
    db->checks = checks;
}

struct fake_pg *db_pg(struct db *db)
{
    return db->pg;
}

struct db_client *db_client_create(struct db *db, const char *instance, uint32_t away_ms,
                                   void (*wake)(void *ctx), struct time_reading (*clocks)(void *),
                                   void *ctx)
{
    struct db_client *client = fl_new(struct db_client);

    client->db = db;
    client->instance = instance;
    client->away_ms = away_ms;
    client->wake = wake;
    client->clocks = clocks;
    client->wake_ctx = ctx;
    client->is_alive = true;
    client->lease.ttl_ms = FAKE_PG_TTL_MS;
    fl_vec_push(&db->clients, client);
    return client;
}

void db_client_pause(struct db_client *client, fl_ms until)
{
    client->paused_until = until;
}

void db_client_before_commit(struct db_client *client, fl_ms (*hook)(void *ctx))
{
    client->before_commit = hook;
}

void db_client_attach(struct db_client *client, const struct engine_results *results)
{
    client->results = *results;
}

static bool is_awaited(const struct db_client *client, uint64_t generation)
{
    return client->is_alive && client->generation == (uint32_t)generation;
}

/* True: not now, but in the client's next turn.  Inside of a turn it is false. */
static bool must_wait(struct db_client *client, sim_fn *fn, void *ctx, uint64_t a, uint64_t b)
{
    bool is_stopped = client->paused_until > client->db->sim->now;

    if ((client->is_turning && !is_stopped) || !client->is_alive) return false;
    fl_vec_push(&client->arrivals, ((struct arrival){fn, ctx, a, b}));
    client->wake(client->wake_ctx);
    return true;
}

/* ---- the writer's connection ----------------------------------------------------------------- */

static void end_backend(void *ctx, uint64_t backend, uint64_t b)
{
    struct db *db = ctx;

    (void)b;
    fake_pg_end(db->pg, (uint32_t)backend);
}

static void on_drop(void *ctx)
{
    struct db_client *client = ctx;
    struct sim *sim = client->db->sim;

    client->generation++;
    fl_vec_clear(&client->flying);
    if (!client->backend) return;
    /* The server reads what was sent before it finds the end. */
    if (client->server_at < sim->now) client->server_at = sim->now;
    sim_at(sim, client->server_at + draw_delay(client->db), end_backend, client->db,
           client->backend, 0);
    client->backend = 0;
    client->is_cut = false;
}

/* The owner learns that the connection is gone: by the oldest batch, and so for all. */
static void connection_lost(void *ctx, uint64_t generation, uint64_t b)
{
    struct db_client *client = ctx;

    if (must_wait(client, connection_lost, ctx, generation, b)) return;
    if (!is_awaited(client, generation) || client->flying.len == 0) return;
    sim_tell(client->db->sim, "writer's connection is lost, batch %llu is unknown",
             client->flying.at[0]);
    client->results.committed(client->results.ctx, client->flying.at[0], ENGINE_UNKNOWN, NULL,
                              client->now);
}

static void cut(struct db_client *client)
{
    struct sim *sim = client->db->sim;

    if (client->is_cut) return;
    client->is_cut = true;
    sim_at(sim, sim->now + sim_between(sim, 1, 50), connection_lost, client, client->generation, 0);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static void note_fate(struct db_client *client)
{
    struct db *db = client->db;
    bool is_durable = false;

    if (!client->lost_batch) return;
    if (fake_pg_newest(db->pg) >= client->lost_batch) {
        size_t at =
            fake_pg_journal_len(db->pg) - 1 - (size_t)(fake_pg_newest(db->pg) - client->lost_batch);

        is_durable = fake_pg_journal_at(db->pg, at).epoch == client->lost_epoch;
        if (!is_durable) sim_mark(db->sim, MARK_fate_of_another);
    }
    sim_mark(db->sim, is_durable ? MARK_commit_lost_but_durable : MARK_commit_lost_and_gone);
    client->lost_batch = 0;
}

/* As store.c does. */
static void set_time(struct db_client *client)
{
    struct time_reading clocks = client->clocks(client->wake_ctx);
    char text[TIME_TEXT_MAX];

    clocks.postgres = client->taken_wall;
    client->taken.at = time_rule_resume(&client->mark, &clocks, client->taken.at_newest);
    client->core_ahead_ms = client->taken.at - client->now;
    if (time_rule_is_set(&client->mark, &clocks, client->taken.at, text)) {
        sim_mark(client->db->sim, MARK_clock_set);
    }
    client->mark = (struct time_mark){.at = client->taken.at, .clocks = clocks};
}

static struct time_mark mark_now(struct db_client *client)
{
    struct time_reading clocks = client->clocks(client->wake_ctx);

    /* A process may be stopped while it stands still: not in its last turn, but now. */
    return (struct time_mark){.at = clocks.uptime + client->core_ahead_ms, .clocks = clocks};
}

static void fail_take(struct db_client *client, enum fl_code code)
{
    if (code == FL_DEPOSED) sim_mark(client->db->sim, MARK_take_denied);
    client->results.take_failed(client->results.ctx, code, client->now);
}

static void mark_answered(void *ctx, uint64_t generation, uint64_t code)
{
    struct db_client *client = ctx;

    if (must_wait(client, mark_answered, ctx, generation, code)) return;
    if (!is_awaited(client, generation)) return;
    client->tries_again = client->fell_away && code == FL_OK;
    client->fell_away = false;
    if (code == FL_OK) {
        client->taken.at = client->now + client->core_ahead_ms;
        lease_rule_hold(&client->lease, client->take_sent_at);
        client->results.taken(client->results.ctx, &client->taken, client->now);
    } else {
        fail_take(client, (enum fl_code)code);
    }
    client->tries_again = false;
}

/* The mark of time goes into the lease's row before the term begins (time_rule.h). */
static void mark_arrives(void *ctx, uint64_t generation, uint64_t unused)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    enum fl_code code = FL_UNAVAILABLE;

    (void)unused;
    if (!is_awaited(client, generation)) return;
    if (!is_down(db) && fake_pg_may_write(db->pg)) {
        code = fake_pg_mark(db->pg, client->instance, client->lease_epoch, wall(db), client->mark)
                   ? FL_OK
                   : FL_DEPOSED;
    }
    sim_at(db->sim, db->sim->now + draw_delay(db), mark_answered, client, generation, code);
}

static void take_answered(void *ctx, uint64_t generation, uint64_t code)
{
    struct db_client *client = ctx;

    if (must_wait(client, take_answered, ctx, generation, code)) return;
    if (!is_awaited(client, generation)) return;
    if (code != FL_OK) {
        client->fell_away = false;
        fail_take(client, (enum fl_code)code);
        return;
    }
    client->lease_epoch = client->taken.epoch;
    set_time(client);
    sim_at(client->db->sim, client->db->sim->now + draw_delay(client->db), mark_arrives, client,
           generation, 0);
}

static void take_arrives(void *ctx, uint64_t generation, uint64_t tries)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    enum fl_code code = FL_UNAVAILABLE;
    uint32_t backend;

    if (!is_awaited(client, generation)) return;
    if (!is_down(db)) {
        bool is_deaf = sim_chance(db->sim, db->config.deaf_ppm);

        fake_pg_set_deaf(db->pg, is_deaf);
        if (is_deaf) sim_fault(db->sim, FAULT_db_deaf);
        backend = fake_pg_connect(db->pg);
        code = fake_pg_take(db->pg, backend, client->instance, wall(db), client->take_from,
                            client->take_above, &client->taken, &client->mark);
        client->taken_wall = wall(db);
        if (code == FL_OK) {
            note_fate(client);
            if (db->leader && db->leader != client->instance) sim_mark(db->sim, MARK_take_other);
            db->leader = client->instance;
            client->backend = backend;
            client->is_cut = false;
            client->server_at = client->answer_at = db->sim->now;
            client->answered_at = client->sent_at = db->sim->now;
            checks_term(db->checks, client->taken.epoch);
            sim_tell(db->sim, "hub %llu takes over: epoch %llu, newest batch %llu",
                     client->instance[3] - '0', client->taken.epoch, client->taken.batch_newest);
        } else {
            fake_pg_end(db->pg, backend);
        }
        if (code == FL_UNAVAILABLE && db->is_read_only) sim_mark(db->sim, MARK_take_read_only);
        if (code == FL_CONFLICT && tries < LOCK_RETRIES_MAX) {
            sim_at(db->sim, db->sim->now + LOCK_RETRY_MS, take_arrives, client, generation,
                   tries + 1);
            return;
        }
        if (code == FL_OK && sim_chance(db->sim, db->config.cut_after_ppm)) {
            code = FL_UNAVAILABLE; /* it has taken over and does not know */
        }
    }
    sim_at(db->sim, db->sim->now + draw_delay(db), take_answered, client, generation, code);
}

static void on_take(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now)
{
    struct db_client *client = ctx;
    struct sim *sim = client->db->sim;

    on_drop(client);
    client->take_from = batch_from;
    client->take_above = epoch_above;
    client->take_sent_at = now;
    sim_at(sim, sim->now + draw_delay(client->db), take_arrives, client, client->generation, 0);
}

/* ---- loading --------------------------------------------------------------------------------- */

struct loading {
    struct db_client *client;
    int64_t left; /* rows until the connection is lost; below 0: all of them */
};

static void load_row(void *ctx, const struct row *row)
{
    struct loading *loading = ctx;

    if (loading->left == 0) return;
    if (loading->left > 0) loading->left--;
    loading->client->results.load_row(loading->client->results.ctx, row);
}

static void load_arrives(void *ctx, uint64_t generation, uint64_t b)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    struct loading loading = {client, -1};
    bool is_good = fake_pg_is_live(db->pg, client->backend);

    if (must_wait(client, load_arrives, ctx, generation, b)) return;
    if (!is_awaited(client, generation)) return;
    if (is_good && sim_chance(db->sim, db->config.load_cut_ppm)) {
        is_good = false;
        loading.left = sim_between(db->sim, 0, 100);
        sim_mark(db->sim, MARK_load_cut);
    }
    if (is_good || loading.left > 0) fake_pg_load(db->pg, load_row, &loading);
    client->results.loaded(client->results.ctx, is_good, client->now);
}

static void on_load(void *ctx, fl_ms now)
{
    struct db_client *client = ctx;
    struct sim *sim = client->db->sim;

    (void)now;
    sim_at(sim, sim->now + 2 * draw_delay(client->db) + draw_work(client->db), load_arrives, client,
           client->generation, 0);
}

/* ---- committing ------------------------------------------------------------------------------ */

enum { AWAY_KEPT_MAX = 1000, REFUSALS_MAX = 20 };

static struct away_request *find_away(struct db_client *client, uint64_t request)
{
    for (size_t i = client->away.len; i > 0; i--) {
        if (client->away.at[i - 1].request == request) return &client->away.at[i - 1];
    }
    return NULL;
}

static void note_away(struct db_client *client, const struct commit *commit)
{
    for (size_t i = 0; i < commit->requests.len; i++) {
        struct away_request *known = find_away(client, commit->requests.at[i]);

        if (known) {
            known->refusals++;
            continue;
        }
        if (client->away.len == AWAY_KEPT_MAX) fl_vec_remove(&client->away, 0);
        fl_vec_push(&client->away, ((struct away_request){commit->requests.at[i], 1}));
    }
}

/* It, and those behind it on the same connection. */
static void note_away_all(struct db_client *client, const struct commit *commit)
{
    const struct db *db = client->db;

    for (size_t i = 0; i < db->commits.len; i++) {
        if (db->commits.at[i]->backend == commit->backend) note_away(client, db->commits.at[i]);
    }
}

/* Nothing else went wrong: the same request goes into the next term. */
void db_client_answered(struct db_client *client, uint64_t request, enum fl_code code)
{
    const struct away_request *away = find_away(client, request);

    if (!away) return;
    if (code == FL_OK) sim_mark(client->db->sim, MARK_away_tried_again);
    if (!client->tries_again || code == FL_OK || away->refusals >= REFUSALS_MAX) return;
    sim_broken(client->db->sim, "I16",
               "request %" PRIu64 " waited for a lock %" PRIu32 " times, and is given up",
               request >> 8, away->refusals);
}

static void commit_answered(void *ctx, uint64_t a, uint64_t b)
{
    struct commit *commit = ctx;
    struct db_client *client = commit->client;
    struct sim *sim = commit->db->sim;

    if (must_wait(client, commit_answered, ctx, a, b)) return;
    if (!is_awaited(client, commit->generation)) {
        free_commit(commit);
        return;
    }
    if (commit->result == ENGINE_UNKNOWN || commit->fate == FATE_CUT_AFTER || client->is_cut) {
        if (!client->lost_batch) {
            client->lost_batch = commit->batch;
            client->lost_epoch = commit->epoch;
        }
        cut(client);
        free_commit(commit);
        return;
    }
    if (commit->result == ENGINE_COMMITTED) {
        fl_ms since = commit->sent_at > client->answered_at ? commit->sent_at : client->answered_at;

        client->answered_at = sim->now;
        /* A hub that stood still did not see that it took long. */
        if ((sim->now - since) * 100 >= (fl_ms)client->away_ms * 102 &&
            (client->paused_until < since || commit->is_stale)) {
            checks_db_back(commit->db->checks);
        }
    }
    fl_assert(client->flying.len > 0 && client->flying.at[0] == commit->batch);
    fl_vec_remove(&client->flying, 0);
    client->fell_away = commit->result == ENGINE_AWAY;
    if (client->fell_away) note_away_all(client, commit);
    client->results.committed(client->results.ctx, commit->batch, commit->result, commit->text,
                              client->now);
    free_commit(commit);
}

static void plan_answer(struct commit *commit)
{
    struct db_client *client = commit->client;
    struct sim *sim = commit->db->sim;
    fl_ms at = sim->now + draw_delay(commit->db);

    if (is_awaited(client, commit->generation)) {
        if (at > client->answer_at) client->answer_at = at;
        at = client->answer_at;
    }
    sim_at(sim, at, commit_answered, commit, 0, 0);
}

static void commit_finishes(void *ctx, uint64_t a, uint64_t b);

/* Somebody's lock is in its way: it looks again later, gives up after some seconds.  False: none
 * is, or not any more. */
static bool waits_for_lock(struct commit *commit)
{
    struct db *db = commit->db;
    struct sim *sim = db->sim;
    fl_ms until = commit->waits_from + db->config.lock_ms;

    if (sim->now >= db->locked_until || !(commit->tables & db->locked_tables)) return false;
    if (!fake_pg_is_live(db->pg, commit->backend)) return false;
    if (!commit->waits_from) {
        commit->waits_from = sim->now;
        until = sim->now + db->config.lock_ms;
    }
    if (sim->now < until) {
        if (until > db->locked_until) until = db->locked_until;
        sim_at(sim, until, commit_finishes, commit, 0, 0);
        return true;
    }
    commit->result = fake_pg_give_up(db->pg, commit->backend,
                                     sim_chance(sim, 300000) ? "57014" : "55P03", &commit->text);
    commit->is_executed = true;
    sim_tell(sim, "batch %llu of epoch %llu waited for a lock since %llu", commit->batch,
             commit->epoch, commit->waits_from);
    if (commit->result == ENGINE_AWAY) sim_mark(sim, MARK_commit_locked_out);
    plan_answer(commit);
    return true;
}

static void commit_finishes(void *ctx, uint64_t a, uint64_t b)
{
    struct commit *commit = ctx;
    struct db *db = commit->db;

    (void)a;
    (void)b;
    if (waits_for_lock(commit)) return;
    commit->is_executed = true;
    commit->result = fake_pg_commit(db->pg, commit->backend, &commit->text);
    if (commit->result == ENGINE_COMMITTED) {
        sim_tell(db->sim, "batch %llu of epoch %llu is durable", commit->batch, commit->epoch);
        if (!is_awaited(commit->client, commit->generation) || commit->client->is_cut) {
            sim_mark(db->sim, MARK_commit_landed_late);
        }
        if (commit->waits_from) sim_mark(db->sim, MARK_commit_got_lock);
        checks_committed(db->checks, commit->opened_at, commit->sent_at);
    }
    plan_answer(commit);
}

/* One before it, on the same connection, is not done. */
static bool is_behind(const struct commit *commit)
{
    const struct db *db = commit->db;

    for (size_t i = 0; db->commits.at[i] != commit; i++) {
        const struct commit *other = db->commits.at[i];

        if (other->backend == commit->backend && !other->is_executed) return true;
    }
    return false;
}

static void commit_arrives(void *ctx, uint64_t work_ms, uint64_t b)
{
    struct commit *commit = ctx;
    struct db *db = commit->db;

    (void)b;
    if (is_behind(commit)) {
        sim_at(db->sim, db->sim->now + BEHIND_MS, commit_arrives, commit, work_ms, 0);
        return;
    }
    commit->result = fake_pg_begin(
        db->pg, commit->backend, commit->batch, commit->at, commit->epoch,
        (struct fl_str){(const char *)commit->body.at, commit->body.len}, &commit->text);
    if (commit->result == ENGINE_COMMITTED) {
        sim_at(db->sim, db->sim->now + (fl_ms)work_ms, commit_finishes, commit, 0, 0);
        return;
    }
    commit->is_executed = true;
    if (commit->result != ENGINE_UNKNOWN) {
        sim_tell(db->sim, "batch %llu of epoch %llu is refused: result %llu", commit->batch,
                 commit->epoch, commit->result);
    }
    if (commit->result == ENGINE_AWAY) sim_mark(db->sim, MARK_commit_read_only);
    if (commit->result == ENGINE_DEPOSED) sim_mark(db->sim, MARK_commit_refused_stale);
    if (commit->result == ENGINE_RELOAD && strcmp(commit->text, "25P02") == 0) {
        sim_mark(db->sim, MARK_commit_behind_failed);
    }
    plan_answer(commit);
}

static enum fate draw_fate(struct db *db)
{
    if (sim_chance(db->sim, db->config.cut_before_ppm)) {
        sim_fault(db->sim, FAULT_db_cut_before);
        return FATE_CUT_BEFORE;
    }
    if (sim_chance(db->sim, db->config.cut_after_ppm)) {
        sim_fault(db->sim, FAULT_db_cut_after);
        return FATE_CUT_AFTER;
    }
    if (sim_chance(db->sim, db->config.cut_late_ppm)) {
        sim_fault(db->sim, FAULT_db_cut_late);
        return FATE_CUT_LATE;
    }
    return FATE_GOOD;
}

static uint64_t tables_of(enum row_kind kind)
{
    uint64_t tables = (uint64_t)1 << row_info(kind).table;

    fl_assert(ROW_TABLES_LEN <= 64);
    if (kind == ROW_job_new || kind == ROW_job_end) tables |= (uint64_t)1 << ROW_TABLE_open_job;
    return tables;
}

static void on_commit(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    struct sim *sim = db->sim;
    struct commit *commit;
    fl_ms work_ms, arrives_at, formed_at;

    (void)now;
    formed_at = client->before_commit(client->wake_ctx);
    fl_vec_push(&client->flying, batch->number);
    if (client->is_cut) { /* into the void */
        sim_at(sim, sim->now + sim_between(sim, 1, 50), connection_lost, client, client->generation,
               0);
        return;
    }
    commit = fl_new(struct commit);
    commit->db = db;
    commit->client = client;
    commit->generation = client->generation;
    commit->backend = client->backend;
    commit->batch = batch->number;
    commit->epoch = epoch;
    commit->at = batch->at;
    commit->opened_at = client->sent_at;
    commit->sent_at = client->sent_at = formed_at;
    commit->is_stale = formed_at < sim->now;
    commit->fate = draw_fate(db);
    fl_buf_init(&commit->body, (size_t)64 << 20);
    for (size_t i = 0; i < batch->effects.len; i++) {
        const struct core_effect *effect = &batch->effects.at[i];

        if (effect->kind == CORE_ANSWER) fl_vec_push(&commit->requests, effect->answer.request);
    }
    for (size_t i = 0; i < batch->rows.len; i++) {
        commit->tables |= tables_of(batch->rows.at[i].kind);
        fl_assert(row_encode(&commit->body, &batch->rows.at[i]));
    }
    if (commit->body.len != batch->body.len ||
        (batch->body.len > 0 && memcmp(commit->body.at, batch->body.at, batch->body.len) != 0)) {
        sim_broken(sim, "I7", "the body of batch %" PRIu64 " is not what its rows are",
                   batch->number);
    }
    fl_vec_push(&db->commits, commit);
    if (commit->fate == FATE_CUT_BEFORE) {
        client->lost_batch = client->lost_batch ? client->lost_batch : batch->number;
        client->lost_epoch = epoch;
        cut(client);
        free_commit(commit);
        return;
    }
    work_ms = draw_work(db);
    arrives_at = sim->now + draw_delay(db);
    if (client->server_at < arrives_at) client->server_at = arrives_at;
    if (commit->fate == FATE_CUT_LATE) {
        client->server_at += sim_between(sim, 10, 2000);
        client->lost_batch = client->lost_batch ? client->lost_batch : batch->number;
        client->lost_epoch = epoch;
        cut(client);
    }
    sim_at(sim, client->server_at, commit_arrives, commit, (uint64_t)work_ms, 0);
    client->server_at += work_ms + 1; /* the next begins when this has ended */
}

/* ---- looking up keys ------------------------------------------------------------------------- */

static void lookup_arrives(void *ctx, uint64_t generation, uint64_t number)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    struct fl_digest body_sha = {0};
    struct fl_str answer = {0};
    struct lookup lookup;
    bool is_good;
    size_t i;

    if (must_wait(client, lookup_arrives, ctx, generation, number)) return;
    i = fl_vec_lower_bound(&db->lookups, number, number);
    lookup = db->lookups.at[i];
    fl_vec_remove(&db->lookups, i);
    is_good = !is_down(db) && !sim_chance(db->sim, db->config.lookup_lost_ppm);
    if (!is_awaited(client, generation)) return;
    if (is_good) {
        fake_pg_lookup(db->pg, lookup.tenant, (struct fl_str){lookup.key, lookup.key_len},
                       &body_sha, &answer);
    }
    client->results.found(client->results.ctx, lookup.id, &body_sha, answer, is_good, client->now);
}

static void on_lookup(void *ctx, uint64_t id, struct fl_tenant tenant, struct fl_str key, fl_ms now)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    struct lookup lookup = {
        .number = ++db->lookup_next, .id = id, .tenant = tenant, .key_len = key.len};

    (void)now;
    fl_assert(key.len <= sizeof(lookup.key));
    memcpy(lookup.key, key.at, key.len);
    fl_vec_push(&db->lookups, lookup);
    sim_at(db->sim, db->sim->now + 2 * draw_delay(db) + 1, lookup_arrives, client,
           client->generation, lookup.number);
}

/* ---- the lease ------------------------------------------------------------------------------- */

static void drop_lease(struct db_client *client, bool is_too_old)
{
    struct sim *sim = client->db->sim;

    if (is_too_old) {
        sim_tell(sim, "hub %llu: its lease is too old", client->instance[3] - '0');
        sim_mark(sim, MARK_lease_too_old);
    }
    client->question++; /* its connection is closed */
    on_drop(client);
    client->results.lease_lost(client->results.ctx, client->now);
}

static void renew_answered(void *ctx, uint64_t question, uint64_t code)
{
    struct db_client *client = ctx;
    enum lease_answer answer = code == FL_OK        ? LEASE_DONE
                               : code == FL_DEPOSED ? LEASE_ANOTHERS
                                                    : LEASE_NO_ANSWER;

    if (must_wait(client, renew_answered, ctx, question, code)) return;
    if (!client->is_alive || question != client->question) return;
    if (lease_rule_answered(&client->lease, answer, client->now)) drop_lease(client, false);
}

static void renew_arrives(void *ctx, uint64_t question, uint64_t epoch)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    enum fl_code code = FL_UNAVAILABLE;

    if (!client->is_alive) return;
    if (!is_down(db) && fake_pg_may_write(db->pg)) {
        bool is_kept = fake_pg_renew(db->pg, client->instance, epoch, wall(db), client->asked);

        code = is_kept ? FL_OK : FL_DEPOSED;
        if (code == FL_OK) db->renewed_at = client->asked_at;
    }
    if (code == FL_OK && sim_chance(db->sim, db->config.lease_cut_ppm)) {
        sim_fault(db->sim, FAULT_lease_cut);
        code = FL_UNAVAILABLE;
    }
    sim_at(db->sim, db->sim->now + draw_delay(db), renew_answered, client, question, code);
}

static void renew(struct db_client *client)
{
    struct sim *sim = client->db->sim;

    if (lease_rule_next(&client->lease, client->now) != LEASE_ASK_RENEWAL) return;
    lease_rule_asked(&client->lease, LEASE_ASK_RENEWAL, client->now);
    client->asked = mark_now(client);
    client->asked_at = sim->now;
    sim_at(sim, sim->now + draw_delay(client->db), renew_arrives, client, ++client->question,
           client->lease_epoch);
}

void db_client_release(struct db_client *client)
{
    if (is_down(client->db) || !fake_pg_may_write(client->db->pg)) return;
    fake_pg_release(client->db->pg, client->instance, client->taken.epoch, wall(client->db),
                    mark_now(client));
}

/* ---- the turn -------------------------------------------------------------------------------- */

void db_client_turn(struct db_client *client, fl_ms now)
{
    client->now = now;
    client->is_turning = true;
    if (lease_rule_expires(&client->lease, now)) drop_lease(client, true);
    while (client->arrivals.len) {
        struct arrival arrival = client->arrivals.at[0];

        fl_vec_remove(&client->arrivals, 0);
        arrival.fn(arrival.ctx, arrival.a, arrival.b);
    }
    renew(client);
    client->is_turning = false;
}

fl_ms db_client_deadline(const struct db_client *client)
{
    if (client->arrivals.len) return INT64_MIN;
    return lease_rule_deadline(&client->lease, true);
}

struct engine_store db_client_port(struct db_client *client)
{
    return (struct engine_store){
        .ctx = client,
        .take = on_take,
        .load = on_load,
        .commit = on_commit,
        .drop = on_drop,
        .lookup = on_lookup,
    };
}

void db_client_destroy(struct db_client *client)
{
    on_drop(client);
    client->is_alive = false;
}

/* ---- faults ---------------------------------------------------------------------------------- */

void db_cut_writers(struct db *db)
{
    for (size_t i = 0; i < db->clients.len; i++) {
        struct db_client *client = db->clients.at[i];

        if (client->is_alive && client->backend) cut(client);
    }
}

void db_stop(struct db *db, fl_ms until)
{
    fake_pg_end_all(db->pg);
    db_cut_writers(db);
    db->down_until = until;
}

void db_slow(struct db *db, fl_ms work_ms, fl_ms until)
{
    db->slow_ms = work_ms;
    db->slow_until = until;
}

static void not_full(void *ctx, uint64_t a, uint64_t b)
{
    struct db *db = ctx;

    (void)a;
    (void)b;
    fake_pg_set_full(db->pg, false);
    db->is_full = false;
}

void db_full(struct db *db, fl_ms until)
{
    fake_pg_set_full(db->pg, true);
    db->is_full = true;
    sim_at(db->sim, until, not_full, db, 0, 0);
}

static void not_read_only(void *ctx, uint64_t a, uint64_t b)
{
    struct db *db = ctx;

    (void)a;
    (void)b;
    fake_pg_set_read_only(db->pg, false);
    db->is_read_only = false;
}

void db_read_only(struct db *db, fl_ms until)
{
    fake_pg_set_read_only(db->pg, true);
    db->is_read_only = true;
    sim_at(db->sim, until, not_read_only, db, 0, 0);
}

void db_lock(struct db *db, fl_ms until)
{
    static const enum row_table tables[] = {ROW_TABLE_job, ROW_TABLE_open_job, ROW_TABLE_attempt,
                                            ROW_TABLE_cluster};
    size_t last = sizeof(tables) / sizeof(tables[0]);
    size_t at = (size_t)sim_between(db->sim, 0, (int64_t)last);

    db->locked_tables = at == last ? UINT64_MAX : (uint64_t)1 << tables[at];
    db->locked_until = until;
}

void db_step_clock(struct db *db, fl_ms by)
{
    db->wall_offset += by;
}

void db_restore(struct db *db, uint64_t batch)
{
    sim_fault(db->sim, FAULT_db_restore);
    fake_pg_restore(db->pg, batch);
    checks_restored(db->checks);
}

void db_heal(struct db *db)
{
    db->config.cut_before_ppm = db->config.cut_after_ppm = db->config.cut_late_ppm = 0;
    db->config.deaf_ppm = db->config.lease_cut_ppm = db->config.load_cut_ppm =
        db->config.lookup_lost_ppm = 0;
    db->down_until = db->slow_until = db->locked_until = 0;
    fake_pg_set_full(db->pg, false);
    fake_pg_set_read_only(db->pg, false);
    db->is_full = db->is_read_only = false;
}

bool db_is_well(const struct db *db)
{
    return !is_down(db) && db->sim->now >= db->slow_until && db->sim->now >= db->locked_until &&
           !db->is_full && !db->is_read_only;
}
