/* log_stream.h - the hub's end of a LOG stream: an agent's output goes to the log store, the
 * store's answers go to the agent, one payload of shared/wire/log_message.h after the other.  A row
 * of the table of streams (server.h).  An agent has one at a time.  Not thread-safe: as the
 * server. */
#pragma once

#include "shared/link/streams.h"

enum { LOG_STREAM_BYTES_MAX = 1 << 20 }; /* messages that wait for the agent to take them */

/* Borrowed by the kind. */
struct log_stream_ports {
    void *ctx;
    /* The payload of one frame.  Its credit returns with log_stream_consumed, from within or
     * later. */
    void (*frame)(void *ctx, uint64_t connection, struct fl_cluster cluster, struct fl_str payload);
    /* The stream is over, for any reason; after at least one frame. */
    void (*closed)(void *ctx, uint64_t connection, struct fl_cluster cluster);
};

struct fl_stream_kind log_stream_kind(const struct log_stream_ports *ports);

/* These use the LOG stream among 'streams', which are one connection's.  If there is none, or at
 * NULL, 'put' fails with FL_ABSENT and 'consumed' does nothing. */

/* Sends one payload, at most 64 KiB.  FL_FULL: LOG_STREAM_BYTES_MAX wait already, since the agent
 * reads too little; its tunnel ends. */
FL_CHECK bool log_stream_put(struct fl_streams *streams, struct fl_str payload, struct fl_err *err);
/* Lets the agent send 'bytes' more. */
void log_stream_consumed(struct fl_streams *streams, uint32_t bytes);
