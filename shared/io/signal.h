/* signal.h - signals as calls on a loop.
 * fl_signals_block comes first in main, before any thread: SIGINT, SIGTERM, SIGHUP, SIGUSR1 and
 * SIGCHLD then wait for the loop that has fl_signals, and SIGPIPE is ignored. */
#pragma once

#include "shared/io/loop.h"

struct fl_signals;

void fl_signals_block(void);

/* In a child between fork and exec: undoes what fl_signals_block did. */
void fl_signals_restore(void);

/* One per process.  'fn' is called on the loop's thread; equal signals that wait together give one
 * call. */
struct fl_signals *fl_signals_create(struct fl_loop *loop, void (*fn)(void *ctx, int number),
                                     void *ctx);
void fl_signals_destroy(struct fl_signals *signals); /* NULL is fine */
