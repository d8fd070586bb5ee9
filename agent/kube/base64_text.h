/* base64_text.h - reads base64 as Kubernetes writes it: RFC 4648 with padding.
 * Line ends are passed over, since people fold long lines; nothing else is.  shared/tls/base64.h is
 * the other alphabet, for our own names.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

/* False when 's' is no base64; the bytes are in the arena, with a zero byte behind them. */
FL_CHECK bool base64_text_read(struct fl_str s, struct fl_arena *arena, struct fl_str *ret_bytes);
