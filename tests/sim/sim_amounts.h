/* sim_amounts.h - amounts as the fake clusters and the reference model count them.
 * There are a few resources with names in the simulator, so each has a place of its own.  This is
 * the sums of decision 97 said a second time: nothing of the product's lists and numbers is in it.
 * Uses shared/base and the struct of a shape. */
#pragma once

#include <stdint.h>

#include "controlplane/core/shape.h"
#include "shared/base/amounts.h"
#include "shared/base/resources.h"

/* name, the most that one node has, in how many of a thousand nodes */
#define SIM_RESOURCES(X)                                                                           \
    X("ephemeral-storage", 100, 1000)                                                              \
    X("sim.test/dongle", 6, 500)                                                                   \
    X("sim.test/license", 2, 300)

enum { SIM_RESOURCES_LEN = 3 };

struct sim_amounts {
    struct fl_resources usual;
    uint64_t named[SIM_RESOURCES_LEN];
};

const char *sim_resource_name(size_t i);

/* Names that the simulator has not are left out. */
struct sim_amounts sim_amounts_of(struct fl_resources usual, const struct fl_amounts *named);
/* One replica of the role asks for this; if it wants a name that no node has, also for more cpu
 * than there is. */
struct sim_amounts sim_amounts_of_role(const struct shape *shape, const struct shape_role *role);

/* The same by name, as a job document has them. */
struct fl_amounts sim_amounts_listed(const struct shape *shape, const struct shape_role *role,
                                     struct fl_arena *arena);

/* The names that it has, sorted; they live for ever, the list as long as 'room'. */
struct sim_named {
    struct fl_amount at[SIM_RESOURCES_LEN];
};
struct fl_amounts sim_amounts_named(const struct sim_amounts *amounts, struct sim_named *room);

void sim_amounts_add(struct sim_amounts *to, const struct sim_amounts *more);
void sim_amounts_take(struct sim_amounts *from, const struct sim_amounts *less); /* down to 0 */
void sim_amounts_keep_less(struct sim_amounts *have, const struct sim_amounts *other);
void sim_amounts_keep_more(struct sim_amounts *have, const struct sim_amounts *other);
bool sim_amounts_fit(const struct sim_amounts *want, const struct sim_amounts *have);

/* How many of 'each' find room, at most 'most'. */
uint32_t sim_amounts_slots(const struct sim_amounts *room, const struct sim_amounts *each,
                           uint32_t most);
