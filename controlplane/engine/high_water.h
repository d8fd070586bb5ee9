/* high_water.h - how far a control plane has given out numbers, kept outside of its database.
 * A database that is restored from a backup has forgotten the numbers that it gave out since.  The
 * state directory remembers: the newest batch that was committed, and limits for ids and epochs
 * that are reserved ahead, so that no number at or above a limit was ever given out, however the
 * process ended.  As text of a few lines with a sum over them; a newer release's is refused by
 * name.
 * Pure: bytes in, struct out.  The engine decides with it, high_water_file writes it. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

enum { HIGH_WATER_BYTES_MAX = 512 };

struct high_water {
    uint64_t batch;         /* the newest that was known to be committed, up to a second ago */
    uint64_t batch_highest; /* ever, also in a history that was lost since */
    uint64_t jobs;          /* accepted until then, ever */
    uint64_t job_next;      /* ids below it were given out until then */
    uint64_t job_below;     /* no id from here on was given out */
    uint64_t epoch_below;   /* no epoch from here on was taken */
    uint64_t incarnation;   /* the highest */
    uint64_t is_closed;     /* 1: the process ended in good order, so that all of it is exact */
};

/* Writes its text, with a final zero; its length. */
size_t high_water_encode(const struct high_water *water, char text[HIGH_WATER_BYTES_MAX]);

/* False: FL_TORN, damaged; FL_INVALID, of another release.  'err' does not name the file. */
FL_CHECK bool high_water_decode(struct fl_str text, struct high_water *ret_water,
                                struct fl_err *err);
