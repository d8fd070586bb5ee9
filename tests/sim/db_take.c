/* A hub takes over, keeps its mark of time, and renews the lease. */
#include "tests/sim/db_state.h"

#include <string.h>

enum { LOCK_RETRY_MS = 100, LOCK_RETRIES_MAX = 50 };

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

    if (db_must_wait(client, mark_answered, ctx, generation, code)) return;
    if (!db_is_awaited(client, generation)) return;
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
    if (!db_is_awaited(client, generation)) return;
    if (db_may_write(db)) {
        code =
            fake_pg_mark(db->pg, client->instance, client->lease_epoch, db_wall(db), client->mark)
                ? FL_OK
                : FL_DEPOSED;
    }
    sim_at(db->sim, db->sim->now + db_draw_delay(db), mark_answered, client, generation, code);
}

static void take_answered(void *ctx, uint64_t generation, uint64_t code)
{
    struct db_client *client = ctx;

    if (db_must_wait(client, take_answered, ctx, generation, code)) return;
    if (!db_is_awaited(client, generation)) return;
    if (code != FL_OK) {
        client->fell_away = false;
        fail_take(client, (enum fl_code)code);
        return;
    }
    client->lease_epoch = client->taken.epoch;
    set_time(client);
    sim_at(client->db->sim, client->db->sim->now + db_draw_delay(client->db), mark_arrives, client,
           generation, 0);
}

static void take_arrives(void *ctx, uint64_t generation, uint64_t tries)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    enum fl_code code = FL_UNAVAILABLE;
    uint32_t backend;

    if (!db_is_awaited(client, generation)) return;
    if (!db_is_down(db)) {
        bool is_deaf = sim_chance(db->sim, db->config.deaf_ppm);

        fake_pg_faults(db->pg)->is_deaf = is_deaf;
        if (is_deaf) sim_fault(db->sim, FAULT_db_deaf);
        backend = fake_pg_connect(db->pg);
        code = fake_pg_take(db->pg, backend, client->instance, db_wall(db), client->take_from,
                            client->take_above, &client->taken, &client->mark);
        client->taken_wall = db_wall(db);
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
        if (code == FL_UNAVAILABLE && fake_pg_faults(db->pg)->is_read_only) {
            sim_mark(db->sim, MARK_take_read_only);
        }
        if (code == FL_CONFLICT && tries < LOCK_RETRIES_MAX) {
            sim_at(db->sim, db->sim->now + LOCK_RETRY_MS, take_arrives, client, generation,
                   tries + 1);
            return;
        }
        if (code == FL_OK && sim_chance(db->sim, db->config.cut_after_ppm)) {
            code = FL_UNAVAILABLE; /* it has taken over and does not know */
        }
    }
    sim_at(db->sim, db->sim->now + db_draw_delay(db), take_answered, client, generation, code);
}

void db_take(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now)
{
    struct db_client *client = ctx;
    struct sim *sim = client->db->sim;

    db_drop(client);
    client->take_from = batch_from;
    client->take_above = epoch_above;
    client->take_sent_at = now;
    sim_at(sim, sim->now + db_draw_delay(client->db), take_arrives, client, client->generation, 0);
}

/* ---- the lease ------------------------------------------------------------------------------- */

void db_drop_lease(struct db_client *client, bool is_too_old)
{
    struct sim *sim = client->db->sim;

    if (is_too_old) {
        sim_tell(sim, "hub %llu: its lease is too old", client->instance[3] - '0');
        sim_mark(sim, MARK_lease_too_old);
    }
    client->question++; /* its connection is closed */
    db_drop(client);
    client->results.lease_lost(client->results.ctx, client->now);
}

static void renew_answered(void *ctx, uint64_t question, uint64_t code)
{
    struct db_client *client = ctx;
    enum lease_answer answer = code == FL_OK        ? LEASE_DONE
                               : code == FL_DEPOSED ? LEASE_ANOTHERS
                                                    : LEASE_NO_ANSWER;

    if (db_must_wait(client, renew_answered, ctx, question, code)) return;
    if (!client->is_alive || question != client->question) return;
    if (lease_rule_answered(&client->lease, answer, client->now)) db_drop_lease(client, false);
}

static void renew_arrives(void *ctx, uint64_t question, uint64_t epoch)
{
    struct db_client *client = ctx;
    struct db *db = client->db;
    enum fl_code code = FL_UNAVAILABLE;

    if (!client->is_alive) return;
    if (db_may_write(db)) {
        bool is_kept = fake_pg_renew(db->pg, client->instance, epoch, db_wall(db), client->asked);

        code = is_kept ? FL_OK : FL_DEPOSED;
        if (code == FL_OK) db->renewed_at = client->asked_at;
    }
    if (code == FL_OK && sim_chance(db->sim, db->config.lease_cut_ppm)) {
        sim_fault(db->sim, FAULT_lease_cut);
        code = FL_UNAVAILABLE;
    }
    sim_at(db->sim, db->sim->now + db_draw_delay(db), renew_answered, client, question, code);
}

void db_renew(struct db_client *client)
{
    struct sim *sim = client->db->sim;

    if (lease_rule_next(&client->lease, client->now) != LEASE_ASK_RENEWAL) return;
    lease_rule_asked(&client->lease, LEASE_ASK_RENEWAL, client->now);
    client->asked = mark_now(client);
    client->asked_at = sim->now;
    sim_at(sim, sim->now + db_draw_delay(client->db), renew_arrives, client, ++client->question,
           client->lease_epoch);
}

void db_client_release(struct db_client *client)
{
    if (!db_may_write(client->db)) return;
    fake_pg_release(client->db->pg, client->instance, client->taken.epoch, db_wall(client->db),
                    mark_now(client));
}
