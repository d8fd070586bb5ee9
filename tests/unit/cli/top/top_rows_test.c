#include "cli/top/top_rows.h"

#include "tests/unit/cli/top/top_fixture.h"

static size_t column_of(enum top_tab tab, const char *head)
{
    struct top_columns columns = top_columns_of(tab);

    for (size_t i = 0; i < columns.len; i++) {
        if (strcmp(columns.at[i].head, head) == 0) return i;
    }
    fail_msg("no column %s", head);
    return 0;
}

static void are_sorted(struct top_data *data, enum top_tab tab, const char *head, bool is_inverse,
                       const char *want)
{
    struct top_model model = {.tab = tab};

    model.rows = top_rows_make(data, tab, FIXTURE_NOW, &model.arena, &model.rows_len);
    top_rows_sort(model.rows, model.rows_len, tab, column_of(tab, head), is_inverse);
    fixture_rows(&model, want);
    fl_arena_fini(&model.arena);
}

static void open_jobs_come_first_and_the_newest_of_them(void **state)
{
    struct top_data *data = top_data_create();

    (void)state;
    fixture_job(data, "job-9", "", "running", "q", "");
    fixture_job(data, "job-11", "", "succeeded", "q", "");
    fixture_job(data, "job-10", "", "queued", "q", "");
    fixture_job(data, "job-a", "", "queued", "q", "");
    are_sorted(data, TOP_JOBS, "JOB", false, "job-10 job-a job-9 job-11");
    are_sorted(data, TOP_JOBS, "JOB", true, "job-11 job-9 job-a job-10");
    top_data_destroy(data);
}

static void a_column_sorts_and_the_ids_decide_where_it_is_equal(void **state)
{
    struct top_data *data = fixture_data();

    (void)state;
    are_sorted(data, TOP_JOBS, "NAME", false, "job-5 job-8 job-6 job-7 job-9");
    are_sorted(data, TOP_JOBS, "NAME", true, "job-9 job-7 job-6 job-8 job-5");
    are_sorted(data, TOP_JOBS, "STATE", false, "job-9 job-8 job-7 job-5 job-6");
    are_sorted(data, TOP_JOBS, "QUEUE", false, "job-9 job-8 job-6 job-5 job-7");
    are_sorted(data, TOP_JOBS, "QUEUE", true, "job-7 job-9 job-8 job-6 job-5");
    are_sorted(data, TOP_CLUSTERS, "CPU", false, "east west");
    are_sorted(data, TOP_CLUSTERS, "CPU", true, "west east");
    are_sorted(data, TOP_QUEUES, "QUEUED", true, "night default");
    top_data_destroy(data);
}

static void a_row_says_how_long_and_why(void **state)
{
    struct top_data *data = fixture_data();
    struct fl_arena arena = {0};
    struct top_row *rows;
    size_t len;

    (void)state;
    data->jobs.at[0].unknown_since = FIXTURE_NOW - 65000;
    data->jobs.at[0].reason = "ClusterSilent";
    data->jobs.at[4].exit_code = 3;
    data->jobs.at[4].reason = "ReplicaFailed";
    rows = top_rows_make(data, TOP_JOBS, FIXTURE_NOW, &arena, &len);
    assert_int_equal(len, 5);
    assert_string_equal(rows[0].text[column_of(TOP_JOBS, "AGE")], "10m0s");
    assert_string_equal(rows[0].text[column_of(TOP_JOBS, "TOOK")], "-");
    assert_string_equal(rows[0].text[column_of(TOP_JOBS, "NOTE")],
                        "ClusterSilent, unknown for 1m5s");
    assert_string_equal(rows[3].text[column_of(TOP_JOBS, "TOOK")], "2m5s");
    assert_string_equal(rows[4].text[column_of(TOP_JOBS, "NOTE")], "ReplicaFailed, exit 3");
    assert_int_equal(rows[4].state, TOP_BAD);
    rows = top_rows_make(data, TOP_CLUSTERS, FIXTURE_NOW, &arena, &len);
    assert_string_equal(rows[0].text[column_of(TOP_CLUSTERS, "CPU")], "4/8");
    assert_string_equal(rows[0].text[column_of(TOP_CLUSTERS, "MEMORY")], "4G/16G");
    fl_arena_fini(&arena);
    top_data_destroy(data);
}

static void numbers_are_short(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(top_span(&arena, -5), "0s");
    assert_string_equal(top_span(&arena, 3 * 3600000 + 120000), "3h2m");
    assert_string_equal(top_span(&arena, 5 * 86400000LL + 3600000), "5d1h");
    assert_string_equal(top_memory(&arena, 0), "0B");
    assert_string_equal(top_memory(&arena, 1536LL << 20), "1.5G");
    assert_string_equal(top_memory(&arena, 512LL << 20), "512M");
    assert_string_equal(top_cpus(&arena, 500), "0.5");
    assert_string_equal(top_cpus(&arena, 64000), "64");
    fl_arena_fini(&arena);
}

static void a_row_has_a_text_in_any_column_in_capitals_or_not(void **state)
{
    struct top_data *data = fixture_data();
    struct fl_arena arena = {0};
    struct top_row *rows;
    size_t len, columns = top_columns_of(TOP_JOBS).len;

    (void)state;
    rows = top_rows_make(data, TOP_JOBS, FIXTURE_NOW, &arena, &len);
    assert_true(top_row_has(&rows[0], columns, "TRAIN"));
    assert_true(top_row_has(&rows[1], columns, "noroom"));
    assert_false(top_row_has(&rows[0], columns, "noroom"));
    fl_arena_fini(&arena);
    top_data_destroy(data);
}

FL_TESTS(cmocka_unit_test(open_jobs_come_first_and_the_newest_of_them),
         cmocka_unit_test(a_column_sorts_and_the_ids_decide_where_it_is_equal),
         cmocka_unit_test(a_row_says_how_long_and_why), cmocka_unit_test(numbers_are_short),
         cmocka_unit_test(a_row_has_a_text_in_any_column_in_capitals_or_not))
