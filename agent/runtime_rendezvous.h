/* runtime_rendezvous.h - the variables by which the replicas of a gang find each other, as
 * torch.distributed and its kin read them:
 *
 *   MASTER_ADDR, MASTER_PORT   where replica 0 listens, if its program does
 *   RANK, WORLD_SIZE           the replica's number, and how many there are
 *   PET_MASTER_ADDR, PET_MASTER_PORT, PET_NODE_RANK, PET_NNODES   the same, for torchrun
 *
 * The job's own variables of these names win.  A replica that is alone gets none of them: a program
 * that finds them waits for others.
 * Uses shared/base and agent/runtime_order.h's types.  Pure. */
#pragma once

#include "agent/runtime_order.h"

struct fl_arena;

enum { RENDEZVOUS_LEN = 8, RENDEZVOUS_PORT = 29500 };

struct rendezvous_variable {
    const char *name, *value; /* the value is in the arena */
};

/* How many of 'ret_variables' are set: all or none. */
size_t rendezvous_variables(const struct runtime_order *order, const char *master, uint16_t port,
                            struct fl_arena *arena,
                            struct rendezvous_variable ret_variables[RENDEZVOUS_LEN]);

/* A port for an attempt whose replica 0 shares its host with other gangs: one of 3,000 from
 * RENDEZVOUS_PORT on, below those that systems give out themselves.  The next attempt, element and
 * job have other ones. */
uint16_t rendezvous_port(struct fl_attempt attempt);
