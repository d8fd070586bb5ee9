#include "controlplane/store/copy_row.h"

#include <string.h>

/* Signature, no flags, no extension. */
static const char header[19] = "PGCOPY\n\377\r\n";

/* The next number of so many bytes, biggest first; UINT64_MAX: there are too few. */
static uint64_t take_number(struct fl_str *from, size_t bytes)
{
    uint64_t n = 0;

    if (from->len < bytes) return UINT64_MAX;
    for (size_t i = 0; i < bytes; i++) {
        n = n << 8 | (uint8_t)from->at[i];
    }
    from->at += bytes;
    from->len -= bytes;
    return n;
}

enum copy_answer copy_next(struct copy_stream *stream, struct fl_str *message)
{
    struct fl_str after;

    if (!stream->has_header) {
        if (message->len < sizeof header || memcmp(message->at, header, sizeof header) != 0) {
            return COPY_TORN;
        }
        message->at += sizeof header;
        message->len -= sizeof header;
        stream->has_header = true;
    }
    after = *message;
    switch (take_number(&after, 2)) {
    case UINT64_MAX:
        return COPY_TORN;
    case UINT16_MAX:
        return after.len == 0 ? COPY_END : COPY_TORN;
    default:
        return COPY_TUPLE;
    }
}

/* NULL is the empty string. */
static bool take_field(struct fl_str *from, struct fl_str *ret_value)
{
    uint64_t len = take_number(from, 4);

    if (len == UINT32_MAX) len = 0;
    if (len > from->len) return false;
    *ret_value = (struct fl_str){from->at, (size_t)len};
    from->at += len;
    from->len -= (size_t)len;
    return true;
}

bool copy_read(struct fl_str tuple, unsigned place, struct row *ret_row)
{
    struct fl_str values[ROW_COLUMNS_MAX];
    size_t len = row_columns_len(place);

    if (take_number(&tuple, 2) != len) return false;
    for (size_t i = 0; i < len; i++) {
        if (!take_field(&tuple, &values[i])) return false;
    }
    return tuple.len == 0 && row_read(place, values, ret_row);
}
