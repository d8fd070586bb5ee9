#include "tests/sim/fake_pg.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/hash.h"
#include "shared/base/vec.h"
#include "tests/sim/pg_table.h"

/* What to put back when the open transaction does not commit, newest last. */
struct undo {
    enum fake_pg_table table;
    struct pg_entry old; /* row_len 0: there was none */
};

struct backend {
    uint32_t id;
    bool is_aborted; /* a statement failed: all that follows says 25P02 */
    bool has_batch;  /* begun, not committed; holds the leader row's share lock */
    struct fake_pg_journal batch;
    char *body;
};

struct fake_pg {
    struct pg_table tables[FAKE_PG_TABLES_LEN];
    FL_VEC(struct fake_pg_journal) journal;
    FL_VEC(struct backend) backends; /* live ones, by id */
    FL_VEC(struct undo) undo;
    uint32_t backend_next;
    bool is_full, is_deaf;
    uint64_t job_below, batch_below;
    /* the leader row */
    uint64_t epoch;
    uint32_t incarnation;
    uint32_t writer;
    /* the lease row */
    char lease_instance[64];
    fl_ms lease_expires_at;
    struct fl_buf scratch;
};

/* --- tables ---------------------------------------------------------------------------------- */

static const char *const table_names[FAKE_PG_TABLES_LEN] = {
    [FAKE_PG_queue] = "queue",
    [FAKE_PG_cluster] = "cluster",
    [FAKE_PG_join_token] = "join_token",
    [FAKE_PG_token] = "token",
    [FAKE_PG_shape] = "shape",
    [FAKE_PG_counter] = "counter",
    [FAKE_PG_open_job] = "open_job",
    [FAKE_PG_open_mark] = "open_mark",
    [FAKE_PG_attempt] = "attempt",
    [FAKE_PG_attempt_end] = "attempt_end",
    [FAKE_PG_element_end] = "element_end",
    [FAKE_PG_job] = "job",
    [FAKE_PG_job_end] = "job_end",
    [FAKE_PG_spec] = "spec",
    [FAKE_PG_audit] = "audit",
    [FAKE_PG_idempotency] = "idempotency",
};

const char *fake_pg_table_name(enum fake_pg_table table)
{
    return table_names[table];
}

static void remember(struct fake_pg *pg, enum fake_pg_table table, struct pg_entry old)
{
    fl_vec_push(&pg->undo, ((struct undo){table, old}));
}

static void put(struct fake_pg *pg, enum fake_pg_table at, const struct pg_key *key,
                const struct row *row)
{
    struct pg_table *table = &pg->tables[at];
    struct pg_entry entry;
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    fl_buf_clear(&pg->scratch);
    fl_assert(row_encode(&pg->scratch, row));
    entry = pg_entry_make(key, pg->scratch.at, pg->scratch.len);
    if (is_there) {
        remember(pg, at, table->entries.at[i]);
        table->entries.at[i] = entry;
    } else {
        remember(pg, at, pg_entry_make(key, NULL, 0));
        fl_vec_insert(&table->entries, i, entry);
    }
}

static void take_away(struct fake_pg *pg, enum fake_pg_table at, const struct pg_key *key)
{
    struct pg_table *table = &pg->tables[at];
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    if (!is_there) return;
    remember(pg, at, table->entries.at[i]);
    fl_vec_remove(&table->entries, i);
}

static void roll_back(struct fake_pg *pg)
{
    while (pg->undo.len) {
        struct undo undo = fl_vec_pop(&pg->undo);
        struct pg_table *table = &pg->tables[undo.table];
        struct pg_key key = pg_key_bytes(0, 0, undo.old.at, undo.old.key_len);
        bool is_there;
        size_t i = pg_table_seek(table, &key, &is_there);

        if (is_there) {
            free(table->entries.at[i].at);
            fl_vec_remove(&table->entries, i);
        }
        if (undo.old.row_len) {
            fl_vec_insert(&table->entries, i, undo.old);
        } else {
            free(undo.old.at);
        }
    }
}

static void forget_undo(struct fake_pg *pg)
{
    for (size_t i = 0; i < pg->undo.len; i++) {
        free(pg->undo.at[i].old.at);
    }
    fl_vec_clear(&pg->undo);
}

/* --- rows to tables -------------------------------------------------------------------------- */

/* A second row with this key: 23505. */
static bool insert(struct fake_pg *pg, enum fake_pg_table at, struct pg_key key,
                   const struct row *row, const char **text)
{
    if (pg_table_has(&pg->tables[at], &key)) {
        *text = table_names[at];
        return false;
    }
    put(pg, at, &key, row);
    return true;
}

/* No partition holds this id: 23514. */
static bool has_partition(const struct fake_pg *pg, uint64_t job, const char **text)
{
    if (job < pg->job_below) return true;
    *text = "no partition";
    return false;
}

static bool apply_job_new(struct fake_pg *pg, const struct row *row, const char **text)
{
    struct pg_key key = pg_key(row->job_new.job, 8, 0, 0, 0, 0);
    struct row open = {.kind = ROW_job_new, .job_new = row->job_new};

    if (fl_str_eq(row->job_new.name, FL_STR(FAKE_PG_POISON))) {
        *text = "a constraint refuses this job";
        return false;
    }
    if (!has_partition(pg, row->job_new.job, text)) return false;
    if (!insert(pg, FAKE_PG_job, key, row, text)) return false;
    open.job_new.spec = (struct fl_digest){0};
    open.job_new.retry_of = 0;
    open.job_new.name = open.job_new.labels = open.job_new.params = open.job_new.picked =
        (struct fl_str){0};
    return insert(pg, FAKE_PG_open_job, key, &open, text);
}

/* The number before has ended and the element has not: else 'prev' is NULL, 23502. */
static bool apply_attempt_new(struct fake_pg *pg, const struct row *row, const char **text)
{
    const struct row_attempt_new *attempt = &row->attempt_new;
    struct pg_key before =
        pg_key_attempt(attempt->job, attempt->element, (uint16_t)(attempt->n - 1));
    struct pg_key element = pg_key(attempt->job, 8, attempt->element, 4, 0, 0);

    if (!has_partition(pg, attempt->job, text)) return false;
    if (attempt->n == 0 || pg_table_has(&pg->tables[FAKE_PG_element_end], &element) ||
        (attempt->n > 1 && !pg_table_has(&pg->tables[FAKE_PG_attempt_end], &before))) {
        *text = "prev of attempt";
        return false;
    }
    return insert(pg, FAKE_PG_attempt, pg_key_attempt(attempt->job, attempt->element, attempt->n),
                  row, text);
}

static void apply_job_end(struct fake_pg *pg, const struct row *row)
{
    struct pg_table *marks = &pg->tables[FAKE_PG_open_mark];
    struct pg_key key = pg_key(row->job_end.job, 8, 0, 0, 0, 0);
    bool is_there;
    size_t i;

    take_away(pg, FAKE_PG_open_job, &key);
    if (!row->job_end.has_marks) return;       /* believed, as the real one does */
    i = pg_table_seek(marks, &key, &is_there); /* a prefix of its marks' keys: where they begin */
    while (i < marks->entries.len && memcmp(marks->entries.at[i].at, key.at, key.len) == 0) {
        struct pg_key mark =
            pg_key_bytes(0, 0, marks->entries.at[i].at, marks->entries.at[i].key_len);

        take_away(pg, FAKE_PG_open_mark, &mark);
    }
}

/* One row into its table.  False: a constraint refuses it; the caller rolls back.  'audit_n' counts the
 * batch's audit rows, which are keyed by it. */
static bool apply(struct fake_pg *pg, const struct row *row, uint64_t batch, uint32_t *audit_n,
                  const char **text)
{
    switch (row->kind) {
    case ROW_job_new:
        return apply_job_new(pg, row, text);
    case ROW_spec_new: {
        struct pg_key key = pg_key_bytes(row->spec_new.job, 8, row->spec_new.digest.at, 32);

        if (!has_partition(pg, row->spec_new.job, text)) return false;
        if (!pg_table_has(&pg->tables[FAKE_PG_spec], &key)) put(pg, FAKE_PG_spec, &key, row);
        return true;
    }
    case ROW_shape_new: {
        struct pg_key key = pg_key(row->shape_new.shape, 4, 0, 0, 0, 0);

        put(pg, FAKE_PG_shape, &key, row);
        return true;
    }
    case ROW_shape_drop: {
        struct pg_key key = pg_key(row->shape_drop.shape, 4, 0, 0, 0, 0);

        take_away(pg, FAKE_PG_shape, &key);
        return true;
    }
    case ROW_attempt_new:
        return apply_attempt_new(pg, row, text);
    case ROW_attempt_end:
        if (!has_partition(pg, row->attempt_end.job, text)) return false;
        return insert(
            pg, FAKE_PG_attempt_end,
            pg_key_attempt(row->attempt_end.job, row->attempt_end.element, row->attempt_end.n), row,
            text);
    case ROW_element_end:
        if (!has_partition(pg, row->element_end.job, text)) return false;
        return insert(pg, FAKE_PG_element_end,
                      pg_key(row->element_end.job, 8, row->element_end.element, 4, 0, 0), row,
                      text);
    case ROW_job_end:
        apply_job_end(pg, row);
        if (!row->job_end.is_array) return true;
        if (!has_partition(pg, row->job_end.job, text)) return false;
        return insert(pg, FAKE_PG_job_end, pg_key(row->job_end.job, 8, 0, 0, 0, 0), row, text);
    case ROW_mark_set: {
        struct pg_key key = pg_key(row->mark_set.job, 8, 0, 4, row->mark_set.kind, 2);

        put(pg, FAKE_PG_open_mark, &key, row);
        return true;
    }
    case ROW_mark_clear: {
        struct pg_key key = pg_key(row->mark_clear.job, 8, 0, 4, row->mark_clear.kind, 2);

        take_away(pg, FAKE_PG_open_mark, &key);
        return true;
    }
    case ROW_queue_put: {
        struct pg_key key = pg_key(row->queue_put.queue, 4, 0, 0, 0, 0);

        put(pg, FAKE_PG_queue, &key, row);
        return true;
    }
    case ROW_cluster_put: {
        struct pg_key key = pg_key(row->cluster_put.cluster, 4, 0, 0, 0, 0);

        put(pg, FAKE_PG_cluster, &key, row);
        return true;
    }
    case ROW_counter: {
        struct pg_key key = pg_key(row->counter.counter, 1, 0, 0, 0, 0);

        put(pg, FAKE_PG_counter, &key, row);
        return true;
    }
    case ROW_audit:
        return insert(pg, FAKE_PG_audit, pg_key(batch, 8, (*audit_n)++, 4, 0, 0), row, text);
    case ROW_idempotency:
        return insert(pg, FAKE_PG_idempotency,
                      pg_key_bytes(row->idempotency.tenant, 4, row->idempotency.key.at,
                                   row->idempotency.key.len),
                      row, text);
    case ROW_join_put: {
        struct pg_key key = pg_key_bytes(0, 0, row->join_put.token.at, 32);

        put(pg, FAKE_PG_join_token, &key, row);
        return true;
    }
    case ROW_join_drop: {
        struct pg_key key = pg_key_bytes(0, 0, row->join_drop.token.at, 32);

        take_away(pg, FAKE_PG_join_token, &key);
        return true;
    }
    case ROW_token_put: {
        struct pg_key key = pg_key_bytes(0, 0, row->token_put.id.at, row->token_put.id.len);

        put(pg, FAKE_PG_token, &key, row);
        return true;
    }
    case ROW_token_drop: {
        struct pg_key key = pg_key_bytes(0, 0, row->token_drop.id.at, row->token_drop.id.len);

        take_away(pg, FAKE_PG_token, &key);
        return true;
    }
    case ROW_replica_phase: /* journal only */
    case ROW_cluster_phase:
        return true;
    case ROW_KINDS_LEN:
        break;
    }
    fl_unreachable("row_decode knows every kind");
}

/* The store writes table by table; what one table's constraint looks up in another is written before. */
static int statement_order(enum row_kind kind)
{
    switch ((int)kind) {
    case ROW_attempt_new:
        return 1;
    case ROW_element_end:
        return 2;
    case ROW_job_end:
        return 3;
    default:
        return 0;
    }
}

static bool apply_body(struct fake_pg *pg, struct fl_str body, uint64_t batch, const char **text)
{
    uint32_t audit_n = 0;

    for (int order = 0; order <= 3; order++) {
        struct fl_reader reader = fl_reader(body.at, body.len);

        while (reader.pos < reader.len) {
            struct fl_err err = {0};
            struct row row;

            fl_assert(row_decode(&reader, &row, &err)); /* the client encoded it */
            if (statement_order(row.kind) != order) continue;
            if (!apply(pg, &row, batch, &audit_n, text)) return false;
        }
    }
    return true;
}

/* --- life ------------------------------------------------------------------------------------ */

struct fake_pg *fake_pg_create(uint64_t job_below, uint64_t batch_below)
{
    struct fake_pg *pg = fl_new(struct fake_pg);

    pg->job_below = job_below;
    pg->batch_below = batch_below;
    pg->epoch = 0; /* as migrate leaves it */
    pg->incarnation = 1;
    fl_buf_init(&pg->scratch, (size_t)16 << 20);
    fl_vec_push(&pg->journal, ((struct fake_pg_journal){.batch = 0}));
    return pg;
}

static void close_batch(struct backend *backend)
{
    free(backend->body);
    backend->body = NULL;
    backend->has_batch = false;
}

void fake_pg_destroy(struct fake_pg *pg)
{
    if (!pg) return;
    for (size_t t = 0; t < FAKE_PG_TABLES_LEN; t++) {
        for (size_t i = 0; i < pg->tables[t].entries.len; i++) {
            free(pg->tables[t].entries.at[i].at);
        }
        fl_vec_fini(&pg->tables[t].entries);
    }
    for (size_t i = 1; i < pg->journal.len; i++) {
        free((void *)pg->journal.at[i].body.at);
    }
    fake_pg_end_all(pg);
    fl_vec_fini(&pg->journal);
    fl_vec_fini(&pg->backends);
    fl_vec_fini(&pg->undo);
    fl_buf_fini(&pg->scratch);
    fl_free(pg);
}

static struct backend *find_backend(const struct fake_pg *pg, uint32_t backend)
{
    for (size_t i = 0; i < pg->backends.len; i++) {
        if (pg->backends.at[i].id == backend) return &pg->backends.at[i];
    }
    return NULL;
}

uint32_t fake_pg_connect(struct fake_pg *pg)
{
    fl_vec_push(&pg->backends, ((struct backend){.id = ++pg->backend_next}));
    return pg->backend_next;
}

void fake_pg_end(struct fake_pg *pg, uint32_t backend)
{
    struct backend *found = find_backend(pg, backend);

    if (!found) return;
    close_batch(found);
    fl_vec_remove(&pg->backends, (size_t)(found - pg->backends.at));
}

void fake_pg_end_all(struct fake_pg *pg)
{
    while (pg->backends.len) {
        fake_pg_end(pg, pg->backends.at[0].id);
    }
}

bool fake_pg_is_live(const struct fake_pg *pg, uint32_t backend)
{
    return find_backend(pg, backend) != NULL;
}

void fake_pg_set_full(struct fake_pg *pg, bool is_full)
{
    pg->is_full = is_full;
}

void fake_pg_set_deaf(struct fake_pg *pg, bool is_deaf)
{
    pg->is_deaf = is_deaf;
}

void fake_pg_set_room(struct fake_pg *pg, uint64_t job_below, uint64_t batch_below)
{
    pg->job_below = job_below;
    pg->batch_below = batch_below;
}

/* --- leader and lease ------------------------------------------------------------------------ */

/* The lease may be taken: it has run out, was released, or is the same instance's. */
static bool lease_is_free(const struct fake_pg *pg, const char *instance, fl_ms wall)
{
    return pg->lease_expires_at < wall || pg->lease_instance[0] == 0 ||
           strcmp(pg->lease_instance, instance) == 0;
}

static void lease_set(struct fake_pg *pg, const char *instance, fl_ms expires_at)
{
    size_t len = strlen(instance);

    fl_assert(len < sizeof(pg->lease_instance));
    memcpy(pg->lease_instance, instance, len + 1);
    pg->lease_expires_at = expires_at;
}

enum fl_code fake_pg_take(struct fake_pg *pg, uint32_t backend, const char *instance, fl_ms wall,
                          uint64_t batch_from, struct engine_taken *ret_taken)
{
    struct engine_taken taken = {0};
    struct backend *old;

    if (!find_backend(pg, backend)) return FL_UNAVAILABLE;
    if (!lease_is_free(pg, instance, wall)) return FL_DEPOSED;
    if (pg->is_full) return FL_NO_SPACE;
    old = find_backend(pg, pg->writer);
    if (old && old->id != backend) {
        if (!pg->is_deaf) {
            fake_pg_end(pg, old->id);
        } else if (old->has_batch) {
            return FL_CONFLICT; /* raising the epoch waits for its share lock */
        }
    }
    lease_set(pg, instance, wall + FAKE_PG_TTL_MS);
    pg->epoch++;
    pg->writer = backend;

    taken.epoch = pg->epoch;
    taken.incarnation = pg->incarnation;
    taken.batch_newest = fake_pg_newest(pg);
    taken.at_newest = pg->journal.at[pg->journal.len - 1].at;
    taken.wall = wall;
    taken.job_below = pg->job_below;
    taken.batch_below = pg->batch_below;
    for (size_t i = batch_from; batch_from && i < pg->journal.len && taken.keys_len < 8; i++) {
        taken.keys[taken.keys_len++] =
            (struct engine_journal_key){pg->journal.at[i].batch, pg->journal.at[i].epoch};
    }
    *ret_taken = taken;
    return FL_OK;
}

bool fake_pg_renew(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall)
{
    if (strcmp(pg->lease_instance, instance) != 0 || pg->epoch != epoch) return false;
    pg->lease_expires_at = wall + FAKE_PG_TTL_MS;
    return true;
}

void fake_pg_release(struct fake_pg *pg, const char *instance, uint64_t epoch)
{
    if (strcmp(pg->lease_instance, instance) != 0 || pg->epoch != epoch) return;
    pg->lease_instance[0] = 0;
}

/* --- batches --------------------------------------------------------------------------------- */

static enum engine_commit fail(struct backend *backend, enum engine_commit result, const char *why,
                               const char **text)
{
    backend->is_aborted = true;
    close_batch(backend);
    if (text) *text = why;
    return result;
}

enum engine_commit fake_pg_begin(struct fake_pg *pg, uint32_t backend, uint64_t batch, fl_ms at,
                                 uint64_t epoch, struct fl_str body, const char **text)
{
    struct backend *self = find_backend(pg, backend);

    if (!self) return ENGINE_UNKNOWN;
    fl_assert(!self->has_batch);
    if (self->is_aborted) return fail(self, ENGINE_RELOAD, "25P02", text);
    if (pg->is_full) return fail(self, ENGINE_NO_SPACE, "53100", text);
    if (batch >= pg->batch_below) return fail(self, ENGINE_POISONED, "no partition", text);
    /* NOT NULL is checked column by column, before any key: prev, then epoch. */
    if (batch == 0 || batch > fake_pg_newest(pg) + 1)
        return fail(self, ENGINE_RELOAD, "23502 journal prev", text);
    if (epoch != pg->epoch) return fail(self, ENGINE_DEPOSED, "23502 journal epoch", text);
    if (batch <= fake_pg_newest(pg)) return fail(self, ENGINE_RELOAD, "23505 journal", text);
    self->has_batch = true;
    self->batch = (struct fake_pg_journal){batch, epoch, at, {NULL, body.len}};
    self->body = malloc(body.len + 1);
    fl_assert(self->body);
    if (body.len) memcpy(self->body, body.at, body.len);
    return ENGINE_COMMITTED;
}

enum engine_commit fake_pg_commit(struct fake_pg *pg, uint32_t backend, const char **text)
{
    struct backend *self = find_backend(pg, backend);
    const char *why = "";

    if (!self) return ENGINE_UNKNOWN;
    if (self->is_aborted) return fail(self, ENGINE_RELOAD, "25P02", text);
    fl_assert(self->has_batch);
    if (!apply_body(pg, (struct fl_str){self->body, self->batch.body.len}, self->batch.batch,
                    &why)) {
        roll_back(pg);
        return fail(self, ENGINE_POISONED, why, text);
    }
    forget_undo(pg);
    self->batch.body.at = self->body;
    fl_vec_push(&pg->journal, self->batch);
    self->body = NULL;
    self->has_batch = false;
    return ENGINE_COMMITTED;
}

/* --- reading --------------------------------------------------------------------------------- */

void fake_pg_load(const struct fake_pg *pg, void (*emit)(void *ctx, const struct row *row),
                  void *ctx)
{
    const struct pg_table *open = &pg->tables[FAKE_PG_open_job];
    const struct pg_key job_next = pg_key(CORE_COUNTER_job_next, 1, 0, 0, 0, 0);
    uint64_t newest = fake_pg_newest_job(pg);
    /* One row says the next number: after the newest job, open or not, or the greater that is stored. */
    struct row next = {.kind = ROW_counter, .counter = {CORE_COUNTER_job_next, newest + 1}};

    for (size_t t = FAKE_PG_queue; t <= FAKE_PG_element_end; t++) {
        const struct pg_table *table = &pg->tables[t];
        bool is_of_job = t > FAKE_PG_open_mark; /* marks are read whole: all are of open jobs */
        size_t o = 0;

        if (t == FAKE_PG_counter && !pg_table_has(table, &job_next)) emit(ctx, &next);
        for (size_t i = 0; i < table->entries.len; i++) {
            struct row row;

            if (is_of_job) { /* both are in the order of ids */
                while (o < open->entries.len &&
                       pg_entry_job(&open->entries.at[o]) < pg_entry_job(&table->entries.at[i])) {
                    o++;
                }
                if (o == open->entries.len) break;
                if (pg_entry_job(&open->entries.at[o]) != pg_entry_job(&table->entries.at[i]))
                    continue;
            }
            row = pg_entry_row(&table->entries.at[i]);
            if (row.kind == ROW_counter && row.counter.counter == CORE_COUNTER_job_next &&
                row.counter.value <= newest) {
                row = next;
            }
            emit(ctx, &row);
        }
    }
}

bool fake_pg_lookup(const struct fake_pg *pg, struct fl_tenant tenant, struct fl_str key,
                    struct fl_digest *ret_body_sha, struct fl_str *ret_answer)
{
    struct pg_key at = pg_key_bytes(tenant.n, 4, key.at, key.len);
    struct row row;

    if (!pg_table_find(&pg->tables[FAKE_PG_idempotency], &at, &row)) return false;
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
    const struct pg_table *jobs = &pg->tables[FAKE_PG_job];

    return jobs->entries.len ? pg_entry_job(&jobs->entries.at[jobs->entries.len - 1]) : 0;
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

size_t fake_pg_len(const struct fake_pg *pg, enum fake_pg_table table)
{
    return pg->tables[table].entries.len;
}

struct row fake_pg_row(const struct fake_pg *pg, enum fake_pg_table table, size_t i)
{
    fl_assert(i < pg->tables[table].entries.len);
    return pg_entry_row(&pg->tables[table].entries.at[i]);
}

bool fake_pg_find_job(const struct fake_pg *pg, struct fl_job job, struct row *ret_row)
{
    struct pg_key key = pg_key(job.n, 8, 0, 0, 0, 0);

    return pg_table_find(&pg->tables[FAKE_PG_job], &key, ret_row);
}

bool fake_pg_find_attempt(const struct fake_pg *pg, struct fl_job job, uint32_t element, uint16_t n,
                          struct row *ret_row)
{
    struct pg_key key = pg_key_attempt(job.n, element, n);

    return pg_table_find(&pg->tables[FAKE_PG_attempt], &key, ret_row);
}

bool fake_pg_find_attempt_end(const struct fake_pg *pg, struct fl_job job, uint32_t element,
                              uint16_t n, struct row *ret_row)
{
    struct pg_key key = pg_key_attempt(job.n, element, n);

    return pg_table_find(&pg->tables[FAKE_PG_attempt_end], &key, ret_row);
}

bool fake_pg_find_element_end(const struct fake_pg *pg, struct fl_job job, uint32_t element,
                              struct row *ret_row)
{
    struct pg_key key = pg_key(job.n, 8, element, 4, 0, 0);

    return pg_table_find(&pg->tables[FAKE_PG_element_end], &key, ret_row);
}

bool fake_pg_find_open(const struct fake_pg *pg, struct fl_job job)
{
    struct pg_key key = pg_key(job.n, 8, 0, 0, 0, 0);

    return pg_table_has(&pg->tables[FAKE_PG_open_job], &key);
}

bool fake_pg_find_mark(const struct fake_pg *pg, struct fl_job job, enum core_mark mark,
                       struct row *ret_row)
{
    struct pg_key key = pg_key(job.n, 8, 0, 4, mark, 2);

    return pg_table_find(&pg->tables[FAKE_PG_open_mark], &key, ret_row);
}

/* Folded in the order decided and not, as the batches were, in that of the store's statements: a batch
 * whose rows mean something else when they are reordered is found here. */
bool fake_pg_fold_is_equal(const struct fake_pg *pg, struct fl_err *err)
{
    struct fake_pg *fold = fake_pg_create(UINT64_MAX, UINT64_MAX);
    bool is_equal = true;

    for (size_t i = 1; is_equal && i < pg->journal.len; i++) {
        struct fl_reader reader = fl_reader(pg->journal.at[i].body.at, pg->journal.at[i].body.len);
        uint32_t audit_n = 0;

        while (is_equal && reader.pos < reader.len) {
            const char *text = "";
            struct row row;

            is_equal = row_decode(&reader, &row, err);
            if (is_equal && !apply(fold, &row, pg->journal.at[i].batch, &audit_n, &text)) {
                is_equal = fl_fail(err, FL_CONFLICT, "batch %llu, in its order: %s refuses a row",
                                   (unsigned long long)pg->journal.at[i].batch, text);
            }
        }
        forget_undo(fold);
    }
    for (size_t t = 0; is_equal && t < FAKE_PG_TABLES_LEN; t++) {
        const struct pg_table *a = &pg->tables[t];
        const struct pg_table *b = &fold->tables[t];

        if (a->entries.len != b->entries.len) {
            is_equal = fl_fail(err, FL_CONFLICT, "%s has %zu rows, the journal's fold %zu",
                               table_names[t], a->entries.len, b->entries.len);
        }
        for (size_t i = 0; is_equal && i < a->entries.len; i++) {
            const struct pg_entry *x = &a->entries.at[i];
            const struct pg_entry *y = &b->entries.at[i];

            if (x->key_len != y->key_len || x->row_len != y->row_len ||
                memcmp(x->at, y->at, x->key_len + x->row_len) != 0) {
                is_equal = fl_fail(err, FL_CONFLICT, "row %zu of %s is not the journal's fold", i,
                                   table_names[t]);
            }
        }
    }
    fake_pg_destroy(fold);
    return is_equal;
}

uint64_t fake_pg_hash(const struct fake_pg *pg)
{
    uint64_t hash = 0;

    for (size_t t = 0; t < FAKE_PG_TABLES_LEN; t++) {
        for (size_t i = 0; i < pg->tables[t].entries.len; i++) {
            const struct pg_entry *entry = &pg->tables[t].entries.at[i];

            hash = fl_hash64(hash + t, entry->at, entry->key_len + entry->row_len);
        }
    }
    return hash;
}
