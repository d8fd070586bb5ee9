#include "agent/kube/kube_spdy.h"

#include <string.h>

#include "shared/base/assert.h"

enum { CONTROL = 0x80, VERSION = 3, FLAG_FIN = 1 };
enum { SYN_STREAM = 1, SYN_REPLY = 2, RST_STREAM = 3, PING = 6, GOAWAY = 7, HEADERS = 8 };

static uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static size_t u24_at(const uint8_t *at)
{
    return (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_control(const struct kube_spdy_reader *reader)
{
    return reader->header[0] & CONTROL;
}

static unsigned type_of(const struct kube_spdy_reader *reader)
{
    return (unsigned)reader->header[2] << 8 | reader->header[3];
}

/* The fewest bytes that a control frame of this type has. */
static size_t least_bytes(unsigned type)
{
    switch (type) {
    case SYN_STREAM:
        return 10;
    case SYN_REPLY:
    case HEADERS:
    case PING:
        return 4;
    case RST_STREAM:
    case GOAWAY:
        return 8;
    default:
        return 0;
    }
}

static bool begin_frame(struct kube_spdy_reader *reader, struct fl_err *err)
{
    unsigned type = type_of(reader);

    reader->left = u24_at(reader->header + 5);
    reader->body_len = 0;
    reader->is_in_frame = true;
    if (!is_control(reader)) return true;
    if (reader->header[0] != CONTROL || reader->header[1] != VERSION) {
        return fl_fail(err, FL_INVALID, "a frame is not of SPDY/3");
    }
    if (reader->left > KUBE_SPDY_CONTROL_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a control frame is over 64 KiB");
    }
    if (reader->left < least_bytes(type)) {
        return fl_fail(err, FL_INVALID, "a control frame of type %u is cut", type);
    }
    if (type == SYN_STREAM) return fl_fail(err, FL_INVALID, "the peer opens a stream");
    return true;
}

static bool take_header(struct kube_spdy_reader *reader, struct fl_str *bytes)
{
    while (reader->header_len < sizeof reader->header) {
        if (bytes->len == 0) return false;
        reader->header[reader->header_len++] = (uint8_t)*bytes->at++;
        bytes->len--;
    }
    reader->header_len = 0;
    return true;
}

static struct fl_str take(struct kube_spdy_reader *reader, struct fl_str *bytes)
{
    struct fl_str taken = {bytes->at, bytes->len < reader->left ? bytes->len : reader->left};

    bytes->at += taken.len;
    bytes->len -= taken.len;
    reader->left -= taken.len;
    if (reader->left == 0) reader->is_in_frame = false;
    return taken;
}

static bool take_data(struct kube_spdy_reader *reader, struct fl_str *bytes,
                      struct kube_spdy_piece *ret_piece)
{
    if (bytes->len == 0 && reader->left > 0) return false;
    *ret_piece = (struct kube_spdy_piece){
        .kind = KUBE_SPDY_DATA,
        .stream = u32_at(reader->header),
        .bytes = take(reader, bytes),
    };
    ret_piece->is_last = !reader->is_in_frame && (reader->header[4] & FLAG_FIN);
    return true;
}

/* True: the whole frame says something. */
static bool read_control(const struct kube_spdy_reader *reader, struct kube_spdy_piece *ret_piece)
{
    uint32_t first = u32_at(reader->body) & INT32_MAX, second = u32_at(reader->body + 4);

    switch (type_of(reader)) {
    case SYN_REPLY:
    case HEADERS:
        *ret_piece =
            (struct kube_spdy_piece){.kind = KUBE_SPDY_DATA, .stream = first, .is_last = true};
        return reader->header[4] & FLAG_FIN;
    case RST_STREAM:
        *ret_piece =
            (struct kube_spdy_piece){.kind = KUBE_SPDY_RESET, .stream = first, .number = second};
        return true;
    case PING:
        *ret_piece =
            (struct kube_spdy_piece){.kind = KUBE_SPDY_PING, .number = u32_at(reader->body)};
        return true;
    case GOAWAY:
        *ret_piece = (struct kube_spdy_piece){.kind = KUBE_SPDY_GOAWAY, .number = second};
        return true;
    default:
        return false; /* settings, credit that we do not count, or something newer */
    }
}

static bool take_control(struct kube_spdy_reader *reader, struct fl_str *bytes,
                         struct kube_spdy_piece *ret_piece)
{
    struct fl_str taken = take(reader, bytes);
    size_t n = sizeof reader->body - reader->body_len;

    if (n > taken.len) n = taken.len;
    if (n > 0) memcpy(reader->body + reader->body_len, taken.at, n);
    reader->body_len += n;
    return !reader->is_in_frame && read_control(reader, ret_piece);
}

enum kube_spdy_answer kube_spdy_next(struct kube_spdy_reader *reader, struct fl_str *bytes,
                                     struct kube_spdy_piece *ret_piece, struct fl_err *err)
{
    for (;;) {
        if (!reader->is_in_frame) {
            if (!take_header(reader, bytes)) return KUBE_SPDY_MORE;
            if (!begin_frame(reader, err)) return KUBE_SPDY_BAD;
        }
        if (is_control(reader) ? take_control(reader, bytes, ret_piece)
                               : take_data(reader, bytes, ret_piece)) {
            return KUBE_SPDY_READY;
        }
        if (bytes->len == 0) return KUBE_SPDY_MORE;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The begin of a stream of zlib: deflate with a window of 32 KiB and SPDY/3's dictionary, which
 * stored bytes never look into.  Then blocks of stored bytes; an empty one makes the reader give
 * out all that it holds. */
static const uint8_t zlib_begin[] = {0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2};
static const uint8_t zlib_flush[] = {0, 0, 0, 0xff, 0xff};
enum { ZLIB_BLOCK_BYTES = 5 };

static void set_u32(uint8_t *at, size_t n)
{
    at[0] = (uint8_t)(n >> 24);
    at[1] = (uint8_t)(n >> 16);
    at[2] = (uint8_t)(n >> 8);
    at[3] = (uint8_t)n;
}

static bool put_u32(struct fl_buf *out, size_t n)
{
    uint8_t bytes[4];

    set_u32(bytes, n);
    return fl_buf_put(out, bytes, sizeof bytes);
}

static bool put_control(struct fl_buf *out, unsigned type, bool is_last, size_t len)
{
    return fl_buf_put_u8(out, CONTROL) && fl_buf_put_u8(out, VERSION) && fl_buf_put_u8(out, 0) &&
           fl_buf_put_u8(out, (uint8_t)type) &&
           put_u32(out, (size_t)(is_last ? FLAG_FIN : 0) << 24 | len);
}

static size_t headers_bytes(const struct kube_spdy_open *open)
{
    size_t len = 4;

    for (size_t i = 0; i < open->headers_len; i++) {
        len += 8 + strlen(open->headers[i].name) + strlen(open->headers[i].value);
    }
    fl_assert(len <= UINT16_MAX); /* one stored block */
    return len;
}

static void put_text(struct fl_buf *out, const char *text)
{
    if (put_u32(out, strlen(text))) fl_buf_put(out, text, strlen(text));
}

bool kube_spdy_put_open(struct fl_buf *out, const struct kube_spdy_open *open)
{
    size_t begin = open->is_first ? sizeof zlib_begin : 0, block = headers_bytes(open);
    size_t bytes = 10 + begin + ZLIB_BLOCK_BYTES + block + sizeof zlib_flush;

    if (!put_control(out, SYN_STREAM, open->is_last, bytes) || !put_u32(out, open->stream) ||
        !put_u32(out, 0) || !fl_buf_put_u8(out, 0) || !fl_buf_put_u8(out, 0)) {
        return false;
    }
    fl_buf_put(out, zlib_begin, begin);
    fl_buf_put_u8(out, 0);
    fl_buf_put_u16(out, (uint16_t)block);
    fl_buf_put_u16(out, (uint16_t)~block);
    put_u32(out, open->headers_len);
    for (size_t i = 0; i < open->headers_len; i++) {
        put_text(out, open->headers[i].name);
        put_text(out, open->headers[i].value);
    }
    return fl_buf_put(out, zlib_flush, sizeof zlib_flush);
}

bool kube_spdy_put_ping(struct fl_buf *out, uint32_t id)
{
    return put_control(out, PING, false, 4) && put_u32(out, id);
}

void kube_spdy_data(uint32_t stream, size_t len, bool is_last,
                    uint8_t ret_header[KUBE_SPDY_HEADER_BYTES])
{
    fl_assert(len <= KUBE_SPDY_DATA_BYTES_MAX);
    set_u32(ret_header, stream);
    set_u32(ret_header + 4, len);
    ret_header[4] = is_last ? FLAG_FIN : 0;
}
