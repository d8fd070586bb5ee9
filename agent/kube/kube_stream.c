#include "agent/kube/kube_stream.h"

#include "shared/base/assert.h"
#include "shared/json/json_text.h"

enum list_state {
    BEFORE,      /* wants the brace that opens the list */
    FIRST_KEY,   /* wants a key, or the brace that closes it */
    KEY,         /* wants a key */
    IN_KEY,      /* within its quotes */
    COLON,       /* wants the colon behind it */
    VALUE,       /* wants the first byte of a value */
    IN_VALUE,    /* within a value that is no item */
    AFTER_VALUE, /* wants a comma or the closing brace */
    FIRST_ITEM,  /* wants an item, or the bracket that closes the items */
    ITEM,        /* wants an item */
    IN_ITEM,     /* within one */
    AFTER_ITEM,  /* wants a comma or the closing bracket */
    END_IS_DUE,  /* the list is whole, and the caller does not know yet */
    DONE,        /* only white space may follow */
};

static const char items_key[] = "items";

void kube_stream_init(struct kube_stream *stream, enum kube_stream_kind kind,
                      size_t object_bytes_max)
{
    *stream = (struct kube_stream){.kind = kind, .state = BEFORE};
    stream->object_bytes_max = object_bytes_max ? object_bytes_max : KUBE_STREAM_OBJECT_BYTES_MAX;
    fl_buf_init(&stream->part, SIZE_MAX); /* 'put' knows the limits */
}

void kube_stream_fini(struct kube_stream *stream)
{
    fl_buf_fini(&stream->part);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct fl_str part_of(const struct kube_stream *stream)
{
    return (struct fl_str){(const char *)stream->part.at, stream->part.len};
}

/* The head comes first, and objects follow. */
static bool is_in_head(const struct kube_stream *stream)
{
    return stream->kind == KUBE_STREAM_LIST && !stream->has_items;
}

static bool fail_large(const struct kube_stream *stream, struct fl_err *err)
{
    if (is_in_head(stream)) {
        return fl_fail(err, FL_TOO_LARGE, "the list has over %d bytes beside its items",
                       KUBE_STREAM_HEAD_BYTES_MAX);
    }
    return fl_fail(err, FL_TOO_LARGE, "an object has over %zu bytes", stream->object_bytes_max);
}

static bool put(struct kube_stream *stream, const char *at, size_t len, struct fl_err *err)
{
    size_t bytes_max = is_in_head(stream) ? KUBE_STREAM_HEAD_BYTES_MAX : stream->object_bytes_max;

    if (stream->part.len + len > bytes_max) return fail_large(stream, err);
    fl_assert(fl_buf_put(&stream->part, at, len));
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void begin_value(struct kube_stream *stream, char first)
{
    stream->depth = 0;
    stream->is_escaped = false;
    stream->is_string = false;
    stream->is_scalar = first != '{' && first != '[' && first != '"';
}

static const char *skip_string(struct kube_stream *stream, const char *at, const char *end)
{
    while (at < end) {
        if (stream->is_escaped) {
            stream->is_escaped = false;
            at++;
            continue;
        }
        at = fl_json_find_special(at, end);
        if (at == end) break;
        if (*at == '\\') stream->is_escaped = true;
        if (*at++ == '"') {
            stream->is_string = false;
            break;
        }
    }
    return at;
}

/* Goes to the first byte behind the value; *ret_is_whole is false when the bytes end before it.
 * A number or a word ends where the next member, or the end of the object, begins. */
static const char *skip_value(struct kube_stream *stream, const char *at, const char *end,
                              bool *ret_is_whole)
{
    *ret_is_whole = false;
    while (at < end) {
        char c = *at;

        if (stream->is_string) {
            at = skip_string(stream, at, end);
            if (stream->is_string) break;
        } else if (stream->is_scalar) {
            if (c == ',' || c == '}' || c == ']' || is_space(c)) {
                *ret_is_whole = true;
                return at;
            }
            at++;
            continue;
        } else {
            stream->is_string = c == '"';
            if (c == '{' || c == '[') stream->depth++;
            if ((c == '}' || c == ']') && stream->depth > 0) stream->depth--;
            at++;
            if (stream->depth > KUBE_STREAM_DEPTH_MAX) return at;
        }
        if (stream->depth == 0 && !stream->is_string) {
            *ret_is_whole = true;
            return at;
        }
    }
    return at;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool refuse(struct fl_err *err, char c, const char *wanted)
{
    if (c >= ' ' && c <= '~') {
        return fl_fail(err, FL_INVALID, "the answer is no list: it has '%c', not %s", c, wanted);
    }
    return fl_fail(err, FL_INVALID, "the answer is no list: it has byte 0x%02x, not %s",
                   (unsigned char)c, wanted);
}

static const char *wanted_in(int state)
{
    switch (state) {
    case BEFORE:
        return "an opening brace";
    case COLON:
        return "a colon";
    case FIRST_KEY:
    case KEY:
        return "a key";
    case FIRST_ITEM:
    case ITEM:
        return "an object among its items";
    case AFTER_VALUE:
    case AFTER_ITEM:
        return "a comma or its end";
    default:
        return "its end";
    }
}

/* The members before the items belong to the head, the others are passed over. */
static bool keep(struct kube_stream *stream, const char *at, size_t len, struct fl_err *err)
{
    if (stream->has_items && stream->state != IN_ITEM) return true;
    return put(stream, at, len, err);
}

static void give_part(struct kube_stream *stream, enum kube_piece_kind kind,
                      struct kube_piece *ret_piece)
{
    *ret_piece = (struct kube_piece){kind, part_of(stream)};
    stream->is_taken = true;
}

static bool close_list(struct kube_stream *stream, struct kube_piece *ret_piece, struct fl_err *err)
{
    if (stream->has_items) {
        stream->state = DONE;
        ret_piece->kind = KUBE_PIECE_END;
        return true;
    }
    if (!put(stream, "}", 1, err)) return false;
    stream->state = END_IS_DUE;
    give_part(stream, KUBE_PIECE_HEAD, ret_piece);
    return true;
}

static bool open_items(struct kube_stream *stream, struct kube_piece *ret_piece, struct fl_err *err)
{
    if (stream->has_items) {
        return fl_fail(err, FL_INVALID, "the answer is no list: it has two lists of items");
    }
    if (!put(stream, "[]}", 3, err)) return false;
    stream->has_items = true;
    stream->state = FIRST_ITEM;
    give_part(stream, KUBE_PIECE_HEAD, ret_piece);
    return true;
}

/* One byte between values; white space was passed over. */
static bool take_mark(struct kube_stream *stream, char c, struct kube_piece *ret_piece,
                      struct fl_err *err)
{
    int next = -1;

    switch (stream->state) {
    case BEFORE:
        if (c == '{') next = FIRST_KEY;
        break;
    case FIRST_KEY:
    case KEY:
        if (c == '}' && stream->state == FIRST_KEY) return close_list(stream, ret_piece, err);
        if (c == '"') next = IN_KEY;
        stream->key_len = 0;
        stream->is_items = true;
        stream->is_escaped = false;
        break;
    case COLON:
        if (c == ':') next = VALUE;
        break;
    case AFTER_VALUE:
        if (c == '}') return close_list(stream, ret_piece, err);
        if (c == ',') next = KEY;
        break;
    case FIRST_ITEM:
    case AFTER_ITEM:
        if (c == ']') next = AFTER_VALUE;
        if (c == ',' && stream->state == AFTER_ITEM) next = ITEM;
        break;
    default:
        break;
    }
    if (next < 0) return refuse(err, c, wanted_in(stream->state));
    if (!keep(stream, &c, 1, err)) return false;
    stream->state = next;
    return true;
}

static bool take_key(struct kube_stream *stream, struct fl_str *bytes, struct fl_err *err)
{
    size_t len = 0;

    while (len < bytes->len && stream->state == IN_KEY) {
        char c = bytes->at[len++];

        if (c == '"' && !stream->is_escaped) {
            stream->is_items = stream->is_items && stream->key_len == sizeof items_key - 1;
            if (!keep(stream, bytes->at, len, err)) return false;
            stream->state = COLON;
            break;
        }
        stream->is_escaped = c == '\\' && !stream->is_escaped;
        stream->is_items = stream->is_items && stream->key_len < sizeof items_key - 1 &&
                           c == items_key[stream->key_len];
        stream->key_len++;
    }
    if (stream->state == IN_KEY && !keep(stream, bytes->at, len, err)) return false;
    *bytes = (struct fl_str){bytes->at + len, bytes->len - len};
    return true;
}

static bool take_value(struct kube_stream *stream, struct fl_str *bytes,
                       struct kube_piece *ret_piece, struct fl_err *err)
{
    bool is_item = stream->state == IN_ITEM, is_whole;
    size_t len =
        (size_t)(skip_value(stream, bytes->at, bytes->at + bytes->len, &is_whole) - bytes->at);
    struct fl_str text = {bytes->at, len};

    if (stream->depth > KUBE_STREAM_DEPTH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "an object is nested over %d deep",
                       KUBE_STREAM_DEPTH_MAX);
    }
    *bytes = (struct fl_str){bytes->at + len, bytes->len - len};
    if (is_item && is_whole && stream->part.len == 0) {
        if (len > stream->object_bytes_max) return fail_large(stream, err);
        *ret_piece = (struct kube_piece){KUBE_PIECE_OBJECT, text};
        stream->state = AFTER_ITEM;
        return true;
    }
    if (!keep(stream, text.at, text.len, err)) return false;
    if (!is_whole) return true;
    if (is_item) give_part(stream, KUBE_PIECE_OBJECT, ret_piece);
    stream->state = is_item ? AFTER_ITEM : AFTER_VALUE;
    return true;
}

/* The first byte of a value decides its kind.  It stays in '*bytes', unless it opens the items. */
static bool take_first(struct kube_stream *stream, struct fl_str *bytes,
                       struct kube_piece *ret_piece, struct fl_err *err)
{
    char c = *bytes->at;

    if (stream->state == VALUE && stream->is_items && c == '[') {
        *bytes = (struct fl_str){bytes->at + 1, bytes->len - 1};
        return open_items(stream, ret_piece, err);
    }
    if (stream->state == VALUE && (c == ',' || c == '}' || c == ']' || c == ':')) {
        return refuse(err, c, "a value");
    }
    begin_value(stream, c);
    stream->state = stream->state == VALUE ? IN_VALUE : IN_ITEM;
    return true;
}

static bool list_step(struct kube_stream *stream, struct fl_str *bytes,
                      struct kube_piece *ret_piece, struct fl_err *err)
{
    char c = *bytes->at;
    bool is_first = stream->state == VALUE ||
                    ((stream->state == FIRST_ITEM || stream->state == ITEM) && c == '{');

    if (stream->state == IN_KEY) return take_key(stream, bytes, err);
    if (stream->state == IN_VALUE || stream->state == IN_ITEM) {
        return take_value(stream, bytes, ret_piece, err);
    }
    if (is_space(c)) {
        *bytes = (struct fl_str){bytes->at + 1, bytes->len - 1};
        return true;
    }
    if (is_first) return take_first(stream, bytes, ret_piece, err);
    *bytes = (struct fl_str){bytes->at + 1, bytes->len - 1};
    return take_mark(stream, c, ret_piece, err);
}

static bool next_of_list(struct kube_stream *stream, struct fl_str *bytes,
                         struct kube_piece *ret_piece, struct fl_err *err)
{
    if (stream->state == END_IS_DUE) {
        stream->state = DONE;
        ret_piece->kind = KUBE_PIECE_END;
        return true;
    }
    while (bytes->len > 0 && ret_piece->kind == KUBE_PIECE_NONE) {
        if (!list_step(stream, bytes, ret_piece, err)) return false;
    }
    return true;
}

/* ---- watches --------------------------------------------------------------------------------- */

static bool is_blank(struct fl_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (!is_space(line.at[i])) return false;
    }
    return true;
}

static bool next_line(struct kube_stream *stream, struct fl_str *bytes,
                      struct kube_piece *ret_piece, struct fl_err *err)
{
    while (bytes->len > 0) {
        const char *end = memchr(bytes->at, '\n', bytes->len);
        size_t len = end ? (size_t)(end - bytes->at) : bytes->len;
        struct fl_str line = {bytes->at, len};
        bool is_copied = !end || stream->part.len > 0;

        if (is_copied && !put(stream, line.at, line.len, err)) return false;
        if (line.len > stream->object_bytes_max) return fail_large(stream, err);
        *bytes = (struct fl_str){bytes->at + len + (end != NULL), bytes->len - len - (end != NULL)};
        if (!end) return true;
        if (is_copied) line = part_of(stream);
        if (is_blank(line)) {
            fl_buf_clear(&stream->part);
            continue;
        }
        stream->is_taken = is_copied;
        *ret_piece = (struct kube_piece){KUBE_PIECE_OBJECT, line};
        return true;
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

bool kube_stream_next(struct kube_stream *stream, struct fl_str *bytes,
                      struct kube_piece *ret_piece, struct fl_err *err)
{
    struct kube_piece piece = {0};
    bool is_good;

    if (stream->err.text[0]) {
        if (err) *err = stream->err;
        return false;
    }
    if (stream->is_taken) {
        stream->is_taken = false;
        fl_buf_clear(&stream->part);
    }
    is_good = stream->kind == KUBE_STREAM_WATCH ? next_line(stream, bytes, &piece, &stream->err)
                                                : next_of_list(stream, bytes, &piece, &stream->err);
    if (!is_good) {
        if (err) *err = stream->err;
        return false;
    }
    *ret_piece = piece;
    return true;
}

bool kube_stream_end(const struct kube_stream *stream, struct fl_err *err)
{
    if (stream->err.text[0]) {
        if (err) *err = stream->err;
        return false;
    }
    if (stream->kind == KUBE_STREAM_LIST && stream->state != DONE) {
        return fl_fail(err, FL_TORN, "the list ends too early");
    }
    if (stream->kind == KUBE_STREAM_WATCH && stream->part.len > 0 && !stream->is_taken &&
        !is_blank(part_of(stream))) {
        return fl_fail(err, FL_TORN, "the watch ends within an event");
    }
    return true;
}
