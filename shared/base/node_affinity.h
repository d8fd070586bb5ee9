/* node_affinity.h - what a job demands of the labels of its nodes, by the rules of Kubernetes'
 * required node affinity, and its text.
 * The text has a line for each term, and a node matches if it matches one of them.  A term has its
 * requirements with ',' between them, and a node has to match all.  They are written as kubectl
 * writes selectors: "zone in (a,b)", "zone notin (a,b)", "gpu" where it has that label, "!gpu"
 * where it has not, "cores>8" and "cores<8" for whole numbers.  Values, requirements and terms are
 * sorted by their bytes, none twice; so equal lists have one text.  How many there may be, and how
 * long the text, is in job_limits.h.
 * Texts are views.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/str.h"

#define FL_NODE_VALUE_BYTES_MAX 63 /* a label's */

/* The operators, under the names that they have in Kubernetes. */
#define FL_NODE_OPERATORS(X)                                                                       \
    X(In)           /* has the label with one of the values */                                     \
    X(NotIn)        /* has not: without the label, too */                                          \
    X(Exists)       /* has the label */                                                            \
    X(DoesNotExist) /* has not */                                                                  \
    X(Gt)           /* has it, and its value is a whole number over the one here */                \
    X(Lt)           /* ... under it */

enum fl_node_operator {
#define FL_NODE_OPERATOR_ENUM(name) FL_NODE_##name,
    FL_NODE_OPERATORS(FL_NODE_OPERATOR_ENUM)
#undef FL_NODE_OPERATOR_ENUM
};

struct fl_node_requirement {
    struct fl_str key;
    enum fl_node_operator operates;
    struct fl_str values; /* for fl_str_next_word, with ',' between; Exists, DoesNotExist: none */
};

const char *fl_node_operator_name(enum fl_node_operator operates);
bool fl_node_operator_parse(struct fl_str name, enum fl_node_operator *ret);

/* The values that an operator takes, at least and at most. */
size_t fl_node_operator_values_min(enum fl_node_operator operates);
size_t fl_node_operator_values_max(enum fl_node_operator operates);

/* Whether Gt and Lt compare with it: digits, up to INT64_MAX. */
bool fl_node_number_is(struct fl_str value);

/* The first requirement of a term, which is then without it; its values may be in any order.
 * False: there is none, or it is not one, and the term is as it was. */
bool fl_node_requirement_take(struct fl_str *term, struct fl_node_requirement *ret);

/* Whether it is a text of this form; the empty one is not. */
bool fl_node_affinity_is(struct fl_str text);

/* Whether a node with these labels, lines of key=value, matches.  The rule of Kubernetes. */
bool fl_node_affinity_matches(struct fl_str text, struct fl_str labels);
