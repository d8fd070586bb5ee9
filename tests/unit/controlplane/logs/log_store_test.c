#include "controlplane/logs/log_store.h"

#include <stdio.h>

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

#define JOB 77

static void what_was_written_is_what_is_read(void **state)
{
    static struct log_world world;
    static const char nasty[] = "one\n\0two\xff\xfe\n\n\nthe last has no newline";

    (void)state;
    log_world_init(&world, 1);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write(&world, 0, nasty, sizeof(nasty) - 1, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    log_world_restart(&world);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

static void a_line_of_a_mebibyte_comes_back_whole(void **state)
{
    static struct log_world world;
    char *line = fl_alloc(1 << 20);
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);

    (void)state;
    memset(line, 'x', 1 << 20);
    line[(1 << 20) - 1] = '\n';
    log_world_init(&world, 1);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write(&world, 0, "a\n", 2, 1000);
    log_world_write(&world, 0, line, 1 << 20, 1001);
    log_world_write(&world, 0, "b\n", 2, 1002);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    query.from = LOG_FROM_LINE; /* the one behind it is found by number */
    query.n = 2;
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 1);
    assert_int_equal(read.lines.at[0].number, 2);
    assert_memory_equal(read.bytes.at, "b\n", 2);
    log_world_read_fini(&read);
    query.n = 1; /* and it itself, in pieces of one line */
    log_world_read(&world, &query, &read);
    assert_true(read.lines.len > 2);
    assert_true(read.lines.at[0].is_begin && !read.lines.at[0].is_end);
    assert_true(!read.lines.at[1].is_begin);
    assert_int_equal(read.bytes.len, (1 << 20) + 2);
    log_world_read_fini(&read);
    log_world_fini(&world);
    fl_free(line);
}

static void cuts_restarts_and_crashes_lose_and_repeat_nothing(void **state)
{
    static struct log_world world;

    (void)state;
    log_world_init(&world, 5);
    log_world_small(&world);
    for (uint32_t i = 0; i < 6; i++) {
        log_world_add(&world, JOB, i / 3, 1, i % 3);
    }
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < world.outputs_len; i++) {
            if (world.outputs[i].is_ended || fl_prng_below(&world.prng, 3) == 0) continue;
            log_world_write_random(&world, i, fl_prng_below(&world.prng, 40000), 1000 + round);
        }
        for (uint64_t steps = fl_prng_below(&world.prng, 40); steps > 0; steps--) {
            log_world_step(&world);
        }
        switch (fl_prng_below(&world.prng, 4)) {
        case 0:
        case 1:
            log_world_cut(&world);
            break;
        case 2:
            log_world_restart(&world);
            break;
        default:
            log_world_crash(&world);
            break;
        }
        if (round == 40) log_world_end(&world, 2);
    }
    for (size_t i = 0; i < world.outputs_len; i++) {
        if (i != 2) log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    log_world_crash(&world); /* acknowledged bytes survive a crash */
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

static void a_follower_sees_each_byte_once_while_it_is_written(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    fl_ms until;

    (void)state;
    log_world_init(&world, 6);
    log_world_small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_add(&world, JOB, 0, 1, 1);
    query.is_following = true;
    log_world_read(&world, &query, &read);
    for (int round = 0; round < 100; round++) {
        log_world_write_random(&world, (size_t)round % 2, 10000, 1000 + round);
        log_world_step(&world);
        if (round % 30 == 29) log_world_cut(&world);
    }
    log_world_end(&world, 0);
    log_world_end(&world, 1);
    log_world_settle(&world);
    log_read_settle(read.read, &(struct log_attempts){0});
    for (until = fl_clock_mono() + 60000; !read.is_over;) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    assert_true(log_world_is_exact(&world, &read, 0, 0));
    assert_true(log_world_is_exact(&world, &read, 1, 0));
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void who_wants_whole_lines_gets_none_before_its_end_also_of_one_output(void **state)
{
    static const char *const pieces[] = {"oh he", "ll", "o\nnext\nla", "st"};
    static const char *const lines[] = {"oh hello\n", "next\n", "last"};
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    fl_ms until;

    (void)state;
    log_world_init(&world, 16);
    log_world_add(&world, JOB, 0, 1, 0);
    query.is_following = true;
    query.has_whole_lines = true;
    log_world_read(&world, &query, &read);
    for (size_t i = 0; i < 4; i++) {
        log_world_write(&world, 0, pieces[i], strlen(pieces[i]), 1000 + (fl_ms)i);
        log_world_settle(&world);
        for (int step = 0; step < 50; step++) {
            log_world_step(&world);
        }
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_read_settle(read.read, &(struct log_attempts){0});
    for (until = fl_clock_mono() + 60000; !read.is_over;) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    assert_int_equal(read.lines.len, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(read.lines.at[i].is_begin && read.lines.at[i].is_end);
        assert_int_equal(read.lines.at[i].bytes.len, strlen(lines[i]));
        assert_memory_equal(read.bytes.at + read.at.at[i], lines[i], strlen(lines[i]));
    }
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void a_cursor_goes_on_after_a_restart(void **state)
{
    static struct log_world world;
    static char cursor[LOG_CURSOR_BYTES_MAX + 1];
    struct log_world_read first = {.pages_max = 1};
    struct log_world_read rest = {0};
    struct log_query query = log_world_whole(JOB);

    (void)state;
    log_world_init(&world, 7);
    log_world_small(&world);
    for (uint32_t i = 0; i < 3; i++) {
        log_world_add(&world, JOB, 0, 1, i);
        log_world_write_random(&world, i, 200000, 1000);
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    query.lines_max = 500;
    log_world_read(&world, &query, &first);
    assert_int_equal(first.lines.len, 500);
    memcpy(cursor, first.cursor, sizeof(cursor));
    log_world_restart(&world);
    query.from = LOG_FROM_CURSOR;
    query.cursor = fl_str_c(cursor);
    query.lines_max = 0;
    log_world_read(&world, &query, &rest);
    assert_int_equal(rest.err.code, FL_OK);
    for (size_t i = 0; i < rest.lines.len; i++) { /* put together, they are all of it */
        fl_vec_push(&first.lines, rest.lines.at[i]);
        fl_vec_push(&first.at, first.bytes.len);
        assert_true(
            fl_buf_put(&first.bytes, rest.bytes.at + rest.at.at[i], rest.lines.at[i].bytes.len));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(log_world_is_exact(&world, &first, i, 0));
    }
    log_world_read_fini(&first);
    log_world_read_fini(&rest);
    log_world_fini(&world);
}

static void lines_are_found_by_number_from_the_end_and_by_time(void **state)
{
    static struct log_world world;
    struct log_query query = log_world_whole(JOB);
    struct log_world_read read = {0};

    (void)state;
    log_world_init(&world, 8);
    log_world_small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 20000; i++) {
        char line[64];
        int len = snprintf(line, sizeof(line), "line %d of many, to be found again\n", i);

        log_world_write(&world, 0, line, (size_t)len, 1000 + i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    for (int round = 0; round < 2; round++) {
        query = log_world_whole(JOB);
        query.from = LOG_FROM_LINE;
        query.n = 12345;
        log_world_read(&world, &query, &read);
        assert_int_equal(read.lines.at[0].number, 12345);
        assert_memory_equal(read.bytes.at, "line 12345 ", 11);
        assert_int_equal(read.lines.len, 20000 - 12345);
        assert_int_equal(read.lines_total, 20000);
        log_world_read_fini(&read);
        query.from = LOG_FROM_TAIL;
        query.n = 10;
        log_world_read(&world, &query, &read);
        assert_int_equal(read.lines.len, 10);
        assert_int_equal(read.lines.at[0].number, 19990);
        log_world_read_fini(&read);
        query = log_world_whole(JOB);
        query.since = 1000 + 15000;
        query.until = 1000 + 15100;
        log_world_read(&world, &query, &read);
        assert_int_equal(read.lines.len, 100);
        assert_int_equal(read.lines.at[0].number, 15000);
        assert_memory_equal(read.bytes.at, "line 15000 ", 11);
        log_world_read_fini(&read);
        log_world_restart(&world);
    }
    log_world_fini(&world);
}

static void a_forgotten_job_is_gone_also_after_a_restart(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    struct fl_err err = {0};
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 12);
    world.config.segment_age_ms = 1;
    log_world_small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_add(&world, JOB + 1, 0, 1, 0);
    log_world_add(&world, JOB + 2, 0, 1, 0);
    for (size_t i = 0; i < 3; i++) {
        log_world_write_random(&world, i, 400000, 1000);
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    while (log_store_stats(world.store).sources > 0) { /* until all of it is sealed */
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    assert_true(log_store_forget(world.store, (struct fl_job){JOB + 1}, &err));
    while (log_store_stats(world.store).files_trimmed == 0) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    assert_true(log_store_forget(world.store, (struct fl_job){JOB + 2}, &err));
    log_world_restart(&world);
    for (uint64_t job = JOB + 1; job <= JOB + 2; job++) {
        query.job.n = job;
        log_world_read(&world, &query, &read);
        assert_int_equal(read.lines.len, 0);
        log_world_read_fini(&read);
    }
    query.job.n = JOB;
    log_world_read(&world, &query, &read);
    assert_true(log_world_is_exact(&world, &read, 0, 0));
    log_world_read_fini(&read);
    log_world_fini(&world);
}

/* Also if its agent's clock is wrong by a century. */
static void what_is_older_than_the_retention_goes(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 13);
    log_world_small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 700000, 4102444800000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_wait_sealed(&world, 1);
    world.config.retention_ms = 1;
    log_world_restart(&world);
    while (log_store_stats(world.store).segments_removed < 1) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    log_world_read(&world, &query, &read);
    assert_true(read.lines.len == 0 || read.lines.at[0].gap == FL_LOG_GAP_limit);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void ended_output_leaves_the_table_and_is_read_all_the_same(void **state)
{
    static struct log_world world;
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 17);
    world.config.ended_max = 3;
    log_world_restart(&world);
    for (uint32_t i = 0; i < 16; i++) {
        log_world_add(&world, JOB, i, 1, 0);
        log_world_write_random(&world, i, 5000, 1000 + i);
        log_world_end(&world, i);
        log_world_settle(&world);
    }
    while (log_store_stats(world.store).sources > 3) { /* no segment is full, or old */
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    log_world_check_all(&world, JOB);
    log_world_restart(&world);
    log_world_check_all(&world, JOB);
    assert_true(log_store_stats(world.store).sources <= 3);
    log_world_fini(&world);
}

static void small_files_are_merged_and_read_the_same(void **state)
{
    static struct log_world world;
    static uint8_t old[1 << 16];
    fl_ms until = fl_clock_mono() + 60000;
    char path[200];
    size_t old_len = 0;

    (void)state;
    log_world_init(&world, 24);
    world.config.ended_max = 0; /* a file for each */
    log_world_restart(&world);
    log_world_add(&world, JOB, 99, 1, 0); /* it goes on all the time, so it is in each file */
    for (uint32_t i = 1; i < 16; i++) {
        log_world_add(&world, JOB, 200 - 7 * i % 16, 1, 0);
        log_world_write_random(&world, 0, 9000, 1000 + i);
        log_world_write_random(&world, i, 5000, 1000 + i);
        log_world_end(&world, i);
        log_world_settle(&world);
        if (i != 6) continue;
        log_world_wait_sealed(&world, 5);
        snprintf(path, sizeof path, "%s/00000001-0000000000000004.sealed", world.dir);
        old_len = log_world_read_file(path, old, sizeof old);
    }
    while (log_store_stats(world.store).files_merged < 8) {
        assert_true(fl_clock_mono() < until);
        log_world_check_all(&world, JOB); /* at any moment */
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    log_world_restart(&world);
    log_world_check_all(&world, JOB);
    assert_true(log_store_stats(world.store).files_sealed < 12);
    assert_int_equal(log_store_stats(world.store).damaged, 0);
    /* As if the store had ended before it removed a file that it had merged. */
    log_world_write_file(path, old, old_len);
    log_world_restart(&world);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

static void a_full_table_pauses_a_source_and_ends_no_tunnel(void **state)
{
    static struct log_world world;
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 18);
    world.config.sources_max = 3;
    log_world_restart(&world);
    for (uint32_t i = 0; i < 12; i++) {
        log_world_add(&world, JOB, i, 1, 0);
        log_world_write_random(&world, i, 3000, 1000 + i);
    }
    while (log_store_stats(world.store).sources_waiting < 9) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    log_world_cut(&world); /* its sources are forgotten with the tunnel, and wait again */
    while (log_store_stats(world.store).sources_waiting < 9) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    for (uint32_t i = 0; i < 12; i++) {
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    assert_int_equal(world.breaks, 0);
    assert_int_equal(log_store_stats(world.store).sources_waiting, 0);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

static void a_job_of_another_tenant_is_not_there(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = log_world_whole(JOB);

    (void)state;
    log_world_init(&world, 14);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write(&world, 0, "secret\n", 7, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    query.tenant.n = 2;
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 0);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(what_was_written_is_what_is_read),
         cmocka_unit_test(a_line_of_a_mebibyte_comes_back_whole),
         cmocka_unit_test(cuts_restarts_and_crashes_lose_and_repeat_nothing),
         cmocka_unit_test(a_follower_sees_each_byte_once_while_it_is_written),
         cmocka_unit_test(who_wants_whole_lines_gets_none_before_its_end_also_of_one_output),
         cmocka_unit_test(a_cursor_goes_on_after_a_restart),
         cmocka_unit_test(lines_are_found_by_number_from_the_end_and_by_time),
         cmocka_unit_test(a_forgotten_job_is_gone_also_after_a_restart),
         cmocka_unit_test(what_is_older_than_the_retention_goes),
         cmocka_unit_test(ended_output_leaves_the_table_and_is_read_all_the_same),
         cmocka_unit_test(small_files_are_merged_and_read_the_same),
         cmocka_unit_test(a_full_table_pauses_a_source_and_ends_no_tunnel),
         cmocka_unit_test(a_job_of_another_tenant_is_not_there))
