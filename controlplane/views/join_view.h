/* join_view.h - the digests of the join tokens that the core knows, for every front.
 * A stranger's request to enrol is refused here, before its signature costs anything and before
 * the core is asked.  The core decides whether a token that is known still counts: a used one is
 * known until it expires, since the answer may have been lost.
 * Thread-safe, as token_table.h. */
#pragma once

#include "controlplane/core/row.h"

struct join_view;

struct join_view *join_view_create(void);
void join_view_destroy(struct join_view *view); /* NULL is fine */

/* Applies ROW_join_put and ROW_join_drop; ignores other rows. */
void join_view_apply(struct join_view *view, const struct row *row);

/* A refill replaces all, but for the rows that were applied while it ran. */
void join_view_refill_begin(struct join_view *view);
void join_view_refill_row(struct join_view *view, const struct row *row);
void join_view_refill_end(struct join_view *view);

enum join_known {
    JOIN_UNKNOWN,
    JOIN_NOT_READ, /* not found, but tokens are being read: ask again */
    JOIN_KNOWN
};

enum join_known join_view_find(struct join_view *view, const struct fl_digest *token);
