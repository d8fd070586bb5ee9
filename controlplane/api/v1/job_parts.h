/* job_parts.h - are the element and the replicas that a query names parts of the job?
 * A part that the job has not will never have output, files or a process, so a query that names
 * one is refused, and the refusal says how many there are.  An element that has not started yet is
 * a part, whose output is empty so far.  A query that names none costs nothing; others cost a read
 * of the job, and one of its spec for replicas. */
#pragma once

#include "controlplane/api/v1/log_selection.h"

typedef void job_parts_then(struct api_call *call, struct fl_job job);

/* Calls 'then', or answers the call; 'element' and 'replica' are fields of the route's query.  The
 * job is one that the token may see. */
void job_parts_check(struct api_call *call, struct fl_job job, job_parts_then *then);

/* Looks the job up (job_lookup.h) and checks the parts of it that the query names. */
void job_parts_lookup(struct api_call *call,
                      void (*then)(struct api_call *call, struct fl_job job, bool has_ended));
