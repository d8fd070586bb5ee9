/* after_lookup.h - how the jobs stand that submitted jobs are to run after, and whether arrays that
 * wait element by element have the same indexes.
 * The core knows open jobs only, and no token of a queue.  So the front finds those that have
 * ended, and those that the call's token may not see, which count as absent.  A job that ends
 * between this look and the core's is refused there, to be submitted again. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/core/core_event.h"

/* Fills 'ended' of all that the items are to run after, which stay where they are until 'then' is
 * called: at once when no job is named, else from the loop.  It keeps call->state, and calls
 * call->on_end if it comes to that. */
void after_lookup(struct api_call *call, struct core_submit_item *items, size_t len,
                  void (*then)(struct api_call *call));
