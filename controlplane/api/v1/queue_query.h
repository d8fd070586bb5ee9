/* queue_query.h - the query field 'queue' of what is read for one queue, or for all. */
#pragma once

#include "controlplane/api/call.h"

/* The queue that is named, else the one that the token is for; *ret_queue stays as it is for all.
 * False: the call was answered. */
FL_CHECK bool queue_query_read(struct api_call *call, struct fl_queue_id *ret_queue);
