#include "shared/json/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hex.h"
#include "shared/base/job_name.h"
#include "shared/base/time_text.h"
#include "shared/json/json.h"
#include "shared/json/json_text.h"

/* ---- strings --------------------------------------------------------------------------------- */

static void put_escape(struct fl_buf *buf, unsigned char c)
{
    static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = c ? strchr(codes, c) : NULL;
    char text[8];

    if (found) {
        text[0] = '\\';
        text[1] = letters[found - codes];
        fl_buf_put(buf, text, 2);
    } else {
        snprintf(text, sizeof text, "\\u%04x", c);
        fl_buf_put(buf, text, 6);
    }
}

static void put_text(struct fl_buf *buf, struct fl_str s)
{
    for (size_t i = 0; i < s.len;) {
        const char *special = fl_json_find_special(s.at + i, s.at + s.len);

        fl_buf_put(buf, s.at + i, (size_t)(special - s.at) - i);
        i = (size_t)(special - s.at);
        if (i < s.len) put_escape(buf, (unsigned char)s.at[i++]);
    }
}

/* Character by character, for what is no UTF-8 as a whole. */
static void put_damaged(struct fl_buf *buf, struct fl_str s)
{
    for (size_t i = 0; i < s.len;) {
        size_t len = 1;

        while (len <= 4 && len <= s.len - i && !fl_str_is_utf8((struct fl_str){s.at + i, len})) {
            len++;
        }
        if (len > 4 || len > s.len - i) {
            fl_buf_put(buf, "\xef\xbf\xbd", 3);
            i++;
        } else {
            put_text(buf, (struct fl_str){s.at + i, len});
            i += len;
        }
    }
}

/* False: something in it needs an escape, or is no UTF-8. */
static bool put_plain(struct fl_buf *buf, struct fl_str s)
{
    uint8_t *at;

    if (s.len == 0 || fl_json_find_special(s.at, s.at + s.len) < s.at + s.len) return false;
    if (!fl_str_is_utf8(s)) return false;
    at = fl_buf_room(buf, s.len + 2);
    if (!at) return true;
    *at++ = '"';
    memcpy(at, s.at, s.len);
    at[s.len] = '"';
    return true;
}

void fl_json_quote(struct fl_buf *buf, struct fl_str s)
{
    if (put_plain(buf, s)) return;
    fl_buf_put_u8(buf, '"');
    if (fl_str_is_utf8(s)) {
        put_text(buf, s);
    } else {
        put_damaged(buf, s);
    }
    fl_buf_put_u8(buf, '"');
}

/* ---- structure ------------------------------------------------------------------------------- */

struct fl_json_out fl_json_out(struct fl_buf *buf)
{
    return (struct fl_json_out){.buf = buf};
}

static bool is_in_object(const struct fl_json_out *out)
{
    return out->depth > 0 && (out->is_object >> out->depth & 1);
}

/* Called before each value. */
static void begin_value(struct fl_json_out *out)
{
    if (is_in_object(out)) {
        fl_assert(out->has_key);
        out->has_key = false;
        return;
    }
    if (out->depth == 0) fl_assert(!out->has_before);
    if (out->has_before) fl_buf_put_u8(out->buf, ',');
    out->has_before = true;
}

static void begin(struct fl_json_out *out, bool is_object)
{
    begin_value(out);
    fl_assert(out->depth < FL_JSON_OUT_DEPTH_MAX);
    out->depth++;
    out->is_object = (out->is_object & ~((uint64_t)1 << out->depth)) | (uint64_t)is_object
                                                                           << out->depth;
    out->has_before = false;
    fl_buf_put_u8(out->buf, is_object ? '{' : '[');
}

static void end(struct fl_json_out *out, bool is_object)
{
    fl_assert(out->depth > 0 && is_in_object(out) == is_object && !out->has_key);
    out->depth--;
    out->has_before = true;
    fl_buf_put_u8(out->buf, is_object ? '}' : ']');
}

static void begin_key(struct fl_json_out *out)
{
    fl_assert(is_in_object(out) && !out->has_key);
    if (out->has_before) fl_buf_put_u8(out->buf, ',');
    out->has_before = true;
    out->has_key = true;
}

void fl_json_put_key(struct fl_json_out *out, struct fl_str key)
{
    begin_key(out);
    fl_json_quote(out->buf, key);
    fl_buf_put_u8(out->buf, ':');
}

/* Writes the key, a word of ours in which nothing needs an escape, and makes room for so many bytes
 * behind it, in one step: an answer is made of fields like this.  NULL: over the limit. */
static uint8_t *room_behind(struct fl_json_out *out, struct fl_str word, size_t bytes)
{
    bool has_comma = out->has_before;
    uint8_t *at;

    fl_assert(is_in_object(out) && !out->has_key);
    out->has_before = true;
    at = fl_buf_room(out->buf, has_comma + word.len + 3 + bytes);
    if (!at) return NULL;
    if (has_comma) *at++ = ',';
    *at++ = '"';
    memcpy(at, word.at, word.len);
    at[word.len] = '"';
    at[word.len + 1] = ':';
    return at + word.len + 2;
}

void fl_json_put_word(struct fl_json_out *out, struct fl_str key)
{
    room_behind(out, key, 0);
    out->has_key = true;
}

static void put_key(struct fl_json_out *out, const char *key)
{
    if (key) fl_json_put_word(out, fl_str_c(key));
}

void fl_json_open(struct fl_json_out *out, const char *key, char bracket)
{
    fl_assert(bracket == '{' || bracket == '[');
    put_key(out, key);
    begin(out, bracket == '{');
}

void fl_json_close(struct fl_json_out *out, char bracket)
{
    fl_assert(bracket == '}' || bracket == ']');
    end(out, bracket == '}');
}

/* ---- values ---------------------------------------------------------------------------------- */

void fl_json_put_raw(struct fl_json_out *out, const char *key, struct fl_str json)
{
    uint8_t *at;

    if (!key) {
        begin_value(out);
        fl_buf_put(out->buf, json.at, json.len);
        return;
    }
    at = room_behind(out, fl_str_c(key), json.len);
    if (at) memcpy(at, json.at, json.len);
}

/* The place for a string of so many bytes, in which nothing needs an escape, between its quotes;
 * NULL: over the limit. */
static uint8_t *quoted(struct fl_json_out *out, const char *key, size_t len)
{
    uint8_t *at;

    if (key) {
        at = room_behind(out, fl_str_c(key), len + 2);
    } else {
        begin_value(out);
        at = fl_buf_room(out->buf, len + 2);
    }
    if (!at) return NULL;
    at[0] = at[len + 1] = '"';
    return at + 1;
}

static void put_word(struct fl_json_out *out, const char *key, struct fl_str word)
{
    uint8_t *at = quoted(out, key, word.len);

    if (at) memcpy(at, word.at, word.len);
}

void fl_json_put_str(struct fl_json_out *out, const char *key, struct fl_str s)
{
    put_key(out, key);
    begin_value(out);
    fl_json_quote(out->buf, s);
}

void fl_json_put_cstr(struct fl_json_out *out, const char *key, const char *s)
{
    if (s) {
        fl_json_put_str(out, key, fl_str_c(s));
    } else {
        fl_json_put_null(out, key);
    }
}

void fl_json_put_u64(struct fl_json_out *out, const char *key, uint64_t n)
{
    char text[24], *at = text + sizeof text;

    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    fl_json_put_raw(out, key, (struct fl_str){at, (size_t)(text + sizeof text - at)});
}

void fl_json_put_i64(struct fl_json_out *out, const char *key, int64_t n)
{
    char text[24];

    if (n >= 0) {
        fl_json_put_u64(out, key, (uint64_t)n);
        return;
    }
    snprintf(text, sizeof text, "%" PRId64, n);
    fl_json_put_raw(out, key, fl_str_c(text));
}

void fl_json_put_bool(struct fl_json_out *out, const char *key, bool is_true)
{
    fl_json_put_raw(out, key, is_true ? FL_STR("true") : FL_STR("false"));
}

void fl_json_put_null(struct fl_json_out *out, const char *key)
{
    fl_json_put_raw(out, key, FL_STR("null"));
}

void fl_json_put_time(struct fl_json_out *out, const char *key, fl_ms when)
{
    char text[FL_TIME_TEXT_MAX];

    if (when < 1) {
        fl_json_put_null(out, key);
        return;
    }
    fl_time_print(when, text);
    put_word(out, key, fl_str_c(text));
}

void fl_json_put_job(struct fl_json_out *out, const char *key, struct fl_job job)
{
    char name[FL_JOB_NAME_MAX];

    if (job.n == 0) {
        fl_json_put_null(out, key);
        return;
    }
    fl_job_name(job, name);
    put_word(out, key, fl_str_c(name));
}

void fl_json_put_hex(struct fl_json_out *out, const char *key, const void *ptr, size_t len)
{
    uint8_t *at = quoted(out, key, 2 * len);

    if (!at) return;
    fl_hex_print(ptr, len, (char *)at);
    at[2 * len] = '"'; /* over the end of the string */
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void put_scalar(struct fl_json_out *out, const struct fl_json *node)
{
    switch (node->kind) {
    case FL_JSON_NULL:
        fl_json_put_null(out, NULL);
        return;
    case FL_JSON_BOOL:
        fl_json_put_bool(out, NULL, node->n != 0);
        return;
    case FL_JSON_INT:
    case FL_JSON_REAL:
        fl_json_put_raw(out, NULL, node->text);
        return;
    case FL_JSON_STRING:
        fl_json_put_str(out, NULL, node->text);
        return;
    case FL_JSON_LIST:
    case FL_JSON_OBJECT:
        break;
    }
    fl_unreachable("the caller opens lists and objects");
}

void fl_json_put_tree(struct fl_json_out *out, const struct fl_json *node)
{
    const struct fl_json *open[FL_JSON_DEPTH_MAX];
    size_t open_len = 0;

    for (;;) {
        if (node->kind == FL_JSON_LIST || node->kind == FL_JSON_OBJECT) {
            fl_assert(open_len < FL_JSON_DEPTH_MAX);
            open[open_len++] = node;
            begin(out, node->kind == FL_JSON_OBJECT);
            node = node->first;
        } else {
            put_scalar(out, node);
            node = open_len ? node->next : NULL;
        }
        while (!node && open_len) { /* up to where something follows */
            const struct fl_json *closed = open[--open_len];

            end(out, closed->kind == FL_JSON_OBJECT);
            node = open_len ? closed->next : NULL;
        }
        if (!node) return;
        if (open[open_len - 1]->kind == FL_JSON_OBJECT) fl_json_put_key(out, node->key);
    }
}
