#include "cli/top/top_model.h"

#include "tests/unit/cli/top/top_fixture.h"

static void the_cursor_stays_on_its_job_while_rows_move(void **state)
{
    struct top_data *next = fixture_data();
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_model_move(&model, 1);
    assert_string_equal(fixture_cursor(&model), "job-8");
    fixture_job(next, "job-11", "new", "queued", "default", "");
    fixture_job(next, "job-12", "new", "queued", "default", "");
    top_model_adopt(&model, next);
    fixture_rows(&model, "job-12 job-11 job-9 job-8 job-7 job-6 job-5");
    assert_string_equal(fixture_cursor(&model), "job-8");
    model.lists[TOP_JOBS].is_inverse = true;
    top_model_arrange(&model, FIXTURE_NOW, 1000);
    assert_string_equal(fixture_cursor(&model), "job-8");
    top_model_fini(&model);
}

static void when_its_job_has_gone_the_cursor_is_on_a_neighbour(void **state)
{
    struct top_data *next = top_data_create();
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_model_move(&model, 1);
    fixture_job(next, "job-9", "", "running", "q", "");
    fixture_job(next, "job-7", "", "held", "q", "");
    top_model_adopt(&model, next);
    assert_string_equal(fixture_cursor(&model), "job-7");
    top_model_adopt(&model, top_data_create());
    assert_string_equal(fixture_cursor(&model), "none");
    top_model_adopt(&model, fixture_data());
    assert_string_equal(fixture_cursor(&model), "job-9");
    top_model_fini(&model);
}

static void the_cursor_is_always_on_the_screen(void **state)
{
    struct top_data *many = top_data_create();
    struct top_model model;
    const struct top_list *list = &model.lists[TOP_JOBS];

    (void)state;
    fixture_model(&model);
    for (int i = 1000; i < 1000 + TOP_JOBS_MAX; i++) {
        char id[16];

        snprintf(id, sizeof id, "job-%d", i);
        fixture_job(many, id, "", "queued", "q", "");
    }
    top_model_adopt(&model, many);
    assert_int_equal(model.rows_len, TOP_JOBS_MAX);
    top_model_move(&model, INT32_MAX);
    assert_int_equal(list->cursor, TOP_JOBS_MAX - 1);
    assert_int_equal(list->first, TOP_JOBS_MAX - 10);
    model.page_rows = 40; /* the terminal grew */
    top_model_move(&model, 0);
    assert_int_equal(list->first, TOP_JOBS_MAX - 40);
    model.page_rows = 5;
    top_model_move(&model, 0);
    assert_in_range(list->cursor, list->first, list->first + 4);
    top_model_move(&model, INT32_MIN);
    assert_int_equal(list->cursor + list->first, 0);
    top_model_fini(&model);
}

static void a_filter_leaves_out_rows_and_keeps_the_cursor(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_model_move(&model, 2);
    strcpy(model.lists[TOP_JOBS].filter, "E");
    top_model_arrange(&model, FIXTURE_NOW, 1000);
    fixture_rows(&model, "job-9 job-8 job-7 job-6 job-5");
    strcpy(model.lists[TOP_JOBS].filter, "sweep");
    top_model_arrange(&model, FIXTURE_NOW, 1000);
    fixture_rows(&model, "job-7");
    assert_string_equal(fixture_cursor(&model), "job-7");
    assert_int_equal(model.all_len, 5);
    strcpy(model.lists[TOP_JOBS].filter, "nowhere");
    top_model_arrange(&model, FIXTURE_NOW, 1000);
    fixture_rows(&model, "");
    top_model_fini(&model);
}

static void a_search_goes_round_both_ways(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_true(top_model_find(&model, "night", 0));
    assert_string_equal(fixture_cursor(&model), "job-7");
    assert_true(top_model_find(&model, "default", 1));
    assert_string_equal(fixture_cursor(&model), "job-6");
    assert_true(top_model_find(&model, "running", 1));
    assert_string_equal(fixture_cursor(&model), "job-9");
    assert_true(top_model_find(&model, "default", -1));
    assert_string_equal(fixture_cursor(&model), "job-5");
    assert_false(top_model_find(&model, "nowhere", 1));
    assert_string_equal(fixture_cursor(&model), "job-5");
    top_model_adopt(&model, top_data_create());
    assert_false(top_model_find(&model, "default", 1));
    top_model_fini(&model);
}

static void a_tag_goes_with_its_job(void **state)
{
    struct top_data *next = top_data_create();
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_model_tag(&model, "job-9");
    top_model_tag(&model, "job-8");
    top_model_tag(&model, "job-7");
    top_model_tag(&model, "job-8"); /* away again */
    assert_int_equal(model.tags.len, 2);
    assert_false(top_model_is_tagged(&model, "job-8"));
    fixture_job(next, "job-7", "", "held", "q", "");
    top_model_adopt(&model, next);
    assert_int_equal(model.tags.len, 1);
    assert_true(model.rows[0].is_tagged);
    top_model_untag(&model);
    assert_int_equal(model.tags.len, 0);
    top_model_fini(&model);
}

static void a_message_passes(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_model_say(&model, false, "job-%d is held", 7);
    top_model_arrange(&model, FIXTURE_NOW, 1000 + TOP_MESSAGE_MS - 1);
    assert_string_equal(model.message, "job-7 is held");
    top_model_arrange(&model, FIXTURE_NOW, 1000 + TOP_MESSAGE_MS);
    assert_string_equal(model.message, "");
    top_model_fini(&model);
}

FL_TESTS(cmocka_unit_test(the_cursor_stays_on_its_job_while_rows_move),
         cmocka_unit_test(when_its_job_has_gone_the_cursor_is_on_a_neighbour),
         cmocka_unit_test(the_cursor_is_always_on_the_screen),
         cmocka_unit_test(a_filter_leaves_out_rows_and_keeps_the_cursor),
         cmocka_unit_test(a_search_goes_round_both_ways), cmocka_unit_test(a_tag_goes_with_its_job),
         cmocka_unit_test(a_message_passes))
