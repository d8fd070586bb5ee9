#include "cli/top/top_keys.h"

#include "tests/unit/cli/top/top_fixture.h"

enum { F3 = TOP_KEY_F1 + 2, F4, F5, F6, F7, F8, F9 };

static void cancel_asks_with_the_names_and_only_y_sends(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_int_equal(top_keys_press(&model, F9), TOP_NOTHING);
    assert_int_equal(model.mode, TOP_CONFIRM);
    assert_int_equal(model.order.names_len, 1);
    assert_string_equal(model.order.names[0], "job-9");
    assert_int_equal(top_keys_press(&model, TOP_KEY_ENTER), TOP_NOTHING);
    assert_int_equal(model.mode, TOP_LIST);
    assert_string_equal(model.message, "nothing was changed");
    assert_int_equal(fixture_type(&model, "cy"), TOP_SEND);
    assert_string_equal(model.order.group, "jobs");
    assert_string_equal(model.order.action, "cancel");
    top_model_fini(&model);
}

static void cancel_means_the_tagged_jobs_that_are_open(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "    "); /* job-9 to job-6, which has ended */
    assert_int_equal(model.tags.len, 4);
    assert_string_equal(fixture_cursor(&model), "job-5");
    fixture_type(&model, "c");
    assert_int_equal(model.order.names_len, 3);
    assert_string_equal(model.order.names[0], "job-9");
    assert_string_equal(model.order.names[2], "job-7");
    assert_int_equal(fixture_type(&model, "y"), TOP_SEND);
    assert_int_equal(model.tags.len, 0);
    assert_int_equal(fixture_type(&model, "c"), TOP_NOTHING); /* job-5 has ended */
    assert_int_equal(model.mode, TOP_LIST);
    assert_string_equal(model.message, "it has ended already");
    top_model_fini(&model);
}

static void a_question_keeps_its_names_while_the_rows_move(void **state)
{
    struct top_data *next = fixture_data();
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "c");
    fixture_job(next, "job-12", "new", "running", "default", "");
    top_model_adopt(&model, next);
    assert_int_equal(fixture_type(&model, "y"), TOP_SEND);
    assert_string_equal(model.order.names[0], "job-9");
    top_model_fini(&model);
}

static void hold_and_release_are_pause_and_cordon_elsewhere(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_int_equal(fixture_type(&model, "H"), TOP_SEND);
    assert_string_equal(model.order.action, "hold");
    assert_int_equal(fixture_type(&model, "2H"), TOP_NOTHING);
    assert_int_equal(fixture_type(&model, "y"), TOP_SEND);
    assert_string_equal(model.order.group, "queues");
    assert_string_equal(model.order.action, "pause");
    assert_string_equal(model.order.names[0], "default");
    fixture_type(&model, "3R");
    assert_int_equal(fixture_type(&model, "y"), TOP_SEND);
    assert_string_equal(model.order.action, "uncordon");
    assert_int_equal(fixture_type(&model, "c"), TOP_NOTHING); /* a cluster is not cancelled */
    assert_int_equal(model.mode, TOP_LIST);
    top_model_fini(&model);
}

static void a_filter_is_seen_while_it_is_typed(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_keys_press(&model, F4);
    fixture_type(&model, "swe");
    fixture_rows(&model, "job-7");
    top_keys_press(&model, TOP_KEY_BACKSPACE);
    fixture_type(&model, "q"); /* a letter, and no key */
    fixture_rows(&model, "");
    assert_int_equal(model.mode, TOP_FILTER);
    top_keys_press(&model, TOP_KEY_ESC);
    fixture_rows(&model, "job-9 job-8 job-7 job-6 job-5");
    fixture_type(&model, "\\night\r");
    assert_int_equal(model.mode, TOP_LIST);
    fixture_rows(&model, "job-7");
    assert_int_equal(top_keys_press(&model, TOP_KEY_ESC), TOP_NOTHING);
    fixture_rows(&model, "job-9 job-8 job-7 job-6 job-5");
    top_model_fini(&model);
}

static void a_search_moves_the_cursor_and_n_goes_on(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "/default");
    assert_string_equal(fixture_cursor(&model), "job-9");
    top_keys_press(&model, F3);
    assert_string_equal(fixture_cursor(&model), "job-8");
    fixture_type(&model, "\rn");
    assert_string_equal(fixture_cursor(&model), "job-6");
    fixture_type(&model, "N");
    assert_string_equal(fixture_cursor(&model), "job-8");
    fixture_type(&model, "/nowhere");
    assert_string_equal(model.message, "not found: nowhere");
    assert_string_equal(fixture_cursor(&model), "job-8");
    top_model_fini(&model);
}

static void a_typed_line_has_a_limit_and_whole_characters(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "/a");
    top_keys_press(&model, 0xf6); /* an umlaut */
    assert_string_equal(model.input, "a\u00f6");
    top_keys_press(&model, TOP_KEY_BACKSPACE);
    assert_string_equal(model.input, "a");
    for (int i = 0; i < 100; i++) {
        top_keys_press(&model, 0x1f600);
    }
    assert_int_equal(strlen(model.input), 1 + 4 * 15);
    for (int i = 0; i < 100; i++) {
        top_keys_press(&model, TOP_KEY_BACKSPACE);
    }
    assert_string_equal(model.input, "");
    top_model_fini(&model);
}

static void the_menu_sorts_and_the_same_column_again_is_the_reverse(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    top_keys_press(&model, F6);
    assert_int_equal(model.mode, TOP_SORT);
    fixture_type(&model, "j\r");
    fixture_rows(&model, "job-5 job-8 job-6 job-7 job-9");
    assert_string_equal(fixture_cursor(&model), "job-9");
    fixture_type(&model, "s\r");
    fixture_rows(&model, "job-9 job-7 job-6 job-8 job-5");
    fixture_type(&model, "I");
    fixture_rows(&model, "job-5 job-8 job-6 job-7 job-9");
    top_keys_press(&model, F6);
    for (int i = 0; i < 30; i++) {
        top_keys_press(&model, TOP_KEY_DOWN);
    }
    assert_int_equal(model.menu, top_columns_of(TOP_JOBS).len - 1);
    top_keys_press(&model, TOP_KEY_ESC);
    assert_int_equal(model.lists[TOP_JOBS].sort, 1);
    top_model_fini(&model);
}

static void enter_leads_from_a_queue_to_its_jobs_and_esc_back(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_int_equal(fixture_type(&model, "2j\r"), TOP_LOOK);
    assert_int_equal(model.tab, TOP_JOBS);
    assert_string_equal(model.queue, "night");
    assert_int_equal(top_keys_press(&model, TOP_KEY_ESC), TOP_LOOK);
    assert_string_equal(model.queue, "");
    assert_int_equal(fixture_type(&model, "3\r"), TOP_LOOK);
    assert_int_equal(model.tab, TOP_NODES);
    assert_string_equal(model.cluster, "east");
    assert_int_equal(top_keys_press(&model, TOP_KEY_ESC), TOP_LOOK);
    assert_string_equal(model.cluster, "");
    top_model_fini(&model);
}

static void enter_opens_the_panel_of_a_job_which_acts_on_that_job(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, " "); /* a tag, which the panel does not mean */
    assert_int_equal(fixture_type(&model, "\r"), TOP_LOOK);
    assert_int_equal(model.mode, TOP_PANEL);
    assert_string_equal(model.panel.job, "job-8");
    assert_int_equal(fixture_type(&model, "l"), TOP_FOLLOW);
    assert_string_equal(top_model_job(&model), "job-8");
    fixture_type(&model, "c");
    assert_string_equal(model.order.names[0], "job-8");
    assert_int_equal(model.order.names_len, 1);
    assert_int_equal(fixture_type(&model, "n"), TOP_NOTHING);
    assert_int_equal(model.mode, TOP_PANEL);
    assert_int_equal(fixture_type(&model, "q"), TOP_NOTHING); /* the panel, not the program */
    assert_int_equal(model.mode, TOP_LIST);
    assert_string_equal(model.panel.job, "");
    assert_int_equal(fixture_type(&model, "q"), TOP_QUIT);
    top_model_fini(&model);
}

static void a_user_is_asked_for_at_the_control_plane(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_int_equal(fixture_type(&model, "u@me\r"), TOP_LOOK);
    assert_string_equal(model.user, "@me");
    assert_int_equal(top_keys_press(&model, TOP_KEY_ESC), TOP_LOOK);
    assert_string_equal(model.user, "");
    assert_int_equal(fixture_type(&model, "a"), TOP_LOOK);
    assert_true(model.is_open_only);
    top_model_fini(&model);
}

static void tabs_go_round_and_nodes_are_asked_for(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    assert_int_equal(top_keys_press(&model, TOP_KEY_BACK_TAB), TOP_LOOK);
    assert_int_equal(model.tab, TOP_NODES);
    assert_int_equal(top_keys_press(&model, TOP_KEY_TAB), TOP_NOTHING);
    assert_int_equal(model.tab, TOP_JOBS);
    assert_int_equal(fixture_type(&model, "4"), TOP_LOOK);
    assert_int_equal(fixture_type(&model, "1"), TOP_NOTHING);
    top_model_fini(&model);
}

static void the_delay_has_steps_and_a_pause_ends_with_a_look(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "+");
    assert_int_equal(model.delay_ms, 5000);
    fixture_type(&model, "+++++++");
    assert_int_equal(model.delay_ms, TOP_DELAY_MS_MAX);
    fixture_type(&model, "--------");
    assert_int_equal(model.delay_ms, TOP_DELAY_MS_MIN);
    assert_int_equal(fixture_type(&model, "p"), TOP_NOTHING);
    assert_int_equal(fixture_type(&model, "p"), TOP_LOOK);
    top_model_fini(&model);
}

static void every_key_is_harmless_where_nothing_is(void **state)
{
    struct top_model model;

    (void)state;
    for (size_t tab = 0; tab < TOP_TABS_LEN; tab++) {
        top_model_init(&model, "http://hub", 2000);
        top_model_arrange(&model, FIXTURE_NOW, 0);
        top_model_show(&model, (enum top_tab)tab);
        for (uint32_t key = 1; key < 128; key++) {
            top_keys_press(&model, key);
            top_keys_press(&model, TOP_KEY_ESC);
        }
        for (uint32_t key = TOP_KEY_UP; key <= TOP_KEY_RESIZE; key++) {
            top_keys_press(&model, key);
            top_keys_press(&model, TOP_KEY_ESC);
        }
        top_model_fini(&model);
    }
}

FL_TESTS(cmocka_unit_test(cancel_asks_with_the_names_and_only_y_sends),
         cmocka_unit_test(cancel_means_the_tagged_jobs_that_are_open),
         cmocka_unit_test(a_question_keeps_its_names_while_the_rows_move),
         cmocka_unit_test(hold_and_release_are_pause_and_cordon_elsewhere),
         cmocka_unit_test(a_filter_is_seen_while_it_is_typed),
         cmocka_unit_test(a_search_moves_the_cursor_and_n_goes_on),
         cmocka_unit_test(a_typed_line_has_a_limit_and_whole_characters),
         cmocka_unit_test(the_menu_sorts_and_the_same_column_again_is_the_reverse),
         cmocka_unit_test(enter_leads_from_a_queue_to_its_jobs_and_esc_back),
         cmocka_unit_test(enter_opens_the_panel_of_a_job_which_acts_on_that_job),
         cmocka_unit_test(a_user_is_asked_for_at_the_control_plane),
         cmocka_unit_test(tabs_go_round_and_nodes_are_asked_for),
         cmocka_unit_test(the_delay_has_steps_and_a_pause_ends_with_a_look),
         cmocka_unit_test(every_key_is_harmless_where_nothing_is))
