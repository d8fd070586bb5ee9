#include "cli/top/top_data.h"

#include "tests/fl_test.h"

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);

    assert_non_null(json);
    return json;
}

static void a_job_is_read_with_what_it_may_lack(void **state)
{
    struct top_data *data = top_data_create();
    json_t *page = parse(
        "{\"jobs\":[{\"id\":\"job-7\",\"name\":null,\"state\":\"failed\",\"queue\":\"ml\","
        "\"submittedAt\":\"2026-01-31T09:00:00.000Z\",\"endedAt\":\"2026-01-31T09:00:05.250Z\","
        "\"elements\":{\"total\":4,\"succeeded\":3},\"exitCode\":3,\"reason\":\"ReplicaFailed\"},"
        "{\"id\":\"job-6\",\"state\":\"queued\",\"reason\":\"none\"}],\"cursor\":\"x\"}");

    (void)state;
    top_data_put_jobs(data, page);
    json_decref(page);
    assert_int_equal(data->jobs.len, 2);
    assert_true(data->has_more_jobs);
    assert_string_equal(data->jobs.at[0].name, "");
    assert_int_equal(data->jobs.at[0].ended_at - data->jobs.at[0].submitted_at, 5250);
    assert_int_equal(data->jobs.at[0].exit_code, 3);
    assert_int_equal(data->jobs.at[0].succeeded, 3);
    assert_false(top_job_is_open(&data->jobs.at[0]));
    assert_int_equal(data->jobs.at[1].submitted_at, -1);
    assert_int_equal(data->jobs.at[1].exit_code, -1);
    assert_string_equal(data->jobs.at[1].reason, "");
    assert_true(top_job_is_open(&data->jobs.at[1]));
    assert_ptr_equal(top_data_job(data, "job-6"), &data->jobs.at[1]);
    assert_null(top_data_job(data, "job-5"));
    top_data_destroy(data);
}

static void what_is_beyond_the_limit_is_left_out_and_the_data_says_so(void **state)
{
    struct top_data *data = top_data_create();
    json_t *page = json_object(), *jobs = json_array();

    (void)state;
    for (int i = 0; i < TOP_JOBS_MAX; i++) {
        json_array_append_new(jobs, json_pack("{s:s}", "id", "job-1"));
    }
    json_object_set_new(page, "jobs", jobs);
    top_data_put_jobs(data, page);
    assert_int_equal(data->jobs.len, TOP_JOBS_MAX);
    assert_false(data->has_more_jobs);
    top_data_put_jobs(data, page);
    assert_int_equal(data->jobs.len, TOP_JOBS_MAX);
    assert_true(data->has_more_jobs);
    json_decref(page);
    top_data_destroy(data);
}

static void what_is_used_is_the_total_without_what_is_free(void **state)
{
    struct top_data *data = top_data_create();
    json_t *page =
        parse("{\"clusters\":[{\"name\":\"east\",\"state\":\"ready\",\"cordon\":null,\"nodes\":2,"
              "\"nodesReady\":1,\"attempts\":5,\"total\":{\"cpuMilli\":8000,\"memoryBytes\":100,"
              "\"gpus\":2},\"free\":{\"cpuMilli\":1500,\"memoryBytes\":200,\"gpus\":2}}]}");

    (void)state;
    top_data_put_clusters(data, page);
    json_decref(page);
    assert_int_equal(data->clusters.at[0].used.cpu_milli, 6500);
    assert_int_equal(data->clusters.at[0].used.memory_bytes, 0); /* more is free than there is */
    assert_int_equal(data->clusters.at[0].used.gpus, 0);
    assert_int_equal(data->clusters.at[0].nodes_ready, 1);
    top_data_destroy(data);
}

static void an_answer_of_another_shape_gives_nothing(void **state)
{
    struct top_data *data = top_data_create();
    json_t *page = parse("{\"jobs\":{\"a\":1},\"queues\":[7,null],\"clusters\":\"x\"}");

    (void)state;
    top_data_put_jobs(data, page);
    top_data_put_queues(data, page);
    top_data_put_clusters(data, page);
    top_data_put_nodes(data, "east", page);
    top_data_put_jobs(data, NULL);
    top_data_put_token(data, NULL);
    top_data_put_version(data, NULL);
    assert_int_equal(data->jobs.len + data->clusters.len + data->nodes.len, 0);
    assert_int_equal(data->queues.len, 2);
    assert_string_equal(data->queues.at[0].name, "");
    assert_string_equal(data->user, "");
    json_decref(page);
    top_data_destroy(data);
}

static void a_token_without_an_owner_is_called_by_its_name(void **state)
{
    struct top_data *data = top_data_create();
    json_t *token = parse("{\"name\":\"ci\",\"owner\":null}"),
           *owned = parse("{\"name\":\"ci\",\"owner\":\"ann\"}");

    (void)state;
    top_data_put_token(data, token);
    assert_string_equal(data->user, "ci");
    top_data_put_token(data, owned);
    assert_string_equal(data->user, "ann");
    json_decref(token);
    json_decref(owned);
    top_data_destroy(data);
}

FL_TESTS(cmocka_unit_test(a_job_is_read_with_what_it_may_lack),
         cmocka_unit_test(what_is_beyond_the_limit_is_left_out_and_the_data_says_so),
         cmocka_unit_test(what_is_used_is_the_total_without_what_is_free),
         cmocka_unit_test(an_answer_of_another_shape_gives_nothing),
         cmocka_unit_test(a_token_without_an_owner_is_called_by_its_name))
