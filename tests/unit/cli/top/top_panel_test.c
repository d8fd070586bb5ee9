#include "cli/top/top_panel.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void says(const char *job_text, const char *why_text, const char *want)
{
    json_t *job = json_loads(job_text, 0, NULL), *why = json_loads(why_text, 0, NULL);
    struct fl_arena arena = {0};
    const char *const *lines;
    char text[4096] = "";
    size_t len;

    assert_non_null(job);
    lines = top_panel_lines(job, why, 1769853600000, &arena, &len);
    for (size_t i = 0; i < len; i++) {
        strcat(strcat(text, lines[i]), "\n");
    }
    assert_string_equal(text, want);
    json_decref(job);
    json_decref(why);
    fl_arena_fini(&arena);
}

static void a_waiting_job_says_why_cluster_by_cluster(void **state)
{
    (void)state;
    says("{\"id\":\"job-7\",\"name\":\"big\",\"state\":\"queued\",\"queue\":\"ml\",\"submittedBy\":"
         "\"ann\",\"submittedAt\":\"2026-01-31T09:59:00.000Z\",\"labels\":{\"team\":\"vision\"},"
         "\"elements\":{\"total\":1}}",
         "{\"state\":\"queued\",\"reason\":\"NoRoom\",\"sentence\":\"no cluster has room\","
         "\"whoCanAct\":\"nobody\",\"clusters\":[{\"cluster\":\"east\",\"reason\":\"NoRoom\","
         "\"detail\":\"needs 500 CPU\"}]}",
         "job-7  queued\n"
         "  name        big\n"
         "  queue       ml\n"
         "  user        ann\n"
         "  submitted   2026-01-31T09:59:00.000Z, 1m0s ago\n"
         "  label       team=vision\n"
         "\n"
         "Why: NoRoom\n"
         "  no cluster has room\n"
         "  actor       nobody\n"
         "  east        NoRoom  needs 500 CPU\n");
}

static void a_failed_job_says_what_ran(void **state)
{
    (void)state;
    says("{\"id\":\"job-8\",\"state\":\"failed\",\"reason\":\"ReplicaFailed\",\"exitCode\":3,"
         "\"elements\":{\"total\":2,\"succeeded\":1,\"failed\":1},\"live\":[{\"element\":0,"
         "\"attempt\":2,\"state\":\"running\",\"cluster\":\"east\",\"nodes\":[\"n1\",\"n2\"],"
         "\"replicas\":[\"running\",\"exited\"]}],\"attempts\":[{\"element\":1,\"attempt\":1,"
         "\"cluster\":\"east\",\"nodes\":[\"n1\"],\"exitCode\":3,\"reason\":\"ReplicaFailed\"}]}",
         "null",
         "job-8  failed\n"
         "  exit code   3\n"
         "  elements    2 total\n"
         "  elements    1 succeeded\n"
         "  elements    1 failed\n"
         "\n"
         "Why: ReplicaFailed\n"
         "\n"
         "Live: element, attempt, state, cluster, nodes, replicas\n"
         "  0  2  running  east  n1,n2  running,exited\n"
         "\n"
         "Attempts: element, attempt, cluster, nodes, exit code, reason\n"
         "  1  1  east  n1  3  ReplicaFailed  \n");
}

static void a_large_job_has_a_limited_panel(void **state)
{
    json_t *job = json_pack("{s:s, s:s, s:{}}", "id", "job-9", "state", "running", "labels");
    struct fl_arena arena = {0};
    char key[16];
    size_t len;

    (void)state;
    for (int i = 0; i < 2 * TOP_PANEL_LINES_MAX; i++) {
        snprintf(key, sizeof key, "k%d", i);
        json_object_set_new(json_object_get(job, "labels"), key, json_string("v"));
    }
    (void)top_panel_lines(job, NULL, 0, &arena, &len);
    assert_int_equal(len, TOP_PANEL_LINES_MAX);
    json_decref(job);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_waiting_job_says_why_cluster_by_cluster),
         cmocka_unit_test(a_failed_job_says_what_ran),
         cmocka_unit_test(a_large_job_has_a_limited_panel))
