/* log_message.h - the messages of agent and hub on the LOG stream of a tunnel.
 * The payload of a LOG frame is one message behind the other, each u8 kind, u32 source, and its
 * fields.  A message never spans frames.  All output of an agent goes over one stream, and only the
 * stream's credit limits the bytes under way; the agent serves its sources in turn.
 *
 *     agent                                    hub
 *     OPEN {source, attempt, replica}    ->
 *                                        <-    CURSOR {offset, chain}: send from here
 *     RECORDS {bytes}                    ->
 *                                        <-    ACK {offset}: so far it survives a loss of power
 *                                        <-    CURSOR: the records did not begin where they must
 *                                        <-    PAUSE {why} ... RESUME {offset, chain}: then as
 *                                              after CURSOR
 *     END {offset, chain}                ->    nothing will follow
 *                                        <-    END_ACK: all is durable; the source's number is free
 *                                        <-    REFUSE {code}: the hub does not want this output
 *     CLOSE                              ->    the agent gives up a source without an end
 *
 * Records that the agent sends between a refused append and the CURSOR that says so are dropped.
 * RECORDS are log_record.h's, whole and without a hole.  A source's number is the agent's choice,
 * not 0, and holds for one session.
 * Uses shared/base and log_record.h only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_LOG_SOURCES_MAX 16384                   /* open at once in one session */
#define FL_LOG_MESSAGE_HEADER_BYTES 5              /* kind and source */
#define FL_LOG_RECORDS_HEADER_BYTES (5 + 4)        /* RECORDS has a length too */
#define FL_LOG_RECORDS_BYTES_MAX ((uint32_t)65000) /* records in one RECORDS: it fits a frame */

/* name, number, direction */
#define FL_LOG_MESSAGES(X)                                                                         \
    X(open, 1, "to the hub")                                                                       \
    X(records, 2, "to the hub")                                                                    \
    X(end, 3, "to the hub")                                                                        \
    X(close, 4, "to the hub")                                                                      \
    X(cursor, 16, "to the agent")                                                                  \
    X(ack, 17, "to the agent")                                                                     \
    X(pause, 18, "to the agent")                                                                   \
    X(resume, 19, "to the agent")                                                                  \
    X(end_ack, 20, "to the agent")                                                                 \
    X(refuse, 21, "to the agent")

enum fl_log_message_kind {
#define FL_LOG_MESSAGE_ENUM(name, number, direction) FL_LOG_##name = (number),
    FL_LOG_MESSAGES(FL_LOG_MESSAGE_ENUM)
#undef FL_LOG_MESSAGE_ENUM
};

struct fl_log_message {
    enum fl_log_message_kind kind;
    uint32_t source;           /* never 0 */
    struct fl_attempt attempt; /* open */
    uint32_t replica;          /* open */
    uint64_t offset;           /* cursor, resume, ack, end */
    uint32_t chain;            /* cursor, resume, end */
    uint16_t code;             /* pause, refuse: an enum fl_code, perhaps a newer peer's */
    struct fl_str records;     /* records: 1..FL_LOG_RECORDS_BYTES_MAX bytes */
};

const char *fl_log_message_name(enum fl_log_message_kind kind); /* "?" for an unknown one */

/* How many bytes the message takes. */
size_t fl_log_message_bytes(const struct fl_log_message *message);

/* Appends; false: it does not fit, nothing is written.  A message that the reader would refuse is a
 * bug. */
FL_CHECK bool fl_log_message_put(struct fl_buf *out, const struct fl_log_message *message);

/* Takes one message off the reader, which must not be at its end.  False: FL_TORN or FL_INVALID,
 * and the stream is over.  RECORDS are checked here: the form and crc of each, and that there is no
 * hole; 'records' is a view that lives as long as the payload. */
FL_CHECK bool fl_log_message_next(struct fl_reader *reader, struct fl_log_message *ret_message,
                                  struct fl_err *err);

/* To send many records without copying them first: 'begin' leaves room for a RECORDS header at the
 * end of 'out'; the caller appends at least one record; 'end' writes the header's length. */
FL_CHECK bool fl_log_records_begin(struct fl_buf *out, uint32_t source, size_t *ret_at);
void fl_log_records_end(struct fl_buf *out, size_t at);

/* Sums up 'records': the offsets where they begin and end, and 'chain' continued over them.  False:
 * they are not whole records, or have a hole. */
FL_CHECK bool fl_log_records_sum(struct fl_str records, uint32_t chain, uint64_t *ret_offset,
                                 uint64_t *ret_end, uint32_t *ret_chain);
