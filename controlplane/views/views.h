/* views.h - the read models that all fronts share, behind one interface.
 * A view is the fold of some kinds of rows; it answers questions without the core.  views.def lists
 * the views: a new one is a line there and its own file.
 *
 *   engine thread   views_apply: each row of each committed batch, before the batch's answers leave
 *   first front     views_refill: at the start of a term, since a batch whose fate was unknown
 *                   gives no notice; rows from the store replace all but those applied meanwhile
 *   any front       the views' own questions
 *
 * views_apply never waits for a reader (view_feed.h).  Caches of bounded size (specs, owners) and
 * streams (events) are no views: they belong to their front.
 * Thread-safe, but for create and destroy. */
#pragma once

#include "controlplane/core/row.h"

#define VIEW(name, type) struct type;
#include "controlplane/views/views.def"
#undef VIEW

struct views {
#define VIEW(name, type) struct type *name;
#include "controlplane/views/views.def"
#undef VIEW
};

struct views *views_create(void);
void views_destroy(struct views *views); /* NULL is fine */

void views_apply(struct views *views, const struct row *row);

void views_refill_begin(struct views *views);
void views_refill_row(struct views *views, const struct row *row);
void views_refill_end(struct views *views);
