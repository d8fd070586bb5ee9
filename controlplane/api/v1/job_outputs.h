/* job_outputs.h - the output of an ended job that is still to come: its attempts with the letters
 * of their rows, read from the store, and which of them are given up.  An attempt is given up when
 * its cluster was removed, or log_grace after it ended.
 *   job_outputs_create ... 'done' is called once, later; then job_outputs_attempts, and
 *   job_outputs_look again and again while outputs are awaited */
#pragma once

#include "controlplane/api/api.h"
#include "controlplane/logs/read.h"

struct job_outputs; /* opaque */

/* 'err': NULL: all are there; FL_TOO_LARGE: the query is for too many.  While the store is away the
 * answer waits, or it is the store's error with 'is_patient' false. */
typedef void job_outputs_fn(void *ctx, const struct fl_err *err);

struct job_outputs *job_outputs_create(const struct api_config *config,
                                       const struct api_parts *parts, const struct log_query *query,
                                       bool is_patient, job_outputs_fn *done, void *ctx);
void job_outputs_destroy(struct job_outputs *outputs); /* NULL is fine; also before 'done' */

bool job_outputs_are_there(const struct job_outputs *outputs);
/* Borrowed until the next look. */
const struct log_attempts *job_outputs_attempts(struct job_outputs *outputs);
/* True: another one is given up now. */
bool job_outputs_look(struct job_outputs *outputs);

/* Where the attempt ran, and until when it is waited for; 0: its end is not known.  False:
 * the job has no attempt like this. */
bool job_outputs_place(const struct job_outputs *outputs, struct fl_attempt attempt,
                       struct fl_cluster *ret_cluster, fl_ms *ret_until);
