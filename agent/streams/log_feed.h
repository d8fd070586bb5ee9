/* log_feed.h - joins the log pump with the runtime, whose output it reads, and with the tunnel, whose LOG
 * stream it fills.  The pump decides; this passes on, remembers the replicas that found no place in it,
 * and tells the tunnel once a turn how much waits.  Output that cannot be read just now is asked for again
 * a second later, until it can or is gone.  Records come as the runtime gives them: without a hole, gap records
 * included, from exactly where the hub wants to go on.
 * Uses shared code, the pump and agent/runtime.h.  One thread: the loop's. */
#pragma once

#include "agent/runtime.h"
#include "agent/streams/log_pump.h"
#include "shared/io/loop.h"

struct log_feed;

struct log_feed_port {
    void *ctx;
    void (*wants)(void *ctx, uint64_t bytes); /* something waits; pull until nothing comes */
};

struct log_feed *log_feed_create(struct fl_loop *loop, struct runtime runtime,
                                 const struct log_feed_port *port);
void log_feed_destroy(struct log_feed *feed); /* NULL is fine */

void log_feed_opened(struct log_feed *feed); /* the tunnel is up, */
void log_feed_closed(struct log_feed *feed); /* and gone */

void log_feed_output(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);
void log_feed_gone(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica);

/* A frame from the hub.  One that makes no sense ends the sending of logs until the next session. */
void log_feed_frame(struct log_feed *feed, struct fl_str payload);

/* The next frame for the hub; 0: nothing that fits. */
size_t log_feed_pull(struct log_feed *feed, uint8_t *at, size_t bytes_max);

struct log_pump_stats log_feed_stats(const struct log_feed *feed);
