/* kube_query.h - text in the query of a URL.
 * Uses shared/base.  Pure. */
#pragma once

#include "shared/base/str.h"

struct fl_arena;

/* In the arena: bytes that stand for themselves, the others as %XX. */
const char *kube_query_escape(struct fl_str text, struct fl_arena *arena);
