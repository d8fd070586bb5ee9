/* log_feed.h - joins the log pump with the runtime, whose output it reads, and with the tunnel,
 * whose LOG stream it opens and fills: a row of the table of streams.  The pump decides; this
 * passes on, remembers the replicas that found no place in it, and tells the stream once a turn how
 * much waits.  Output that cannot be read just now is asked for again a second later, until it can
 * or is gone.  Records come as the runtime gives them: without a hole, gap records included, from
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

/* Without its LOG stream the tunnel is of no use: it fails when the hub closes that. */
struct fl_stream_kind log_feed_stream(struct log_feed *feed);
void log_feed_begin(struct log_feed *feed, struct fl_streams *streams); /* a tunnel is up */

struct output_listener log_feed_listener(struct log_feed *feed);
void log_feed_output(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);
void log_feed_gone(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);

struct log_pump_stats log_feed_stats(const struct log_feed *feed);
