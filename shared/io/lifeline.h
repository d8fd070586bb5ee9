/* lifeline.h - ends when the starter ends, however it ends.
 * The starter keeps the write end of a pipe and gives us the read end, whose number stands in
 * FAIRLEAD_LIFELINE; when the last holder of the write end is gone, even by kill -9, ours reads the
 * end of file.  No byte is ever written to it.  Without the variable there is no lifeline. */
#pragma once

#include "shared/base/err.h"
#include "shared/io/loop.h"

#define FL_LIFELINE_VARIABLE "FAIRLEAD_LIFELINE"

struct fl_lifeline;

/* For the starter, which keeps ret_ours open and gives ret_theirs to children; only ret_theirs
 * survives an exec. */
FL_CHECK bool fl_lifeline_pipe(int *ret_ours, int *ret_theirs, struct fl_err *err);

/* For the started program: takes over the descriptor, which closes on exec from now on, and removes
 * the variable.  *ret_fd is -1 without a lifeline.  FL_INVALID: the variable names no pipe. */
FL_CHECK bool fl_lifeline_take(int *ret_fd, struct fl_err *err);

/* Calls 'fn' once, when the starter is gone.  Takes over the descriptor; with -1 it never calls. */
struct fl_lifeline *fl_lifeline_create(struct fl_loop *loop, int fd, void (*fn)(void *ctx),
                                       void *ctx);
void fl_lifeline_destroy(struct fl_lifeline *lifeline); /* closes it; NULL is fine */
