/* log_front.h - one front thread's end of the log store: takes the LOG streams of its tunnels and
 * answers them.  tunnel/log_stream.h gives it frames and closed streams; it answers through its
 * ports, with payloads for log_stream_put and credit for log_stream_consumed.  Credit returns when
 * the store's inbox has the bytes.  While the inbox is full they wait here, bounded by the streams'
 * windows, and the agents stop sending by themselves.
 * read.h works through the same object.
 * Not thread-safe: its loop's thread calls it; all ports and callbacks are called from that
 * loop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_loop;
struct log_front; /* opaque */
struct log_store;

struct log_owner {
    struct fl_cluster cluster; /* 0: no row tells of the attempt */
    struct fl_tenant tenant;
    bool is_disputed; /* agents know of a later database: the row may come back with it */
};

struct log_front_ports {
    void *ctx;
    /* A payload for the LOG stream of this connection: cursor, ack, pause, resume, end_ack, refuse.
     * A connection that is gone is fine. */
    void (*send)(void *ctx, uint64_t connection, struct fl_str payload);
    /* Gives the stream 'bytes' of credit back. */
    void (*consumed)(void *ctx, uint64_t connection, uint32_t bytes);
    /* The agent broke a rule of the LOG stream: close the connection. */
    void (*broken)(void *ctx, uint64_t connection, const struct fl_err *err);
    /* Looks up the cluster that owns this attempt's output.  True: *ret_owner is filled.  False:
     * log_front_owner follows with this ticket; until then the agent waits, since it sends a
     * source's records only after a CURSOR.  A source of another cluster's attempt is refused and
     * logged: an agent's word does not count.  One of a stray, an attempt that no row tells of, is
     * paused for stray_wait_ms and asked for again: while is_disputed it goes on waiting, else it
     * is refused, too.  So after a restore no output is lost that a newer backup knows. */
    bool (*owner)(void *ctx, uint64_t ticket, struct fl_attempt attempt,
                  struct log_owner *ret_owner);
};

struct log_front *log_front_create(struct log_store *store, struct fl_loop *loop,
                                   const struct log_front_ports *ports);

/* Close all reads before.  No port or callback is called after it.  NULL is fine. */
void log_front_destroy(struct log_front *front);

/* The two calls of log_stream_ports. */
void log_front_frame(struct log_front *front, uint64_t connection, struct fl_cluster cluster,
                     struct fl_str payload);
void log_front_closed(struct log_front *front, uint64_t connection);

/* The answer to ports.owner; fine if the ticket's source has gone. */
void log_front_owner(struct log_front *front, uint64_t ticket, const struct log_owner *owner);
