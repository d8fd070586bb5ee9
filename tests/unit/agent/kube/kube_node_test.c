#include "agent/kube/kube_node.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/json/json.h"
#include "tests/fl_test.h"

#define META "\"metadata\":{\"name\":\"n1\",\"uid\":\"u1\",\"resourceVersion\":\"5\""

static const char *tell(const char *text, struct fl_arena *arena)
{
    static const char *const ready[] = {"ready", "not ready", "silent"};
    const struct fl_json *root;
    struct kube_node node;
    struct fl_err err = {0};
    const char *story;

    assert_true(fl_json_parse(fl_str_c(text), arena, &root, NULL, NULL));
    if (!kube_node_read(root, arena, &node, &err)) return fl_arena_printf(arena, "%s", err.text);
    story = fl_arena_printf(arena, FL_STR_FMT " " FL_STR_FMT " %s%s", FL_STR_ARG(node.name),
                            FL_STR_ARG(node.uid), ready[node.ready],
                            node.is_unschedulable ? " cordoned" : "");
    for (size_t i = 0; i < node.labels_len; i++) {
        story = fl_arena_printf(arena, "%s " FL_STR_FMT "=" FL_STR_FMT, story,
                                FL_STR_ARG(node.labels[i].key), FL_STR_ARG(node.labels[i].value));
    }
    for (size_t i = 0; i < node.taints_len; i++) {
        story = fl_arena_printf(arena, "%s " FL_STR_FMT "=" FL_STR_FMT ":%s", story,
                                FL_STR_ARG(node.taints[i].key), FL_STR_ARG(node.taints[i].value),
                                fl_taint_effect_name(node.taints[i].effect));
    }
    for (size_t i = 0; i < node.allocatable.len; i++) {
        story = fl_arena_printf(arena, "%s " FL_STR_FMT ":%" PRIu64, story,
                                FL_STR_ARG(node.allocatable.at[i].name), node.allocatable.at[i].n);
    }
    return story;
}

static void a_node_is_kept_as_far_as_it_is_used(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(
        tell("{\"kind\":\"Node\"," META ",\"labels\":{\"zone\":\"a\",\"gpu\":\"h100\"},"
             "\"managedFields\":[{}]},\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":\"k\","
             "\"value\":\"v\",\"effect\":\"NoSchedule\"},{\"key\":\"l\",\"effect\":\"NoExecute\","
             "\"timeAdded\":\"x\"},{\"key\":\"m\",\"effect\":\"PreferNoSchedule\"},{\"key\":\"o\","
             "\"effect\":\"Later\"}]},\"status\":{\"capacity\":{\"cpu\":\"9\"},\"allocatable\":{"
             "\"cpu\":\"3900m\",\"memory\":\"1Ki\",\"pods\":\"110\"},\"conditions\":[{\"type\":"
             "\"MemoryPressure\",\"status\":\"False\"},{\"type\":\"Ready\",\"status\":\"True\"}]}}",
             &arena),
        "n1 u1 ready cordoned zone=a gpu=h100 k=v:NoSchedule l=:NoExecute m=:PreferNoSchedule "
        "cpu:3900 memory:1024 pods:110");
    assert_string_equal(tell("{" META "}}", &arena), "n1 u1 not ready");
    fl_arena_fini(&arena);
}

static void a_silent_kubelet_is_told_from_one_that_is_not_ready(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(tell("{" META "},\"status\":{\"conditions\":[{\"type\":\"Ready\","
                             "\"status\":\"Unknown\"}]}}",
                             &arena),
                        "n1 u1 silent");
    assert_string_equal(tell("{" META "},\"status\":{\"conditions\":[{\"type\":\"Ready\","
                             "\"status\":\"False\"}]}}",
                             &arena),
                        "n1 u1 not ready");
    assert_string_equal(
        tell("{" META "},\"status\":{\"conditions\":[{\"type\":\"Old\"}]}}", &arena),
        "n1 u1 not ready");
    fl_arena_fini(&arena);
}

static void a_node_that_makes_no_sense_is_refused(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(tell("{}", &arena), "it has no name");
    assert_string_equal(tell("{" META "},\"status\":{\"allocatable\":{\"cpu\":\"-1\"}}}", &arena),
                        "node n1: allocatable: the amount of cpu is no quantity");
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_node_is_kept_as_far_as_it_is_used),
         cmocka_unit_test(a_silent_kubelet_is_told_from_one_that_is_not_ready),
         cmocka_unit_test(a_node_that_makes_no_sense_is_refused))
