#include "cli/hint.h"

#include "tests/fl_test.h"

static void expect(const char *state, const char *reason, const char *ended_at, const char *command)
{
    struct cli cli = {0};
    json_t *job = json_pack("{s:s, s:s, s:s, s:s, s:s?}", "id", "job-7", "queue", "night", "state",
                            state, "reason", reason, "endedAt", ended_at);

    assert_non_null(job);
    assert_string_equal(cli_hint(&cli, job), command);
    json_decref(job);
    fl_arena_fini(&cli.arena);
}

static void each_reason_has_the_command_that_ends_the_wait(void **state)
{
    (void)state;
    expect("queued", "QueuePaused", NULL, "fairlead queue resume night");
    expect("held", "Held", NULL, "fairlead release job-7");
    expect("queued", "NoMatchingCluster", NULL, "fairlead explain job-7");
    expect("cancelled", "Cancelled", "2026-01-31T09:00:00.000Z", "fairlead retry job-7");
}

/* The words of an answer go to a terminal. */
static void a_name_cannot_play_with_the_terminal(void **state)
{
    struct cli cli = {.is_tty = true};
    json_t *job =
        json_pack("{s:s, s:s, s:s}", "id", "job-7", "queue", "n\033[2J", "reason", "QueuePaused");

    (void)state;
    assert_null(strchr(cli_hint(&cli, job), '\033'));
    json_decref(job);
    fl_arena_fini(&cli.arena);
}

FL_TESTS(cmocka_unit_test(each_reason_has_the_command_that_ends_the_wait),
         cmocka_unit_test(a_name_cannot_play_with_the_terminal))
