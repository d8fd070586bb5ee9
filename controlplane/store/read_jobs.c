#include "controlplane/store/read_jobs.h"

#include <string.h>

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"
#include "shared/base/name_pattern.h"

/* The columns that pages and reads by id share, then those of reads by id only. */
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
    LABELS,
    OWNER,
    NAME,
    PRIORITY,
    RETRY_OF,
    SPEC,
    PARAMS,
    PICKED,
    BATCH,
    ACCEPTED_AT,
    ENDED_AT,
    ATTEMPT,
    EXIT,
    FIRST_REPLICA,
    AFTER,
    DEADLINE,
    IS_SINGLETON,
    PARALLELISM,
};

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

static void fill_by_id(struct read_job *job, const PGresult *result, int row)
{
    job->labels = pg_field(result, row, LABELS);
    job->owner = pg_field(result, row, OWNER);
    job->priority = (int32_t)pg_get_int(result, row, PRIORITY);
    job->retry_of.n = (uint64_t)pg_get_int(result, row, RETRY_OF);
    job->spec = reader_digest(result, row, SPEC);
    job->name = pg_field(result, row, NAME);
    job->params = pg_field(result, row, PARAMS);
    job->picked = pg_field(result, row, PICKED);
    job->after = pg_field(result, row, AFTER);
    job->is_singleton = pg_get_int(result, row, IS_SINGLETON) != 0;
    job->parallelism = (uint32_t)pg_get_int(result, row, PARALLELISM);
    job->has_deadline = !reader_is_null(result, row, DEADLINE);
    job->deadline_s = (uint32_t)pg_get_int(result, row, DEADLINE);
    job->batch = (uint64_t)pg_get_int(result, row, BATCH);
    job->accepted_at = pg_get_int(result, row, ACCEPTED_AT);
    if (job->is_ended) job->ended_at = pg_get_int(result, row, ENDED_AT);
    if (!job->has_exit) return;
    job->attempt = (uint16_t)pg_get_int(result, row, ATTEMPT);
    job->exit_code = (int32_t)pg_get_int(result, row, EXIT);
    job->first_replica = (uint32_t)pg_get_int(result, row, FIRST_REPLICA);
}

struct read_job read_job_copy(const struct read_job *job, struct fl_arena *arena)
{
    struct read_job copy = *job;

    copy.name = fl_arena_str(arena, job->name);
    copy.labels = fl_arena_str(arena, job->labels);
    copy.owner = fl_arena_str(arena, job->owner);
    copy.params = fl_arena_str(arena, job->params);
    copy.picked = fl_arena_str(arena, job->picked);
    copy.after = fl_arena_str(arena, job->after);
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

static void page_answered(struct reader *reader, void *data, const PGresult *result,
                          const struct fl_err *err, struct fl_arena *arena)
{
    const struct page_op *op = data;
    struct read_jobs page = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_job *jobs = fl_arena_array(arena, struct read_job, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        struct read_job job = job_of(result, i);

        if (is_wanted(op, &job, pg_field(result, i, LABELS), pg_field(result, i, OWNER),
                      pg_field(result, i, NAME))) {
            if (op->with_open) job.labels = pg_field(result, i, LABELS);
            jobs[page.len++] = job;
        }
        if (i + 1 == rows && (uint32_t)rows == op->walk) page.next = job.job.n;
    }
    page.at = jobs;
    op->fn(op->ctx, &page);
}

uint64_t read_jobs_page(struct reader *reader, const struct read_jobs_query *query,
                        read_jobs_fn *fn, void *ctx, struct fl_err *err)
{
    struct page_op op = {.fn = fn,
                         .ctx = ctx,
                         .tenant = query->tenant,
                         .with_open = query->with_open,
                         .states = query->states,
                         .walk = query->walk};
    uint64_t before = query->before ? query->before : INT64_MAX;
    int64_t before_be, walk_be, has_filter_be;
    uint32_t queue_be = __builtin_bswap32(query->queue.n);
    struct pg_value values[4];

    if (query->labels.len > sizeof op.labels) {
        fl_fail(err, FL_INVALID, "a filter of labels has at most %zu bytes", sizeof op.labels);
        return 0;
    }
    if (query->owner.len > sizeof op.owner) {
        fl_fail(err, FL_INVALID, "an owner has at most %zu bytes", sizeof op.owner);
        return 0;
    }
    if (query->name.len > sizeof op.name) {
        fl_fail(err, FL_INVALID, "a name has at most %zu bytes", sizeof op.name);
        return 0;
    }
    if (op.walk == 0 || op.walk > READ_JOBS_WALK_MAX) op.walk = READ_JOBS_WALK_MAX;
    op.labels_len = (uint32_t)query->labels.len;
    if (op.labels_len > 0) memcpy(op.labels, query->labels.at, op.labels_len);
    op.owner_len = (uint32_t)query->owner.len;
    if (op.owner_len > 0) memcpy(op.owner, query->owner.at, op.owner_len);
    op.name_len = (uint32_t)query->name.len;
    if (op.name_len > 0) memcpy(op.name, query->name.at, op.name_len);
    values[0] = pg_i64(&before_be, before);
    values[1] = pg_i64(&walk_be, op.walk);
    values[2] = pg_i64(&has_filter_be,
                       op.with_open || op.labels_len > 0 || op.owner_len > 0 || op.name_len > 0);
    values[3] = (struct pg_value){&queue_be, sizeof queue_be};
    return reader_ask(reader, query->queue.n ? PG_STMT_jobs_page_of_queue : PG_STMT_jobs_page,
                      values, page_answered, &op, sizeof op, err);
}

/* ---- by id ----------------------------------------------------------------------------------- */

static void by_id_answered(struct reader *reader, void *data, const PGresult *result,
                           const struct fl_err *err, struct fl_arena *arena)
{
    const struct by_id_op *op = data;
    struct read_jobs answer = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_job *jobs = fl_arena_array(arena, struct read_job, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        struct read_job job = job_of(result, i);

        if (job.tenant.n != op->tenant.n) continue;
        fill_by_id(&job, result, i);
        jobs[answer.len++] = job;
    }
    answer.at = jobs;
    op->fn(op->ctx, &answer);
}

uint64_t read_jobs_by_id(struct reader *reader, struct fl_tenant tenant, const struct fl_job *jobs,
                         size_t len, read_jobs_fn *fn, void *ctx, struct fl_err *err)
{
    struct by_id_op op = {fn, ctx, tenant};
    struct pg_array ids = {0};
    struct pg_value values[2];
    int64_t limit_be;
    uint64_t ask;

    fl_assert(len <= READ_JOBS_IDS_MAX);
    pg_array_start(&ids);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i64(&ids, jobs[i].n);
    }
    values[0] = pg_array_value(&ids, PG_INT8);
    values[1] = pg_i64(&limit_be, len);
    ask = reader_ask(reader, PG_STMT_jobs_by_id, values, by_id_answered, &op, sizeof op, err);
    pg_array_fini(&ids);
    return ask;
}
