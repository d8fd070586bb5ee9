#include "controlplane/logs/log_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "controlplane/logs/segment.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

#define JOB 77

static struct log_query whole(void)
{
    return (struct log_query){.tenant = {1}, .job = {JOB}, .from = LOG_FROM_START};
}

static void small(struct log_world *world)
{
    world->config.segment_bytes = 300000;
    world->config.ring_bytes = 100000;
    log_world_restart(world);
}

static void check_all(struct log_world *world)
{
    struct log_world_read read = {0};
    struct log_query query = whole();

    log_world_read(world, &query, &read);
    assert_int_equal(read.err.code, FL_OK);
    for (size_t i = 0; i < world->outputs_len; i++) {
        assert_true(log_world_is_exact(world, &read, i, 0));
    }
    log_world_read_fini(&read);
}

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
    check_all(&world);
    log_world_restart(&world);
    check_all(&world);
    log_world_fini(&world);
}

static void a_line_of_a_mebibyte_comes_back_whole(void **state)
{
    static struct log_world world;
    char *line = fl_alloc(1 << 20);
    struct log_world_read read = {0};
    struct log_query query = whole();

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
    check_all(&world);
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
    small(&world);
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
    check_all(&world);
    log_world_crash(&world); /* acknowledged bytes survive a crash */
    check_all(&world);
    log_world_fini(&world);
}

static void a_follower_sees_each_byte_once_while_it_is_written(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = whole();
    fl_ms until;

    (void)state;
    log_world_init(&world, 6);
    small(&world);
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
    struct log_query query = whole();
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
    struct log_query query = whole();

    (void)state;
    log_world_init(&world, 7);
    small(&world);
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
    struct log_query query = whole();
    struct log_world_read read = {0};

    (void)state;
    log_world_init(&world, 8);
    small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 20000; i++) {
        char line[64];
        int len = snprintf(line, sizeof(line), "line %d of many, to be found again\n", i);

        log_world_write(&world, 0, line, (size_t)len, 1000 + i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    for (int round = 0; round < 2; round++) {
        query = whole();
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
        query = whole();
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

static void wait_until_sealed(struct log_world *world, uint64_t files)
{
    fl_ms until = fl_clock_mono() + 60000;

    while (log_store_stats(world->store).files_sealed < files) {
        assert_true(fl_clock_mono() < until);
        log_world_step(world);
    }
}

static void of_a_long_output_the_first_and_the_last_are_kept(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = whole();
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
    wait_until_sealed(&world, 1);
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

/* The store begins again, and what is open is over; then it goes on with segments that stay
 * open. */
static void seal_all(struct log_world *world, uint64_t files)
{
    world->config.segment_bytes = 300000;
    log_world_restart(world);
    wait_until_sealed(world, files);
    world->config.segment_bytes = 64u << 20;
}

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

static void replicas_of_an_attempt_share_its_limit(void **state)
{
    static struct log_world world;
    struct log_query query = whole();

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
    seal_all(&world, 1);
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
    struct log_query query = whole();
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 16);
    world.config.attempt_bytes_max = 1000000;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 1500000, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    seal_all(&world, 1);
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
    seal_all(&world, 2);
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

static void lines_in_a_gap_count_and_who_begins_at_one_is_given_the_gap(void **state)
{
    static const uint64_t tails[] = {10, 7000, 20000, 33000, 39999};
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = whole();
    struct log_query one = whole();
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
    seal_all(&world, 1);
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

/* ---- a disk that fails: asked by the worker alone, changed only between steps ---------------- */

static _Atomic int writes_left = -1; /* below 0: without end */
static _Atomic int syncs_to_fail;
static _Atomic long room_bytes = -1; /* the most that one call may write; below 0: all */
static _Atomic int writes_refused;

static size_t iov_bytes(const struct iovec *iov, int iov_len)
{
    size_t bytes = 0;

    for (int i = 0; i < iov_len; i++) {
        bytes += iov[i].iov_len;
    }
    return bytes;
}

static ssize_t fake_writev(int fd, const struct iovec *iov, int iov_len, off_t pos)
{
    if (writes_left == 0 || (room_bytes >= 0 && iov_bytes(iov, iov_len) > (size_t)room_bytes)) {
        writes_refused++;
        errno = ENOSPC;
        return -1;
    }
    if (writes_left > 0 && --writes_left == 0 && iov[0].iov_len > 1) { /* the last is cut */
        return pwrite(fd, iov[0].iov_base, iov[0].iov_len / 2, pos);
    }
    return pwritev(fd, iov, iov_len, pos);
}

static int fake_sync(int fd)
{
    if (syncs_to_fail > 0) {
        syncs_to_fail--;
        errno = EIO;
        return -1;
    }
    return fdatasync(fd);
}

static const struct log_disk fake_disk = {.writev = fake_writev, .sync = fake_sync};

static void a_full_disk_pauses_and_recovers_by_itself(void **state)
{
    static struct log_world world;
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 10);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_add(&world, JOB, 0, 1, 1);
    writes_left = 2; /* the segment's header, and half of what comes first */
    log_world_write_random(&world, 0, 500000, 1000);
    log_world_write_random(&world, 1, 500000, 1000);
    while (!log_store_stats(world.store).is_full) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    for (int i = 0; i < 20; i++) {
        log_world_step(&world);
    }
    writes_left = -1; /* space returns */
    log_world_end(&world, 0);
    log_world_end(&world, 1);
    log_world_settle(&world);
    assert_false(log_store_stats(world.store).is_full);
    check_all(&world);
    log_world_crash(&world);
    check_all(&world);
    log_world_fini(&world);
}

static void a_full_disk_is_tried_with_what_waits_and_less_and_less_often(void **state)
{
    static struct log_world world;
    fl_ms until;

    (void)state;
    log_world_init(&world, 23);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 100000, 1000);
    room_bytes = 100; /* enough for an empty segment, not for the output */
    writes_refused = 0;
    while (!log_store_stats(world.store).is_full) {
        log_world_step(&world);
    }
    until = fl_clock_mono() + 3200;
    while (fl_clock_mono() < until) {
        assert_true(log_store_stats(world.store).is_full); /* it does not begin in vain */
        log_world_step(&world);
    }
    assert_in_range(writes_refused, 2, 3); /* the output, and trials after 0.5 s and 1.5 s */
    room_bytes = -1;
    log_world_end(&world, 0);
    log_world_settle(&world);
    check_all(&world);
    log_world_fini(&world);
}

static void a_failed_sync_acknowledges_nothing_that_it_covered(void **state)
{
    static struct log_world world;

    (void)state;
    log_world_init(&world, 11);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int round = 0; round < 10; round++) {
        log_world_write_random(&world, 0, 100000, 1000 + round);
        if (round % 3 == 1) syncs_to_fail = 1;
        for (int i = 0; i < 10; i++) {
            log_world_step(&world);
        }
    }
    syncs_to_fail = 0;
    log_world_end(&world, 0);
    log_world_settle(&world);
    check_all(&world);
    log_world_crash(&world);
    check_all(&world);
    log_world_fini(&world);
}

static void a_forgotten_job_is_gone_also_after_a_restart(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = whole();
    struct fl_err err = {0};
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 12);
    world.config.segment_age_ms = 1;
    small(&world);
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
    struct log_query query = whole();
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 13);
    small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 700000, 4102444800000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    wait_until_sealed(&world, 1);
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

/* ---- damaged files --------------------------------------------------------------------------- */

/* The only file of a kind in the store's folder; false: there is none. */
static bool find_file(const struct log_world *world, const char *kind, char path[200])
{
    DIR *dir = opendir(world->dir);
    struct dirent *entry;
    bool is_found = false;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t len = strlen(entry->d_name);

        if (len < strlen(kind) || strcmp(entry->d_name + len - strlen(kind), kind) != 0) continue;
        assert_false(is_found);
        is_found = true;
        snprintf(path, 200, "%s/%.100s", world->dir, entry->d_name);
    }
    closedir(dir);
    return is_found;
}

static size_t read_file(const char *path, uint8_t *at, size_t bytes_max)
{
    FILE *file = fopen(path, "re");
    size_t len;

    assert_non_null(file);
    len = fread(at, 1, bytes_max, file);
    assert_true(len < bytes_max);
    fclose(file);
    return len;
}

static void write_file(const char *path, const uint8_t *at, size_t len)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, len, file), len);
    fclose(file);
}

/* Reads all; gaps are damage, in one output at most.  Returns how many bytes they have. */
static uint64_t check_damage(struct log_world *world)
{
    struct log_world_read read = {0};
    struct log_query query = whole();
    uint64_t gap_bytes = 0;
    uint32_t element = UINT32_MAX;

    log_world_read(world, &query, &read);
    assert_int_equal(read.err.code, FL_OK);
    for (size_t i = 0; i < world->outputs_len; i++) {
        assert_true(log_world_is_exact(world, &read, i, 0));
    }
    for (size_t i = 0; i < read.lines.len; i++) {
        const struct log_line *line = &read.lines.at[i];

        if (!line->gap) continue;
        assert_int_equal(line->gap, FL_LOG_GAP_damaged);
        assert_true(element == UINT32_MAX || element == line->attempt.element);
        element = line->attempt.element;
        gap_bytes += line->gap_bytes;
    }
    log_world_read_fini(&read);
    return gap_bytes;
}

enum { DAMAGE_OUTPUTS = 8, DAMAGE_LINES = 12, DAMAGE_LINE_BYTES = 100, DAMAGE_FILE_MAX = 1 << 18 };

/* Outputs whose lines are an entry each, one between the others; all ended and acknowledged. */
static void write_small_entries(struct log_world *world)
{
    for (uint32_t i = 0; i < DAMAGE_OUTPUTS; i++) {
        log_world_add(world, JOB, i, 1, 0);
    }
    for (int line = 0; line < DAMAGE_LINES; line++) {
        for (size_t i = 0; i < DAMAGE_OUTPUTS; i++) {
            char text[DAMAGE_LINE_BYTES + 1];

            snprintf(text, sizeof(text), "output %zu line %-84d.\n", i, line);
            log_world_write(world, i, text, strlen(text), 1000 + line);
            log_world_step(world);
        }
    }
    for (size_t i = 0; i < DAMAGE_OUTPUTS; i++) {
        log_world_end(world, i);
    }
    log_world_settle(world);
}

static void a_flipped_bit_costs_one_entry_wherever_it_is(void **state)
{
    static struct log_world world;
    static uint8_t good[DAMAGE_FILE_MAX];
    static uint8_t bad[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 19);
    write_small_entries(&world);
    log_world_restart(&world);
    assert_true(find_file(&world, ".open", path));
    len = read_file(path, good, sizeof(good));
    for (size_t at = 0; at < len; at += 61) {
        memcpy(bad, good, len);
        bad[at] ^= (uint8_t)(1u << at % 8);
        write_file(path, bad, len); /* the store reads it when it starts again */
        log_world_restart(&world);
        assert_true(check_damage(&world) <= 2 * DAMAGE_LINE_BYTES);
        assert_true(at + 200 > len || log_store_stats(world.store).damaged > 0);
    }
    log_world_fini(&world);
}

static void lost_sectors_cost_what_was_in_them_and_the_file_is_kept(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    fl_ms until = fl_clock_mono() + 60000;
    struct log_world_read read = {0};
    struct log_query query = whole();
    uint64_t gap_bytes = 0;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 20);
    write_small_entries(&world);
    assert_true(find_file(&world, ".open", path));
    len = read_file(path, bytes, sizeof(bytes));
    assert_true(len > 9000);
    memset(bytes + 4096, 0, 1024);
    write_file(path, bytes, len);
    world.config.damaged_wait_ms = 1;
    log_world_restart(&world);
    for (int round = 0; round < 2; round++) {
        log_world_read(&world, &query, &read);
        gap_bytes = 0;
        for (size_t i = 0; i < read.lines.len; i++) {
            gap_bytes += read.lines.at[i].gap_bytes;
        }
        assert_true(gap_bytes >= DAMAGE_LINE_BYTES && gap_bytes <= 1024 + 2 * DAMAGE_LINE_BYTES);
        assert_int_equal(read.bytes.len,
                         DAMAGE_OUTPUTS * DAMAGE_LINES * DAMAGE_LINE_BYTES - gap_bytes);
        log_world_read_fini(&read);
        while (!find_file(&world, ".damaged", path) || log_store_stats(world.store).sources > 0) {
            assert_true(fl_clock_mono() < until);
            log_world_step(&world);
        }
        assert_false(find_file(&world, ".open", path));
        read = (struct log_world_read){0};
    }
    log_world_fini(&world);
}

static void an_agent_that_still_has_its_output_mends_what_is_damaged(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 21);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 20; i++) {
        log_world_write_random(&world, 0, 2000, 1000 + i);
        log_world_step(&world);
    }
    log_world_add(&world, JOB, 1, 1, 0);
    log_world_end(&world, 1);
    log_world_settle(&world);
    log_world_restart(&world);
    assert_true(find_file(&world, ".open", path));
    len = read_file(path, bytes, sizeof(bytes));
    assert_true(len > 30000);
    bytes[15000] ^= 16;
    write_file(path, bytes, len);
    log_world_restart(&world);
    log_world_write_random(&world, 0, 2000, 1100);
    log_world_end(&world, 0);
    log_world_settle(&world);
    assert_int_equal(check_damage(&world), 0);
    log_world_crash(&world);
    assert_int_equal(check_damage(&world), 0);
    world.config.damaged_wait_ms = 1;
    log_world_restart(&world);
    while (!find_file(&world, ".damaged", path)) {
        log_world_step(&world);
    }
    assert_int_equal(check_damage(&world), 0);
    log_world_fini(&world);
}

static void a_damaged_block_of_a_sealed_file_is_a_gap(void **state)
{
    static struct log_world world;
    static uint8_t bytes[DAMAGE_FILE_MAX];
    fl_ms until = fl_clock_mono() + 60000;
    char path[200];
    size_t len;

    (void)state;
    log_world_init(&world, 22);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 320000, 1000);
    log_world_end(&world, 0);
    log_world_settle(&world);
    seal_all(&world, 1);
    log_world_restart(&world);
    assert_true(find_file(&world, ".sealed", path));
    len = read_file(path, bytes, sizeof(bytes));
    bytes[1000] ^= 1;
    write_file(path, bytes, len);
    log_world_restart(&world);
    assert_true(check_damage(&world) > 0);
    assert_true(check_damage(&world) < 200000); /* one of two or three blocks */
    while (log_store_stats(world.store).damaged == 0) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
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
    check_all(&world);
    log_world_restart(&world);
    check_all(&world);
    assert_true(log_store_stats(world.store).sources <= 3);
    log_world_fini(&world);
}

static void small_files_are_merged_and_read_the_same(void **state)
{
    static struct log_world world;
    fl_ms until = fl_clock_mono() + 60000;

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
    }
    while (log_store_stats(world.store).files_merged < 8) {
        assert_true(fl_clock_mono() < until);
        check_all(&world); /* at any moment */
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    check_all(&world);
    log_world_restart(&world);
    check_all(&world);
    assert_true(log_store_stats(world.store).files_sealed < 12);
    assert_int_equal(log_store_stats(world.store).damaged, 0);
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
    check_all(&world);
    log_world_fini(&world);
}

static void a_job_of_another_tenant_is_not_there(void **state)
{
    static struct log_world world;
    struct log_world_read read = {0};
    struct log_query query = whole();

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
         cmocka_unit_test(of_a_long_output_the_first_and_the_last_are_kept),
         cmocka_unit_test(replicas_of_an_attempt_share_its_limit),
         cmocka_unit_test(what_was_sealed_before_a_restart_is_cut_when_others_need_their_share),
         cmocka_unit_test(lines_in_a_gap_count_and_who_begins_at_one_is_given_the_gap),
         cmocka_unit_test(a_full_disk_pauses_and_recovers_by_itself),
         cmocka_unit_test(a_full_disk_is_tried_with_what_waits_and_less_and_less_often),
         cmocka_unit_test(a_failed_sync_acknowledges_nothing_that_it_covered),
         cmocka_unit_test(a_forgotten_job_is_gone_also_after_a_restart),
         cmocka_unit_test(what_is_older_than_the_retention_goes),
         cmocka_unit_test(a_flipped_bit_costs_one_entry_wherever_it_is),
         cmocka_unit_test(lost_sectors_cost_what_was_in_them_and_the_file_is_kept),
         cmocka_unit_test(an_agent_that_still_has_its_output_mends_what_is_damaged),
         cmocka_unit_test(a_damaged_block_of_a_sealed_file_is_a_gap),
         cmocka_unit_test(ended_output_leaves_the_table_and_is_read_all_the_same),
         cmocka_unit_test(small_files_are_merged_and_read_the_same),
         cmocka_unit_test(a_full_table_pauses_a_source_and_ends_no_tunnel),
         cmocka_unit_test(a_job_of_another_tenant_is_not_there))
