/* job_lookup.h - does this job exist, open or ended, and may this token see it? */
#pragma once

#include "controlplane/api/call_reads.h"

/* 'open' or 'ended' is called, or the call is answered: 404 for what is not there or not to be
 * seen.  The job is the route's first parameter. */
void job_lookup(struct api_call *call, void (*open)(struct api_call *call, struct fl_job job),
                void (*ended)(struct api_call *call, const struct read_job *job));

/* Answers that the job can be changed no more. */
void job_fail_ended(struct api_call *call, enum job_state state);
