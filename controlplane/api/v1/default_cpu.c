#include "controlplane/api/v1/default_cpu.h"

#include "controlplane/api/api_state.h"
#include "controlplane/views/directory.h"
#include "shared/json/json_out.h"
#include "shared/spec/quantity.h"

void default_cpu_put(struct fl_json_out *json, bool has_default_cpu, uint32_t milli)
{
    char cpu[FL_QUANTITY_TEXT_MAX];

    if (has_default_cpu) {
        fl_quantity_write_milli(milli, cpu);
        fl_json_put_cstr(json, DEFAULT_CPU_FIELD, cpu);
    } else {
        fl_json_put_null(json, DEFAULT_CPU_FIELD);
    }
}

uint32_t default_cpu_of(struct api_call *call, struct fl_str queue)
{
    struct directory *directory = call->parts->directory;
    uint32_t milli = call->config->default_cpu_milli;
    struct fl_queue_id id;

    if (directory_queue_id(directory, queue, &id)) {
        (void)directory_queue_default_cpu(directory, id, &milli);
    }
    return milli;
}

bool default_cpu_is_due(const struct fl_job_spec *spec)
{
    for (size_t i = 0; i < spec->roles.len; i++) {
        if (spec->roles.at[i].request.usual.cpu_milli == 0) return true;
    }
    return false;
}

void default_cpu_give(struct fl_job_spec *spec, uint32_t milli)
{
    for (size_t i = 0; i < spec->roles.len; i++) {
        struct fl_resources *request = &spec->roles.at[i].request.usual;

        if (request->cpu_milli == 0) request->cpu_milli = milli;
    }
}
