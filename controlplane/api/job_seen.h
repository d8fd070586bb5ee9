/* job_seen.h - is there such a job, open or ended, and may this token see it? */
#pragma once

#include "controlplane/api/reads.h"

/* 'open' or 'ended' is called, or the call is answered: 404 for what is not there or not to be seen.  The job is the
 * route's first parameter. */
void api_job_seen(struct api_call *call, void (*open)(struct api_call *call, struct fl_job job),
                  void (*ended)(struct api_call *call, const struct read_job *job));
