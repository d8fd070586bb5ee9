#include "tests/sim/fake_pg_state.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static void set(struct fake_pg *pg, enum row_table at, struct pg_entry entry)
{
    fl_vec_push(&pg->undo, ((struct undo){at, pg_table_set(&pg->tables[at], entry)}));
}

static void put(struct fake_pg *pg, enum row_table at, const struct row_key *key,
                const struct row *row)
{
    set(pg, at, pg_entry_make(key, row, at == ROW_TABLE_open_job));
}

static void take_away(struct fake_pg *pg, enum row_table at, const struct row_key *key)
{
    set(pg, at, pg_entry_make(key, NULL, false));
}

static void roll_back(struct fake_pg *pg)
{
    while (pg->undo.len) {
        struct undo undo = fl_vec_pop(&pg->undo);

        fl_free(pg_table_set(&pg->tables[undo.table], undo.old).at);
    }
}

static void forget_undo(struct fake_pg *pg)
{
    for (size_t i = 0; i < pg->undo.len; i++) {
        fl_free(pg->undo.at[i].old.at);
    }
    fl_vec_clear(&pg->undo);
}

/* ---- rows to tables -------------------------------------------------------------------------- */

/* A second row with this key: 23505. */
static bool insert(struct fake_pg *pg, enum row_table at, const struct row_key *key,
                   const struct row *row, const char **text)
{
    if (pg_table_has(&pg->tables[at], key)) {
        *text = row_table_name(at);
        return false;
    }
    put(pg, at, key, row);
    return true;
}

/* No partition holds this id: 23514. */
static bool has_partition(const struct fake_pg *pg, uint64_t job, const char **text)
{
    if (job < pg->job_below && (job == 0 || job >= pg->gone_below)) return true;
    *text = "no partition";
    return false;
}

struct row_key fake_pg_key(enum row_table table, uint64_t a, uint64_t b, uint64_t c)
{
    struct row row = {.kind = row_table_kind(table)};
    struct row_info info = row_info(row.kind);
    uint64_t numbers[] = {a, b, c};
    struct row_key key;
    size_t len = 0;

    for (size_t i = 0; i < info.len; i++) {
        if (!info.fields[i].is_key) continue;
        fl_assert(len < sizeof numbers / sizeof *numbers);
        row_set_number(&row, &info.fields[i], numbers[len++]);
    }
    row_key(&row, &key);
    return key;
}

static void end_job(struct fake_pg *pg, const struct row_job_end *row)
{
    struct pg_table *marks = &pg->tables[ROW_TABLE_open_mark];
    struct row_key key = fake_pg_key(ROW_TABLE_open_job, row->job, 0, 0);
    bool is_there;
    size_t i;

    take_away(pg, ROW_TABLE_open_job, &key);
    if (!row->has_marks) return;               /* believed, as the real one does */
    i = pg_table_seek(marks, &key, &is_there); /* a prefix of its marks' keys: where they begin */
    while (i < marks->entries.len && memcmp(marks->entries.at[i].at, key.at, key.len) == 0) {
        struct row_key mark = pg_entry_key(&marks->entries.at[i]);

        take_away(pg, ROW_TABLE_open_mark, &mark);
    }
}

/* The job's rows, where it has them, take its new values. */
static void edit_job(struct fake_pg *pg, const struct row *edit)
{
    static const enum row_table tables[] = {ROW_TABLE_job, ROW_TABLE_open_job};

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct row_key key = fake_pg_key(tables[t], row_job(edit), 0, 0);
        struct row row;

        if (!pg_table_find(&pg->tables[tables[t]], &key, &row)) continue;
        row_edit(&row, edit);
        put(pg, tables[t], &key, &row);
    }
}

/* The number before has ended and the element has not: else 'prev' is NULL, 23502. */
static bool follows(const struct fake_pg *pg, const struct row_attempt_new *row, const char **text)
{
    *text = "prev of attempt";
    return row->n > 0 &&
           !fake_pg_find(pg, ROW_TABLE_element_end, row->job, row->element, 0, NULL) &&
           (row->n == 1 ||
            fake_pg_find(pg, ROW_TABLE_attempt_end, row->job, row->element, row->n - 1u, NULL));
}

/* One row into its table; 'count' is that of the batch's rows without a key, which are keyed by it.
 * False: a constraint refuses it; the caller rolls back. */
static bool apply(struct fake_pg *pg, const struct row *row, uint64_t batch, uint32_t *count,
                  const char **text)
{
    struct row_info info = row_info(row->kind);
    struct row_key key;

    row_key(row, &key);
    switch (info.fold) {
    case ROW_FOLD_JOURNAL:
        return true;
    case ROW_FOLD_REMOVE:
        take_away(pg, info.table, &key);
        return true;
    case ROW_FOLD_LAST:
        put(pg, info.table, &key, row);
        return true;
    case ROW_FOLD_FIRST:
        if (!has_partition(pg, row_job(row), text)) return false;
        if (!pg_table_has(&pg->tables[info.table], &key)) put(pg, info.table, &key, row);
        return true;
    case ROW_FOLD_NEXT:
    case ROW_FOLD_APPEND:
        break;
    }
    if (row->kind == ROW_job_new && fl_str_eq(row->job_new.name, FL_STR(FAKE_PG_POISON))) {
        *text = "a constraint refuses this job";
        return false;
    }
    if (row->kind == ROW_job_end) {
        end_job(pg, &row->job_end);
        if (!row->job_end.is_array) return true;
    }
    if (row->kind == ROW_job_edit) edit_job(pg, row);
    if (key.len == 0) key = pg_key_add(pg_key_add(key, batch, 8), (*count)++, 4);
    return has_partition(pg, row_job(row), text) &&
           (info.fold != ROW_FOLD_NEXT || follows(pg, &row->attempt_new, text)) &&
           insert(pg, info.table, &key, row, text) &&
           (row->kind != ROW_job_new || insert(pg, ROW_TABLE_open_job, &key, row, text));
}

/* The store writes table by table: rows that another table's constraint looks up come first. */
static int statement_order(enum row_kind kind)
{
    switch ((int)kind) {
    case ROW_job_edit:
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

/* The rows of a batch of this order; below 0: all. */
static bool apply_rows(struct fake_pg *pg, const struct fake_pg_journal *batch, int order,
                       uint32_t *count, const char **text)
{
    struct fl_reader reader = fl_reader(batch->body.at, batch->body.len);

    while (reader.pos < reader.len) {
        struct fl_err err = {0};
        struct row row;

        fl_assert(row_decode(&reader, &row, &err)); /* the client encoded it */
        if (order >= 0 && statement_order(row.kind) != order) continue;
        if (!apply(pg, &row, batch->batch, count, text)) return false;
    }
    return true;
}

static bool apply_batch(struct fake_pg *pg, const struct fake_pg_journal *batch, const char **text)
{
    bool is_good = true;
    uint32_t count = 0;

    for (int order = 0; is_good && order <= 3; order++) {
        is_good = apply_rows(pg, batch, order, &count, text);
    }
    return is_good;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct fake_pg *fake_pg_create(uint64_t job_below, uint64_t batch_below)
{
    struct fake_pg *pg = fl_new(struct fake_pg);

    pg->job_below = job_below;
    pg->batch_below = batch_below;
    pg->epoch = 0; /* as migrate leaves it */
    pg->incarnation = 1;
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
    for (size_t t = 0; t < ROW_TABLES_LEN; t++) {
        pg_table_fini(&pg->tables[t]);
        pg_table_fini(&pg->gone[t]);
    }
    for (size_t i = 1; i < pg->journal.len; i++) {
        free((void *)pg->journal.at[i].body.at);
    }
    fake_pg_end_all(pg);
    fl_vec_fini(&pg->journal);
    fl_vec_fini(&pg->backends);
    fl_vec_fini(&pg->undo);
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

struct fake_pg_faults *fake_pg_faults(struct fake_pg *pg)
{
    return &pg->faults;
}

void fake_pg_set_room(struct fake_pg *pg, uint64_t job_below, uint64_t batch_below)
{
    pg->job_below = job_below;
    pg->batch_below = batch_below;
}

/* ---- partitions of old jobs ------------------------------------------------------------------ */

/* Tables that grow for ever are cut by job, if their key begins with one. */
static bool is_cut_by_job(enum row_kind kind)
{
    struct row_info info = row_info(kind);

    return info.fields[0].type == ROW_TYPE_job && info.fields[0].is_key &&
           (info.fold == ROW_FOLD_APPEND || info.fold == ROW_FOLD_NEXT ||
            info.fold == ROW_FOLD_FIRST);
}

bool fake_pg_may_remove(const struct fake_pg *pg, uint64_t below)
{
    const struct pg_table *open = &pg->tables[ROW_TABLE_open_job];

    if (fake_pg_newest_job(pg) < below) return false;
    return open->entries.len == 0 || pg_entry_job(&open->entries.at[0]) >= below;
}

void fake_pg_remove(struct fake_pg *pg, uint64_t below)
{
    fl_assert(below >= pg->gone_below);
    pg->gone_below = below;
    for (size_t k = 0; k < row_kinds_len; k++) {
        enum row_table at = row_info(row_kinds[k]).table;
        struct pg_table *table = &pg->tables[at];
        size_t len = 0;

        if (!is_cut_by_job(row_kinds[k])) continue;
        while (len < table->entries.len && pg_entry_job(&table->entries.at[len]) < below) {
            fl_vec_push(&pg->gone[at].entries, table->entries.at[len]);
            len++;
        }
        if (len == 0) continue;
        table->entries.len -= len;
        memmove(table->entries.at, table->entries.at + len,
                table->entries.len * sizeof(table->entries.at[0]));
    }
}

bool fake_pg_is_gone(const struct fake_pg *pg, uint64_t job)
{
    return job > 0 && job < pg->gone_below;
}

/* ---- leader and lease ------------------------------------------------------------------------ */

/* The lease may be taken: it has run out, was released, or is the same instance's. */
static bool lease_is_free(const struct fake_pg *pg, const char *instance, fl_ms wall)
{
    return pg->lease_expires_at < wall || pg->lease_expires_at > wall + 2 * FAKE_PG_TTL_MS ||
           pg->lease_instance[0] == 0 || strcmp(pg->lease_instance, instance) == 0;
}

enum fl_code fake_pg_take(struct fake_pg *pg, uint32_t backend, const char *instance, fl_ms wall,
                          uint64_t batch_from, uint64_t epoch_above, struct engine_taken *ret_taken,
                          struct time_mark *ret_mark)
{
    struct engine_taken taken = {0};
    struct backend *old;

    if (!find_backend(pg, backend)) return FL_UNAVAILABLE;
    if (!lease_is_free(pg, instance, wall)) return FL_DEPOSED;
    if (pg->faults.is_full) return FL_NO_SPACE;
    if (pg->faults.is_read_only) return FL_UNAVAILABLE;
    old = find_backend(pg, pg->writer);
    if (old && old->id != backend) {
        if (!pg->faults.is_deaf) {
            fake_pg_end(pg, old->id);
        } else if (old->has_batch) {
            return FL_CONFLICT; /* raising the epoch waits for its share lock */
        }
    }
    fl_assert(strlen(instance) < sizeof pg->lease_instance);
    memcpy(pg->lease_instance, instance, strlen(instance) + 1);
    pg->lease_expires_at = wall + FAKE_PG_TTL_MS;
    pg->epoch = (pg->epoch > epoch_above ? pg->epoch : epoch_above) + 1;
    pg->writer = backend;

    taken.epoch = pg->epoch;
    taken.incarnation = pg->incarnation;
    taken.batch_newest = fake_pg_newest(pg);
    taken.at_newest = pg->journal.at[pg->journal.len - 1].at;
    taken.job_below = pg->job_below;
    taken.batch_below = pg->batch_below;
    for (size_t i = batch_from; batch_from && i < pg->journal.len && taken.keys_len < 8; i++) {
        taken.keys[taken.keys_len++] =
            (struct engine_journal_key){pg->journal.at[i].batch, pg->journal.at[i].epoch};
    }
    *ret_taken = taken;
    *ret_mark = pg->lease_mark;
    return FL_OK;
}

bool fake_pg_mark(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                  struct time_mark mark)
{
    if (strcmp(pg->lease_instance, instance) != 0 || pg->epoch != epoch) return false;
    mark.clocks.postgres = wall;
    pg->lease_mark = mark;
    return true;
}

bool fake_pg_renew(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                   struct time_mark mark)
{
    if (!fake_pg_mark(pg, instance, epoch, wall, mark)) return false;
    pg->lease_expires_at = wall + FAKE_PG_TTL_MS;
    return true;
}

void fake_pg_release(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                     struct time_mark mark)
{
    if (fake_pg_mark(pg, instance, epoch, wall, mark)) pg->lease_instance[0] = 0;
}

/* ---- batches --------------------------------------------------------------------------------- */

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
    if (pg->faults.is_full) return fail(self, ENGINE_NO_SPACE, "53100", text);
    if (pg->faults.is_read_only) return fail(self, ENGINE_AWAY, "25006", text);
    if (batch >= pg->batch_below) return fail(self, ENGINE_POISONED, "no partition", text);
    /* NOT NULL is checked column by column, before any key: prev, then epoch. */
    if (batch == 0 || batch > fake_pg_newest(pg) + 1) {
        return fail(self, ENGINE_RELOAD, "23502 journal prev", text);
    }
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
    self->batch.body.at = self->body;
    if (!apply_batch(pg, &self->batch, &why)) {
        roll_back(pg);
        return fail(self, ENGINE_POISONED, why, text);
    }
    forget_undo(pg);
    fl_vec_push(&pg->journal, self->batch);
    self->body = NULL;
    self->has_batch = false;
    return ENGINE_COMMITTED;
}

enum engine_commit fake_pg_give_up(struct fake_pg *pg, uint32_t backend, const char *why,
                                   const char **text)
{
    struct backend *self = find_backend(pg, backend);

    if (!self) return ENGINE_UNKNOWN;
    if (self->is_aborted) return fail(self, ENGINE_RELOAD, "25P02", text);
    fl_assert(self->has_batch);
    return fail(self, ENGINE_AWAY, why, text);
}

/* ---- a restored backup ----------------------------------------------------------------------- */

void fake_pg_restore(struct fake_pg *pg, uint64_t batch)
{
    fake_pg_end_all(pg);
    while (fake_pg_newest(pg) > batch) {
        free((void *)fl_vec_pop(&pg->journal).body.at);
    }
    for (size_t t = 0; t < ROW_TABLES_LEN; t++) {
        pg_table_fini(&pg->tables[t]);
        pg->tables[t] = (struct pg_table){0};
        pg_table_fini(&pg->gone[t]);
        pg->gone[t] = (struct pg_table){0};
    }
    pg->gone_below = 0; /* the backup has them */
    for (size_t i = 1; i < pg->journal.len; i++) {
        const char *why = "";

        fl_assert(apply_batch(pg, &pg->journal.at[i], &why));
        forget_undo(pg);
    }
    pg->epoch = pg->journal.at[pg->journal.len - 1].epoch;
    pg->lease_instance[0] = 0;
}

/* ---- the journal and the tables -------------------------------------------------------------- */

/* Folded in the order decided and not, as the batches were, in that of the store's statements: a
 * batch whose rows mean something else when they are reordered is found here. */
bool fake_pg_fold_is_equal(const struct fake_pg *pg, struct fl_err *err)
{
    struct fake_pg *fold = fake_pg_create(UINT64_MAX, UINT64_MAX);
    bool is_equal = true;

    for (size_t i = 1; is_equal && i < pg->journal.len; i++) {
        const char *text = "";
        uint32_t count = 0;

        is_equal = apply_rows(fold, &pg->journal.at[i], -1, &count, &text) ||
                   fl_fail(err, FL_CONFLICT, "batch %llu, in its order: %s refuses a row",
                           (unsigned long long)pg->journal.at[i].batch, text);
        forget_undo(fold);
    }
    fake_pg_remove(fold, pg->gone_below);
    for (size_t t = 0; is_equal && t < ROW_TABLES_LEN; t++) {
        const struct pg_table *a = &pg->tables[t];
        const struct pg_table *b = &fold->tables[t];

        if (a->entries.len != b->entries.len) {
            is_equal = fl_fail(err, FL_CONFLICT, "%s has %zu rows, the journal's fold %zu",
                               row_table_name((enum row_table)t), a->entries.len, b->entries.len);
        }
        for (size_t i = 0; is_equal && i < a->entries.len; i++) {
            const struct pg_entry *x = &a->entries.at[i];
            const struct pg_entry *y = &b->entries.at[i];

            if (x->key_len != y->key_len || x->row_len != y->row_len ||
                memcmp(x->at, y->at, x->key_len + x->row_len) != 0) {
                is_equal = fl_fail(err, FL_CONFLICT, "row %zu of %s is not the journal's fold", i,
                                   row_table_name((enum row_table)t));
            }
        }
    }
    fake_pg_destroy(fold);
    return is_equal;
}
