/* usage_cache.h - the jobs, and the beginnings of attempts, in the newest rows of the journal:
 * their starts and ends need no look into the tables.  A job that had to be looked up is kept, too.
 * It holds for one walk through the journal without a hole; after a hole it is emptied, since an
 * attempt may have ended there.  It forgets the oldest half when it is full, and what it does not
 * know has to be looked up.  Strings are copied.  Uses shared/base and the rows.  Pure. */
#pragma once

#include "controlplane/core/row.h"
#include "shared/base/arena.h"
#include "shared/base/map.h"
#include "shared/base/types.h"

struct usage_job {
    uint32_t tenant, queue;
    fl_ms submitted_at;   /* 0: not known */
    struct fl_str owner;  /* empty: not known */
    struct fl_str labels; /* "key=value\n" lines */
    struct fl_digest spec;
};

/* An attempt: the n-th of the element. */
struct usage_nth {
    uint64_t job;
    uint32_t element;
    uint32_t n;
};

struct usage_half {
    struct fl_map jobs;   /* id -> its address in the arena */
    struct fl_map begins; /* usage_nth -> when */
    struct fl_arena arena;
};

struct usage_cache { /* {0} is empty */
    struct usage_half young, old;
};

enum {
    USAGE_HALF_MAX = 20000, /* jobs, or attempts, in one half */
    USAGE_HALF_BYTES_MAX = 4 << 20,
};

void usage_cache_empty(struct usage_cache *cache);

void usage_cache_job(struct usage_cache *cache, const struct row_job_new *job, fl_ms at);
/* It was looked up, and need not be again. */
void usage_cache_keep(struct usage_cache *cache, uint64_t id, const struct usage_job *job);
/* It was edited: its row says more now. */
void usage_cache_forget(struct usage_cache *cache, uint64_t job);
/* NULL: it is not known.  Good until the next call that adds something. */
const struct usage_job *usage_cache_find(const struct usage_cache *cache, uint64_t job);

void usage_cache_began(struct usage_cache *cache, const struct usage_nth *attempt, fl_ms at);
/* False: it is not known.  It is forgotten, so that it ends once. */
bool usage_cache_ended(struct usage_cache *cache, const struct usage_nth *attempt,
                       fl_ms *ret_began_at);
