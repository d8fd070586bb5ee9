#include "agent/runtime_order.h"

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/spec/job_params.h"

struct runtime_job {
    struct fl_arena arena;
    struct fl_job_spec spec;
    struct fl_text_map params;
    size_t orders;
    bool is_released; /* the engine needs it no longer */
};

static void free_job(struct runtime_job *job)
{
    fl_arena_fini(&job->arena);
    fl_free(job);
}

static struct fl_str copy_of(struct fl_arena *arena, struct fl_str s)
{
    return (struct fl_str){s.len ? fl_arena_copy(arena, s.at, s.len) : s.at, s.len};
}

bool runtime_job_read(struct fl_str spec, struct fl_str params, struct runtime_job **ret_job,
                      struct fl_err *err)
{
    struct runtime_job *job = fl_new(struct runtime_job);

    if (!fl_job_spec_read(copy_of(&job->arena, spec), &job->arena, &job->spec, err) ||
        !fl_job_params_read(copy_of(&job->arena, params), &job->arena, &job->params, err)) {
        free_job(job);
        return false;
    }
    *ret_job = job;
    return true;
}

void runtime_job_release(struct runtime_job *job)
{
    if (!job) return;
    job->is_released = true;
    if (job->orders == 0) free_job(job);
}

const struct fl_job_spec *runtime_job_spec(const struct runtime_job *job)
{
    return &job->spec;
}

size_t runtime_job_orders(const struct runtime_job *job)
{
    return job->orders;
}

struct runtime_order *runtime_order_create(struct runtime_job *job, struct fl_attempt attempt,
                                           uint32_t replica, uint32_t node,
                                           struct fl_resources resources)
{
    struct runtime_order *order = fl_new(struct runtime_order);
    struct fl_job_replica program =
        fl_job_spec_replica(&job->spec, &job->params, replica, &job->arena);

    *order = (struct runtime_order){
        .attempt = attempt,
        .index = fl_indexes_at(job->spec.indexes.text, attempt.element),
        .replica = replica,
        .node = node,
        .resources = resources,
        .spec = &job->spec,
        .role = program.role,
        .env = program.env,
        .job = job,
    };
    job->orders++;
    return order;
}

void runtime_order_destroy(struct runtime_order *order)
{
    struct runtime_job *job;

    if (!order) return;
    job = order->job;
    fl_assert(job->orders > 0);
    if (--job->orders == 0 && job->is_released) free_job(job);
    fl_free(order);
}
