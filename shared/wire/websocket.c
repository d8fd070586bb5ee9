#include "shared/wire/websocket.h"

#include <string.h>

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, LENGTH = 0x7f };
enum { LENGTH_16 = 126, LENGTH_64 = 127 };

/* ---- reading --------------------------------------------------------------------------------- */

static bool bad(struct fl_ws_reader *reader, enum fl_ws_close close, struct fl_err *err,
                const char *why)
{
    reader->close = close;
    return fl_fail(err, close == FL_WS_TOO_LARGE ? FL_TOO_LARGE : FL_INVALID, "%s", why);
}

static bool is_control(enum fl_ws_opcode opcode)
{
    return opcode >= FL_WS_CLOSE;
}

/* How long the header is, so far as its first two bytes tell. */
static size_t header_bytes(const struct fl_ws_reader *reader)
{
    size_t len = 2;

    if (reader->header_len < 2) return len;
    if ((reader->header[1] & LENGTH) == LENGTH_16) len += 2;
    if ((reader->header[1] & LENGTH) == LENGTH_64) len += 8;
    if (reader->header[1] & MASKED) len += 4;
    return len;
}

static bool check_first(struct fl_ws_reader *reader, struct fl_err *err)
{
    enum fl_ws_opcode opcode = (enum fl_ws_opcode)(reader->header[0] & OPCODE);
    bool is_final = reader->header[0] & FIN;

    if (reader->header[0] & RESERVED) {
        return bad(reader, FL_WS_BROKEN, err, "a frame has a reserved bit");
    }
    switch (opcode) {
    case FL_WS_CONTINUATION:
        if (!reader->is_in_message) {
            return bad(reader, FL_WS_BROKEN, err, "a frame continues no message");
        }
        return true;
    case FL_WS_BINARY:
        if (reader->is_in_message) {
            return bad(reader, FL_WS_BROKEN, err, "a message begins within another");
        }
        return true;
    case FL_WS_TEXT:
        return bad(reader, FL_WS_NO_TEXT, err, "a text message; only binary ones are taken");
    case FL_WS_CLOSE:
    case FL_WS_PING:
    case FL_WS_PONG:
        if (!is_final || (reader->header[1] & LENGTH) > FL_WS_CONTROL_BYTES_MAX) {
            return bad(reader, FL_WS_BROKEN, err, "a control frame is cut, or over 125 bytes");
        }
        return true;
    }
    return bad(reader, FL_WS_BROKEN, err, "a frame has an unknown opcode");
}

static bool read_length(struct fl_ws_reader *reader, struct fl_err *err)
{
    size_t len = reader->header[1] & LENGTH, bytes = 0;
    uint64_t length = len;

    if (len == LENGTH_16) bytes = 2;
    if (len == LENGTH_64) bytes = 8;
    if (bytes > 0) length = 0;
    for (size_t i = 0; i < bytes; i++) {
        length = length << 8 | reader->header[2 + i];
    }
    if ((bytes == 2 && length < LENGTH_16) || (bytes == 8 && length <= UINT16_MAX)) {
        return bad(reader, FL_WS_BROKEN, err, "a length is not in its shortest form");
    }
    if (length > FL_WS_FRAME_BYTES_MAX) {
        return bad(reader, FL_WS_TOO_LARGE, err,
                   "a frame is over " FL_QUOTE(FL_WS_FRAME_MIB_MAX) " MiB");
    }
    reader->left = length;
    if (reader->is_masked) memcpy(reader->mask, reader->header + 2 + bytes, sizeof reader->mask);
    return true;
}

/* The header is whole. */
static bool begin_frame(struct fl_ws_reader *reader, struct fl_err *err)
{
    reader->is_final = reader->header[0] & FIN;
    reader->opcode = (enum fl_ws_opcode)(reader->header[0] & OPCODE);
    reader->is_masked = reader->header[1] & MASKED;
    if (!read_length(reader, err)) return false;
    reader->header_len = 0;
    reader->mask_at = 0;
    reader->control_len = 0;
    reader->is_in_frame = true;
    if (reader->opcode == FL_WS_BINARY) reader->is_first = true;
    if (!is_control(reader->opcode)) reader->is_in_message = true;
    return true;
}

/* False: more bytes are needed, or, with a code in 'err', they are bad. */
static bool take_header(struct fl_ws_reader *reader, uint8_t **at, size_t *len, struct fl_err *err)
{
    while (reader->header_len < header_bytes(reader)) {
        if (*len == 0) return false;
        reader->header[reader->header_len++] = **at;
        *at += 1;
        *len -= 1;
        if (reader->header_len != 2) continue;
        if (!check_first(reader, err)) return false;
        if (reader->wants_mask != ((reader->header[1] & MASKED) != 0)) {
            return bad(reader, FL_WS_BROKEN, err,
                       reader->wants_mask ? "a client's frame is not masked"
                                          : "a server's frame is masked");
        }
    }
    return begin_frame(reader, err);
}

static struct fl_str take_payload(struct fl_ws_reader *reader, uint8_t **at, size_t *len)
{
    size_t n = *len < reader->left ? *len : (size_t)reader->left;
    uint8_t *from = *at;

    if (reader->is_masked) fl_ws_mask(reader->mask, reader->mask_at, from, n);
    reader->mask_at = (reader->mask_at + n) % sizeof reader->mask;
    reader->left -= n;
    *at += n;
    *len -= n;
    return (struct fl_str){(const char *)from, n};
}

static bool take_control(struct fl_ws_reader *reader, struct fl_str bytes,
                         struct fl_ws_piece *ret_piece)
{
    memcpy(reader->control + reader->control_len, bytes.at, bytes.len);
    reader->control_len += bytes.len;
    if (reader->left > 0) return false;
    reader->is_in_frame = false;
    *ret_piece = (struct fl_ws_piece){
        .opcode = reader->opcode,
        .bytes = {(const char *)reader->control, reader->control_len},
        .is_first = true,
        .is_last = true,
    };
    return true;
}

static bool take_data(struct fl_ws_reader *reader, struct fl_str bytes,
                      struct fl_ws_piece *ret_piece)
{
    bool is_over = reader->left == 0;

    if (bytes.len == 0 && !is_over) return false;
    *ret_piece = (struct fl_ws_piece){
        .opcode = FL_WS_BINARY,
        .bytes = bytes,
        .is_first = reader->is_first,
        .is_last = is_over && reader->is_final,
    };
    reader->is_first = false;
    reader->is_in_frame = !is_over;
    reader->is_in_message = !ret_piece->is_last;
    return true;
}

enum fl_ws_answer fl_ws_next(struct fl_ws_reader *reader, uint8_t **at, size_t *len,
                             struct fl_ws_piece *ret_piece, struct fl_err *err)
{
    struct fl_err why = {0};

    for (;;) {
        struct fl_str bytes;

        if (!reader->is_in_frame && !take_header(reader, at, len, &why)) {
            if (why.code == FL_OK) return FL_WS_MORE;
            *err = why;
            return FL_WS_BAD;
        }
        bytes = take_payload(reader, at, len);
        if (is_control(reader->opcode) ? take_control(reader, bytes, ret_piece)
                                       : take_data(reader, bytes, ret_piece)) {
            return FL_WS_READY;
        }
        if (*len == 0) return FL_WS_MORE;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

size_t fl_ws_header(enum fl_ws_opcode opcode, uint64_t len, const uint8_t mask[4],
                    uint8_t ret_header[FL_WS_HEADER_BYTES_MAX])
{
    size_t n = 2, bytes = 0;
    uint8_t first = (uint8_t)len;

    if (len >= LENGTH_16) {
        first = len > UINT16_MAX ? LENGTH_64 : LENGTH_16;
        bytes = len > UINT16_MAX ? 8 : 2;
    }
    ret_header[0] = (uint8_t)(FIN | opcode);
    ret_header[1] = (uint8_t)(first | (mask ? MASKED : 0));
    for (size_t i = 0; i < bytes; i++) {
        ret_header[n++] = (uint8_t)(len >> (8 * (bytes - 1 - i)));
    }
    if (!mask) return n;
    memcpy(ret_header + n, mask, 4);
    return n + 4;
}

void fl_ws_mask(const uint8_t mask[4], size_t from, uint8_t *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        at[i] ^= mask[(from + i) % 4];
    }
}
