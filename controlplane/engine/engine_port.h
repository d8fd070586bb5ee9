/* engine_port.h - the engine's three tables: its questions to the store, the store's answers, and
 * the way out for its effects.  The store and the engine hand themselves in, so nothing stands
 * between them; the simulator and tests hand in a store of their own.
 * Types only: the shells that fill the tables include this, and nothing more of the engine.
 * Uses the core's types. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/core/core_event.h"

struct high_water;

enum { ENGINE_INFLIGHT_MAX = 8 }; /* batches; one runs with fewer */

enum engine_commit {
    ENGINE_COMMITTED,
    ENGINE_DEPOSED,  /* 23502 on epoch: somebody else leads */
    ENGINE_RELOAD,   /* 23502 on prev, 23505 on the journal, 25P02 */
    ENGINE_NO_SPACE, /* 53100 */
    ENGINE_AWAY,     /* refused, for what may pass by itself: a lock, a read-only server */
    ENGINE_POISONED, /* refused, for what is in the batch */
    ENGINE_UNKNOWN,  /* the connection went away before the answer, or with a FATAL in its place */
};

/* The findings of a takeover. */
struct engine_journal_key {
    uint64_t batch, epoch;
};

struct engine_taken {
    uint64_t epoch;
    uint32_t incarnation;
    uint64_t batch_newest;
    fl_ms at_newest;    /* the newest journal row's time */
    fl_ms at;           /* the core's time when 'taken' is called: see time_rule.h */
    uint64_t job_below; /* ids and batches for which partitions exist */
    uint64_t batch_below;
    struct engine_journal_key keys[ENGINE_INFLIGHT_MAX]; /* from 'batch_from' on */
    size_t keys_len;
};

/* The store, as it hands itself in.  None of these may call back; the answers come in the store's
 * next turn, as engine_results. */
struct engine_store {
    void *ctx;
    /* Become the leader: one transaction on a new writer connection, the old one is dropped first.
     * 'batch_from': the first batch whose fate is open (0: none); its epoch and those of later ones
     * are to be reported.  The new epoch is greater than 'epoch_above' too.  Answered by 'taken' or
     * 'take_failed'. */
    void (*take)(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now);
    /* Answered by 'load_row' for each row, in the order of core.h, then 'loaded'. */
    void (*load)(void *ctx, fl_ms now);
    /* After 'taken'.  The batch is borrowed until its 'committed', or until 'drop'.  Answered in
     * the order of the calls, once each. */
    void (*commit)(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now);
    /* Forget the writer connection and all that was sent on it.  After this or a new 'take' no
     * result of what was asked before may come, but for 'found'. */
    void (*drop)(void *ctx);
    /* Is this key known?  Answered by 'found', with is_good false when it takes too long. */
    void (*lookup)(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key,
                   fl_ms now);
};

/* Where the engine's effects go.  None of these may call back, but for engine_adopt. */
struct engine_ports {
    void *ctx;
    /* A term began: each open tunnel session is to be offered again as session_open, is_resync.
     * 'core_ahead_ms': by so much the core's time is ahead of the engine's 'now' until the next. */
    void (*began)(void *ctx, uint64_t epoch, fl_ms core_ahead_ms);
    void (*answer)(void *ctx, const struct core_answer *answer);
    void (*send)(void *ctx, const struct core_send *send);
    /* The batch is durable; for watchers, and for read models: they hear of a batch before anybody
     * hears an answer or a frame of it, so a token that was answered is known everywhere. */
    void (*notice)(void *ctx, const struct core_batch *batch);
    /* One event was refused for good, since its batch alone was refused: keep it for people to
     * see. */
    void (*quarantine)(void *ctx, const struct core_event *event, const char *why);
    /* Make these marks durable outside of the database, all or nothing, off this thread; then call
     * engine_kept.  One at a time.  NULL: nothing is remembered there. */
    void (*keep)(void *keep_ctx, const struct high_water *water);
    void *keep_ctx;
};

/* The store's answers: the engine hands this in (engine_results). */
struct engine_results {
    void *ctx;
    void (*taken)(void *ctx, const struct engine_taken *taken, fl_ms now);
    /* FL_DEPOSED: another holds the lease; FL_NO_SPACE: its disk is full; all else: no database. */
    void (*take_failed)(void *ctx, enum fl_code why, fl_ms now);
    void (*load_row)(void *ctx, const struct row *row);
    /* is_good: false, when the connection was lost while loading. */
    void (*loaded)(void *ctx, bool is_good, fl_ms now);
    /* 'text': the server's own words when it refused; NULL is fine. */
    void (*committed)(void *ctx, uint64_t batch, enum engine_commit result, const char *text,
                      fl_ms now);
    /* 'answer' is what core_answer_encode wrote, NULL at: not known. */
    void (*found)(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                  struct fl_str answer, bool is_good, fl_ms now);
    /* More partitions exist. */
    void (*room)(void *ctx, uint64_t job_below, uint64_t batch_below);
    /* The leader's lease is no longer ours, or too old to rely on: stop issuing at once. */
    void (*lease_lost)(void *ctx, fl_ms now);
};
