#include "controlplane/usage/usage_pass.h"

#include <stdlib.h>
#include <string.h>

#include "controlplane/core/job.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_spec.h"

void usage_pass_fini(struct usage_pass *pass)
{
    usage_cache_empty(&pass->memory);
    fl_map_fini(&pass->specs);
    fl_vec_fini(&pass->asked);
    fl_arena_fini(&pass->arena);
    fl_vec_fini(&pass->ended);
    fl_vec_fini(&pass->events);
    fl_vec_fini(&pass->jobs);
    usage_days_fini(&pass->days);
    usage_hours_fini(&pass->hours);
}

void usage_pass_forget_specs(struct usage_pass *pass)
{
    fl_map_fini(&pass->specs);
    pass->asked.len = 0;
}

void usage_pass_begin(struct usage_pass *pass)
{
    fl_arena_reset(&pass->arena);
    pass->ended.len = pass->events.len = pass->jobs.len = pass->days.len = 0;
    usage_hours_empty(&pass->hours);
    pass->summed = 0;
    if (pass->asked.len >= USAGE_SPECS_KNOWN_MAX) usage_pass_forget_specs(pass);
}

bool usage_pass_is_full(const struct usage_pass *pass)
{
    return pass->ended.len >= USAGE_PASS_ATTEMPTS || pass->events.len >= USAGE_PASS_EVENTS;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void note_end(struct usage_pass *pass, const struct row *row, fl_ms at)
{
    struct usage_ended ended = {.ended_at = at};
    struct usage_nth nth;

    if (row->kind == ROW_attempt_end) {
        ended.job = row->attempt_end.job;
        ended.element = row->attempt_end.element;
        ended.n = row->attempt_end.n;
        ended.used = fl_usage_read(row->attempt_end.usage);
    } else if (row->element_end.n > 0) {
        ended.job = row->element_end.job;
        ended.element = row->element_end.element;
        ended.n = row->element_end.n;
        ended.used = fl_usage_read(row->element_end.usage);
        ended.is_last = true;
        ended.has_succeeded = row->element_end.state == JOB_succeeded;
    } else {
        return;
    }
    nth = (struct usage_nth){ended.job, ended.element, ended.n};
    ended.is_known = usage_cache_ended(&pass->memory, &nth, &ended.began_at);
    fl_vec_push(&pass->ended, ended);
}

static void note_start(struct usage_pass *pass, const struct row_attempt_new *start, fl_ms at)
{
    struct usage_nth nth = {start->job, start->element, start->n};

    usage_cache_began(&pass->memory, &nth, at);
    if (start->n != 1) return;
    fl_vec_push(&pass->events, (struct usage_event){start->job, at, THROUGHPUT_started});
}

static void note_job_end(struct usage_pass *pass, const struct row_job_end *end, fl_ms at)
{
    struct usage_event event = {end->job, at, THROUGHPUT_cancelled};

    if (end->state == JOB_succeeded) event.what = THROUGHPUT_succeeded;
    if (end->state == JOB_failed) event.what = THROUGHPUT_failed;
    fl_vec_push(&pass->events, event);
}

static void note_job(struct usage_pass *pass, const struct row_job_new *job, fl_ms at)
{
    usage_cache_job(&pass->memory, job, at);
    usage_hours_at(&pass->hours, job->tenant, job->queue, at)->counts[THROUGHPUT_submitted]++;
}

static bool is_noted(enum row_kind kind)
{
    return kind == ROW_job_new || kind == ROW_job_edit || kind == ROW_attempt_new ||
           kind == ROW_job_end || row_kind_ends_attempts(kind);
}

static void note_row(struct usage_pass *pass, const struct row *row, fl_ms at)
{
    switch (row->kind) {
    case ROW_job_new:
        note_job(pass, &row->job_new, at);
        break;
    case ROW_job_edit:
        usage_cache_forget(&pass->memory, row->job_edit.job);
        break;
    case ROW_attempt_new:
        note_start(pass, &row->attempt_new, at);
        break;
    case ROW_job_end:
        note_job_end(pass, &row->job_end, at);
        break;
    default:
        note_end(pass, row, at);
        break;
    }
}

bool usage_pass_rows(struct usage_pass *pass, struct fl_str rows, fl_ms at, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(rows.at, rows.len), one;
    enum row_kind kind;
    struct row row;

    while (reader.pos < reader.len) {
        if (!row_cut(&reader, &kind, &one, err)) return false;
        if (!is_noted(kind)) continue;
        if (!row_decode(&one, &row, err)) return false;
        note_row(pass, &row, at);
    }
    return true;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* The value of a label in "key=value\n" lines; false: there is none. */
static bool find_label(struct fl_str lines, struct fl_str key, struct fl_str *ret_value)
{
    while (lines.len > 0) {
        const char *end = memchr(lines.at, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.at) : lines.len;

        if (len > key.len && lines.at[key.len] == '=' && memcmp(lines.at, key.at, key.len) == 0) {
            *ret_value = (struct fl_str){lines.at + key.len + 1, len - key.len - 1};
            return true;
        }
        len += end != NULL;
        lines = (struct fl_str){lines.at + len, lines.len - len};
    }
    return false;
}

/* Those that are counted, as a JSON object. */
static struct fl_str counted(struct usage_pass *pass, struct fl_str lines)
{
    struct fl_json_out json;
    struct fl_str value, object;
    struct fl_buf buf;
    size_t bytes = 2;

    fl_buf_init(&buf, USAGE_LABELS_BYTES_MAX);
    json = fl_json_out(&buf);
    fl_json_open(&json, NULL, '{');
    for (size_t i = 0; i < pass->labels_len; i++) {
        struct fl_str key = pass->labels[i];

        if (!find_label(lines, key, &value)) continue;
        bytes += key.len + value.len + 6;
        if (bytes > USAGE_LABELS_BYTES_MAX) break;
        fl_json_put_str(&json, key.at, value);
    }
    fl_json_close(&json, '}');
    object = fl_arena_str(&pass->arena, (struct fl_str){(const char *)buf.at, buf.len});
    fl_buf_fini(&buf);
    return object;
}

static void know(struct usage_pass *pass, struct usage_subject *subject,
                 const struct usage_job *job)
{
    subject->is_known = true;
    subject->submitted_at = job->submitted_at;
    subject->group.tenant = job->tenant;
    subject->group.queue = job->queue;
    subject->spec = job->spec;
    if (!subject->has_ended) return; /* its queue is all that is needed */
    subject->group.owner = fl_arena_str(&pass->arena, job->owner);
    subject->group.labels = counted(pass, job->labels);
}

static int by_id(const void *a, const void *b)
{
    const struct usage_subject *left = a, *right = b;

    return (left->id > right->id) - (left->id < right->id);
}

/* Rows of one job often stand together. */
static void gather(struct usage_pass *pass, uint64_t id, bool has_ended)
{
    size_t len = pass->jobs.len;

    if (len > 0 && pass->jobs.at[len - 1].id == id) {
        pass->jobs.at[len - 1].has_ended = has_ended || pass->jobs.at[len - 1].has_ended;
        return;
    }
    fl_vec_push(&pass->jobs, (struct usage_subject){.id = id, .has_ended = has_ended});
}

void usage_pass_gather(struct usage_pass *pass)
{
    size_t len = 0;

    for (size_t i = 0; i < pass->ended.len; i++) {
        gather(pass, pass->ended.at[i].job, true);
    }
    for (size_t i = 0; i < pass->events.len; i++) {
        gather(pass, pass->events.at[i].job, false);
    }
    if (pass->jobs.len == 0) return;
    qsort(pass->jobs.at, pass->jobs.len, sizeof *pass->jobs.at, by_id);
    for (size_t i = 0; i < pass->jobs.len; i++) {
        struct usage_subject job = pass->jobs.at[i];

        if (len > 0 && pass->jobs.at[len - 1].id == job.id) {
            len--;
            job.has_ended = job.has_ended || pass->jobs.at[len].has_ended;
        }
        pass->jobs.at[len++] = job;
    }
    pass->jobs.len = len;
    for (size_t i = 0; i < len; i++) {
        const struct usage_job *known = usage_cache_find(&pass->memory, pass->jobs.at[i].id);

        if (known) know(pass, &pass->jobs.at[i], known);
    }
}

/* NULL: it was not gathered. */
static struct usage_subject *job_of(struct usage_pass *pass, uint64_t id)
{
    size_t i = fl_vec_lower_bound(&pass->jobs, id, id);

    return i < pass->jobs.len && pass->jobs.at[i].id == id ? &pass->jobs.at[i] : NULL;
}

void usage_pass_job(struct usage_pass *pass, uint64_t id, const struct usage_job *job)
{
    struct usage_subject *subject = job_of(pass, id);

    if (!subject) return;
    know(pass, subject, job);
    usage_cache_keep(&pass->memory, id, job);
}

void usage_pass_attempt(struct usage_pass *pass, size_t place, fl_ms began_at, bool has_end)
{
    struct usage_ended *ended;

    if (place >= pass->ended.len) return;
    ended = &pass->ended.at[place];
    ended->began_at = began_at;
    ended->is_known = !ended->is_last || !has_end;
}

/* ---- specs ----------------------------------------------------------------------------------- */

const struct usage_subject *usage_pass_lacks(struct usage_pass *pass, size_t *from,
                                             size_t *ret_place)
{
    while (*from < pass->jobs.len) {
        const struct usage_subject *job = &pass->jobs.at[(*from)++];
        const struct fl_digest *spec = &job->spec;

        if (!job->is_known || !job->has_ended) continue;
        if (fl_map_find(&pass->specs, spec->at, sizeof spec->at, NULL)) continue;
        *ret_place = pass->asked.len;
        fl_map_put(&pass->specs, spec->at, sizeof spec->at, pass->asked.len);
        fl_vec_push(&pass->asked, (struct usage_asked){.replicas = 0});
        return job;
    }
    return NULL;
}

void usage_pass_spec(struct usage_pass *pass, size_t place, struct fl_str body)
{
    struct fl_arena arena = {0};
    struct fl_job_spec spec;
    struct fl_err err = {0};
    struct usage_asked asked = {.replicas = 0};

    if (place >= pass->asked.len) return;
    if (fl_job_spec_read(body, &arena, &spec, &err)) {
        for (size_t r = 0; r < spec.roles.len; r++) {
            const struct fl_job_role *role = &spec.roles.at[r];
            const struct fl_resources *each = &role->request.usual;

            asked.replicas += role->replicas;
            asked.held.memory_bytes += each->memory_bytes * role->replicas;
            asked.held.cpu_milli += (uint64_t)each->cpu_milli * role->replicas;
            asked.held.gpus += (uint64_t)each->gpus * role->replicas;
        }
    }
    pass->asked.at[place] = asked;
    fl_arena_fini(&arena);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void sum_ended(struct usage_pass *pass, const struct usage_ended *ended)
{
    const struct usage_subject *job = job_of(pass, ended->job);
    struct usage_attempt attempt = {
        .began_at = ended->began_at, .ended_at = ended->ended_at, .used = ended->used};
    uint64_t spec;

    if (!ended->is_known || !job || !job->is_known) return;
    attempt.group = job->group;
    if (fl_map_find(&pass->specs, job->spec.at, sizeof job->spec.at, &spec)) {
        attempt.held = pass->asked.at[spec].held;
        attempt.replicas = pass->asked.at[spec].replicas;
    }
    usage_days_add(&pass->days, &attempt);
    pass->summed++;
    if (ended->has_succeeded && ended->began_at > 0) {
        struct usage_hour *hour =
            usage_hours_at(&pass->hours, job->group.tenant, job->group.queue, ended->ended_at);

        fl_histogram_add(&hour->runs, ended->ended_at - ended->began_at);
    }
}

static void sum_event(struct usage_pass *pass, const struct usage_event *event)
{
    const struct usage_subject *job = job_of(pass, event->job);
    struct usage_hour *hour;

    if (!job || !job->is_known) return;
    hour = usage_hours_at(&pass->hours, job->group.tenant, job->group.queue, event->at);
    hour->counts[event->what]++;
    if (event->what == THROUGHPUT_started && job->submitted_at > 0) {
        fl_histogram_add(&hour->waits, event->at - job->submitted_at);
    }
}

void usage_pass_sum(struct usage_pass *pass)
{
    for (size_t i = 0; i < pass->ended.len; i++) {
        sum_ended(pass, &pass->ended.at[i]);
    }
    usage_days_merge(&pass->days);
    for (size_t i = 0; i < pass->events.len; i++) {
        sum_event(pass, &pass->events.at[i]);
    }
    usage_hours_complete(&pass->hours);
}
