/* engine_thread.h - the thread that decides: engine, core and store together, and the inbox before them.
 * Everything else talks to it through engine_thread_adopt, from any thread, and hears of it through the
 * ports, which are called on the engine thread and must neither wait nor call back: they put a copy into
 * their own bounded queue.  What a port is given is borrowed for the call.
 *
 * No turn takes longer than 10 ms: a turn adopts ENGINE_THREAD_ADOPT_MAX events at most, the engine has a
 * budget of its own, and whatever talks to Postgres waits in poll(2) only.  The longest turn is a metric.
 * A signal never comes to this thread. */
#pragma once

#include "controlplane/engine.h"
#include "controlplane/store/store.h"

struct engine_thread;

enum { ENGINE_THREAD_ADOPT_MAX = 1000 };

struct engine_thread_ports {
    void *ctx;
    void (*began)(void *ctx, uint64_t epoch);
    void (*answer)(void *ctx, const struct core_answer *answer);
    void (*send)(void *ctx, const struct core_send *send);
    void (*notice)(void *ctx, const struct core_batch *batch);
    void (*quarantine)(void *ctx, const struct core_event *event, const char *why);
    /* An event of this cluster was not taken, as engine_adopt says: FL_UNAVAILABLE: forget it; else close
     * its session.  A request that is not taken is answered. */
    void (*refused)(void *ctx, struct fl_cluster cluster, enum fl_code code, const char *text);
    /* For the log: what went wrong in the store (store.h); why leading ended: what is "leading"; that part of
     * this database's history is lost, and how much: what is "history". */
    void (*trouble)(void *ctx, const char *what, const char *text);
    /* A turn is over: what it let out can go on its way together.  NULL is fine. */
    void (*turned)(void *ctx);
};

struct engine_thread_config {
    struct engine_config engine;
    struct store_config store; /* conninfo and instance are the caller's to set */
    size_t inbox_max;          /* events between the threads; at it engine_thread_adopt refuses */
    uint32_t stop_ms;          /* how long a stop waits for what is in flight */
};

struct engine_thread_config engine_thread_config_default(void);

/* Starts at once.  The database must have been migrated.  Both structs are copied. */
struct engine_thread *engine_thread_create(const struct engine_thread_config *config,
                                           const struct engine_thread_ports *ports);

/* Any thread.  The event is given away.  False: the inbox is full or the thread stops; the event is
 * destroyed, nothing has happened, and no port is called for it. */
FL_CHECK bool engine_thread_adopt(struct engine_thread *thread, struct engine_event *event,
                                  struct fl_err *err);

/* In two parts, for who has many: each is put, and after the last the thread is woken, in the same turn. */
FL_CHECK bool engine_thread_put(struct engine_thread *thread, struct engine_event *event,
                                struct fl_err *err);
void engine_thread_wake(struct engine_thread *thread);

/* Adopts no more, lets what is in flight be committed, gives up the lease, and ends.  Events that are
 * still waiting are destroyed without an answer.  Called once; returns when the thread has ended. */
void engine_thread_stop(struct engine_thread *thread);
void engine_thread_destroy(struct engine_thread *thread); /* stops if need be; NULL is fine */

struct engine_thread_status {
    enum engine_state state;
    enum engine_breaker breaker;
    char why[256]; /* it does not lead */
    uint64_t epoch;
    uint64_t turns;
    uint32_t turn_longest_us; /* from poll to poll, also when the machine gave the CPU to others */
    uint32_t turn_longest_cpu_us; /* of this thread */
    size_t inbox_len;
    struct engine_stats engine;
    struct store_stats store;
};

/* Any thread; at most 50 ms old. */
struct engine_thread_status engine_thread_status(struct engine_thread *thread);
