/* san.h - the name a cluster has in its certificate: fairlead://cluster/<uuid>, lower case, nothing
 * more.  Uses shared/base only.  Pure; fuzzed (tests/fuzz/csr_fuzz.c). */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/uuid.h"

#define FL_SAN_TEXT_MAX 57 /* bytes, with the final zero */

void fl_san_print(struct fl_uuid cluster, char out[FL_SAN_TEXT_MAX]);

/* Accepts what fl_san_print writes and nothing else; not the zero uuid. */
FL_CHECK bool fl_san_parse(struct fl_str s, struct fl_uuid *ret_cluster, struct fl_err *err);
