/* replica_table.h - the attempts and replicas that the agent knows, and the lists they are in.
 * Attempts are walked in the order they came, the replicas of one by their number: the same on
 * every run.  Slots are those of a slab: 0 means "no record", and a pointer is good until its
 * record is removed.  Uses shared/base and the core's own types only.  Not thread-safe. */
#pragma once

#include "agent/core/agent_command.h"
#include "shared/base/map.h"
#include "shared/base/slab.h"
#include "shared/base/usage.h"

/* The control plane's wish for all replicas of an attempt.  It only ever grows. */
enum attempt_want {
    ATTEMPT_GATED,
    ATTEMPT_RUN,
    ATTEMPT_STOP,
};

struct attempt {
    struct fl_attempt id;
    struct fl_digest spec; /* zero when adopted: it is needed to create, and that is done */
    enum attempt_want want;
    uint32_t grace_ms;   /* with ATTEMPT_STOP */
    uint32_t older;      /* the next older attempt of the same element */
    uint32_t prev, next; /* in the order they came */
    uint32_t acked;      /* how many of its replicas have is_acked */
    struct {
        struct attempt_replica {
            uint32_t number, slot;
        } * at;
        size_t len, cap;
    } replicas; /* sorted by number */
};

/* Commands that the runtime got and has neither contradicted nor given back, or-ed. */
enum {
    REPLICA_ASKED_CREATE = 1,
    REPLICA_ASKED_RELEASE = 2,
    REPLICA_ASKED_STOP = 4,
    REPLICA_ASKED_REMOVE = 8,
};

enum replica_list_name {
    REPLICA_GATED,   /* waits for GO, in the order in which their time is up */
    REPLICA_AGAIN,   /* a command was not delivered, in the order in which it is due again */
    REPLICA_UNTOLD,  /* its state waits to be reported, in the order in which it will be */
    REPLICA_UNACKED, /* its end was reported and is not acknowledged, in the order of report_seq */
    REPLICA_LISTS_LEN,
};

struct replica {
    uint32_t attempt; /* slot */
    uint32_t number;
    uint32_t node;
    int32_t exit_code;
    struct fl_resources resources;
    struct fl_amounts named; /* a clone */
    char *words;             /* the runtime tells its end by these; NULL: none */
    struct fl_usage usage;   /* once it has ended */
    uint64_t output_bytes;
    uint64_t report_seq; /* the report of its end in this session */
    fl_ms gate_until;    /* by the gates' clock; valid while in REPLICA_GATED */
    fl_ms again_at;      /* while in REPLICA_AGAIN, else 0 */
    enum fl_replica_state seen;
    enum agent_cause cause;
    uint8_t asked;
    bool is_given_up; /* no GO came in time */
    bool is_charged;  /* counts as used on its node */
    bool is_acked;    /* its end is durable with the control plane */
    bool is_gone;     /* the runtime has removed it; only this record knows its end */
    struct {
        uint32_t prev, next;
        bool is_in;
    } links[REPLICA_LISTS_LEN];
};

struct replica_table {
    struct fl_slab attempts, replicas;
    struct fl_map by_element; /* to its newest attempt */
    uint32_t first, last;     /* attempts in the order they came */
    struct {
        uint32_t first, last, len;
    } lists[REPLICA_LISTS_LEN];
};

void replica_table_init(struct replica_table *table);
void replica_table_fini(struct replica_table *table);

static inline struct attempt *replica_table_attempt(const struct replica_table *table,
                                                    uint32_t slot)
{
    return fl_slab_at(&table->attempts, slot);
}

static inline struct replica *replica_table_at(const struct replica_table *table, uint32_t slot)
{
    return fl_slab_at(&table->replicas, slot);
}

/* 0: none. */
uint32_t replica_table_find_attempt(const struct replica_table *table, struct fl_attempt id);
uint32_t replica_table_find_newest(const struct replica_table *table, struct fl_attempt of_element);
uint32_t replica_table_find(const struct replica_table *table, struct fl_attempt id,
                            uint32_t number);

/* The attempt, or the replica, must not be there yet. */
uint32_t replica_table_add_attempt(struct replica_table *table, struct fl_attempt id);
uint32_t replica_table_add(struct replica_table *table, uint32_t attempt, uint32_t number);

/* Removes the attempt too when this was its last replica. */
void replica_table_remove(struct replica_table *table, uint32_t slot);

void replica_table_append(struct replica_table *table, enum replica_list_name list, uint32_t slot);
void replica_table_unlink(struct replica_table *table, enum replica_list_name list, uint32_t slot);

uint64_t replica_table_hash(const struct replica_table *table, uint64_t so_far);
void replica_table_check(const struct replica_table *table);
