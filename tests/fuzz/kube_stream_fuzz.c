/* An answer of the API server, a list or a watch (issue 13, F11).
 * The first byte says which, and how the rest is cut into parts.
 * Properties: the parts do not change the pieces.  A text that is JSON and has a list of objects
 * as 'items' gives exactly these, byte for byte, between its head and its end; a watch gives its
 * lines.  No object is longer than the limit.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_stream.patch) ends a string at an escaped quote.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/kube_stream_fuzz -max_total_time=60 DIR tests/fuzz/corpus/kube_stream
 *     tests/fuzz/planted.sh kube_stream */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_stream.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/json/json.h"

enum { OBJECT_BYTES_MAX = 1000 };

struct result {
    struct fl_buf pieces; /* each with its kind and length */
    struct fl_err err;    /* {0}: the stream ended as it should */
};

static void note(struct result *result, const struct kube_piece *piece)
{
    fl_assert(piece->kind != KUBE_PIECE_OBJECT || piece->text.len <= OBJECT_BYTES_MAX);
    fl_assert(piece->kind != KUBE_PIECE_HEAD || piece->text.len <= KUBE_STREAM_HEAD_BYTES_MAX);
    fl_assert(fl_buf_put_u8(&result->pieces, (uint8_t)piece->kind));
    fl_assert(fl_buf_put_str(&result->pieces, piece->text));
}

/* Each part is memory of its own, so that a read behind its end is seen. */
static bool feed(struct kube_stream *stream, struct fl_str part, struct result *result)
{
    char *copy = fl_alloc(part.len);
    struct fl_str bytes = {copy, part.len};
    struct kube_piece piece;
    bool is_good;

    if (part.len > 0) memcpy(copy, part.at, part.len);
    while ((is_good = kube_stream_next(stream, &bytes, &piece, &result->err)) && piece.kind) {
        note(result, &piece);
    }
    fl_assert(!is_good || bytes.len == 0);
    fl_free(copy);
    return is_good;
}

static struct result read_all(enum kube_stream_kind kind, struct fl_str text, size_t part)
{
    struct kube_stream stream;
    struct result result = {0};
    bool is_good = true;

    fl_buf_init(&result.pieces, 1 << 20);
    kube_stream_init(&stream, kind, OBJECT_BYTES_MAX);
    for (size_t at = 0; at < text.len && is_good; at += part) {
        size_t len = text.len - at < part ? text.len - at : part;

        is_good = feed(&stream, (struct fl_str){text.at + at, len}, &result);
    }
    if (is_good) is_good = kube_stream_end(&stream, &result.err);
    fl_assert(is_good == (result.err.text[0] == 0));
    kube_stream_fini(&stream);
    return result;
}

static bool is_same(const struct result *a, const struct result *b)
{
    return a->err.code == b->err.code && a->pieces.len == b->pieces.len &&
           (a->pieces.len == 0 || memcmp(a->pieces.at, b->pieces.at, a->pieces.len) == 0);
}

static bool take(struct fl_reader *reader, enum kube_piece_kind kind, struct fl_str *ret_text)
{
    if (fl_read_u8(reader) != kind) return false;
    *ret_text = fl_read_bytes(reader, OBJECT_BYTES_MAX + KUBE_STREAM_HEAD_BYTES_MAX);
    return !reader->is_bad;
}

/* A list of objects, each within the limits, under a key that is written plainly. */
static const struct fl_json *items_of(struct fl_str text, const struct fl_json *root)
{
    const struct fl_json *items = fl_json_member(root, FL_STR("items"));

    if (!items || items->kind != FL_JSON_LIST) return NULL;
    if (items->key.at < text.at || items->key.at >= text.at + text.len) return NULL;
    FL_JSON_EACH (item, items) {
        if (item->kind != FL_JSON_OBJECT) return NULL;
    }
    return items;
}

/* Against the reader of shared/json. */
static void check_list(struct fl_str text, const struct result *result)
{
    struct fl_reader reader = fl_reader(result->pieces.at, result->pieces.len);
    const struct fl_json *root, *items;
    struct fl_arena arena = {0};
    struct fl_str piece;

    if (!fl_json_parse(text, &arena, &root, NULL, NULL) || root->kind != FL_JSON_OBJECT) {
        fl_arena_fini(&arena);
        return;
    }
    fl_assert(result->err.text[0] == 0 || result->err.code == FL_TOO_LARGE ||
              fl_json_member(root, FL_STR("items")));
    items = items_of(text, root);
    if (items && result->err.code != FL_TOO_LARGE) {
        fl_assert(result->err.text[0] == 0);
        fl_assert(take(&reader, KUBE_PIECE_HEAD, &piece));
        FL_JSON_EACH (item, items) {
            fl_assert(take(&reader, KUBE_PIECE_OBJECT, &piece));
            fl_assert(item->at.offset + piece.len <= text.len);
            fl_assert(memcmp(piece.at, text.at + item->at.offset, piece.len) == 0);
            fl_assert(piece.at[0] == '{' && piece.at[piece.len - 1] == '}');
        }
        fl_assert(take(&reader, KUBE_PIECE_END, &piece) && fl_reader_is_done(&reader));
    }
    fl_arena_fini(&arena);
}

static void check_watch(struct fl_str text, const struct result *result)
{
    struct fl_reader reader = fl_reader(result->pieces.at, result->pieces.len);
    struct fl_str piece;

    while (reader.pos < reader.len) {
        fl_assert(take(&reader, KUBE_PIECE_OBJECT, &piece));
        fl_assert(piece.len > 0 && !memchr(piece.at, '\n', piece.len));
        fl_assert(memmem(text.at, text.len, piece.at, piece.len));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum kube_stream_kind kind;
    struct result whole, parts;
    struct fl_str text;

    if (size < 2 || size > 1 << 14) return 0;
    kind = data[0] & 1 ? KUBE_STREAM_WATCH : KUBE_STREAM_LIST;
    text = (struct fl_str){(const char *)data + 1, size - 1};
    whole = read_all(kind, text, text.len);
    parts = read_all(kind, text, 1 + data[0] / 2 % 64);
    fl_assert(is_same(&whole, &parts));
    if (kind == KUBE_STREAM_LIST) {
        check_list(text, &whole);
    } else {
        check_watch(text, &whole);
    }
    fl_buf_fini(&whole.pieces);
    fl_buf_fini(&parts.pieces);
    return 0;
}
