/* The requests of pods, by the cases with which Kubernetes tests its own rule.
 * A pod is written in short: containers, init containers and sidecars with their requests, and what
 * their status says. */
#include "agent/kube/kube_pod.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

#define META                                                                                       \
    "\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u\",\"resourceVersion\":\"5\""
#define REQUESTS(amounts) "\"resources\":{\"requests\":{" amounts "}}"
#define C(name, amounts) "{\"name\":\"" name "\"," REQUESTS(amounts) "}"
#define SIDECAR(name, amounts)                                                                     \
    "{\"name\":\"" name "\",\"restartPolicy\":\"Always\"," REQUESTS(amounts) "}"
#define SEEN(name, amounts, granted)                                                               \
    "{\"name\":\"" name "\"," REQUESTS(amounts) ",\"allocatedResources\":{" granted "}}"
#define CPU(n) "\"cpu\":\"" #n "\""
#define MEMORY(n) "\"memory\":\"" #n "\""

#define CONTAINERS(list) "\"containers\":[" list "]"
#define INIT(list) "\"initContainers\":[" list "]"
#define STATUSES(list) "\"containerStatuses\":[" list "]"
#define INIT_STATUSES(list) "\"initContainerStatuses\":[" list "]"
#define INFEASIBLE                                                                                 \
    "\"conditions\":[{\"type\":\"PodScheduled\"},{\"type\":\"PodResizePending\",\"status\":"       \
    "\"True\",\"reason\":\"Infeasible\"}]"
#define DEFERRED                                                                                   \
    "\"conditions\":[{\"type\":\"PodResizePending\",\"status\":\"True\",\"reason\":\"Deferred\"}]"

static bool read_pod(const char *text, struct fl_arena *arena, struct kube_pod *ret_pod,
                     struct fl_err *err)
{
    const struct fl_json *root;

    if (!fl_json_parse(fl_str_c(text), arena, &root, NULL, err)) {
        fail_msg("%s in %s", err->text, text);
    }
    return kube_pod_read(root, arena, ret_pod, err);
}

static void expect(const char *spec, const char *status, const char *wanted)
{
    struct fl_arena arena = {0};
    struct kube_pod pod;
    struct fl_err err = {0};
    const char *told = "";

    if (read_pod(fl_arena_printf(&arena, "{" META "},\"spec\":{%s},\"status\":{%s}}", spec, status),
                 &arena, &pod, &err)) {
        for (size_t i = 0; i < pod.requests.len; i++) {
            told = fl_arena_printf(&arena, "%s%s" FL_STR_FMT "=%" PRIu64, told, i ? " " : "",
                                   FL_STR_ARG(pod.requests.at[i].name), pod.requests.at[i].n);
        }
    } else {
        told = err.text;
    }
    assert_string_equal(told, wanted);
    fl_arena_fini(&arena);
}

static void containers_add_up(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(2) "," MEMORY(1Gi)) "," C("b", CPU(3) ",\"x.io/gpu\":1")), "",
           "cpu=5000 memory=1073741824 x.io/gpu=1");
    expect(CONTAINERS("{\"name\":\"a\"}"), "", "");
    expect("\"containers\":null,\"initContainers\":null,\"overhead\":null", "", "");
}

static void the_largest_init_container_counts_where_it_is_larger(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(C("i", CPU(4))), "", "cpu=4000");
    expect(CONTAINERS(C("a", CPU(2)) "," C("b", CPU(3))) "," INIT(C("i", CPU(2))), "", "cpu=5000");
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(C("i", CPU(3)) "," C("j", CPU(2) "," MEMORY(7))), "",
           "cpu=3000 memory=7");
}

static void sidecars_add_up(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(SIDECAR("s", CPU(1))), "", "cpu=2000");
    /* 5 against 3+2+1 sidecars and 1 */
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(C("i", CPU(5)) "," SIDECAR("s", CPU(1)) "," SIDECAR(
               "t", CPU(2)) "," SIDECAR("u", CPU(3))),
           "", "cpu=7000");
    /* 1+2 sidecars before an init container of 5; 3+2+1 sidecars and 1 */
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(SIDECAR("s", CPU(1)) "," SIDECAR("t", CPU(2)) "," C(
               "i", CPU(5)) "," SIDECAR("u", CPU(3))),
           "", "cpu=8000");
    /* 1+2+3 sidecars before it */
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(SIDECAR("s", CPU(1)) "," SIDECAR(
               "t", CPU(2)) "," SIDECAR("u", CPU(3)) "," C("i", CPU(5))),
           "", "cpu=11000");
    /* two init containers, each with the sidecars before it */
    expect(CONTAINERS(C("a", CPU(1))) "," INIT(SIDECAR("s", CPU(1)) "," C("i", CPU(5)) "," SIDECAR(
               "t", CPU(2)) "," SIDECAR("u", CPU(3)) "," C("j", CPU(200))),
           "", "cpu=206000");
}

static void overhead_is_added_at_last(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(2)) "," C("b", CPU(3))) "," INIT(
               C("i", CPU(2))) ",\"overhead\":{" CPU(1) "," MEMORY(1Gi) "}",
           "", "cpu=6000 memory=1073741824");
    expect(CONTAINERS(C("a", CPU(1))) "," REQUESTS(CPU(4)) ",\"overhead\":{" CPU(1) "}", "",
           "cpu=5000");
}

static void the_pods_own_requests_win(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(1) "," MEMORY(7))) "," REQUESTS(CPU(4)), "", "cpu=4000 memory=7");
    expect(CONTAINERS(C("a", CPU(9))) "," INIT(C("i", CPU(20))) "," REQUESTS(CPU(4)), "",
           "cpu=4000");
    expect(CONTAINERS(C("a", "\"hugepages-2Mi\":4")) "," REQUESTS("\"hugepages-2Mi\":6"), "",
           "hugepages-2Mi=6");
    /* not for other resources */
    expect(CONTAINERS(C("a", "\"ephemeral-storage\":4")) "," REQUESTS(
               "\"ephemeral-storage\":6,\"x.io/gpu\":1," CPU(1)),
           "", "cpu=1000 ephemeral-storage=4");
}

static void a_resize_counts_with_the_largest(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(4))), STATUSES(SEEN("a", CPU(2), "")), "cpu=4000");
    expect(CONTAINERS(C("a", CPU(1))), STATUSES(SEEN("a", CPU(2), CPU(3))), "cpu=3000");
    expect(CONTAINERS(C("a", CPU(30m) "," MEMORY(20M) ",\"e\":\"10G\"")),
           STATUSES(SEEN("a", CPU(10m) "," MEMORY(30M) ",\"e\":\"20G\"",
                         CPU(20m) "," MEMORY(10M) ",\"e\":\"30G\"")),
           "cpu=30 e=30000000000 memory=30000000");
    expect(CONTAINERS(C("a", CPU(4))), STATUSES(SEEN("a", CPU(2), "")) "," DEFERRED, "cpu=4000");
    /* granted alone does not count without what is in force */
    expect(CONTAINERS(C("a", CPU(1))),
           STATUSES("{\"name\":\"a\",\"allocatedResources\":{" CPU(3) "}}"), "cpu=1000");
    /* each container by its own name */
    expect(CONTAINERS(C("a", CPU(1)) "," C("b", CPU(1))), STATUSES(SEEN("b", CPU(3), "")),
           "cpu=4000");
}

static void an_infeasible_resize_does_not_count(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(4))), STATUSES(SEEN("a", CPU(2), "")) "," INFEASIBLE, "cpu=2000");
    expect(CONTAINERS(C("a", CPU(6))), STATUSES(SEEN("a", CPU(2), CPU(4))) "," INFEASIBLE,
           "cpu=4000");
    expect(INIT(SIDECAR("s", CPU(4))), INIT_STATUSES(SEEN("s", CPU(2), "")) "," INFEASIBLE,
           "cpu=2000");
}

static void a_sidecar_is_resized_and_an_init_container_is_not(void **state)
{
    (void)state;
    expect(INIT(SIDECAR("s", CPU(4))), INIT_STATUSES(SEEN("s", CPU(2), "")), "cpu=4000");
    expect(INIT(SIDECAR("s", CPU(2))), INIT_STATUSES(SEEN("s", CPU(3), "")), "cpu=3000");
    expect(INIT(C("i", CPU(2))), INIT_STATUSES(SEEN("i", CPU(3), "")), "cpu=2000");
}

static void a_pod_is_resized_as_a_whole(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(1))) "," REQUESTS(CPU(4)), REQUESTS(CPU(6)), "cpu=6000");
    expect(CONTAINERS(C("a", CPU(1))) "," REQUESTS(CPU(4)),
           REQUESTS(CPU(2)) ",\"allocatedResources\":{" CPU(3) "}," INFEASIBLE, "cpu=3000");
    /* its status names a resource that it does not ask for */
    expect(CONTAINERS(C("a", CPU(1))) "," REQUESTS(MEMORY(1)), REQUESTS(CPU(6)),
           "cpu=1000 memory=1");
}

static void a_pod_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    expect(CONTAINERS(C("a", CPU(x))), "",
           "pod ns/p: container a: the amount of cpu is no quantity");
    expect(REQUESTS(CPU(x)), "",
           "pod ns/p: the pod's own requests: the amount of cpu is no quantity");
    expect("\"overhead\":{" CPU(x) "}", "", "pod ns/p: overhead: the amount of cpu is no quantity");
}

static void names_of_resources_are_bounded(void **state)
{
    struct fl_arena arena = {0};
    const char *spec = "";

    (void)state;
    for (int i = 0; i <= KUBE_AMOUNTS_MAX; i++) {
        spec = fl_arena_printf(&arena, "%s%s" C("c", "\"x.io/r%d\":1"), spec, i ? "," : "", i);
    }
    expect(fl_arena_printf(&arena, "\"containers\":[%s]", spec), "",
           "pod ns/p: it names over 64 resources");
    fl_arena_fini(&arena);
}

static const char *tell(const char *text, struct fl_arena *arena)
{
    struct kube_pod pod;
    struct fl_err err = {0};

    if (!read_pod(text, arena, &pod, &err)) return fl_arena_printf(arena, "%s", err.text);
    return fl_arena_printf(arena,
                           FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT " on '" FL_STR_FMT
                                      "' phase %d%s priority %d%s",
                           FL_STR_ARG(pod.namespace), FL_STR_ARG(pod.name), FL_STR_ARG(pod.uid),
                           FL_STR_ARG(pod.node), pod.phase, pod.is_deleting ? " deleting" : "",
                           pod.priority, kube_pod_takes_room(&pod) ? " takes room" : "");
}

static void a_pod_is_kept_as_far_as_it_is_used(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell("{" META ",\"deletionTimestamp\":\"2026-11-25T10:00:00Z\"},\"spec\":{"
             "\"nodeName\":\"n1\",\"priority\":-5},\"status\":{\"phase\":\"Running\"}}",
             &arena),
        "ns/p u on 'n1' phase 1 deleting priority -5 takes room");
    assert_string_equal(tell("{" META "},\"spec\":{},\"status\":{\"phase\":\"Pending\"}}", &arena),
                        "ns/p u on '' phase 0 priority 0");
    assert_string_equal(tell("{" META "},\"spec\":{\"nodeName\":\"n1\",\"priority\":2000001000},"
                             "\"status\":{\"phase\":\"Failed\"}}",
                             &arena),
                        "ns/p u on 'n1' phase 3 priority 2000001000");
    assert_string_equal(tell("{" META "},\"spec\":{\"nodeName\":\"n1\",\"priority\":99999999999},"
                             "\"status\":{\"phase\":\"Succeeded\"}}",
                             &arena),
                        "ns/p u on 'n1' phase 2 priority 2147483647");
    assert_string_equal(tell("{" META "},\"spec\":{\"nodeName\":\"n1\"}}", &arena),
                        "ns/p u on 'n1' phase 0 priority 0 takes room");
    assert_string_equal(tell("{}", &arena), "it has no name");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(containers_add_up),
         cmocka_unit_test(the_largest_init_container_counts_where_it_is_larger),
         cmocka_unit_test(sidecars_add_up), cmocka_unit_test(overhead_is_added_at_last),
         cmocka_unit_test(the_pods_own_requests_win),
         cmocka_unit_test(a_resize_counts_with_the_largest),
         cmocka_unit_test(an_infeasible_resize_does_not_count),
         cmocka_unit_test(a_sidecar_is_resized_and_an_init_container_is_not),
         cmocka_unit_test(a_pod_is_resized_as_a_whole),
         cmocka_unit_test(a_pod_that_makes_no_sense_is_refused),
         cmocka_unit_test(names_of_resources_are_bounded),
         cmocka_unit_test(a_pod_is_kept_as_far_as_it_is_used))
