/* media_type.h - the types that Content-Type and Accept headers name (RFC 9110, 8.3 and 12.5.1).
 * Case does not matter, nor do parameters but the weight.  YAML and lines of JSON have more names.
 * Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"

/* Whether a Content-Type names this type: "application/json". */
bool media_type_is(struct fl_str header, const char *type);

/* Whether it names one of a list with commas between. */
bool media_type_is_in(struct fl_str header, const char *types);

/* Whether the text behind a Content-Type is UTF-8, as far as its parameters say. */
bool media_type_is_utf8(struct fl_str header);

struct media_wish {
    int weight;    /* 0: not wanted ... 1000 */
    bool is_named; /* by its whole name */
    size_t place;  /* in the list; valid if is_named */
};

/* How much an Accept header wants a type; a whole name in it counts before "text/" and a star, and
 * that before two stars.  An empty header wants all.  A range whose weight is malformed is passed
 * over. */
struct media_wish media_wish_for(struct fl_str accept, const char *type);
