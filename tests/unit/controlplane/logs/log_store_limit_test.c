#include "controlplane/logs/log_store.h"

#include <stdio.h>

#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

#define JOB 77

/* The gap of output i when it keeps 'share': the records that lie whole in its middle. */
static void check_middle(const struct log_world *world, const struct log_world_read *read, size_t i,
                         uint64_t share)
{
    const struct log_truth *truth = &world->outputs[i];
    uint64_t length = truth->bytes.len;
    uint64_t begin = length;
    uint64_t end = 0;
    size_t gaps_len = 0;

    for (size_t k = 0; length > share && k < truth->ends.len; k++) {
        uint64_t offset = k > 0 ? truth->ends.at[k - 1] : 0;

        if (offset < share / 2 || truth->ends.at[k] > length - share / 2) continue;
        if (offset < begin) begin = offset;
        end = truth->ends.at[k];
    }
    for (size_t k = 0; k < read->lines.len; k++) {
        const struct log_line *line = &read->lines.at[k];

        if (!line->gap || !fl_attempt_is_same(line->attempt, truth->attempt) ||
            line->replica != truth->replica) {
            continue;
        }
        assert_int_equal(line->gap, FL_LOG_GAP_limit);
        assert_int_equal(line->offset, begin);
        assert_int_equal(line->gap_bytes, end - begin);
        gaps_len++;
    }
    assert_int_equal(gaps_len, length > share ? 1 : 0);
}

/* A gap counts as the lines that are missing in it. */
static uint64_t lines_counted(const struct log_world_read *read)
{
    uint64_t count = 0;

    for (size_t i = 0; i < read->lines.len; i++) {
        count += read->lines.at[i].gap ? read->lines.at[i].gap_lines : 1;
    }
    return count;
}

static void read_from(struct log_world *world, struct log_query query, enum log_from from,
                      uint64_t n, struct log_world_read *ret_read)
{
    log_world_read_fini(ret_read);
    query.from = from;
    query.n = n;
    log_world_read(world, &query, ret_read);
    assert_int_equal(ret_read->err.code, FL_OK);
    assert_true(ret_read->lines.len > 0);
}

static void of_a_long_output_the_first_and_the_last_are_kept(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    uint64_t gap_bytes = 0;

    (void)state;
    log_world_init(&world, 9);
    world.config.segment_bytes = 300000;
    world.config.attempt_bytes_max = 400000;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 3000000, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_restart(&world); /* the waiting segment is sealed, now that its length is known */
    log_world_wait_sealed(&world, 1);
    log_world_read(&world, &query, &read);
    assert_true(log_world_is_exact(&world, &read, 0, 0)); /* with the gap at its place */
    for (size_t i = 0; i < read.lines.len; i++) {
        if (read.lines.at[i].gap) assert_int_equal(read.lines.at[i].gap, FL_LOG_GAP_limit);
        gap_bytes += read.lines.at[i].gap_bytes;
    }
    assert_true(gap_bytes <= 3000000 - 400000);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void replicas_of_an_attempt_share_its_limit(void **state)
{
    static struct log_world world;
    struct log_query query = log_world_whole(JOB);

    (void)state;
    log_world_init(&world, 15);
    world.config.attempt_bytes_max = 400000;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_add(&world, JOB, 0, 1, 1);
    log_world_add(&world, JOB, 0, 2, 0); /* other attempts, of this element and of another */
    log_world_add(&world, JOB, 1, 1, 0);
    log_world_write_random(&world, 0, 1500000, 1000);
    log_world_write_random(&world, 1, 100000, 1000); /* leaves 300,000 to the other */
    log_world_write_random(&world, 2, 390000, 1000);
    log_world_write_random(&world, 3, 390000, 1000);
    for (size_t i = 0; i < world.outputs_len; i++) {
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    for (int round = 0; round < 2; round++) {
        struct log_world_read read = {0};

        log_world_read(&world, &query, &read);
        for (size_t i = 0; i < world.outputs_len; i++) {
            assert_true(log_world_is_exact(&world, &read, i, 0));
            check_middle(&world, &read, i, i == 0 ? 300000 : 400000);
        }
        log_world_read_fini(&read);
        log_world_restart(&world);
    }
    log_world_fini(&world);
}

static void what_was_sealed_before_a_restart_is_cut_when_others_need_their_share(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 16);
    world.config.attempt_bytes_max = 1000000;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 1500000, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    log_world_read(&world, &query, &read);
    check_middle(&world, &read, 0, 1000000); /* it was alone */
    log_world_read_fini(&read);
    log_world_restart(&world);
    for (uint32_t i = 1; i < 4; i++) {
        log_world_add(&world, JOB, 0, 1, i);
        log_world_write_random(&world, i, 1500000, 1000);
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_seal_all(&world, 2);
    while (log_store_stats(world.store).files_trimmed == 0) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    log_world_read(&world, &query, &read);
    for (size_t i = 0; i < world.outputs_len; i++) {
        assert_true(log_world_is_exact(&world, &read, i, 0));
        check_middle(&world, &read, i, 250000);
    }
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void lines_in_a_gap_count_and_who_begins_at_one_is_given_the_gap(void **state)
{
    static const uint64_t tails[] = {10, 7000, 20000, 33000, 39999};
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    struct log_query one = log_world_whole(JOB);
    struct log_line gap = {0};

    (void)state;
    log_world_init(&world, 21);
    world.config.attempt_bytes_max = 400000;
    log_world_restart(&world);
    for (uint32_t i = 0; i < 2; i++) {
        log_world_add(&world, JOB, 0, 1, i);
        for (int k = 0; k < 20000; k++) {
            char line[64];
            int len = snprintf(line, sizeof(line), "line %d of many, most to be left out\n", k);

            log_world_write(&world, i, line, (size_t)len, 1000 + k);
        }
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    one.replicas_len = 1; /* replica 0 */
    read_from(&world, one, LOG_FROM_START, 0, &read);
    assert_int_equal(lines_counted(&read), 20000);
    for (size_t i = 0; i < read.lines.len; i++) {
        if (read.lines.at[i].gap) gap = read.lines.at[i];
    }
    assert_true(gap.number > 1000 && gap.gap_lines > 10000);

    read_from(&world, one, LOG_FROM_LINE, gap.number + 5, &read);
    assert_int_equal(read.lines.at[0].gap, FL_LOG_GAP_limit);
    assert_int_equal(read.lines.at[0].number, gap.number + 5);
    assert_int_equal(read.lines.at[0].offset, gap.offset);
    assert_int_equal(read.lines.at[0].gap_bytes, gap.gap_bytes);
    assert_int_equal(read.lines.at[1].number, gap.number + gap.gap_lines);
    assert_int_equal(lines_counted(&read), 20000 - gap.number - 5);

    read_from(&world, one, LOG_FROM_LINE, gap.number + gap.gap_lines, &read);
    assert_int_equal(read.lines.at[0].gap, FL_LOG_GAP_none);
    assert_int_equal(read.lines.at[0].number, gap.number + gap.gap_lines);
    assert_int_equal(lines_counted(&read), 20000 - gap.number - gap.gap_lines);

    read_from(&world, one, LOG_FROM_TAIL, 20000 - gap.number - 7, &read);
    assert_int_equal(read.lines.at[0].number, gap.number + 7);
    assert_int_equal(read.lines.at[0].gap, FL_LOG_GAP_limit);

    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) { /* both replicas */
        read_from(&world, query, LOG_FROM_TAIL, tails[i], &read);
        assert_int_equal(lines_counted(&read), tails[i]);
        read_from(&world, query, LOG_FROM_LINE, tails[i], &read);
        assert_int_equal(lines_counted(&read), 40000 - tails[i]);
    }
    log_world_read_fini(&read);
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(of_a_long_output_the_first_and_the_last_are_kept),
         cmocka_unit_test(replicas_of_an_attempt_share_its_limit),
         cmocka_unit_test(what_was_sealed_before_a_restart_is_cut_when_others_need_their_share),
         cmocka_unit_test(lines_in_a_gap_count_and_who_begins_at_one_is_given_the_gap))
