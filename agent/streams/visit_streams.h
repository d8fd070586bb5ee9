/* visit_streams.h - the agent's end of EXEC and FORWARD streams: two rows of the table of streams.
 * A stream's first record is OPEN; then records go to the runtime's visit, and what that gives goes
 * back as records (shared/wire/visit.h).  Nothing is queued on the way out: output is read from the
 * visit when the stream's turn comes.  Input that the visit has no room for waits here, and its
 * credit returns when it was taken, so at most one window of a stream waits.
 * A visit that cannot begin, or has ended, gives a STATUS, after which the stream is closed.  A
 * stream that breaks a rule is closed with the reason; the tunnel and its other streams stay.
 * Uses shared code and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "shared/io/loop.h"
#include "shared/link/streams.h"

enum { VISIT_STREAMS_MAX = 256 }; /* streams of each type */

struct visit_streams; /* opaque */

struct visit_streams *visit_streams_create(struct fl_loop *loop, struct runtime runtime);
void visit_streams_destroy(struct visit_streams *visits); /* after the tunnel; NULL is fine */

struct fl_stream_kind visit_streams_exec(struct visit_streams *visits);
struct fl_stream_kind visit_streams_forward(struct visit_streams *visits);
