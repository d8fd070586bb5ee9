/* budget.h - the limit that the replicas of an attempt share, applied to what is stored of them.
 * How long the outputs of an attempt are is read from the index when one of them is long enough to
 * matter, once per attempt while its outputs are looked at one after the other.  Attempts that were
 * found over the limit are remembered, so that what was sealed when they were shorter can be looked
 * at again.
 * A byte that the agent's side did not keep counts like one that it did: it is part of the length.
 * Not thread-safe: the sealer's thread owns it. */
#pragma once

#include "controlplane/logs/index.h"
#include "controlplane/logs/limit_share.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

#define LOG_BUDGET_OVER_MAX 65536

struct log_budget {
    struct log_index *index;
    uint64_t bytes_max; /* of an attempt */
    /* The last look-up. */
    struct fl_attempt attempt;
    bool is_known;
    uint64_t share;
    uint64_t lengths[FL_JOB_REPLICAS_MAX];
    /* Attempts over the limit; one that finds it full waits for its next segment. */
    FL_VEC(struct fl_attempt) over;
    struct fl_map is_over;
};

/* bytes_max: FL_JOB_REPLICAS_MAX or more. */
void log_budget_init(struct log_budget *budget, struct log_index *index, uint64_t bytes_max);
void log_budget_fini(struct log_budget *budget);

/* An earlier look-up may be older than the outputs that come now. */
void log_budget_renew(struct log_budget *budget);

/* The middle to leave out of an output that is at least 'length' long. */
struct log_middle log_budget_middle(struct log_budget *budget, const struct log_key *key,
                                    uint64_t length);

/* Adds to bytes[i] how much of file i would go if it were written anew now.  Attempts of which
 * nothing is in the table any more have been looked at for the last time. */
void log_budget_weigh(struct log_budget *budget, const struct log_sealed_list *files,
                      uint64_t *bytes);
