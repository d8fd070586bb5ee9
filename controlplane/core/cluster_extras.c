#include "controlplane/core/cluster_extras.h"

#include "shared/base/assert.h"

/* ---- replicas take and hold ------------------------------------------------------------------ */

static void take(struct cluster *cluster, const struct node *node, struct extra *extra,
                 uint64_t amount)
{
    uint64_t taken = extra_take(extra, amount);

    if (cluster_node_is_usable(cluster, node)) {
        extras_need(&cluster->extras, extra->number)->free -= taken;
    }
}

void cluster_take_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        take(cluster, node, extras_need(&node->extras, wants.numbers[k]), wants.amounts[k]);
    }
}

void cluster_give_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        uint64_t given;

        if (wants.amounts[k] == 0) continue;
        given = extra_give(extras_need(&node->extras, wants.numbers[k]), wants.amounts[k]);
        if (cluster_node_is_usable(cluster, node)) {
            extras_need(&cluster->extras, wants.numbers[k])->free += given;
        }
    }
}

void cluster_leave_late_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants)
{
    struct node *node = &cluster->nodes.at[i];

    if (node->session != cluster->session_epoch) return; /* it went, and counts no more */
    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        extras_need(&node->extras, wants.numbers[k])->late += wants.amounts[k];
    }
}

void cluster_hold_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants,
                         uint16_t guest_no)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        struct extra *extra;

        if (wants.amounts[k] == 0) continue;
        extra = extras_need(&cluster->nodes.at[i].extras, wants.numbers[k]);
        extra->held += wants.amounts[k];
        if (guest_no != 0) extra->guests += wants.amounts[k];
    }
}

void cluster_unhold_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants,
                           uint16_t guest_no)
{
    struct node *node = &cluster->nodes.at[i];

    for (uint32_t k = 0; k < wants.len; k++) {
        struct extra *extra;

        if (wants.amounts[k] == 0) continue;
        extra = extras_find(&node->extras, wants.numbers[k]);
        fl_assert(extra && extra->held >= wants.amounts[k]);
        extra->held -= wants.amounts[k];
        if (guest_no != 0 && guest_no == node->claim_no) {
            extra->guests -= extra_least(extra->guests, wants.amounts[k]);
        }
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

void cluster_claim_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        if (wants.amounts[k] == 0) continue;
        extras_need(&cluster->nodes.at[i].extras, wants.numbers[k])->claimed += wants.amounts[k];
        extras_need(&cluster->extras, wants.numbers[k])->claimed += wants.amounts[k];
    }
}

void cluster_unclaim_extras(struct cluster *cluster, uint32_t i, struct extra_wants wants)
{
    for (uint32_t k = 0; k < wants.len; k++) {
        struct extra *extra;

        if (wants.amounts[k] == 0) continue;
        extra = extras_find(&cluster->nodes.at[i].extras, wants.numbers[k]);
        fl_assert(extra && extra->claimed >= wants.amounts[k]);
        extra->claimed -= wants.amounts[k];
        extras_need(&cluster->extras, wants.numbers[k])->claimed -= wants.amounts[k];
    }
}

void cluster_extras_clear_claims(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        struct extras *extras = &cluster->nodes.at[i].extras;

        for (uint8_t e = 0; e < extras->len; e++) {
            extras->at[e].claimed = 0;
        }
    }
    for (uint8_t e = 0; e < cluster->extras.len; e++) {
        cluster->extras.at[e].claimed = 0;
    }
}

void cluster_extras_clear_guests(struct node *node)
{
    for (uint8_t e = 0; e < node->extras.len; e++) {
        node->extras.at[e].guests = 0;
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

static struct extra_offer offer_of(const struct extra_offer *offers, size_t len, uint8_t number)
{
    for (size_t i = 0; i < len; i++) {
        if (offers[i].number == number) return offers[i];
    }
    return (struct extra_offer){.number = number};
}

struct extras_change cluster_extras_report(struct cluster *cluster, struct node *node,
                                           bool was_usable, bool is_usable,
                                           const struct extra_offer *offers, size_t offers_len)
{
    struct extras_change change = {0};

    for (size_t i = 0; i < offers_len; i++) {
        (void)extras_need(&node->extras, offers[i].number);
    }
    for (uint8_t e = 0; e < node->extras.len; e++) {
        struct extra *extra = &node->extras.at[e];
        struct extra_offer offer = offer_of(offers, offers_len, extra->number);
        struct extra *sum = extras_need(&cluster->extras, extra->number);
        uint64_t was_total = was_usable ? extra->total : 0, was_free = was_usable ? extra->free : 0;

        extra->total = extra_least(offer.total, EXTRA_AMOUNT_MAX);
        extra->free = extra_least(offer.free, extra->total);
        extra->owed = 0;
        sum->total -= was_total;
        sum->free -= was_free;
        if (is_usable) {
            sum->total += extra->total;
            sum->free += extra->free;
        }
        change.is_resized = change.is_resized || extra->total != was_total;
        change.is_smaller = change.is_smaller || extra->total < was_total;
        change.is_grown = change.is_grown || extra->free > was_free;
    }
    if (node->extras.len > 0) extras_prune(&node->extras);
    return change;
}

void cluster_extras_end_session(struct cluster *cluster)
{
    for (uint8_t e = 0; e < cluster->extras.len; e++) {
        cluster->extras.at[e].total = cluster->extras.at[e].free = 0;
    }
}

void cluster_extras_forget_late(struct node *node)
{
    for (uint8_t e = 0; e < node->extras.len; e++) {
        node->extras.at[e].late = 0;
    }
}

bool cluster_extras_are_late(const struct node *node)
{
    for (uint8_t e = 0; e < node->extras.len; e++) {
        if (node->extras.at[e].late > 0) return true;
    }
    return false;
}

void cluster_extras_take_late(struct cluster *cluster, struct node *node)
{
    for (uint8_t e = 0; e < node->extras.len; e++) {
        take(cluster, node, &node->extras.at[e], node->extras.at[e].late);
    }
}
