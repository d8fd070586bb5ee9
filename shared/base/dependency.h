/* dependency.h - on which ends of other jobs a job waits, and the bytes in which that is stored.
 * The bytes are 9 for each job: its id, and on which of its ends.  Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/job_limits.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct fl_arena;
struct fl_buf;

/* name, number, meaning.  Names are in documents, numbers are stored: never reused. */
#define FL_DEPENDENCY_ONS(X)                                                                       \
    X(success, 1, "the other job succeeds")                                                        \
    X(any, 2, "it ends, however it does")                                                          \
    X(failure, 3, "it fails or is cancelled")                                                      \
    X(each, 4, "each element waits for the success of the same element of the other array")

enum fl_dependency_on {
#define FL_DEPENDENCY_ENUM(name, number, meaning) FL_ON_##name = (number),
    FL_DEPENDENCY_ONS(FL_DEPENDENCY_ENUM)
#undef FL_DEPENDENCY_ENUM
};

struct fl_dependency {
    struct fl_job job;
    uint32_t line; /* in place of the job: that of a line before, from 1; 0: a job is named */
    enum fl_dependency_on on;
};

struct fl_dependencies {
    struct fl_dependency *at;
    size_t len, cap;
};

const char *fl_dependency_on_name(enum fl_dependency_on on);
/* False: no end is called so. */
bool fl_dependency_on_parse(struct fl_str name, enum fl_dependency_on *ret);

/* Each names a job; at most FL_JOB_AFTER_MAX. */
struct fl_str fl_dependencies_encode(const struct fl_dependency *at, size_t len,
                                     struct fl_arena *arena);
/* Total: refuses bytes that fl_dependencies_encode does not write. */
FL_CHECK bool fl_dependencies_decode(struct fl_str bytes, struct fl_arena *arena,
                                     struct fl_dependencies *ret, struct fl_err *err);
