/* output_window.h - the records of one output of a view, from its place on.
 * A window is loaded from the index part by part.  Bytes that were dropped, or are damaged, become
 * a gap in it.
 * Uses view.h and index.h.  Not thread-safe. */
#pragma once

#include "controlplane/logs/view.h"

/* The loads of one step. */
struct log_load {
    struct log_index *index;
    bool is_short; /* the view has several outputs: windows are kept short */
    struct fl_err err;
    uint64_t bytes; /* how many were loaded */
};

/* The record at output->offset, cut to begin there.  False: none is stored there, or load->err is
 * set. */
bool output_window_peek(struct log_view_output *output, struct log_load *load,
                        struct fl_log_record *ret_record);

void output_window_drop(struct log_view_output *output);
