/* read_elements.h - counts the ended elements of arrays by state.
 * A count reads a row for each ended element, so one question may cover READ_ELEMENTS_MAX elements
 * in all; the caller sees to that by the sizes of the jobs.
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h. */
#pragma once

#include "controlplane/store/reader.h"

enum { READ_ELEMENTS_MAX = 200000, READ_ELEMENTS_JOBS_MAX = 1000 };

struct read_element_count {
    struct fl_job job;
    uint32_t succeeded, failed, cancelled; /* other elements have no end of their own */
};

struct read_element_counts {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_element_count *at;
    size_t len; /* in no order */
};

typedef void read_element_counts_fn(void *ctx, const struct read_element_counts *counts);

/* Reads at most READ_ELEMENTS_MAX rows of each job.  Returns the question's number; 0: FL_FULL. */
uint64_t read_element_counts(struct reader *reader, const struct fl_job *jobs, size_t len,
                             read_element_counts_fn *fn, void *ctx, struct fl_err *err);
