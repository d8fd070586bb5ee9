/* core_fold.h - the rows of a core's batches, kept and judged as the store would, and folded into a core.
 * Each row goes through its bytes, as in the journal.  What the schema would refuse (a job that ends twice,
 * an attempt that does not follow) is an assertion here, so that a test need not ask.
 * Uses shared/base and the core's contract only. */
#pragma once

#include "controlplane/core/core.h"
#include "shared/base/arena.h"
#include "shared/base/page_map.h"
#include "shared/base/vec.h"

struct core_fold {
    struct fl_arena arena;
    FL_VEC(struct row) rows; /* all of them, in their order */
    uint64_t hash;           /* over their bytes */
    uint64_t job_newest;
    struct fl_page_map
        started; /* job and element -> 1 + number of the newest attempt, with a live bit */
    struct fl_page_map jobs; /* job -> 1: open, 2: ended */
};

/* {0} is an empty fold. */
void core_fold_add(struct core_fold *fold, const struct core_batch *batch);
void core_fold_fini(struct core_fold *fold);

/* What a store would load, in the order of core.h.  The core is fresh and not begun. */
void core_fold_load(const struct core_fold *fold, struct core *core);
