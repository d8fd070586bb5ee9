#include "agent/kube/pod_make.h"

#include <inttypes.h>
#include <stdio.h>

#include "agent/kube/pod_status.h"
#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

static const struct fl_attempt attempt = {.job = {77}, .element = 3, .n = 2, .incarnation = 1};

struct made {
    struct runtime_job *job;
    struct runtime_order *order;
    struct fl_buf text;
    uint64_t hash;
    struct fl_err err;
    bool is_made;
};

/* 'document' is canonical, the short form is the validator's. */
static struct made make_with(const char *document, uint32_t replica, const char *image,
                             uint32_t gpus, const char *accelerator)
{
    struct made made = {0};
    struct pod_making making = {FL_STR("node-a"), fl_str_c(image), fl_str_c(accelerator),
                                FL_STR("claim/data  configMap/* secret/hf-*")};
    struct fl_resources resources = {.cpu_milli = 1500, .memory_bytes = 64 << 20, .gpus = gpus};

    if (!runtime_job_read(fl_str_c(document), FL_STR("{\"lr\":\"0.1\"}"), &made.job, &made.err)) {
        fail_msg("%s", made.err.text);
    }
    made.order = runtime_order_create(made.job, attempt, replica, 0, resources);
    fl_buf_init(&made.text, POD_BYTES_MAX);
    made.is_made = pod_make(made.order, &making, &made.text, &made.hash, &made.err);
    assert_true(!made.is_made || fl_buf_put_u8(&made.text, 0));
    return made;
}

static struct made make(const char *document, uint32_t replica, const char *image)
{
    return make_with(document, replica, image, 0, "");
}

static void unmake(struct made *made)
{
    fl_buf_fini(&made->text);
    runtime_order_destroy(made->order);
    runtime_job_release(made->job);
}

static const char *text_of(const struct made *made)
{
    return (const char *)made->text.at;
}

static void expect_part(const struct made *made, const char *part)
{
    if (!strstr(text_of(made), part)) fail_msg("no %s in\n%s", part, text_of(made));
}

static void a_plain_pod_is_written_whole(void **state)
{
    struct made made =
        make("{\"image\":\"busybox:1\",\"command\":[\"sh\",\"-c\",\"echo $HOME\"]}", 0, "");
    char wanted[4000];

    (void)state;
    assert_true(made.is_made);
    snprintf(
        wanted, sizeof wanted,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"fl-2d-3-2-main-0\","
        "\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/job\":\"job-2d\","
        "\"fairlead.dev/element\":\"3\",\"fairlead.dev/attempt\":\"2\","
        "\"fairlead.dev/incarnation\":\"1\",\"fairlead.dev/role\":\"main\","
        "\"fairlead.dev/replica\":\"0\"},"
        "\"annotations\":{\"fairlead.dev/node\":\"node-a\",\"fairlead.dev/hash\":\"%" PRIu64 "\"},"
        "\"finalizers\":[\"fairlead.dev/report\"]},"
        "\"spec\":{\"restartPolicy\":\"Never\",\"terminationGracePeriodSeconds\":30,"
        "\"automountServiceAccountToken\":false,\"enableServiceLinks\":false,"
        "\"schedulingGates\":[{\"name\":\"fairlead.dev/go\"}],"
        "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
        "\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
        "\"values\":[\"node-a\"]}]}]}}},"
        "\"containers\":[{\"name\":\"main\",\"image\":\"busybox:1\","
        "\"command\":[\"sh\",\"-c\",\"echo $$HOME\"],"
        "\"env\":[{\"name\":\"JOB_COMPLETION_INDEX\",\"value\":\"3\"},"
        "{\"name\":\"FAIRLEAD_PARAM_LR\",\"value\":\"0.1\"},"
        "{\"name\":\"FAIRLEAD_JOB_ID\",\"value\":\"job-2d\"},"
        "{\"name\":\"FAIRLEAD_ELEMENT\",\"value\":\"3\"},"
        "{\"name\":\"FAIRLEAD_INDEX\",\"value\":\"3\"},"
        "{\"name\":\"FAIRLEAD_ATTEMPT\",\"value\":\"2\"},"
        "{\"name\":\"FAIRLEAD_ROLE\",\"value\":\"main\"},"
        "{\"name\":\"FAIRLEAD_REPLICA\",\"value\":\"0\"},"
        "{\"name\":\"FAIRLEAD_REPLICAS\",\"value\":\"1\"},"
        "{\"name\":\"FAIRLEAD_RUN_ID\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.uid\"}"
        "}}],"
        "\"terminationMessagePolicy\":\"FallbackToLogsOnError\","
        "\"resources\":{\"requests\":{\"cpu\":\"1500m\",\"memory\":\"67108864\"},\"limits\":{}}}]}"
        "}",
        made.hash);
    assert_string_equal(text_of(&made), wanted);
    unmake(&made);
}

static void an_element_with_an_index_finds_it(void **state)
{
    struct made made = make("{\"image\":\"a\",\"indexes\":\"1-100:3\"}", 0, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "{\"name\":\"JOB_COMPLETION_INDEX\",\"value\":\"3\"}");
    expect_part(&made, "{\"name\":\"FAIRLEAD_ELEMENT\",\"value\":\"3\"},"
                       "{\"name\":\"FAIRLEAD_INDEX\",\"value\":\"10\"}");
    unmake(&made);
}

static void resources_with_names_are_requests_and_limits(void **state)
{
    struct made made = make_with("{\"image\":\"a\",\"resources\":{\"gpus\":2,\"rdma/hca\":1,"
                                 "\"ephemeral-storage\":\"1Gi\"}}",
                                 0, "", 2, "amd.com/gpu");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "\"requests\":{\"cpu\":\"1500m\",\"memory\":\"67108864\","
                       "\"amd.com/gpu\":\"2\",\"ephemeral-storage\":\"1073741824\","
                       "\"rdma/hca\":\"1\"},\"limits\":{\"amd.com/gpu\":\"2\","
                       "\"ephemeral-storage\":\"1073741824\",\"rdma/hca\":\"1\"}");
    unmake(&made);
    made = make_with("{\"image\":\"a\",\"resources\":{\"gpus\":2}}", 0, "", 2, "");
    assert_false(made.is_made);
    assert_non_null(strstr(made.err.text, "kube_accelerator"));
    unmake(&made);
}

static void replicas_that_are_several_find_each_other_by_name(void **state)
{
    static const char gang[] =
        "{\"roles\":[{\"name\":\"head\",\"template\":{\"spec\":{\"containers\":[{\"image\":\"a\"}"
        "]}}},{\"name\":\"worker\",\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{"
        "\"image\""
        ":\"a\",\"env\":{\"MASTER_PORT\":\"7\"}}]}}}]}";
    struct made made = make(gang, 2, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "\"spec\":{\"hostname\":\"worker-2\",\"subdomain\":\"fl-2d-3-2\",");
    expect_part(&made, "{\"name\":\"MASTER_ADDR\",\"value\":\"head-0.fl-2d-3-2\"},"
                       "{\"name\":\"MASTER_PORT\",\"value\":\"29500\"},"
                       "{\"name\":\"RANK\",\"value\":\"2\"},"
                       "{\"name\":\"WORLD_SIZE\",\"value\":\"3\"},");
    expect_part(&made, "{\"name\":\"PET_NNODES\",\"value\":\"3\"},"
                       "{\"name\":\"FAIRLEAD_PARAM_LR\",\"value\":\"0.1\"},"
                       "{\"name\":\"MASTER_PORT\",\"value\":\"7\"}"); /* the last one counts */
    unmake(&made);
}

#define MOUNTED(mounts) "{\"image\":\"a\",\"mounts\":[" mounts "]}"

static void mounts_are_volumes_and_each_source_is_one(void **state)
{
    struct made made = make(
        MOUNTED(
            "{\"path\":\"/a\",\"claim\":\"data\",\"subPath\":\"x\"},{\"path\":\"/b\",\"claim\":"
            "\"data\",\"readOnly\":true},{\"path\":\"/c\",\"empty\":\"disk\"},{\"path\":"
            "\"/dev/shm\",\"empty\":\"memory\",\"size\":\"8Gi\"},{\"path\":\"/e\",\"configMap\":"
            "\"any\"},{\"path\":\"/f\",\"secret\":\"hf-token\"}"),
        0, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "\"volumeMounts\":["
                       "{\"name\":\"mount-0\",\"mountPath\":\"/a\",\"subPath\":\"x\"},"
                       "{\"name\":\"mount-0\",\"mountPath\":\"/b\",\"readOnly\":true},"
                       "{\"name\":\"mount-2\",\"mountPath\":\"/c\"},"
                       "{\"name\":\"mount-3\",\"mountPath\":\"/dev/shm\"},"
                       "{\"name\":\"mount-4\",\"mountPath\":\"/e\"},"
                       "{\"name\":\"mount-5\",\"mountPath\":\"/f\"}]");
    expect_part(&made, "\"volumes\":["
                       "{\"name\":\"mount-0\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}},"
                       "{\"name\":\"mount-2\",\"emptyDir\":{}},"
                       "{\"name\":\"mount-3\",\"emptyDir\":{\"medium\":\"Memory\",\"sizeLimit\":"
                       "\"8589934592\"}},"
                       "{\"name\":\"mount-4\",\"configMap\":{\"name\":\"any\"}},"
                       "{\"name\":\"mount-5\",\"secret\":{\"secretName\":\"hf-token\"}}]");
    unmake(&made);
}

static void the_cluster_has_its_own_say_in_each_pod(void **state)
{
    struct pod_making making = {.node = FL_STR("node-a"),
                                .image = FL_STR("a"),
                                .pull_secrets = FL_STR("registry  other"),
                                .is_undisturbed = true};
    struct made made = make("{\"command\":[\"a\"]}", 0, "b");

    (void)state;
    fl_buf_clear(&made.text);
    assert_true(pod_make(made.order, &making, &made.text, &made.hash, &made.err));
    assert_true(fl_buf_put_u8(&made.text, 0));
    expect_part(&made, "\"cluster-autoscaler.kubernetes.io/safe-to-evict\":\"false\","
                       "\"karpenter.sh/do-not-disrupt\":\"true\"}");
    expect_part(&made, "\"imagePullSecrets\":[{\"name\":\"registry\"},{\"name\":\"other\"}]");
    unmake(&made);
}

static void a_variable_may_have_its_value_from_a_secret(void **state)
{
    struct made made =
        make("{\"image\":\"a\",\"secretEnv\":{\"HF_TOKEN\":\"hf-token/key\"}}", 0, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made,
                "{\"name\":\"HF_TOKEN\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"hf-token\","
                "\"key\":\"key\"}}},{\"name\":\"FAIRLEAD_JOB_ID\"");
    unmake(&made);
    made = make("{\"image\":\"a\",\"secretEnv\":{\"A\":\"admin/key\"}}", 0, "");
    assert_false(made.is_made);
    assert_non_null(strstr(made.err.text, "secret/admin, which"));
    unmake(&made);
}

static void what_is_not_granted_is_not_mounted(void **state)
{
    static const char *const refused[] = {"claim\":\"data2", "secret\":\"admin", "secret\":\"data"};

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char document[200];
        struct made made;

        snprintf(document, sizeof document, MOUNTED("{\"path\":\"/a\",\"%s\"}"), refused[i]);
        made = make(document, 0, "");
        assert_false(made.is_made);
        assert_int_equal(made.err.code, FL_INVALID);
        assert_non_null(strstr(made.err.text, "kube_grants does not grant"));
        unmake(&made);
    }
}

static void what_a_role_says_is_in_its_pod(void **state)
{
    struct made made = make(
        "{\"roles\":[{\"name\":\"head\",\"template\":{\"spec\":{\"containers\":[{\"command\":["
        "\"a\"]"
        "}],\"nodeSelector\":{\"disk\":\"ssd\"}}}},{\"name\":\"worker\",\"replicas\":2,"
        "\"template\":"
        "{\"spec\":{\"containers\":[{\"image\":\"w:2\",\"args\":[\"$(x)\",\"$$\"],\"env\":{\"A\":"
        "\"b$\\\"c\"},\"workingDir\":\"/data\",\"resources\":{\"limits\":{\"memory\":\"1Gi\"}}}],"
        "\"nodeSelector\":{\"disk\":\"ssd\"},\"terminationGracePeriodSeconds\":0}}}]}",
        2, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "\"name\":\"fl-2d-3-2-worker-2\"");
    expect_part(&made, "\"image\":\"w:2\",\"args\":[\"$$(x)\",\"$$$$\"],\"workingDir\":\"/data\"");
    expect_part(&made, "{\"name\":\"A\",\"value\":\"b$$\\\"c\"}");
    expect_part(&made, "\"terminationGracePeriodSeconds\":1,");
    expect_part(&made, "\"nodeSelector\":{\"disk\":\"ssd\"}");
    expect_part(&made, "\"limits\":{\"memory\":\"1073741824\"}");
    expect_part(&made, "{\"name\":\"FAIRLEAD_REPLICAS\",\"value\":\"3\"}");
    unmake(&made);
}

/* Each term of the job holds beside the node that was chosen. */
static void its_affinity_is_that_of_the_job_on_its_node(void **state)
{
    struct made made =
        make("{\"image\":\"a\",\"affinity\":{\"nodeAffinity\":{"
             "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
             "{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"a\"]}]},"
             "{\"matchExpressions\":[{\"key\":\"old\",\"operator\":\"DoesNotExist\"}]}]}}}}",
             0, "");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made,
                "\"affinity\":{\"nodeAffinity\":{"
                "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
                "{\"matchExpressions\":[{\"key\":\"old\",\"operator\":\"DoesNotExist\"}],"
                "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":["
                "\"node-a\"]}]},"
                "{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"a\"]}],"
                "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":["
                "\"node-a\"]}]}]}}}");
    unmake(&made);
}

static void a_job_without_image_needs_the_clusters_own(void **state)
{
    struct made made = make("{\"command\":[\"true\"]}", 0, "tools:1");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made, "\"image\":\"tools:1\"");
    unmake(&made);
    made = make("{\"command\":[\"true\"]}", 0, "");
    assert_false(made.is_made);
    assert_int_equal(made.err.code, FL_INVALID);
    assert_string_equal(made.err.text,
                        "it names no image, and neither does this cluster's setting kube_image");
    unmake(&made);
}

static void equal_orders_have_equal_pods_and_others_another_hash(void **state)
{
    struct made a = make("{\"image\":\"a\"}", 0, ""), b = make("{\"image\":\"a\"}", 0, "");
    struct made c = make("{\"image\":\"c\"}", 0, "");

    (void)state;
    assert_string_equal(text_of(&a), text_of(&b));
    assert_true(a.hash == b.hash && a.hash != c.hash);
    unmake(&a);
    unmake(&b);
    unmake(&c);
}

/* pod_status reads it, once the server has added uid and version. */
static void a_made_pod_is_seen_as_ours(void **state)
{
    struct made made = make("{\"image\":\"a\",\"resources\":{\"cpu\":\"1\"}}", 0, "");
    struct fl_arena arena = {0};
    const struct fl_json *object;
    struct pod_status seen;
    struct fl_err err = {0};
    char *text, *name;

    (void)state;
    name = strstr((char *)made.text.at, "\"name\":");
    *name = 0;
    text = fl_arena_printf(&arena,
                           "%s\"uid\":\"u1\",\"resourceVersion\":\"5\",\"namespace\":\"ns\",\"%s",
                           (char *)made.text.at, name + 1);
    assert_true(fl_json_parse(fl_str_c(text), &arena, &object, NULL, &err));
    assert_true(pod_status_read(object, &arena, &seen, &err));
    assert_true(fl_attempt_is_same(seen.identity.attempt, attempt));
    assert_int_equal(seen.stage, POD_STAGE_gated);
    assert_true(seen.has_finalizer && !seen.is_deleting && seen.hash == made.hash);
    assert_true(fl_str_eq(seen.node, FL_STR("node-a")));
    assert_int_equal(seen.resources.usual.cpu_milli, 1500);
    assert_int_equal(seen.resources.usual.memory_bytes, 64 << 20);
    fl_arena_fini(&arena);
    unmake(&made);
}

static void a_pod_tolerates_what_its_job_does_and_the_devices_that_it_asks_for(void **state)
{
    struct made made =
        make_with("{\"image\":\"a\",\"resources\":{\"gpus\":2,\"rdma/hca\":1,"
                  "\"ephemeral-storage\":\"1Gi\"},\"tolerations\":[{\"key\":\"team\","
                  "\"value\":\"a\",\"effect\":\"NoSchedule\"},{\"operator\":"
                  "\"Exists\",\"effect\":\"NoExecute\"}]}",
                  0, "", 2, "amd.com/gpu");

    (void)state;
    assert_true(made.is_made);
    expect_part(&made,
                "\"tolerations\":[{\"operator\":\"Exists\",\"effect\":\"NoExecute\"},"
                "{\"key\":\"team\",\"operator\":\"Equal\",\"value\":\"a\",\"effect\":"
                "\"NoSchedule\"},"
                "{\"key\":\"amd.com/gpu\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"},"
                "{\"key\":\"rdma/hca\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}],");
    unmake(&made);
    made = make("{\"image\":\"a\"}", 0, "");
    assert_null(strstr(text_of(&made), "tolerations"));
    unmake(&made);
}

FL_TESTS(cmocka_unit_test(mounts_are_volumes_and_each_source_is_one),
         cmocka_unit_test(what_is_not_granted_is_not_mounted),
         cmocka_unit_test(a_variable_may_have_its_value_from_a_secret),
         cmocka_unit_test(the_cluster_has_its_own_say_in_each_pod),
         cmocka_unit_test(replicas_that_are_several_find_each_other_by_name),
         cmocka_unit_test(a_plain_pod_is_written_whole),
         cmocka_unit_test(an_element_with_an_index_finds_it),
         cmocka_unit_test(resources_with_names_are_requests_and_limits),
         cmocka_unit_test(what_a_role_says_is_in_its_pod),
         cmocka_unit_test(its_affinity_is_that_of_the_job_on_its_node),
         cmocka_unit_test(a_job_without_image_needs_the_clusters_own),
         cmocka_unit_test(equal_orders_have_equal_pods_and_others_another_hash),
         cmocka_unit_test(a_made_pod_is_seen_as_ours),
         cmocka_unit_test(a_pod_tolerates_what_its_job_does_and_the_devices_that_it_asks_for))
