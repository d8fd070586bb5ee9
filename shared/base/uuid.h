/* uuid.h - a 128-bit name, for example a cluster's in its certificate, and its one spelling.
 * Uses shared/base only.  Pure: random ones are made by shared/tls/random.h. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_UUID_TEXT_MAX 37 /* bytes, with the final zero */

struct fl_uuid {
    uint8_t at[16];
};

/* "01234567-89ab-cdef-0123-456789abcdef" */
void fl_uuid_print(struct fl_uuid uuid, char out[FL_UUID_TEXT_MAX]);

/* Accepts what fl_uuid_print writes and nothing else: lower case, dashes in their places. */
FL_CHECK bool fl_uuid_parse(struct fl_str s, struct fl_uuid *ret_uuid, struct fl_err *err);
bool fl_uuid_eq(struct fl_uuid a, struct fl_uuid b);
bool fl_uuid_is_zero(struct fl_uuid uuid); /* all zero means "none" */
