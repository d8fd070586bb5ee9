/* cluster_named_resources.h - the part of cluster_table that is about resources with names.
 * The first calls go behind those of cluster_table that they are named after, with what the same
 * replica or claim asks for by name.  Where it asks for nothing they do nothing; a caller that is
 * often there tests that itself.  The others are cluster_table's own.
 * Uses cluster.h and named_resources. */
#pragma once

#include "controlplane/core/cluster.h"

void cluster_take_named(struct cluster *cluster, uint32_t node, struct named_requests wants);
void cluster_give_named(struct cluster *cluster, uint32_t node, struct named_requests wants);
void cluster_leave_late_named(struct cluster *cluster, uint32_t node, struct named_requests wants);
void cluster_hold_named(struct cluster *cluster, uint32_t node, struct named_requests wants,
                        uint16_t guest_no);
void cluster_unhold_named(struct cluster *cluster, uint32_t node, struct named_requests wants,
                          uint16_t guest_no);
void cluster_claim_named(struct cluster *cluster, uint32_t node, struct named_requests wants);
void cluster_unclaim_named(struct cluster *cluster, uint32_t node, struct named_requests wants);

/* The changes that a report brought. */
struct named_resources_change {
    bool is_resized; /* a total is another one */
    bool is_smaller; /* some total is */
    bool is_less;    /* some total is, whether it has counted so far or not */
    bool is_grown;   /* more of something is free */
};

/* The node is reported with these.  'was_usable': its amounts so far count for the cluster;
 * 'is_usable': the new ones shall. */
struct named_resources_change
cluster_named_resources_report(struct cluster *cluster, struct node *node, bool was_usable,
                               bool is_usable, const struct named_offer *offers, size_t offers_len);

void cluster_named_resources_forget_late(struct node *node);
/* The amounts that were left late are taken off the node's newest report. */
void cluster_named_resources_take_late(struct cluster *cluster, struct node *node);
bool cluster_named_resources_are_late(const struct node *node);
/* Nothing is claimed on the cluster any more; no node of it is known; the first claim comes. */
void cluster_named_resources_clear_claims(struct cluster *cluster);
void cluster_named_resources_end_session(struct cluster *cluster);
void cluster_named_resources_clear_guests(struct node *node);
