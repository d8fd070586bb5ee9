/* json.h - the API's way of writing JSON: a key and its value in one call, times as RFC 3339.
 * A key of NULL is for the items of a list and for the whole.  Over shared/json/json_out.h, whose
 * rules hold.  Pure. */
#pragma once

#include "shared/base/types.h"
#include "shared/json/json_out.h"

struct json {
    struct fl_json_out out;
};

struct json json_begin(struct fl_buf *buf);

void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_text(struct json *json, const char *key, struct fl_str text);
void json_cstr(struct json *json, const char *key, const char *text); /* NULL: null */
void json_u64(struct json *json, const char *key, uint64_t n);
void json_i64(struct json *json, const char *key, int64_t n);
void json_bool(struct json *json, const char *key, bool is_true);
void json_null(struct json *json, const char *key);
void json_time(struct json *json, const char *key, fl_ms at);         /* below 1: null */
void json_raw(struct json *json, const char *key, struct fl_str raw); /* one value, already JSON */
void json_job(struct json *json, const char *key, struct fl_job job); /* none: null */
void json_hex(struct json *json, const char *key, const void *ptr,
              size_t len); /* at most 64 bytes */

#define JSON_TIME_BYTES 32
void json_time_print(fl_ms at, char out[JSON_TIME_BYTES]); /* "2026-01-02T03:04:05.678Z" */
/* The same, and without the milliseconds; false for all else. */
bool json_time_parse(struct fl_str text, fl_ms *ret_at);
