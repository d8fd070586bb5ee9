/* label_counts.h - jobs counted by the value of one label, and by how they stand.
 * It keeps the first LABEL_COUNTS_MAX values that it meets; jobs with a further value are counted
 * together, in 'others'.
 * Uses shared/base and the types of read_jobs.h.  Pure. */
#pragma once

#include "controlplane/store/read_jobs.h"

#define LABEL_COUNTS_MAX 1000

#define LABEL_COUNT_STATES(STATE) STATE(open) STATE(succeeded) STATE(failed) STATE(cancelled)

enum label_count_state {
#define STATE(name) LABEL_COUNT_##name,
    LABEL_COUNT_STATES(STATE)
#undef STATE
        LABEL_COUNT_STATES_LEN
};

struct label_sums {
    uint64_t jobs; /* in all states */
    uint64_t in_state[LABEL_COUNT_STATES_LEN];
};

struct label_count {
    struct fl_str value;
    struct label_sums sums;
};

struct label_counts; /* opaque */

struct label_counts *label_counts_create(struct fl_str key); /* keeps a copy of the key */
void label_counts_destroy(struct label_counts *counts);      /* NULL is fine */

/* 'job' has its labels. */
void label_counts_add(struct label_counts *counts, const struct read_job *job);

/* The values, most jobs first, of equal ones by their bytes; until the next call. */
const struct label_count *const *label_counts_sorted(struct label_counts *counts, size_t *ret_len);
struct label_sums label_counts_without(const struct label_counts *counts); /* the key */
struct label_sums label_counts_others(const struct label_counts *counts);
struct label_sums label_counts_total(const struct label_counts *counts);
