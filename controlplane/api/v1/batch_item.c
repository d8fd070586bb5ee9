#include "controlplane/api/v1/batch_item.h"

#include "controlplane/api/v1/batch_problem.h"
#include "controlplane/api/v1/default_cpu.h"
#include "shared/base/vec.h"

/* NULL: no line before this one has that number. */
static const struct batch_line *find_line(const struct batch *batch, uint32_t number)
{
    size_t i = fl_vec_lower_bound(&batch->lines, number, number);

    return i < batch->taken && batch->lines.at[i].number == number ? &batch->lines.at[i] : NULL;
}

/* From lines to items, which the core counts.  False: the line was refused. */
static bool resolve_after(struct batch *batch, struct batch_line *line,
                          struct core_submit_item *item)
{
    struct fl_err err = {.code = FL_INVALID};

    for (size_t i = 0; i < item->after_len; i++) {
        struct fl_dependency *after = &item->after[i].after;
        const struct batch_line *target = after->line ? find_line(batch, after->line) : NULL;

        if (!after->line) continue;
        if (!target || target->defines.len) {
            fl_fail(&err, FL_INVALID, "line %u, which it is to run after, %s", after->line,
                    target ? "defines a spec and is no job" : "is no line before this one");
            batch_problem_refuse(batch, line, &err);
            return false;
        }
        if (target->problem.len) {
            fl_fail(&err, FL_CONFLICT, "the job of line %u, which it is to run after, was refused",
                    after->line);
            batch_problem_refuse(batch, line, &err);
            return false;
        }
        after->line = (uint32_t)target->item + 1;
    }
    return true;
}

void batch_item_add(struct batch *batch, struct batch_line *line, const struct fl_job_spec *spec,
                    bool has_queue, const struct submit_spec *shared)
{
    struct core_submit_item item;
    struct fl_err err = {0};

    if (!submit_item_make(spec, has_queue, shared, &batch->call->token, &batch->event->arena, &item,
                          &err)) {
        if (err.code == FL_ABSENT) {
            line->problem = batch_problem_absent_json(batch, "/queue", err.text, spec->queue);
        } else {
            batch_problem_refuse(batch, line, &err);
        }
        return;
    }
    if (!resolve_after(batch, line, &item)) return;
    line->item = batch->items.len;
    batch->held[line->item] = item.is_held;
    fl_arena_push(&batch->event->arena, &batch->items, item);
}

uint32_t batch_item_default_cpu(const struct batch *batch, const struct fl_submission *job)
{
    return default_cpu_of(batch->call,
                          submit_queue(&job->spec, job->has_queue, &batch->call->token));
}

bool batch_item_parse(struct batch *batch, struct batch_line *line, const struct fl_json *document,
                      struct fl_submission *ret_job)
{
    struct fl_problems problems = {0};

    if (fl_submission_parse(document, &batch->call->arena, ret_job, &problems)) return true;
    batch_problem_refuse_all(batch, line, &problems);
    return false;
}

bool batch_item_share(struct batch *batch, struct batch_line *line, struct fl_submission *job,
                      uint32_t default_cpu_milli, struct submit_spec *ret_shared)
{
    struct submit_spec made;
    struct fl_err err = {0};

    if (!submit_spec_make(&job->spec, default_cpu_milli, &batch->event->arena, &made, &err)) {
        batch_problem_refuse(batch, line, &err);
        return false;
    }
    if (fl_str_eq(made.canonical, batch->last.canonical)) { /* one copy of the bytes */
        made.canonical = batch->last.canonical;
        made.shape = batch->last.shape;
    }
    batch->last = made;
    *ret_shared = made;
    return true;
}
