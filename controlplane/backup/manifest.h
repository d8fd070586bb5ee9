/* manifest.h - what a backup says about itself: manifest.json, written last.
 * Uses shared/json. */
#pragma once

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define MANIFEST_FILE "manifest.json"
#define MANIFEST_DUMP "database.dump"
#define MANIFEST_STATE "state"

enum { MANIFEST_FORMAT = 1, MANIFEST_BYTES_MAX = 4096 };

struct manifest {
    struct fl_str program; /* the version that made it */
    fl_ms made_at;
    uint64_t schema; /* the newest migration of its database */
    uint64_t batch;  /* the newest before the dump */
    uint64_t dump_bytes;
    struct fl_digest dump_digest;
    uint64_t state_files, state_bytes;
    bool has_logs;
};

void manifest_write(const struct manifest *manifest, struct fl_buf *out);

/* FL_TORN: it is damaged, or lacks a member; FL_UNSUPPORTED: its format is newer. */
FL_CHECK bool manifest_read(struct fl_str text, struct fl_arena *arena,
                            struct manifest *ret_manifest, struct fl_err *err);
