#include "controlplane/logs/cursor.h"

#include <string.h>

#include "shared/base/vec.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum { VERSION_LEN = 2 };

static void put_search(const struct log_cursor *cursor, struct fl_buf *raw)
{
    fl_buf_put_u32(raw, cursor->mark);
    fl_buf_put_var(raw, cursor->walked);
    fl_buf_put_var(raw, (uint64_t)cursor->time);
    fl_buf_put_u8(raw, cursor->is_whole);
}

bool log_cursor_print(const struct log_cursor *cursor, struct fl_buf *out)
{
    size_t len = out->len;
    struct fl_buf raw;

    fl_buf_init(&raw, out->max);
    if (cursor->is_search) put_search(cursor, &raw);
    for (size_t i = 0; i < cursor->len; i++) {
        const struct log_cursor_place *place = &cursor->at[i];

        fl_buf_put_var(&raw, place->element);
        fl_buf_put_var(&raw, place->incarnation);
        fl_buf_put_var(&raw, place->attempt);
        fl_buf_put_var(&raw, place->replica);
        fl_buf_put_var(&raw, place->offset);
        fl_buf_put_u8(&raw, place->is_mid);
    }
    fl_buf_put(out, cursor->is_search ? "2." : "1.", VERSION_LEN);
    for (size_t i = 0; !raw.is_over && i < raw.len; i += 3) {
        uint32_t bits = 0;
        size_t have = raw.len - i < 3 ? raw.len - i : 3;

        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (k < have ? raw.at[i + k] : 0);
        }
        for (size_t k = 0; k <= have; k++) {
            fl_buf_put_u8(out, (uint8_t)digits[bits >> (18 - 6 * k) & 63]);
        }
    }
    fl_buf_fini(&raw);
    if (!out->is_over && !raw.is_over) return true;
    fl_buf_truncate(out, len);
    return false;
}

static bool unpack(struct fl_str text, struct fl_buf *raw)
{
    uint32_t bits = 0;
    int bits_len = 0;

    for (size_t i = 0; i < text.len; i++) {
        const char *digit = text.at[i] ? strchr(digits, text.at[i]) : NULL;

        if (!digit) return false;
        bits = (bits << 6 | (uint32_t)(digit - digits)) & 0xffff;
        bits_len += 6;
        if (bits_len < 8) continue;
        bits_len -= 8;
        if (!fl_buf_put_u8(raw, (uint8_t)(bits >> bits_len))) return false;
    }
    return bits_len < 6 && (bits & ((1u << bits_len) - 1)) == 0;
}

static bool is_u32(uint64_t v)
{
    return v <= UINT32_MAX;
}

static bool read_place(struct fl_reader *reader, struct log_cursor_place *place)
{
    uint64_t element = fl_read_var(reader);
    uint64_t incarnation = fl_read_var(reader);
    uint64_t attempt = fl_read_var(reader);
    uint64_t replica = fl_read_var(reader);
    uint64_t offset = fl_read_var(reader);
    uint8_t is_mid = fl_read_u8(reader);

    if (reader->is_bad || is_mid > 1 || attempt > UINT16_MAX) return false;
    if (!is_u32(element) || !is_u32(incarnation) || !is_u32(replica)) return false;
    *place = (struct log_cursor_place){.element = (uint32_t)element,
                                       .incarnation = (uint32_t)incarnation,
                                       .attempt = (uint16_t)attempt,
                                       .replica = (uint32_t)replica,
                                       .offset = offset,
                                       .is_mid = is_mid == 1};
    return true;
}

static bool read_search(struct fl_reader *reader, struct log_cursor *cursor)
{
    uint64_t walked, time;
    uint8_t is_whole;

    cursor->mark = fl_read_u32(reader);
    walked = fl_read_var(reader);
    time = fl_read_var(reader);
    is_whole = fl_read_u8(reader);
    cursor->walked = (uint32_t)walked;
    cursor->time = (fl_ms)time;
    cursor->is_whole = is_whole == 1;
    return !reader->is_bad && is_u32(walked) && is_whole <= 1 && time <= LOG_CURSOR_TIME_MAX;
}

/* Whether the places are those that it speaks of. */
static bool has_places(const struct log_cursor *cursor)
{
    if (!cursor->is_search) return true;
    if (!cursor->is_whole) return cursor->walked == 1 && cursor->len == 1;
    return cursor->walked <= cursor->len;
}

bool log_cursor_parse(struct fl_str text, size_t places_max, struct log_cursor *ret_cursor,
                      struct fl_err *err)
{
    struct log_cursor cursor = {0};
    struct fl_buf raw;
    struct fl_reader reader;
    bool is_good;

    fl_buf_init(&raw, text.len);
    cursor.is_search = text.len >= VERSION_LEN && memcmp(text.at, "2.", VERSION_LEN) == 0;
    is_good =
        cursor.is_search || (text.len >= VERSION_LEN && memcmp(text.at, "1.", VERSION_LEN) == 0);
    is_good =
        is_good && unpack((struct fl_str){text.at + VERSION_LEN, text.len - VERSION_LEN}, &raw);
    reader = fl_reader(raw.at, is_good ? raw.len : 0);
    if (is_good && cursor.is_search) is_good = read_search(&reader, &cursor);
    while (is_good && reader.pos < reader.len) {
        struct log_cursor_place place;

        is_good = cursor.len < places_max && read_place(&reader, &place);
        if (is_good) fl_vec_push(&cursor, place);
    }
    is_good = is_good && has_places(&cursor);
    fl_buf_fini(&raw);
    if (is_good) {
        *ret_cursor = cursor;
        return true;
    }
    fl_vec_fini(&cursor);
    return fl_fail(err, FL_INVALID, "not a cursor of a log");
}
