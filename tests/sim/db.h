/* db.h - the way to the fake Postgres and back: delays, lost connections, a server that stops or is
 * slow.  A client stands for one hub's connections: the writer with its pipeline, the readers, the
 * lease's own, which is asked as the product's rules say (engine/lease_rule.h, time_rule.h).  The
 * store's promise holds here too: after 'drop' or a new 'take' no result of what was asked before
 * comes; but what was sent may still be executed.
 * Single-threaded, in the sim's time. */
#pragma once

#include "controlplane/engine/engine.h"
#include "tests/sim/checks.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"

struct db;
struct db_client;

struct db_config {
    fl_ms delay_ms_max;                                   /* one way */
    fl_ms work_ms_max;                                    /* a commit takes at most this */
    uint32_t cut_before_ppm, cut_after_ppm, cut_late_ppm; /* commits whose connection is cut */
    uint32_t lease_cut_ppm;
    uint32_t load_cut_ppm;
    uint32_t lookup_lost_ppm;
    fl_ms lock_ms;     /* a statement waits for a lock so long */
    uint32_t deaf_ppm; /* takeovers that do not end the old backend */
};

struct db *db_create(struct sim *sim, const struct db_config *config, uint64_t job_below);
void db_destroy(struct db *db);
void db_set_checks(struct db *db,
                   struct checks *checks); /* told of each batch that became durable */
struct fake_pg *db_pg(struct db *db);
fl_ms db_renewed_at(const struct db *db); /* the newest renewal that succeeded was asked for then */
fl_ms db_true_wall(const struct db *db);  /* a wall clock that was never set */

/* ---- a hub's side, as store.h is the engine thread's ----------------------------------------- */

/* 'wake': something has arrived, a turn is due.  'clocks': the hub's own.  The instance's
 * name lives as long as the client. */
struct db_client *db_client_create(struct db *db, const char *instance, uint32_t away_ms,
                                   void (*wake)(void *ctx), struct time_reading (*clocks)(void *),
                                   void *ctx);
void db_client_destroy(struct db_client *client); /* a process is gone: as its engine's drop */

/* Its process stands still until then, and takes no turn. */
void db_client_pause(struct db_client *client, fl_ms until);

struct engine_store db_client_port(struct db_client *client);
void db_client_attach(struct db_client *client, const struct engine_results *results);

/* Is called, with the ctx of 'wake', when a batch is about to be sent; says when it was formed. */
void db_client_before_commit(struct db_client *client, fl_ms (*hook)(void *ctx));

/* 'now' is the hub's own clock: the lease first, then what has arrived, in order. */
void db_client_turn(struct db_client *client, fl_ms now);
fl_ms db_client_deadline(const struct db_client *client);
/* Its engine answers a request. */
void db_client_answered(struct db_client *client, uint64_t request, enum fl_code code);
void db_client_release(struct db_client *client);

/* ---- faults ---------------------------------------------------------------------------------- */
void db_stop(struct db *db, fl_ms until);
void db_slow(struct db *db, fl_ms work_ms, fl_ms until);
void db_full(struct db *db, fl_ms until);
void db_read_only(struct db *db, fl_ms until);
void db_lock(struct db *db, fl_ms until); /* somebody locks one table, or all */
void db_step_clock(struct db *db, fl_ms by);
void db_cut_writers(struct db *db); /* every writer's connection is lost now */
/* The server stops, and goes on as it was at that batch. */
void db_restore(struct db *db, uint64_t batch);
void db_heal(struct db *db);
bool db_is_well(const struct db *db); /* none of these */
