/* cluster.h - a cluster as the core knows it: its agent's session, its nodes, their free resources,
 * and who waits for what there.  cluster_table.h says how nodes come and go.
 * Uses shared/base only. */
#pragma once

#include "controlplane/core/core_event.h"
#include "controlplane/core/named_resources.h"
#include "controlplane/core/slot.h"
#include "shared/base/map.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

enum {
    CLUSTER_UUID_MAX = 36,
    CLUSTER_NODE_NAME_MAX = 253,
    CLUSTER_NODE_LABELS_MAX = 8192,
    CLUSTER_NODE_NUMBER_MAX = 65535,
};

_Static_assert(FL_JOB_REPLICAS_MAX *(CLUSTER_NODE_NAME_MAX + 1) <= FL_JOB_NODES_BYTES_MAX,
               "a row of an attempt names a node for each replica, a line each");

/* A node counts with no more memory than this, so that no sum over a cluster's nodes wraps. */
#define CLUSTER_NODE_MEMORY_MAX ((uint64_t)1 << 46)

enum cluster_state { CLUSTER_ENROLLED = 1, CLUSTER_REMOVED = 2 };

struct node {
    struct fl_str name;   /* owned; empty: a hole, and all else is zero */
    struct fl_str labels; /* owned; "key=value\n", sorted */
    struct fl_str taints; /* owned; the hard ones, as lines of taint.h */
    struct fl_resources total, free;
    struct fl_resources_sum owed;    /* taken beyond what was free */
    struct fl_resources_sum held;    /* by replicas of live attempts; not in 'free' */
    struct fl_resources_sum claimed; /* for jobs that wait, once enough of 'held' has ended */
    struct fl_resources_sum guests;  /* the part of 'held' that has come beside those claims */
    struct fl_resources_sum late;    /* for STARTs given up that its agent may not have read yet */
    uint64_t late_seq;               /* the last of those */
    struct named_resources named;    /* the same of all resources that have names */
    uint16_t claim_no;               /* grows when the node's first claim comes */
    uint64_t session;  /* the session that last reported it; another one: its numbers are old */
    uint32_t number;   /* the agent's own, good in that session */
    uint64_t stamp;    /* the stamp of the event that last reported it */
    uint32_t replicas; /* so many replicas of live attempts are on it */
    bool is_ready;
    bool has_limits; /* its labels say FL_NODE_LIMITS */
};

/* A replica that the agent holds, whose job's number the database has lost. */
struct stray {
    struct fl_attempt attempt;
    fl_ms stop_at;
};

/* One life of a cluster's agent, from its start to its end, and its newest connection. */
struct cluster_life {
    uint64_t boot; /* 0: none */
    uint64_t connection;
    fl_ms at; /* when another life followed it, or when it was refused since; lives[0] has 0 */
};

enum { CLUSTER_LIVES_MAX = 4 };

/* Elements for which a reply is due, the oldest command first. */
struct cluster_replies {
    struct element_slot first, last;
    fl_ms at; /* when the timer is due; 0: none is set */
};

struct cluster {
    struct fl_cluster id;
    uint8_t state; /* enum cluster_state */
    char name[FL_NAME_BYTES_MAX + 1];
    char uid[FL_CLUSTER_UID_BYTES_MAX + 1];
    char cordon[CORE_REASON_BYTES_MAX + 1]; /* why it takes no new work; empty: it does */
    char uuid[CLUSTER_UUID_MAX + 1];        /* in its certificates; empty: it has none */
    uint8_t access;                         /* enum core_access */
    bool is_draining;     /* its attempts are being stopped, to run elsewhere; it is cordoned too */
    uint64_t generation;  /* its newest certificate carries it */
    uint64_t seen;        /* the newest generation that an agent has shown */
    fl_ms seen_at;        /* when an agent showed it, or this core began; not stored */
    struct fl_digest key; /* SHA-256 of its newest certificate's public key */

    struct cluster_life lives[CLUSTER_LIVES_MAX]; /* not stored; the newest first */
    uint64_t twin_told; /* the life that was audited as a second one last */

    uint64_t session_epoch; /* the newest session's; grows by one with each */
    uint64_t connection;
    bool is_connected;
    bool is_inventoried; /* its inventory is complete */
    bool is_reconciled;  /* ... and all that lives there was compared with it */
    bool is_silent;      /* for so long that its attempts are unknown */
    fl_ms silent_at;     /* since when, as far as this core knows; valid while is_silent */
    bool is_known; /* it has reported a node, or the end of its list, since this core was loaded */
    bool was_listed; /* ... and in one session at least all of them */
    bool ends_nodes; /* this session says so when it has */
    bool is_cut;     /* there are more nodes than this session reports, or than were taken */
    fl_ms told_at;   /* when a session last reported a node that was new in it; not stored */
    bool has_shrunk; /* since this core was loaded; not stored */
    fl_ms shrunk_at; /* a node last went then, or got less of something; valid if has_shrunk */
    bool has_images;
    uint8_t names_len; /* names of resources that it was the first to offer, in this core's life */
    /* When its silence becomes 'unknown'; 0: it has listed what it holds, or is silent already, or
     * the clock is frozen. */
    fl_ms lost_at;
    fl_ms resend_at;      /* when waiting for its nodes ends; 0: nothing waits */
    uint64_t control_seq; /* number of this session's last command */
    uint64_t report_seq;  /* number of this session's last report */
    bool is_ack_due;
    fl_ms inventory_at; /* when its timer is due; 0: it owes no inventory, or has no session */
    uint32_t inventory_len;
    uint64_t inventory_digest;
    FL_VEC(struct stray) strays;
    struct fl_map strays_known; /* their attempts */

    FL_VEC(struct node) nodes;
    struct fl_map nodes_by_name; /* -> index */
    FL_VEC(uint32_t) by_number;  /* index + 1; 0: none */
    FL_VEC(uint32_t) holes;      /* indices */
    uint32_t told_len;           /* nodes that this session has reported */
    uint32_t ready_len;          /* those of them that are ready */
    uint32_t limited_len;        /* and those of these that have limits */
    uint32_t tainted_len;        /* nodes with taints, of all sessions */
    bool is_listed;              /* this session has reported all nodes: a missing one is gone */
    struct fl_resources_sum total_sum,
        free_sum;                             /* over the ready nodes that this session reported */
    struct named_resources named;             /* total, free and claimed over the same nodes */
    uint32_t node_cursor;                     /* where the next search starts */
    uint64_t grown_at;                        /* stamp of when something last became free */
    uint64_t totals_at;                       /* stamp of when what it could hold last changed */
    struct fl_cluster grown_prev, grown_next; /* the one that grew last first */
    bool is_load_changed;                     /* it is in the table's loads_changed */
    uint64_t room_changes; /* how often the room of its nodes, once all have ended, has changed */
    uint32_t claims_len;   /* claims on its nodes */
    struct fl_resources_sum claimed_sum; /* over all these claims */
    bool is_claim_broken;                /* a claimed node is not what it was: drop them all */

    struct element_slot live_first;
    uint32_t live_len;

    /* All attempts there are walked in slices, see core_session_sweep. */
    bool is_swept;
    bool is_swept_again;          /* something changed meanwhile: another walk follows */
    struct element_slot sweep_at; /* the next */
    uint64_t sweep_session;       /* its inventory was complete when the walk began; 0: none was */
    /* STARTs that no node report includes yet, oldest first. */
    struct element_slot unmarked_first, unmarked_last;
    struct cluster_replies replies[ELEMENT_REPLY_LEN]; /* START and STOP without an answer */
    uint32_t unconfirmed; /* live attempts that the agent has not reported */
    uint32_t resend_len;  /* live attempts whose START waits to be sent again */
};

/* Whether the node's numbers are of this session, and it takes work. */
static inline bool cluster_node_is_usable(const struct cluster *cluster, const struct node *node)
{
    return node->is_ready && node->session == cluster->session_epoch;
}

static inline bool cluster_node_is_claimed(const struct node *node)
{
    return !fl_resources_sum_is_zero(node->claimed) || named_resources_are_claimed(&node->named);
}
