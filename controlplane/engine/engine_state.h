/* engine_state.h - the state that the files of an engine share, for them alone: engine.c has the
 * terms, engine_term.c the batches of a term. */
#pragma once

#include "controlplane/engine/engine.h"
#include "controlplane/engine/engine_batch.h"
#include "controlplane/engine/engine_flights.h"
#include "controlplane/engine/engine_high_water.h"
#include "controlplane/engine/engine_inbox.h"
#include "controlplane/engine/engine_mutes.h"
#include "controlplane/engine/engine_retry.h"

struct engine {
    struct engine_config config;
    struct engine_store store;
    struct engine_ports ports;
    enum engine_state state;
    enum engine_breaker breaker;
    char why[256];
    fl_ms now;     /* the caller's newest */
    fl_ms turn_at; /* its start */
    fl_ms retry_at;
    struct engine_retry retry;
    struct engine_stats stats;

    struct engine_inbox inbox;
    struct engine_mutes mutes;
    struct engine_flights flights;
    struct engine_high_water water;

    bool is_poisoned;  /* the next term begins with one event per batch: ... */
    fl_ms alone_until; /* ... until then, and while a suspect is left */

    /* The term. */
    uint64_t epoch;
    struct core *core;
    struct fl_err load_err;
    bool is_load_bad;
    fl_ms led_at;             /* since when it leads */
    fl_ms base_core, base_at; /* the core's time and ours at the takeover */
    uint32_t incarnation;
    uint64_t job_below, batch_below, batch_first;
    uint64_t room_told; /* the core's limit of ids */
    bool is_away;       /* the core knows that the database is */
    struct engine_batch *open;
    bool is_unsettled; /* something was stepped since the last core_settle */
    bool is_more;      /* core_settle has more to do, in the next batch */
    uint64_t looked;   /* core_looked when the turn's work was last charged */
};
