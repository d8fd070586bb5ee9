#include "controlplane/core/cluster_named_resources.h"

#include "shared/base/assert.h"

/* ---- replicas take and hold ------------------------------------------------------------------ */

static void take(struct cluster *cluster, const struct node *node, struct named_resource *resource,
                 uint64_t amount)
{
    uint64_t taken = named_resource_take(resource, amount);

    if (cluster_node_is_usable(cluster, node)) {
        named_resources_need(&cluster->named, resource->number)->free -= taken;
    }
}

void cluster_take_named(struct cluster *cluster, uint32_t i, struct named_requests wants)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        take(cluster, node, named_resources_need(&node->named, wants.numbers[k]), wants.amounts[k]);
    }
}

void cluster_give_named(struct cluster *cluster, uint32_t i, struct named_requests wants)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        uint64_t given;

        if (wants.amounts[k] == 0) continue;
        given = named_resource_give(named_resources_need(&node->named, wants.numbers[k]),
                                    wants.amounts[k]);
        if (cluster_node_is_usable(cluster, node)) {
            named_resources_need(&cluster->named, wants.numbers[k])->free += given;
        }
    }
}

void cluster_leave_late_named(struct cluster *cluster, uint32_t i, struct named_requests wants)
{
    struct node *node = &cluster->nodes.at[i];

    if (node->session != cluster->session_epoch) return; /* it went, and counts no more */
    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        named_resources_need(&node->named, wants.numbers[k])->late += wants.amounts[k];
    }
}

void cluster_hold_named(struct cluster *cluster, uint32_t i, struct named_requests wants,
                        uint16_t guest_no)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        struct named_resource *resource;

        if (wants.amounts[k] == 0) continue;
        resource = named_resources_need(&cluster->nodes.at[i].named, wants.numbers[k]);
        resource->held += wants.amounts[k];
        if (guest_no != 0) resource->guests += wants.amounts[k];
    }
}

void cluster_unhold_named(struct cluster *cluster, uint32_t i, struct named_requests wants,
                          uint16_t guest_no)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        struct named_resource *resource;

        if (wants.amounts[k] == 0) continue;
        resource = named_resources_find(&node->named, wants.numbers[k]);
        fl_assert(resource && resource->held >= wants.amounts[k]);
        resource->held -= wants.amounts[k];
        if (guest_no != 0 && guest_no == node->claim_no) {
            resource->guests -= named_resource_least(resource->guests, wants.amounts[k]);
        }
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

void cluster_claim_named(struct cluster *cluster, uint32_t i, struct named_requests wants)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        named_resources_need(&cluster->nodes.at[i].named, wants.numbers[k])->claimed +=
            wants.amounts[k];
        named_resources_need(&cluster->named, wants.numbers[k])->claimed += wants.amounts[k];
    }
}

void cluster_unclaim_named(struct cluster *cluster, uint32_t i, struct named_requests wants)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        struct named_resource *resource;

        if (wants.amounts[k] == 0) continue;
        resource = named_resources_find(&cluster->nodes.at[i].named, wants.numbers[k]);
        fl_assert(resource && resource->claimed >= wants.amounts[k]);
        resource->claimed -= wants.amounts[k];
        named_resources_need(&cluster->named, wants.numbers[k])->claimed -= wants.amounts[k];
    }
}

void cluster_named_resources_clear_claims(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        struct named_resources *named = &cluster->nodes.at[i].named;

        for (uint8_t e = 0; e < named->len; e++) {
            named->at[e].claimed = 0;
        }
    }
    for (uint8_t e = 0; e < cluster->named.len; e++) {
        cluster->named.at[e].claimed = 0;
    }
}

void cluster_named_resources_clear_guests(struct node *node)
{
    for (uint8_t e = 0; e < node->named.len; e++) {
        node->named.at[e].guests = 0;
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

static struct named_offer offer_of(const struct named_offer *offers, size_t len, uint8_t number)
{
    for (size_t i = 0; i < len; i++) {
        if (offers[i].number == number) return offers[i];
    }
    return (struct named_offer){.number = number};
}

struct named_resources_change
cluster_named_resources_report(struct cluster *cluster, struct node *node, bool was_usable,
                               bool is_usable, const struct named_offer *offers, size_t offers_len)
{
    struct named_resources_change change = {0};

    for (size_t i = 0; i < offers_len; i++) {
        (void)named_resources_need(&node->named, offers[i].number);
    }
    for (uint8_t e = 0; e < node->named.len; e++) {
        struct named_resource *resource = &node->named.at[e];
        struct named_offer offer = offer_of(offers, offers_len, resource->number);
        struct named_resource *sum = named_resources_need(&cluster->named, resource->number);
        uint64_t before = resource->total, was_total = was_usable ? before : 0,
                 was_free = was_usable ? resource->free : 0;

        resource->total = named_resource_least(offer.total, NAMED_AMOUNT_MAX);
        resource->free = named_resource_least(offer.free, resource->total);
        resource->owed = 0;
        sum->total -= was_total;
        sum->free -= was_free;
        if (is_usable) {
            sum->total += resource->total;
            sum->free += resource->free;
        }
        change.is_resized = change.is_resized || resource->total != was_total;
        change.is_smaller = change.is_smaller || resource->total < was_total;
        change.is_less = change.is_less || resource->total < before;
        change.is_grown = change.is_grown || resource->free > was_free;
    }
    if (node->named.len > 0) named_resources_prune(&node->named);
    return change;
}

void cluster_named_resources_end_session(struct cluster *cluster)
{
    for (uint8_t e = 0; e < cluster->named.len; e++) {
        cluster->named.at[e].total = cluster->named.at[e].free = 0;
    }
}

void cluster_named_resources_forget_late(struct node *node)
{
    for (uint8_t e = 0; e < node->named.len; e++) {
        node->named.at[e].late = 0;
    }
}

bool cluster_named_resources_are_late(const struct node *node)
{
    for (uint8_t e = 0; e < node->named.len; e++) {
        if (node->named.at[e].late > 0) return true;
    }
    return false;
}

void cluster_named_resources_take_late(struct cluster *cluster, struct node *node)
{
    for (uint8_t e = 0; e < node->named.len; e++) {
        take(cluster, node, &node->named.at[e], node->named.at[e].late);
    }
}
