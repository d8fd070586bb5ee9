/* json_out.h - writes JSON onto a buffer: compact, commas and colons by itself, strings escaped.
 * A key and its value are one call; the key is NULL for an item of a list, for the whole, and after
 * fl_json_put_key.  Each open needs its close, and each value of an object a key: anything else is
 * a bug (fl_assert).  A write past the buffer's limit leaves it 'is_over': one look at the end
 * is enough.  Bytes that are not UTF-8 are written as U+FFFD, so that the result is always JSON; a
 * NUL is \u0000.
 *
 *     struct fl_json_out out = fl_json_out(&buf);
 *     fl_json_open(&out, NULL, '{');
 *     fl_json_put_u64(&out, "id", 7);
 *     fl_json_put_str(&out, "name", name);
 *     fl_json_close(&out, '}');
 *
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_json;

enum { FL_JSON_OUT_DEPTH_MAX = 63 };

struct fl_json_out {
    struct fl_buf *buf;
    uint64_t is_object; /* a bit for each depth: set while an object is open there */
    uint8_t depth;
    bool has_before; /* the next value or key of this level needs a comma */
    bool has_key;    /* a key waits for its value */
};

struct fl_json_out fl_json_out(struct fl_buf *buf);

void fl_json_open(struct fl_json_out *out, const char *key, char bracket); /* '{' or '[' */
void fl_json_close(struct fl_json_out *out, char bracket);                 /* '}' or ']' */

/* A key from outside, which is escaped; its value follows with the key NULL.  A key that is a C
 * string is a word of ours, and written as it is. */
void fl_json_put_key(struct fl_json_out *out, struct fl_str key);
/* The same of a word of ours. */
void fl_json_put_word(struct fl_json_out *out, struct fl_str key);

void fl_json_put_str(struct fl_json_out *out, const char *key, struct fl_str s);
void fl_json_put_cstr(struct fl_json_out *out, const char *key, const char *s); /* NULL: null */
void fl_json_put_u64(struct fl_json_out *out, const char *key, uint64_t n);
void fl_json_put_i64(struct fl_json_out *out, const char *key, int64_t n);
void fl_json_put_bool(struct fl_json_out *out, const char *key, bool is_true);
void fl_json_put_null(struct fl_json_out *out, const char *key);
void fl_json_put_time(struct fl_json_out *out, const char *key, fl_ms at); /* below 1: null */
void fl_json_put_job(struct fl_json_out *out, const char *key, struct fl_job job); /* 0: null */
void fl_json_put_hex(struct fl_json_out *out, const char *key, const void *ptr, size_t len);
/* One value that is JSON already. */
void fl_json_put_raw(struct fl_json_out *out, const char *key, struct fl_str json);

/* Writes again what fl_json_parse has read. */
void fl_json_put_tree(struct fl_json_out *out, const struct fl_json *node);

/* 's' as a quoted and escaped JSON string, outside of any object. */
void fl_json_quote(struct fl_buf *buf, struct fl_str s);
