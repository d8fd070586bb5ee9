/* core_fold.h - the rows of a core's batches, kept and judged as the store would, and folded into a
 * core.  Each row goes through its bytes, as in the journal.  A row that the schema would refuse (a
 * job that ends twice, an attempt that does not follow) fails an assertion here, so that a test
 * need not ask.
 *
 *   core_fold_add    takes a batch; {0} is an empty fold
 *   core_fold_load   gives a fresh core what a store would load, in the order of core.h
 *   core_fold_fini
 *
 * All of it is in this header, for unit tests and fuzz targets alike.
 * Uses shared/base and the core's contract only. */
#pragma once

#include "controlplane/core/core.h"
#include "controlplane/core/row_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/hash.h"
#include "shared/base/page_map.h"
#include "shared/base/vec.h"

struct core_fold {
    struct fl_arena arena;
    FL_VEC(struct row) rows; /* all of them, in their order */
    uint64_t hash;           /* over their bytes */
    uint64_t job_newest;
    /* job and element -> 1 + number of the newest attempt, with a live bit */
    struct fl_page_map started;
    struct fl_page_map jobs;  /* job -> 1: open, 2: ended */
    struct fl_page_map marks; /* job -> a bit for each that is set */
};

enum { FOLD_OPEN = 1, FOLD_ENDED = 2 };

/* ---- the schema's rules ---------------------------------------------------------------------- */

/* Tests have few elements: a job has at most 2^16 here. */
static uint64_t fold_element_key(uint64_t job, uint32_t element)
{
    fl_assert(element < 65536);
    return job << 16 | element;
}

static void fold_must_be_open(const struct core_fold *fold, uint64_t job)
{
    fl_assert(fl_page_map_find(&fold->jobs, job) == FOLD_OPEN);
}

static void fold_judge_attempt_new(struct core_fold *fold, const struct row_attempt_new *row)
{
    uint64_t key = fold_element_key(row->job, row->element);
    uint32_t was = fl_page_map_find(&fold->started, key);

    fold_must_be_open(fold, row->job);
    fl_assert(was % 2 == 0 && row->n == was / 2 + 1); /* none lives, and no number is left out */
    fl_assert(row->cluster > 0);
    fl_page_map_put(&fold->started, key, (uint32_t)row->n * 2 + 1);
}

static void fold_judge_attempt_end(struct core_fold *fold, const struct row_attempt_end *row)
{
    uint64_t key = fold_element_key(row->job, row->element);

    fold_must_be_open(fold, row->job);
    fl_assert(fl_page_map_find(&fold->started, key) == (uint32_t)row->n * 2 + 1);
    fl_page_map_put(&fold->started, key, (uint32_t)row->n * 2);
}

static void fold_judge_element_end(struct core_fold *fold, const struct row_element_end *row)
{
    uint64_t key = fold_element_key(row->job, row->element);
    uint32_t was = fl_page_map_find(&fold->started, key);

    fold_must_be_open(fold, row->job);
    fl_assert(was != UINT32_MAX && was / 2 == row->n);
    fl_page_map_put(&fold->started, key, UINT32_MAX); /* over: nothing follows */
}

static void fold_mark(struct core_fold *fold, uint64_t job, uint8_t kind, bool is_set)
{
    uint32_t was = fl_page_map_remove(&fold->marks, job), bit = 1U << kind;
    uint32_t is = is_set ? was | bit : was & ~bit;

    fold_must_be_open(fold, job);
    if (is) fl_page_map_put(&fold->marks, job, is);
}

/* No attempt of a job that has ended may live, and none of its marks may stay. */
static void fold_judge_job_end(struct core_fold *fold, const struct row_job_end *row)
{
    uint64_t job = row->job, key = fold_element_key(job, 0);
    uint32_t at;

    fl_assert(!fl_page_map_remove(&fold->marks, job) || row->has_marks);

    fold_must_be_open(fold, job);
    while ((at = fl_page_map_next(&fold->started, key, &key)) != 0 && key >> 16 == job) {
        fl_assert(at == UINT32_MAX || at % 2 == 0);
        key++;
    }
    fl_page_map_put(&fold->jobs, job, FOLD_ENDED);
}

/* The row that the job was accepted with becomes as the edit says. */
static void fold_edit(struct core_fold *fold, const struct row *edit)
{
    size_t i = 0;

    fold_must_be_open(fold, row_job(edit));
    while (fold->rows.at[i].kind != ROW_job_new || row_job(&fold->rows.at[i]) != row_job(edit)) {
        i++;
    }
    row_edit(&fold->rows.at[i], edit);
}

static void fold_judge(struct core_fold *fold, const struct row *row)
{
    switch (row->kind) {
    case ROW_job_new:
        fl_assert(row->job_new.job > fold->job_newest);
        fold->job_newest = row->job_new.job;
        fl_page_map_put(&fold->jobs, row->job_new.job, FOLD_OPEN);
        break;
    case ROW_job_edit:
        fold_edit(fold, row);
        break;
    case ROW_attempt_new:
        fold_judge_attempt_new(fold, &row->attempt_new);
        break;
    case ROW_attempt_end:
        fold_judge_attempt_end(fold, &row->attempt_end);
        break;
    case ROW_element_end:
        fold_judge_element_end(fold, &row->element_end);
        break;
    case ROW_job_end:
        fold_judge_job_end(fold, &row->job_end);
        break;
    case ROW_mark_set:
        fold_mark(fold, row->mark_set.job, row->mark_set.kind, true);
        break;
    case ROW_mark_clear:
        fold_mark(fold, row->mark_clear.job, row->mark_clear.kind, false);
        break;
    case ROW_replica_phase:
        fold_must_be_open(fold, row->replica_phase.job);
        break;
    default:
        break;
    }
}

static inline void core_fold_add(struct core_fold *fold, const struct core_batch *batch)
{
    struct fl_buf bytes;
    struct fl_reader reader;
    size_t rows_len = 0;

    fl_buf_init(&bytes, SIZE_MAX / 2);
    for (size_t i = 0; i < batch->rows.len; i++) {
        fl_assert(row_encode(&bytes, &batch->rows.at[i]));
    }
    fl_assert(bytes.len == batch->body.len);
    fl_assert(bytes.len == 0 || memcmp(bytes.at, batch->body.at, bytes.len) == 0);
    fold->hash = fl_hash64(fold->hash, bytes.at, bytes.len);
    reader =
        fl_reader(bytes.len ? fl_arena_copy(&fold->arena, bytes.at, bytes.len) : NULL, bytes.len);
    fl_buf_fini(&bytes);
    for (; reader.pos < reader.len; rows_len++) {
        struct row row;
        struct fl_err err = {0};

        if (!row_decode(&reader, &row, &err)) {
            fprintf(stderr, "core_fold: %s\n", err.text);
            fl_unreachable("the core wrote a row that cannot be read");
        }
        fold_judge(fold, &row);
        fl_vec_push(&fold->rows, row);
    }
    fl_assert(rows_len == batch->rows.len);
}

static inline void core_fold_fini(struct core_fold *fold)
{
    fl_vec_fini(&fold->rows);
    fl_page_map_fini(&fold->started);
    fl_page_map_fini(&fold->jobs);
    fl_page_map_fini(&fold->marks);
    fl_arena_fini(&fold->arena);
    *fold = (struct core_fold){0};
}

/* ---- loading --------------------------------------------------------------------------------- */

struct fold_entry {
    int rank; /* in the order of loading, which is that of rows.def but for those of started jobs */
    struct row_key key;
    size_t place; /* in the journal */
    const struct row *row;
};

/* 0: the row is not loaded. */
static int fold_rank(const struct row *row)
{
    struct row_info info = row_info(row->kind);

    switch ((int)row->kind) {
    case ROW_element_end: /* as one array_ends a job */
        return ROW_TABLES_LEN;
    case ROW_attempt_new:
        return ROW_TABLES_LEN + 1;
    case ROW_attempt_end:
        return ROW_TABLES_LEN + 2;
    case ROW_attempt_stop:
        return ROW_TABLES_LEN + 3;
    case ROW_job_new:
        return (int)info.table;
    default:
        return info.fold == ROW_FOLD_LAST || info.fold == ROW_FOLD_REMOVE ? (int)info.table : 0;
    }
}

static int fold_by_key(const void *left, const void *right)
{
    const struct fold_entry *a = left, *b = right;
    int order = a->rank != b->rank ? a->rank - b->rank : row_key_cmp(&a->key, &b->key);

    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static bool fold_is_same_key(const struct fold_entry *a, const struct fold_entry *b)
{
    return a->rank == b->rank && row_key_cmp(&a->key, &b->key) == 0;
}

/* A later row has taken it away, or its job's end has. */
static bool fold_is_gone(const struct core_fold *fold, const struct fold_entry *entry)
{
    uint64_t job = row_job(entry->row);

    return row_info(entry->row->kind).fold == ROW_FOLD_REMOVE ||
           (job && fl_page_map_find(&fold->jobs, job) != FOLD_OPEN);
}

static void fold_load(struct core *core, const struct row *row)
{
    struct fl_err err = {0};

    if (core_load(core, row, &err)) return;
    fprintf(stderr, "core_fold: %s\n", err.text);
    fl_unreachable("the rows of a core cannot be loaded");
}

/* The newest job, also when it has ended, says which number is next. */
static void fold_load_job_next(const struct core_fold *fold, struct core *core)
{
    struct row row = {.kind = ROW_counter,
                      .counter = {CORE_COUNTER_job_next, fold->job_newest + 1}};

    fold_load(core, &row);
}

/* The element of a row that is loaded only while that element lives; NULL: it names none. */
static const uint32_t *fold_element(const struct row *row)
{
    switch ((int)row->kind) {
    case ROW_attempt_new:
        return &row->attempt_new.element;
    case ROW_attempt_end:
        return &row->attempt_end.element;
    case ROW_attempt_stop:
        return &row->attempt_stop.element;
    default:
        return NULL;
    }
}

static void fold_count_end(struct row_array_ends *ends, const struct row_element_end *end)
{
    ends->job = end->job;
    ends->last = end->element;
    ends->succeeded += end->state == JOB_succeeded;
    ends->failed += end->state == JOB_failed;
    ends->cancelled += end->state == JOB_cancelled;
    ends->unplaced += end->n == 0;
}

/* Open jobs of which elements wait for those of others, and those others. */
static void fold_find_pairs(const struct core_fold *fold, struct fl_page_map *ret)
{
    for (size_t i = 0; i < fold->rows.len; i++) {
        const struct row *row = &fold->rows.at[i];

        if (row->kind != ROW_mark_set || row->mark_set.kind != CORE_MARK_each) continue;
        if (fl_page_map_find(&fold->jobs, row->mark_set.job) != FOLD_OPEN) continue;
        fl_page_map_put(ret, row->mark_set.job, 1);
        fl_page_map_put(ret, (uint64_t)row->mark_set.value, 1);
    }
}

/* Their ends, one by one. */
static void fold_load_pair_ends(const struct core_fold *fold, struct core *core,
                                const struct fold_entry *entries, size_t len)
{
    struct fl_page_map paired = {0};

    fold_find_pairs(fold, &paired);
    for (size_t i = 0; i < len; i++) {
        const struct row_element_end *end = &entries[i].row->element_end;
        struct row row = {.kind = ROW_pair_end,
                          .pair_end = {end->job, .element = end->element, .state = end->state}};

        if (fold_is_gone(fold, &entries[i]) || !fl_page_map_find(&paired, end->job)) continue;
        fold_load(core, &row);
    }
    fl_page_map_fini(&paired);
}

/* The ends of each open job, which stand in the order of jobs and elements, as one row. */
static void fold_load_ends(const struct core_fold *fold, struct core *core,
                           const struct fold_entry *entries, size_t len)
{
    struct row sum = {.kind = ROW_array_ends};

    for (size_t i = 0; i < len; i++) {
        const struct row_element_end *end = &entries[i].row->element_end;

        if (fold_is_gone(fold, &entries[i])) continue;
        if (sum.array_ends.job && sum.array_ends.job != end->job) {
            fold_load(core, &sum);
            sum = (struct row){.kind = ROW_array_ends};
        }
        fold_count_end(&sum.array_ends, end);
    }
    if (sum.array_ends.job) fold_load(core, &sum);
}

static bool fold_has_ended(const struct fl_page_map *ended, const struct row *row)
{
    const uint32_t *element = fold_element(row);

    return element && fl_page_map_find(ended, fold_element_key(row_job(row), *element));
}

static inline void core_fold_load(const struct core_fold *fold, struct core *core)
{
    FL_VEC(struct fold_entry) entries = {0};
    struct fl_page_map ended = {0};
    size_t ends_len = 0;

    for (size_t i = 0; i < fold->rows.len; i++) {
        struct fold_entry entry = {.row = &fold->rows.at[i], .place = i};

        entry.rank = fold_rank(entry.row);
        if (entry.rank == 0) continue;
        row_key(entry.row, &entry.key);
        fl_vec_push(&entries, entry);
        if (entry.row->kind != ROW_element_end) continue;
        ends_len++;
        fl_page_map_put(&ended,
                        fold_element_key(row_job(entry.row), entry.row->element_end.element), 1);
    }
    if (entries.len > 0) qsort(entries.at, entries.len, sizeof *entries.at, fold_by_key);
    for (size_t i = 0; i < entries.len; i++) {
        const struct fold_entry *entry = &entries.at[i];

        if (entry->row->kind != ROW_element_end && i + 1 < entries.len &&
            fold_is_same_key(entry, entry + 1)) {
            continue; /* the last one counts */
        }
        if (entry->row->kind == ROW_element_end) {
            fold_load_ends(fold, core, entry, ends_len);
            fold_load_pair_ends(fold, core, entry, ends_len);
            i += ends_len - 1;
        } else if (!fold_is_gone(fold, entry) && !fold_has_ended(&ended, entry->row)) {
            fold_load(core, entry->row);
        }
    }
    fold_load_job_next(fold, core);
    fl_page_map_fini(&ended);
    fl_vec_fini(&entries);
}
