/* job_params.h - the parameters of a job: how a thousand jobs share one spec and still differ.
 * An object of strings (numbers and booleans are taken as written).  A replica finds parameter 'lr'
 * as FAIRLEAD_PARAM_LR in its environment, over the spec's env value of that name: so a
 * spec may give a default.  There are no placeholders in a document: nothing is ever substituted
 * into a command.  A name is 1 to 63 of [A-Za-z0-9_], not beginning with a digit; two that differ
 * in case only are one.  Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/spec/job_spec.h"

/* 'node' stands at 'path' (NULL: the root).  On false a problem was added. */
FL_CHECK bool fl_job_params_parse(const struct fl_json *node, const struct fl_path *path,
                                  struct fl_arena *arena, struct fl_text_map *ret_params,
                                  struct fl_problems *problems);

/* Appends the stored bytes: nothing for no parameters, else a JSON object, sorted.  False when
 * 'out' is full: init it with FL_JOB_PARAMS_BYTES_MAX. */
FL_CHECK bool fl_job_params_canonical(struct fl_buf *out, const struct fl_text_map *params);

/* Reads what canonical wrote.  Total. */
FL_CHECK bool fl_job_params_read(struct fl_str bytes, struct fl_arena *arena,
                                 struct fl_text_map *ret_params, struct fl_err *err);

/* 'params' with 'own' in place of those of the same name; sorted again. */
struct fl_text_map fl_job_params_over(const struct fl_text_map *params,
                                      const struct fl_text_map *own, struct fl_arena *arena);

/* 'env' with the parameters merged over it, under the names a replica finds them by; sorted
 * again. */
struct fl_text_map fl_job_params_merge(const struct fl_text_map *env,
                                       const struct fl_text_map *params, struct fl_arena *arena);
