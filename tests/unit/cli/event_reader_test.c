#include "cli/event_reader.h"

#include <stdio.h>

#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

/* The events as text: "name[data] " for each. */
struct story {
    struct fl_buf text;
    unsigned left; /* events, then stop; 0: no bound */
};

static bool on_event(void *ctx, const struct cli_event *event)
{
    struct story *story = ctx;

    assert_int_equal(event->data[event->data_len], 0);
    fl_buf_put(&story->text, event->name, strlen(event->name));
    fl_buf_put(&story->text, "[", 1);
    fl_buf_put(&story->text, event->data, event->data_len);
    fl_buf_put(&story->text, "] ", 2);
    return story->left == 0 || --story->left > 0;
}

static struct cli_event_reader *begin(struct story *story)
{
    fl_buf_init(&story->text, 16 << 20);
    return cli_event_reader_create(on_event, story);
}

static void take(struct cli_event_reader *reader, struct fl_str bytes)
{
    struct fl_err err = {0};

    if (!cli_event_reader_take(reader, bytes, &err)) fail_msg("%s", err.text);
}

/* The events since the last look. */
static void expect_bytes(struct story *story, struct fl_str expected)
{
    if (story->text.len != expected.len ||
        (expected.len && memcmp(story->text.at, expected.at, expected.len) != 0)) {
        fail_msg("given: '%.*s'", (int)story->text.len, (char *)story->text.at);
    }
    fl_buf_clear(&story->text);
}

static void expect(struct story *story, const char *expected)
{
    expect_bytes(story, fl_str_c(expected));
}

static void end(struct story *story, struct cli_event_reader *reader)
{
    cli_event_reader_destroy(reader);
    fl_buf_fini(&story->text);
}

static void an_event_has_a_name_and_lines_of_data(void **state)
{
    struct story story = {0};
    struct cli_event_reader *reader = begin(&story);

    (void)state;
    take(reader, FL_STR("event: job.ended\ndata: {\"a\":\r\ndata:1}\nid: 7\n\n"));
    expect(&story, "job.ended[{\"a\":\n1}] ");
    assert_string_equal(cli_event_reader_id(reader), "7");
    take(reader, FL_STR("data\nid:8\n\n"));
    expect(&story, "message[] ");
    take(reader, FL_STR(": still here\n\nretry: 5\nstrange: x\n\n\n\r\n"));
    expect(&story, "");
    end(&story, reader);
}

static void a_run_is_given_as_a_whole_or_not_at_all(void **state)
{
    struct story story = {0};
    struct cli_event_reader *reader = begin(&story);

    (void)state;
    take(reader, FL_STR("data: 1\n\ndata: 2\n\n"));
    expect(&story, "");
    take(reader, FL_STR("data: 3\nid: c\n\ndata: 4\n\ndata: 5\nid: d"));
    expect(&story, "message[1] message[2] message[3] ");
    assert_string_equal(cli_event_reader_id(reader), "c");
    cli_event_reader_restart(reader); /* the cut drops 4, half of 5, and the id d */
    assert_string_equal(cli_event_reader_id(reader), "c");
    take(reader, FL_STR("data: 4\n\nevent: end\n\n"));
    expect(&story, "message[4] end[] ");
    assert_string_equal(cli_event_reader_id(reader), "c");
    end(&story, reader);
}

static void an_id_alone_ends_a_run(void **state)
{
    struct story story = {0};
    struct cli_event_reader *reader = begin(&story);

    (void)state;
    take(reader, FL_STR("data: 1\n\nid: a\n\n"));
    expect(&story, "message[1] ");
    assert_string_equal(cli_event_reader_id(reader), "a");
    take(reader, FL_STR("data: 2\n\n")); /* belongs to a later id, not to a */
    expect(&story, "");
    end(&story, reader);
}

/* A zero byte in the data once made the rest of it the next event's name, and read past the run. */
static void zero_bytes_are_data(void **state)
{
    struct story story = {0};
    struct cli_event_reader *reader = begin(&story);

    (void)state;
    take(reader, FL_STR("data: a\0\nid: 1\n\n"));
    expect_bytes(&story, FL_STR("message[a\0] "));
    take(reader, FL_STR("data: \0b\0c\n\ndata: d\nid: 2\0\n\nid: 3\r: 4\n\nid: 3\n\n"));
    expect_bytes(&story, FL_STR("message[\0b\0c] message[d] "));
    assert_string_equal(cli_event_reader_id(reader), "3");
    end(&story, reader);
}

static void who_has_enough_is_given_no_more(void **state)
{
    struct story story = {.left = 2};
    struct cli_event_reader *reader = begin(&story);

    (void)state;
    take(reader, FL_STR("data: 1\n\ndata: 2\n\ndata: 3\nid: a\n\ndata: 4\nid: b\n\n"));
    expect(&story, "message[1] message[2] ");
    end(&story, reader);
}

static void sizes_are_bounded(void **state)
{
    static char mib[1 << 20];
    struct story story = {0};
    struct cli_event_reader *reader = begin(&story);
    struct fl_err err = {0};
    bool is_taken = true;

    (void)state;
    memset(mib, 'x', sizeof mib);
    for (int i = 0; i < 5 && is_taken; i++) { /* a line without an end */
        is_taken = cli_event_reader_take(reader, (struct fl_str){mib, sizeof mib}, &err);
    }
    assert_false(is_taken);
    assert_int_equal(err.code, FL_TOO_LARGE);
    cli_event_reader_restart(reader);
    is_taken = true;
    for (int i = 0; i < 5 && is_taken; i++) { /* an event without an end */
        is_taken = cli_event_reader_take(reader, FL_STR("data:"), &err) &&
                   cli_event_reader_take(reader, (struct fl_str){mib, sizeof mib}, &err) &&
                   cli_event_reader_take(reader, FL_STR("\n"), &err);
    }
    assert_false(is_taken);
    cli_event_reader_restart(reader);
    take(reader, FL_STR("data:"));
    take(reader, (struct fl_str){mib, sizeof mib});
    expect(&story, "");
    take(reader, FL_STR("\n\n")); /* a long run is given although it has no id */
    assert_int_equal(story.text.len, sizeof mib + strlen("message[] "));
    fl_buf_clear(&story.text);
    take(reader, FL_STR("id: 1\ndata: 1\n\nid:"));
    take(reader, (struct fl_str){mib, CLI_EVENT_ID_MAX + 1});
    take(reader, FL_STR("\ndata: 2\n\n"));
    expect(&story, "message[1] "); /* an id that is too long does not count */
    assert_string_equal(cli_event_reader_id(reader), "1");
    end(&story, reader);
}

FL_TESTS(cmocka_unit_test(an_event_has_a_name_and_lines_of_data),
         cmocka_unit_test(a_run_is_given_as_a_whole_or_not_at_all),
         cmocka_unit_test(an_id_alone_ends_a_run), cmocka_unit_test(zero_bytes_are_data),
         cmocka_unit_test(who_has_enough_is_given_no_more), cmocka_unit_test(sizes_are_bounded))
