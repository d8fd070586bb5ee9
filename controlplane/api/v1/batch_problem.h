/* batch_problem.h - why a line of a batch is refused, as the JSON that stands in its result.
 * Texts live as long as the call's arena.  A refused line does not stop the others. */
#pragma once

#include "controlplane/api/problem.h"
#include "controlplane/api/v1/batch_state.h"

struct fl_str batch_problem_json(struct batch *batch, const struct api_problem *problem);

/* 'where' points to it; 'got' empty: not known here any more. */
struct fl_str batch_problem_absent_json(struct batch *batch, const char *where, const char *text,
                                        struct fl_str got);

/* The core refused it. */
struct fl_str batch_problem_outcome_json(struct batch *batch, const struct core_outcome *outcome);

/* The line has this problem, or all these, from now on. */
void batch_problem_refuse(struct batch *batch, struct batch_line *line, const struct fl_err *err);
void batch_problem_refuse_all(struct batch *batch, struct batch_line *line,
                              const struct fl_problems *problems);
