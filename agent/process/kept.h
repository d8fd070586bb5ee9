/* kept.h - the files that replicas left, for a while after their end.
 * A replica's folder is moved here as it is (a rename), then measured, and it goes when its time is
 * over, when it is too large, or when newer ones need its place (kept_list.h decides).  Measuring
 * and removing go bit by bit, so a folder with a million files holds up nothing.  A name here says
 * all there is to know: an agent that starts finds what an earlier one kept, and measures it again.
 * Without a folder to keep them in (a full disk), nothing is kept, and all else goes on.
 * Uses shared code, layout.h, kept_list and tree_size.  One thread: the loop's. */
#pragma once

#include "agent/process/kept_list.h"
#include "shared/io/loop.h"

struct kept_port {
    void *ctx;
    /* Takes the folder dir/name away, and removes it with all that is in it, also if this process
     * dies meanwhile.  False: it stays where it is. */
    bool (*sweep)(void *ctx, int dir, const char *name);
};

struct kept; /* opaque */

/* The folder 'path' is made if it is absent. */
struct kept *kept_create(struct fl_loop *loop, const char *path, const struct kept_limits *limits,
                         const struct kept_port *port);
void kept_destroy(struct kept *kept); /* kept folders stay; NULL is fine */

/* Moves the folder dir/from here, if it has anything in it.  False: it is not, and what is still
 * there is the caller's to remove. */
bool kept_take(struct kept *kept, int dir, const char *from, const char *replica);

/* The kept folder of a replica, open for reading; -1: there is none, and 'err' says why. */
int kept_open(struct kept *kept, const char *replica, struct fl_err *err);

void kept_forget(struct kept *kept); /* all goes, with the notes */

size_t kept_len(const struct kept *kept);   /* entries, with notes */
bool kept_is_busy(const struct kept *kept); /* something is still to be measured */
