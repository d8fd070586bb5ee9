#include "cli/top/top_draw.h"

#include <stdlib.h>

#include "tests/unit/cli/top/top_fixture.h"

struct frame {
    struct fl_arena arena;
    struct top_cells cells;
    const char *text;
};

static struct frame frame_of(struct top_model *model, size_t rows, size_t columns, bool has_utf8)
{
    struct frame frame = {0};

    top_cells_init(&frame.cells, rows, columns, has_utf8);
    top_draw(model, &frame.cells);
    frame.text = top_cells_text(&frame.cells, &frame.arena);
    return frame;
}

static void frame_fini(struct frame *frame)
{
    top_cells_fini(&frame->cells);
    fl_arena_fini(&frame->arena);
}

static void shows(struct top_model *model, const char *want)
{
    struct frame frame = frame_of(model, 24, 80, true);

    assert_string_equal(frame.text, want);
    frame_fini(&frame);
}

static void has(struct top_model *model, size_t rows, size_t columns, const char *text)
{
    struct frame frame = frame_of(model, rows, columns, true);

    if (!strstr(frame.text, text)) fail_msg("'%s' is not in\n%s", text, frame.text);
    frame_fini(&frame);
}

static void jobs_at_80x24(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, " ");
    shows(&model,
          "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
          "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
          "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "[1 Jobs] 2 Queues  3 Clusters  4 Nodes                             1 tagged  2/5\n"
          " JOBv   NAME     STATE      QUEUE    CLUSTER    AGE  TOOK  USER  NOTE\n"
          "*job-9  train    running    default  east     10m0s     -  ann   -\n"
          " job-8  eval     queued     default  -        10m0s     -  ann   NoRoom\n"
          " job-7  sweep    held       night    -        10m0s     -  ann   -\n"
          " job-6  prepare  succeeded  default  east     10m0s  2m5s  ann   -\n"
          " job-5  crash    failed     default  west     10m0s  2m5s  ann   -\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "F1HelpF3SearchF4FilterF5RefreshF6SortF7HoldF8ReleaseF9CancelF10QuitTabNext\n");
    top_model_fini(&model);
}

static void other_tabs_at_80x24(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "2");
    shows(&model,
          "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
          "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
          "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          " 1 Jobs [2 Queues] 3 Clusters  4 Nodes                                       1/2\n"
          " QUEUEv   STATE   HELD  QUEUED  STARTING  RUNNING  STOPPING  DEFAULT CPU\n"
          " default  open       0       3         0        0         0       preset\n"
          " night    paused     0       1         0        0         0       preset\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "F1HelpF3SearchF4FilterF5RefreshF6SortF7HoldF8ReleaseF9CancelF10QuitTabNext\n");
    fixture_node(model.data, "east", "n-1");
    fixture_type(&model, "3");
    has(&model, 24, 80, " CLUSTERv STATE  NODES  CPU  MEMORY  GPU  ATTEMPTS  CORDON");
    fixture_type(&model, "4");
    has(&model, 24, 80, " east     n-1   ready  2/8  4G/16G  0/2");
    top_model_fini(&model);
}

static void the_question_names_the_jobs(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "  c");
    shows(&model,
          "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
          "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
          "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "[1 Jobs] 2 Queues  3 Clusters  4 Nodes                             2 tagged  3/5\n"
          " cancel 2 jobs?\n"
          "   job-9  running  train\n"
          "   job-8  queued  eval\n"
          "\n"
          " y: yes   any other key: no\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "F1HelpF3SearchF4FilterF5RefreshF6SortF7HoldF8ReleaseF9CancelF10QuitTabNext\n");
    top_model_fini(&model);
}

static void the_menu_of_columns_stands_over_the_rows(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "sjj");
    shows(&model,
          "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
          "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
          "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "[1 Jobs] 2 Queues  3 Clusters  4 Nodes                                       1/5\n"
          " Sort by            JOBv   NAME     STATE      CLUSTER    AGE  USER  NOTE\n"
          " JOB now            job-9  train    running    east     10m0s  ann   -\n"
          " NAME               job-8  eval     queued     -        10m0s  ann   NoRoom\n"
          " STATE              job-7  sweep    held       -        10m0s  ann   -\n"
          " QUEUE              job-6  prepare  succeeded  east     10m0s  ann   -\n"
          " CLUSTER            job-5  crash    failed     west     10m0s  ann   -\n"
          " ELEMENTS\n"
          " AGE\n"
          " TOOK\n"
          " PRI\n"
          " USER\n"
          " NOTE\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "F1HelpF3SearchF4FilterF5RefreshF6SortF7HoldF8ReleaseF9CancelF10QuitTabNext\n");
    top_model_fini(&model);
}

static void a_panel_wraps_and_scrolls_as_far_as_its_text(void **state)
{
    static const char *const lines[] = {"job-9  running", "  name        train",
                                        "  a sentence that is so long that it does not fit into "
                                        "one row and goes on in the next one",
                                        "Why"};
    struct top_model model;
    struct frame frame;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "\r");
    has(&model, 24, 80, "asking the control plane");
    top_model_set_panel(&model, lines, 4);
    fixture_type(&model, "jjjjG");
    shows(&model,
          "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
          "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
          "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
          "[1 Jobs] 2 Queues  3 Clusters  4 Nodes                                       1/5\n"
          " job-9  running\n"
          "   name        train\n"
          "   a sentence that is so long that it does not fit into one row and goes on in\n"
          " the next one\n"
          " Why\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "\n"
          "Esc Back  l Logs  H Hold  R Release  c Cancel  Up Down PgUp PgDn Move\n");
    assert_int_equal(model.panel.scroll, 0);
    frame = frame_of(&model, TOP_ROWS_MIN, TOP_COLUMNS_MIN, true);
    frame_fini(&frame);
    top_model_fini(&model);
}

static void hostile_names_cannot_reach_the_terminal(void **state)
{
    static const char *const lines[] = {"  name        \033]0;x\007"};
    struct top_data *data = top_data_create();
    struct top_model model;
    struct frame frame;

    (void)state;
    fixture_model(&model);
    fixture_job(data, "job-1",
                "\033[2J\xc2\x9b"
                "31mred\r\n\u202e"
                "dlrow",
                "running", "a\tb", "\x7f");
    fixture_job(data, "job-2", "\u65e5\u672c\u8a9e e\u0301", "running", "q", "c");
    fixture_cluster(data, "\033[5m", "rea\033dy", 4);
    top_model_adopt(&model, data);
    strcpy(model.why, "\033[31m");
    model.link = TOP_AWAY;
    frame = frame_of(&model, 24, 130, true);
    for (const char *c = frame.text; *c; c++) {
        assert_true((unsigned char)*c >= ' ' || *c == '\n');
        assert_false((unsigned char)*c == 0xc2 && (unsigned char)c[1] < 0xa0);
    }
    assert_non_null(strstr(frame.text, "?[2J?31mred???dlrow"));
    assert_non_null(strstr(frame.text, "\u65e5\u672c\u8a9e e\u0301"));
    frame_fini(&frame);
    top_keys_press(&model, TOP_KEY_ENTER);
    top_model_set_panel(&model, lines, 1);
    has(&model, 24, 80, "?]0;x?");
    top_model_fini(&model);
}

static void ascii_alone_on_a_terminal_without_utf8(void **state)
{
    struct top_data *data = top_data_create();
    struct top_model model;
    struct frame frame;

    (void)state;
    fixture_model(&model);
    fixture_job(data, "job-1", "a name that goes on and on and on and on and on \u00f6 on and on",
                "running", "q", "c");
    top_model_adopt(&model, data);
    frame = frame_of(&model, 24, 80, false);
    for (const char *c = frame.text; *c; c++) {
        assert_true((unsigned char)*c < 0x7f);
    }
    assert_non_null(strchr(frame.text, '~'));
    frame_fini(&frame);
    top_model_fini(&model);
}

static void a_wide_screen_has_all_columns_and_two_meters_a_row(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    has(&model, 60, 200, "   east         ready     CPU[|||");
    has(&model, 60, 200, "ELEMENTS");
    fixture_type(&model, "p");
    has(&model, 60, 200, "10:00:00  paused\n");
    has(&model, 60, 200, "PRI  USER  NOTE");
    has(&model, 60, 200, "1 failed, 1 succeeded");
    top_model_fini(&model);
}

static void a_small_screen_gets_a_sentence(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    has(&model, 11, 80, "wants 60x12, has 80x11; Ctrl-C quits");
    has(&model, 24, 59, "wants 60x12, has 59x24; Ctrl-C quits");
    has(&model, 1, 10, "too small");
    has(&model, TOP_ROWS_MIN, TOP_COLUMNS_MIN, "job-9");
    top_model_fini(&model);
}

static void any_size_and_mode_can_be_drawn(void **state)
{
    static const char *const keys[] = {"", "?", "s", "c", "/x", "\\e", "u", "\r", "2", "3", "4"};
    struct top_model model;

    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (size_t size = 1; size < 70; size += 3) {
            struct frame frame;

            fixture_model(&model);
            fixture_type(&model, keys[k]);
            frame = frame_of(&model, size, 3 * size, true);
            frame_fini(&frame);
            frame = frame_of(&model, TOP_ROWS_MIN, TOP_COLUMNS_MIN + size, false);
            frame_fini(&frame);
            top_model_fini(&model);
        }
    }
}

static void many_rows_scroll_and_many_clusters_are_counted(void **state)
{
    struct top_data *data = top_data_create();
    struct top_model model;
    char name[16];

    (void)state;
    fixture_model(&model);
    for (int i = 1000; i < 1000 + TOP_JOBS_MAX; i++) {
        snprintf(name, sizeof name, "job-%d", i);
        fixture_job(data, name, "", "queued", "q", "");
    }
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "c-%d", i);
        fixture_cluster(data, name, i == 30 ? "lost" : "ready", 4);
    }
    data->has_more_jobs = true;
    top_model_adopt(&model, data);
    has(&model, 24, 80, "500 of more shown: 500 queued");
    has(&model, 24, 80, "\nc-30         lost");
    has(&model, 24, 80, "and 37 more clusters, 37 ready\n");
    has(&model, 24, 80, "1/500\n");
    top_keys_press(&model, TOP_KEY_END);
    has(&model, 24, 80, " job-1000 ");
    has(&model, 24, 80, "500/500\n");
    top_model_fini(&model);
}

static void nothing_to_show_says_what_to_do(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    fixture_type(&model, "\\zzz\r");
    has(&model, 24, 80, "no row has the filter's text; Esc shows all");
    has(&model, 24, 80, "filter: zzz");
    top_keys_press(&model, TOP_KEY_ESC);
    top_model_adopt(&model, top_data_create());
    has(&model, 24, 80, "'fairlead run echo hello' starts one");
    top_model_fini(&model);
}

static void a_lost_control_plane_is_seen_beside_the_last_data(void **state)
{
    struct top_model model;

    (void)state;
    fixture_model(&model);
    model.link = TOP_AWAY;
    model.again_at = 1000 + 2500;
    strcpy(model.why, "connection refused");
    has(&model, 24, 80, "\ndisconnected, trying again in 3 s: connection refused\n");
    has(&model, 24, 80, "disconnected  10:00:00  every 2 s\n");
    has(&model, 24, 80, "job-9");
    model.link = TOP_REFUSED;
    strcpy(model.why, "422 no such user");
    has(&model, 24, 80, "\nrefused, trying again in 3 s: 422 no such user\n");
    model.link = TOP_CONNECTED;
    top_model_arrange(&model, FIXTURE_NOW, 1000 + 9000);
    has(&model, 24, 80, "\nno answer for 9 s\n");
    top_model_fini(&model);
}

static void the_row_of_the_cursor_and_states_have_styles(void **state)
{
    struct top_model model;
    struct frame frame;
    size_t row = 0;

    (void)state;
    fixture_model(&model);
    frame = frame_of(&model, 24, 80, true);
    while (frame.cells.at[row * 80].style != TOP_SELECTED) {
        row++;
        assert_true(row < 24);
    }
    assert_int_equal(frame.cells.at[row * 80 + 1].c, 'j');
    assert_int_equal(frame.cells.at[(row - 1) * 80].style, TOP_HEAD);
    assert_int_equal(frame.cells.at[(row + 1) * 80].style, TOP_PLAIN);
    frame_fini(&frame);
    top_model_fini(&model);
}

static void one_page_has_every_row_and_no_keys(void **state)
{
    struct fl_arena arena = {0};
    struct top_model model;
    struct top_cells cells;

    (void)state;
    fixture_model(&model);
    top_draw_once(&model, 7, true, &cells);
    assert_int_equal(cells.columns, TOP_COLUMNS_MIN);
    top_cells_fini(&cells);
    top_draw_once(&model, 80, true, &cells);
    assert_string_equal(
        top_cells_text(&cells, &arena),
        "fairlead  https://hub:7777  ann  1.2.3            connected  10:00:00  every 2 s\n"
        "Jobs: 4 open; 5 shown: 1 running, 1 queued, 1 held, 1 failed, 1 succeeded\n"
        "west         lost      CPU[          0/8] Mem[|||    4G/16G] GPU[          0/2]\n"
        "east         ready     CPU[|||||||   4/8] Mem[|||    4G/16G] GPU[          0/2]\n"
        "\n"
        " JOBv   NAME     STATE      QUEUE    CLUSTER    AGE  TOOK  USER  NOTE\n"
        " job-9  train    running    default  east     10m0s     -  ann   -\n"
        " job-8  eval     queued     default  -        10m0s     -  ann   NoRoom\n"
        " job-7  sweep    held       night    -        10m0s     -  ann   -\n"
        " job-6  prepare  succeeded  default  east     10m0s  2m5s  ann   -\n"
        " job-5  crash    failed     default  west     10m0s  2m5s  ann   -\n");
    top_cells_fini(&cells);
    fl_arena_fini(&arena);
    top_model_fini(&model);
}

FL_TESTS(cmocka_unit_test(jobs_at_80x24), cmocka_unit_test(other_tabs_at_80x24),
         cmocka_unit_test(the_question_names_the_jobs),
         cmocka_unit_test(the_menu_of_columns_stands_over_the_rows),
         cmocka_unit_test(a_panel_wraps_and_scrolls_as_far_as_its_text),
         cmocka_unit_test(hostile_names_cannot_reach_the_terminal),
         cmocka_unit_test(ascii_alone_on_a_terminal_without_utf8),
         cmocka_unit_test(a_wide_screen_has_all_columns_and_two_meters_a_row),
         cmocka_unit_test(a_small_screen_gets_a_sentence),
         cmocka_unit_test(any_size_and_mode_can_be_drawn),
         cmocka_unit_test(many_rows_scroll_and_many_clusters_are_counted),
         cmocka_unit_test(nothing_to_show_says_what_to_do),
         cmocka_unit_test(a_lost_control_plane_is_seen_beside_the_last_data),
         cmocka_unit_test(the_row_of_the_cursor_and_states_have_styles),
         cmocka_unit_test(one_page_has_every_row_and_no_keys))
