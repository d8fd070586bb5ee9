/* usage_help.h - a ledger of usage over a real journal, which is written by hand. */
#pragma once

#include "controlplane/usage/usage_ledger.h"
#include "tests/store/store_help.h"

#define USAGE_START (20000 * FL_DAY_MS) /* the first batch */

struct usage_rig {
    char *conninfo;
    struct help *help;
    struct usage_ledger *ledgers[2];
    uint64_t number;
    bool leads;
    struct usage_progress progress; /* a leader knows it */
    uint32_t wait_ms;
    size_t troubles;
    char trouble[200];
};

void usage_rig_init(struct usage_rig *rig);
void usage_rig_fini(struct usage_rig *rig);

/* Its hooks are the rig's. */
struct usage_ledger *usage_rig_ledger(struct usage_rig *rig);
struct usage_ledger_hooks usage_rig_hooks(struct usage_rig *rig);

struct core_batch *usage_rig_batch(struct usage_rig *rig, fl_ms at);
void usage_rig_commit(struct usage_rig *rig, struct core_batch *batch);
/* Until the mark is there. */
void usage_rig_until(struct usage_rig *rig, uint64_t batch);

/* Two ledgers have summed up all that there is from the same mark, and save it at the same time. */
void usage_rig_count_at_once(struct usage_rig *rig);
/* The ledgers lose their connections. */
void usage_rig_cut(const struct usage_rig *rig);

/* A job of two replicas in queue 3. */
void usage_rig_submit(struct core_batch *batch, uint64_t job, const char *owner,
                      const char *labels);
void usage_rig_fail_attempt(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
                            uint64_t cpu_us);
void usage_rig_end_element(struct core_batch *batch, uint64_t job, uint32_t element, uint16_t n,
                           uint64_t cpu_us);
