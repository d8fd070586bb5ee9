#include "agent/kube/kube_room.h"

#include <inttypes.h>
#include <stdio.h>

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static struct kube_node node_of(const char *name)
{
    static struct kube_amount room[] = {{FL_STR("cpu"), 8000}, {FL_STR("memory"), 1000}};

    return (struct kube_node){.name = fl_str_c(name), .allocatable = {.at = room, .len = 2}};
}

static struct kube_meta meta_of(const char *name)
{
    return (struct kube_meta){.namespace = FL_STR("ns"), .name = fl_str_c(name)};
}

static void put(struct kube_room *room, const char *pod, const char *node, uint32_t cpu_milli)
{
    struct kube_meta meta = meta_of(pod);

    kube_room_put_pod(room, &meta, fl_str_c(node),
                      &(struct kube_share){.usual = {.cpu_milli = cpu_milli}});
}

/* All news, a line each, without the last line end. */
static void expect(struct kube_room *room, const char *wanted)
{
    struct agent_event event;
    char story[1000] = "";
    size_t len = 0;

    while (kube_room_take_news(room, &event)) {
        char *at = story + len;
        size_t bytes = sizeof story - len;

        if (event.kind == AGENT_EV_node_left_out) {
            len += (size_t)snprintf(at, bytes, "%sleft out", len ? "\n" : "");
        } else if (event.kind == AGENT_EV_node_gone) {
            len += (size_t)snprintf(at, bytes, "%s%" PRIu32 " gone", len ? "\n" : "",
                                    event.node_gone.number);
        } else {
            len += (size_t)snprintf(
                at, bytes, "%s%" PRIu32 " " FL_STR_FMT " %s %" PRIu32 "/%" PRIu32, len ? "\n" : "",
                event.node_seen.number, FL_STR_ARG(event.node_seen.name),
                event.node_seen.is_ready ? "ready" : "not", event.node_seen.foreign.cpu_milli,
                event.node_seen.total.cpu_milli);
        }
    }
    assert_string_equal(story, wanted);
}

static void what_others_take_is_summed_on_each_node(void **state)
{
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a"), b = node_of("b");
    struct kube_meta one = meta_of("one");

    (void)state;
    put(room, "early", "b", 100); /* pods may be listed before their node */
    expect(room, "");
    kube_room_put_node(room, &a);
    kube_room_put_node(room, &b);
    expect(room, "1 a ready 0/8000\n0 b ready 100/8000");
    put(room, "one", "a", 500);
    put(room, "two", "a", 700);
    put(room, "three", "", 900); /* bound to none */
    expect(room, "1 a ready 1200/8000");
    put(room, "one", "a", 500);
    expect(room, "");
    put(room, "one", "b", 300);
    expect(room, "1 a ready 700/8000\n0 b ready 400/8000");
    put(room, "two", "a", 0); /* it has ended */
    kube_room_drop_pod(room, &one);
    kube_room_drop_pod(room, &one);
    expect(room, "1 a ready 0/8000\n0 b ready 100/8000");
    kube_room_destroy(room);
}

static void a_node_keeps_its_number_over_its_absence(void **state)
{
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a"), b = node_of("b");

    (void)state;
    assert_int_equal(kube_room_number(room, FL_STR("a")), 0);
    assert_true(fl_str_eq(kube_room_name(room, 0), FL_STR("a")));
    assert_int_equal(kube_room_name(room, 1).len, 0);
    kube_room_drop_node(room, FL_STR("a")); /* was never there */
    kube_room_put_node(room, &b);
    kube_room_put_node(room, &a);
    put(room, "one", "a", 500);
    expect(room, "1 b ready 0/8000\n0 a ready 500/8000");
    kube_room_drop_node(room, FL_STR("a"));
    kube_room_drop_node(room, FL_STR("nowhere"));
    expect(room, "0 gone");
    put(room, "two", "a", 500);
    expect(room, "");
    kube_room_put_node(room, &a);
    expect(room, "0 a ready 1000/8000");
    kube_room_destroy(room);
}

static void a_node_that_takes_no_pods_of_ours_is_not_ready(void **state)
{
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a");

    (void)state;
    a.is_unschedulable = true;
    kube_room_put_node(room, &a);
    expect(room, "0 a not 0/8000");
    a.is_unschedulable = false;
    a.ready = KUBE_NODE_SILENT;
    kube_room_put_node(room, &a);
    expect(room, "0 a not 0/8000");
    kube_room_destroy(room);
}

static void a_node_that_is_left_out_is_news_once(void **state)
{
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a"), b = node_of("b");
    char name[16];

    (void)state;
    kube_room_leave_out(room);
    kube_room_leave_out(room);
    expect(room, "left out");
    kube_room_put_node(room, &a);
    for (int i = 1; i < KUBE_ROOM_NODES_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        (void)kube_room_number(room, fl_str_c(name));
    }
    expect(room, "0 a ready 0/8000");
    kube_room_put_node(room, &b); /* there is no number for it */
    expect(room, "left out");
    kube_room_put_node(room, &a);
    expect(room, "0 a ready 0/8000");
    kube_room_destroy(room);
}

static void labels_are_sorted_and_bounded(void **state)
{
    static char long_key[KUBE_ROOM_LABELS_BYTES_MAX];
    struct kube_label labels[] = {
        {FL_STR("b"), FL_STR("2")}, {FL_STR("a"), FL_STR("1")}, {{long_key, sizeof long_key}, {0}}};
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a");
    struct agent_event event;

    (void)state;
    memset(long_key, 'x', sizeof long_key);
    a.labels = labels;
    a.labels_len = 3;
    kube_room_put_node(room, &a);
    assert_true(kube_room_take_news(room, &event));
    assert_true(
        fl_str_eq(event.node_seen.labels, FL_STR("a=1\nb=2\nfairlead.io/limits=enforced\n")));
    kube_room_destroy(room);
}

/* The named resources of the newest news of node 0: "name=foreign/total". */
static void expect_named(struct kube_room *room, const char *wanted)
{
    struct agent_event event;
    char story[400] = "";
    size_t len = 0;

    assert_true(kube_room_take_news(room, &event));
    len += (size_t)snprintf(story, sizeof story, "gpus=%u/%u", event.node_seen.foreign.gpus,
                            event.node_seen.total.gpus);
    for (size_t i = 0; i < event.node_seen.named.len; i++) {
        struct fl_amount one = event.node_seen.named.at[i];

        len += (size_t)snprintf(story + len, sizeof story - len,
                                " " FL_STR_FMT "=%" PRIu64 "/%" PRIu64, FL_STR_ARG(one.name),
                                fl_amounts_of(&event.node_seen.foreign_named, one.name), one.n);
    }
    assert_string_equal(story, wanted);
    assert_false(kube_room_take_news(room, &event));
}

static void resources_with_names_are_counted_and_one_is_the_accelerator(void **state)
{
    static struct kube_amount room_of[] = {{FL_STR("amd.com/gpu"), 8},
                                           {FL_STR("cpu"), 8000},
                                           {FL_STR("pods"), 110},
                                           {FL_STR("rdma/hca"), 4}};
    struct fl_amount takes[] = {{FL_STR("amd.com/gpu"), 2}, {FL_STR("rdma/hca"), 1}};
    struct kube_share foreign = {.named = {takes, 2, 2}};
    struct kube_room *room = kube_room_create();
    struct kube_node a = {.name = FL_STR("a"), .allocatable = {.at = room_of, .len = 4}};
    struct kube_meta one = meta_of("one"), two = meta_of("two");
    struct fl_arena arena = {0};
    struct fl_amounts kinds;

    (void)state;
    kube_room_put_node(room, &a);
    expect_named(room, "gpus=0/0 amd.com/gpu=0/8 rdma/hca=0/4");
    kinds = kube_room_accelerators(room, &arena);
    assert_int_equal(kinds.len, 1);
    assert_true(fl_str_eq(kinds.at[0].name, FL_STR("amd.com/gpu")));
    kube_room_put_pod(room, &one, FL_STR("a"), &foreign);
    kube_room_put_pod(room, &two, FL_STR("a"), &foreign);
    kube_room_put_pod(room, &two, FL_STR("a"), &foreign);
    expect_named(room, "gpus=0/0 amd.com/gpu=4/8 rdma/hca=2/4");
    kube_room_set_accelerator(room, FL_STR("amd.com/gpu"));
    expect_named(room, "gpus=4/8 rdma/hca=2/4");
    takes[1].n = 3;
    kube_room_put_pod(room, &two, FL_STR("a"), &foreign);
    expect_named(room, "gpus=4/8 rdma/hca=4/4");
    kube_room_drop_pod(room, &one);
    expect_named(room, "gpus=2/8 rdma/hca=3/4");
    kube_room_drop_node(room, FL_STR("a"));
    assert_int_equal(kube_room_accelerators(room, &arena).len, 0);
    fl_arena_fini(&arena);
    kube_room_destroy(room);
}

/* Whether node 0 is ready by its newest news, and its taints. */
static void expect_taints(struct kube_room *room, bool is_ready, const char *taints)
{
    struct agent_event event;

    assert_true(kube_room_take_news(room, &event));
    assert_int_equal(event.node_seen.is_ready, is_ready);
    assert_int_equal(event.node_seen.total.cpu_milli, 8000);
    assert_true(fl_str_eq(event.node_seen.taints, fl_str_c(taints)));
    assert_true(fl_taints_are_list(event.node_seen.taints));
    assert_false(kube_room_take_news(room, &event));
}

static void hard_taints_are_told_and_those_of_kubernetes_make_a_node_unready(void **state)
{
    static const char *const conditions[] = {"node.kubernetes.io/disk-pressure",
                                             "node.kubernetes.io/unreachable",
                                             "node.cloudprovider.kubernetes.io/uninitialized"};
    struct fl_taint taints[FL_NODE_TAINTS_MAX + 1] = {
        {FL_STR("nvidia.com/gpu"), FL_STR("present"), FL_EFFECT_NoSchedule},
        {FL_STR("soft"), {0}, FL_EFFECT_PreferNoSchedule},
        {FL_STR("a"), {0}, FL_EFFECT_NoExecute}};
    char keys[FL_NODE_TAINTS_MAX + 1][8];
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a");

    (void)state;
    a.taints = taints;
    a.taints_len = 3;
    kube_room_put_node(room, &a);
    expect_taints(room, true, "a:NoExecute\nnvidia.com/gpu=present:NoSchedule\n");
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        taints[2].key = fl_str_c(conditions[i]);
        kube_room_put_node(room, &a);
        expect_taints(room, false, "nvidia.com/gpu=present:NoSchedule\n");
    }
    taints[2].key = FL_STR("node.kubernetes.io"); /* another key than theirs */
    kube_room_put_node(room, &a);
    expect_taints(room, true, "node.kubernetes.io:NoExecute\nnvidia.com/gpu=present:NoSchedule\n");
    for (size_t i = 0; i <= FL_NODE_TAINTS_MAX; i++) {
        snprintf(keys[i], sizeof keys[i], "t%zu", i);
        taints[i] = (struct fl_taint){fl_str_c(keys[i]), {0}, FL_EFFECT_NoSchedule};
    }
    a.taints_len = FL_NODE_TAINTS_MAX;
    kube_room_put_node(room, &a);
    expect_taints(room, true,
                  "t0:NoSchedule\nt10:NoSchedule\nt11:NoSchedule\nt12:NoSchedule\n"
                  "t13:NoSchedule\nt14:NoSchedule\nt15:NoSchedule\nt1:NoSchedule\n"
                  "t2:NoSchedule\nt3:NoSchedule\nt4:NoSchedule\nt5:NoSchedule\n"
                  "t6:NoSchedule\nt7:NoSchedule\nt8:NoSchedule\nt9:NoSchedule\n");
    a.taints_len++; /* and with too many it counts for nothing */
    kube_room_put_node(room, &a);
    expect(room, "0 a not 0/0");
    a.taints_len--;
    kube_room_put_node(room, &a);
    expect(room, "0 a ready 0/8000");
    kube_room_destroy(room);
}

/* Else it would count, when empty, as room for those who tolerate nothing. */
static void a_node_that_is_not_ready_keeps_its_taints(void **state)
{
    struct fl_taint taint = {FL_STR("a"), {0}, FL_EFFECT_NoSchedule};
    struct kube_room *room = kube_room_create();
    struct kube_node a = node_of("a");

    (void)state;
    a.taints = &taint;
    a.taints_len = 1;
    a.is_unschedulable = true;
    kube_room_put_node(room, &a);
    expect_taints(room, false, "a:NoSchedule\n");
    a.is_unschedulable = false;
    a.ready = KUBE_NODE_SILENT;
    kube_room_put_node(room, &a);
    expect_taints(room, false, "a:NoSchedule\n");
    kube_room_destroy(room);
}

/* The control plane lets jobs with gpus there, and their pods tolerate the accelerator's name. */
static void a_node_with_the_taint_of_another_accelerator_has_no_gpus(void **state)
{
    static struct kube_amount room_of[] = {{FL_STR("amd.com/gpu"), 8}, {FL_STR("cpu"), 8000}};
    struct fl_taint taint = {FL_STR("nvidia.com/gpu"), {0}, FL_EFFECT_NoSchedule};
    struct kube_node a = {
        .name = FL_STR("a"), .allocatable = {.at = room_of, .len = 2}, .taints = &taint};
    struct kube_room *room = kube_room_create();

    (void)state;
    a.taints_len = 1;
    kube_room_put_node(room, &a);
    expect_taints(room, true, "nvidia.com/gpu:NoSchedule\n");
    kube_room_set_accelerator(room, FL_STR("amd.com/gpu"));
    expect_named(room, "gpus=0/0");
    kube_room_put_node(room, &a);
    expect_taints(room, true, "nvidia.com/gpu:NoSchedule\n");
    taint.key = FL_STR("amd.com/gpu");
    kube_room_put_node(room, &a);
    expect_named(room, "gpus=0/8");
    kube_room_destroy(room);
}

FL_TESTS(cmocka_unit_test(what_others_take_is_summed_on_each_node),
         cmocka_unit_test(a_node_keeps_its_number_over_its_absence),
         cmocka_unit_test(a_node_that_takes_no_pods_of_ours_is_not_ready),
         cmocka_unit_test(a_node_that_is_left_out_is_news_once),
         cmocka_unit_test(labels_are_sorted_and_bounded),
         cmocka_unit_test(resources_with_names_are_counted_and_one_is_the_accelerator),
         cmocka_unit_test(hard_taints_are_told_and_those_of_kubernetes_make_a_node_unready),
         cmocka_unit_test(a_node_that_is_not_ready_keeps_its_taints),
         cmocka_unit_test(a_node_with_the_taint_of_another_accelerator_has_no_gpus))
