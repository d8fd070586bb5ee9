/* inbox.h - requests on their way to the worker: a lane for each cluster, and the lanes in turn.
 * Within a lane requests keep their order; a cluster with much output delays only its own.
 * The inbox holds bytes_max.  A lane may take as much of it as is still free, so that one busy lane
 * gets half and n of them an equal share each, and there is always room for one that begins.
 * Any thread puts; the worker takes. */
#pragma once

#include <stddef.h>

#include "controlplane/logs/log_requests.h"
#include "shared/base/err.h"

struct log_inbox; /* opaque */

struct log_inbox *log_inbox_create(uint64_t bytes_max);
/* NULL is fine; frees the requests that are left. */
void log_inbox_destroy(struct log_inbox *inbox);

/* False: its lane has no room now, the request stays the caller's. */
FL_CHECK bool log_inbox_put(struct log_inbox *inbox, struct log_request *request);

/* Waits up to wait_ms for one, and takes what is there, at most requests_max: some of each lane. */
size_t log_inbox_take(struct log_inbox *inbox, fl_ms wait_ms, struct log_request **ret_requests,
                      size_t requests_max);

/* No request is put after this: 'take' waits no more. */
void log_inbox_close(struct log_inbox *inbox);

uint64_t log_inbox_bytes(struct log_inbox *inbox);
