/* log_feed.h - joins the log pump with the runtime, whose output it reads, and with the tunnel,
 * whose LOG stream it opens and fills: a row of the table of streams.  The pump decides; the feed
 * passes on, remembers the replicas for which the pump had no place, and tells the stream once a
 * turn that output waits.  It tries output that cannot be read again every second, until it can be
 * read or is gone.  Records go as the runtime gives them: without a hole, with gap records, from
 * exactly where the hub wants to go on.
 * Uses shared code, the pump and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "agent/streams/log_pump.h"
#include "shared/io/loop.h"
#include "shared/link/streams.h"

struct log_feed;

struct log_feed *log_feed_create(struct fl_loop *loop, struct runtime runtime);
void log_feed_destroy(struct log_feed *feed); /* NULL is fine */

/* The row for the table of streams.  The tunnel fails when the hub closes its LOG stream. */
struct fl_stream_kind log_feed_stream(struct log_feed *feed);
void log_feed_begin(struct log_feed *feed, struct fl_streams *streams); /* a tunnel is up */

struct output_listener log_feed_listener(struct log_feed *feed);
void log_feed_output(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);
void log_feed_gone(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);

struct log_pump_stats log_feed_stats(const struct log_feed *feed);
