#include "shared/wire/frame.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

FL_ENUM_NAMES(fl_frame_type_name, uint8_t, FL_FRAME_TYPES(FL_NAME_NUMBERED))

static bool is_known(uint8_t type)
{
    return type >= FL_FRAME_CONTROL && type <= FL_FRAME_CLOSE;
}

bool fl_frame_type_is_data(uint8_t type)
{
    return type >= FL_FRAME_LOG && type <= FL_FRAME_BLOB;
}

/* ---- rules: one place for both ends ---------------------------------------------------------- */

static bool check(const struct fl_frame *frame, uint64_t length, struct fl_err *err)
{
    bool is_control = frame->stream == FL_STREAM_CONTROL;

    if (frame->flags & ~FL_FRAME_MAY_IGNORE) {
        return fl_fail(err, FL_INVALID, "flags 0x%02x are not known to this version", frame->flags);
    }
    if (length > FL_FRAME_PAYLOAD_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "%" PRIu64 " bytes of payload; at most %d are allowed",
                       length, FL_FRAME_PAYLOAD_MAX);
    }
    if (!is_known(frame->type)) {
        if (frame->flags & FL_FRAME_MAY_IGNORE) return true;
        return fl_fail(err, FL_UNSUPPORTED, "type %u is not known to this version", frame->type);
    }
    if (is_control && frame->type != FL_FRAME_CONTROL && frame->type != FL_FRAME_CREDIT) {
        return fl_fail(err, FL_INVALID, "%s on the control stream",
                       fl_frame_type_name(frame->type));
    }
    if (is_control) return true;
    if (frame->type == FL_FRAME_CONTROL) {
        return fl_fail(err, FL_INVALID, "CONTROL outside of the control stream");
    }
    if (!fl_frame_type_is_data(frame->type) && frame->sequence != 0) {
        return fl_fail(err, FL_INVALID, "%s with a sequence", fl_frame_type_name(frame->type));
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_header(struct fl_buf *out, const struct fl_frame *frame)
{
    fl_assert(check(frame, frame->payload.len, NULL));
    fl_buf_put_u32(out, frame->stream);
    fl_buf_put_u8(out, frame->type);
    fl_buf_put_u8(out, frame->flags);
    fl_buf_put_u16(out, 0);
    fl_buf_put_u32(out, (uint32_t)frame->payload.len);
    fl_buf_put_u32(out, frame->sequence);
}

uint8_t *fl_frame_begin(struct fl_buf *out, size_t bytes_max)
{
    size_t start = out->len;

    if (fl_buf_room(out, FL_FRAME_HEADER_BYTES + bytes_max)) {
        return out->at + start + FL_FRAME_HEADER_BYTES;
    }
    fl_buf_truncate(out, start);
    return NULL;
}

void fl_frame_end(struct fl_buf *out, size_t start, const struct fl_frame *frame)
{
    size_t end = start + FL_FRAME_HEADER_BYTES + frame->payload.len;

    fl_assert(end <= out->len);
    fl_buf_truncate(out, start);
    put_header(out, frame); /* into the room that fl_frame_begin left for it */
    out->len = end;
}

void fl_frame_drop(struct fl_buf *out, size_t start)
{
    fl_buf_truncate(out, start);
}

bool fl_frame_put(struct fl_buf *out, const struct fl_frame *frame)
{
    size_t start = out->len;

    put_header(out, frame);
    if (fl_buf_put(out, frame->payload.at, frame->payload.len)) return true;
    fl_buf_truncate(out, start);
    return false;
}

bool fl_frame_put_credit(struct fl_buf *out, uint32_t stream, uint32_t sequence, uint32_t bytes)
{
    char payload[4] = {(char)bytes, (char)(bytes >> 8), (char)(bytes >> 16), (char)(bytes >> 24)};

    fl_assert(bytes > 0);
    return fl_frame_put(out, &(struct fl_frame){.stream = stream,
                                                .type = FL_FRAME_CREDIT,
                                                .sequence = sequence,
                                                .payload = {payload, sizeof payload}});
}

bool fl_frame_put_close(struct fl_buf *out, uint32_t stream, enum fl_code code, struct fl_str text)
{
    char payload[2 + FL_FRAME_CLOSE_TEXT_MAX] = {(char)code, (char)(code >> 8)};

    fl_assert(text.len <= FL_FRAME_CLOSE_TEXT_MAX && fl_str_is_text(text));
    if (text.len) memcpy(payload + 2, text.at, text.len);
    return fl_frame_put(out, &(struct fl_frame){.stream = stream,
                                                .type = FL_FRAME_CLOSE,
                                                .payload = {payload, 2 + text.len}});
}

/* ---- reading --------------------------------------------------------------------------------- */

void fl_frame_decoder_init(struct fl_frame_decoder *decoder)
{
    *decoder = (struct fl_frame_decoder){0};
    fl_buf_init(&decoder->payload, FL_FRAME_PAYLOAD_MAX);
}

void fl_frame_decoder_fini(struct fl_frame_decoder *decoder)
{
    if (!decoder) return;
    fl_buf_fini(&decoder->payload);
}

static struct fl_str take(struct fl_str *bytes, size_t len_max)
{
    struct fl_str taken = {bytes->at, bytes->len < len_max ? bytes->len : len_max};

    if (taken.len) bytes->at += taken.len; /* nothing may be added to NULL, not even 0 */
    bytes->len -= taken.len;
    return taken;
}

static bool read_header(struct fl_frame_decoder *decoder, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(decoder->header, FL_FRAME_HEADER_BYTES);
    struct fl_frame *frame = &decoder->frame;
    uint16_t reserved;

    frame->stream = fl_read_u32(&reader);
    frame->type = fl_read_u8(&reader);
    frame->flags = fl_read_u8(&reader);
    reserved = fl_read_u16(&reader);
    decoder->payload_bytes = fl_read_u32(&reader);
    frame->sequence = fl_read_u32(&reader);
    if (reserved) return fl_fail(err, FL_INVALID, "reserved bytes are 0x%04x, not 0", reserved);
    if (!check(frame, decoder->payload_bytes, err)) return false;
    if (frame->stream != FL_STREAM_CONTROL) return true;
    decoder->control_sequence++;
    if (frame->sequence == decoder->control_sequence) return true;
    return fl_fail(err, FL_INVALID, "sequence %" PRIu32 " where %" PRIu32 " was due",
                   frame->sequence, decoder->control_sequence);
}

/* False: the bytes so far break a rule; else look at header_len. */
static bool take_header(struct fl_frame_decoder *decoder, struct fl_str *bytes)
{
    struct fl_str part = take(bytes, FL_FRAME_HEADER_BYTES - decoder->header_len);

    if (part.len) memcpy(decoder->header + decoder->header_len, part.at, part.len);
    decoder->header_len += part.len;
    if (decoder->header_len < FL_FRAME_HEADER_BYTES) return true;
    fl_buf_clear(&decoder->payload);
    if (read_header(decoder, &decoder->err)) return true;
    return fl_err_wrap(&decoder->err, "frame on stream %" PRIu32, decoder->frame.stream);
}

enum fl_frame_answer fl_frame_decoder_next(struct fl_frame_decoder *decoder, struct fl_str *bytes,
                                           struct fl_frame *ret_frame, struct fl_err *err)
{
    size_t missing;
    struct fl_str part;

    if (decoder->err.code != FL_OK ||
        (decoder->header_len < FL_FRAME_HEADER_BYTES && !take_header(decoder, bytes))) {
        if (err) *err = decoder->err;
        return FL_FRAME_BAD;
    }
    if (decoder->header_len < FL_FRAME_HEADER_BYTES) return FL_FRAME_MORE;
    missing = decoder->payload_bytes - decoder->payload.len;
    part = take(bytes, missing);
    if (part.len < decoder->payload_bytes) { /* it came in parts, which are joined here */
        bool is_kept = fl_buf_put(&decoder->payload, part.at, part.len);

        fl_assert(is_kept); /* the length was checked with the header */
        if (part.len < missing) return FL_FRAME_MORE;
        part = (struct fl_str){(const char *)decoder->payload.at, decoder->payload.len};
    }
    decoder->header_len = 0;
    *ret_frame = decoder->frame;
    ret_frame->payload = part;
    return FL_FRAME_READY;
}

bool fl_frame_read_credit(const struct fl_frame *frame, uint32_t *ret_bytes, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(frame->payload.at, frame->payload.len);
    uint32_t bytes = fl_read_u32(&reader);

    if (!fl_reader_is_done(&reader) || bytes == 0) {
        return fl_fail(err, FL_INVALID, "CREDIT on stream %" PRIu32 ": is not 4 bytes and over 0",
                       frame->stream);
    }
    *ret_bytes = bytes;
    return true;
}

bool fl_frame_read_close(const struct fl_frame *frame, uint16_t *ret_code, struct fl_str *ret_text,
                         struct fl_err *err)
{
    struct fl_reader reader = fl_reader(frame->payload.at, frame->payload.len);
    uint16_t code = fl_read_u16(&reader);
    struct fl_str text = fl_read_raw(&reader, reader.len - reader.pos);

    if (!fl_reader_is_done(&reader) || text.len > FL_FRAME_CLOSE_TEXT_MAX ||
        !fl_str_is_text(text)) {
        return fl_fail(err, FL_INVALID,
                       "CLOSE of stream %" PRIu32 ": is not a code and at most %d bytes of text",
                       frame->stream, FL_FRAME_CLOSE_TEXT_MAX);
    }
    *ret_code = code;
    *ret_text = text;
    return true;
}
