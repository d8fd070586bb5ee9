/* db.h - the way to the fake Postgres and back: delays, lost connections, a server that stops or is slow.
 * A client stands for one hub's connections: the writer with its pipeline, the readers, the lease's own.
 * The engine's promise holds here too: after db_drop or a new db_take no result of what was asked before
 * it comes; but what was sent may still be executed.
 * Single-threaded, in the sim's time. */
#pragma once

#include "controlplane/engine.h"
#include "tests/sim/checks.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"

struct db;
struct db_client;

struct db_config {
    fl_ms delay_ms_max;                                   /* one way */
    fl_ms work_ms_max;                                    /* of a commit */
    uint32_t cut_before_ppm, cut_after_ppm, cut_late_ppm; /* of commits */
    uint32_t lease_cut_ppm;
    uint32_t load_cut_ppm;
    uint32_t lookup_lost_ppm;
    uint32_t deaf_ppm; /* of takeovers: the old backend is not ended */
};

/* Never called from inside a db_* call. */
struct db_ports {
    void *ctx;
    void (*taken)(void *ctx, const struct engine_taken *taken);
    void (*take_failed)(void *ctx, enum fl_code why);
    void (*row)(void *ctx, const struct row *row);
    void (*loaded)(void *ctx, bool is_good);
    void (*committed)(void *ctx, uint64_t batch, enum engine_commit result, const char *text);
    void (*found)(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                  struct fl_str answer, bool is_good);
    /* FL_OK, FL_DEPOSED: the lease is not ours, FL_UNAVAILABLE: no answer */
    void (*renewed)(void *ctx, uint64_t renewal, enum fl_code result);
};

struct db *db_create(struct sim *sim, const struct db_config *config, uint64_t job_below);
void db_destroy(struct db *db);
void db_set_checks(struct db *db,
                   struct checks *checks); /* told of each batch that became durable */
struct fake_pg *db_pg(struct db *db);

/* --- a hub's side; the instance's name lives as long as the client --- */
struct db_client *db_client_create(struct db *db, const struct db_ports *ports,
                                   const char *instance, uint32_t away_ms);
void db_client_destroy(struct db_client *client); /* a process is gone: as db_drop */
/* Its process stands still: it hears nothing before then, and then all of it, in order. */
void db_client_pause(struct db_client *client, fl_ms until);
void db_take(struct db_client *client, uint64_t batch_from);
void db_load(struct db_client *client);
void db_commit(struct db_client *client, const struct core_batch *batch, uint64_t epoch);
void db_drop(struct db_client *client);
void db_lookup(struct db_client *client, uint64_t lookup, struct fl_tenant tenant,
               struct fl_str key);
void db_renew(struct db_client *client, uint64_t renewal, uint64_t epoch);
void db_release(struct db_client *client);

/* --- faults --- */
void db_stop(struct db *db, fl_ms until);
void db_slow(struct db *db, fl_ms work_ms, fl_ms until);
void db_full(struct db *db, fl_ms until);
void db_step_clock(struct db *db, fl_ms by);
void db_cut_writers(struct db *db); /* every writer's connection is lost now */
void db_heal(struct db *db);
