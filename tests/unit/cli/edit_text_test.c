#include "cli/edit_text.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fl_test.h"

static const char held[] =
    "{\"id\":\"job-7\",\"state\":\"held\",\"queue\":\"default\",\"priority\":2,\"deadline\":3600,"
    "\"parallelism\":8,\"name\":\"sweep\",\"labels\":{\"team\":\"a\",\"try\":\"1\"},\"revision\":"
    "3}";
static const char bare[] =
    "{\"id\":\"job-8\",\"state\":\"queued\",\"queue\":\"default\","
    "\"priority\":0,\"deadline\":null,\"parallelism\":null,\"name\":null,\"labels\":{}}";

/* The text of the job; the caller frees it. */
static char *text_of(const json_t *job)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    cli_edit_text_write(job, out);
    fclose(out);
    return text;
}

/* The edit that the text asks for, in JSON; "" where it is refused, with 'err'. */
static void asks(const char *of, const char *text, const char *wanted, struct fl_err *err)
{
    json_t *job = json_loads(of, 0, NULL), *body;
    struct fl_arena arena = {0};
    char *got;

    assert_non_null(job);
    body = cli_edit_text_read(job, fl_str_c(text), &arena, err);
    got = body ? json_dumps(body, JSON_COMPACT) : strdup("");
    assert_string_equal(got, wanted);
    free(got);
    json_decref(body);
    json_decref(job);
    fl_arena_fini(&arena);
}

static void the_text_as_it_was_written_changes_nothing(void **state)
{
    static const char *const jobs[] = {held, bare};
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        json_t *job = json_loads(jobs[i], 0, NULL);
        char *text = text_of(job);

        assert_non_null(strstr(text, "queue: default\n"));
        asks(jobs[i], text, "{}", &err);
        free(text);
        json_decref(job);
    }
}

static void members_that_differ_are_the_edit(void **state)
{
    struct fl_err err = {0};

    (void)state;
    asks(held,
         "queue: urgent\npriority: 2\nhold: false\ndeadline: 1h30m\nparallelism: 4\nname: sweep\n"
         "labels: {team: b, new: x, try: '1'}\n",
         "{\"queue\":\"urgent\",\"hold\":false,\"deadline\":\"1h30m\",\"parallelism\":4,"
         "\"labels\":{\"team\":\"b\",\"new\":\"x\"}}",
         &err);
    asks(bare, "hold: true\nlabels:\n  version: 1.10\n  on: true\n",
         "{\"hold\":true,\"labels\":{\"version\":\"1.10\",\"on\":\"true\"}}", &err);
}

static void lines_that_are_gone_take_their_member_away(void **state)
{
    struct fl_err err = {0};

    (void)state;
    asks(held, "queue: default\nhold: true\nlabels: {team: a}\n",
         "{\"deadline\":null,\"parallelism\":null,\"name\":null,\"labels\":{\"try\":null}}", &err);
    asks(held, "deadline: 3600\nparallelism: 8\nname: sweep\n", "{\"labels\":null}", &err);
    asks(held, "# nothing\n", "{}", &err);      /* an empty text is no wish */
    asks(bare, "queue: default\n", "{}", &err); /* there was nothing to take away */
}

static void unknown_members_go_along_to_be_refused(void **state)
{
    struct fl_err err = {0};

    (void)state;
    asks(bare, "prioriti: 4\nqueue: [a]\n", "{\"queue\":[\"a\"],\"prioriti\":4}", &err);
}

static void a_text_of_another_kind_is_refused_with_its_line(void **state)
{
    struct fl_err err = {0};

    (void)state;
    asks(bare, "queue: default\nname: [a\n", "", &err);
    assert_non_null(strstr(err.text, "line "));
    asks(bare, "- a\n", "", &err);
    asks(bare, "queue: a\n---\nqueue: b\n", "", &err);
    assert_non_null(strstr(err.text, "no list of members"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_as_it_was_written_changes_nothing),
        cmocka_unit_test(members_that_differ_are_the_edit),
        cmocka_unit_test(lines_that_are_gone_take_their_member_away),
        cmocka_unit_test(unknown_members_go_along_to_be_refused),
        cmocka_unit_test(a_text_of_another_kind_is_refused_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
