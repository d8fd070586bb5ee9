/* Sessions go through a file into the next process. */
#include "controlplane/api/session_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/io/file.h"
#include "shared/tls/digest.h"
#include "tests/fl_test.h"

enum { WALL = 1000000000 };

struct place {
    char dir[64];
    int fd;
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    snprintf(place->dir, sizeof place->dir, "/tmp/fl-sessions-XXXXXX");
    assert_non_null(mkdtemp(place->dir));
    place->fd = open(place->dir, O_RDONLY | O_DIRECTORY);
    *state = place;
    return 0;
}

static int drop_place(void **state)
{
    struct place *place = *state;

    unlinkat(place->fd, SESSION_FILE, 0);
    close(place->fd);
    rmdir(place->dir);
    free(place);
    return 0;
}

static struct session_table *with(const char *id, fl_ms now, char ret_text[SESSION_TEXT_MAX])
{
    struct session_table *table = session_table_create();
    struct token_hold token = {.shown = {{7}}, .expires_at = 99};
    struct session session;

    snprintf(token.id, sizeof token.id, "%s", id);
    session_table_begin(table, &token, now, ret_text, &session);
    return table;
}

/* The next process began at another time by its own clock. */
static struct session_table *next(const struct place *place, fl_ms now, fl_ms wall)
{
    struct session_table *table = session_table_create();
    struct fl_err err = {0};

    assert_true(session_file_read(place->fd, table, (struct session_times){now, wall}, &err));
    return table;
}

static void a_session_goes_on_in_the_next_process(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 5000, text), *later;
    struct session found;
    struct fl_err err = {0};

    assert_true(session_file_write(place->fd, table, (struct session_times){6000, WALL}, &err));
    later = next(place, 40, WALL + 2000);
    assert_true(session_table_find(later, fl_str_c(text), 50, &found));
    assert_string_equal(found.token.id, "ann");
    assert_int_equal(found.token.shown.at[0], 7);
    assert_int_equal(found.token.expires_at, 99);
    /* It began 3 s before by the wall clock. */
    assert_int_equal(found.ends_at, 40 - 3000 + SESSION_LIFE_MS);
    session_table_destroy(table);
    session_table_destroy(later);
}

static void the_time_in_between_counts(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 0, text), *later;
    struct fl_err err = {0};

    assert_true(session_file_write(place->fd, table, (struct session_times){0, WALL}, &err));
    later = next(place, 0, WALL + SESSION_IDLE_MS);
    assert_int_equal(session_table_len(later), 0);
    session_table_destroy(later);
    later = next(place, 0, WALL + SESSION_IDLE_MS - 10);
    assert_int_equal(session_table_len(later), 1);
    assert_true(session_table_copy(later, 9, &(struct session){0}) == 1);
    assert_true(session_table_copy(later, 10, &(struct session){0}) == 0);
    session_table_destroy(later);
    session_table_destroy(table);
}

static void a_clock_that_was_set_back_gives_no_more_time(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 0, text), *later;
    struct session found;
    struct fl_err err = {0};

    assert_true(session_file_write(place->fd, table, (struct session_times){0, WALL}, &err));
    later = next(place, 0, WALL - 500000000);
    assert_true(session_table_find(later, fl_str_c(text), 0, &found));
    assert_int_equal(found.ends_at, SESSION_LIFE_MS);
    session_table_destroy(later);
    session_table_destroy(table);
}

static void a_session_that_is_over_is_not_kept(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 0, text), *later;
    struct fl_err err = {0};

    assert_true(
        session_file_write(place->fd, table, (struct session_times){SESSION_IDLE_MS, WALL}, &err));
    later = next(place, 0, WALL);
    assert_int_equal(session_table_len(later), 0);
    session_table_destroy(later);
    session_table_destroy(table);
}

static void no_text_of_a_session_or_a_token_is_in_the_file(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 0, text);
    struct fl_err err = {0};
    struct fl_buf bytes;

    assert_true(session_file_write(place->fd, table, (struct session_times){0, WALL}, &err));
    fl_buf_init(&bytes, 4096);
    assert_true(fl_file_read(place->fd, SESSION_FILE, &bytes, &err));
    assert_null(memmem(bytes.at, bytes.len, text, strlen(text)));
    assert_true(bytes.len < 400);
    fl_buf_fini(&bytes);
    session_table_destroy(table);
}

/* Each cut of a good file but one between lines, and a byte more, is damage. */
static void of_a_damaged_file_nothing_is_taken(void **state)
{
    struct place *place = *state;
    char text[SESSION_TEXT_MAX];
    struct session_table *table = with("ann", 0, text);
    struct session_times at = {0, WALL};
    struct fl_err err = {0};
    struct fl_buf bytes;

    assert_true(session_file_write(place->fd, table, at, &err));
    fl_buf_init(&bytes, 4096);
    assert_true(fl_file_read(place->fd, SESSION_FILE, &bytes, &err));
    for (size_t len = 0; len < bytes.len + 2; len++) {
        struct session_table *later = session_table_create();
        char copy[4096] = {0};
        bool is_read;

        memcpy(copy, bytes.at, len < bytes.len ? len : bytes.len);
        if (len > bytes.len) copy[len - 1] = 'x';
        assert_true(fl_file_write(place->fd, SESSION_FILE, copy, len, 0600, &err));
        is_read = session_file_read(place->fd, later, at, &err);
        assert_true(is_read || session_table_len(later) == 0);
        assert_int_equal(is_read && session_table_len(later) == 1,
                         len == bytes.len || len + 1 == bytes.len);
        session_table_destroy(later);
    }
    fl_buf_fini(&bytes);
    session_table_destroy(table);
}

/* Found by the fuzzer: two sessions of one key, of which only one could be ended; and a token that
 * was cut at its zero byte, so that the file of the next process was damaged. */
static void a_key_that_comes_twice_and_a_zero_byte_are_damage(void **state)
{
    struct place *place = *state;
    struct session_table *table = session_table_create();
    struct session_times at = {0, WALL};
    char digest[FL_DIGEST_TEXT_MAX], text[1024];
    struct fl_err err = {0};
    int len;

    fl_digest_print((struct fl_digest){{7}}, digest);
    len = snprintf(text, sizeof text, "fairlead sessions 1\n%s ann %s 0 %d %d\n%s ben %s 0 %d %d\n",
                   digest, digest, WALL + 99, WALL, digest, digest, WALL + 99, WALL);
    assert_true(fl_file_write(place->fd, SESSION_FILE, text, (size_t)len, 0600, &err));
    assert_false(session_file_read(place->fd, table, at, &err));
    assert_int_equal(err.code, FL_INVALID);
    len = snprintf(text, sizeof text, "fairlead sessions 1\n%s a%cn %s 0 %d %d\n", digest, '\0',
                   digest, WALL + 99, WALL);
    assert_true(fl_file_write(place->fd, SESSION_FILE, text, (size_t)len, 0600, &err));
    assert_false(session_file_read(place->fd, table, at, &err));
    assert_int_equal(session_table_len(table), 0);
    session_table_destroy(table);
}

static void without_a_file_there_is_none(void **state)
{
    struct place *place = *state;
    struct session_table *table = session_table_create();
    struct fl_err err = {0};

    assert_false(session_file_read(place->fd, table, (struct session_times){0, WALL}, &err));
    assert_int_equal(err.code, FL_ABSENT);
    session_table_destroy(table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)

FL_TESTS(TEST(a_session_goes_on_in_the_next_process), TEST(the_time_in_between_counts),
         TEST(a_clock_that_was_set_back_gives_no_more_time),
         TEST(a_session_that_is_over_is_not_kept),
         TEST(no_text_of_a_session_or_a_token_is_in_the_file),
         TEST(of_a_damaged_file_nothing_is_taken),
         TEST(a_key_that_comes_twice_and_a_zero_byte_are_damage),
         TEST(without_a_file_there_is_none))
