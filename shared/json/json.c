#include "shared/json/json.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/enum_names.h"
#include "shared/base/hash.h"
#include "shared/base/hex.h"
#include "shared/json/json_text.h"

#define FEW_MEMBERS                                                                                \
    16 /* up to here each key is compared with all before it, beyond they are sorted */

struct level {
    struct fl_json *node;
    const struct fl_json **link; /* where the next item is hung */
};

struct reader {
    struct fl_str text;
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    uint32_t nodes, nodes_max;
    uint32_t depth;
    struct level levels[FL_JSON_DEPTH_MAX];
    struct fl_arena *arena;
    struct fl_place *ret_at;
    struct fl_err *err;
};

static struct fl_place place(const struct reader *reader, const char *where)
{
    return (struct fl_place){.offset = (uint32_t)(where - reader->text.at),
                             .line = reader->line,
                             .col = (uint32_t)(where - reader->line_start) + 1};
}

static void mark(const struct reader *reader, struct fl_place at)
{
    if (reader->ret_at) *reader->ret_at = at;
}

/* False, and the compiler knows it. */
#define FAIL(reader, where, code, ...)                                                             \
    (mark((reader), place((reader), (where))), fl_fail((reader)->err, (code), __VA_ARGS__), false)

/* ---- bytes ----------------------------------------------------------------------------------- */

/* The text has no zero byte, so this one is the end. */
static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_space(struct reader *reader)
{
    for (; reader->at < reader->end; reader->at++) {
        switch (*reader->at) {
        case '\n':
            reader->line++;
            reader->line_start = reader->at + 1;
            break;
        case ' ':
        case '\t':
        case '\r':
            break;
        default:
            return;
        }
    }
}

/* The first byte that belongs to no well-formed character, or is zero; the text has one. */
static const char *find_bad_byte(struct fl_str text)
{
    const char *at = text.at, *end = text.at + text.len;

    while (at < end && *at) {
        size_t len = 1;

        while (len <= 4 && len <= (size_t)(end - at) && !fl_str_is_utf8((struct fl_str){at, len})) {
            len++;
        }
        if (len > 4 || len > (size_t)(end - at)) break;
        at += len;
    }
    return at;
}

bool fl_json_check_text(struct fl_str text, struct fl_place *ret_at, struct fl_err *err)
{
    const char *line_start = text.at, *bad;
    struct fl_place at = {.line = 1};

    if (fl_str_is_text(text)) return true;
    bad = find_bad_byte(text);
    for (const char *c = text.at; c < bad; c++) {
        if (*c != '\n') continue;
        at.line++;
        line_start = c + 1;
    }
    at.offset = (uint32_t)(bad - text.at);
    at.col = (uint32_t)(bad - line_start) + 1;
    if (ret_at) *ret_at = at;
    return fl_fail(err, FL_INVALID, *bad ? "a byte that is no UTF-8" : "a zero byte");
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct number {
    size_t len; /* 0: none */
    int64_t n;
    bool is_int, is_over;
};

/* The number that 'at' begins with.  Whole numbers are counted below zero, where there is room for
 * all. */
static struct number scan_number(const char *at, const char *end)
{
    struct number number = {.is_int = true};
    const char *start = at;
    bool is_minus = at < end && *at == '-';

    at += is_minus;
    if (at == end || !is_digit(*at)) return (struct number){0};
    if (*at == '0') {
        at++;
        if (at < end && is_digit(*at)) return (struct number){0};
    } else {
        for (; at < end && is_digit(*at); at++) {
            number.is_over |= __builtin_mul_overflow(number.n, (int64_t)10, &number.n);
            number.is_over |= __builtin_sub_overflow(number.n, (int64_t)(*at - '0'), &number.n);
        }
    }
    if (at < end && *at == '.') {
        number.is_int = false;
        at++;
        if (at == end || !is_digit(*at)) return (struct number){0};
        while (at < end && is_digit(*at)) {
            at++;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        number.is_int = false;
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (at == end || !is_digit(*at)) return (struct number){0};
        while (at < end && is_digit(*at)) {
            at++;
        }
    }
    if (!is_minus) number.is_over |= __builtin_sub_overflow((int64_t)0, number.n, &number.n);
    number.len = (size_t)(at - start);
    return number;
}

bool fl_json_set_number(struct fl_json *node, struct fl_str text)
{
    struct number number;

    if (text.len == 0 || text.len > FL_JSON_NUMBER_MAX) return false;
    number = scan_number(text.at, text.at + text.len);
    if (number.len != text.len || (number.is_int && number.is_over)) return false;
    node->kind = number.is_int ? FL_JSON_INT : FL_JSON_REAL;
    node->n = number.is_int ? number.n : 0;
    node->text = text;
    return true;
}

static bool read_number(struct reader *reader, struct fl_json *node)
{
    struct number number = scan_number(reader->at, reader->end);

    if (number.len == 0) return FAIL(reader, reader->at, FL_INVALID, "not a JSON number");
    if (number.len > FL_JSON_NUMBER_MAX) {
        return FAIL(reader, reader->at, FL_TOO_LARGE, "a number has over %d bytes",
                    FL_JSON_NUMBER_MAX);
    }
    if (number.is_int && number.is_over) {
        return FAIL(reader, reader->at, FL_UNSUPPORTED, "a whole number is beyond 64 bits");
    }
    node->kind = number.is_int ? FL_JSON_INT : FL_JSON_REAL;
    node->n = number.is_int ? number.n : 0;
    node->text = (struct fl_str){reader->at, number.len};
    reader->at += number.len;
    return true;
}

static bool read_word(struct reader *reader, struct fl_json *node)
{
    static const struct {
        struct fl_str word;
        enum fl_json_kind kind;
        int64_t n;
    } words[] = {
        {FL_STR("true"), FL_JSON_BOOL, 1},
        {FL_STR("false"), FL_JSON_BOOL, 0},
        {FL_STR("null"), FL_JSON_NULL, 0},
    };
    size_t left = (size_t)(reader->end - reader->at);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct fl_str word = words[i].word;

        if (left < word.len || memcmp(reader->at, word.at, word.len) != 0) continue;
        node->kind = words[i].kind;
        node->n = words[i].n;
        node->text = (struct fl_str){reader->at, word.len};
        reader->at += word.len;
        return true;
    }
    if (left == 0) return FAIL(reader, reader->at, FL_INVALID, "the text ends where a value goes");
    return FAIL(reader, reader->at, FL_INVALID, "a value cannot begin like this");
}

static bool read_hex(struct reader *reader, const char *at, uint32_t *ret_n)
{
    uint32_t n = 0;

    for (int i = 0; i < 4; i++, at++) {
        int digit = at < reader->end ? fl_hex_digit(*at) : -1;

        if (digit < 0) return FAIL(reader, at, FL_INVALID, "\\u wants four hexadecimal digits");
        n = n << 4 | (uint32_t)digit;
    }
    *ret_n = n;
    return true;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (c & 0x3f));
    return to;
}

/* Behind "\u".  *at stands on the first digit, and then behind the last. */
static bool read_unicode(struct reader *reader, const char **at, char **to)
{
    const char *start = *at - 2;
    uint32_t c, low;

    if (!read_hex(reader, *at, &c)) return false;
    *at += 4;
    if (c == 0) return FAIL(reader, start, FL_INVALID, "a string may not hold the character 0");
    if (c >= 0xd800 && c <= 0xdfff) {
        if (c >= 0xdc00 || reader->end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u') {
            return FAIL(reader, start, FL_INVALID, "half of a surrogate pair");
        }
        if (!read_hex(reader, *at + 2, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) {
            return FAIL(reader, start, FL_INVALID, "half of a surrogate pair");
        }
        *at += 6;
        c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
    }
    *to = put_utf8(*to, c);
    return true;
}

/* Behind a backslash. */
static bool read_escape(struct reader *reader, const char **at, char **to)
{
    static const char codes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = *at < reader->end ? **at : '\0';
    const char *found = c ? strchr(codes, c) : NULL;

    if (c == 'u') {
        (*at)++;
        return read_unicode(reader, at, to);
    }
    if (!found) return FAIL(reader, *at - 1, FL_INVALID, "unknown JSON escape");
    *(*to)++ = meanings[found - codes];
    (*at)++;
    return true;
}

/* The string that goes on at 'special', which is a backslash or one that may not be there. */
static bool read_escaped(struct reader *reader, const char *special, struct fl_str *ret_s)
{
    const char *start = reader->at, *at = special, *close = special;
    char *copy, *to;

    while (close < reader->end && *close != '"') { /* all there is to copy, and not more */
        close += *close == '\\' && reader->end - close > 1 ? 2 : 1;
    }
    if (close - start > 6 * FL_JSON_STRING_MAX) {
        return FAIL(reader, start - 1, FL_TOO_LARGE, "a string has over %d bytes",
                    FL_JSON_STRING_MAX);
    }
    copy = to = fl_arena_alloc(reader->arena, (size_t)(close - start) + 1);
    for (;;) {
        if (special > start) memcpy(to, start, (size_t)(special - start));
        to += special - start;
        if (special == reader->end) {
            return FAIL(reader, reader->at - 1, FL_INVALID, "a string has no end");
        }
        if (*special == '"') break;
        if (*special != '\\') {
            return FAIL(reader, special, FL_INVALID,
                        "a control character in a string must be written as an escape");
        }
        at = special + 1;
        if (!read_escape(reader, &at, &to)) return false;
        start = at;
        special = fl_json_find_special(at, reader->end);
    }
    *ret_s = (struct fl_str){copy, (size_t)(to - copy)};
    reader->at = special + 1;
    return true;
}

/* Behind the opening quote; then behind the closing one. */
static bool read_string(struct reader *reader, struct fl_str *ret_s)
{
    const char *start = reader->at;
    const char *special = fl_json_find_special(start, reader->end);

    if (special < reader->end && *special == '"') {
        *ret_s = (struct fl_str){start, (size_t)(special - start)};
        reader->at = special + 1;
    } else if (!read_escaped(reader, special, ret_s)) {
        return false;
    }
    if (ret_s->len > FL_JSON_STRING_MAX) {
        return FAIL(reader, start - 1, FL_TOO_LARGE, "a string has over %d bytes",
                    FL_JSON_STRING_MAX);
    }
    return true;
}

/* ---- lists and objects ----------------------------------------------------------------------- */

const struct fl_json *fl_json_member(const struct fl_json *node, struct fl_str key)
{
    if (node->kind != FL_JSON_OBJECT) return NULL;
    FL_JSON_EACH (item, node) {
        if (fl_str_eq(item->key, key)) return item;
    }
    return NULL;
}

struct numbered {
    uint32_t hash;   /* the key's: as a rule two are compared without a look at the keys */
    uint32_t number; /* the member's */
};

static bool is_behind(const struct fl_json *const *members, struct numbered a, struct numbered b)
{
    return a.hash != b.hash ? a.hash > b.hash
                            : fl_str_cmp(members[a.number]->key, members[b.number]->key) > 0;
}

/* Two sorted neighbours of at most 'len' each become one. */
static void merge(const struct fl_json *const *members, const struct numbered *from,
                  struct numbered *to, size_t n, size_t len)
{
    size_t mid = len < n ? len : n;
    size_t a = 0, b = mid, b_end = n - mid < len ? n : mid + len;

    for (size_t i = 0; i < b_end; i++) {
        bool is_a = b == b_end || (a < mid && !is_behind(members, from[a], from[b]));

        to[i] = is_a ? from[a++] : from[b++];
    }
}

const struct fl_json *fl_json_find_repeated(const struct fl_json *object, struct fl_arena *arena)
{
    size_t n = object->len, i = 0;
    struct numbered *from = fl_arena_array(arena, struct numbered, n);
    struct numbered *to = fl_arena_array(arena, struct numbered, n);
    const struct fl_json **members = fl_arena_array(arena, const struct fl_json *, n);
    size_t first = n;

    FL_JSON_EACH (item, object) {
        members[i] = item;
        from[i] =
            (struct numbered){(uint32_t)fl_hash64(0, item->key.at, item->key.len), (uint32_t)i};
        i++;
    }
    for (size_t len = 1; len < n; len *= 2) {
        struct numbered *swapped = from;

        for (size_t at = 0; at < n; at += 2 * len) {
            merge(members, from + at, to + at, n - at, len);
        }
        from = to;
        to = swapped;
    }
    for (i = 1; i < n; i++) {
        if (from[i].number < first &&
            fl_str_eq(members[from[i - 1].number]->key, members[from[i].number]->key)) {
            first = from[i].number;
        }
    }
    return first < n ? members[first] : NULL;
}

static bool fail_repeated(struct reader *reader, const struct fl_json *item)
{
    size_t len = item->key.len < 80 ? item->key.len : 80;

    mark(reader, item->key_at);
    return fl_fail(reader->err, FL_INVALID, "the key \"" FL_STR_FMT "\" is there twice",
                   FL_STR_ARG(((struct fl_str){item->key.at, len})));
}

static bool read_key(struct reader *reader, const struct level *level, struct fl_json *item)
{
    item->key_at = place(reader, reader->at);
    if (peek(reader) != '"') {
        return FAIL(reader, reader->at, FL_INVALID, "here goes a key in quotes");
    }
    reader->at++;
    if (!read_string(reader, &item->key)) return false;
    if (level->node->len < FEW_MEMBERS) {
        FL_JSON_EACH (earlier, level->node) {
            if (fl_str_eq(earlier->key, item->key)) return fail_repeated(reader, item);
        }
    }
    skip_space(reader);
    if (peek(reader) != ':') {
        return FAIL(reader, reader->at, FL_INVALID, "behind a key goes a colon");
    }
    reader->at++;
    return true;
}

/* The next item of the innermost list or object, or the root; with its key, before its value. */
static bool begin_item(struct reader *reader, struct fl_json **ret_item)
{
    struct level *level = reader->depth ? &reader->levels[reader->depth - 1] : NULL;
    struct fl_json *item;

    skip_space(reader);
    if (reader->nodes == reader->nodes_max) {
        return FAIL(reader, reader->at, FL_TOO_LARGE, "there are over %" PRIu32 " values",
                    reader->nodes_max);
    }
    reader->nodes++;
    *ret_item = item = fl_arena_new(reader->arena, struct fl_json);
    if (!level) return true;
    if (level->node->kind == FL_JSON_OBJECT) {
        if (!read_key(reader, level, item)) return false;
        skip_space(reader);
    }
    *level->link = item;
    level->link = &item->next;
    level->node->len++;
    return true;
}

static bool open_level(struct reader *reader, struct fl_json *node, enum fl_json_kind kind)
{
    if (reader->depth == FL_JSON_DEPTH_MAX) {
        return FAIL(reader, reader->at, FL_TOO_LARGE, "values are over %d deep", FL_JSON_DEPTH_MAX);
    }
    node->kind = kind;
    reader->levels[reader->depth++] = (struct level){node, &node->first};
    reader->at++;
    return true;
}

/* Behind a value, or behind an opening bracket: closes what ends here.  *ret_more: an item
 * follows. */
static bool close_levels(struct reader *reader, bool is_opened, bool *ret_more)
{
    for (; reader->depth > 0; is_opened = false) {
        const struct fl_json *node = reader->levels[reader->depth - 1].node;
        bool is_object = node->kind == FL_JSON_OBJECT;
        char c;

        skip_space(reader);
        c = peek(reader);
        if (c == (is_object ? '}' : ']')) {
            if (is_object && node->len > FEW_MEMBERS) {
                const struct fl_json *repeated = fl_json_find_repeated(node, reader->arena);

                if (repeated) return fail_repeated(reader, repeated);
            }
            reader->at++;
            reader->depth--;
            continue;
        }
        if (!is_opened) {
            if (c != ',') {
                return FAIL(reader, reader->at, FL_INVALID, "here goes a comma or '%c'",
                            is_object ? '}' : ']');
            }
            reader->at++;
        }
        *ret_more = true;
        return true;
    }
    *ret_more = false;
    return true;
}

/* *ret_opened: a bracket was read, and what is inside comes next. */
static bool read_value(struct reader *reader, struct fl_json *node, bool *ret_opened)
{
    char c = peek(reader);

    node->at = place(reader, reader->at);
    *ret_opened = c == '{' || c == '[';
    if (*ret_opened) return open_level(reader, node, c == '{' ? FL_JSON_OBJECT : FL_JSON_LIST);
    if (c == '"') {
        node->kind = FL_JSON_STRING;
        reader->at++;
        return read_string(reader, &node->text);
    }
    if (c == '-' || is_digit(c)) return read_number(reader, node);
    return read_word(reader, node);
}

bool fl_json_parse(struct fl_str text, struct fl_arena *arena, const struct fl_json **ret_root,
                   struct fl_place *ret_at, struct fl_err *err)
{
    return fl_json_parse_few(text, FL_JSON_NODES_MAX, arena, ret_root, ret_at, err);
}

bool fl_json_parse_few(struct fl_str text, uint32_t nodes_max, struct fl_arena *arena,
                       const struct fl_json **ret_root, struct fl_place *ret_at, struct fl_err *err)
{
    const char *start = text.len ? text.at : ""; /* an empty view may have no address */
    struct reader reader = {.text = {start, text.len},
                            .at = start,
                            .end = start + text.len,
                            .line_start = start,
                            .line = 1,
                            .nodes_max = nodes_max,
                            .arena = arena,
                            .ret_at = ret_at,
                            .err = err};
    const struct fl_json *root = NULL;
    bool has_more = true;

    if (text.len > FL_JSON_TEXT_MAX) {
        return FAIL(&reader, start, FL_TOO_LARGE, "the text is over %d bytes", FL_JSON_TEXT_MAX);
    }
    if (!fl_json_check_text(reader.text, ret_at, err)) return false;
    while (has_more) {
        struct fl_json *node;
        bool is_opened;

        if (!begin_item(&reader, &node)) return false;
        if (!root) root = node;
        if (!read_value(&reader, node, &is_opened)) return false;
        if (!close_levels(&reader, is_opened, &has_more)) return false;
    }
    skip_space(&reader);
    if (reader.at < reader.end) {
        return FAIL(&reader, reader.at, FL_INVALID, "something follows behind the value");
    }
    *ret_root = root;
    return true;
}

FL_ENUM_NAMES(fl_json_kind_name, enum fl_json_kind, FL_JSON_KINDS(FL_MEANING))

#define JSON_TYPE(name, text, type) type,

FL_ENUM_NAMES(fl_json_type_name, enum fl_json_kind, FL_JSON_KINDS(JSON_TYPE))
