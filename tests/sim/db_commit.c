/* Batches on their way to the database and what may happen to them; requests of a batch that was
 * refused for something that passes. */
#include "tests/sim/db_state.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { BEHIND_MS = 5 };

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

void db_commit_free(struct commit *commit)
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

/* It is not known what becomes of the commit: the next takeover looks. */
static void lose(const struct commit *commit)
{
    struct db_client *client = commit->client;

    if (!client->lost_batch) {
        client->lost_batch = commit->batch;
        client->lost_epoch = commit->epoch;
    }
    db_cut(client);
}

static void commit_answered(void *ctx, uint64_t a, uint64_t b)
{
    struct commit *commit = ctx;
    struct db_client *client = commit->client;
    struct sim *sim = commit->db->sim;

    if (db_must_wait(client, commit_answered, ctx, a, b)) return;
    if (!db_is_awaited(client, commit->generation)) {
        db_commit_free(commit);
        return;
    }
    if (commit->result == ENGINE_UNKNOWN || commit->fate == FATE_CUT_AFTER || client->is_cut) {
        lose(commit);
        db_commit_free(commit);
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
    db_commit_free(commit);
}

static void plan_answer(struct commit *commit)
{
    struct db_client *client = commit->client;
    struct sim *sim = commit->db->sim;
    fl_ms at = sim->now + db_draw_delay(commit->db);

    if (db_is_awaited(client, commit->generation)) {
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
        if (!db_is_awaited(commit->client, commit->generation) || commit->client->is_cut) {
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
    const struct {
        uint32_t ppm;
        enum sim_fault fault;
        enum fate fate;
    } cuts[] = {{db->config.cut_before_ppm, FAULT_db_cut_before, FATE_CUT_BEFORE},
                {db->config.cut_after_ppm, FAULT_db_cut_after, FATE_CUT_AFTER},
                {db->config.cut_late_ppm, FAULT_db_cut_late, FATE_CUT_LATE}};

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        if (!sim_chance(db->sim, cuts[i].ppm)) continue;
        sim_fault(db->sim, cuts[i].fault);
        return cuts[i].fate;
    }
    return FATE_GOOD;
}

static uint64_t tables_of(enum row_kind kind)
{
    uint64_t tables = (uint64_t)1 << row_info(kind).table;

    fl_assert(ROW_TABLES_LEN <= 64);
    if (kind == ROW_job_new || kind == ROW_job_end || kind == ROW_job_edit) {
        tables |= (uint64_t)1 << ROW_TABLE_open_job;
    }
    if (kind == ROW_job_edit) tables |= (uint64_t)1 << ROW_TABLE_job;
    return tables;
}

void db_commit(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now)
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
        sim_at(sim, sim->now + sim_between(sim, 1, 50), db_connection_lost, client,
               client->generation, 0);
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
        lose(commit);
        db_commit_free(commit);
        return;
    }
    work_ms = db_draw_work(db);
    arrives_at = sim->now + db_draw_delay(db);
    if (client->server_at < arrives_at) client->server_at = arrives_at;
    if (commit->fate == FATE_CUT_LATE) {
        client->server_at += sim_between(sim, 10, 2000);
        lose(commit);
    }
    sim_at(sim, client->server_at, commit_arrives, commit, (uint64_t)work_ms, 0);
    client->server_at += work_ms + 1; /* the next begins when this has ended */
}
