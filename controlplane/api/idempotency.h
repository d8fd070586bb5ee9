/* idempotency.h - a request's Idempotency-Key: its owner, and its meaning.
 * A key belongs to the queue that its token is limited to, and to the tenant if it has no
 * limit: the next token of a queue knows it, and another queue's does not.  It stands for a route
 * and a wish: a submission is the jobs as they were understood, so that YAML, other spaces or a
 * default that is written out are the same request. */
#pragma once

#include "controlplane/api/call.h"
#include "shared/base/api_limits.h"

#define API_KEY_ALLOWED "1 to " FL_QUOTE(FL_KEY_BYTES_MAX) " visible ASCII characters"

/* The request's key, or none, and what it stands for, into an event that is filled but for this.
 * False: the call was answered, and the event is destroyed. */
FL_CHECK bool api_idempotent(struct api_call *call, struct engine_event *event);

/* The same for an event that is one of many of its request, and is named by 'part'. */
FL_CHECK bool api_idempotent_part(struct api_call *call, struct engine_event *event,
                                  const char *part);

/* For a request that sends many events, before the first.  False: its key is not well formed, and
 * the call was answered. */
FL_CHECK bool api_idempotent_check(struct api_call *call);
