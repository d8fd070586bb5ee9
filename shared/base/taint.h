/* taint.h - taints of nodes and tolerations of jobs, as in Kubernetes, and the texts of both.
 * A taint is written "KEY=VALUE:EFFECT", or "KEY:EFFECT" where it has no value.  A toleration is
 * written the same way with parts left out: without "=VALUE" it goes for each value (Exists),
 * "KEY=" goes for no value only, and without ":EFFECT" it goes for each effect.  '*' is each key.
 * Each has one text only.  Lists are lines of these, sorted by their bytes, none twice.
 * Texts and lists are views.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/str.h"

#define FL_TAINT_KEY_BYTES_MAX 317
#define FL_TAINT_VALUE_BYTES_MAX 63
#define FL_TAINT_TEXT_BYTES_MAX 398 /* the two, '=', ':' and the longest effect */

/* A node whose hard taints are more than that takes no work. */
#define FL_NODE_TAINTS_MAX 16
#define FL_NODE_TAINTS_BYTES_MAX 2048 /* as lines */

/* The effects, under their names. */
#define FL_TAINT_EFFECTS(X)                                                                        \
    X(NoSchedule)                                                                                  \
    X(PreferNoSchedule)                                                                            \
    X(NoExecute)

enum fl_taint_effect {
    FL_EFFECT_any, /* only a toleration has it */
#define FL_TAINT_EFFECT_ENUM(name) FL_EFFECT_##name,
    FL_TAINT_EFFECTS(FL_TAINT_EFFECT_ENUM)
#undef FL_TAINT_EFFECT_ENUM
};

enum fl_toleration_operator { FL_TOLERATES_Equal, FL_TOLERATES_Exists };

struct fl_taint {
    struct fl_str key, value;
    enum fl_taint_effect effect;
};

struct fl_toleration {
    struct fl_str key;                    /* empty: each */
    enum fl_toleration_operator operates; /* Exists, where it goes for each key */
    struct fl_str value;                  /* empty with Exists */
    enum fl_taint_effect effect;
};

struct fl_tolerations {
    struct fl_toleration *at;
    size_t len, cap;
};

const char *fl_taint_effect_name(enum fl_taint_effect effect); /* any: the empty text */
bool fl_taint_effect_parse(struct fl_str name, enum fl_taint_effect *ret);

/* Writes the text; its length. */
size_t fl_taint_write(const struct fl_taint *taint, char ret_text[FL_TAINT_TEXT_BYTES_MAX]);
size_t fl_toleration_write(const struct fl_toleration *toleration,
                           char ret_text[FL_TAINT_TEXT_BYTES_MAX]);

/* False: the text is another one.  Characters of key and value are not judged, but for '=', ':' and
 * those that end lines. */
bool fl_taint_parse(struct fl_str text, struct fl_taint *ret);
bool fl_toleration_parse(struct fl_str text, struct fl_toleration *ret);

/* The first of the lines, which are then without it; false: there is none, or it is not one. */
bool fl_taint_take(struct fl_str *lines, struct fl_taint *ret);
bool fl_toleration_take(struct fl_str *lines, struct fl_toleration *ret);

/* Whether the lines are a list of at most 'most'; taints of nodes are all hard. */
bool fl_taints_are_list(struct fl_str lines);
bool fl_tolerations_are_list(struct fl_str lines, size_t most);

/* Whether the taint keeps pods off the node: NoSchedule or NoExecute. */
bool fl_taint_is_hard(const struct fl_taint *taint);

/* The rule of Kubernetes. */
bool fl_tolerates(const struct fl_toleration *toleration, const struct fl_taint *taint);
