/* frame.h - cuts the tunnel's streams into frames, and reads frames back.
 * A frame is a header of 16 bytes, numbers little endian, and up to 64 KiB of payload:
 *
 *     0  stream    u32   0 is control
 *     4  type      u8    below
 *     5  flags     u8    bit 0: MAY_IGNORE; the others are 0
 *     6  reserved  u16   0
 *     8  length    u32   bytes of the payload
 *    12  sequence  u32   frames of this stream and direction: 1, 2, 3 ... (after 2^32 - 1 comes 0)
 *
 * Stream 0 carries CONTROL and the tunnel's own CREDIT, and both are counted; CONTROL goes nowhere
 * else.  On other streams, CREDIT and CLOSE are not counted and have sequence 0.  The decoder
 * checks the sequence of stream 0; flow.h checks the other streams, which it knows.
 * A type from a newer peer is handed on when its frame says MAY_IGNORE, and the reader drops it
 * (its sequence still counts); else it is refused.  In a CONTROL frame the flag means the same for
 * messages.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_FRAME_HEADER_BYTES 16
#define FL_FRAME_PAYLOAD_MAX 65536
#define FL_FRAME_BYTES_MAX (FL_FRAME_HEADER_BYTES + FL_FRAME_PAYLOAD_MAX)
#define FL_FRAME_CLOSE_TEXT_MAX 200

#define FL_STREAM_CONTROL 0

/* name, number, what it carries.  Numbers are never reused. */
#define FL_FRAME_TYPES(X)                                                                          \
    X(CONTROL, 1, "messages of messages.def, one behind the other")                                \
    X(LOG, 2, "records of replica output")                                                         \
    X(EXEC, 3, "a command in a replica: its input and output")                                     \
    X(FORWARD, 4, "a port of a replica: its bytes")                                                \
    X(BLOB, 5, "content-addressed bytes: specs, uploads")                                          \
    X(CREDIT, 6, "u32: so many bytes more may be sent on this stream; on stream 0, in the tunnel") \
    X(CLOSE, 7,                                                                                    \
      "u16 code (the error codes; 0: done), then text of at most " FL_QUOTE(                       \
          FL_FRAME_CLOSE_TEXT_MAX) " bytes: the stream is over")

enum fl_frame_type {
#define FL_FRAME_ENUM(name, number, carries) FL_FRAME_##name = (number),
    FL_FRAME_TYPES(FL_FRAME_ENUM)
#undef FL_FRAME_ENUM
};

enum fl_frame_flags {
    FL_FRAME_MAY_IGNORE = 1,
};

struct fl_frame {
    uint32_t stream;
    uint8_t type; /* enum fl_frame_type, or an unknown number: drop the frame */
    uint8_t flags;
    uint32_t sequence;
    struct fl_str payload;
};

const char *fl_frame_type_name(uint8_t type); /* "LOG"; "?" for an unknown one */

/* LOG, EXEC, FORWARD, BLOB: the types that need credit. */
bool fl_frame_type_is_data(uint8_t type);

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends a frame; false: it does not fit, 'out' is as before.  A frame that the decoder would
 * refuse is a bug.  Messages are encoded into a buffer of FL_FRAME_PAYLOAD_MAX first: fl_msg_encode
 * says when it is full. */
FL_CHECK bool fl_frame_put(struct fl_buf *out, const struct fl_frame *frame);

/* In two steps, so that a payload is written where it will be sent from: fl_frame_begin gives room
 * for bytes_max of it, or NULL as above; then fl_frame_end, with frame->payload.len bytes written
 * and its 'at' ignored, or fl_frame_drop.  'start' is the length of 'out' before. */
FL_CHECK uint8_t *fl_frame_begin(struct fl_buf *out, size_t bytes_max);
void fl_frame_end(struct fl_buf *out, size_t start, const struct fl_frame *frame);
void fl_frame_drop(struct fl_buf *out, size_t start);

FL_CHECK bool fl_frame_put_credit(struct fl_buf *out, uint32_t stream, uint32_t sequence,
                                  uint32_t bytes);
FL_CHECK bool fl_frame_put_close(struct fl_buf *out, uint32_t stream, enum fl_code code,
                                 struct fl_str text);

/* ---- reading --------------------------------------------------------------------------------- */

enum fl_frame_answer {
    FL_FRAME_MORE,  /* all bytes are taken, no frame is complete */
    FL_FRAME_READY, /* *ret_frame is filled; ask again, there may be another */
    FL_FRAME_BAD, /* the peer breaks a rule, see *err; it will be BAD for good: close the tunnel */
};

/* Fields are the decoder's own.  It never holds more than FL_FRAME_BYTES_MAX. */
struct fl_frame_decoder {
    uint8_t header[FL_FRAME_HEADER_BYTES];
    size_t header_len;
    struct fl_frame frame; /* once the header is there */
    size_t payload_bytes;
    struct fl_buf payload;
    uint32_t control_sequence; /* the last one on stream 0 */
    struct fl_err err;         /* set once the input is bad */
};

void fl_frame_decoder_init(struct fl_frame_decoder *decoder); /* one for each connection */
void fl_frame_decoder_fini(struct fl_frame_decoder *decoder); /* NULL is fine */

/* Takes bytes off the front of *bytes, however they were cut, and gives frame by frame until MORE.
 * The payload lies in *bytes or in the decoder: it is valid until the next call, as long as *bytes
 * is. */
FL_CHECK enum fl_frame_answer fl_frame_decoder_next(struct fl_frame_decoder *decoder,
                                                    struct fl_str *bytes,
                                                    struct fl_frame *ret_frame, struct fl_err *err);

/* The payloads of CREDIT and CLOSE frames.  The text is a view into the payload; a newer peer may
 * know codes that fl_code_name does not. */
FL_CHECK bool fl_frame_read_credit(const struct fl_frame *frame, uint32_t *ret_bytes,
                                   struct fl_err *err);
FL_CHECK bool fl_frame_read_close(const struct fl_frame *frame, uint16_t *ret_code,
                                  struct fl_str *ret_text, struct fl_err *err);
