#include "tests/sim/db_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { EPOCH_2026_S = 1767225600 };

fl_ms db_renewed_at(const struct db *db)
{
    return db->renewed_at;
}

fl_ms db_true_wall(const struct db *db)
{
    return (fl_ms)EPOCH_2026_S * 1000 + db->sim->now;
}

fl_ms db_wall(const struct db *db)
{
    return db_true_wall(db) + db->wall_offset;
}

bool db_is_down(const struct db *db)
{
    return db->sim->now < db->down_until;
}

bool db_may_write(const struct db *db)
{
    return !db_is_down(db) && !fake_pg_faults(db->pg)->is_read_only;
}

fl_ms db_draw_delay(struct db *db)
{
    return sim_between(db->sim, 0, db->config.delay_ms_max);
}

fl_ms db_draw_work(struct db *db)
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

void db_destroy(struct db *db)
{
    if (!db) return;
    while (db->commits.len) {
        db_commit_free(db->commits.at[0]);
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

bool db_is_awaited(const struct db_client *client, uint64_t generation)
{
    return client->is_alive && client->generation == (uint32_t)generation;
}

/* True: not now, but in the client's next turn.  Inside of a turn it is false. */
bool db_must_wait(struct db_client *client, sim_fn *fn, void *ctx, uint64_t a, uint64_t b)
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

void db_drop(void *ctx)
{
    struct db_client *client = ctx;
    struct sim *sim = client->db->sim;

    client->generation++;
    fl_vec_clear(&client->flying);
    if (!client->backend) return;
    /* The server reads what was sent before it finds the end. */
    if (client->server_at < sim->now) client->server_at = sim->now;
    sim_at(sim, client->server_at + db_draw_delay(client->db), end_backend, client->db,
           client->backend, 0);
    client->backend = 0;
    client->is_cut = false;
}

/* The owner learns that the connection is gone: by the oldest batch, and so for all. */
void db_connection_lost(void *ctx, uint64_t generation, uint64_t b)
{
    struct db_client *client = ctx;

    if (db_must_wait(client, db_connection_lost, ctx, generation, b)) return;
    if (!db_is_awaited(client, generation) || client->flying.len == 0) return;
    sim_tell(client->db->sim, "writer's connection is lost, batch %llu is unknown",
             client->flying.at[0]);
    client->results.committed(client->results.ctx, client->flying.at[0], ENGINE_UNKNOWN, NULL,
                              client->now);
}

void db_cut(struct db_client *client)
{
    struct sim *sim = client->db->sim;

    if (client->is_cut) return;
    client->is_cut = true;
    sim_at(sim, sim->now + sim_between(sim, 1, 50), db_connection_lost, client, client->generation,
           0);
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

    if (db_must_wait(client, load_arrives, ctx, generation, b)) return;
    if (!db_is_awaited(client, generation)) return;
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
    sim_at(sim, sim->now + 2 * db_draw_delay(client->db) + db_draw_work(client->db), load_arrives,
           client, client->generation, 0);
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

    if (db_must_wait(client, lookup_arrives, ctx, generation, number)) return;
    i = fl_vec_lower_bound(&db->lookups, number, number);
    lookup = db->lookups.at[i];
    fl_vec_remove(&db->lookups, i);
    is_good = !db_is_down(db) && !sim_chance(db->sim, db->config.lookup_lost_ppm);
    if (!db_is_awaited(client, generation)) return;
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
    sim_at(db->sim, db->sim->now + 2 * db_draw_delay(db) + 1, lookup_arrives, client,
           client->generation, lookup.number);
}

/* ---- the turn -------------------------------------------------------------------------------- */

void db_client_turn(struct db_client *client, fl_ms now)
{
    client->now = now;
    client->is_turning = true;
    if (lease_rule_expires(&client->lease, now)) db_drop_lease(client, true);
    while (client->arrivals.len) {
        struct arrival arrival = client->arrivals.at[0];

        fl_vec_remove(&client->arrivals, 0);
        arrival.fn(arrival.ctx, arrival.a, arrival.b);
    }
    db_renew(client);
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
        .take = db_take,
        .load = on_load,
        .commit = db_commit,
        .drop = db_drop,
        .lookup = on_lookup,
    };
}

void db_client_destroy(struct db_client *client)
{
    db_drop(client);
    client->is_alive = false;
}

/* ---- faults ---------------------------------------------------------------------------------- */

void db_cut_writers(struct db *db)
{
    for (size_t i = 0; i < db->clients.len; i++) {
        struct db_client *client = db->clients.at[i];

        if (client->is_alive && client->backend) db_cut(client);
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

static void fault_ends(void *is_there, uint64_t a, uint64_t b)
{
    (void)a;
    (void)b;
    *(bool *)is_there = false;
}

static void fault(struct db *db, bool *is_there, fl_ms until)
{
    *is_there = true;
    sim_at(db->sim, until, fault_ends, is_there, 0, 0);
}

void db_full(struct db *db, fl_ms until)
{
    fault(db, &fake_pg_faults(db->pg)->is_full, until);
}

void db_read_only(struct db *db, fl_ms until)
{
    fault(db, &fake_pg_faults(db->pg)->is_read_only, until);
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
    *fake_pg_faults(db->pg) = (struct fake_pg_faults){0};
}

bool db_is_well(const struct db *db)
{
    const struct fake_pg_faults *faults = fake_pg_faults(db->pg);

    return !db_is_down(db) && db->sim->now >= db->slow_until && db->sim->now >= db->locked_until &&
           !faults->is_full && !faults->is_read_only;
}
