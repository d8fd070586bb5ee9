/* output.h - reads the output files of a replica's directory, while they are written and
 * afterwards.  Its records have no hole: a gap record stands for the middle that the supervisor
 * dropped, for an end that a full disk did not take, and for files that were given up.  A torn or
 * damaged end counts as not written yet.  Uses shared/base and the log record. */
#pragma once

#include "agent/runtime.h"
#include "shared/base/buf.h"

/* Where to find the record that begins at 'next'.  {0} is the beginning of the output.  A place
 * stays good when files are added or removed. */
struct output_place {
    uint64_t next;
    uint64_t file; /* N in the file's name */
    int64_t at;    /* byte in the file */
};

/* The end of a replica; NULL as long as it may write. */
struct output_end {
    bool is_known;  /* false: the replica was lost, and its files hold all that is known */
    uint64_t bytes; /* how many it wrote in all */
    fl_ms at;
    bool is_given_up; /* its files were removed, since nothing took them in time */
};

/* As runtime_ops.read_output.  Moves 'place' on; a read from there needs no search. */
FL_CHECK bool output_read(int dir, struct output_place *place, uint64_t offset, size_t bytes_max,
                          const struct output_end *end, struct fl_buf *records,
                          struct runtime_output *ret_output, struct fl_err *err);

/* How many bytes of output the files have, up to their last whole record. */
uint64_t output_bytes(int dir);
