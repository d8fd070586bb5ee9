#include "controlplane/store/apply.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/journal.h"
#include "controlplane/store/row_columns.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

struct statement {
    uint8_t sources[PG_PARAMS_MAX]; /* the parameters' sources, as pg_stmt_text has them */
    int params;
    bool has_range; /* 'lo' and 'hi' are among them */
    struct row_columns columns;
    enum pg_stmt alike; /* stands in for it where some columns are one value each; 0: none */
    size_t arrays_len;  /* as many as columns; 1 in a statement that no row is bound to */
    size_t kept_bytes;  /* its arrays had so many when they were last counted */
    /* The rest belongs to the batch being built. */
    struct pg_array arrays[ROW_COLUMNS_MAX];
    uint64_t lo, hi; /* smallest and largest job of its rows */
    int64_t lo_be, hi_be;
};

/* A row that counts only if it is the first, or the last, of its key. */
struct keyed {
    enum row_table table;
    enum pg_stmt stmt;
    uint32_t order;
    const struct row *row;
    struct row_key key;
};

/* The part of job_new that open_job keeps, of a job that has no row there yet. */
struct late_job {
    uint64_t job; /* 0: there is none */
#define F(type, name)
#define B(type, name, max)
#define L(type, name) ROW_FIELD_##type name;
#define LB(type, name, max)                                                                        \
    char name[max];                                                                                \
    uint8_t name##_len;
#define ROW(name, number, fold, table, fields) fields
#include "controlplane/core/rows.def"
};

/* A statement of the writer's. */
struct writer {
    enum pg_stmt stmt;
    bool has_rows; /* it is sent with rows only */
};

/* A small batch touches few statements: the counts that it asks for each one stand together. */
struct apply {
    struct statement stmts[PG_STMTS_LEN];
    size_t rows[PG_STMTS_LEN]; /* the batch being built has so many */
    struct writer writers[PG_STMTS_LEN];
    size_t writers_len;
    size_t kept_bytes;
    enum pg_stmt of_kind[ROW_PLACES_LEN]; /* the statement for rows of a kind */
    FL_VEC(struct keyed) keyed;
    struct apply_list list;
    struct journal_packer *packer;
    struct late_job *late; /* by the last bits of its id */
    size_t late_jobs;
    uint64_t job_newest;
    int64_t batch_be, epoch_be, at_be;
};

struct apply *apply_create(size_t late_jobs)
{
    struct apply *apply = fl_new(struct apply);

    fl_assert(late_jobs > 0 && late_jobs <= APPLY_LATE_JOBS && (late_jobs & (late_jobs - 1)) == 0);
    apply->late_jobs = late_jobs;
    apply->late = fl_new_array(struct late_job, late_jobs);
    apply->packer = journal_packer_create();
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        struct statement *stmt = &apply->stmts[i];
        struct pg_stmt_text text;

        if (pg_stmts[i].role != PG_WRITER) continue;
        pg_stmt_text((enum pg_stmt)i, &text);
        memcpy(stmt->sources, text.sources, sizeof stmt->sources);
        stmt->params = text.params;
        if (pg_stmts[i].alike) {
            apply->stmts[pg_stmts[i].of].alike = (enum pg_stmt)i;
            continue;
        }
        stmt->has_range = memchr(text.sources, PG_OF_LO, sizeof text.sources) != NULL;
        if (pg_stmts[i].place) stmt->columns = row_columns(pg_stmts[i].place);
        /* attempt_new's and job_new's: the last */
        if (!pg_stmts[i].edits) apply->of_kind[pg_stmts[i].place] = (enum pg_stmt)i;
        stmt->arrays_len = pg_stmts[i].place ? stmt->columns.len : 1;
        apply->writers[apply->writers_len++] = (struct writer){
            .stmt = (enum pg_stmt)i, .has_rows = stmt->params > 0 && i != PG_STMT_chain};
    }
    return apply;
}

static void release(struct apply *apply)
{
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        for (size_t c = 0; c < apply->stmts[i].arrays_len; c++) {
            pg_array_fini(&apply->stmts[i].arrays[c]);
        }
        apply->stmts[i].kept_bytes = 0;
    }
    apply->kept_bytes = 0;
}

void apply_destroy(struct apply *apply)
{
    if (!apply) return;
    release(apply);
    journal_packer_destroy(apply->packer);
    fl_vec_fini(&apply->keyed);
    fl_vec_fini(&apply->list);
    fl_free(apply->late);
    fl_free(apply);
}

void apply_restart(struct apply *apply, uint64_t job_newest)
{
    fl_free(apply->late);
    apply->late = fl_new_array(struct late_job, apply->late_jobs);
    apply->job_newest = job_newest;
}

/* ---- rows to columns ------------------------------------------------------------------------- */

/* Counts a row in a statement; the caller fills in its arrays. */
static struct statement *add(struct apply *apply, enum pg_stmt number)
{
    struct statement *stmt = &apply->stmts[number];

    if (apply->rows[number]++ == 0) {
        for (size_t i = 0; i < stmt->arrays_len; i++) {
            pg_array_start(&stmt->arrays[i]);
        }
        stmt->lo = INT64_MAX;
        stmt->hi = 0;
    }
    return stmt;
}

static void add_row(struct apply *apply, enum pg_stmt number, const struct row *row)
{
    struct statement *stmt = add(apply, number);
    uint64_t job = stmt->has_range ? row_job(row) : 0;

    row_bind(pg_stmts[number].place, row, stmt->arrays, (uint32_t)apply->rows[number] - 1);
    if (job < stmt->lo) stmt->lo = job;
    if (job > stmt->hi) stmt->hi = job;
}

static void add_id(struct apply *apply, enum pg_stmt number, uint64_t job)
{
    pg_array_put_i64(add(apply, number)->arrays, job);
}

/* ---- open jobs ------------------------------------------------------------------------------- */

static struct late_job *late_slot(struct apply *apply, uint64_t job)
{
    return &apply->late[job & (apply->late_jobs - 1)];
}

/* The row may be this very one's. */
static void keep_late(struct late_job *late, const struct row_job_new *job)
{
    late->job = job->job;
#define F(type, name)
#define B(type, name, max)
#define L(type, name) late->name = job->name;
#define LB(type, name, max)                                                                        \
    fl_assert(job->name.len <= (max));                                                             \
    late->name##_len = (uint8_t)job->name.len;                                                     \
    if (job->name.len > 0) memmove(late->name, job->name.at, job->name.len);
#define ROW(name, number, fold, table, fields) fields
#include "controlplane/core/rows.def"
}

static struct row row_of(const struct late_job *late)
{
    struct row row = {.kind = ROW_job_new, .job_new.job = late->job};

#define F(type, name)
#define B(type, name, max)
#define L(type, name) row.job_new.name = late->name;
#define LB(type, name, max) row.job_new.name = (struct fl_str){late->name, late->name##_len};
#define ROW(name, number, fold, table, fields) fields
#include "controlplane/core/rows.def"
    return row;
}

static void write_late(struct apply *apply, struct late_job *late)
{
    struct row row = row_of(late);

    if (late->job > 0) add_row(apply, PG_STMT_open_job, &row);
    late->job = 0;
}

/* Notes the job, and writes the rows of those that it is 'late_jobs' ahead of.  The core counts ids
 * up, and may skip some; an id that goes down gets its row at once. */
static void add_late(struct apply *apply, const struct row *row)
{
    const struct row_job_new *job = &row->job_new;
    uint64_t newest = apply->job_newest, room = apply->late_jobs;

    if (job->job <= newest) {
        add_row(apply, PG_STMT_open_job, row);
        return;
    }
    for (uint64_t old = newest < room ? 1 : newest - room + 1;
         old <= newest && old + room <= job->job; old++) {
        write_late(apply, late_slot(apply, old));
    }
    apply->job_newest = job->job;
    keep_late(late_slot(apply, job->job), job);
}

static void end_job(struct apply *apply, const struct row_job_end *end)
{
    struct late_job *late = late_slot(apply, end->job);

    if (late->job == end->job && end->job > 0) {
        late->job = 0;
    } else {
        add_id(apply, PG_STMT_open_job_drop, end->job);
    }
    if (end->has_marks) add_id(apply, PG_STMT_open_mark_drop, end->job);
}

/* The rows that the job has, or is to have, take its new values. */
static void edit_job(struct apply *apply, const struct row *edit)
{
    struct late_job *late = late_slot(apply, edit->job_edit.job);
    struct row job = row_of(late);

    add_row(apply, PG_STMT_job_edited, edit);
    if (late->job == edit->job_edit.job) {
        row_edit(&job, edit);
        keep_late(late, &job.job_new);
    } else {
        add_row(apply, PG_STMT_open_job_edited, edit);
    }
}

static void append(struct apply *apply, enum pg_stmt stmt, const struct row *row)
{
    if (row->kind != ROW_job_end || row->job_end.is_array) add_row(apply, stmt, row);
    if (row->kind == ROW_job_new) add_late(apply, row);
    if (row->kind == ROW_job_end) end_job(apply, &row->job_end);
}

static void add_attempt(struct apply *apply, const struct row *row)
{
    bool is_first = row->attempt_new.element == 0 && row->attempt_new.n == 1;

    add_row(apply, is_first ? PG_STMT_attempt_first : PG_STMT_attempt_new, row);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* Among equal keys the row with the highest 'order' counts: it rises where the last row counts, and
 * falls where the first does. */
static void keep(struct apply *apply, enum row_table table, enum pg_stmt stmt,
                 const struct row *row, uint32_t order)
{
    struct keyed keyed;

    keyed.table = table;
    keyed.stmt = stmt;
    keyed.order = order;
    keyed.row = row;
    row_key(row, &keyed.key);
    fl_vec_push(&apply->keyed, keyed);
}

/* The newest edit of a job counts for its other rows. */
static void keep_edit(struct apply *apply, const struct row *row, uint32_t order)
{
    struct row job = {.kind = ROW_job_end, .job_end.job = row->job_edit.job}; /* its key */

    keep(apply, ROW_TABLE_job_edit, PG_STMT_job_edited, row, order);
    row_key(&job, &apply->keyed.at[apply->keyed.len - 1].key);
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    int order = (left->table > right->table) - (left->table < right->table);

    if (order == 0) order = row_key_cmp(&left->key, &right->key);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

static bool is_same_key(const struct keyed *a, const struct keyed *b)
{
    return a->table == b->table && row_key_cmp(&a->key, &b->key) == 0;
}

static void fold_row(struct apply *apply, const struct row *row, uint32_t order)
{
    struct row_info info = row_info(row->kind);
    enum pg_stmt stmt = apply->of_kind[row->kind];

    switch (info.fold) {
    case ROW_FOLD_JOURNAL:
        break;
    case ROW_FOLD_APPEND:
        append(apply, stmt, row);
        if (row->kind == ROW_job_edit) keep_edit(apply, row, order);
        break;
    case ROW_FOLD_NEXT:
        add_attempt(apply, row);
        break;
    case ROW_FOLD_FIRST:
        keep(apply, info.table, stmt, row, UINT32_MAX - order);
        break;
    case ROW_FOLD_LAST:
    case ROW_FOLD_REMOVE:
        keep(apply, info.table, stmt, row, order);
        break;
    }
}

/* Binds the row that counts for each key; the rows are in the order of their keys now. */
static void fold_keyed(struct apply *apply)
{
    if (apply->keyed.len > 1) {
        qsort(apply->keyed.at, apply->keyed.len, sizeof *apply->keyed.at, by_key);
    }
    for (size_t i = 0; i < apply->keyed.len; i++) {
        const struct keyed *keyed = &apply->keyed.at[i];

        if (i + 1 < apply->keyed.len && is_same_key(keyed, keyed + 1)) continue;
        if (keyed->stmt == PG_STMT_job_edited) {
            edit_job(apply, keyed->row);
        } else {
            add_row(apply, keyed->stmt, keyed->row);
        }
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static struct pg_value value_of(const int64_t *be)
{
    return (struct pg_value){be, sizeof *be};
}

static struct pg_value value_from(struct apply *apply, enum pg_stmt number, uint8_t source)
{
    struct statement *stmt = &apply->stmts[number];

    switch (source) {
    case PG_OF_BATCH:
        return value_of(&apply->batch_be);
    case PG_OF_AT:
        return value_of(&apply->at_be);
    case PG_OF_LO:
        stmt->lo_be = (int64_t)htobe64(stmt->lo);
        return value_of(&stmt->lo_be);
    case PG_OF_HI:
        stmt->hi_be = (int64_t)htobe64(stmt->hi);
        return value_of(&stmt->hi_be);
    default:
        if (source >= PG_OF_ONE) return pg_array_one(&stmt->arrays[source - PG_OF_ONE]);
        fl_assert(source < stmt->columns.len && stmt->arrays[source].items == apply->rows[number]);
        return pg_array_value(&stmt->arrays[source], row_column_type(stmt->columns.at[source]));
    }
}

/* Whether each column that its other text, 'alike', has as one value is that in this batch. */
static bool are_alike(const struct statement *stmt, const struct statement *alike)
{
    for (int i = 0; i < alike->params; i++) {
        uint8_t source = alike->sources[i];

        if (source >= PG_OF_ONE && !pg_array_is_one(&stmt->arrays[source - PG_OF_ONE])) {
            return false;
        }
    }
    return true;
}

static void bind(struct apply *apply, enum pg_stmt number, struct apply_stmt *to)
{
    const struct statement *stmt = &apply->stmts[number];

    if (pg_stmts[number].place == 0) { /* a delete by job ids */
        to->values[0] = pg_array_value(&apply->stmts[number].arrays[0], PG_INT8);
        return;
    }
    if (stmt->alike && are_alike(stmt, &apply->stmts[stmt->alike])) to->stmt = stmt->alike;
    stmt = &apply->stmts[to->stmt];
    for (int i = 0; i < stmt->params; i++) {
        to->values[i] = value_from(apply, number, stmt->sources[i]);
    }
}

static void bind_chain(struct apply *apply, const struct core_batch *batch, struct apply_stmt *to)
{
    struct fl_str body = {(const char *)batch->body.at, batch->body.len};

    body = journal_pack(apply->packer, body);
    to->values[0] = value_of(&apply->batch_be);
    to->values[1] = value_of(&apply->epoch_be);
    to->values[2] = value_of(&apply->at_be);
    to->values[3] = (struct pg_value){body.at, body.len};
}

/* Counts what the arrays of the statement have grown by. */
static void count_kept(struct apply *apply, struct statement *stmt)
{
    size_t bytes = 0;

    for (size_t c = 0; c < stmt->arrays_len; c++) {
        bytes += stmt->arrays[c].cap;
    }
    apply->kept_bytes += bytes - stmt->kept_bytes;
    stmt->kept_bytes = bytes;
}

/* All that the batch before this one has used is in its list. */
static void reset(struct apply *apply)
{
    for (size_t i = 0; i < apply->list.len; i++) {
        enum pg_stmt sent = apply->list.at[i].stmt;
        enum pg_stmt number = pg_stmts[sent].alike ? pg_stmts[sent].of : sent;

        if (apply->rows[number] > 0) count_kept(apply, &apply->stmts[number]);
        apply->rows[number] = 0;
    }
    if (apply->kept_bytes > APPLY_KEPT_BYTES) release(apply);
    apply->keyed.len = apply->list.len = 0;
}

const struct apply_list *apply_build(struct apply *apply, const struct core_batch *batch,
                                     uint64_t epoch)
{
    fl_assert(batch->rows.len <= UINT32_MAX);
    reset(apply);
    for (size_t i = 0; i < batch->rows.len; i++) {
        fold_row(apply, &batch->rows.at[i], (uint32_t)i);
    }
    fold_keyed(apply);
    apply->batch_be = (int64_t)htobe64(batch->number);
    apply->epoch_be = (int64_t)htobe64(epoch);
    apply->at_be = (int64_t)htobe64((uint64_t)batch->at);

    /* stmts.def has them in the order in which they are sent. */
    for (size_t i = 0; i < apply->writers_len; i++) {
        struct writer writer = apply->writers[i];
        struct apply_stmt *to;

        if (writer.has_rows && apply->rows[writer.stmt] == 0) continue;
        fl_vec_push(&apply->list, (struct apply_stmt){.stmt = writer.stmt});
        to = &apply->list.at[apply->list.len - 1];
        to->rows = apply->rows[writer.stmt];
        if (writer.stmt == PG_STMT_chain) {
            bind_chain(apply, batch, to);
        } else if (writer.has_rows) {
            bind(apply, writer.stmt, to);
        }
    }
    return &apply->list;
}

bool apply_send(struct apply *apply, struct pg_conn *conn, const struct core_batch *batch,
                uint64_t epoch)
{
    const struct apply_list *list = apply_build(apply, batch, epoch);

    for (size_t i = 0; i < list->len; i++) {
        if (!pg_conn_send(conn, list->at[i].stmt, list->at[i].values)) return false;
    }
    return pg_conn_sync(conn);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

/* A batch can cause these by what is in it: a statement names a row twice (21), a column does not
 * take a value (22), a constraint is broken (23), a value is too large (54). */
static const char *const poisons[] = {"21", "22", "23", "54"};
/* The server or the connection is not well, and what it says last may not be all that it did. */
static const char *const unknowns[] = {"08", "53", "57P", "58"};

static bool begins_with_any(const char *state, const char *const *list, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strncmp(state, list[i], strlen(list[i])) == 0) return true;
    }
    return false;
}

#define IS_ONE_OF(state, list) begins_with_any(state, list, sizeof(list) / sizeof *(list))

/* The verdict on a refusal by the chain; COMMITTED: the chain did not refuse. */
static enum engine_commit chain_verdict(const struct pg_failure *failure)
{
    static const char journal[] = "journal"; /* its partitions' names begin so */
    bool is_null = strcmp(failure->sqlstate, "23502") == 0;

    if (strncmp(failure->table, journal, sizeof journal - 1) != 0) return ENGINE_COMMITTED;
    if (is_null && strcmp(failure->column, "epoch") == 0) return ENGINE_DEPOSED;
    if (is_null && strcmp(failure->column, "prev") == 0) return ENGINE_RELOAD;
    return strcmp(failure->sqlstate, "23505") == 0 ? ENGINE_RELOAD : ENGINE_COMMITTED;
}

enum engine_commit apply_verdict(const struct pg_failure *failure)
{
    const char *state = failure->sqlstate;
    enum engine_commit chain = chain_verdict(failure);

    if (chain != ENGINE_COMMITTED) return chain;
    if (strcmp(state, "53100") == 0) return ENGINE_NO_SPACE;
    if (strcmp(state, "25P02") == 0) return ENGINE_RELOAD;
    if (state[0] == '\0' || IS_ONE_OF(state, unknowns)) return ENGINE_UNKNOWN;
    return IS_ONE_OF(state, poisons) ? ENGINE_POISONED : ENGINE_AWAY;
}

uint64_t apply_job_newest(const struct core_batch *batch)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind == ROW_job_new && row->job_new.job > newest) newest = row->job_new.job;
        if (row->kind != ROW_counter || row->counter.counter != CORE_COUNTER_job_next) continue;
        if (row->counter.value - 1 > newest) newest = row->counter.value - 1;
    }
    return newest;
}
