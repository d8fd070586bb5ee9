/* job_name.h - a job's id as people see and type it: "job-" and lower-case base32.
 * The digits are 0-9 and a-z without i, l, o and u, most significant first, no leading zero, so
 * that each job has exactly one name and names of up to a million jobs have four digits.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_JOB_NAME_MAX 18 /* bytes, with the final zero */

void fl_job_name(struct fl_job job, char out[FL_JOB_NAME_MAX]); /* job 0, none, is "job-0" */

/* FL_INVALID for all that fl_job_name never writes, and for "job-0". */
FL_CHECK bool fl_job_parse(struct fl_str s, struct fl_job *ret_job, struct fl_err *err);
