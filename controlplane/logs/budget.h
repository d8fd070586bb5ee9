/* budget.h - which bytes of an output to drop, so that the replicas of an attempt keep their limit.
 * It reads the lengths of an attempt's outputs from the index when one of them is long enough to
 * matter, once for each attempt while its outputs come one after the other.  It remembers attempts
 * over the limit, so that files that were sealed when they were shorter are trimmed later.
 * The length includes bytes that the agent's side dropped.
 * Not thread-safe: the sealer's thread owns it. */
#pragma once

#include "controlplane/logs/index.h"
#include "controlplane/logs/limit_share.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

#define LOG_BUDGET_OVER_MAX 65536

struct log_budget {
    struct log_index *index;
    uint64_t bytes_max; /* an attempt's limit */
    /* The last look-up. */
    struct fl_attempt attempt;
    bool is_known;
    uint64_t share;
    uint64_t lengths[FL_JOB_REPLICAS_MAX];
    /* Attempts over the limit; when it is full, an attempt is added with its next segment. */
    FL_VEC(struct fl_attempt) over;
    struct fl_map is_over;
};

/* bytes_max: FL_JOB_REPLICAS_MAX or more. */
void log_budget_init(struct log_budget *budget, struct log_index *index, uint64_t bytes_max);
void log_budget_fini(struct log_budget *budget);

/* Forgets the last look-up, which may be older than the outputs that come now. */
void log_budget_renew(struct log_budget *budget);

/* The middle to leave out of an output that is at least 'length' long. */
struct log_middle log_budget_middle(struct log_budget *budget, const struct log_key *key,
                                    uint64_t length);

/* Adds to bytes[i] how much a rewrite of file i would remove now.  Forgets attempts that have no
 * output in the index any more. */
void log_budget_weigh(struct log_budget *budget, const struct log_sealed_list *files,
                      uint64_t *bytes);
