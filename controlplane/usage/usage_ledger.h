/* usage_ledger.h - goes through the journal, adds up the resources that ended attempts held and
 * used (usage_day.h), counts submissions, starts and ends by the hour (usage_hour.h), and keeps the
 * sums in tables usage_day and queue_hour.
 * Batches in which nothing is counted are passed over unread, as far as the leader knows of them.
 * A pass takes the batches behind the mark (table usage_mark), looks up their jobs and attempts,
 * unless it read lately where those began (usage_cache.h), and saves the sums and the new mark in
 * one transaction: so each thing counts once, also over a crash, a takeover, or two ledgers at a
 * time.  A ledger that was away takes up where the mark stands, as far as the journal reaches.
 * Jobs whose rows are gone are left out; so is the wait of a job whose submission the journal no
 * longer has.
 * It is never in a hurry: it rests twenty times as long as a pass took, since Postgres has work
 * for which somebody waits; a hundred times, up to ten seconds, behind a pass in which jobs came
 * and none started or ended.
 * It is on its owner's loop, on one connection of its own.  Uses the store's connections and
 * statements.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/usage/usage_pass.h" /* USAGE_LABELS_MAX */
#include "shared/base/types.h"

struct fl_loop;
struct usage_ledger;

struct usage_ledger_config {
    const char *conninfo;
    const char *const *labels; /* names of the labels by which sums are kept apart */
    size_t labels_len;
    int64_t retention_ms; /* how long sums are kept; 0: for ever */
    uint32_t pause_ms;    /* between two looks at the journal */
    uint32_t wait_ms;     /* for an answer of Postgres; then it connects anew */
};

struct usage_progress {
    uint64_t newest;  /* the newest batch of the journal */
    fl_ms newest_at;  /* its time */
    uint64_t counted; /* the newest in which something may be counted */
};

struct usage_ledger_hooks {
    void *ctx;
    /* newest 0: this process does not lead, so do not count. */
    struct usage_progress (*progress)(void *ctx);
    void (*trouble)(void *ctx,
                    const char *text); /* for the log: a pass failed, and is tried again */
};

/* All strings are copied. */
struct usage_ledger *usage_ledger_create(struct fl_loop *loop,
                                         const struct usage_ledger_config *config,
                                         const struct usage_ledger_hooks *hooks);
void usage_ledger_destroy(struct usage_ledger *ledger); /* NULL is fine */

struct usage_ledger_stats {
    uint64_t batch;    /* the newest that is counted; 0: not known yet */
    uint64_t attempts; /* counted by this process */
    bool is_behind;    /* the newest look found more batches than it took, or failed */
};

struct usage_ledger_stats usage_ledger_stats(const struct usage_ledger *ledger);
