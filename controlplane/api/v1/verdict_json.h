/* verdict_json.h - how clusters' verdicts on a job are written, in explain and in a dry run.
 * For the handlers of these two; it asks the directory for names. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/core/core_command.h"
#include "shared/json/json_out.h"

#define WHO_CAN_ACT "nobody, user, admin" /* the words of a reason's actor */

/* An array of Verdict under the name "clusters". */
void verdict_json_put(const struct api_call *call, struct fl_json_out *json,
                      const struct core_answer *answer);
