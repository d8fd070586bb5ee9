/* Short texts that clients of the API send: the cursor of a list of jobs, the place in a stream of
 * events, a time, the range of a log, the size of a terminal.
 * Property: a cursor, a place or a time that is read prints as the very same text; a range begins
 * at or before its end; a size that is read is the same in its shortest form.  The bytes are also
 * the last words of a visit: its Status is JSON with those words.
 * The planted bug (planted/client_words.patch) takes a cursor in any spelling.
 *
 *     tests/fuzz/planted.sh client_words */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/api/cursor.h"
#include "controlplane/api/event_place.h"
#include "controlplane/api/line_range.h"
#include "controlplane/visits/visit_status.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/time_text.h"
#include "shared/json/json.h"

enum { TEXT_BYTES_MAX = 1024 };

static void read_cursor(struct fl_str text)
{
    struct api_cursor cursor;
    char again[API_CURSOR_BYTES];

    if (!api_cursor_parse(text, &cursor)) return;
    api_cursor_print(cursor, again);
    fl_assert(fl_str_eq(fl_str_c(again), text));
}

static void read_place(struct fl_str text)
{
    char again[EVENT_PLACE_TEXT_MAX];
    struct event_place place;

    if (!event_place_parse(text, &place)) return;
    event_place_print(place, again);
    fl_assert(fl_str_eq(fl_str_c(again), text));
}

/* With or without milliseconds, which are printed always. */
static void read_time(struct fl_str text)
{
    char again[FL_TIME_TEXT_MAX];
    fl_ms when, same;

    if (!fl_time_parse(text, &when)) return;
    fl_assert(when != 0);
    fl_time_print(when, again);
    fl_assert(fl_time_parse(fl_str_c(again), &same) && same == when);
    fl_assert(text.len > 19 && memcmp(again, text.at, 19) == 0);
}

static void read_range(struct fl_str text)
{
    struct line_range range = {1, 0};
    char again[64];

    if (line_range_parse(text, &range) != LINE_RANGE_GIVEN) {
        fl_assert(range.first == 1 && range.last == 0);
        return;
    }
    fl_assert(range.first <= range.last && range.first <= UINT64_MAX / 2);
    snprintf(again, sizeof again, "lines=%llu-%llu", (unsigned long long)range.first,
             (unsigned long long)range.last);
    fl_assert(line_range_parse(fl_str_c(again), &range) == LINE_RANGE_GIVEN);
}

static void read_size(struct fl_str text)
{
    struct fl_visit_size size, same;
    struct fl_err err = {0};
    char again[64];

    if (!visit_status_read_size(text, &size, &err)) {
        fl_assert(err.code == FL_INVALID);
        return;
    }
    snprintf(again, sizeof again, "{\"Width\":%u,\"Height\":%u}", size.columns, size.rows);
    fl_assert(visit_status_read_size(fl_str_c(again), &same, &err));
    fl_assert(same.rows == size.rows && same.columns == size.columns);
}

static void write_status(struct fl_str text)
{
    struct fl_visit_status status = {.code = FL_IO, .text = text};
    char bytes[VISIT_STATUS_BYTES_MAX];
    struct fl_str json = visit_status_write(&status, bytes);
    const struct fl_json *root = NULL;
    struct fl_arena arena = {0};
    struct fl_err err = {0};

    /* Empty: control characters, once escaped, are longer than a Status may be. */
    if (json.len > 0) {
        fl_assert(fl_json_parse(json, &arena, &root, NULL, &err));
        if (fl_str_is_text(text)) {
            fl_assert(fl_str_eq(fl_json_member(root, FL_STR("message"))->text, text));
        }
    }
    fl_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size};

    if (size > TEXT_BYTES_MAX) return 0;
    read_cursor(text);
    read_place(text);
    read_time(text);
    read_range(text);
    read_size(text);
    write_status(text);
    return 0;
}
