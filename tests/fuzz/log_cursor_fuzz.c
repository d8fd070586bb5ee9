/* The cursor of a log, a text that clients keep and send back.
 * Property: a text that is read prints as the very same text, so each place has one text; no more
 * places are read than allowed, and one allowed place less refuses the text.  The bytes also give
 * the numbers of places, which are printed and then read as the same places.
 * The planted bug (planted/log_cursor.patch) cuts an attempt number that is too large.
 *
 *     tests/fuzz/planted.sh log_cursor */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/logs/cursor.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

enum { TEXT_BYTES_MAX = 16 << 10, PLACES_MAX = 64 };

static void read_text(struct fl_str text)
{
    struct log_cursor cursor = {0}, none = {0};
    struct fl_err err = {0};
    struct fl_buf again;

    if (!log_cursor_parse(text, PLACES_MAX, &cursor, &err)) {
        fl_assert(err.code == FL_INVALID && cursor.len == 0);
        return;
    }
    fl_assert(cursor.len <= PLACES_MAX);
    fl_buf_init(&again, TEXT_BYTES_MAX);
    fl_assert(log_cursor_print(&cursor, &again));
    fl_assert(again.len == text.len && memcmp(again.at, text.at, text.len) == 0);
    if (cursor.len) fl_assert(!log_cursor_parse(text, cursor.len - 1, &none, &err));
    fl_buf_fini(&again);
    fl_vec_fini(&cursor);
}

static void print_places(struct fl_reader *reader, bool is_search)
{
    struct log_cursor cursor = {0}, again = {0};
    struct fl_err err = {0};
    struct fl_buf text;

    while (reader->pos < reader->len && cursor.len < PLACES_MAX) {
        struct log_cursor_place place = {.element = fl_read_u32(reader),
                                         .incarnation = fl_read_u8(reader),
                                         .attempt = fl_read_u16(reader),
                                         .replica = fl_read_u8(reader),
                                         .offset = fl_read_u64(reader),
                                         .is_mid = fl_read_u8(reader) & 1};

        fl_vec_push(&cursor, place);
    }
    if (is_search && cursor.len > 0) {
        cursor.is_search = true;
        cursor.mark = cursor.at[0].element;
        cursor.walked = 1;
        cursor.time = (fl_ms)(cursor.at[0].offset % (LOG_CURSOR_TIME_MAX + 1));
        cursor.is_whole = cursor.len != 1 || cursor.at[0].is_mid;
    }
    fl_buf_init(&text, TEXT_BYTES_MAX);
    fl_assert(log_cursor_print(&cursor, &text));
    fl_assert(
        log_cursor_parse((struct fl_str){(char *)text.at, text.len}, PLACES_MAX, &again, &err));
    fl_assert(again.len == cursor.len);
    fl_assert(again.is_search == cursor.is_search && again.mark == cursor.mark);
    fl_assert(again.walked == cursor.walked && again.time == cursor.time);
    fl_assert(again.is_whole == cursor.is_whole);
    for (size_t i = 0; i < cursor.len; i++) {
        const struct log_cursor_place *a = &cursor.at[i], *b = &again.at[i];

        fl_assert(a->element == b->element && a->incarnation == b->incarnation);
        fl_assert(a->attempt == b->attempt && a->replica == b->replica);
        fl_assert(a->offset == b->offset && a->is_mid == b->is_mid);
    }
    fl_buf_fini(&text);
    fl_vec_fini(&cursor);
    fl_vec_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_reader reader = fl_reader(data, size);

    if (size > TEXT_BYTES_MAX) return 0;
    read_text((struct fl_str){(const char *)data, size});
    print_places(&reader, false);
    reader.pos = 0;
    print_places(&reader, true);
    return 0;
}
