/* copy_tree.h - copies a folder with all in it while others may work in the original.
 * A file that is replaced or removed meanwhile does no harm: the folder is then gone through again,
 * and files that are there already are not copied twice.  Files keep mode and time; under root all
 * of the copy gets one owner.  Neither links nor pipes are copied.  Blocks on the disk. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "shared/base/err.h"

enum { COPY_TREE_DEPTH_MAX = 16, COPY_TREE_PASSES_MAX = 64 };

struct copy_tree {
    const char *without; /* a name in the top folder that is left out; NULL: none */
    uid_t uid;           /* under root: the owner of the copy */
    gid_t gid;
    void (*on_more)(void *ctx, const struct copy_tree *copy); /* after each file; NULL is fine */
    void *ctx;
    uint64_t files, bytes; /* counted here */
};

/* 'to' is made if it is not there; files of the same name are replaced. */
FL_CHECK bool copy_tree(struct copy_tree *copy, const char *from, const char *to,
                        struct fl_err *err);

/* Removes a folder with all in it; one that is not there is fine. */
FL_CHECK bool copy_tree_remove(const char *path, struct fl_err *err);
