/* copy_in.h - writes the files of an archive below one place of this machine, and nowhere else.
 * The archive comes from a replica and is not trusted: a path with '..', an absolute one, and one
 * outside the name that was asked for end it; a link is left out, and none is followed here.
 * A file is written beside its place and then renamed, so a copy that is cut off leaves what was
 * there before, and half a file is never seen.
 * Uses the file system.  Not thread-safe. */
#pragma once

#include "cli/tar_reader.h"

struct copy_in_config {
    const char *base;   /* the archive's first name, "model"; ".": a folder's contents */
    const char *folder; /* where to write ... */
    const char *name;   /* ... and what takes the place of 'base' there; ".": the folder itself */
    void (*left_out)(void *ctx, const char *path, const char *why);
    void *left_out_ctx;
};

struct copy_in; /* opaque */

struct copy_in *copy_in_create(const struct copy_in_config *config, struct fl_err *err);
void copy_in_destroy(struct copy_in *copy); /* removes what was only begun; NULL is fine */

FL_CHECK bool copy_in_put(struct copy_in *copy, struct fl_str bytes, struct fl_err *err);
/* False: the archive is not whole, or there was nothing in it. */
FL_CHECK bool copy_in_end(const struct copy_in *copy, struct fl_err *err);

uint64_t copy_in_files(const struct copy_in *copy);
uint64_t copy_in_bytes(const struct copy_in *copy);
