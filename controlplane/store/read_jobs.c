#include "controlplane/store/read_jobs.h"

#include <inttypes.h>
#include <string.h>

#include "controlplane/core/row_table.h"
#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"
#include "shared/base/name_pattern.h"

/* The columns that pages and reads by id share. */
enum column {
    ID,
    TENANT,
    QUEUE,
    ELEMENTS,
    IS_PICKED,
    ELEMENT_STATE,
    ELEMENT_REASON,
    JOB_STATE,
    JOB_REASON,
    SHARED_LEN
};

enum page_column { LABELS = SHARED_LEN, OWNER, NAME };

/* From ROW on come the columns of the job's row. */
enum by_id_column { BATCH = SHARED_LEN, ACCEPTED_AT, ENDED_AT, ATTEMPT, EXIT, FIRST_REPLICA, ROW };

struct page_op {
    read_jobs_fn *fn;
    void *ctx;
    struct fl_tenant tenant;
    bool with_open;
    uint32_t states, walk;
    uint32_t labels_len, owner_len, name_len;
    char labels[READ_JOBS_LABELS_BYTES_MAX], owner[READ_JOBS_OWNER_BYTES_MAX];
    char name[FL_JOB_NAME_BYTES_MAX];
};

struct by_id_op {
    read_jobs_fn *fn;
    void *ctx;
    struct fl_tenant tenant;
};

_Static_assert(sizeof(struct page_op) <= READER_OP_BYTES_MAX, "a reader copies it");

/* A plain job ends with its element 0, any other with a row of its own. */
static struct read_job job_of(const PGresult *result, int row)
{
    struct read_job job = {.job = {(uint64_t)pg_get_int(result, row, ID)},
                           .tenant = {(uint32_t)pg_get_int(result, row, TENANT)},
                           .queue = {(uint32_t)pg_get_int(result, row, QUEUE)},
                           .elements = (uint32_t)pg_get_int(result, row, ELEMENTS),
                           .is_picked = pg_get_int(result, row, IS_PICKED) != 0};
    bool is_plain = job.elements == 1 && !job.is_picked;
    int state = is_plain ? ELEMENT_STATE : JOB_STATE;

    job.is_ended = !reader_is_null(result, row, state);
    job.state = (enum job_state)pg_get_int(result, row, state);
    job.reason = (enum reason)pg_get_int(result, row, state + 1);
    job.has_exit = is_plain && job.is_ended;
    return job;
}

/* False: its row cannot be read. */
static bool fill_by_id(struct read_job *job, const PGresult *result, int row)
{
    struct row stored;

    if (!reader_row(result, row, ROW, ROW_job_new, &stored)) return false;
    job->row = stored.job_new;
    job->has_deadline = job->row.shape > 0;
    job->batch = (uint64_t)pg_get_int(result, row, BATCH);
    job->accepted_at = pg_get_int(result, row, ACCEPTED_AT);
    if (job->is_ended) job->ended_at = pg_get_int(result, row, ENDED_AT);
    if (job->has_exit) {
        job->attempt = (uint16_t)pg_get_int(result, row, ATTEMPT);
        job->exit_code = (int32_t)pg_get_int(result, row, EXIT);
        job->first_replica = (uint32_t)pg_get_int(result, row, FIRST_REPLICA);
    }
    return true;
}

struct read_job read_job_copy(const struct read_job *job, struct fl_arena *arena)
{
    struct row row = {.kind = ROW_job_new, .job_new = job->row};
    struct read_job copy = *job;

    row_keep(&row, arena);
    copy.row = row.job_new;
    return copy;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Takes the next line off 'text'; false: there is none. */
static bool take_line(struct fl_str *text, struct fl_str *ret_line)
{
    const char *end = text->len > 0 ? memchr(text->at, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->at) : text->len;

    if (text->len == 0) return false;
    *ret_line = (struct fl_str){text->at, len};
    len += end ? 1 : 0;
    text->at += len;
    text->len -= len;
    return true;
}

static bool has_label(struct fl_str labels, struct fl_str wanted)
{
    struct fl_str line;

    while (take_line(&labels, &line)) {
        if (fl_str_eq(line, wanted)) return true;
    }
    return false;
}

static bool is_wanted(const struct page_op *op, const struct read_job *job, struct fl_str labels,
                      struct fl_str owner, struct fl_str name)
{
    struct fl_str pattern = {op->name, op->name_len};
    struct fl_str wanted = {op->labels, op->labels_len}, line;

    if (job->tenant.n != op->tenant.n || !(job->is_ended || op->with_open)) return false;
    if (op->states && job->is_ended && !(op->states >> (job->state - JOB_succeeded) & 1)) {
        return false;
    }
    if (op->owner_len && !fl_str_eq(owner, (struct fl_str){op->owner, op->owner_len})) {
        return false;
    }
    if (pattern.len && !fl_name_fits(pattern, name)) return false;
    while (take_line(&wanted, &line)) {
        if (!has_label(labels, line)) return false;
    }
    return true;
}

static void page_answered(void *data, const struct reader_answer *got)
{
    const struct page_op *op = data;
    struct read_jobs page = {.err = got->err};
    struct read_job *jobs = fl_arena_array(got->arena, struct read_job, (size_t)got->rows);

    for (int i = 0; i < got->rows; i++) {
        struct read_job job = job_of(got->result, i);

        if (is_wanted(op, &job, pg_field(got->result, i, LABELS), pg_field(got->result, i, OWNER),
                      pg_field(got->result, i, NAME))) {
            if (op->with_open) job.row.labels = pg_field(got->result, i, LABELS);
            jobs[page.len++] = job;
        }
        if (i + 1 == got->rows && (uint32_t)got->rows == op->walk) page.next = job.job.n;
    }
    page.at = jobs;
    op->fn(op->ctx, &page);
}

static bool copy_words(struct fl_str words, char *to, size_t bytes_max, const char *what,
                       struct fl_err *err)
{
    if (words.len > bytes_max) {
        return fl_fail(err, FL_INVALID, "%s has at most %zu bytes", what, bytes_max);
    }
    if (words.len > 0) memcpy(to, words.at, words.len);
    return true;
}

uint64_t read_jobs_page(struct reader *reader, const struct read_jobs_query *query,
                        read_jobs_fn *fn, void *ctx, struct fl_err *err)
{
    struct page_op op = {.fn = fn,
                         .ctx = ctx,
                         .tenant = query->tenant,
                         .with_open = query->with_open,
                         .states = query->states,
                         .walk = query->walk,
                         .labels_len = (uint32_t)query->labels.len,
                         .owner_len = (uint32_t)query->owner.len,
                         .name_len = (uint32_t)query->name.len};
    uint64_t before = query->before ? query->before : INT64_MAX;
    bool has_filter;

    if (!copy_words(query->labels, op.labels, sizeof op.labels, "a filter of labels", err) ||
        !copy_words(query->owner, op.owner, sizeof op.owner, "an owner", err) ||
        !copy_words(query->name, op.name, sizeof op.name, "a name", err)) {
        return 0;
    }
    if (op.walk == 0 || op.walk > READ_JOBS_WALK_MAX) op.walk = READ_JOBS_WALK_MAX;
    has_filter = op.with_open || op.labels_len > 0 || op.owner_len > 0 || op.name_len > 0;
    return reader_ask_numbers(reader,
                              query->queue.n ? PG_STMT_jobs_page_of_queue : PG_STMT_jobs_page,
                              (const uint64_t[]){before, op.walk, has_filter, query->queue.n},
                              page_answered, &op, sizeof op, err);
}

/* ---- by id ----------------------------------------------------------------------------------- */

static void by_id_answered(void *data, const struct reader_answer *got)
{
    const struct by_id_op *op = data;
    struct read_jobs answer = {.err = got->err};
    struct read_job *jobs = fl_arena_array(got->arena, struct read_job, (size_t)got->rows);
    struct fl_err bad = {0};

    for (int i = 0; i < got->rows; i++) {
        struct read_job job = job_of(got->result, i);

        if (job.tenant.n != op->tenant.n) continue;
        if (fill_by_id(&job, got->result, i)) {
            jobs[answer.len++] = job;
        } else if (bad.code == FL_OK) {
            fl_fail(&bad, FL_TORN, "the row of job %" PRIu64 " cannot be read", job.job.n);
            reader_note(got->reader, bad.text);
        }
    }
    if (answer.len == 0 && bad.code != FL_OK) answer.err = &bad;
    answer.at = jobs;
    op->fn(op->ctx, &answer);
}

uint64_t read_jobs_by_id(struct reader *reader, struct fl_tenant tenant, const struct fl_job *jobs,
                         size_t len, read_jobs_fn *fn, void *ctx, struct fl_err *err)
{
    struct by_id_op op = {fn, ctx, tenant};

    fl_assert(len <= READ_JOBS_IDS_MAX);
    return reader_ask_jobs(reader, PG_STMT_jobs_by_id, jobs, len, len, by_id_answered, &op,
                           sizeof op, err);
}
