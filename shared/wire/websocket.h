/* websocket.h - the frames of RFC 6455, at either end, after the handshake.
 * The payload of a long message is handed on in pieces as it comes, so nothing is held but a header
 * and a control frame.  Refused are reserved bits, unknown opcodes, text (our subprotocols have
 * none), a control frame that is cut or over 125 bytes, a length that is not in its shortest form,
 * a frame over FL_WS_FRAME_BYTES_MAX, and the wrong masking: a client masks, a server does not.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_WS_FRAME_MIB_MAX 64
#define FL_WS_FRAME_BYTES_MAX ((uint64_t)FL_WS_FRAME_MIB_MAX << 20)
#define FL_WS_HEADER_BYTES_MAX 14
#define FL_WS_CONTROL_BYTES_MAX 125

enum fl_ws_opcode {
    FL_WS_CONTINUATION = 0,
    FL_WS_TEXT = 1,
    FL_WS_BINARY = 2,
    FL_WS_CLOSE = 8,
    FL_WS_PING = 9,
    FL_WS_PONG = 10,
};

/* Why a connection is closed: the first two bytes of a CLOSE. */
enum fl_ws_close {
    FL_WS_DONE = 1000,
    FL_WS_GOING_AWAY = 1001,
    FL_WS_BROKEN = 1002,
    FL_WS_NO_TEXT = 1003,
    FL_WS_REFUSED = 1008,
    FL_WS_TOO_LARGE = 1009,
    FL_WS_TROUBLE = 1011,
};

/* ---- reading --------------------------------------------------------------------------------- */

enum fl_ws_answer {
    FL_WS_MORE,  /* all bytes are taken */
    FL_WS_READY, /* *ret_piece is filled; ask again with the rest */
    FL_WS_BAD,   /* the peer broke a rule: close with reader->close */
};

struct fl_ws_piece {
    enum fl_ws_opcode opcode; /* BINARY also for the later frames of a message; or a control one */
    struct fl_str bytes;      /* may be empty */
    bool is_first, is_last;   /* in its message; a control frame is both */
};

/* {.wants_mask = ...} is before the first byte; the other fields are the reader's own. */
struct fl_ws_reader {
    bool wants_mask; /* we are the server */
    bool is_final, is_masked, is_in_message, is_first;
    uint8_t header[FL_WS_HEADER_BYTES_MAX];
    size_t header_len;
    enum fl_ws_opcode opcode;
    uint64_t left; /* bytes of the frame's payload that have not come */
    bool is_in_frame;
    uint8_t mask[4];
    size_t mask_at;
    uint8_t control[FL_WS_CONTROL_BYTES_MAX];
    size_t control_len;
    enum fl_ws_close close; /* after BAD */
};

/* Takes from 'at' what it can, at most *len, and moves both on; the bytes are unmasked in place,
 * and a piece is a view of them, or of the reader, until the next call. */
FL_CHECK enum fl_ws_answer fl_ws_next(struct fl_ws_reader *reader, uint8_t **at, size_t *len,
                                      struct fl_ws_piece *ret_piece, struct fl_err *err);

/* ---- writing --------------------------------------------------------------------------------- */

/* The header of one whole message, or control frame, of 'len' bytes.  'mask' is a client's; NULL: a
 * server's.  Returns its length. */
size_t fl_ws_header(enum fl_ws_opcode opcode, uint64_t len, const uint8_t mask[4],
                    uint8_t ret_header[FL_WS_HEADER_BYTES_MAX]);

/* Masks, or unmasks, bytes that stand 'from' bytes behind the payload's begin. */
void fl_ws_mask(const uint8_t mask[4], size_t from, uint8_t *at, size_t len);
