/* job_json.h - a job as the API shows it, open or ended. */
#pragma once

#include "controlplane/api/reads.h"

/* The members of a row in a list; the object is open.  'stored' may be NULL. */
void job_json_view(struct api_call *call, struct json *json, const struct core_job_view *view,
                   const struct read_job *stored);
void job_json_stored(struct api_call *call, struct json *json, const struct read_job *job);

/* "key=value\n" lines as an object. */
void job_json_lines(struct json *json, const char *key, struct fl_str lines);
