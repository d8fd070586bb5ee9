#include "controlplane/core/sched/tolerance.h"

#include "tests/fl_test.h"

/* The first taint that the role does not tolerate; "" if there is none. */
static const char *lacks(const char *taints, const struct shape *shape, uint32_t role)
{
    static char text[FL_TAINT_TEXT_BYTES_MAX + 1];
    struct node node = {.taints = fl_str_c(taints)};
    struct fl_str lines = node.taints;
    struct tolerance tolerance;
    struct fl_taint taint;
    bool is;

    tolerance_init(&tolerance, shape);
    is = tolerance_lacks(&tolerance, &lines, &shape->roles[role], &taint);
    assert_int_equal(tolerance_has(&tolerance, &node, &shape->roles[role]), !is);
    text[is ? fl_taint_write(&taint, text) : 0] = '\0';
    return text;
}

static void each_taint_has_to_be_tolerated(void **state)
{
    struct shape shape = {.roles_len = 1};

    (void)state;
    assert_string_equal(lacks("", &shape, 0), "");
    assert_string_equal(lacks("a:NoSchedule\nb=c:NoExecute\n", &shape, 0), "a:NoSchedule");
    shape.tolerations = FL_STR("a\n");
    assert_string_equal(lacks("a:NoSchedule\nb=c:NoExecute\n", &shape, 0), "b=c:NoExecute");
    shape.tolerations = FL_STR("a\nb=c\n");
    assert_string_equal(lacks("a:NoSchedule\nb=c:NoExecute\n", &shape, 0), "");
    shape.tolerations = FL_STR("*:NoExecute\n");
    assert_string_equal(lacks("a:NoExecute\nb=c:NoSchedule\n", &shape, 0), "b=c:NoSchedule");
}

static void a_device_that_a_role_asks_for_is_tolerated_by_its_name(void **state)
{
    struct shape shape = {.roles_len = 3,
                          .kinds = {FL_STR("ephemeral-storage"), FL_STR("x.io/fpga")},
                          .kinds_len = 2};
    struct node node = {.taints = FL_STR("amd.com/gpu=x:NoSchedule\n")};
    struct tolerance tolerance;

    (void)state;
    shape.roles[0].named[0] = shape.roles[1].named[1] = 1;
    shape.roles[2].each.gpus = 1;
    assert_string_equal(lacks("x.io/fpga:NoSchedule\n", &shape, 0), "x.io/fpga:NoSchedule");
    assert_string_equal(lacks("x.io/fpga:NoSchedule\n", &shape, 1), "");
    assert_string_equal(lacks("x.io/fpga=y:NoExecute\n", &shape, 1), "x.io/fpga=y:NoExecute");
    assert_string_equal(lacks("ephemeral-storage:NoSchedule\n", &shape, 0),
                        "ephemeral-storage:NoSchedule");
    assert_string_equal(lacks("amd.com/gpu=x:NoSchedule\n", &shape, 1), "amd.com/gpu=x:NoSchedule");
    assert_string_equal(lacks("amd.com/gpu=x:NoSchedule\nnvidia.com/gpu:NoSchedule\n", &shape, 2),
                        "");
    tolerance_init(&tolerance, &shape);
    assert_true(tolerance_has_any(&tolerance, &node));
    shape.roles_len = 2;
    assert_false(tolerance_has_any(&tolerance, &node));
}

static void a_long_list_costs_more_looks(void **state)
{
    struct node node = {.taints = FL_STR("a:NoSchedule\n")};
    struct shape shape = {.roles_len = 1};

    (void)state;
    assert_int_equal(tolerance_looks(&node, &shape), 1);
    node.taints.len = FL_NODE_TAINTS_BYTES_MAX;
    shape.tolerations.len = 6000;
    assert_int_equal(tolerance_looks(&node, &shape), 1 + 2048 * 6064 / 32768);
}

FL_TESTS(cmocka_unit_test(each_taint_has_to_be_tolerated),
         cmocka_unit_test(a_device_that_a_role_asks_for_is_tolerated_by_its_name),
         cmocka_unit_test(a_long_list_costs_more_looks))
