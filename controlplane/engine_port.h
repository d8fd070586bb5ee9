/* engine_port.h - what the engine asks of the outside, and the words in which it is answered.
 * Types only: the shells that fill the ports include this, and nothing more of the engine.
 * Uses the core's types. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"

enum { ENGINE_INFLIGHT_MAX = 8 }; /* batches; one runs with fewer */

enum engine_commit {
    ENGINE_COMMITTED,
    ENGINE_DEPOSED,  /* 23502 on epoch: somebody else leads */
    ENGINE_RELOAD,   /* 23502 on prev, 23505 on the journal, 25P02 */
    ENGINE_NO_SPACE, /* 53100 */
    ENGINE_POISONED, /* any other refusal */
    ENGINE_UNKNOWN,  /* the connection went away before the answer, or with a FATAL in its place */
};

struct engine_ports {
    void *ctx;
    /* Become the leader: one transaction on a new writer connection, the old one is dropped first.
     * 'batch_from': the first batch whose fate is open (0: none); its epoch and those of later ones are
     * to be reported.  Answered by engine_taken or engine_take_failed. */
    void (*take)(void *ctx, uint64_t batch_from);
    /* Answered by engine_load_row for each row, in the order of core.h, then engine_loaded. */
    void (*load)(void *ctx);
    /* The batch is borrowed until its engine_committed, or until 'drop'.  Answered in the order of the
     * calls, once each. */
    void (*commit)(void *ctx, const struct core_batch *batch, uint64_t epoch);
    /* Forget the writer connection and whatever was sent on it. */
    void (*drop)(void *ctx);
    /* Is this key known?  Answered by engine_found, with is_good false when it takes too long. */
    void (*lookup)(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key);
    /* A term began: each open tunnel session is to be offered again as session_open, is_resync. */
    void (*began)(void *ctx, uint64_t epoch);
    void (*answer)(void *ctx, const struct core_answer *answer);
    void (*send)(void *ctx, const struct core_send *send);
    /* The batch is durable; for watchers, and for who keeps a copy of what its rows say: they hear of a batch
     * before anybody hears an answer or a frame of it, so a token that was answered is known everywhere. */
    void (*notice)(void *ctx, const struct core_batch *batch);
    /* One event was refused for good, since its batch alone was refused: keep it for people to see. */
    void (*quarantine)(void *ctx, const struct core_event *event, const char *why);
};

/* What a takeover found. */
struct engine_journal_key {
    uint64_t batch, epoch;
};

struct engine_taken {
    uint64_t epoch;
    uint32_t incarnation;
    uint64_t batch_newest;
    fl_ms at_newest;    /* the newest journal row's time */
    fl_ms wall;         /* Postgres's clock at the takeover */
    uint64_t job_below; /* ids and batches for which partitions exist */
    uint64_t batch_below;
    struct engine_journal_key keys[ENGINE_INFLIGHT_MAX]; /* from 'batch_from' on */
    size_t keys_len;
};
