#include "cli/placement.h"

#include "tests/fl_test.h"

static void tell(struct cli_placement *placement, const char *name, const char *event)
{
    json_t *body = json_loads(event, 0, NULL);

    assert_non_null(body);
    cli_placement_event(placement, name, body);
    json_decref(body);
}

static void assert_text(const struct cli_placement *placement, const char *wanted)
{
    char text[CLI_PLACEMENT_TEXT_MAX];

    cli_placement_text(placement, text);
    assert_string_equal(text, wanted);
}

static void a_job_is_told_from_queue_to_end(void **state)
{
    struct fl_arena arena = {0};
    struct cli_placement placement = cli_placement(1, &arena);

    (void)state;
    assert_text(&placement, "queued");
    tell(&placement, "attempt.assigned", "{\"element\":0,\"cluster\":\"east\"}");
    assert_text(&placement, "starting on east");
    tell(&placement, "replica.changed", "{\"element\":0,\"state\":\"running\"}");
    assert_text(&placement, "running on east");
    tell(&placement, "attempt.ended", "{\"element\":0}");
    assert_text(&placement, "queued");
    tell(&placement, "attempt.assigned", "{\"element\":0,\"cluster\":\"west\"}");
    assert_text(&placement, "starting on west");
    tell(&placement, "element.ended", "{\"element\":0,\"state\":\"succeeded\"}");
    assert_text(&placement, "ended, its last output is on the way");
    fl_arena_fini(&arena);
}

static void an_array_is_told_by_numbers_and_clusters(void **state)
{
    struct fl_arena arena = {0};
    struct cli_placement placement = cli_placement(4, &arena);

    (void)state;
    tell(&placement, "attempt.assigned", "{\"element\":0,\"cluster\":\"east\"}");
    tell(&placement, "attempt.assigned", "{\"element\":1,\"cluster\":\"west\"}");
    tell(&placement, "attempt.assigned", "{\"element\":2,\"cluster\":\"east\"}");
    assert_text(&placement, "0 of 4 ended; 2 on east, 1 on west");
    tell(&placement, "element.ended", "{\"element\":0,\"state\":\"failed\"}");
    tell(&placement, "attempt.ended", "{\"element\":1}");
    tell(&placement, "element.ended", "{\"element\":3,\"state\":\"cancelled\"}");
    assert_text(&placement, "2 of 4 ended, 1 failed; 1 on east");
    fl_arena_fini(&arena);
}

/* Events of a newer control plane, or one that lies. */
static void what_makes_no_sense_changes_nothing(void **state)
{
    struct fl_arena arena = {0};
    struct cli_placement placement = cli_placement(2, &arena);

    (void)state;
    tell(&placement, "attempt.assigned", "{\"element\":2,\"cluster\":\"east\"}");
    tell(&placement, "attempt.assigned", "{\"element\":-1,\"cluster\":\"east\"}");
    tell(&placement, "attempt.ended", "{\"element\":1}");
    tell(&placement, "something.new", "{}");
    assert_text(&placement, "0 of 2 ended");
    fl_arena_fini(&arena);
}

static void many_clusters_are_counted_together(void **state)
{
    struct fl_arena arena = {0};
    struct cli_placement placement = cli_placement(20, &arena);
    char text[CLI_PLACEMENT_TEXT_MAX];

    (void)state;
    for (int i = 0; i < 20; i++) {
        char event[80];

        snprintf(event, sizeof event, "{\"element\":%d,\"cluster\":\"c%d\"}", i, i);
        tell(&placement, "attempt.assigned", event);
    }
    cli_placement_text(&placement, text);
    assert_non_null(strstr(text, ", 1 on c7, 12 on others"));
    fl_arena_fini(&arena);
}

static void an_array_of_any_size_takes_bounded_memory(void **state)
{
    struct fl_arena arena = {0};
    struct cli_placement placement = cli_placement(INT64_MAX, &arena);

    (void)state;
    tell(&placement, "attempt.assigned", "{\"element\":1048575,\"cluster\":\"east\"}");
    tell(&placement, "attempt.assigned", "{\"element\":1048576,\"cluster\":\"east\"}");
    assert_int_equal(placement.placed, 1);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_job_is_told_from_queue_to_end),
         cmocka_unit_test(an_array_is_told_by_numbers_and_clusters),
         cmocka_unit_test(what_makes_no_sense_changes_nothing),
         cmocka_unit_test(many_clusters_are_counted_together),
         cmocka_unit_test(an_array_of_any_size_takes_bounded_memory))
