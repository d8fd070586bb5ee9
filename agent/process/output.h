/* output.h - reads the output files of a replica's directory, while they are written and
 * afterwards.  The records that it gives out have no hole: where the supervisor gave up the middle,
 * a full disk took nothing to the end, or the files were given up themselves, a gap record stands.
 * A torn or damaged end counts as not written yet.  Uses shared/base and the log record. */
#pragma once

#include "agent/runtime.h"
#include "shared/base/buf.h"

/* Where the record that begins at 'next' stands.  {0} is the beginning; good for any directory
 * state. */
struct output_place {
    uint64_t next;
    uint64_t file; /* its name */
    int64_t at;    /* byte in it */
};

/* The end of a replica; NULL as long as it may write. */
struct output_end {
    bool is_known;  /* false: it was lost, and wrote what is there */
    uint64_t bytes; /* all that it wrote */
    fl_ms at;
    bool is_given_up; /* its files were removed: they were not taken in time */
};

/* As runtime_ops.read_output.  'place' is moved on; reading from where it is costs no search. */
FL_CHECK bool output_read(int dir, struct output_place *place, uint64_t offset, size_t bytes_max,
                          const struct output_end *end, struct fl_buf *records,
                          struct runtime_output *ret_output, struct fl_err *err);

/* How many bytes of output the files have, up to their last whole record. */
uint64_t output_bytes(int dir);
