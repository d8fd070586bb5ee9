#include "shared/wire/visit.h"

#include <string.h>

enum { TERM_BYTES_MAX = 64, TEXT_BYTES_MAX = 1024, HAS_TTY = 1, IS_FILES = 2, IS_LIST = 4 };

/* ---- writing --------------------------------------------------------------------------------- */

void fl_visit_header(enum fl_visit_channel channel, size_t len,
                     uint8_t ret_header[FL_VISIT_HEADER_BYTES])
{
    ret_header[0] = (uint8_t)channel;
    ret_header[1] = (uint8_t)len;
    ret_header[2] = (uint8_t)(len >> 8);
}

bool fl_visit_put(struct fl_buf *out, enum fl_visit_channel channel, struct fl_str bytes)
{
    uint8_t *at =
        bytes.len > FL_VISIT_BYTES_MAX ? NULL : fl_buf_room(out, FL_VISIT_HEADER_BYTES + bytes.len);

    if (!at) return false;
    fl_visit_header(channel, bytes.len, at);
    if (bytes.len > 0) memcpy(at + FL_VISIT_HEADER_BYTES, bytes.at, bytes.len);
    return true;
}

/* A record whose bytes 'from' .. stand in 'out' already. */
static bool end_record(struct fl_buf *out, size_t from, enum fl_visit_channel channel)
{
    size_t len = out->len - from - FL_VISIT_HEADER_BYTES;

    if (out->is_over || len > FL_VISIT_BYTES_MAX) return false;
    fl_visit_header(channel, len, out->at + from);
    return true;
}

static size_t begin_record(struct fl_buf *out)
{
    static const uint8_t header[FL_VISIT_HEADER_BYTES];
    size_t from = out->len;

    (void)fl_buf_put(out, header, sizeof header); /* end_record sees whether all fitted */
    return from;
}

bool fl_visit_put_open(struct fl_buf *out, const struct fl_visit_open *open)
{
    size_t from = begin_record(out);

    fl_buf_put_u64(out, open->attempt.job.n);
    fl_buf_put_u32(out, open->attempt.element);
    fl_buf_put_u16(out, open->attempt.n);
    fl_buf_put_u32(out, open->attempt.incarnation);
    fl_buf_put_u32(out, open->replica);
    fl_buf_put_u16(out, open->port);
    fl_buf_put_u8(out, (uint8_t)((open->has_tty ? HAS_TTY : 0) | (open->is_files ? IS_FILES : 0) |
                                 (open->is_list ? IS_LIST : 0)));
    fl_buf_put_u16(out, open->size.rows);
    fl_buf_put_u16(out, open->size.columns);
    fl_buf_put_str(out, open->term);
    fl_buf_put_var(out, open->words_len);
    for (size_t i = 0; i < open->words_len; i++) {
        fl_buf_put_str(out, open->words[i]);
    }
    if (open->is_files) {
        fl_buf_put_u64(out, open->offset);
        fl_buf_put_u32(out, open->crc);
    }
    return end_record(out, from, FL_VISIT_OPEN);
}

bool fl_visit_put_status(struct fl_buf *out, const struct fl_visit_status *status)
{
    size_t from = begin_record(out);

    fl_buf_put_u16(out, (uint16_t)status->code);
    fl_buf_put_i32(out, status->exit_code);
    fl_buf_put_str(out, fl_str_begin(status->text, TEXT_BYTES_MAX));
    return end_record(out, from, FL_VISIT_STATUS);
}

bool fl_visit_put_size(struct fl_buf *out, struct fl_visit_size size)
{
    size_t from = begin_record(out);

    fl_buf_put_u16(out, size.rows);
    fl_buf_put_u16(out, size.columns);
    return end_record(out, from, FL_VISIT_RESIZE);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void take(struct fl_visit_reader *reader, struct fl_str *bytes, size_t until)
{
    size_t n = until - reader->len < bytes->len ? until - reader->len : bytes->len;

    memcpy(reader->at + reader->len, bytes->at, n);
    reader->len += n;
    bytes->at += n;
    bytes->len -= n;
}

static bool is_channel(uint8_t channel)
{
    return channel <= FL_VISIT_RESIZE || channel == FL_VISIT_OPEN || channel == FL_VISIT_CLOSE;
}

enum fl_visit_answer fl_visit_next(struct fl_visit_reader *reader, struct fl_str *bytes,
                                   struct fl_visit_record *ret_record, struct fl_err *err)
{
    size_t len;

    if (reader->len < FL_VISIT_HEADER_BYTES && bytes->len > 0) {
        take(reader, bytes, FL_VISIT_HEADER_BYTES);
    }
    if (reader->len < FL_VISIT_HEADER_BYTES) return FL_VISIT_MORE;
    len = (size_t)(reader->at[1] | reader->at[2] << 8);
    if (!is_channel(reader->at[0]) || len > FL_VISIT_BYTES_MAX) {
        fl_fail(err, FL_INVALID, "a record of channel %u with %zu bytes cannot be",
                (unsigned)reader->at[0], len);
        return FL_VISIT_BAD;
    }
    if (bytes->len > 0) take(reader, bytes, FL_VISIT_HEADER_BYTES + len);
    if (reader->len < FL_VISIT_HEADER_BYTES + len) return FL_VISIT_MORE;
    *ret_record = (struct fl_visit_record){
        .channel = (enum fl_visit_channel)reader->at[0],
        .bytes = {(const char *)reader->at + FL_VISIT_HEADER_BYTES, len},
    };
    reader->len = 0;
    return FL_VISIT_READY;
}

bool fl_visit_each(struct fl_visit_reader *reader, struct fl_str bytes,
                   bool (*each)(void *ctx, const struct fl_visit_record *record,
                                struct fl_err *err),
                   void *ctx, struct fl_err *err)
{
    struct fl_visit_record record;

    for (;;) {
        switch (fl_visit_next(reader, &bytes, &record, err)) {
        case FL_VISIT_READY:
            if (!each(ctx, &record, err)) return false;
            break;
        case FL_VISIT_MORE:
            return true;
        case FL_VISIT_BAD:
            return false;
        }
    }
}

bool fl_visit_read_open(struct fl_str bytes, struct fl_str *words, struct fl_visit_open *ret_open,
                        struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_visit_open open = {.words = words};
    uint8_t flags;
    uint64_t len;

    open.attempt.job.n = fl_read_u64(&reader);
    open.attempt.element = fl_read_u32(&reader);
    open.attempt.n = fl_read_u16(&reader);
    open.attempt.incarnation = fl_read_u32(&reader);
    open.replica = fl_read_u32(&reader);
    open.port = fl_read_u16(&reader);
    flags = fl_read_u8(&reader);
    open.has_tty = flags & HAS_TTY;
    open.is_files = flags & IS_FILES;
    open.is_list = flags & IS_LIST;
    open.size.rows = fl_read_u16(&reader);
    open.size.columns = fl_read_u16(&reader);
    open.term = fl_read_bytes(&reader, TERM_BYTES_MAX);
    len = fl_read_var(&reader);
    if (len > FL_VISIT_WORDS_MAX || flags > (HAS_TTY | IS_FILES | IS_LIST)) reader.is_bad = true;
    while (!reader.is_bad && open.words_len < len) {
        struct fl_str word = fl_read_bytes(&reader, FL_VISIT_BYTES_MAX);

        /* It becomes a C string. */
        if (word.len > 0 && memchr(word.at, 0, word.len)) reader.is_bad = true;
        words[open.words_len++] = word;
    }
    if (open.is_files) {
        open.offset = fl_read_u64(&reader);
        open.crc = fl_read_u32(&reader);
    }
    if (open.is_files ? open.port != 0 || open.has_tty || len != 1 : open.is_list) {
        reader.is_bad = true;
    }
    if (open.term.len > 0 && memchr(open.term.at, 0, open.term.len)) reader.is_bad = true;
    if (!fl_reader_is_done(&reader)) return fl_fail(err, FL_INVALID, "a malformed OPEN");
    *ret_open = open;
    return true;
}

bool fl_visit_read_status(struct fl_str bytes, struct fl_visit_status *ret_status,
                          struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_visit_status status = {.code = (enum fl_code)fl_read_u16(&reader)};

    status.exit_code = fl_read_i32(&reader);
    status.text = fl_read_bytes(&reader, TEXT_BYTES_MAX);
    if (!fl_reader_is_done(&reader)) return fl_fail(err, FL_INVALID, "a malformed STATUS");
    *ret_status = status;
    return true;
}

bool fl_visit_read_size(struct fl_str bytes, struct fl_visit_size *ret_size, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_visit_size size = {.rows = fl_read_u16(&reader)};

    size.columns = fl_read_u16(&reader);
    if (!fl_reader_is_done(&reader)) return fl_fail(err, FL_INVALID, "a malformed RESIZE");
    *ret_size = size;
    return true;
}
