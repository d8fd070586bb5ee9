/* assets.h - the files of the web application: they are part of the program.
 * The front end's build (build.mjs) writes them, and their list, into built/, which is in the
 * repository: a machine without Node builds the whole product.  A program that was built with
 * -DFAIRLEAD_UI=OFF has none.
 * Uses shared/base only.  Thread-safe: they are constants. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"

/* The page of each path of the application; all other files have paths that change with them. */
#define ASSET_PAGE "/"

struct asset {
    const char *content_type;
    struct fl_str body;
    bool is_gzip; /* the body is compressed */
};

/* 'path' as it came: "/ui/app-1a2b3c4d.js".  False: there is no file of that path. */
bool asset_find(struct fl_str path, struct asset *ret_asset);
