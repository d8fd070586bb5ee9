/* db_state.h - the simulated database from inside, for db.c, db_take.c and db_commit.c.
 * Calls go one way: db -> db_take, db_commit -> the calls below, which are db.c's. */
#pragma once

#include "controlplane/engine/lease_rule.h"
#include "shared/base/vec.h"
#include "tests/sim/db.h"

struct commit; /* one on its way, see db_commit.c */

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
    const char *leader; /* the last to take over */
};

/* ---- db.c ------------------------------------------------------------------------------------ */

fl_ms db_wall(const struct db *db); /* Postgres's clock */
bool db_is_down(const struct db *db);
fl_ms db_draw_delay(struct db *db);
fl_ms db_draw_work(struct db *db); /* how long the server works on a batch, or on a load */
bool db_is_awaited(const struct db_client *client, uint64_t generation);
/* True: not now, but in the client's next turn.  Inside of a turn it is false. */
bool db_must_wait(struct db_client *client, sim_fn *fn, void *ctx, uint64_t a, uint64_t b);
void db_drop(void *client);
void db_connection_lost(void *client, uint64_t generation, uint64_t b);
void db_cut(struct db_client *client);
bool db_may_write(const struct db *db); /* a client reaches it, and it is not read-only */

/* ---- db_take.c ------------------------------------------------------------------------------- */

void db_take(void *client, uint64_t batch_from, uint64_t epoch_above, fl_ms now);
void db_renew(struct db_client *client);
void db_drop_lease(struct db_client *client, bool is_too_old);

/* ---- db_commit.c ----------------------------------------------------------------------------- */

void db_commit(void *client, const struct core_batch *batch, uint64_t epoch, fl_ms now);
void db_commit_free(struct commit *commit);
