/* job_edit_values.h - the values of an edit, of one open job or of many, on their way to the core.
 */
#pragma once

#include "controlplane/api/call.h"
#include "shared/spec/job_spec.h"

struct engine_event;
struct fl_json;

/* Sets the members that 'edit', a JobEdit, names, but for name and labels; 'spec' has their
 * values. */
void job_edit_fill(struct engine_event *event, const struct fl_json *edit,
                   const struct fl_job_spec *spec);

/* Into another queue a job comes as if it were submitted there.  False: the call was answered;
 * 'pointer' is where the queue stands. */
bool job_edit_may_move(struct api_call *call, struct fl_str queue, const char *pointer);
void job_edit_fail_queue(struct api_call *call, struct fl_str queue, const char *pointer);

/* Reads the member 'edit' of a body that edits many jobs.  False: the call was answered. */
bool job_edit_read_many(struct api_call *call, const struct fl_json *edit,
                        struct fl_job_spec *ret_spec);
