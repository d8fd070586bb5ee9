#include "tests/store/diff_fold.h"

#include "shared/base/assert.h"
#include "shared/base/buf.h"

struct folding {
    struct pg_table *tables;
    uint64_t batch;
    uint32_t audits;
    struct fl_err *err;
};

static struct row_key number(uint64_t v, size_t bytes)
{
    return pg_key_add((struct row_key){0}, v, bytes);
}

static struct row_key two(uint64_t job, uint64_t v, size_t bytes)
{
    return pg_key_add(number(job, 8), v, bytes);
}

static struct row_key three(uint64_t job, uint32_t element, uint16_t n)
{
    return pg_key_add(two(job, element, 4), n, 2);
}

static struct row_key text(struct fl_str bytes)
{
    return pg_key_add_bytes((struct row_key){0}, bytes.at, bytes.len);
}

static struct row_key digest(const struct fl_digest *digest)
{
    return text((struct fl_str){(const char *)digest->at, sizeof digest->at});
}

/* The last word counts. */
static bool last(struct folding *folding, enum row_table at, struct row_key key,
                 const struct row *row)
{
    struct row kept = pg_kept(row, at == ROW_TABLE_open_job);
    struct fl_buf bytes;

    fl_buf_init(&bytes, 1 << 20);
    fl_assert(row_encode(&bytes, &kept));
    pg_table_put(&folding->tables[at], &key, bytes.at, bytes.len);
    fl_buf_fini(&bytes);
    return true;
}

/* One row a key for ever. */
static bool once(struct folding *folding, enum row_table at, struct row_key key,
                 const struct row *row)
{
    if (pg_table_has(&folding->tables[at], &key)) {
        return fl_fail(folding->err, FL_CONFLICT, "batch %llu has a second row for a key of %s",
                       (unsigned long long)folding->batch, row_table_name(at));
    }
    return last(folding, at, key, row);
}

/* The first stays. */
static bool first(struct folding *folding, enum row_table at, struct row_key key,
                  const struct row *row)
{
    return pg_table_has(&folding->tables[at], &key) || last(folding, at, key, row);
}

static bool gone(struct folding *folding, enum row_table at, struct row_key key)
{
    pg_table_remove(&folding->tables[at], &key);
    return true;
}

static bool job_ends(struct folding *folding, const struct row *row)
{
    struct row_key job = number(row->job_end.job, 8);

    (void)gone(folding, ROW_TABLE_open_job, job);
    for (int mark = 0; row->job_end.has_marks && mark < 256; mark++) {
        (void)gone(folding, ROW_TABLE_open_mark, two(row->job_end.job, (uint64_t)mark, 1));
    }
    return !row->job_end.is_array || once(folding, ROW_TABLE_job_end, job, row);
}

/* Its row in a table, if it has one, becomes as the edit says. */
static bool edited(struct folding *folding, enum row_table at, const struct row_job_edit *edit)
{
    struct row_key key = number(edit->job, 8);
    struct row row;

    if (!pg_table_find(&folding->tables[at], &key, &row)) return true;
    row.job_new.queue = edit->queue;
    row.job_new.priority = edit->priority;
    row.job_new.deadline_s = edit->deadline_s;
    row.job_new.parallelism = edit->parallelism;
    row.job_new.name = edit->name;
    row.job_new.labels = edit->labels;
    return last(folding, at, key, &row);
}

static bool fold(struct folding *to, const struct row *r)
{
    switch (r->kind) {
    case ROW_queue_put:
        return last(to, ROW_TABLE_queue, number(r->queue_put.queue, 4), r);
    case ROW_cluster_put:
        return last(to, ROW_TABLE_cluster, number(r->cluster_put.cluster, 4), r);
    case ROW_join_put:
        return last(to, ROW_TABLE_join_token, digest(&r->join_put.token), r);
    case ROW_join_drop:
        return gone(to, ROW_TABLE_join_token, digest(&r->join_drop.token));
    case ROW_token_put:
        return last(to, ROW_TABLE_token, text(r->token_put.id), r);
    case ROW_token_drop:
        return gone(to, ROW_TABLE_token, text(r->token_drop.id));
    case ROW_resource_put:
        return last(to, ROW_TABLE_resource, number(r->resource_put.resource, 1), r);
    case ROW_shape_new:
        return last(to, ROW_TABLE_shape, number(r->shape_new.shape, 4), r);
    case ROW_shape_drop:
        return gone(to, ROW_TABLE_shape, number(r->shape_drop.shape, 4));
    case ROW_counter:
        return last(to, ROW_TABLE_counter, number(r->counter.counter, 1), r);
    case ROW_spec_new:
        return first(to, ROW_TABLE_spec,
                     pg_key_add_bytes(number(r->spec_new.job, 8), r->spec_new.digest.at, 32), r);
    case ROW_job_new:
        return once(to, ROW_TABLE_job, number(r->job_new.job, 8), r) &&
               once(to, ROW_TABLE_open_job, number(r->job_new.job, 8), r);
    case ROW_job_edit:
        return edited(to, ROW_TABLE_job, &r->job_edit) &&
               edited(to, ROW_TABLE_open_job, &r->job_edit) &&
               once(to, ROW_TABLE_job_edit, two(r->job_edit.job, r->job_edit.revision, 4), r);
    case ROW_attempt_new:
        return once(to, ROW_TABLE_attempt,
                    three(r->attempt_new.job, r->attempt_new.element, r->attempt_new.n), r);
    case ROW_attempt_stop:
        return once(to, ROW_TABLE_attempt_stop,
                    three(r->attempt_stop.job, r->attempt_stop.element, r->attempt_stop.n), r);
    case ROW_attempt_words:
        return once(to, ROW_TABLE_attempt_words,
                    three(r->attempt_words.job, r->attempt_words.element, r->attempt_words.n), r);
    case ROW_attempt_end:
        return once(to, ROW_TABLE_attempt_end,
                    three(r->attempt_end.job, r->attempt_end.element, r->attempt_end.n), r);
    case ROW_element_end:
        return once(to, ROW_TABLE_element_end, two(r->element_end.job, r->element_end.element, 4),
                    r);
    case ROW_mark_set:
        return last(to, ROW_TABLE_open_mark, two(r->mark_set.job, r->mark_set.kind, 1), r);
    case ROW_mark_clear:
        return gone(to, ROW_TABLE_open_mark, two(r->mark_clear.job, r->mark_clear.kind, 1));
    case ROW_job_end:
        return job_ends(to, r);
    case ROW_audit:
        return once(to, ROW_TABLE_audit, two(to->batch, to->audits++, 4), r);
    case ROW_idempotency_drop:
        return gone(to, ROW_TABLE_idempotency,
                    pg_key_add_bytes(number(r->idempotency_drop.tenant, 4),
                                     r->idempotency_drop.key.at, r->idempotency_drop.key.len));
    case ROW_idempotency:
        return once(to, ROW_TABLE_idempotency,
                    pg_key_add_bytes(number(r->idempotency.tenant, 4), r->idempotency.key.at,
                                     r->idempotency.key.len),
                    r);
    case ROW_replica_phase:
    case ROW_cluster_phase:
    case ROW_array_ends:
    case ROW_pair_end:
        return true;
    default: /* a kind that is new: its line belongs here, unless the journal alone has it */
        return fl_fail(to->err, FL_CONFLICT, "no rule for %s", row_kind_name(r->kind));
    }
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
