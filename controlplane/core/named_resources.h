/* named_resources.h - amounts of the resources that have names: rdma/hca, hugepages-2Mi.
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
#define NAMED_AMOUNT_MAX FL_AMOUNT_MAX

struct named_resource {
    uint64_t total, free;
    uint64_t owed, held, claimed, guests, late; /* as in struct node */
    uint8_t number;
};

/* Those of a node, or their sums over nodes; {0} is empty. */
struct named_resources {
    struct named_resource *at; /* owned; by number */
    uint8_t len, cap;
};

/* One replica asks for amounts[i] of the resource numbers[i]; borrowed. */
struct named_requests {
    const uint8_t *numbers;
    const uint64_t *amounts;
    uint32_t len;
};

/* A node reports this. */
struct named_offer {
    uint8_t number;
    uint64_t total, free;
};

void named_resources_fini(struct named_resources *named);
void named_resources_copy_all(struct named_resources *to, const struct named_resources *from);

static inline void named_resources_copy(struct named_resources *to,
                                        const struct named_resources *from)
{
    if (to->len > 0 || from->len > 0) named_resources_copy_all(to, from);
}

/* NULL: nothing of it. */
struct named_resource *named_resources_find(const struct named_resources *named, uint8_t number);
struct named_resource *named_resources_need(struct named_resources *named,
                                            uint8_t number); /* made if it is not there */
void named_resources_prune(struct named_resources *named);   /* drops those that are all zero */

bool named_resources_any_claimed(const struct named_resources *named);

static inline bool named_resources_are_claimed(const struct named_resources *named)
{
    return named->len > 0 && named_resources_any_claimed(named);
}

/* The free part that others than the claims may take, as cluster_spare. */
uint64_t named_resource_spare(const struct named_resource *resource);
/* The part that would be free once all has ended that was there before the claims; 'is_bare':
 * and if there were no claims. */
uint64_t named_resource_empty(const struct named_resource *resource, bool is_bare);

/* Take from 'free', and owe the rest; pay first, and give the rest back.  Both answer by how much
 * 'free' has changed. */
uint64_t named_resource_take(struct named_resource *resource, uint64_t amount);
uint64_t named_resource_give(struct named_resource *resource, uint64_t amount);

static inline uint64_t named_resource_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
