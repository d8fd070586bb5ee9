/* One JSON text, as anybody might send it.
 * Properties: our reader takes exactly what jansson takes, but for our own limits, for zero bytes
 * (which to jansson end a text) and for real numbers that are too large for a double (of which we
 * keep the text); the tree, written and read again, is written as the same bytes, and jansson takes
 * those for equal to what it read first; a refusal has a place within the text.  The corpus was
 * written by hand, a file for each rule: its name says which.
 * The planted bug (planted/json.patch) forgets that a control byte ends a string.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/json_fuzz -max_total_time=60 DIR tests/fuzz/corpus/json
 *     tests/fuzz/planted.sh json */
#include "tests/fuzz/fuzz.h"

#include <jansson.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"

#define JANSSON_FLAGS (JSON_DECODE_ANY | JSON_REJECT_DUPLICATES)

static void write_tree(struct fl_buf *buf, const struct fl_json *root)
{
    struct fl_json_out out = fl_json_out(buf);

    fl_json_put_tree(&out, root);
    fl_assert(!buf->is_over);
}

static void check_taken(const struct fl_json *root, const json_t *expected, struct fl_arena *arena)
{
    const struct fl_json *again;
    struct fl_buf first, second;
    json_t *seen;

    fl_buf_init(&first, 1 << 24);
    fl_buf_init(&second, 1 << 24);
    write_tree(&first, root);
    fl_assert(fl_json_parse((struct fl_str){(const char *)first.at, first.len}, arena, &again, NULL,
                            NULL));
    write_tree(&second, again);
    fl_assert(first.len == second.len && memcmp(first.at, second.at, first.len) == 0);
    if (expected) {
        seen = json_loadb((const char *)first.at, first.len, JANSSON_FLAGS, NULL);
        fl_assert(seen && json_equal(seen, expected));
        json_decref(seen);
    }
    fl_buf_fini(&first);
    fl_buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size};
    struct fl_arena arena = {0};
    struct fl_place at = {0};
    struct fl_err err = {0};
    const struct fl_json *root;
    json_error_t error;
    json_t *expected;

    if (size > 1 << 16) return 0;
    expected = json_loadb((const char *)data, size, JANSSON_FLAGS, &error);
    if (fl_json_parse(text, &arena, &root, &at, &err)) {
        fl_assert(expected || json_error_code(&error) == json_error_numeric_overflow);
        check_taken(root, expected, &arena);
    } else {
        fl_assert(err.code == FL_TOO_LARGE || err.code == FL_UNSUPPORTED || !expected ||
                  memchr(data, 0, size));
        fl_assert(err.text[0] && at.line > 0 && at.col > 0 && at.offset <= size);
    }
    json_decref(expected);
    fl_arena_fini(&arena);
    return 0;
}
