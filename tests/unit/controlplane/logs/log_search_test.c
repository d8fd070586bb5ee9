/* Reads with a pattern: their lines, their end, and the reads beside them. */
#include "controlplane/logs/read.h"

#include <stdio.h>

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

enum { JOB = 77, LINES = 20000, LONG_BYTES = 100000, MANY = 80, EACH = 8 };

static struct log_query search_for(const char *text, bool is_regex)
{
    struct log_pattern_text wanted = {.text = fl_str_c(text), .is_regex = is_regex};
    struct log_query query = log_world_whole(JOB);
    struct fl_err err = {0};

    query.pattern = log_pattern_create(&wanted, &err);
    query.is_search = true;
    assert_non_null(query.pattern);
    return query;
}

static void write_line(struct log_world *world, size_t i, const char *line, fl_ms time)
{
    log_world_write(world, i, line, strlen(line), time);
}

static void fill(struct log_world *world)
{
    log_world_init(world, 8);
    log_world_small(world);
    log_world_add(world, JOB, 0, 1, 0);
    for (int i = 0; i < LINES; i++) {
        char line[64];

        snprintf(line, sizeof line, "line %d of many, to be found again\n", i);
        write_line(world, 0, line, 1000 + i);
    }
    log_world_end(world, 0);
    log_world_settle(world);
}

static void only_lines_that_match_are_given_with_their_own_numbers(void **state)
{
    static struct log_world world;
    struct log_query query;
    struct log_world_read read = {0};

    (void)state;
    fill(&world);
    for (int round = 0; round < 4; round++) {
        query =
            round % 2 == 0 ? search_for("7 of", false) : search_for("\\b1\\d{4}7\\b|7 of", true);
        log_world_read(&world, &query, &read);
        assert_int_equal(read.err.code, FL_OK);
        assert_int_equal(read.lines.len, LINES / 10);
        for (size_t i = 0; i < read.lines.len; i++) {
            assert_int_equal(read.lines.at[i].number, 10 * i + 7);
            assert_int_equal(read.lines.at[i].spans_len, 1);
            assert_false(read.lines.at[i].is_undecided);
        }
        assert_memory_equal(read.bytes.at + read.at.at[1000], "line 10007 of", 13);
        log_world_read_fini(&read);
        if (round == 1) log_world_seal_all(&world, 1);
    }
    query = search_for("zzz", false);
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 0);
    assert_int_equal(read.lines_total, LINES);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

/* The missing bytes might have matched. */
static void a_gap_is_given_with_any_pattern(void **state)
{
    static struct log_world world;
    struct log_query query;
    struct log_world_read read = {0};

    (void)state;
    log_world_init(&world, 5);
    world.config.attempt_bytes_max = 300000;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < LINES; i++) {
        char line[64];

        snprintf(line, sizeof line, "line %d of many, to be found again\n", i);
        write_line(&world, 0, line, 1000 + i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    query = search_for("line 19999 |line 3 ", true);
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 3);
    assert_int_equal(read.lines.at[0].number, 3);
    assert_int_equal(read.lines.at[1].gap, FL_LOG_GAP_limit);
    assert_int_equal(read.lines.at[2].number, 19999);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

static void lines_before_a_time_and_before_the_last_ones_are_not_looked_at(void **state)
{
    static struct log_world world;
    struct log_query query;
    struct log_world_read read = {0};

    (void)state;
    fill(&world);
    query = search_for("7 of", false);
    query.since = 1000 + 10000;
    query.until = 1000 + 10050;
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 5);
    assert_int_equal(read.lines.at[0].number, 10007);
    log_world_read_fini(&read);
    query = search_for("7 of", false);
    query.from = LOG_FROM_TAIL;
    query.n = 15;
    log_world_read(&world, &query, &read);
    assert_int_equal(read.lines.len, 2);
    assert_int_equal(read.lines.at[0].number, LINES - 13);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

/* Many lines in one record, and lines that go on in the next. */
static void records_of_many_lines_are_searched_to_their_ends(void **state)
{
    static struct log_world world;
    static char bytes[30000];
    struct log_query query;
    struct log_world_read read = {0};
    size_t at = 0, record, len = 0;
    uint64_t lines = 0;

    (void)state;
    log_world_init(&world, 6);
    log_world_add(&world, JOB, 0, 1, 0);
    while (len + 40 < sizeof bytes) {
        len +=
            (size_t)snprintf(bytes + len, 40, "%s%d\n", lines % 3 == 0 ? "hit " : "", (int)lines);
        lines++;
    }
    for (uint64_t i = 1; at < len; i++, at += record) { /* cut anywhere */
        record = (size_t)(i * 997 % 3000) + 1;
        if (record > len - at) record = len - at;
        log_world_write(&world, 0, bytes + at, record, 1000 + (fl_ms)i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    for (int round = 0; round < 2; round++) {
        query = round == 0 ? search_for("hit", false) : search_for("^hit \\d+$", true);
        log_world_read(&world, &query, &read);
        assert_int_equal(read.lines.len, (lines + 2) / 3);
        for (size_t i = 0; i < read.lines.len; i++) {
            assert_int_equal(read.lines.at[i].number, 3 * i);
        }
        log_world_read_fini(&read);
    }
    log_world_fini(&world);
}

static void a_search_goes_on_behind_its_page(void **state)
{
    static struct log_world world;
    static char cursor[LOG_CURSOR_BYTES_MAX + 1];
    struct log_query query;
    struct log_world_read first = {.pages_max = 2}, rest = {0};

    (void)state;
    fill(&world);
    query = search_for("99 of", false);
    query.lines_max = 5;
    log_world_read(&world, &query, &first);
    assert_int_equal(first.lines.at[first.lines.len - 1].number, 100 * first.lines.len - 1);
    memcpy(cursor, first.cursor, sizeof cursor);
    query = search_for("99 of", false);
    query.from = LOG_FROM_CURSOR;
    query.cursor = fl_str_c(cursor);
    log_world_read(&world, &query, &rest);
    assert_int_equal(first.lines.len + rest.lines.len, LINES / 100);
    assert_int_equal(rest.lines.at[0].number, 100 * first.lines.len + 99);
    log_world_read_fini(&first);
    log_world_read_fini(&rest);
    log_world_fini(&world);
}

static bool is_long(int n, int i)
{
    return i == 3 && n % 5 == 2;
}

static void put(char *at, const char *text)
{
    while (*text) {
        *at++ = *text++;
    }
}

/* Hit n of output i, and a line behind it.  Several outputs write in the same millisecond; output 3
 * has long lines, with a hit in their last pieces, during which others write. */
static void write_many(struct log_world *world, int from, int end)
{
    static char line[LONG_BYTES];

    for (int n = from; n < end; n++) {
        for (int i = 0; i < MANY; i++) {
            size_t len = is_long(n, i) ? LONG_BYTES : 60;
            fl_ms time = 1000 + 10 * n + i / 7 % 3;

            memset(line, '.', len);
            snprintf(line, 40, "hit %d of %d", n, i);
            line[strlen(line)] = ' ';
            put(line + len - 6, "\nmiss\n");
            if (is_long(n, i)) put(line + len - 20, " hit ");
            log_world_write(world, (size_t)i, line, 50, time);
            log_world_write(world, (size_t)i, line + 50, len - 50, time + (is_long(n, i) ? 8 : 0));
        }
    }
}

/* Steps until so many lines are stored; their outputs go on. */
static void until_stored(struct log_world *world, uint64_t lines)
{
    fl_ms until = fl_clock_mono() + 60000;
    uint64_t stored = 0;

    while (stored < lines) {
        struct log_query query = log_world_whole(JOB);
        struct log_world_read read = {.pages_max = 1};

        assert_true(fl_clock_mono() < until);
        log_world_step(world);
        query.from = LOG_FROM_TAIL;
        query.n = 1;
        log_world_read(world, &query, &read);
        stored = read.lines_total;
        log_world_read_fini(&read);
    }
}

/* Reads by pages, each with the cursor of the one before, and checks that each hit comes once, in
 * order.  'midway' writes more in the middle of it. */
static void read_by_pages(struct log_world *world, void (*midway)(struct log_world *world),
                          int lines_each)
{
    static char cursor[LOG_CURSOR_BYTES_MAX + 1];
    int next[MANY] = {0};
    fl_ms time = 0;
    int pages = 0, pieces = 0;

    for (bool is_whole = false; !is_whole; pages++) {
        struct log_world_read read = {.pages_max = 1};
        struct log_query query = search_for("hit ", false);

        assert_true(pages <= MANY * lines_each); /* a slow machine gives short pages */
        query.lines_max = 1 + pages % 61;
        if (cursor[0]) query.from = LOG_FROM_CURSOR;
        query.cursor = fl_str_c(cursor);
        log_world_read(world, &query, &read);
        assert_int_equal(read.err.code, FL_OK);
        for (size_t i = 0; i < read.lines.len; i++) {
            const struct log_line *line = &read.lines.at[i];

            if (!line->is_begin) {
                assert_int_equal(line->number, 2 * (next[3] - 1));
                pieces++;
                continue;
            }
            assert_int_equal(line->number, 2 * next[line->replica]++);
            assert_true(line->time >= time);
            time = line->time;
        }
        is_whole = read.is_whole;
        if (pages > 0 || read.lines.len > 0) assert_true(read.cursor[0] != '\0');
        assert_true(strlen(read.cursor) <= 512);
        memcpy(cursor, read.cursor, sizeof cursor);
        log_world_read_fini(&read);
        if (midway && pages == 2) midway(world);
    }
    cursor[0] = '\0';
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(next[i], lines_each);
    }
    assert_int_equal(pieces, (lines_each + 2) / 5);
}

static void write_more(struct log_world *world)
{
    write_many(world, EACH, EACH + 3);
    until_stored(world, 2 * (uint64_t)MANY * (EACH + 3));
}

/* So short that it fits into the target of a request. */
static void a_cursor_of_many_outputs_is_short_and_goes_on(void **state)
{
    static struct log_world world;

    (void)state;
    log_world_init(&world, 8);
    log_world_small(&world);
    for (uint32_t i = 0; i < MANY; i++) {
        log_world_add(&world, JOB, 0, 1, i);
    }
    write_many(&world, 0, EACH);
    until_stored(&world, 2 * (uint64_t)MANY * EACH);
    read_by_pages(&world, NULL, EACH);
    read_by_pages(&world, write_more, EACH + 3); /* it goes on while output grows */
    for (size_t i = 0; i < MANY; i++) {
        log_world_end(&world, i);
    }
    log_world_settle(&world);
    log_world_seal_all(&world, 1);
    read_by_pages(&world, NULL, EACH + 3);
    log_world_fini(&world);
}

static void never(void *ctx, struct log_read *read, const struct log_page *page)
{
    (void)ctx;
    (void)read;
    (void)page;
    fail_msg("it is refused at once");
}

/* The reason; NULL: it is taken. */
static const char *refusal(struct log_world *world, struct log_query query, const char *cursor)
{
    static struct fl_err err;
    struct log_read *read;

    err = (struct fl_err){0};
    query.is_search = true;
    query.from = LOG_FROM_CURSOR;
    query.cursor = fl_str_c(cursor);
    read = log_read_open(world->front, &query, never, NULL, &err);
    log_read_close(read);
    if (!read) assert_int_equal(err.code, FL_INVALID);
    return read ? NULL : err.text;
}

static void a_cursor_is_refused_for_another_selection(void **state)
{
    static const char other[] =
        "the cursor is of another job, or of other elements, attempts or replicas";
    static struct log_world world;
    static char of_log[LOG_CURSOR_BYTES_MAX + 1];
    struct log_query query = log_world_whole(JOB);
    struct log_world_read log = {.pages_max = 1}, search = {.pages_max = 1};

    (void)state;
    fill(&world);
    log_world_read(&world, &query, &log);
    memcpy(of_log, log.cursor, sizeof of_log);
    query.is_search = true;
    log_world_read(&world, &query, &search);
    query = log_world_whole(JOB);
    assert_null(refusal(&world, query, search.cursor));
    query.since = 1000;
    assert_null(refusal(&world, query, search.cursor));
    assert_string_equal(refusal(&world, query, of_log), "not a cursor of a search");
    assert_string_equal(refusal(&world, log_world_whole(JOB + 1), search.cursor), other);
    query.has_element = true;
    assert_string_equal(refusal(&world, query, search.cursor), other);
    query = log_world_whole(JOB);
    query.replicas_len = 1;
    assert_string_equal(refusal(&world, query, search.cursor), other);
    query = log_world_whole(JOB);
    search.cursor[strlen(search.cursor) - 1] = '\0';
    assert_string_equal(refusal(&world, query, search.cursor), "not a cursor of a log");
    log_world_read_fini(&log);
    log_world_read_fini(&search);
    log_world_fini(&world);
}

/* Not as many lines as fit of all levels, most of which would be left out behind the view. */
static void a_page_of_a_search_by_level_is_full_of_lines_of_that_level(void **state)
{
    static struct log_world world;
    static char cursor[LOG_CURSOR_BYTES_MAX + 1];
    struct log_query query = log_world_whole(JOB);
    struct log_world_read first = {.pages_max = 1}, rest = {0};

    (void)state;
    log_world_init(&world, 8);
    log_world_small(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 2000; i++) {
        write_line(&world, 0, i % 100 == 99 ? "error: it failed\n" : "info: it goes on\n",
                   1000 + i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    query.is_search = true;
    query.levels = 1U << FL_LINE_LEVEL_error;
    query.lines_max = 5;
    while (first.lines.len == 0) { /* a slow search tells of itself by a page without lines */
        log_world_read_fini(&first);
        first = (struct log_world_read){.pages_max = first.pages_max + 1};
        log_world_read(&world, &query, &first);
    }
    assert_true(first.lines.len <= 5); /* fewer where a step took its time */
    memcpy(cursor, first.cursor, sizeof cursor);
    query.from = LOG_FROM_CURSOR;
    query.cursor = fl_str_c(cursor);
    log_world_read(&world, &query, &rest);
    assert_int_equal(first.lines.len + rest.lines.len, 20);
    for (size_t i = 0; i < 20; i++) {
        const struct log_line *line =
            i < first.lines.len ? &first.lines.at[i] : &rest.lines.at[i - first.lines.len];

        assert_int_equal(line->number, 100 * i + 99);
        assert_int_equal(line->level, FL_LINE_LEVEL_error);
    }
    assert_int_equal(first.by_level[FL_LINE_LEVEL_error] + rest.by_level[FL_LINE_LEVEL_error], 20);
    assert_int_equal(first.by_level[FL_LINE_LEVEL_info] + rest.by_level[FL_LINE_LEVEL_info], 1980);
    log_world_read_fini(&first);
    log_world_read_fini(&rest);
    log_world_fini(&world);
}

static void a_follower_waits_for_lines_that_match(void **state)
{
    static struct log_world world;
    struct log_query query;
    struct log_world_read read = {0};
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 3);
    log_world_add(&world, JOB, 0, 1, 0);
    write_line(&world, 0, "nothing\nan err", 1000);
    log_world_settle(&world);
    query = search_for("error$", true);
    query.is_following = query.has_whole_lines = true;
    log_world_read(&world, &query, &read);
    for (int i = 0; i < 100; i++) {
        log_world_step(&world);
    }
    assert_int_equal(read.lines.len, 0);
    write_line(&world, 0, "or\nmore\nand an error\n", 1001);
    while (read.lines.len < 2) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    assert_int_equal(read.lines.at[0].number, 1);
    assert_int_equal(read.lines.at[1].number, 3);
    log_world_read_fini(&read);
    log_world_fini(&world);
}

/* Each line takes the search to its limits; other reads have their turns, and the search ends. */
static void a_costly_pattern_holds_up_no_other_read(void **state)
{
    static struct log_world world;
    char *line = fl_alloc(LONG_BYTES);
    struct log_query query, plain = log_world_whole(JOB);
    struct log_world_read costly = {0}, read = {0};

    (void)state;
    memset(line, 'a', LONG_BYTES);
    line[LONG_BYTES - 2] = '!';
    line[LONG_BYTES - 1] = '\n';
    log_world_init(&world, 3);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int i = 0; i < 10; i++) {
        log_world_write(&world, 0, line, LONG_BYTES, 1000 + i);
    }
    log_world_end(&world, 0);
    log_world_settle(&world);
    query = search_for("(a+)+$", true);
    query.is_following = true; /* so that it goes on beside the other */
    log_world_read(&world, &query, &costly);
    log_world_read(&world, &plain, &read);
    assert_true(read.is_over);
    log_world_read_fini(&read);
    log_world_read_fini(&costly); /* its reader leaves */
    query = search_for("(a+)+$", true);
    log_world_read(&world, &query, &read);
    assert_true(read.lines.len >= 10);
    for (size_t i = 0; i < read.lines.len; i++) {
        assert_true(read.lines.at[i].is_undecided || !read.lines.at[i].is_end);
    }
    log_world_read_fini(&read);
    log_world_fini(&world);
    fl_free(line);
}

FL_TESTS(cmocka_unit_test(only_lines_that_match_are_given_with_their_own_numbers),
         cmocka_unit_test(a_gap_is_given_with_any_pattern),
         cmocka_unit_test(lines_before_a_time_and_before_the_last_ones_are_not_looked_at),
         cmocka_unit_test(records_of_many_lines_are_searched_to_their_ends),
         cmocka_unit_test(a_search_goes_on_behind_its_page),
         cmocka_unit_test(a_cursor_of_many_outputs_is_short_and_goes_on),
         cmocka_unit_test(a_cursor_is_refused_for_another_selection),
         cmocka_unit_test(a_page_of_a_search_by_level_is_full_of_lines_of_that_level),
         cmocka_unit_test(a_follower_waits_for_lines_that_match),
         cmocka_unit_test(a_costly_pattern_holds_up_no_other_read))
