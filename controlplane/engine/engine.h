/* engine.h - the one place where events become commits.
 * Events enter, the core steps them into a batch, the batch is committed, and only then are its
 * effects carried out, in order.  Up to two batches are in flight, the second if it is large; later
 * events form the next.  A batch with effects but no rows rides the newest one in flight.
 *
 *   STANDBY --take--> TAKING --taken--> LOADING --loaded--> LEADING
 *      ^                                                       |
 *      +------- from any: refused, lost, deposed --------------+
 *
 * After any failed commit the core is destroyed (it has run ahead), a new epoch is taken
 * exactly as at the start, the newest journal keys tell which batches are durable after all, and a
 * fresh core is loaded: recovery is the start path.  The requests of a refused batch are stepped
 * again, alone for a while, so that only a culprit is refused; new ones are accepted meanwhile, and
 * strangers notice nothing.  An agent's reports are not stepped again: its session is new then, and
 * it reports everything once more.  Failures in a row are spaced out, 0, 200 ms, 400 ms, ... 5 s,
 * so that no trouble becomes a reload loop.
 *
 * The state directory has high-water marks of what was given out (engine_high_water.h): a takeover
 * that finds less in the database tells the core of the loss before anything else.
 *
 * Each request is answered exactly once, or engine_adopt refuses it.
 *
 * The engine does no I/O: it asks the store, which answers through engine_results, and hands its
 * effects to ports (engine_port.h).  Production and the simulator fill the same tables.
 * Not thread-safe: one thread owns it.  Times are that thread's monotonic milliseconds; the core's
 * time goes on from the leader before, as the store's taken->at says (time_rule.h), and is moved by
 * the monotonic clock from there. */
#pragma once

#include "controlplane/core/core.h"
#include "controlplane/engine/engine_breaker.h"
#include "controlplane/engine/engine_event.h"
#include "controlplane/engine/engine_port.h"
#include "controlplane/engine/high_water.h"

struct engine;

enum engine_state {
    ENGINE_STANDBY, /* another leads, or Postgres is away: waits, then takes */
    ENGINE_TAKING,
    ENGINE_LOADING,
    ENGINE_LEADING,
};

struct engine_config {
    struct core_config core;
    uint64_t seed;
    size_t inbox_max;        /* events waiting; at it engine_adopt refuses */
    size_t inbox_bytes_max;  /* the same, but the last one may pass it; no event is larger */
    size_t keys_max;         /* requests with an Idempotency-Key at a time; more are refused */
    size_t batch_jobs_max;   /* 2,000; a batch is closed once it has as many ... */
    size_t batch_bytes_max;  /* ... or as many bytes of rows: 4 MiB; one event is never split */
    size_t batch_memory_max; /* ... or of memory, answers and frames included: 8 MiB */
    size_t held_bytes_max;   /* bytes of batches whose fate is open; at it nothing is stepped */
    size_t inflight_max;     /* 2 */
    /* A batch goes beside another only with so many bytes of rows, 64 KiB: a small one would wait
     * for it anyway, and is larger when it is through. */
    size_t beside_bytes_min;
    /* The budget of one turn, in events; an event that brings or looks at much counts as several.
     * One event always goes. */
    size_t turn_work_max;
    uint32_t alone_ms;       /* one event per batch for so long after a refused batch: 60 s */
    uint32_t away_ms;        /* a commit that takes longer makes the database 'away': 2 s */
    uint32_t unknown_ms;     /* a request whose fate is open for longer is answered so: 10 s */
    uint32_t standby_ms;     /* between attempts to take while another leads: 1 s */
    uint32_t retry_first_ms; /* between attempts to take after failures: 200 ms, doubled to ... */
    uint32_t retry_max_ms;   /* ... 5 s */
    struct high_water found; /* the state directory's, at the start; all 0: there was none */
    uint32_t ids_ahead_min;  /* ids reserved there ahead of need, at least: 2,048 */
    uint32_t batches_kept; /* numbers kept for what agents report when partitions run out: 1,000 */
};

struct engine_config engine_config_default(void);

/* All structs are copied. */
struct engine *engine_create(const struct engine_config *config, const struct engine_store *store,
                             const struct engine_ports *ports, fl_ms now);
void engine_destroy(struct engine *engine); /* gives no more answers; NULL is fine */

/* The room that engine_adopt has before it says FL_FULL; both are 0 then.  The last event may pass
 * the bytes.  A caller with a queue of its own leaves the rest in it. */
struct engine_room {
    size_t events, bytes;
};
struct engine_room engine_room(const struct engine *engine);

/* Takes the event.  False: nothing has happened, and the event is destroyed.  'err' is the answer:
 *   a request   FL_UNAVAILABLE, FL_NO_SPACE, FL_FULL (later), FL_TOO_LARGE, or FL_CONFLICT (its
 *               Idempotency-Key is in use)
 *   an agent's  FL_UNAVAILABLE: forget it, its session is offered again when a term begins.
 *               FL_FULL: hold it and the events behind it, and try again.
 *               Else the session has a gap now: close it, the agent dials again.
 *               FL_DENIED: the engine does not listen to that cluster for a while, since the
 *               database refused the rows that followed from its events. */
FL_CHECK bool engine_adopt(struct engine *engine, struct engine_event *event, fl_ms now,
                           struct fl_err *err);

/* Does what can be done now; never more than the budget of one turn.  New events are taken in each
 * turn, also while the core works off in slices what an earlier one caused. */
void engine_turn(struct engine *engine, fl_ms now);

/* Optional, after a turn and what belongs to it: how long it took goes into the statistics. */
void engine_turned(struct engine *engine, fl_ms now);

/* When the next engine_turn is due without any input; 'now' or earlier: at once. */
fl_ms engine_deadline(const struct engine *engine);

/* The store calls these with its answers, between turns or in its own turn, never from inside a
 * call of the engine's to it. */
struct engine_results engine_results(struct engine *engine);

/* The port's 'keep' has ended. */
void engine_kept(struct engine *engine, bool is_good, fl_ms now);

/* The marks to write last, once no turn follows. */
struct high_water engine_last_water(const struct engine *engine);

/* ---- to look at ------------------------------------------------------------------------------ */

enum engine_state engine_state(const struct engine *engine);
enum engine_breaker engine_breaker(const struct engine *engine);
/* Why it does not lead, or last stopped leading, for the log and for people; never NULL. */
const char *engine_why(const struct engine *engine);
/* The newest takeover's; 0: none. */
uint64_t engine_epoch(const struct engine *engine);
/* How far the database is, by the marks on the disk; agents remember it.  False: it does not
 * lead. */
bool engine_seen(const struct engine *engine, struct core_seen *ret_seen);
/* NULL unless LEADING. */
const struct core *engine_core(const struct engine *engine);

/* Found missing from the database at a takeover. */
struct engine_loss {
    uint64_t jobs_min, jobs_max, batches_min;
};

struct engine_stats {
    uint64_t losses; /* takeovers that found a loss, and the newest one's */
    struct engine_loss loss;
    uint64_t events;       /* stepped */
    uint64_t batches;      /* committed */
    uint64_t batch_newest; /* the newest one, or the newest that the newest term found */
    fl_ms batch_newest_at;
    uint64_t batch_counted; /* the newest one that the ledger of usage has to read */
    uint64_t rows;          /* in them */
    uint64_t takes;         /* attempts to take over */
    uint64_t reloads;       /* cores loaded */
    uint64_t refused;       /* batches that the server refused as poisoned */
    uint64_t quarantined;   /* events */
    fl_ms turn_longest_ms;
    size_t batch_largest_bytes; /* in memory */
    size_t inbox_len, inflight_len, keys_len;
    size_t
        suspects_len; /* events of refused batches; those in the inbox come on top of inbox_max */
};

struct engine_stats engine_stats(const struct engine *engine);
