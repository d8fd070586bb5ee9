/* submit_item.h - from a job document to what the core takes.
 * A spec that many jobs share is made canonical and hashed once. */
#pragma once

#include "controlplane/core/core_event.h"
#include "shared/spec/job_spec.h"

struct fl_arena;
struct fl_json;
struct token_grant;

/* The shared part, stored once. */
struct submit_spec {
    struct fl_str canonical, shape;
    struct fl_digest digest;
    struct fl_digest asked; /* before the default CPU came in */
};

/* The queue that the job goes to: a token for one queue submits there when the document names
 * none. */
struct fl_str submit_queue(const struct fl_job_spec *spec, bool has_queue,
                           const struct token_grant *token);

/* All in the arena.  Roles that ask for no CPU get the default (default_cpu.h) in *spec, too; 0:
 * there is none.  False: FL_TOO_LARGE, FL_INVALID. */
FL_CHECK bool submit_spec_make(struct fl_job_spec *spec, uint32_t default_cpu_milli,
                               struct fl_arena *arena, struct submit_spec *ret, struct fl_err *err);

/* The job's own part, with 'shared'.  FL_ABSENT: it names another queue than its token is for. */
FL_CHECK bool submit_item_make(const struct fl_job_spec *spec, bool has_queue,
                               const struct submit_spec *shared, const struct token_grant *token,
                               struct fl_arena *arena, struct core_submit_item *ret_item,
                               struct fl_err *err);

/* A job's labels as they are stored. */
FL_CHECK bool submit_labels(const struct fl_text_map *labels, struct fl_arena *arena,
                            struct fl_str *ret_labels, struct fl_err *err);
