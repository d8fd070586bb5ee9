/* fake_output.h - what one replica wrote: the true log, against which every stored one is held.
 * Its bytes follow from a number and their offset, so that none of them needs to be kept; they are
 * anything, NUL, newlines and bad UTF-8 among them.  They stand in records as a supervisor would
 * have cut them, with gaps where it could not keep up.
 * Single-threaded. */
#pragma once

#include "agent/runtime.h"
#include "shared/base/vec.h"
#include "shared/wire/log_record.h"
#include "tests/sim/sim.h"

struct fake_output_record {
    uint64_t offset, end;
    fl_ms time;
    enum fl_log_gap gap;
};

struct fake_output {
    uint64_t number;                           /* its bytes follow from it */
    struct fl_str first;                       /* but for the first ones; borrowed */
    FL_VEC(struct fake_output_record) records; /* without a hole, from 0 */
    bool is_ended;                             /* nothing more will be written */
};

uint64_t fake_output_end(const struct fake_output *output); /* so many bytes so far */

void fake_output_text(struct fake_output *output, fl_ms now,
                      struct fl_str text);                           /* the first record */
void fake_output_write(struct fake_output *output, struct sim *sim); /* some more */

/* As runtime_ops.read_output. */
FL_CHECK bool fake_output_read(const struct fake_output *output, uint64_t offset, size_t bytes_max,
                               struct fl_buf *records, struct runtime_output *ret_output,
                               struct fl_err *err);

/* Whether exactly this stands there: the same bytes, of the same time, or the same lack of them. */
bool fake_output_has(const struct fake_output *output, const struct fl_log_record *record);
