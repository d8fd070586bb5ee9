#include "tests/store/diff_fold.h"

#include "shared/base/assert.h"
#include "shared/base/buf.h"

struct folding {
    struct pg_table *tables;
    uint64_t batch;
    uint32_t audits;
    struct fl_err *err;
};

static struct pg_key number(uint64_t a, uint32_t bytes)
{
    return pg_key(a, bytes, 0, 0);
}

static struct pg_key digest(const struct fl_digest *digest)
{
    return pg_key_bytes(digest->at, sizeof digest->at);
}

static struct pg_key three(uint64_t job, uint32_t element, uint16_t n)
{
    uint8_t bytes[14];

    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(job >> (56 - 8 * i));
    }
    for (int i = 0; i < 4; i++) {
        bytes[8 + i] = (uint8_t)(element >> (24 - 8 * i));
    }
    bytes[12] = (uint8_t)(n >> 8);
    bytes[13] = (uint8_t)n;
    return pg_key_bytes(bytes, sizeof bytes);
}

static struct pg_key with_bytes(struct pg_key key, const void *at, size_t len)
{
    uint8_t bytes[PG_KEY_BYTES_MAX];

    fl_assert(key.len + len <= sizeof bytes);
    memcpy(bytes, key.at, key.len);
    if (len > 0) memcpy(bytes + key.len, at, len);
    return pg_key_bytes(bytes, key.len + len);
}

/* The last word counts. */
static bool last(struct folding *folding, enum fake_pg_table at, struct pg_key key,
                 const struct row *row)
{
    struct row kept = pg_kept(row, at == FAKE_PG_open_job);
    struct fl_buf bytes;

    fl_buf_init(&bytes, 1 << 20);
    fl_assert(row_encode(&bytes, &kept));
    pg_table_put(&folding->tables[at], &key, bytes.at, bytes.len);
    fl_buf_fini(&bytes);
    return true;
}

/* One row a key for ever. */
static bool once(struct folding *folding, enum fake_pg_table at, struct pg_key key,
                 const struct row *row)
{
    if (pg_table_has(&folding->tables[at], &key)) {
        return fl_fail(folding->err, FL_CONFLICT, "batch %llu has a second row for a key of %s",
                       (unsigned long long)folding->batch, fake_pg_table_name(at));
    }
    return last(folding, at, key, row);
}

/* The first stays. */
static bool first(struct folding *folding, enum fake_pg_table at, struct pg_key key,
                  const struct row *row)
{
    return pg_table_has(&folding->tables[at], &key) || last(folding, at, key, row);
}

static bool gone(struct folding *folding, enum fake_pg_table at, struct pg_key key)
{
    pg_table_remove(&folding->tables[at], &key);
    return true;
}

static bool job_ends(struct folding *folding, const struct row *row)
{
    struct pg_key job = number(row->job_end.job, 8);

    (void)gone(folding, FAKE_PG_open_job, job);
    for (int mark = 0; row->job_end.has_marks && mark < 256; mark++) {
        (void)gone(folding, FAKE_PG_open_mark, pg_key(row->job_end.job, 8, (uint64_t)mark, 1));
    }
    return !row->job_end.is_array || once(folding, FAKE_PG_job_end, job, row);
}

static bool fold(struct folding *to, const struct row *r)
{
    switch (r->kind) {
    case ROW_queue_put:
        return last(to, FAKE_PG_queue, number(r->queue_put.queue, 4), r);
    case ROW_cluster_put:
        return last(to, FAKE_PG_cluster, number(r->cluster_put.cluster, 4), r);
    case ROW_join_put:
        return last(to, FAKE_PG_join_token, digest(&r->join_put.token), r);
    case ROW_join_drop:
        return gone(to, FAKE_PG_join_token, digest(&r->join_drop.token));
    case ROW_token_put:
        return last(to, FAKE_PG_token, pg_key_bytes(r->token_put.id.at, r->token_put.id.len), r);
    case ROW_token_drop:
        return gone(to, FAKE_PG_token, pg_key_bytes(r->token_drop.id.at, r->token_drop.id.len));
    case ROW_shape_new:
        return last(to, FAKE_PG_shape, number(r->shape_new.shape, 4), r);
    case ROW_shape_drop:
        return gone(to, FAKE_PG_shape, number(r->shape_drop.shape, 4));
    case ROW_counter:
        return last(to, FAKE_PG_counter, number(r->counter.counter, 1), r);
    case ROW_spec_new:
        return first(to, FAKE_PG_spec,
                     with_bytes(number(r->spec_new.job, 8), r->spec_new.digest.at, 32), r);
    case ROW_job_new:
        return once(to, FAKE_PG_job, number(r->job_new.job, 8), r) &&
               once(to, FAKE_PG_open_job, number(r->job_new.job, 8), r);
    case ROW_attempt_new:
        return once(to, FAKE_PG_attempt,
                    three(r->attempt_new.job, r->attempt_new.element, r->attempt_new.n), r);
    case ROW_attempt_end:
        return once(to, FAKE_PG_attempt_end,
                    three(r->attempt_end.job, r->attempt_end.element, r->attempt_end.n), r);
    case ROW_element_end:
        return once(to, FAKE_PG_element_end,
                    pg_key(r->element_end.job, 8, r->element_end.element, 4), r);
    case ROW_mark_set:
        return last(to, FAKE_PG_open_mark, pg_key(r->mark_set.job, 8, r->mark_set.kind, 1), r);
    case ROW_mark_clear:
        return gone(to, FAKE_PG_open_mark, pg_key(r->mark_clear.job, 8, r->mark_clear.kind, 1));
    case ROW_job_end:
        return job_ends(to, r);
    case ROW_audit:
        return once(to, FAKE_PG_audit, pg_key(to->batch, 8, to->audits++, 4), r);
    case ROW_idempotency:
        return once(to, FAKE_PG_idempotency,
                    with_bytes(number(r->idempotency.tenant, 4), r->idempotency.key.at,
                               r->idempotency.key.len),
                    r);
    case ROW_replica_phase:
    case ROW_cluster_phase:
        return true;
    default: /* a kind that is new: its line belongs here, unless the journal alone has it */
        return fl_fail(to->err, FL_CONFLICT, "no rule for %s", row_kind_name(r->kind));
    }
}

bool diff_fold_batch(struct pg_table tables[FAKE_PG_TABLES_LEN], uint64_t batch, struct fl_str rows,
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
