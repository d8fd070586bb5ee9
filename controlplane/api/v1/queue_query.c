#include "controlplane/api/v1/queue_query.h"

#include "controlplane/api/api_state.h"
#include "controlplane/views/directory.h"

bool queue_query_read(struct api_call *call, struct fl_queue_id *ret_queue)
{
    struct fl_str queue = api_query(call, "queue");

    if (queue.len == 0) queue = fl_str_c(call->token.queue);
    if (queue.len == 0) return true;
    if (api_sees_queue(call, queue) &&
        directory_queue_id(call->parts->directory, queue, ret_queue)) {
        return true;
    }
    api_fail_absent_parameter(call, "queue", "no queue has this name, or this token may not see it",
                              queue);
    return false;
}
