/* engine_thread.h - the thread that decides: engine, core and store together on a loop of their
 * own.  All else talks to it through engine_thread_adopt, from any thread, and hears of it through
 * the ports, which are called on the engine thread and must neither wait nor call back: they put a
 * copy into their own bounded queue.  A port's arguments are borrowed for the call.
 *
 * A callback of the loop (a socket of the store, a wake, the timer) only notes that a turn is due.
 * One turn a wake-up does it all, in this order: the store, which knows whether the lease still
 * holds, events in, the engine, and its effects leave together.
 * No turn takes longer than 10 ms: the engine has a budget, and nothing waits but the loop.  The
 * longest turn is a metric.  A signal never comes to this thread. */
#pragma once

#include "controlplane/engine/engine.h"
#include "controlplane/store/store.h"

struct engine_thread;

struct engine_thread_ports {
    struct engine_ports engine; /* the engine's own, called by it */
    void *ctx;
    /* An event of this cluster was not taken, as engine_adopt says: FL_UNAVAILABLE: forget it; else
     * close its session.  A request that is not taken is answered. */
    void (*refused)(void *ctx, struct fl_cluster cluster, enum fl_code code, const char *text);
    /* For the log: "leading" (we stopped leading, text says why), "history" (rows were lost, text
     * says how many), "high_water" (the marks could not be written), or one of store.h's words. */
    void (*trouble)(void *ctx, const char *what, const char *text);
    /* A turn is over: its effects can go on their way together.  NULL is fine. */
    void (*turned)(void *ctx);
};

struct engine_thread_config {
    struct engine_config engine;
    struct store_config store; /* conninfo and instance are the caller's to set */
    size_t handover_max;       /* events between the threads; at it engine_thread_adopt refuses */
    size_t handover_bytes_max; /* the same */
    int state_dir_fd;          /* for the high-water marks; -1: they are not kept */
    uint32_t stop_ms;          /* a stop waits so long for the batches in flight */
};

struct engine_thread_config engine_thread_config_default(void);

/* Starts at once.  The database must have been migrated.  Both structs are copied. */
struct engine_thread *engine_thread_create(const struct engine_thread_config *config,
                                           const struct engine_thread_ports *ports);

/* Any thread.  The event is given away.  False: there is no room or the thread stops; the event is
 * destroyed, nothing has happened, and no port is called for it. */
FL_CHECK bool engine_thread_adopt(struct engine_thread *thread, struct engine_event *event,
                                  struct fl_err *err);

/* In two parts, for a caller with many: each is put, and after the last the thread is woken, in the
 * same turn. */
FL_CHECK bool engine_thread_put(struct engine_thread *thread, struct engine_event *event,
                                struct fl_err *err);
void engine_thread_wake(struct engine_thread *thread);

/* Adopts no more, lets what is in flight be committed, gives up the lease, and ends.  Events that
 * are still waiting are destroyed without an answer.  Called once; returns when the thread has
 * ended. */
void engine_thread_stop(struct engine_thread *thread);
void engine_thread_destroy(struct engine_thread *thread); /* stops if need be; NULL is fine */

struct engine_thread_status {
    enum engine_state state;
    enum engine_breaker breaker;
    char why[256]; /* it does not lead */
    uint64_t epoch;
    uint64_t turns;
    uint32_t turn_longest_us;     /* also when the machine gave the CPU to others */
    uint32_t turn_longest_cpu_us; /* this thread's own */
    size_t handover_len;
    bool is_disputed;      /* agents know of a later database; see core_stats */
    struct core_seen seen; /* see engine_seen; all 0: it does not lead */
    struct engine_stats engine;
    struct store_stats store;
};

/* Any thread; at most 50 ms old. */
struct engine_thread_status engine_thread_status(struct engine_thread *thread);
