/* results.h - the files that replicas left, for a while after their end.
 * A replica's folder is moved here as it is (a rename), then measured, and it goes when its time is
 * over, when it is too large, or when newer ones need its place (result_list.h decides).  Measuring
 * and removing go bit by bit, so a folder with a million files holds up nothing.  A name here says
 * all there is to know: an agent that starts finds what an earlier one kept, and measures it again.
 * Without a folder to keep them in (a full disk), nothing is kept, and all else goes on.
 * Uses shared code, layout.h, result_list and tree_size.  One thread: the loop's. */
#pragma once

#include "agent/process/result_list.h"
#include "shared/io/loop.h"

struct results_port {
    void *ctx;
    /* Takes the folder dir/name away, and removes it with all that is in it, also if this process
     * dies meanwhile.  False: it stays where it is. */
    bool (*sweep)(void *ctx, int dir, const char *name);
};

struct results; /* opaque */

/* The folder 'path' is made if it is absent. */
struct results *results_create(struct fl_loop *loop, const char *path,
                               const struct result_limits *limits, const struct results_port *port);
void results_destroy(struct results *results); /* kept folders stay; NULL is fine */

/* Moves the folder dir/from here, if it has anything in it.  False: it is not, and what is still
 * there is the caller's to remove. */
bool results_take(struct results *results, int dir, const char *from, const char *replica);

/* The kept folder of a replica, open for reading; -1: there is none, and 'err' says why. */
int results_open(struct results *results, const char *replica, struct fl_err *err);

void results_forget(struct results *results); /* all goes, with the notes */

size_t results_len(const struct results *results);   /* entries, with notes */
bool results_is_busy(const struct results *results); /* something is still to be measured */
