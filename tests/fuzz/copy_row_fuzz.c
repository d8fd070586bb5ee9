/* Rows that a core is loaded from, as Postgres's COPY BINARY sends them.
 * Property: a tuple that is read is written back field by field as it was, but for a NULL, which is
 * the same as 0 or the empty text; one byte less or more refuses it.  A stream's first message is
 * the same behind a header, and a part of a header is torn.
 * The planted bug (planted/copy_row.patch) cuts a number that its field cannot hold.
 *
 *     tests/fuzz/planted.sh copy_row */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/store/copy_row.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { MESSAGE_BYTES_MAX = 4096, ARRAY_HEADER_BYTES = 20 };

static const char header[19] = "PGCOPY\n\377\r\n";

/* Loaded or not, a place is read unless one of its columns is no field of the row. */
static bool is_place(unsigned place)
{
    struct row_columns columns;

    if (place >= ROW_PLACES_LEN) return false;
    columns = row_columns(place);
    for (size_t i = 0; i < columns.len; i++) {
        if (columns.at[i]->type == ROW_TYPE_COUNT) return false;
    }
    return columns.len > 0;
}

static struct fl_str take(struct fl_str *from, size_t len)
{
    struct fl_str part = {from->at, len};

    fl_assert(len <= from->len);
    from->at += len;
    from->len -= len;
    return part;
}

/* The next field of a tuple; a NULL is empty. */
static struct fl_str take_field(struct fl_str *from)
{
    struct fl_str digits = take(from, 4);
    size_t len = 0;

    for (size_t i = 0; i < 4; i++) {
        len = len << 8 | (uint8_t)digits.at[i];
    }
    return take(from, len == UINT32_MAX ? 0 : len);
}

static bool is_zero(struct fl_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.at[i]) return false;
    }
    return true;
}

static void check_written_back(struct fl_str tuple, unsigned place, const struct row *row)
{
    struct row_columns columns = row_columns(place);
    struct pg_array arrays[ROW_COLUMNS_MAX] = {{0}};
    size_t len = columns.len;

    for (size_t i = 0; i < len; i++) {
        pg_array_start(&arrays[i]);
    }
    row_bind(place, row, arrays, 0);
    take(&tuple, 2);
    for (size_t i = 0; i < len; i++) {
        struct fl_str array = {(const char *)arrays[i].at, arrays[i].len};
        struct fl_str was = take_field(&tuple), is;

        fl_assert(arrays[i].items == 1);
        take(&array, ARRAY_HEADER_BYTES);
        is = take_field(&array);
        fl_assert(array.len == 0);
        fl_assert(fl_str_eq(was, is) || (was.len == 0 && is_zero(is)) ||
                  (is.len == 0 && is_zero(was)));
        pg_array_fini(&arrays[i]);
    }
    fl_assert(tuple.len == 0);
}

static void check_tuple(struct fl_str tuple, unsigned place)
{
    char longer[MESSAGE_BYTES_MAX + 1];
    struct row row, other;

    if (!copy_read(tuple, place, &row)) return;
    check_written_back(tuple, place, &row);
    for (size_t len = 0; len < tuple.len; len++) {
        fl_assert(!copy_read((struct fl_str){tuple.at, len}, place, &other));
    }
    memcpy(longer, tuple.at, tuple.len);
    longer[tuple.len] = 0;
    fl_assert(!copy_read((struct fl_str){longer, tuple.len + 1}, place, &other));
}

/* The same message as a later one of a stream, and as its first. */
static void check_message(struct fl_str bytes, unsigned place)
{
    char first[sizeof header + MESSAGE_BYTES_MAX];
    struct copy_stream begun = {.has_header = true}, fresh = {0};
    struct fl_str message = bytes, behind = {first, sizeof header + bytes.len};
    enum copy_answer answer = copy_next(&begun, &message);

    memcpy(first, header, sizeof header);
    if (bytes.len) memcpy(first + sizeof header, bytes.at, bytes.len);
    fl_assert(copy_next(&fresh, &behind) == answer && fresh.has_header);
    fl_assert(fl_str_eq(message, bytes) && fl_str_eq(behind, bytes));
    if (answer == COPY_END) fl_assert(bytes.len == 2);
    if (answer == COPY_TUPLE) fl_assert(bytes.len >= 2);
    for (size_t len = 0; len < sizeof header + 2; len++) {
        struct fl_str part = {first, len};

        fresh = (struct copy_stream){0};
        fl_assert(copy_next(&fresh, &part) == COPY_TORN);
    }
    if (answer == COPY_TUPLE) check_tuple(message, place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct copy_stream fresh = {0};
    struct fl_str raw = {(const char *)data, size};

    if (size < 1 || size - 1 > MESSAGE_BYTES_MAX) return 0;
    if (copy_next(&fresh, &raw) != COPY_TORN) {
        fl_assert(size >= sizeof header + 2 && memcmp(data, header, sizeof header) == 0);
    }
    raw = (struct fl_str){(const char *)data + 1, size - 1};
    if (is_place(data[0])) check_message(raw, data[0]);
    return 0;
}
