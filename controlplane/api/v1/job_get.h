/* job_get.h - answers a call with one job as GET /v1/jobs/{job} shows it: actions do, too. */
#pragma once

#include "controlplane/api/call_reads.h"

void job_answer(struct api_call *call, struct fl_job job);
