/* problems.h - what is wrong with a document, all of it at once, each with its place.
 * The texts live as long as the arena they were made in, or as the document.  The first
 * FL_PROBLEMS_MAX are kept, the others only counted.
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include <stddef.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/json/json.h"

struct fl_arena;

enum {
    FL_PROBLEMS_MAX = 20,
    FL_PROBLEM_GOT_MAX =
        80, /* bytes of what is quoted from the document; longer is cut, with "..." */
};

struct fl_problem {
    struct fl_str pointer; /* RFC 6901: "/roles/0/replicas"; empty: the whole document */
    struct fl_str detail;  /* a sentence */
    struct fl_str got;     /* as it was written; empty: not known, or it is missing */
    struct fl_str allowed; /* the right values; empty: see detail */
    struct fl_place at;    /* line 0: not known */
};

struct fl_problems {
    struct fl_problem at[FL_PROBLEMS_MAX];
    size_t len;
    size_t more; /* left out */
};

/* Where one is in a document, from the inside to the root; on the stack of who walks down. */
struct fl_path {
    const struct fl_path *up; /* NULL: the root */
    struct fl_str key;        /* a member's key; at is NULL: an item of a list */
    size_t index;
};

/* The pointer of 'path', and of its member 'last' when that is not empty. */
struct fl_str fl_path_pointer(const struct fl_path *path, struct fl_str last,
                              struct fl_arena *arena);

void fl_problems_add(struct fl_problems *problems, struct fl_problem problem);

/* A value as a short text for 'got': "\"abc\"", "12", "a list". */
struct fl_str fl_problem_got(const struct fl_json *node, struct fl_arena *arena);

/* One line for a log or a terminal: the first problem, and how many more there are.  Returns
 * false. */
bool fl_problems_fail(const struct fl_problems *problems, struct fl_err *err);
