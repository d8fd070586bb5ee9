/* Reads the fake Postgres: a load, a look-up, and its tables for the checks. */
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "tests/sim/fake_pg_state.h"

/* One row says the next number: after the newest job, open or not, or the greater that is
 * stored. */
static void load_counters(const struct fake_pg *pg, fake_pg_emit_fn *emit, void *ctx)
{
    const struct pg_table *table = &pg->tables[ROW_TABLE_counter];
    struct row next = {.kind = ROW_counter,
                       .counter = {CORE_COUNTER_job_next, fake_pg_job_next(pg)}};

    emit(ctx, &next);
    for (size_t i = 0; i < table->entries.len; i++) {
        struct row row = pg_entry_row(&table->entries.at[i]);

        if (row.counter.counter != CORE_COUNTER_job_next) emit(ctx, &row);
    }
}

static void load_whole(const struct fake_pg *pg, enum row_table at, fake_pg_emit_fn *emit,
                       void *ctx)
{
    if (at == ROW_TABLE_counter) {
        load_counters(pg, emit, ctx);
        return;
    }
    for (size_t i = 0; i < fake_pg_len(pg, at); i++) {
        struct row row = fake_pg_row(pg, at, i);

        emit(ctx, &row);
    }
}

/* Job and element stand first in the rows of elements, in this order. */
static bool has_ended(const struct fake_pg *pg, const struct row *row)
{
    struct row_info info = row_info(row->kind);

    return fake_pg_find(pg, ROW_TABLE_element_end, row_job(row),
                        (uint64_t)row_number(row, &info.fields[1]), 0, NULL);
}

static void count_end(struct row_array_ends *ends, const struct row_element_end *end)
{
    ends->job = end->job;
    ends->last = end->element;
    ends->succeeded += end->state == JOB_succeeded;
    ends->failed += end->state == JOB_failed;
    ends->cancelled += end->state == JOB_cancelled;
    ends->unplaced += end->n == 0;
}

/* The ends of each open array in one row. */
static void load_array_ends(const struct fake_pg *pg, fake_pg_emit_fn *emit, void *ctx)
{
    const struct pg_table *ended = &pg->tables[ROW_TABLE_element_end];
    struct row sum = {.kind = ROW_array_ends};

    for (size_t i = 0; i <= ended->entries.len; i++) {
        uint64_t job = i < ended->entries.len ? pg_entry_job(&ended->entries.at[i]) : 0;
        struct row row;

        if (job != sum.array_ends.job) {
            if (sum.array_ends.job) emit(ctx, &sum);
            sum = (struct row){.kind = ROW_array_ends};
        }
        if (!fake_pg_find(pg, ROW_TABLE_open_job, job, 0, 0, NULL)) continue;
        row = pg_entry_row(&ended->entries.at[i]);
        count_end(&sum.array_ends, &row.element_end);
    }
}

/* Open jobs of which elements wait for those of others, and those others; by id. */
static bool is_paired(const struct fake_pg *pg, uint64_t job)
{
    const struct pg_table *marks = &pg->tables[ROW_TABLE_open_mark];

    if (!fake_pg_find(pg, ROW_TABLE_open_job, job, 0, 0, NULL)) return false;
    for (size_t i = 0; i < marks->entries.len; i++) {
        struct row row = pg_entry_row(&marks->entries.at[i]);

        if (row.mark_set.kind != CORE_MARK_each) continue;
        if (row.mark_set.job == job || (uint64_t)row.mark_set.value == job) return true;
    }
    return false;
}

static void load_pair_ends(const struct fake_pg *pg, fake_pg_emit_fn *emit, void *ctx)
{
    const struct pg_table *ended = &pg->tables[ROW_TABLE_element_end];

    for (size_t i = 0; i < ended->entries.len; i++) {
        struct row end = pg_entry_row(&ended->entries.at[i]);
        struct row row = {.kind = ROW_pair_end,
                          .pair_end = {.job = end.element_end.job,
                                       .element = end.element_end.element,
                                       .state = end.element_end.state}};

        if (is_paired(pg, row.pair_end.job)) emit(ctx, &row);
    }
}

/* Rows that belong to open jobs, but for elements that have ended. */
static void load_of_jobs(const struct fake_pg *pg, enum row_table at, fake_pg_emit_fn *emit,
                         void *ctx)
{
    const struct pg_table *table = &pg->tables[at];

    for (size_t i = 0; i < table->entries.len; i++) {
        uint64_t job = pg_entry_job(&table->entries.at[i]);
        struct row row;

        if (!fake_pg_find(pg, ROW_TABLE_open_job, job, 0, 0, NULL)) continue;
        row = pg_entry_row(&table->entries.at[i]);
        if (!has_ended(pg, &row)) emit(ctx, &row);
    }
}

void fake_pg_load(const struct fake_pg *pg, fake_pg_emit_fn *emit, void *ctx)
{
    for (size_t i = 0; i < row_kinds_len; i++) {
        struct row_info info = row_info(row_kinds[i]);

        if (row_kinds[i] == ROW_job_new) load_whole(pg, ROW_TABLE_open_job, emit, ctx);
        if (info.fold == ROW_FOLD_LAST) load_whole(pg, info.table, emit, ctx);
    }
    load_array_ends(pg, emit, ctx);
    load_pair_ends(pg, emit, ctx);
    load_of_jobs(pg, ROW_TABLE_attempt, emit, ctx);
    load_of_jobs(pg, ROW_TABLE_attempt_end, emit, ctx);
    load_of_jobs(pg, ROW_TABLE_attempt_stop, emit, ctx);
}

bool fake_pg_lookup(const struct fake_pg *pg, struct fl_tenant tenant, struct fl_str key,
                    struct fl_digest *ret_body_sha, struct fl_str *ret_answer)
{
    struct row row = {.kind = ROW_idempotency, .idempotency = {.tenant = tenant.n, .key = key}};
    struct row_key at;

    row_key(&row, &at);
    if (!pg_table_find(&pg->tables[ROW_TABLE_idempotency], &at, &row)) return false;
    *ret_body_sha = row.idempotency.body_sha;
    *ret_answer = row.idempotency.answer;
    return true;
}

uint64_t fake_pg_epoch(const struct fake_pg *pg)
{
    return pg->epoch;
}

uint64_t fake_pg_newest(const struct fake_pg *pg)
{
    return pg->journal.at[pg->journal.len - 1].batch;
}

fl_ms fake_pg_at(const struct fake_pg *pg)
{
    return pg->journal.at[pg->journal.len - 1].at;
}

uint64_t fake_pg_newest_job(const struct fake_pg *pg)
{
    const struct pg_table *jobs = &pg->tables[ROW_TABLE_job];

    return jobs->entries.len ? pg_entry_job(&jobs->entries.at[jobs->entries.len - 1]) : 0;
}

uint64_t fake_pg_job_next(const struct fake_pg *pg)
{
    uint64_t next = fake_pg_newest_job(pg) + 1;
    struct row row;

    if (fake_pg_find(pg, ROW_TABLE_counter, CORE_COUNTER_job_next, 0, 0, &row) &&
        row.counter.value > next) {
        next = row.counter.value;
    }
    return next;
}

size_t fake_pg_journal_len(const struct fake_pg *pg)
{
    return pg->journal.len;
}

struct fake_pg_journal fake_pg_journal_at(const struct fake_pg *pg, size_t i)
{
    fl_assert(i < pg->journal.len);
    return pg->journal.at[i];
}

const struct pg_table *fake_pg_table(const struct fake_pg *pg, enum row_table table)
{
    return &pg->tables[table];
}

size_t fake_pg_len(const struct fake_pg *pg, enum row_table table)
{
    return pg->tables[table].entries.len;
}

struct row fake_pg_row(const struct fake_pg *pg, enum row_table table, size_t i)
{
    fl_assert(i < pg->tables[table].entries.len);
    return pg_entry_row(&pg->tables[table].entries.at[i]);
}

bool fake_pg_find(const struct fake_pg *pg, enum row_table table, uint64_t a, uint64_t b,
                  uint64_t c, struct row *ret_row)
{
    struct row_key key = fake_pg_key(table, a, b, c);

    return pg_table_find(&pg->tables[table], &key, ret_row);
}

bool fake_pg_find_ever(const struct fake_pg *pg, enum row_table table, uint64_t a, uint64_t b,
                       uint64_t c, struct row *ret_row)
{
    struct row_key key = fake_pg_key(table, a, b, c);

    return pg_table_find(&pg->tables[table], &key, ret_row) ||
           pg_table_find(&pg->gone[table], &key, ret_row);
}

uint64_t fake_pg_hash(const struct fake_pg *pg)
{
    uint64_t hash = 0;

    for (size_t t = 0; t < ROW_TABLES_LEN; t++) {
        for (size_t i = 0; i < pg->tables[t].entries.len; i++) {
            const struct pg_entry *entry = &pg->tables[t].entries.at[i];

            hash = fl_hash64(hash + t, entry->at, entry->key_len + entry->row_len);
        }
    }
    return hash;
}
