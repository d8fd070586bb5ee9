/* runtime_order.h - the order to make one replica: the whole job document, and the replica's place
 * in it.  The engine reads the document once for each START; its orders share it.
 * The runtime owns an order from runtime_ops.create on and destroys it when it needs it no longer:
 * at once, or after the last of many tries.  The strings live as long as the order.
 * Uses shared/base and shared/spec.  One thread: the agent's loop. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/spec/job_spec.h"

struct runtime_job; /* opaque: a document and its parameters, counted */

/* 'spec' is a canonical job document, 'params' are the job's own; both are copied.  FL_INVALID,
 * FL_TOO_LARGE. */
FL_CHECK bool runtime_job_read(struct fl_str spec, struct fl_str params,
                               struct runtime_job **ret_job, struct fl_err *err);
void runtime_job_release(struct runtime_job *job); /* its orders keep it; NULL is fine */

const struct fl_job_spec *runtime_job_spec(const struct runtime_job *job);
size_t runtime_job_orders(const struct runtime_job *job); /* how many exist now */

struct runtime_order {
    struct fl_attempt attempt;
    uint32_t index;   /* the number that the document gives to its element */
    uint32_t replica; /* its number in the attempt, below spec->replicas */
    uint32_t node;
    struct fl_resources resources; /* reserved for it by the control plane */
    const struct fl_job_spec *spec;
    const struct fl_job_role *role; /* the replica's, of the spec */
    struct fl_text_map env;         /* the role's, with the job's parameters merged over it */
    struct runtime_job *job;        /* for runtime_order_destroy */
};

struct runtime_order *runtime_order_create(struct runtime_job *job, struct fl_attempt attempt,
                                           uint32_t replica, uint32_t node,
                                           struct fl_resources resources);
void runtime_order_destroy(struct runtime_order *order); /* NULL is fine */
