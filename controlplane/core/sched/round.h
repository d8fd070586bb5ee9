/* round.h - one round of placement: which jobs start and where, why the others wait, and which
 * claims there are.  Pure: it only reads the tables and gives a list of decisions, which the core
 * carries out in their order; a dry run takes a fresh struct round and throws them away.
 * Queues take turns, one start each; within a queue, priority, then age.  A job that fits passes
 * one that fits nowhere now; the first of these in a queue may hold a claim (claim.h).  Jobs with
 * a claim are asked first, the oldest claim before the others, and are bound by older claims
 * only: so two that wait for each other's room cannot both be kept waiting.  A younger claim that
 * cannot be kept beside what starts then is made anew.  A claim that more important work of its own
 * queue uses up ends where it keeps another queue from one.
 * A round ends when nothing more can start, or at its budget, which counts starts and looks; about
 * half of the looks are for jobs that have a claim or want one.  The next one goes on: claims and
 * queues behind those that were asked or served last come first, and a cluster that said no is not
 * asked again until it has grown.  A claim stands while its job is not asked.
 * Uses claim, choose, judge, room and the core's tables.  Not thread-safe. */
#pragma once

#include "controlplane/core/element_table.h"
#include "controlplane/core/sched/claim.h"

/* A round's input. */
struct round_view {
    const struct cluster_table *clusters;
    const struct queue_table *queues;
    const struct job_table *jobs;
    const struct element_table *elements;
    const struct shape_table *shapes;
    struct fl_queue_id queue_served; /* the queue that was served last */
    uint32_t unconfirmed_max, elements_max, claims_percent_max;
    uint32_t starts_max; /* the budget, in starts ... */
    uint64_t looks_max;  /* ... and in heads, clusters and nodes looked at */
};

enum decision_kind {
    DECISION_START,   /* the next element of 'job' starts at 'placement' */
    DECISION_REFUSE,  /* the bucket's head does not start, because of 'why' */
    DECISION_CLAIM,   /* 'job' claims 'claim' for its queue, which has none */
    DECISION_UNCLAIM, /* the queue's claim ends */
};

struct decision {
    enum decision_kind kind;
    struct fl_queue_id queue;
    struct bucket_slot bucket;
    struct job_slot job;
    enum reason why;
    struct placement placement;
    struct claim_draft claim;
};

/* A bucket in a round: the job whose turn it is, and its elements that have not started. */
struct round_head {
    struct bucket_slot bucket;
    struct job_slot job;       /* none: nothing is left */
    struct job_slot line;      /* the first of the bucket's line behind those that were given */
    struct element_slot ready; /* the next of its elements that may start again */
    uint32_t fresh;            /* its elements that never started */
    uint32_t left;             /* so many more of it may start, as far as its parallelism goes */
    bool has_started;          /* something of the bucket starts in this round */
};

/* A queue in a round: its heads by priority and age. */
struct round_turn {
    struct fl_queue_id queue;
    bool has_claimant;    /* its first job that fits nowhere now was met ... */
    size_t claimant;      /* ... in this head */
    bool has_started;     /* something before the job that holds its claim */
    bool is_claim_gone;   /* its claim, as the tables have it, has ended in this round */
    uint32_t asked_len;   /* jobs that were asked whether they could claim room */
    bool has_claimed;     /* it has got a new one, or there was no room for one */
    struct fl_heap heads; /* indices in the round's 'heads' */
};

/* One queue's rank: the shape of its first job that waits for room, its number, lower the longer it
 * has waited for a claim or had one, and the answers it got. */
struct round_rank {
    uint32_t shape; /* id */
    uint64_t no;
    struct shape_memo memo;
    bool is_passed; /* more important work of the queue took of what its claim waits for */
};

struct round {
    struct chooser chooser;
    FL_VEC(struct decision) decisions; /* the newest round's */
    struct fl_queue_id queue_served;   /* likewise */
    uint64_t tried;                    /* heads that were tried, ever */
    FL_VEC(struct round_rank) ranks;   /* by queue id - 1 */
    uint64_t ranks_given;
    struct fl_queue_id turn_from;    /* the first queue that was not served; none: all were */
    uint64_t holder_from;            /* the rank of the first holder that was not asked; 0: none */
    struct fl_arena arena;           /* holds the decisions' lists */
    FL_VEC(struct round_head) heads; /* scratch, as are these */
    FL_VEC(struct round_turn) turns;
    struct fl_heap by_rank;
    uint32_t fresh_started;
};

void round_fini(struct round *round);

/* True: the budget is used up, and there may be more.  The decisions are good until the next
 * round. */
bool round_run(struct round *round, const struct round_view *view);
