#include "controlplane/api/v1/job_edit_values.h"

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/views/directory.h"
#include "shared/spec/job_edit.h"

static bool names(const struct fl_json *edit, const char *member)
{
    return fl_json_member(edit, fl_str_c(member)) != NULL;
}

void job_edit_fill(struct engine_event *event, const struct fl_json *edit,
                   const struct fl_job_spec *spec)
{
    event->event.edit.sets_queue = names(edit, "queue");
    event->event.edit.queue = fl_arena_str(&event->arena, spec->queue);
    event->event.edit.sets_priority = names(edit, "priority");
    event->event.edit.priority = spec->priority;
    event->event.edit.sets_deadline = names(edit, "deadline");
    event->event.edit.deadline_s = spec->deadline_s;
    event->event.edit.sets_parallelism = names(edit, "parallelism");
    event->event.edit.parallelism = spec->parallelism;
    event->event.edit.sets_held = names(edit, "hold");
    event->event.edit.is_held = spec->is_held;
}

void job_edit_fail_queue(struct api_call *call, struct fl_str queue, const char *pointer)
{
    api_fail_absent_at(call, pointer, "this queue does not exist, or not for this token", queue);
}

bool job_edit_may_move(struct api_call *call, struct fl_str queue, const char *pointer)
{
    if (!(call->token.scopes & (CORE_SCOPE_submit | CORE_SCOPE_admin))) {
        api_fail(
            call, FL_DENIED,
            "this token may not do that; to move a job into a queue it needs the scope submit");
    } else if (!api_sees_queue(call, queue)) {
        job_edit_fail_queue(call, queue, pointer);
    } else {
        return true;
    }
    return false;
}

bool job_edit_read_many(struct api_call *call, const struct fl_json *edit,
                        struct fl_job_spec *ret_spec)
{
    static const char *const each[] = {"name", "labels"};
    struct fl_problems problems = {0};
    struct fl_job_spec spec = {0};
    struct fl_queue_id queue;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        if (!names(edit, each[i])) continue;
        api_fail_at(call, fl_arena_printf(&call->arena, "/edit/%s", each[i]),
                    "name and labels are edited job by job: PATCH /v1/jobs/{job}",
                    (struct fl_str){0}, "queue, priority, deadline, parallelism, hold");
        return false;
    }
    if (edit->len == 0) {
        api_fail_at(call, "/edit", "this changes nothing", (struct fl_str){0},
                    "queue, priority, deadline, parallelism, hold");
        return false;
    }
    if (!fl_job_edit_parse(edit, &call->arena, &spec, &problems)) {
        for (size_t i = 0; i < problems.len; i++) {
            problems.at[i].pointer = fl_str_c(fl_arena_printf(&call->arena, "/edit" FL_STR_FMT,
                                                              FL_STR_ARG(problems.at[i].pointer)));
        }
        api_fail_problems(call, &problems);
        return false;
    }
    *ret_spec = spec;
    if (!names(edit, "queue")) return true;
    if (!job_edit_may_move(call, spec.queue, "/edit/queue")) return false;
    if (directory_queue_id(call->parts->directory, spec.queue, &queue)) return true;
    job_edit_fail_queue(call, spec.queue, "/edit/queue");
    return false;
}
