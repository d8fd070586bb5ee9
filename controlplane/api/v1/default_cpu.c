#include "controlplane/api/v1/default_cpu.h"

#include "controlplane/api/api_state.h"
#include "controlplane/views/directory.h"

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
