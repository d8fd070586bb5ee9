#include "controlplane/api/v1/verdict_json.h"

#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"

void verdict_json_put(const struct api_call *call, struct fl_json_out *json,
                      const struct core_answer *answer)
{
    fl_json_open(json, "clusters", '[');
    for (size_t i = 0; i < answer->verdicts_len; i++) {
        const struct core_verdict *verdict = &answer->verdicts[i];
        struct directory_cluster cluster = {0};

        directory_cluster(call->parts->directory, verdict->cluster, &cluster);
        fl_json_open(json, NULL, '{');
        fl_json_put_cstr(json, "cluster", cluster.name);
        fl_json_put_cstr(json, "reason", reason_name(verdict->reason));
        fl_json_put_cstr(json, "whoCanAct", reason_who(verdict->reason));
        fl_json_put_cstr(json, "detail", verdict->text);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
}

static const struct api_field verdict_fields[] = {
    API_MUST("cluster", "string", "its name"),
    API_MUST("reason", "string", "in a word, see reasons.md"),
    API_MUST("whoCanAct", "string", "the person who can change it", .words = WHO_CAN_ACT),
    API_MUST("detail", "string or null", "with numbers"),
    {0},
};

const struct api_object verdict_object = {.name = "Verdict",
                                          .text = "Why a cluster does not run the job, or does.",
                                          .fields = verdict_fields};
