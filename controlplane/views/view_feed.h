/* view_feed.h - passes rows to a view; the engine thread never waits for a reader.
 *
 *   engine thread:  push ──> [rows that came]      no lock: one exchange of a pointer
 *   readers:        lock ──> fold what came, in order ──> look ──> unlock
 *
 * A reader that was descheduled in the middle holds up readers only.  A row that was pushed is seen
 * by each lock after that.  If no reader comes, push folds the rows itself, when the lock is free.
 * One thread pushes (or several, one at a time); any thread locks. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "controlplane/core/row.h"

struct view_feed_row;

/* The fields are view_feed.c's. */
struct view_feed {
    pthread_mutex_t mutex;
    void (*fold)(void *view, const struct row *row); /* under the lock */
    void *view;
    _Atomic(struct view_feed_row *) came;   /* newest first */
    _Atomic(struct view_feed_row *) folded; /* push frees them, so that readers need not */
    size_t pushed;                          /* rows since push last folded; the pushing thread's */
};

void view_feed_init(struct view_feed *feed, void (*fold)(void *view, const struct row *row),
                    void *view);
void view_feed_fini(struct view_feed *feed);

void view_feed_push(struct view_feed *feed, const struct row *row); /* copies */

void view_feed_lock(struct view_feed *feed);
void view_feed_unlock(struct view_feed *feed);
