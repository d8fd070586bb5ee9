/* json.h - reads one JSON text into a tree whose nodes know where they stood.
 * Strict RFC 8259, and stricter: no NUL, no lone surrogate, no duplicate key, nothing behind the
 * value.  The limits below are counted while reading, so that a small text never becomes a large
 * tree; reading is one loop, not recursion.  A refusal says where: offset, line and column of the
 * first wrong byte.  Nodes are in the arena.  A string without an escape is a view of the text, the
 * others are in the arena: the tree lives as long as both.
 * The YAML reader (shared/yaml) makes the same tree; there a column counts characters, and 'offset'
 * is 0.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

enum {
    FL_JSON_DEPTH_MAX = 32,           /* objects and lists inside one another */
    FL_JSON_NODES_MAX = 50000,        /* values of any kind */
    FL_JSON_STRING_MAX = 256 << 10,   /* bytes of a string or key, decoded */
    FL_JSON_NUMBER_MAX = 64,          /* bytes of a number as written */
    FL_JSON_TEXT_MAX = (64 << 20) - 1 /* bytes of the whole; a caller has a lower limit */
};

/* name, in messages, in schemas.  INT is written without fraction and exponent, and in the range of
 * int64_t.  REAL is any other number: nothing here needs its value, 'text' is exact. */
#define FL_JSON_KINDS(X)                                                                           \
    X(NULL, "null", "null")                                                                        \
    X(BOOL, "true or false", "boolean")                                                            \
    X(INT, "a number", "integer")                                                                  \
    X(REAL, "a number", "number")                                                                  \
    X(STRING, "a string", "string")                                                                \
    X(LIST, "a list", "array")                                                                     \
    X(OBJECT, "an object", "object")

enum fl_json_kind {
#define FL_JSON_ENUM(name, text, type) FL_JSON_##name,
    FL_JSON_KINDS(FL_JSON_ENUM)
#undef FL_JSON_ENUM
};

/* Where something stands in a text; lines and columns count from 1, line 0 is "not known". */
struct fl_place {
    uint32_t offset, line, col;
};

struct fl_json {
    enum fl_json_kind kind;
    uint32_t len;               /* values in a list, members of an object */
    const struct fl_json *next; /* the next in the same list or object */
    union {
        const struct fl_json *first; /* LIST, OBJECT: its first value; NULL when it is empty */
        int64_t n;                   /* INT: its value; BOOL: 0 or 1 */
    };
    struct fl_str text; /* STRING: decoded; NULL, BOOL, INT, REAL: as it was written */
    struct fl_str key;  /* a member's key */
    struct fl_place at; /* the value stands there */
    struct fl_place key_at;
};

/* for (const struct fl_json *item = node->first; item; item = item->next), for lists and objects
 * alike. */
#define FL_JSON_EACH(item, node)                                                                   \
    for (const struct fl_json *item = (node)->first; item; item = item->next)

/* On false: FL_TOO_LARGE for a limit above, FL_UNSUPPORTED for a number beyond 64 bits, else
 * FL_INVALID; err says what is wrong, *ret_at (NULL
 * is fine) where. */
FL_CHECK bool fl_json_parse(struct fl_str text, struct fl_arena *arena,
                            const struct fl_json **ret_root, struct fl_place *ret_at,
                            struct fl_err *err);
/* The same with a lower limit than FL_JSON_NODES_MAX: time and memory go with the values. */
FL_CHECK bool fl_json_parse_few(struct fl_str text, uint32_t nodes_max, struct fl_arena *arena,
                                const struct fl_json **ret_root, struct fl_place *ret_at,
                                struct fl_err *err);

/* The member of that key; NULL if it is absent or 'node' is not an object. */
const struct fl_json *fl_json_member(const struct fl_json *node, struct fl_str key);

/* "a string", "a list": for messages. */
const char *fl_json_kind_name(enum fl_json_kind kind);
const char *fl_json_type_name(enum fl_json_kind kind); /* "string", "array": as in JSON Schema */

/* ---- building a tree from another notation --------------------------------------------------- */

/* Well-formed UTF-8 without a zero byte; else FL_INVALID and, where 'ret_at' is not NULL, the first
 * byte that is not. */
FL_CHECK bool fl_json_check_text(struct fl_str text, struct fl_place *ret_at, struct fl_err *err);

/* True and the node's kind, text and n are set, when 'text' is exactly a JSON number. */
bool fl_json_set_number(struct fl_json *node, struct fl_str text);

/* The first member whose key an earlier one has; NULL when all differ.  Quick for any number of
 * members and any keys. */
const struct fl_json *fl_json_find_repeated(const struct fl_json *object, struct fl_arena *arena);
