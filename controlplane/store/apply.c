#include "controlplane/store/apply.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/store/journal.h"
#include "controlplane/store/pg_array.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

struct table { /* the columns of one statement */
    struct pg_array columns[PG_PARAMS_MAX];
    size_t rows;
};

/* A keyed row of which only the last word counts. */
struct keyed {
    uint64_t key;
    struct fl_str text; /* the key of what has no number; else empty */
    uint32_t kind;      /* of a mark; else 0 */
    uint32_t order;
    const struct row *row;
};

struct apply {
    struct table tables[PG_STMTS_LEN];
    FL_VEC(struct keyed) marks, specs, queues, clusters, shapes, counters, joins, tokens;
    struct apply_list list;
    struct journal_packer *packer;
    int64_t batch_be, epoch_be, at_be, lo_be, hi_be, specs_lo_be, specs_hi_be;
    uint64_t lo, hi; /* jobs of the attempts */
};

struct apply *apply_create(void)
{
    struct apply *apply = fl_new(struct apply);

    apply->packer = journal_packer_create();
    return apply;
}

static void release(struct apply *apply)
{
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        for (size_t c = 0; c < PG_PARAMS_MAX; c++) {
            pg_array_fini(&apply->tables[i].columns[c]);
        }
    }
}

void apply_destroy(struct apply *apply)
{
    if (!apply) return;
    release(apply);
    journal_packer_destroy(apply->packer);
    fl_vec_fini(&apply->marks);
    fl_vec_fini(&apply->specs);
    fl_vec_fini(&apply->queues);
    fl_vec_fini(&apply->clusters);
    fl_vec_fini(&apply->shapes);
    fl_vec_fini(&apply->counters);
    fl_vec_fini(&apply->joins);
    fl_vec_fini(&apply->tokens);
    fl_vec_fini(&apply->list);
    fl_free(apply);
}

/* --- rows to columns --- */

/* The columns of one more row of a statement. */
static struct pg_array *add(struct apply *apply, enum pg_stmt stmt)
{
    struct table *table = &apply->tables[stmt];

    if (table->rows++ == 0) {
        for (int i = 0; i < pg_stmts[stmt].params; i++) {
            pg_array_start(&table->columns[i]);
        }
    }
    return table->columns;
}

static void add_job(struct apply *apply, const struct row_job_new *row)
{
    struct pg_array *to = add(apply, PG_STMT_job_insert);

    pg_array_put_i64(to++, row->job);
    if (row->retry_of) {
        pg_array_put_i64(to++, row->retry_of);
    } else {
        pg_array_put_null(to++);
    }
    pg_array_put_i32(to++, row->tenant);
    pg_array_put_i32(to++, row->queue);
    pg_array_put_i32(to++, (uint32_t)row->priority);
    pg_array_put_i32(to++, row->elements);
    pg_array_put_bytes(to++, row->spec.at, sizeof row->spec.at);
    pg_array_put_some(to++, row->name);
    pg_array_put_some(to++, row->labels);
    pg_array_put_some(to++, row->params);
    pg_array_put_some(to++, row->picked);

    to = add(apply, PG_STMT_open_job_insert);
    pg_array_put_i64(to++, row->job);
    pg_array_put_i32(to++, row->tenant);
    pg_array_put_i32(to++, row->shape);
    pg_array_put_i32(to++, row->queue);
    pg_array_put_i32(to++, (uint32_t)row->priority);
    pg_array_put_i32(to++, row->elements);
}

static void add_spec(struct apply *apply, const struct row_spec_new *row)
{
    struct pg_array *to = add(apply, PG_STMT_spec_put);

    pg_array_put_i64(to++, row->job);
    pg_array_put_bytes(to++, row->digest.at, sizeof row->digest.at);
    pg_array_put_str(to++, row->body);
}

static void add_attempt(struct apply *apply, const struct row_attempt_new *row)
{
    bool is_first = row->element == 0 && row->n == 1;
    struct pg_array *to = add(apply, is_first ? PG_STMT_attempt_first : PG_STMT_attempt_insert);

    pg_array_put_i64(to++, row->job);
    if (!is_first) {
        pg_array_put_i32(to++, row->element);
        pg_array_put_i32(to++, row->n);
    }
    pg_array_put_i32(to++, row->incarnation);
    pg_array_put_i32(to++, row->cluster);
    pg_array_put_some(to++, row->nodes);
    if (row->job < apply->lo) apply->lo = row->job;
    if (row->job > apply->hi) apply->hi = row->job;
}

static void add_attempt_end(struct apply *apply, const struct row_attempt_end *row)
{
    struct pg_array *to = add(apply, PG_STMT_attempt_end_insert);

    pg_array_put_i64(to++, row->job);
    pg_array_put_i32(to++, row->element);
    pg_array_put_i32(to++, row->n);
    pg_array_put_i32(to++, (uint32_t)row->exit_code);
    pg_array_put_i32(to++, row->first_replica);
    pg_array_put_i16(to++, row->reason);
}

static void add_element_end(struct apply *apply, const struct row_element_end *row)
{
    struct pg_array *to = add(apply, PG_STMT_element_end_insert);

    pg_array_put_i64(to++, row->job);
    pg_array_put_i32(to++, row->element);
    pg_array_put_i32(to++, row->n);
    pg_array_put_i32(to++, (uint32_t)row->exit_code);
    pg_array_put_i32(to++, row->first_replica);
    pg_array_put_i16(to++, row->state);
    pg_array_put_i16(to++, row->reason);
}

static void add_job_end(struct apply *apply, const struct row_job_end *row)
{
    struct pg_array *to;

    if (row->is_array) {
        to = add(apply, PG_STMT_job_end_insert);
        pg_array_put_i64(to++, row->job);
        pg_array_put_i16(to++, row->state);
        pg_array_put_i16(to++, row->reason);
    }
    pg_array_put_i64(add(apply, PG_STMT_open_job_drop), row->job);
    if (row->has_marks) pg_array_put_i64(add(apply, PG_STMT_open_mark_drop), row->job);
}

static void add_audit(struct apply *apply, const struct row_audit *row)
{
    uint32_t n = (uint32_t)apply->tables[PG_STMT_audit_insert].rows;
    struct pg_array *to = add(apply, PG_STMT_audit_insert);

    pg_array_put_i32(to++, n);
    pg_array_put_i32(to++, row->tenant);
    pg_array_put_str(to++, row->actor);
    pg_array_put_str(to++, row->body);
}

static void add_idempotency(struct apply *apply, const struct row_idempotency *row)
{
    struct pg_array *to = add(apply, PG_STMT_idempotency_insert);

    pg_array_put_i32(to++, row->tenant);
    pg_array_put_str(to++, row->key);
    pg_array_put_bytes(to++, row->body_sha.at, sizeof row->body_sha.at);
    pg_array_put_str(to++, row->answer);
}

static struct fl_str digest_text(const struct fl_digest *digest)
{
    return (struct fl_str){(const char *)digest->at, sizeof digest->at};
}

static void add_row(struct apply *apply, const struct row *row, uint32_t order)
{
    switch (row->kind) {
    case ROW_job_new:
        add_job(apply, &row->job_new);
        break;
    case ROW_spec_new:
        fl_vec_push(&apply->specs, (struct keyed){.key = row->spec_new.job,
                                                  .text = digest_text(&row->spec_new.digest),
                                                  .order = UINT32_MAX - order, /* the first stays */
                                                  .row = row});
        break;
    case ROW_shape_new:
        fl_vec_push(&apply->shapes,
                    (struct keyed){.key = row->shape_new.shape, .order = order, .row = row});
        break;
    case ROW_shape_drop:
        fl_vec_push(&apply->shapes,
                    (struct keyed){.key = row->shape_drop.shape, .order = order, .row = row});
        break;
    case ROW_attempt_new:
        add_attempt(apply, &row->attempt_new);
        break;
    case ROW_attempt_end:
        add_attempt_end(apply, &row->attempt_end);
        break;
    case ROW_element_end:
        add_element_end(apply, &row->element_end);
        break;
    case ROW_job_end:
        add_job_end(apply, &row->job_end);
        break;
    case ROW_mark_set:
        fl_vec_push(&apply->marks, (struct keyed){.key = row->mark_set.job,
                                                  .kind = row->mark_set.kind,
                                                  .order = order,
                                                  .row = row});
        break;
    case ROW_mark_clear:
        fl_vec_push(&apply->marks, (struct keyed){.key = row->mark_clear.job,
                                                  .kind = row->mark_clear.kind,
                                                  .order = order,
                                                  .row = row});
        break;
    case ROW_queue_put:
        fl_vec_push(&apply->queues,
                    (struct keyed){.key = row->queue_put.queue, .order = order, .row = row});
        break;
    case ROW_cluster_put:
        fl_vec_push(&apply->clusters,
                    (struct keyed){.key = row->cluster_put.cluster, .order = order, .row = row});
        break;
    case ROW_counter:
        fl_vec_push(&apply->counters,
                    (struct keyed){.key = row->counter.counter, .order = order, .row = row});
        break;
    case ROW_audit:
        add_audit(apply, &row->audit);
        break;
    case ROW_idempotency:
        add_idempotency(apply, &row->idempotency);
        break;
    case ROW_join_put:
        fl_vec_push(
            &apply->joins,
            (struct keyed){.text = digest_text(&row->join_put.token), .order = order, .row = row});
        break;
    case ROW_join_drop:
        fl_vec_push(
            &apply->joins,
            (struct keyed){.text = digest_text(&row->join_drop.token), .order = order, .row = row});
        break;
    case ROW_token_put:
        fl_vec_push(&apply->tokens,
                    (struct keyed){.text = row->token_put.id, .order = order, .row = row});
        break;
    case ROW_token_drop:
        fl_vec_push(&apply->tokens,
                    (struct keyed){.text = row->token_drop.id, .order = order, .row = row});
        break;
    case ROW_replica_phase: /* the journal's alone */
    case ROW_cluster_phase:
        break;
    case ROW_KINDS_LEN:
        fl_unreachable("a row has one of the kinds of rows.def");
    }
}

/* --- the last word --- */

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    int by_text = fl_str_cmp(left->text, right->text);

    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    if (by_text != 0) return by_text;
    return left->order < right->order ? -1 : left->order > right->order;
}

static void add_keyed(struct apply *apply, const struct row *row)
{
    struct pg_array *to;

    switch (row->kind) {
    case ROW_spec_new:
        add_spec(apply, &row->spec_new);
        break;
    case ROW_shape_new:
        to = add(apply, PG_STMT_shape_put);
        pg_array_put_i32(to++, row->shape_new.shape);
        pg_array_put_str(to++, row->shape_new.body);
        break;
    case ROW_shape_drop:
        pg_array_put_i32(add(apply, PG_STMT_shape_drop), row->shape_drop.shape);
        break;
    case ROW_mark_set:
        to = add(apply, PG_STMT_open_mark_put);
        pg_array_put_i64(to++, row->mark_set.job);
        pg_array_put_i16(to++, row->mark_set.kind);
        pg_array_put_i64(to++, (uint64_t)row->mark_set.value);
        pg_array_put_some(to++, row->mark_set.body);
        break;
    case ROW_mark_clear:
        to = add(apply, PG_STMT_open_mark_clear);
        pg_array_put_i64(to++, row->mark_clear.job);
        pg_array_put_i16(to++, row->mark_clear.kind);
        break;
    case ROW_queue_put:
        to = add(apply, PG_STMT_queue_put);
        pg_array_put_i32(to++, row->queue_put.queue);
        pg_array_put_i32(to++, row->queue_put.tenant);
        pg_array_put_bool(to++, row->queue_put.is_paused);
        pg_array_put_str(to++, row->queue_put.name);
        break;
    case ROW_cluster_put:
        to = add(apply, PG_STMT_cluster_put);
        pg_array_put_i32(to++, row->cluster_put.cluster);
        pg_array_put_i16(to++, row->cluster_put.state);
        pg_array_put_i16(to++, row->cluster_put.access);
        pg_array_put_bool(to++, row->cluster_put.is_draining);
        pg_array_put_i64(to++, row->cluster_put.session_epoch);
        pg_array_put_i64(to++, row->cluster_put.generation);
        pg_array_put_i64(to++, row->cluster_put.seen);
        pg_array_put_bytes(to++, row->cluster_put.key.at, sizeof row->cluster_put.key.at);
        pg_array_put_str(to++, row->cluster_put.name);
        pg_array_put_str(to++, row->cluster_put.uid);
        pg_array_put_str(to++, row->cluster_put.uuid);
        pg_array_put_str(to++, row->cluster_put.cordon);
        break;
    case ROW_join_put:
        to = add(apply, PG_STMT_join_put);
        pg_array_put_bytes(to++, row->join_put.token.at, sizeof row->join_put.token.at);
        pg_array_put_i32(to++, row->join_put.tenant);
        pg_array_put_i64(to++, (uint64_t)row->join_put.expires_at);
        pg_array_put_i32(to++, row->join_put.cluster);
        pg_array_put_bytes(to++, row->join_put.key.at, sizeof row->join_put.key.at);
        pg_array_put_str(to++, row->join_put.name);
        break;
    case ROW_join_drop:
        pg_array_put_bytes(add(apply, PG_STMT_join_drop), row->join_drop.token.at,
                           sizeof row->join_drop.token.at);
        break;
    case ROW_token_put:
        to = add(apply, PG_STMT_token_put);
        pg_array_put_str(to++, row->token_put.id);
        pg_array_put_i32(to++, row->token_put.tenant);
        pg_array_put_i16(to++, row->token_put.scopes);
        pg_array_put_i64(to++, (uint64_t)row->token_put.made_at);
        pg_array_put_i64(to++, (uint64_t)row->token_put.expires_at);
        pg_array_put_bytes(to++, row->token_put.mac.at, sizeof row->token_put.mac.at);
        pg_array_put_str(to++, row->token_put.name);
        pg_array_put_str(to++, row->token_put.queue);
        break;
    case ROW_token_drop:
        pg_array_put_str(add(apply, PG_STMT_token_drop), row->token_drop.id);
        break;
    case ROW_counter:
        to = add(apply, PG_STMT_counter_put);
        pg_array_put_i16(to++, row->counter.counter);
        pg_array_put_i64(to++, row->counter.value);
        break;
    default:
        fl_unreachable("only keyed rows are collected");
    }
}

static void fold(struct apply *apply, struct keyed *at, size_t len)
{
    if (len > 1) qsort(at, len, sizeof *at, by_key);
    for (size_t i = 0; i < len; i++) {
        bool is_last = i + 1 == len || at[i].key != at[i + 1].key || at[i].kind != at[i + 1].kind ||
                       !fl_str_eq(at[i].text, at[i + 1].text);

        if (is_last) add_keyed(apply, at[i].row);
    }
}

/* --- statements --- */

static void bind_arrays(struct apply *apply, struct apply_stmt *to)
{
    const struct pg_stmt_info *info = &pg_stmts[to->stmt];
    struct table *table = &apply->tables[to->stmt];

    for (int i = 0; i < info->params; i++) {
        struct pg_array *column = &table->columns[i];
        Oid element = pg_array_element(info->types[i]);

        if (!element) break; /* scalars come last */
        fl_assert(column->items == table->rows);
        to->values[i] = pg_array_value(column, element);
    }
}

static struct pg_value value_of(const int64_t *be)
{
    return (struct pg_value){be, sizeof *be};
}

/* What stands behind the arrays. */
static void bind_scalars(struct apply *apply, struct apply_stmt *to)
{
    struct pg_value *values = to->values;
    struct pg_value batch = value_of(&apply->batch_be), at = value_of(&apply->at_be);

    switch (to->stmt) {
    case PG_STMT_job_insert:
        values[11] = batch;
        break;
    case PG_STMT_open_job_insert:
        values[6] = at;
        break;
    case PG_STMT_attempt_end_insert:
        values[6] = batch;
        break;
    case PG_STMT_spec_put:
        values[3] = value_of(&apply->specs_lo_be);
        values[4] = value_of(&apply->specs_hi_be);
        break;
    case PG_STMT_attempt_first:
        values[4] = batch;
        values[5] = value_of(&apply->lo_be);
        values[6] = value_of(&apply->hi_be);
        break;
    case PG_STMT_attempt_insert:
        values[6] = batch;
        values[7] = value_of(&apply->lo_be);
        values[8] = value_of(&apply->hi_be);
        break;
    case PG_STMT_element_end_insert:
        values[7] = batch;
        break;
    case PG_STMT_job_end_insert:
        values[3] = batch;
        break;
    case PG_STMT_open_mark_put:
        values[4] = at;
        break;
    case PG_STMT_audit_insert:
        values[4] = batch;
        values[5] = at;
        break;
    case PG_STMT_idempotency_insert:
        values[4] = at;
        break;
    default:
        break; /* arrays alone */
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

static void trim(struct apply *apply)
{
    size_t bytes = 0;

    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        for (size_t c = 0; c < PG_PARAMS_MAX; c++) {
            bytes += apply->tables[i].columns[c].cap;
        }
    }
    if (bytes > APPLY_KEPT_BYTES) release(apply);
}

static void reset(struct apply *apply)
{
    trim(apply);
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        apply->tables[i].rows = 0;
    }
    apply->marks.len = apply->specs.len = apply->queues.len = apply->clusters.len = 0;
    apply->shapes.len = apply->counters.len = apply->joins.len = apply->tokens.len = 0;
    apply->list.len = 0;
    apply->lo = INT64_MAX;
    apply->hi = 0;
}

const struct apply_list *apply_build(struct apply *apply, const struct core_batch *batch,
                                     uint64_t epoch)
{
    fl_assert(batch->rows.len <= UINT32_MAX);
    reset(apply);
    for (size_t i = 0; i < batch->rows.len; i++) {
        add_row(apply, &batch->rows.at[i], (uint32_t)i);
    }
    fold(apply, apply->marks.at, apply->marks.len);
    fold(apply, apply->specs.at, apply->specs.len);
    if (apply->specs.len > 0) { /* in the order of their jobs now */
        apply->specs_lo_be = (int64_t)htobe64(apply->specs.at[0].key);
        apply->specs_hi_be = (int64_t)htobe64(apply->specs.at[apply->specs.len - 1].key);
    }
    fold(apply, apply->queues.at, apply->queues.len);
    fold(apply, apply->clusters.at, apply->clusters.len);
    fold(apply, apply->shapes.at, apply->shapes.len);
    fold(apply, apply->counters.at, apply->counters.len);
    fold(apply, apply->joins.at, apply->joins.len);
    fold(apply, apply->tokens.at, apply->tokens.len);
    apply->batch_be = (int64_t)htobe64(batch->number);
    apply->epoch_be = (int64_t)htobe64(epoch);
    apply->at_be = (int64_t)htobe64((uint64_t)batch->at);
    apply->lo_be = (int64_t)htobe64(apply->lo);
    apply->hi_be = (int64_t)htobe64(apply->hi);

    /* stmts.def has them in the order in which they are sent. */
    for (size_t i = 0; i < PG_STMTS_LEN; i++) {
        struct apply_stmt stmt = {.stmt = (enum pg_stmt)i, .rows = apply->tables[i].rows};

        if (pg_stmts[i].role != PG_WRITER) continue;
        if (stmt.stmt == PG_STMT_chain) {
            bind_chain(apply, batch, &stmt);
        } else if (pg_stmts[i].params > 0) {
            if (stmt.rows == 0) continue;
            bind_arrays(apply, &stmt);
            bind_scalars(apply, &stmt);
        }
        fl_vec_push(&apply->list, stmt);
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

/* --- what came of it --- */

static bool is_journal(const char *table)
{
    static const char prefix[] = "journal";

    return strncmp(table, prefix, sizeof prefix - 1) == 0;
}

enum engine_commit apply_verdict(const struct pg_failure *failure)
{
    const char *state = failure->sqlstate;

    if (state[0] == '\0' || strncmp(state, "08", 2) == 0) return ENGINE_UNKNOWN;
    if (strcmp(state, "53100") == 0) return ENGINE_NO_SPACE;
    if (strcmp(state, "25P02") == 0) return ENGINE_RELOAD;
    if (is_journal(failure->table)) {
        if (strcmp(state, "23502") == 0 && strcmp(failure->column, "epoch") == 0)
            return ENGINE_DEPOSED;
        if (strcmp(state, "23502") == 0 && strcmp(failure->column, "prev") == 0)
            return ENGINE_RELOAD;
        if (strcmp(state, "23505") == 0) return ENGINE_RELOAD;
    }
    if (strncmp(state, "40", 2) == 0) return ENGINE_RELOAD;
    if (strncmp(state, "53", 2) == 0 || strncmp(state, "57", 2) == 0 ||
        strncmp(state, "58", 2) == 0) {
        return ENGINE_UNKNOWN;
    }
    return ENGINE_POISONED;
}

uint64_t apply_job_newest(const struct core_batch *batch)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind == ROW_job_new && row->job_new.job > newest) newest = row->job_new.job;
    }
    return newest;
}
