#include "tests/store/diff_help_bad.h"

#include "shared/base/assert.h"
#include "shared/base/prng.h"
#include "tests/store/store_help.h"

bool diff_any(const struct fake_pg *fake, struct fl_prng *prng, enum row_table table,
              struct row *ret_row)
{
    size_t len = fake_pg_len(fake, table);

    if (len == 0) return false;
    *ret_row = fake_pg_row(fake, table, fl_prng_below(prng, len));
    return true;
}

static bool second_live_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                                struct core_batch *batch)
{
    for (int i = 0; i < 20; i++) {
        struct row row;
        struct row_attempt_new *at = &row.attempt_new;

        if (!diff_any(fake, prng, ROW_TABLE_attempt, &row)) return false;
        if (fake_pg_find(fake, ROW_TABLE_attempt_end, at->job, at->element, at->n, NULL)) continue;
        if (fake_pg_find(fake, ROW_TABLE_element_end, at->job, at->element, 0, NULL)) continue;
        help_attempt(batch, at->job, at->element, (uint16_t)(at->n + 1));
        return true;
    }
    return false;
}

static bool attempt_after_ended_attempt_and_terminal_row(const struct fake_pg *fake,
                                                         struct fl_prng *prng,
                                                         struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_element_end, &row)) return false;
    help_attempt_end(batch, row.element_end.job, row.element_end.element, 60000);
    help_attempt(batch, row.element_end.job, row.element_end.element, 60001);
    return true;
}

static bool job_twice_in_one(const struct fake_pg *fake, struct fl_prng *prng,
                             struct core_batch *batch)
{
    uint64_t job = DIFF_JOBS + 100 + fl_prng_below(prng, 100);

    (void)fake;
    help_job(batch, job, 1);
    help_job(batch, job, 1);
    return true;
}

static bool poison(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch)
{
    (void)fake;
    help_row(batch, (struct row){.kind = ROW_job_new,
                                 .job_new = {.job = DIFF_JOBS + 200 + fl_prng_below(prng, 100),
                                             .elements = 1,
                                             .name = FL_STR(FAKE_PG_POISON)}});
    return true;
}

static bool beyond_partitions(const struct fake_pg *fake, struct fl_prng *prng,
                              struct core_batch *batch)
{
    uint64_t job = DIFF_ROOM + fl_prng_below(prng, 10);
    struct fl_digest digest = {{1}};

    (void)fake;
    switch (fl_prng_below(prng, 6)) {
    case 0:
        help_job(batch, job, 1);
        break;
    case 1:
        help_attempt(batch, job, 0, 1);
        break;
    case 2:
        help_attempt_end(batch, job, 0, 1);
        break;
    case 3:
        help_end(batch, job, 0, 0);
        break;
    case 4:
        help_job_end(batch, job, true);
        break;
    default:
        help_row(batch,
                 (struct row){.kind = ROW_spec_new, .spec_new = {.job = job, .digest = digest}});
        break;
    }
    return true;
}

const struct diff_bad diff_bads[] = {
    {"second_live_attempt", second_live_attempt},
    /* Far ahead: after an older attempt of an element that waits, n + 2 may well be the next
     * one. */
    {"skipped_attempt", .follows = ROW_TABLE_attempt, .ahead = 1000},
    {"attempt_without_number", .follows = ROW_TABLE_open_job},
    {"attempt_after_terminal_row", .follows = ROW_TABLE_element_end, .ahead = 1},
    {"attempt_after_ended_attempt_and_terminal_row", attempt_after_ended_attempt_and_terminal_row},
    {"job_twice_in_one", job_twice_in_one},
    {"poison", poison},
    {"beyond_partitions", beyond_partitions},
    {"repeated_attempt", .repeats = ROW_TABLE_attempt},
    {"second_terminal_row", .repeats = ROW_TABLE_element_end},
    {"second_end_of_attempt", .repeats = ROW_TABLE_attempt_end},
    {"second_end_of_array", .repeats = ROW_TABLE_job_end},
    {"repeated_job", .repeats = ROW_TABLE_job},
    {"repeated_key", .repeats = ROW_TABLE_idempotency},
};

const size_t diff_bads_len = sizeof diff_bads / sizeof diff_bads[0];

/* 0: the row does not have the field. */
static int64_t number_of(const struct row *row, const char *name)
{
    const struct row_field *field = row_field_named(row->kind, name);

    return field ? row_number(row, field) : 0;
}

bool diff_add_bad(const struct diff_bad *bad, const struct fake_pg *fake, struct fl_prng *prng,
                  struct core_batch *batch)
{
    struct row row;

    if (bad->add) return bad->add(fake, prng, batch);
    if (!diff_any(fake, prng, bad->follows ? bad->follows : bad->repeats, &row)) return false;
    if (bad->follows) {
        help_attempt(batch, row_job(&row), (uint32_t)number_of(&row, "element"),
                     (uint16_t)(number_of(&row, "n") + bad->ahead));
        return true;
    }
    if (row.kind == ROW_job_end) row.job_end.is_array = 1; /* no column has it */
    core_batch_row(batch, &row);
    return true;
}

/* One of the few values that a field of this type gets. */
static uint64_t random_number(struct fl_prng *prng, enum row_type type)
{
    switch (type) {
    case ROW_TYPE_job:
        return DIFF_JOBS + fl_prng_below(prng, 6);
    case ROW_TYPE_u8:
        return 1 + fl_prng_below(prng, 3);
    case ROW_TYPE_flag:
        return fl_prng_below(prng, 2);
    case ROW_TYPE_u16:
    case ROW_TYPE_code:
        return fl_prng_below(prng, 4);
    case ROW_TYPE_u32:
        return fl_prng_below(prng, 3);
    case ROW_TYPE_i32:
        return fl_prng_below(prng, 9) - 4;
    case ROW_TYPE_i64:
        return fl_prng_below(prng, DIFF_JOBS) - 1000;
    default:
        return fl_prng_below(prng, DIFF_JOBS);
    }
}

/* No core edits a job before it has accepted it. */
static bool is_edited(const struct core_batch *batch, uint64_t job)
{
    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind == ROW_job_edit && row->job_edit.job == job) return true;
    }
    return false;
}

/* No core takes an answer back in the batch that keeps it: it knows what a key has from reading. */
static bool is_kept(const struct core_batch *batch, const struct row_idempotency_drop *drop)
{
    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind == ROW_idempotency && row->idempotency.tenant == drop->tenant &&
            fl_str_eq(row->idempotency.key, drop->key)) {
            return true;
        }
    }
    return false;
}

void diff_add_random_row(struct fl_prng *prng, struct core_batch *batch)
{
    struct row row = {.kind = row_kinds[fl_prng_below(prng, row_kinds_len)]};
    struct row_info info = row_info(row.kind);
    char key[2] = {(char)('a' + fl_prng_below(prng, 20)), 0};
    struct fl_str text = {key, fl_prng_below(prng, 2)};

    for (size_t i = 0; i < info.len; i++) {
        const struct row_field *field = &info.fields[i];
        struct fl_digest digest = {{(uint8_t)fl_prng_below(prng, 3)}};
        bool is_digest = field->type == ROW_TYPE_digest;

        if (row_number_bytes(field) > 0) {
            row_set_number(&row, field, random_number(prng, (enum row_type)field->type));
        } else if (field->type < ROW_TYPE_COUNT) {
            fl_assert(row_set_bytes(
                &row, field,
                is_digest ? (struct fl_str){(const char *)digest.at, sizeof digest.at} : text));
        }
    }
    /* Arrays only: the core knows which rows a plain job may have. */
    if (row.kind == ROW_job_new) row.job_new.elements = 3;
    /* A job whose end does not say that it has marks has none: the core knows. */
    if (row.kind == ROW_job_end) row.job_end.has_marks = 1;
    /* None of the jobs above: a job ends once, after it was accepted. */
    if (row.kind == ROW_job_end) row.job_end.job += 6;
    if (row.kind == ROW_job_new && is_edited(batch, row.job_new.job)) return;
    if (row.kind == ROW_idempotency_drop && is_kept(batch, &row.idempotency_drop)) return;
    core_batch_row(batch, &row);
}
