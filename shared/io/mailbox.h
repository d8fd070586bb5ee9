/* mailbox.h - letters from any thread to a loop.
 * Many threads put, the loop's thread gets them in one order, a call each.  A letter is the first
 * thing of the caller's own struct (or found by its offset) and belongs to the mailbox from put
 * until it is handed to 'fn' or taken.  A put never waits: at letters_max, or after close, a put
 * is refused and the letter stays the caller's.  However many are put while the loop is busy, it is
 * woken once.  One turn gets at most FL_MAILBOX_TURN_MAX letters, so that a flood leaves the loop's
 * descriptors their share.
 * put, close and len are for any thread; create, destroy and take for the loop's (destroy also
 * after it has ended), destroy after the last put. */
#pragma once

#include "shared/base/err.h"
#include "shared/io/loop.h"

enum { FL_MAILBOX_TURN_MAX = 512 };

struct fl_letter {
    struct fl_letter *next; /* the mailbox's */
};

struct fl_mailbox;

/* 'fn' must not destroy the mailbox. */
struct fl_mailbox *fl_mailbox_create(struct fl_loop *loop, size_t letters_max,
                                     void (*fn)(void *ctx, struct fl_letter *letter), void *ctx);

/* Frees no letters: close, then take what is left.  NULL is fine. */
void fl_mailbox_destroy(struct fl_mailbox *mailbox);

FL_CHECK bool fl_mailbox_put(struct fl_mailbox *mailbox, struct fl_letter *letter);
void fl_mailbox_close(struct fl_mailbox *mailbox); /* letters inside still arrive; twice is fine */

/* The oldest letter, past 'fn'; NULL: empty. */
struct fl_letter *fl_mailbox_take(struct fl_mailbox *mailbox);
size_t fl_mailbox_len(struct fl_mailbox *mailbox);
