/* json_out.h - writes JSON onto a buffer: compact, commas and colons by itself, strings escaped.
 * Begin and end, key and value must match: anything else is a bug (fl_assert).  A write past the
 * buffer's limit leaves it 'is_over': one look at the end is enough.  Bytes that are not UTF-8 are
 * written as U+FFFD, so that the result is always JSON; a NUL is \u0000.
 *
 *     struct fl_json_out out = fl_json_out(&buf);
 *     fl_json_begin_object(&out);
 *     fl_json_put_key(&out, FL_STR("id"));
 *     fl_json_put_u64(&out, 7);
 *     fl_json_put_field_str(&out, FL_STR("name"), name);
 *     fl_json_end_object(&out);
 *
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/str.h"

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

void fl_json_begin_object(struct fl_json_out *out);
void fl_json_end_object(struct fl_json_out *out);
void fl_json_begin_list(struct fl_json_out *out);
void fl_json_end_list(struct fl_json_out *out);

void fl_json_put_key(struct fl_json_out *out, struct fl_str key);
void fl_json_put_str(struct fl_json_out *out, struct fl_str s);
void fl_json_put_u64(struct fl_json_out *out, uint64_t n);
void fl_json_put_i64(struct fl_json_out *out, int64_t n);
void fl_json_put_bool(struct fl_json_out *out, bool is_true);
void fl_json_put_null(struct fl_json_out *out);
void fl_json_put_raw(struct fl_json_out *out, struct fl_str json); /* one value, already JSON */
void fl_json_put_tree(struct fl_json_out *out, const struct fl_json *node);

/* A key and its value. */
void fl_json_put_field_str(struct fl_json_out *out, struct fl_str key, struct fl_str s);
void fl_json_put_field_u64(struct fl_json_out *out, struct fl_str key, uint64_t n);
void fl_json_put_field_i64(struct fl_json_out *out, struct fl_str key, int64_t n);
void fl_json_put_field_bool(struct fl_json_out *out, struct fl_str key, bool is_true);

/* 's' as a quoted and escaped JSON string, outside of any object. */
void fl_json_quote(struct fl_buf *buf, struct fl_str s);
