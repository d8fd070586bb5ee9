/* policy_edit.h - the place of a job in the line of its queue, and edits, which change it (I35).
 * A part of policy_model.h. */
#pragma once

#include "tests/sim/policy_state.h"

/* By priority, then by age. */
void policy_line_up(struct policy *policy, const struct policy_job *job, uint64_t id);
void policy_leave_line(struct policy *policy, const struct policy_job *job, uint64_t id);

void policy_edit_job(struct policy *policy, const struct row_job_edit *row);
void policy_edit_mark(struct policy *policy, const struct row_mark_set *row);
