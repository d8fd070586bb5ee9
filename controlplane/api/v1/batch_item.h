/* batch_item.h - a line's job document made into an item, which the core takes.
 * The steps are separate, since a spec that many lines use is parsed and shared once.  Where a step
 * fails, it has refused the line. */
#pragma once

#include "controlplane/api/v1/batch_state.h"

/* False: the line was refused. */
FL_CHECK bool batch_item_parse(struct batch *batch, struct batch_line *line,
                               const struct fl_json *document, struct fl_submission *ret_job);

/* That of the queue to which the job goes. */
uint32_t batch_item_default_cpu(const struct batch *batch, const struct fl_submission *job);

/* Makes the part that jobs of one spec share.  If it equals the part of the line before, both have
 * the same bytes.  False: the line was refused. */
FL_CHECK bool batch_item_share(struct batch *batch, struct batch_line *line,
                               struct fl_submission *job, uint32_t default_cpu_milli,
                               struct submit_spec *ret_shared);

/* Adds the line's item, or refuses the line. */
void batch_item_add(struct batch *batch, struct batch_line *line, const struct fl_job_spec *spec,
                    bool has_queue, const struct submit_spec *shared);
