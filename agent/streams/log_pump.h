/* log_pump.h - sends the output of all replicas over one LOG stream, each in its turn.
 * A source is one replica.  When the runtime says that there is output, or an end of it, the source
 * stands in the queue; a frame's payload is filled by turns of LOG_PUMP_TURN_BYTES, so that many
 * small sources share a frame and a big one makes no other wait long.  The pump keeps only each
 * source's place: unacknowledged bytes stay in the runtime's files, and the hub's CURSOR says where
 * to begin.
 *
 *     NEW --OPEN--> ASKED --CURSOR--> FLOWING --END--> ENDING --END_ACK--> gone ('taken' is called)
 *
 * A session's end makes all sources NEW.  PAUSE takes a source out of the queue until RESUME; a
 * CURSOR at any time moves it to the hub's offset.  END_ACK may come before this session's END: the
 * END of an earlier session became durable.  REFUSE counts as taken: the hub does not want the
 * output.
 * Uses shared code only; does no I/O itself.  Not thread-safe. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define LOG_PUMP_TURN_BYTES 16384

struct log_pump; /* opaque */

struct log_pump_port {
    void *ctx;
    /* Appends records of shared/wire/log_record.h to 'out', without a hole, from exactly 'offset'
     * on: up to about bytes_max bytes, and never more than fit.  *ret_is_more: there is more now;
     * *ret_is_ended: no record follows.  False with FL_ABSENT: the replica is unknown or gone; with
     * another code: not now, the pump asks again when there is output. */
    bool (*read)(void *ctx, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                 size_t bytes_max, struct fl_buf *out, bool *ret_is_more, bool *ret_is_ended,
                 struct fl_err *err);
    /* The hub has all of it, durably, or wants none of it. */
    void (*taken)(void *ctx, struct fl_attempt attempt, uint32_t replica);
};

struct log_pump *log_pump_create(const struct log_pump_port *port, uint32_t sources_max);
void log_pump_destroy(struct log_pump *pump); /* NULL is fine */

/* The tunnel came up, or went down.  Twice is fine. */
void log_pump_opened(struct log_pump *pump);
void log_pump_closed(struct log_pump *pump);

/* There is output, or no more will come; adds an unknown replica as a source.  False, FL_FULL at
 * sources_max: call it again later, the runtime keeps the output. */
FL_CHECK bool log_pump_notice(struct log_pump *pump, struct fl_attempt attempt, uint32_t replica,
                              struct fl_err *err);

/* The replica's output is gone, and the pump sends no more of it.  An unknown replica is fine. */
void log_pump_drop(struct log_pump *pump, struct fl_attempt attempt, uint32_t replica);

/* Reads the payload of a LOG frame from the hub.  False: it breaks a rule. */
FL_CHECK bool log_pump_take(struct log_pump *pump, struct fl_str payload, struct fl_err *err);

/* Fills the payload of one frame and returns how many bytes it has; 0: nothing fits. */
size_t log_pump_pull(struct log_pump *pump, uint8_t *at, size_t bytes_max);

/* An estimate of what waits to be sent; 0: nothing. */
uint64_t log_pump_wants(const struct log_pump *pump);

struct log_pump_stats {
    uint32_t sources; /* now */
    uint32_t queued;  /* sources that have something to send */
    uint32_t paused;
    uint64_t bytes_sent; /* bytes of records, also of records sent again */
    uint64_t rewinds;    /* how often the hub set a source to another offset than its own */
};

struct log_pump_stats log_pump_stats(const struct log_pump *pump);
