/* base64.h - bytes as text: base64url without padding, and base32 in lower case.
 * Each byte string has exactly one spelling, and only that one is read.
 * base32 has the digits of shared/base/job_name.h (0-9 and a-z without i, l, o, u) and takes whole
 * bytes, most significant bit first.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_BASE64_LEN(bytes) (((bytes)*8 + 5) / 6)
#define FL_BASE32_LEN(bytes) (((bytes)*8 + 4) / 5)

/* 'out' has room for FL_BASE64_LEN(len) + 1, or FL_BASE32_LEN(len) + 1: the last byte is zero. */
void fl_base64_print(const void *ptr, size_t len, char *out);
void fl_base32_print(const void *ptr, size_t len, char *out);

/* 's' must be the text of exactly 'len' bytes. */
FL_CHECK bool fl_base64_parse(struct fl_str s, void *ret_ptr, size_t len, struct fl_err *err);
FL_CHECK bool fl_base32_parse(struct fl_str s, void *ret_ptr, size_t len, struct fl_err *err);

/* How many bytes a text of so many digits holds; SIZE_MAX when no byte string is that long. */
size_t fl_base64_bytes(size_t digits);
