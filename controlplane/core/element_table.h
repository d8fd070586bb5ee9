/* element_table.h - elements that have started and not ended, each with its newest attempt.
 * An element either has a live attempt on one cluster, or waits (for a while, or for its turn) for
 * the next one.  Attempts are numbered from 1 without gaps; the number is never used again.
 * Uses shared/base only.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/slot.h"
#include "shared/base/assert.h"
#include "shared/base/replica.h"
#include "shared/base/slab.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

#define ELEMENT_NODE_NONE UINT32_MAX

enum element_place {
    ELEMENT_LIVE,    /* its newest attempt has not ended */
    ELEMENT_WAITING, /* until wait_until */
    ELEMENT_READY,   /* in its job's ready list */
};

struct element_replica {
    uint32_t node;     /* index in its cluster's nodes */
    uint8_t state;     /* enum fl_replica_state */
    bool is_held : 1;  /* its resources are deducted from that node */
    bool is_seen : 1;  /* the agent has reported it in this session */
    bool is_gone : 1;  /* its agent has none of it: no more of its output comes */
    uint16_t guest_no; /* cluster_hold's, for cluster_unhold */
};

struct element {
    struct job_slot job;
    uint32_t element;
    struct fl_cluster cluster; /* the newest attempt is there */
    uint32_t incarnation;
    uint16_t n;               /* number of the newest attempt */
    uint16_t failures;        /* attempts that count against the retries */
    uint16_t misses;          /* attempts in a row that ended otherwise */
    uint8_t node_losses;      /* NodeLost since the last failure of its own; at most 3 */
    uint8_t place;            /* enum element_place */
    struct element_slot next; /* in the ready list */
    fl_ms wait_until;         /* valid while waiting */

    /* These fields are a live attempt's. */
    struct element_slot cluster_prev, cluster_next;   /* the live attempts of its cluster */
    struct element_slot unmarked_prev, unmarked_next; /* as its cluster's unmarked_first */
    uint64_t session;   /* the cluster's session in which all up to is_resend hold; else none */
    uint64_t start_seq; /* control_seq of its START; 0: node reports include it */
    struct element_slot reply_prev, reply_next; /* in its cluster's line */
    fl_ms reply_since;                          /* when the command was given */
    uint8_t reply_due;                          /* enum element_reply */
    bool is_go_sent, is_stop_sent;
    bool is_seen;      /* the agent has reported it */
    bool is_judged;    /* compared with the inventory */
    bool is_resend;    /* its START is to be sent again once its nodes are known */
    bool is_sent;      /* this very core sent its START */
    bool is_reported;  /* an agent has reported it in the life of this core */
    bool is_running;   /* counted in its job's 'running' */
    bool is_cut_short; /* a replica ended after STOP was due, and not by itself, or perhaps not */
    bool is_unknown;   /* counted in its job's 'unknown' */
    bool is_overdue;   /* counted in its job's 'overdue' */
    uint16_t stop;     /* enum reason: why it is being stopped; none: it is not, but for what
                              core_attempt_stop_reason says */
    uint16_t why;      /* enum reason of the first failing replica; none: none has failed */
    uint32_t first_replica;
    int32_t exit_code;
    uint32_t replicas_len;
    uint32_t created; /* replicas that exist, or did */
    uint32_t ended;
    struct fl_usage usage;      /* the ended replicas' */
    struct element_replica one; /* the replica of a plain job, so that it costs no allocation */
    struct element_replica *many;
};

struct element_table {
    struct fl_slab elements;
};

void element_table_init(struct element_table *table, uint32_t elements_max);
void element_table_fini(struct element_table *table);

static inline struct element *element_table_at(const struct element_table *table,
                                               struct element_slot slot)
{
    return fl_slab_at(&table->elements, slot.n);
}

/* None: elements_max are there.  The core gives more room than it starts elements, since a load
 * holds for a while also those whose ends come later. */
struct element_slot element_table_add(struct element_table *table);
void element_table_remove(struct element_table *table, struct element_slot slot);

/* Forgets what held in an older session of its cluster. */
void element_begin_session(struct element *element, uint64_t session);

static inline void element_enter_session(struct element *element, uint64_t session)
{
    if (element->session != session) element_begin_session(element, session);
}

/* Room for the replicas of a new attempt, all pending; the replicas before are gone. */
void element_set_replicas(struct element *element, uint32_t replicas_len);

static inline struct element_replica *element_replica(struct element *element, uint32_t i)
{
    fl_assert(i < element->replicas_len);
    return element->many ? &element->many[i] : &element->one;
}
