/* node_table.h - the nodes the agent knows, the resources of its own replicas on each, and when
 * each node must be reported.  A node that is gone stays as long as replicas are charged to it, so
 * that it comes back with the right sum.
 * Uses shared/base only.  Not thread-safe. */
#pragma once

#include "shared/base/amounts.h"
#include "shared/base/heap.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"

struct node {
    uint32_t number;
    uint32_t charges; /* how many replicas are summed up in 'own' */
    struct fl_resources_sum own;
    struct fl_resources total, foreign;
    struct fl_amounts own_named, total_named, foreign_named; /* the same by name; clones */
    char *name, *labels, *taints;                            /* owned */
    size_t name_len, labels_len, taints_len;
    fl_ms next_at; /* no report before this time, unless urgent */
    bool is_here;  /* seen, and not gone since */
    bool is_ready;
    bool is_changed; /* differs from its last report, or must be reported for the mark */
    bool is_urgent;  /* in 'urgent' */
    bool is_timed;   /* in 'timed' */
    bool is_untold;  /* this session has not reported it yet, and will: it is urgent */
};

struct node_slot {
    uint32_t number;
    struct node *node;
};

struct node_table {
    FL_VEC(struct node_slot) nodes; /* sorted by number */
    FL_VEC(uint32_t) urgent;        /* node numbers, in the order they became urgent */
    size_t urgent_taken;            /* how many at the front of 'urgent' were reported */
    struct fl_heap timed;           /* numbers by next_at, each at most once */
    uint32_t here_len;
    uint32_t untold_len;
};

/* {0} is an empty table. */
void node_table_fini(struct node_table *table);

struct node *node_table_find(const struct node_table *table, uint32_t number); /* NULL: none */

/* A node as its runtime describes it; borrowed. */
struct node_facts {
    bool is_ready;
    struct fl_str name, labels, taints;
    struct fl_resources total, foreign;
    struct fl_amounts total_named, foreign_named;
};

/* Replaces what is known of the node, or adds it.  True: something changed. */
bool node_table_see(struct node_table *table, uint32_t number, const struct node_facts *facts);
void node_table_leave(struct node_table *table, struct node *node); /* keeps its name to report */

void node_table_charge(struct node_table *table, uint32_t number, struct fl_resources resources,
                       const struct fl_amounts *named);
void node_table_uncharge(struct node_table *table, uint32_t number, struct fl_resources resources,
                         const struct fl_amounts *named);

/* total - foreign - own, never below nothing. */
struct fl_resources node_table_free(const struct node *node);
uint64_t node_table_free_named(const struct node *node, struct fl_str name);

/* The node must be reported: at its time, or (is_urgent) at once. */
void node_table_touch(struct node_table *table, struct node *node, bool is_urgent);

/* A session begins: it reports each node that is here, at once. */
void node_table_touch_all(struct node_table *table);

/* The next one to report at 'now', NULL: no node is due.  Settle it before anything else. */
struct node *node_table_take_due(struct node_table *table, fl_ms now);

/* The node was reported.  Forgets it if it is gone and no replica is charged to it. */
void node_table_settle(struct node_table *table, struct node *node, fl_ms next_at);

/* When take_due is worth a call; INT64_MAX: never. */
fl_ms node_table_due_at(const struct node_table *table, fl_ms now);

/* No node needs a report any more, not even one that is gone. */
void node_table_clear_due(struct node_table *table);

uint64_t node_table_hash(const struct node_table *table, uint64_t so_far);
void node_table_check(const struct node_table *table);
