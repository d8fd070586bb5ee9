#include "shared/wire/http_body.h"

#include "shared/base/assert.h"
#include "shared/base/hex.h"

enum state {
    PLAIN,     /* left_bytes of the body */
    SIZE,      /* digits of a chunk's size */
    EXTENSION, /* behind a ';' */
    SIZE_LF,
    DATA, /* left_bytes of a chunk */
    DATA_CR,
    DATA_LF,
    LAST_CR, /* behind the line of the chunk of 0 bytes */
    LAST_LF,
    OVER,
    BAD,
};

static enum fl_http_body_answer refuse(struct fl_http_body *body, unsigned status, const char *why,
                                       struct fl_http_refusal *ret_refusal)
{
    body->state = BAD;
    body->refusal = (struct fl_http_refusal){status, why};
    *ret_refusal = body->refusal;
    return FL_HTTP_BODY_BAD;
}

void fl_http_body_init(struct fl_http_body *body, const struct fl_http_head *head,
                       uint64_t bytes_max)
{
    *body = (struct fl_http_body){.bytes_max = bytes_max};
    if (head->is_chunked) {
        body->state = SIZE;
    } else if (head->content_bytes > bytes_max) {
        body->state = BAD;
        body->refusal = (struct fl_http_refusal){413, "the body is too large"};
    } else {
        body->state = head->content_bytes ? PLAIN : OVER;
        body->left_bytes = head->content_bytes;
    }
}

/* The state after one byte outside of the chunks' data; BAD: *ret_why says why. */
static enum state step(struct fl_http_body *body, char c, const char **ret_why)
{
    switch ((enum state)body->state) {
    case SIZE:
        if (fl_hex_digit(c) >= 0) {
            *ret_why = "the size of a chunk has too many digits";
            if (body->digits_len == FL_HTTP_CHUNK_DIGITS_MAX) return BAD;
            body->left_bytes = body->left_bytes << 4 | (uint64_t)fl_hex_digit(c);
            body->digits_len++;
            return SIZE;
        }
        *ret_why = "the size of a chunk is no number";
        if (body->digits_len == 0) return BAD;
        if (c == ';') return EXTENSION;
        return c == '\r' ? SIZE_LF : BAD;
    case EXTENSION:
        *ret_why = "the extensions of the chunks are too long";
        if (c == '\r') return SIZE_LF;
        if (++body->extension_bytes > FL_HTTP_EXTENSION_BYTES_MAX) return BAD;
        *ret_why = "a control character in the extension of a chunk";
        return (uint8_t)c < 0x20 && c != '\t' ? BAD : EXTENSION;
    case SIZE_LF:
        *ret_why = "the line of a chunk ends with a bare CR";
        if (c != '\n') return BAD;
        return body->left_bytes ? DATA : LAST_CR;
    case DATA_CR:
        *ret_why = "a chunk is longer than its size";
        return c == '\r' ? DATA_LF : BAD;
    case DATA_LF:
        *ret_why = "a chunk ends with a bare CR";
        body->digits_len = 0;
        return c == '\n' ? SIZE : BAD;
    case LAST_CR:
        *ret_why = "trailers are not taken";
        return c == '\r' ? LAST_LF : BAD;
    case LAST_LF:
        *ret_why = "the body ends with a bare CR";
        return c == '\n' ? OVER : BAD;
    case PLAIN:
    case DATA:
    case OVER:
    case BAD:
        break;
    }
    fl_unreachable("the caller handles these");
}

static struct fl_str take(struct fl_http_body *body, struct fl_str *bytes)
{
    struct fl_str piece = *bytes;

    if (piece.len > body->left_bytes) piece.len = (size_t)body->left_bytes;
    body->left_bytes -= piece.len;
    bytes->at += piece.len;
    bytes->len -= piece.len;
    return piece;
}

enum fl_http_body_answer fl_http_body_next(struct fl_http_body *body, struct fl_str *bytes,
                                           struct fl_str *ret_piece,
                                           struct fl_http_refusal *ret_refusal)
{
    for (;;) {
        const char *why = "";

        if (body->state == OVER) return FL_HTTP_BODY_END;
        if (body->state == BAD) {
            *ret_refusal = body->refusal;
            return FL_HTTP_BODY_BAD;
        }
        if (bytes->len == 0) return FL_HTTP_BODY_MORE;
        if (body->state == PLAIN || body->state == DATA) {
            *ret_piece = take(body, bytes);
            if (body->left_bytes == 0) body->state = body->state == PLAIN ? OVER : DATA_CR;
            return FL_HTTP_BODY_PIECE;
        }
        body->state = (uint8_t)step(body, bytes->at[0], &why);
        bytes->at++;
        bytes->len--;
        if (body->state == BAD) return refuse(body, 400, why, ret_refusal);
        if (body->state != DATA) continue;
        if (body->left_bytes > body->bytes_max - body->body_bytes) {
            return refuse(body, 413, "the body is too large", ret_refusal);
        }
        body->body_bytes += body->left_bytes;
    }
}
