/* Objects as the API server of Kubernetes 1.36 gives them, cut to the parts that matter. */
#include "agent/kube/pod_status.h"

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

#define GATE "\"schedulingGates\":[{\"name\":\"fairlead.dev/go\"}],"
#define BOUND "\"nodeName\":\"node-b\","
#define DELETING ",\"deletionTimestamp\":\"2026-11-26T10:00:30Z\",\"deletionGracePeriodSeconds\":30"
#define CONTAINER(state)                                                                           \
    "\"containerStatuses\":[{\"name\":\"injected\",\"state\":{\"running\":{}}},"                   \
    "{\"name\":\"main\",\"state\":{" state "}}]"
#define TERMINATED(code, reason, at)                                                               \
    "\"terminated\":{\"exitCode\":" code ",\"reason\":\"" reason "\",\"finishedAt\":\"" at "\"}"
#define WAITING(reason) "\"waiting\":{\"reason\":\"" reason "\",\"message\":\"the words\"}"
#define CONDITION(type, status, reason)                                                            \
    "\"conditions\":[{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason        \
    "\",\"message\":\"the words\"}]"

static struct fl_arena arena;

static struct pod_status see(const char *metadata, const char *spec, const char *status)
{
    const struct fl_json *object;
    struct pod_status seen = {0};
    struct fl_err err = {0};
    const char *text = fl_arena_printf(
        &arena,
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"fl-2d-3-2-main-0\",\"uid\":\"u1\","
        "\"resourceVersion\":\"5\",\"finalizers\":[\"x/y\",\"fairlead.dev/report\"],"
        "\"annotations\":{\"fairlead.dev/node\":\"node-a\",\"fairlead.dev/hash\":\"77\"},"
        "\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/job\":\"job-2d\","
        "\"fairlead.dev/element\":\"3\",\"fairlead.dev/attempt\":\"2\","
        "\"fairlead.dev/incarnation\":\"1\",\"fairlead.dev/role\":\"main\","
        "\"fairlead.dev/replica\":\"0\"}%s},\"spec\":{%s\"containers\":[{\"name\":\"injected\"},"
        "{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"250m\",\"nvidia.com/gpu\":\"2\"}"
        "}}]},\"status\":{%s}}",
        metadata, spec, status);

    assert_true(fl_json_parse(fl_str_c(text), &arena, &object, NULL, &err));
    if (!pod_status_read(object, &arena, &seen, &err)) fail_msg("not read: %s", err.text);
    return seen;
}

static int begin(void **state)
{
    (void)state;
    arena = (struct fl_arena){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    fl_arena_fini(&arena);
    return 0;
}

static void a_gated_pod_is_gated(void **state)
{
    struct pod_status seen = see(
        "", GATE, "\"phase\":\"Pending\"," CONDITION("PodScheduled", "False", "SchedulingGated"));

    (void)state;
    assert_int_equal(seen.stage, POD_STAGE_gated);
    assert_int_equal(seen.trouble, POD_TROUBLE_none);
    assert_true(seen.has_finalizer && !seen.is_deleting);
    assert_int_equal(seen.hash, 77);
    assert_true(fl_str_eq(seen.node, FL_STR("node-a")));
    assert_int_equal(seen.resources.usual.cpu_milli, 250);
    assert_int_equal(fl_amounts_of(&seen.resources.named, FL_STR("nvidia.com/gpu")), 2);
    /* Another's gate is not ours, which was taken away. */
    assert_int_equal(see("", "\"schedulingGates\":[{\"name\":\"a.b/c\"}],", "").stage,
                     POD_STAGE_waiting);
}

static void its_own_container_says_whether_it_runs(void **state)
{
    struct pod_status seen;

    (void)state;
    assert_int_equal(see("", BOUND, "\"phase\":\"Pending\"").stage, POD_STAGE_waiting);
    assert_int_equal(see("", BOUND, CONTAINER(WAITING("ContainerCreating"))).stage,
                     POD_STAGE_waiting);
    assert_int_equal(see("", BOUND, "\"phase\":\"Running\"," CONTAINER("\"running\":{}")).stage,
                     POD_STAGE_running);
    seen = see("", BOUND, "\"phase\":\"Running\"," CONTAINER(TERMINATED("3", "Error", "x")));
    assert_int_equal(seen.stage, POD_STAGE_ended); /* though the injected one runs on */
    assert_true(seen.has_exit && !seen.never_ran && !seen.is_disrupted);
    assert_int_equal(seen.exit_code, 3);
    seen = see("", BOUND, CONTAINER(TERMINATED("137", "OOMKilled", "x")));
    assert_true(seen.has_exit && seen.is_out_of_memory);
}

#define SAID(code, reason, message)                                                                \
    CONTAINER("\"terminated\":{\"exitCode\":" code ",\"reason\":\"" reason                         \
              "\",\"message\":\"" message "\"}")

static void a_failed_container_tells_its_last_error_line(void **state)
{
    char status[3000];
    struct pod_status seen =
        see("", BOUND, SAID("1", "Error", "start\\nError: no \\u001b[1mdata\\nbye\\n"));

    (void)state;
    assert_true(fl_str_eq(seen.words, FL_STR("Error: no data")));
    assert_int_equal(seen.why.len, 0);
    seen = see("", BOUND, SAID("137", "OOMKilled", "epoch 3\\n"));
    assert_true(fl_str_eq(seen.words, FL_STR("epoch 3")));
    seen = see("", BOUND, SAID("137", "OOMKilled", ""));
    assert_int_equal(seen.words.len, 0);
    assert_true(fl_str_eq(seen.why, FL_STR("OOMKilled")));
    seen = see("", BOUND, SAID("0", "Completed", "error: none of it"));
    assert_int_equal(seen.words.len + seen.why.len, 0);
    /* Its first line lacks its beginning. */
    snprintf(status, sizeof status, SAID("1", "Error", "Error: %02040d\\nplain"), 0);
    seen = see("", BOUND, status);
    assert_true(fl_str_eq(seen.words, FL_STR("plain")));
}

static void of_a_container_that_never_ran_the_cluster_speaks(void **state)
{
    struct pod_status seen = see("", BOUND, SAID("128", "StartError", "exec: not found\\nmore"));

    (void)state;
    assert_true(seen.has_exit && !seen.has_log);
    assert_true(fl_str_eq(seen.why, FL_STR("StartError")));
    assert_true(fl_str_eq(seen.words, FL_STR("exec: not found\nmore")));
}

static void a_guess_of_the_kubelet_is_no_exit_code(void **state)
{
    struct pod_status seen =
        see("", BOUND, CONTAINER(TERMINATED("137", "ContainerStatusUnknown", "")));

    (void)state;
    assert_int_equal(seen.stage, POD_STAGE_ended);
    assert_false(seen.has_exit || seen.never_ran);
}

static void trouble_is_told_by_its_class(void **state)
{
    static const struct {
        const char *status;
        enum pod_trouble trouble;
    } cases[] = {
        {CONTAINER(WAITING("InvalidImageName")), POD_TROUBLE_bad_image},
        {CONTAINER(WAITING("ErrImagePull")), POD_TROUBLE_image},
        {CONTAINER(WAITING("ImagePullBackOff")), POD_TROUBLE_image},
        {CONTAINER(WAITING("CreateContainerConfigError")), POD_TROUBLE_container},
        {CONTAINER(WAITING("CreateContainerError")), POD_TROUBLE_container},
        {CONDITION("PodScheduled", "False", "Unschedulable"), POD_TROUBLE_unscheduled},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pod_status seen = see("", "", cases[i].status);

        assert_int_equal(seen.trouble, cases[i].trouble);
        assert_true(seen.why.len > 0 && fl_str_eq(seen.words, FL_STR("the words")));
    }
    assert_int_equal(see("", "", CONTAINER(WAITING("PodInitializing"))).trouble, POD_TROUBLE_none);
    assert_int_equal(see("", "", CONDITION("PodReadyToStartContainers", "True", "x")).trouble,
                     POD_TROUBLE_none);
    assert_int_equal(see("", "", CONDITION("PodReadyToStartContainers", "False", "x")).trouble,
                     POD_TROUBLE_sandbox);
    assert_int_equal(see("", "", CONDITION("PodScheduled", "False", "SchedulingGated")).trouble,
                     POD_TROUBLE_none);
}

static void an_end_is_before_the_deletion_or_not(void **state)
{
    struct pod_status seen =
        see(DELETING, BOUND, CONTAINER(TERMINATED("0", "Completed", "2026-11-26T09:59:59Z")));

    (void)state;
    assert_true(seen.is_deleting && seen.is_before_delete);
    seen = see(DELETING, BOUND, CONTAINER(TERMINATED("0", "Completed", "2026-11-26T10:00:00Z")));
    assert_true(seen.is_deleting && !seen.is_before_delete);
    seen = see("", BOUND, CONTAINER(TERMINATED("0", "Completed", "2026-11-26T10:00:00Z")));
    assert_false(seen.is_before_delete);
}

static void a_deleted_pod_without_node_can_never_run(void **state)
{
    struct pod_status seen = see(DELETING, GATE, "\"phase\":\"Pending\"");

    (void)state;
    assert_true(seen.stage == POD_STAGE_ended && seen.never_ran);
    seen = see(DELETING, "", "\"phase\":\"Pending\"");
    assert_true(seen.stage == POD_STAGE_ended && seen.never_ran);
    seen = see(DELETING, BOUND, "\"phase\":\"Running\"," CONTAINER("\"running\":{}"));
    assert_int_equal(seen.stage, POD_STAGE_running); /* also if its node is silent */
}

static void the_cluster_says_why_it_ended_a_pod(void **state)
{
    struct pod_status seen = see(DELETING, BOUND,
                                 "\"phase\":\"Failed\"," CONTAINER("\"running\":{}") "," CONDITION(
                                     "DisruptionTarget", "True", "DeletionByPodGC"));

    (void)state;
    assert_true(seen.stage == POD_STAGE_ended && seen.is_disrupted && seen.is_node_gone);
    seen =
        see("", BOUND,
            "\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"low on memory\"," CONTAINER(
                TERMINATED("137", "Error", "x")));
    assert_true(seen.is_disrupted && !seen.is_node_gone && !seen.never_ran);
    assert_true(fl_str_eq(seen.words, FL_STR("low on memory")));
    seen = see("", BOUND, "\"phase\":\"Failed\",\"reason\":\"OutOfcpu\"");
    assert_true(seen.is_disrupted && seen.never_ran);
    seen = see("", BOUND,
               "\"phase\":\"Running\"," CONTAINER("\"running\":{}") "," CONDITION(
                   "DisruptionTarget", "True", "PreemptionByScheduler"));
    assert_int_equal(seen.stage, POD_STAGE_running);
}

static void others_pods_are_told_apart_from_unreadable_ones(void **state)
{
    const struct fl_json *object;
    struct pod_status seen;
    struct fl_err err = {0};

    (void)state;
    assert_true(
        fl_json_parse(FL_STR("{\"metadata\":{\"name\":\"web\"}}"), &arena, &object, NULL, &err));
    assert_false(pod_status_read(object, &arena, &seen, &err));
    assert_int_equal(err.code, FL_OK);
    assert_true(fl_json_parse(
        FL_STR("{\"metadata\":{\"name\":\"fl-2d-3-2-main-0\",\"uid\":\"u1\",\"resourceVersion\":"
               "\"5\",\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/"
               "job\":\"job-2d\",\"fairlead.dev/element\":\"3\",\"fairlead.dev/attempt\":\"2\","
               "\"fairlead.dev/incarnation\":\"1\",\"fairlead.dev/role\":\"main\",\"fairlead.dev/"
               "replica\":\"0\"}},\"spec\":{\"containers\":[]}}"),
        &arena, &object, NULL, &err));
    assert_false(pod_status_read(object, &arena, &seen, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_string_equal(err.text, "pod fl-2d-3-2-main-0: it has no container main");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
FL_TESTS(TEST(a_gated_pod_is_gated), TEST(its_own_container_says_whether_it_runs),
         TEST(a_failed_container_tells_its_last_error_line),
         TEST(of_a_container_that_never_ran_the_cluster_speaks),
         TEST(a_guess_of_the_kubelet_is_no_exit_code), TEST(trouble_is_told_by_its_class),
         TEST(an_end_is_before_the_deletion_or_not), TEST(a_deleted_pod_without_node_can_never_run),
         TEST(the_cluster_says_why_it_ended_a_pod),
         TEST(others_pods_are_told_apart_from_unreadable_ones))
