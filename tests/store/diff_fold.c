#include "tests/store/diff_fold.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

struct folding {
    struct pg_table *tables;
    uint64_t batch;
    uint32_t audits;
    struct fl_err *err;
};

/* A kind of row: its effect on a table, and the fields that are its key there. */
static const struct rule {
    enum { UNKNOWN, LAST, ONCE, FIRST, GONE, NOTHING } does;
    enum row_table table;
    const char *key;
} rules[ROW_KINDS_LEN] = {
    [ROW_queue_put] = {LAST, ROW_TABLE_queue, "queue"},
    [ROW_cluster_put] = {LAST, ROW_TABLE_cluster, "cluster"},
    [ROW_join_put] = {LAST, ROW_TABLE_join_token, "token"},
    [ROW_join_drop] = {GONE, ROW_TABLE_join_token, "token"},
    [ROW_token_put] = {LAST, ROW_TABLE_token, "id"},
    [ROW_token_drop] = {GONE, ROW_TABLE_token, "id"},
    [ROW_resource_put] = {LAST, ROW_TABLE_resource, "resource"},
    [ROW_shape_new] = {LAST, ROW_TABLE_shape, "shape"},
    [ROW_shape_drop] = {GONE, ROW_TABLE_shape, "shape"},
    [ROW_counter] = {LAST, ROW_TABLE_counter, "counter"},
    [ROW_spec_new] = {FIRST, ROW_TABLE_spec, "job digest"},
    [ROW_job_new] = {ONCE, ROW_TABLE_job, "job"},
    [ROW_job_edit] = {ONCE, ROW_TABLE_job_edit, "job revision"},
    [ROW_attempt_new] = {ONCE, ROW_TABLE_attempt, "job element n"},
    [ROW_attempt_stop] = {ONCE, ROW_TABLE_attempt_stop, "job element n"},
    [ROW_attempt_words] = {ONCE, ROW_TABLE_attempt_words, "job element n"},
    [ROW_attempt_end] = {ONCE, ROW_TABLE_attempt_end, "job element n"},
    [ROW_element_end] = {ONCE, ROW_TABLE_element_end, "job element"},
    [ROW_mark_set] = {LAST, ROW_TABLE_open_mark, "job kind"},
    [ROW_mark_clear] = {GONE, ROW_TABLE_open_mark, "job kind"},
    [ROW_job_end] = {ONCE, ROW_TABLE_job_end, "job"},
    [ROW_audit] = {ONCE, ROW_TABLE_audit, ""}, /* by its place in the batch */
    [ROW_idempotency_drop] = {GONE, ROW_TABLE_idempotency, "tenant key"},
    [ROW_idempotency] = {ONCE, ROW_TABLE_idempotency, "tenant key"},
    [ROW_replica_phase] = {NOTHING},
    [ROW_cluster_phase] = {NOTHING},
    [ROW_array_ends] = {NOTHING},
    [ROW_pair_end] = {NOTHING},
};

static struct row_key number(uint64_t v, size_t bytes)
{
    return pg_key_add((struct row_key){0}, v, bytes);
}

static struct row_key key_of(struct folding *folding, const struct row *row)
{
    const char *at = rules[row->kind].key;
    struct row_key key = {0};

    if (at && !*at) return pg_key_add(number(folding->batch, 8), folding->audits++, 4);
    while (at && *at) {
        char name[32] = "";
        size_t len = strcspn(at, " ");
        const struct row_field *field;

        fl_assert(len < sizeof name);
        memcpy(name, at, len);
        at += len + (at[len] == ' ');
        field = row_field_named(row->kind, name);
        fl_assert(field);
        if (row_number_bytes(field) > 0) {
            key = pg_key_add(key, (uint64_t)row_number(row, field), row_number_bytes(field));
        } else {
            struct fl_str bytes = row_bytes(row, field);

            key = pg_key_add_bytes(key, bytes.at, bytes.len);
        }
    }
    return key;
}

/* The last word counts. */
static void last(struct folding *folding, enum row_table at, struct row_key key,
                 const struct row *row)
{
    struct pg_entry entry = pg_entry_make(&key, row, at == ROW_TABLE_open_job);

    fl_free(pg_table_set(&folding->tables[at], entry).at);
}

/* One row a key for ever. */
static bool once(struct folding *folding, enum row_table at, struct row_key key,
                 const struct row *row)
{
    if (pg_table_has(&folding->tables[at], &key)) {
        return fl_fail(folding->err, FL_CONFLICT, "batch %llu has a second row for a key of %s",
                       (unsigned long long)folding->batch, row_table_name(at));
    }
    last(folding, at, key, row);
    return true;
}

static void gone(struct folding *folding, enum row_table at, struct row_key key)
{
    fl_free(pg_table_set(&folding->tables[at], pg_entry_make(&key, NULL, false)).at);
}

static void job_ends(struct folding *folding, const struct row_job_end *end)
{
    struct row_key job = number(end->job, 8);

    gone(folding, ROW_TABLE_open_job, job);
    for (uint64_t mark = 0; end->has_marks && mark < 256; mark++) {
        gone(folding, ROW_TABLE_open_mark, pg_key_add(job, mark, 1));
    }
}

/* Its row in a table, if it has one, becomes as the edit says. */
static void edited(struct folding *folding, enum row_table at, const struct row_job_edit *edit)
{
    struct row_key key = number(edit->job, 8);
    struct row row;

    if (!pg_table_find(&folding->tables[at], &key, &row)) return;
    row.job_new.queue = edit->queue;
    row.job_new.priority = edit->priority;
    row.job_new.deadline_s = edit->deadline_s;
    row.job_new.parallelism = edit->parallelism;
    row.job_new.name = edit->name;
    row.job_new.labels = edit->labels;
    last(folding, at, key, &row);
}

static bool fold(struct folding *to, const struct row *row)
{
    const struct rule *rule = &rules[row->kind];
    struct row_key key = key_of(to, row);

    if (row->kind == ROW_job_new && !once(to, ROW_TABLE_open_job, key, row)) return false;
    if (row->kind == ROW_job_edit) {
        edited(to, ROW_TABLE_job, &row->job_edit);
        edited(to, ROW_TABLE_open_job, &row->job_edit);
    }
    if (row->kind == ROW_job_end) {
        job_ends(to, &row->job_end);
        if (!row->job_end.is_array) return true;
    }
    switch (rule->does) {
    case LAST:
        last(to, rule->table, key, row);
        return true;
    case ONCE:
        return once(to, rule->table, key, row);
    case FIRST:
        if (!pg_table_has(&to->tables[rule->table], &key)) last(to, rule->table, key, row);
        return true;
    case GONE:
        gone(to, rule->table, key);
        return true;
    case NOTHING:
        return true;
    case UNKNOWN: /* a kind that is new: its line belongs above */
        break;
    }
    return fl_fail(to->err, FL_CONFLICT, "no rule for %s", row_kind_name(row->kind));
}

bool diff_fold_batch(struct pg_table tables[ROW_TABLES_LEN], uint64_t batch, struct fl_str rows,
                     struct fl_err *err)
{
    struct fl_reader reader = fl_reader(rows.at, rows.len);
    struct folding folding = {.tables = tables, .batch = batch, .err = err};

    while (reader.pos < reader.len) {
        struct row row;

        if (!row_decode(&reader, &row, err) || !fold(&folding, &row)) return false;
    }
    return true;
}
