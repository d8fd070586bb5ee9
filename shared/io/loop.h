/* loop.h - one thread's loop: descriptors, timers, and calls at the end of a turn ('afters').
 * It is a libev loop that other libraries join: libwebsockets gets fl_loop_ev as its foreign loop.
 * A turn waits, reads the clocks once, calls the due timers and the ready watches, and then the
 * afters.  So fl_loop_now is the same all through a turn, and an after can send in one piece all
 * that the turn gathered.
 *
 * Timers, watches and afters are fields of their owner: they must be off when the owner's memory
 * goes.  They may be set or taken off at any time, also from their own callback, which may free the
 * owner too.  All times are fl_loop_now's, of the monotonic clock.
 *
 * One thread owns a loop and all that is on it; from other threads a mailbox (mailbox.h) is the way
 * in. */
#pragma once

#include <ev.h>

#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_loop;

struct fl_loop *fl_loop_create(void);
void fl_loop_destroy(struct fl_loop *loop); /* all timers and watches are off; NULL is fine */

void fl_loop_run(struct fl_loop *loop); /* until fl_loop_stop */

/* fl_loop_run returns at the end of this turn; if it does not run yet, it will return at once. */
void fl_loop_stop(struct fl_loop *loop);

/* One turn, which waits up to wait_ms for something to do (0: not at all). */
void fl_loop_turn(struct fl_loop *loop, fl_ms wait_ms);

fl_ms fl_loop_now(const struct fl_loop *loop);  /* monotonic, as of this turn's begin */
fl_ms fl_loop_wall(const struct fl_loop *loop); /* since the Unix epoch, as of this turn's begin */
int64_t fl_loop_now_us(const struct fl_loop *loop);     /* fl_loop_now, finer */
struct ev_loop *fl_loop_ev(const struct fl_loop *loop); /* for libraries that join */

/* The longest turn since the last call of this, without the waiting; for a metric. */
int64_t fl_loop_take_longest_us(struct fl_loop *loop);
/* The CPU time of the longest turn of all: its cost, however busy the machine is. */
int64_t fl_loop_longest_cpu_us(const struct fl_loop *loop);

/* ---- timers: any number; each setting gives one call, at or after its time ------------------- */

struct fl_timer {
    struct fl_loop *loop;
    void (*fn)(void *ctx);
    void *ctx;
    fl_ms at;
    uint64_t tie; /* those of equal time come in the order they were set */
    size_t place; /* in the loop's heap, from 1; 0 is off */
};

void fl_timer_init(struct fl_timer *timer, struct fl_loop *loop, void (*fn)(void *ctx), void *ctx);

/* Sets the timer, on or off before.  A time in the past is due in the next turn; if a timer's
 * callback sets it, one millisecond later. */
void fl_timer_at(struct fl_timer *timer, fl_ms at);
void fl_timer_in(struct fl_timer *timer, fl_ms after_ms); /* from fl_loop_now */
void fl_timer_off(struct fl_timer *timer);                /* off already, or zeroed, is fine */
bool fl_timer_is_on(const struct fl_timer *timer);

/* ---- watches: each tells when a descriptor of the caller's is ready -------------------------- */

enum fl_watch_event { FL_WATCH_READ = 1, FL_WATCH_WRITE = 2 };

struct fl_watch {
    ev_io io;
    struct fl_loop *loop;
    void (*fn)(void *ctx, unsigned events);
    void *ctx;
    unsigned events; /* as set; 0 is off */
};

/* Off at first.  A regular file is always ready.  To close a descriptor while it is watched is a
 * bug. */
void fl_watch_init(struct fl_watch *watch, struct fl_loop *loop, int fd,
                   void (*fn)(void *ctx, unsigned events), void *ctx);
void fl_watch_set(struct fl_watch *watch,
                  unsigned events);        /* enum fl_watch_event, or-ed; 0 is off */
void fl_watch_off(struct fl_watch *watch); /* before the descriptor is closed; zeroed is fine */
unsigned fl_watch_events(const struct fl_watch *watch); /* as set; 0 is off */

/* ---- afters: called once at the end of the turn in which they were put ----------------------- */

struct fl_after {
    struct fl_loop *loop;
    void (*fn)(void *ctx);
    void *ctx;
    struct fl_after *next, *prev; /* in a ring; NULL when not put */
};

void fl_after_init(struct fl_after *after, struct fl_loop *loop, void (*fn)(void *ctx), void *ctx);

/* Once put, further puts change nothing.  Put from an after: it is called in the next turn, which
 * comes at once. */
void fl_after_put(struct fl_after *after);
void fl_after_off(struct fl_after *after); /* not put, or zeroed, is fine */
