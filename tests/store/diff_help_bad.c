#include "tests/store/diff_help_bad.h"

#include "shared/base/prng.h"
#include "tests/store/store_help.h"

bool diff_any(const struct fake_pg *fake, struct fl_prng *prng, enum fake_pg_table table,
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
        struct row row, end;
        struct row_attempt_new *at = &row.attempt_new;
        struct fl_job job;

        if (!diff_any(fake, prng, FAKE_PG_attempt, &row)) return false;
        job = (struct fl_job){at->job};
        if (fake_pg_find_attempt_end(fake, job, at->element, at->n, &end)) continue;
        if (fake_pg_find_element_end(fake, job, at->element, &end)) continue;
        help_attempt(batch, at->job, at->element, (uint16_t)(at->n + 1));
        return true;
    }
    return false;
}

static bool skipped_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                            struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_attempt, &row)) return false;
    /* Far ahead: of an older attempt of an element that waits, n + 2 may well be the one that follows. */
    help_attempt(batch, row.attempt_new.job, row.attempt_new.element,
                 (uint16_t)(row.attempt_new.n + 1000));
    return true;
}

static bool repeated_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                             struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_attempt, &row)) return false;
    core_batch_row(batch, &row);
    return true;
}

static bool attempt_without_number(const struct fake_pg *fake, struct fl_prng *prng,
                                   struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_open_job, &row)) return false;
    help_attempt(batch, row.job_new.job, 0, 0);
    return true;
}

static bool attempt_after_terminal_row(const struct fake_pg *fake, struct fl_prng *prng,
                                       struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_element_end, &row)) return false;
    help_attempt(batch, row.element_end.job, row.element_end.element,
                 (uint16_t)(row.element_end.n + 1));
    return true;
}

static bool attempt_after_ended_attempt_and_terminal_row(const struct fake_pg *fake,
                                                         struct fl_prng *prng,
                                                         struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_element_end, &row)) return false;
    help_attempt_end(batch, row.element_end.job, row.element_end.element, 60000);
    help_attempt(batch, row.element_end.job, row.element_end.element, 60001);
    return true;
}

static bool second_terminal_row(const struct fake_pg *fake, struct fl_prng *prng,
                                struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_element_end, &row)) return false;
    help_end(batch, row.element_end.job, row.element_end.element, row.element_end.n);
    return true;
}

static bool second_end_of_attempt(const struct fake_pg *fake, struct fl_prng *prng,
                                  struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_attempt_end, &row)) return false;
    help_attempt_end(batch, row.attempt_end.job, row.attempt_end.element, row.attempt_end.n);
    return true;
}

static bool second_end_of_array(const struct fake_pg *fake, struct fl_prng *prng,
                                struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_job_end, &row)) return false;
    core_batch_row(batch, &row);
    return true;
}

static bool repeated_job(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch)
{
    struct row row;

    if (!diff_any(fake, prng, FAKE_PG_job, &row)) return false;
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

    if (!diff_any(fake, prng, FAKE_PG_idempotency, &row)) return false;
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

void diff_add_random_row(struct fl_prng *prng, struct core_batch *batch)
{
    uint64_t job = DIFF_JOBS + fl_prng_below(prng, 6), value = fl_prng_below(prng, DIFF_JOBS);
    uint32_t element = (uint32_t)fl_prng_below(prng, 3),
             small = 5000 + (uint32_t)fl_prng_below(prng, 3);
    uint16_t n = (uint16_t)fl_prng_below(prng, 4);
    char key[2] = {(char)('a' + fl_prng_below(prng, 20)), 0};
    struct fl_str name = {key, fl_prng_below(prng, 2)};
    struct fl_digest digest = {{(uint8_t)fl_prng_below(prng, 3)}};
    struct row row = {.kind = (enum row_kind)(1 + fl_prng_below(prng, ROW_KINDS_LEN - 1))};

    switch (row.kind) {
    case ROW_job_new:
        help_job(batch, job, 3); /* arrays: what a plain job may never have is the core's to know */
        return;
    case ROW_attempt_new:
        help_attempt(batch, job, element, n);
        return;
    case ROW_attempt_end:
        help_attempt_end(batch, job, element, n);
        return;
    case ROW_element_end:
        help_end(batch, job, element, n);
        return;
    case ROW_job_end:
        help_job_end(batch, job, fl_prng_below(prng, 2));
        return;
    case ROW_spec_new:
        row.spec_new = (struct row_spec_new){.job = job, .digest = digest, .body = name};
        break;
    case ROW_shape_new:
        row.shape_new = (struct row_shape_new){.shape = small, .body = name};
        break;
    case ROW_shape_drop:
        row.shape_drop.shape = small;
        break;
    case ROW_mark_set:
        row.mark_set = (struct row_mark_set){.job = job,
                                             .kind = (uint8_t)(1 + fl_prng_below(prng, 3)),
                                             .value = (int64_t)value - 1000,
                                             .body = name};
        break;
    case ROW_mark_clear:
        row.mark_clear =
            (struct row_mark_clear){.job = job, .kind = (uint8_t)(1 + fl_prng_below(prng, 3))};
        break;
    case ROW_queue_put:
        row.queue_put = (struct row_queue_put){.queue = small,
                                               .tenant = 1,
                                               .is_paused = (uint8_t)fl_prng_below(prng, 2),
                                               .name = name};
        break;
    case ROW_cluster_put:
        row.cluster_put = (struct row_cluster_put){.cluster = small,
                                                   .state = 1,
                                                   .access = (uint8_t)fl_prng_below(prng, 3),
                                                   .is_draining = (uint8_t)fl_prng_below(prng, 2),
                                                   .session_epoch = value,
                                                   .generation = value,
                                                   .seen = value / 2,
                                                   .key = digest,
                                                   .name = name,
                                                   .cordon = name};
        break;
    case ROW_counter:
        row.counter =
            (struct row_counter){.counter = (uint8_t)(1 + fl_prng_below(prng, 3)), .value = value};
        break;
    case ROW_audit:
        row.audit = (struct row_audit){.tenant = 1, .actor = name, .body = name};
        break;
    case ROW_idempotency:
        row.idempotency = (struct row_idempotency){
            .tenant = 1 + (uint32_t)fl_prng_below(prng, 3), .body_sha = digest, .key = name};
        break;
    case ROW_join_put:
        row.join_put = (struct row_join_put){.token = digest,
                                             .tenant = 1,
                                             .expires_at = (int64_t)value,
                                             .cluster = small,
                                             .key = digest,
                                             .name = name};
        break;
    case ROW_join_drop:
        row.join_drop.token = digest;
        break;
    case ROW_token_put:
        row.token_put = (struct row_token_put){.tenant = 1,
                                               .scopes = (uint8_t)fl_prng_below(prng, 16),
                                               .made_at = (int64_t)value,
                                               .mac = digest,
                                               .id = name,
                                               .name = name};
        break;
    case ROW_token_drop:
        row.token_drop.id = name;
        break;
    case ROW_replica_phase:
        row.replica_phase.job = job;
        break;
    case ROW_cluster_phase:
        row.cluster_phase.cluster = small;
        break;
    case ROW_KINDS_LEN:
        return;
    }
    core_batch_row(batch, &row);
}
