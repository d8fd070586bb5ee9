#include "controlplane/api/v1/event_json.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/api/schema.h"
#include "controlplane/api/v1/default_cpu.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/core/row_deed.h"
#include "controlplane/views/directory.h"
#include "shared/base/buf.h"
#include "shared/base/replica.h"
#include "shared/json/json_out.h"

struct told {
    const char *type;
    uint64_t job;
};

/* Which event a row is; type NULL: none. */
static struct told tell(const struct row *row)
{
    switch (row->kind) {
    case ROW_job_new:
        return (struct told){"job.submitted", row->job_new.job};
    case ROW_job_edit:
        return (struct told){"job.edited", row->job_edit.job};
    case ROW_attempt_new:
        return (struct told){"attempt.assigned", row->attempt_new.job};
    case ROW_replica_phase:
        return (struct told){"replica.changed", row->replica_phase.job};
    case ROW_attempt_end:
        return (struct told){"attempt.ended", row->attempt_end.job};
    case ROW_attempt_stop:
        return (struct told){"attempt.stopping", row->attempt_stop.job};
    case ROW_element_end:
        return (struct told){"element.ended", row->element_end.job};
    case ROW_job_end:
        return (struct told){"job.ended", row->job_end.job};
    case ROW_mark_set:
        if (row->mark_set.kind == CORE_MARK_held) {
            return (struct told){"job.held", row->mark_set.job};
        }
        if (row->mark_set.kind == CORE_MARK_cancel) {
            return (struct told){"job.stopping", row->mark_set.job};
        }
        return (struct told){0};
    case ROW_mark_clear:
        if (row->mark_clear.kind != CORE_MARK_held) return (struct told){0};
        return (struct told){"job.released", row->mark_clear.job};
    case ROW_queue_put:
        return (struct told){"queue.changed", 0};
    case ROW_cluster_put:
        return (struct told){"cluster.changed", 0};
    case ROW_unknown: /* a newer program wrote it, and what it says cannot be read here */
        return (struct told){"unknown", 0};
    default:
        return (struct told){0};
    }
}

bool event_tells(const struct row *row)
{
    return tell(row).type || row_deed(row).job.n != 0;
}

/* ---- for a token of one queue ---------------------------------------------------------------- */

/* This row takes its job out of the queue of the filter. */
static bool leaves(const struct row *row, const struct event_filter *filter)
{
    return row->kind == ROW_job_edit && filter->is_limited && !filter->is_past &&
           row->job_edit.queue != filter->queue.n;
}

/* A move is an event of both queues. */
static bool is_of_queue(const struct row *row, struct fl_queue_id queue,
                        const struct event_filter *filter)
{
    if (!filter->is_limited) return true;
    if (filter->queue.n == 0) return false;
    if (row->kind == ROW_job_edit && row->job_edit.queue == filter->queue.n) return true;
    return queue.n == filter->queue.n;
}

static bool is_wanted(const struct told *told, const struct row *row, struct fl_queue_id queue,
                      const struct event_filter *filter)
{
    if (!told->type) return false;
    if (filter->job.n != 0) return told->job == filter->job.n;
    if (told->job != 0) return filter->jobs && is_of_queue(row, queue, filter);
    if (row->kind == ROW_unknown) return true;
    if (row->kind == ROW_cluster_put) return filter->clusters;
    queue.n = row->queue_put.queue;
    return filter->queues && is_of_queue(row, queue, filter);
}

static void write_queue(struct fl_json_out *json, uint32_t queue, const struct event_filter *filter,
                        struct directory *directory)
{
    char name[64];

    if (filter->is_limited && queue != filter->queue.n) return;
    if (directory_queue_name(directory, (struct fl_queue_id){queue}, name)) {
        fl_json_put_cstr(json, "queue", name);
    }
}

/* The actor: "token:ID NAME", "token:ID as NAME", or a word of ours.  A token of one queue gets it
 * while the job is there, and without the id. */
static void write_by(struct fl_json_out *json, const struct event_note *note,
                     const struct event_filter *filter)
{
    struct fl_str by = note->by, rest = note->by, token = fl_str_cut(&rest, ' ');

    if (filter->is_limited) {
        if (filter->queue.n == 0 || note->queue.n != filter->queue.n) return;
        if (token.len >= 6 && memcmp(token.at, "token:", 6) == 0) by = rest;
    }
    if (by.len > 0) fl_json_put_str(json, "by", by);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void write_cluster(struct fl_json_out *json, struct directory *directory, uint32_t number)
{
    struct directory_cluster cluster;

    if (directory_cluster(directory, (struct fl_cluster){number}, &cluster)) {
        fl_json_put_cstr(json, "cluster", cluster.name);
    }
}

static void write_end(struct fl_json_out *json, uint16_t reason, int32_t exit_code,
                      uint32_t replica)
{
    fl_json_put_cstr(json, "reason", reason_name(reason));
    fl_json_put_i64(json, "exitCode", exit_code);
    if (replica != UINT32_MAX) fl_json_put_u64(json, "firstReplica", replica);
}

static void write_edit(struct fl_json_out *json, const struct row_job_edit *edit,
                       const struct event_filter *filter, struct directory *directory)
{
    fl_json_put_u64(json, "revision", edit->revision);
    write_queue(json, edit->queue, filter, directory);
    job_json_name(json, edit->name);
    job_json_lines(json, "labels", edit->labels);
    fl_json_put_i64(json, "priority", edit->priority);
    job_json_deadline(json, edit->deadline_s);
    job_json_parallelism(json, edit->parallelism);
}

static void write_data(struct fl_json_out *json, const struct row *row,
                       const struct event_filter *filter, struct directory *directory)
{
    switch (row->kind) {
    case ROW_job_new:
        write_queue(json, row->job_new.queue, filter, directory);
        job_json_name(json, row->job_new.name);
        fl_json_put_u64(json, "elements", row->job_new.elements);
        break;
    case ROW_job_edit:
        write_edit(json, &row->job_edit, filter, directory);
        break;
    case ROW_attempt_new:
        fl_json_put_u64(json, "element", row->attempt_new.element);
        fl_json_put_u64(json, "attempt", row->attempt_new.n);
        write_cluster(json, directory, row->attempt_new.cluster);
        break;
    case ROW_replica_phase:
        fl_json_put_u64(json, "element", row->replica_phase.element);
        fl_json_put_u64(json, "attempt", row->replica_phase.n);
        fl_json_put_u64(json, "replica", row->replica_phase.replica);
        fl_json_put_cstr(json, "state", fl_replica_state_name(row->replica_phase.state));
        if (row->replica_phase.state == FL_REPLICA_exited) {
            fl_json_put_i64(json, "exitCode", row->replica_phase.exit_code);
        }
        break;
    case ROW_attempt_end:
        fl_json_put_u64(json, "element", row->attempt_end.element);
        fl_json_put_u64(json, "attempt", row->attempt_end.n);
        write_end(json, row->attempt_end.reason, row->attempt_end.exit_code,
                  row->attempt_end.first_replica);
        break;
    case ROW_attempt_stop:
        fl_json_put_u64(json, "element", row->attempt_stop.element);
        fl_json_put_u64(json, "attempt", row->attempt_stop.n);
        write_end(json, row->attempt_stop.reason, row->attempt_stop.exit_code,
                  row->attempt_stop.first_replica);
        break;
    case ROW_element_end:
        fl_json_put_u64(json, "element", row->element_end.element);
        fl_json_put_u64(json, "attempt", row->element_end.n);
        fl_json_put_cstr(json, "state", job_state_name(row->element_end.state));
        write_end(json, row->element_end.reason, row->element_end.exit_code,
                  row->element_end.first_replica);
        break;
    case ROW_job_end:
        fl_json_put_cstr(json, "state", job_state_name(row->job_end.state));
        fl_json_put_cstr(json, "reason", reason_name(row->job_end.reason));
        break;
    case ROW_queue_put:
        fl_json_put_str(json, "queue", row->queue_put.name);
        fl_json_put_bool(json, "paused", row->queue_put.is_paused);
        fl_json_put_bool(json, "removed", row->queue_put.is_removed);
        default_cpu_put(json, row->queue_put.has_default_cpu, row->queue_put.default_cpu_milli);
        break;
    case ROW_cluster_put:
        fl_json_put_str(json, "cluster", row->cluster_put.name);
        fl_json_put_str(json, "cordon", row->cluster_put.cordon);
        break;
    case ROW_unknown:
        fl_json_put_u64(json, "row", row->unknown.number);
        break;
    default:
        break;
    }
}

bool event_write(struct fl_buf *out, struct event_place place, fl_ms at, const struct row *row,
                 const struct event_note *note, const struct event_filter *filter,
                 struct directory *directory)
{
    struct told told = tell(row);
    bool is_leaving = leaves(row, filter);
    char id[EVENT_PLACE_TEXT_MAX], head[96];
    struct fl_json_out json;

    if (!is_wanted(&told, row, note->queue, filter)) return false;
    if (is_leaving) told.type = "job.left";
    event_place_print(place, id);
    snprintf(head, sizeof head, "id: %s\nevent: %s\ndata: ", id, told.type);
    fl_buf_put(out, head, strlen(head));
    json = fl_json_out(out);
    fl_json_open(&json, NULL, '{');
    fl_json_put_cstr(&json, "type", told.type);
    fl_json_put_time(&json, "at", at);
    if (told.job != 0) fl_json_put_job(&json, "job", (struct fl_job){told.job});
    if (!is_leaving) write_data(&json, row, filter, directory);
    write_by(&json, note, filter);
    fl_json_close(&json, '}');
    fl_buf_put(out, "\n\n", 2);
    return true;
}

bool event_is_end(const struct row *row, const struct event_filter *filter)
{
    if (filter->job.n == 0 || row_job(row) != filter->job.n) return false;
    return row->kind == ROW_job_end || leaves(row, filter);
}

/* ---- their description ----------------------------------------------------------------------- */

#define HEAD(type_)                                                                                \
    API_MUST("type", "string", "which event", .words = (type_)),                                   \
        API_MUST("at", "string", "when it was committed", .format = API_FORMAT_time)
#define HEAD_OF_JOB(type_) HEAD(type_), API_MUST("job", "string", "its id")
#define BY_FIELD                                                                                   \
    API_MAY("by", "string",                                                                        \
            "the actor, as in the audit, if a person or service did it; to a token of one queue "  \
            "only while the job is there")
#define END_FIELDS                                                                                 \
    API_MUST("reason", "string", "in a word"),                                                     \
        API_MUST("exitCode", "integer", "the first failed replica's, else 0"),                     \
        API_MAY("firstReplica", "integer", "that failed first")

static const struct api_field job_submitted_fields[] = {
    HEAD_OF_JOB("job.submitted"),
    API_MAY("queue", "string", "where it waits"),
    API_MUST("name", "string or null", "for people"),
    API_MUST("elements", "integer", "how many"),
    {0},
};

const struct api_object job_submitted_event_object = {
    .name = "JobSubmittedEvent", .text = "A job was accepted.", .fields = job_submitted_fields};

static const struct api_field job_edited_fields[] = {
    HEAD_OF_JOB("job.edited"),
    API_MUST("revision", "integer", "how many times it was edited by then"),
    API_MAY("queue", "string", "where it waits now"),
    API_MUST("name", "string or null", "for people"),
    API_MUST("labels", "map of string", "for finding it again"),
    API_MUST("priority", "integer", "within its queue, the higher goes first"),
    API_MUST("deadline", "integer or null", "seconds from its first start; null: none"),
    API_MUST("parallelism", "integer or null",
             "so many of its elements run at the same time; null: all"),
    {0},
};

const struct api_object job_edited_event_object = {
    .name = "JobEditedEvent", .text = "An open job was edited.", .fields = job_edited_fields};

static const struct api_field job_left_fields[] = {
    HEAD_OF_JOB("job.left"),
    {0},
};

const struct api_object job_left_event_object = {
    .name = "JobLeftEvent",
    .text = "For a token of one queue: an edit moved the job to another one, and it is not seen "
            "any more.",
    .fields = job_left_fields};

static const struct api_field job_held_fields[] = {
    HEAD_OF_JOB("job.held"),
    BY_FIELD,
    {0},
};

const struct api_object job_held_event_object = {
    .name = "JobHeldEvent", .text = "A job starts nothing more.", .fields = job_held_fields};

static const struct api_field job_released_fields[] = {
    HEAD_OF_JOB("job.released"),
    BY_FIELD,
    {0},
};

const struct api_object job_released_event_object = {
    .name = "JobReleasedEvent", .text = "A held job may start.", .fields = job_released_fields};

static const struct api_field job_stopping_fields[] = {
    HEAD_OF_JOB("job.stopping"),
    BY_FIELD,
    {0},
};

const struct api_object job_stopping_event_object = {
    .name = "JobStoppingEvent", .text = "A job is to end.", .fields = job_stopping_fields};

static const struct api_field job_ended_fields[] = {
    HEAD_OF_JOB("job.ended"),
    API_MUST("state", "string", "how", .words = JOB_STATES(API_WORD)),
    API_MUST("reason", "string", "in a word"),
    {0},
};

const struct api_object job_ended_event_object = {
    .name = "JobEndedEvent", .text = "A job has ended.", .fields = job_ended_fields};

static const struct api_field attempt_assigned_fields[] = {
    HEAD_OF_JOB("attempt.assigned"),
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "its number, from 1"),
    API_MAY("cluster", "string", "its name"),
    {0},
};

const struct api_object attempt_assigned_event_object = {.name = "AttemptAssignedEvent",
                                                         .text =
                                                             "An element was given to a cluster.",
                                                         .fields = attempt_assigned_fields};

static const struct api_field attempt_ended_fields[] = {
    HEAD_OF_JOB("attempt.ended"),
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "its number"),
    END_FIELDS,
    {0},
};

const struct api_object attempt_ended_event_object = {
    .name = "AttemptEndedEvent",
    .text = "An attempt ended, and its element goes on.",
    .fields = attempt_ended_fields};

static const struct api_field attempt_stopping_fields[] = {
    HEAD_OF_JOB("attempt.stopping"),
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "its number"),
    END_FIELDS,
    {0},
};

const struct api_object attempt_stopping_event_object = {
    .name = "AttemptStoppingEvent",
    .text = "A replica of an attempt failed, and the others are being stopped.",
    .fields = attempt_stopping_fields};

static const struct api_field element_ended_fields[] = {
    HEAD_OF_JOB("element.ended"),
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "the last; 0: it never had one"),
    API_MUST("state", "string", "how", .words = JOB_STATES(API_WORD)),
    END_FIELDS,
    {0},
};

const struct api_object element_ended_event_object = {
    .name = "ElementEndedEvent", .text = "An element has ended.", .fields = element_ended_fields};

static const struct api_field replica_changed_fields[] = {
    HEAD_OF_JOB("replica.changed"),
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "its number"),
    API_MUST("replica", "integer", "its number"),
    API_MUST("state", "string", "its state", .words = FL_REPLICA_STATES(API_WORD)),
    API_MAY("exitCode", "integer", "once it has exited"),
    {0},
};

const struct api_object replica_changed_event_object = {.name = "ReplicaChangedEvent",
                                                        .text = "A replica is in another state.",
                                                        .fields = replica_changed_fields};

static const struct api_field queue_changed_fields[] = {
    HEAD("queue.changed"),
    API_MUST("queue", "string", "its name"),
    API_MUST("paused", "boolean", "nothing of it starts"),
    API_MUST("removed", "boolean", "it is gone; its ended jobs keep its name"),
    API_MUST(DEFAULT_CPU_FIELD, "string or null", "CPU of a replica that asks for none"),
    {0},
};

const struct api_object queue_changed_event_object = {
    .name = "QueueChangedEvent",
    .text = "A queue was made, paused, resumed or removed.",
    .fields = queue_changed_fields};

static const struct api_field cluster_changed_fields[] = {
    HEAD("cluster.changed"),
    API_MUST("cluster", "string", "its name"),
    API_MUST("cordon", "string", "why it takes no new work; empty: it does"),
    {0},
};

const struct api_object cluster_changed_event_object = {
    .name = "ClusterChangedEvent",
    .text = "Something was decided about a cluster.",
    .fields = cluster_changed_fields};

static const struct api_field unknown_fields[] = {
    HEAD("unknown"),
    API_MUST("row", "integer", "its number, which a newer program gave it"),
    {0},
};

const struct api_object unknown_event_object = {
    .name = "UnknownEvent",
    .text = "A newer control plane wrote a row here whose kind this one does not know, so look "
            "anew at the state of things. Streams of one job leave it out.",
    .fields = unknown_fields};

static const struct api_field reset_fields[] = {
    API_MUST("type", "string", "which event", .words = "reset"),
    {0},
};

const struct api_object reset_event_object = {
    .name = "ResetEvent",
    .text = "The journal no longer has the events that were missed: read all anew.",
    .fields = reset_fields};

static const struct api_field closed_fields[] = {
    API_MUST("type", "string", "which event", .words = "closed"),
    API_MUST("reason", "string", "why the stream ends here",
             .words = "TokenExpired, TokenRevoked, TokenRotated, SessionEnded"),
    API_MUST("text", "string", "the same as a sentence"),
    {0},
};

const struct api_object closed_event_object = {
    .name = "ClosedEvent",
    .text = "The stream ends here, although more may come: its token counts no more.",
    .fields = closed_fields};

const struct api_object event_object = {
    .name = "Event",
    .text = "Something that was committed: the data of an event in a stream.",
    .one_of = "JobSubmittedEvent, JobEditedEvent, JobLeftEvent, JobHeldEvent, "
              "JobReleasedEvent, JobStoppingEvent, JobEndedEvent, AttemptAssignedEvent, "
              "AttemptStoppingEvent, "
              "AttemptEndedEvent, ElementEndedEvent, ReplicaChangedEvent, "
              "QueueChangedEvent, ClusterChangedEvent, UnknownEvent, ResetEvent, ClosedEvent",
    .tells_by = "type",
    .example = "{\"type\":\"job.ended\",\"at\":\"2026-01-31T09:00:00.000Z\",\"job\":\"job-7\","
               "\"state\":\"succeeded\",\"reason\":\"Succeeded\"}"};
