#include "tests/store/diff_help_bad.h"

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

static bool skipped_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                            struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_attempt, &row)) return false;
    /* Far ahead: after an older attempt of an element that waits, n + 2 may well be the next
     * one. */
    help_attempt(batch, row.attempt_new.job, row.attempt_new.element,
                 (uint16_t)(row.attempt_new.n + 1000));
    return true;
}

static bool repeated_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                             struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_attempt, &row)) return false;
    core_batch_row(batch, &row);
    return true;
}

static bool attempt_without_number(const struct fake_pg *fake, struct fl_prng *prng,
                                   struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_open_job, &row)) return false;
    help_attempt(batch, row.job_new.job, 0, 0);
    return true;
}

static bool attempt_after_terminal_row(const struct fake_pg *fake, struct fl_prng *prng,
                                       struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_element_end, &row)) return false;
    help_attempt(batch, row.element_end.job, row.element_end.element,
                 (uint16_t)(row.element_end.n + 1));
    return true;
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

static bool second_terminal_row(const struct fake_pg *fake, struct fl_prng *prng,
                                struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_element_end, &row)) return false;
    help_end(batch, row.element_end.job, row.element_end.element, row.element_end.n);
    return true;
}

static bool second_end_of_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                                  struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_attempt_end, &row)) return false;
    help_attempt_end(batch, row.attempt_end.job, row.attempt_end.element, row.attempt_end.n);
    return true;
}

static bool second_end_of_array(const struct fake_pg *fake, struct fl_prng *prng,
                                struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_job_end, &row)) return false;
    row.job_end.is_array = 1; /* no column has it */
    core_batch_row(batch, &row);
    return true;
}

static bool repeated_job(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_job, &row)) return false;
    help_job(batch, row.job_new.job, 1);
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

static bool repeated_key(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, ROW_TABLE_idempotency, &row)) return false;
    core_batch_row(batch, &row);
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
    {"skipped_attempt", skipped_attempt},
    {"repeated_attempt", repeated_attempt},
    {"attempt_without_number", attempt_without_number},
    {"attempt_after_terminal_row", attempt_after_terminal_row},
    {"attempt_after_ended_attempt_and_terminal_row", attempt_after_ended_attempt_and_terminal_row},
    {"second_terminal_row", second_terminal_row},
    {"second_end_of_attempt", second_end_of_attempt},
    {"second_end_of_array", second_end_of_array},
    {"repeated_job", repeated_job},
    {"job_twice_in_one", job_twice_in_one},
    {"repeated_key", repeated_key},
    {"poison", poison},
    {"beyond_partitions", beyond_partitions},
};

const size_t diff_bads_len = sizeof diff_bads / sizeof diff_bads[0];

/* A field of each type, with very few values. */
#define RANDOM_job (DIFF_JOBS + fl_prng_below(prng, 6))
#define RANDOM_u8 (uint8_t)(1 + fl_prng_below(prng, 3))
#define RANDOM_flag (uint8_t) fl_prng_below(prng, 2)
#define RANDOM_u16 (uint16_t) fl_prng_below(prng, 4)
#define RANDOM_code RANDOM_u16
#define RANDOM_u32 (uint32_t) fl_prng_below(prng, 3)
#define RANDOM_u64 fl_prng_below(prng, DIFF_JOBS)
#define RANDOM_some_u64 RANDOM_u64
#define RANDOM_i32 (int32_t) fl_prng_below(prng, 9) - 4
#define RANDOM_i64 (int64_t) fl_prng_below(prng, DIFF_JOBS) - 1000
#define RANDOM_digest ((struct fl_digest){{(uint8_t)fl_prng_below(prng, 3)}})

void diff_add_random_row(struct fl_prng *prng, struct core_batch *batch)
{
    struct row row = {.kind = row_kinds[fl_prng_below(prng, row_kinds_len)]};
    char key[2] = {(char)('a' + fl_prng_below(prng, 20)), 0};
    struct fl_str text = {key, fl_prng_below(prng, 2)};

    switch (row.kind) {
#define F(type, name) r->name = RANDOM_##type;
#define B(type, name, max) r->name = text;
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        struct row_##name_ *r = &row.name_;                                                        \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        return;
    }
    /* Arrays only: the core knows which rows a plain job may have. */
    if (row.kind == ROW_job_new) row.job_new.elements = 3;
    /* A job whose end does not say that it has marks has none: the core knows. */
    if (row.kind == ROW_job_end) row.job_end.has_marks = 1;
    core_batch_row(batch, &row);
}
