/* extras.h - amounts of the resources that have names: rdma/hca, hugepages-2Mi.
 * Memory, cpu and gpus stand in struct fl_resources; a node keeps a list of the others beside them,
 * which is empty on most nodes (decision 97).  A resource is its number in the fleet, see
 * resource_table.h.  Each counts for itself, by the rules of the fields of struct node that have
 * the same name.
 * Uses shared/base only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/amounts.h"

/* A node counts with no more of a resource than this, so that no sum over nodes wraps. */
#define EXTRA_AMOUNT_MAX FL_AMOUNT_MAX

struct extra {
    uint64_t total, free;
    uint64_t owed, held, claimed, guests, late; /* as in struct node */
    uint8_t number;
};

/* Those of a node, or their sums over nodes; {0} is empty. */
struct extras {
    struct extra *at; /* owned; by number */
    uint8_t len, cap;
};

/* One replica asks for amounts[i] of the resource numbers[i]; borrowed. */
struct extra_wants {
    const uint8_t *numbers;
    const uint64_t *amounts;
    uint32_t len;
};

/* A node reports this. */
struct extra_offer {
    uint8_t number;
    uint64_t total, free;
};

void extras_fini(struct extras *extras);
void extras_copy_all(struct extras *to, const struct extras *from);

static inline void extras_copy(struct extras *to, const struct extras *from)
{
    if (to->len > 0 || from->len > 0) extras_copy_all(to, from);
}

/* NULL: nothing of it. */
struct extra *extras_find(const struct extras *extras, uint8_t number);
struct extra *extras_need(struct extras *extras, uint8_t number); /* made if it is not there */
void extras_prune(struct extras *extras); /* drops those that are all zero */

bool extras_any_claimed(const struct extras *extras);

static inline bool extras_are_claimed(const struct extras *extras)
{
    return extras->len > 0 && extras_any_claimed(extras);
}

/* The free part that others than the claims may take, as cluster_spare. */
uint64_t extra_spare(const struct extra *extra);
/* The part that would be free once all has ended that was there before the claims; 'is_bare':
 * and if there were no claims. */
uint64_t extra_empty(const struct extra *extra, bool is_bare);

/* Take from 'free', and owe the rest; pay first, and give the rest back.  Both answer by how much
 * 'free' has changed. */
uint64_t extra_take(struct extra *extra, uint64_t amount);
uint64_t extra_give(struct extra *extra, uint64_t amount);

static inline uint64_t extra_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
