/* copy_out.h - a file, or a folder with all below it, as a tar archive, a piece at a time.
 * The archive is what every tar program reads: the classic head, with GNU's long names and large
 * numbers where they are needed.  A symbolic link is sent as a link.  A file that cannot be read,
 * and what is neither file, folder nor link, is left out, and 'left_out' hears of it; one that
 * changes its size while it is sent keeps the size that its head said.
 * Uses the file system.  Not thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"

struct copy_out_config {
    const char *path; /* the file or folder */
    const char *name; /* its name in the archive; "." for a folder whose contents are meant */
    void (*left_out)(void *ctx, const char *path, const char *why);
    void *left_out_ctx;
};

struct copy_out; /* opaque */

struct copy_out *copy_out_create(const struct copy_out_config *config, struct fl_err *err);
void copy_out_destroy(struct copy_out *copy); /* NULL is fine */

/* Writes the archive's next bytes; 0: it is whole. */
size_t copy_out_next(struct copy_out *copy, void *ret_bytes, size_t bytes_max);

uint64_t copy_out_files(const struct copy_out *copy);
uint64_t copy_out_bytes(const struct copy_out *copy); /* in files, so far */
