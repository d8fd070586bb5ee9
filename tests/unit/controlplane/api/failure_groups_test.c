#include "controlplane/api/failure_groups.h"

#include <stdio.h>

#include "tests/fl_test.h"

static void add(struct failure_groups *groups, uint32_t element, enum reason reason,
                int32_t exit_code, const char *words)
{
    struct read_failure failure = {element, 1, reason, exit_code, 0, fl_str_c(words)};

    failure_groups_add(groups, &failure);
}

static void those_that_fail_alike_are_a_group(void **state)
{
    struct failure_groups *groups = failure_groups_create();
    const struct failure_group *const *sorted;
    size_t len;

    (void)state;
    add(groups, 0, REASON_ReplicaFailed, 1, "bad row 17");
    add(groups, 1, REASON_ReplicaFailed, 3, "no lr");
    add(groups, 2, REASON_ReplicaFailed, 3, "no lr");
    add(groups, 3, REASON_ReplicaFailed, 1, "bad row 4");
    add(groups, 5, REASON_ReplicaFailed, 3, "no  lr");
    add(groups, 6, REASON_OutOfMemory, 137, "");
    add(groups, 7, REASON_ReplicaFailed, 2, "no lr");
    sorted = failure_groups_sorted(groups, &len);
    assert_int_equal(len, 4);
    assert_int_equal(sorted[0]->count, 3);
    assert_string_equal(sorted[0]->pattern, "no lr");
    assert_int_equal(sorted[0]->runs_len, 2);
    assert_int_equal(sorted[0]->runs[0].last, 2);
    assert_int_equal(sorted[0]->runs[1].first, 5);
    assert_string_equal(sorted[1]->line, "bad row 17");
    assert_string_equal(sorted[1]->pattern, "bad row <n>");
    assert_int_equal(sorted[2]->first.reason, REASON_OutOfMemory); /* the lowest of the two */
    assert_int_equal(sorted[3]->first.exit_code, 2);
    assert_int_equal(failure_groups_failed(groups), 7);
    assert_int_equal(failure_groups_apart(groups), 0);
    failure_groups_destroy(groups);
}

static void an_id_is_of_reason_code_and_pattern_alone(void **state)
{
    struct read_failure one = {7, 2, REASON_ReplicaFailed, 1, 0, FL_STR("bad row 17")};
    struct read_failure other = {9, 1, REASON_ReplicaFailed, 1, 3, FL_STR("bad row 18")};
    char id[FAILURE_ID_MAX], again[FAILURE_ID_MAX];

    (void)state;
    failure_group_id(&one, id);
    failure_group_id(&other, again);
    assert_string_equal(id, again);
    assert_string_equal(id, "6b8d19ec2fb2"); /* people have noted it */
    assert_true(failure_group_is_id(fl_str_c(id)));
    other.exit_code = 2;
    failure_group_id(&other, again);
    assert_string_not_equal(id, again);
    other.exit_code = 1;
    other.reason = REASON_OutOfMemory;
    failure_group_id(&other, again);
    assert_string_not_equal(id, again);
    assert_false(failure_group_is_id(FL_STR("5b0c8e1f29d")));
    assert_false(failure_group_is_id(FL_STR("5b0c8e1f29dg")));
}

static void runs_and_groups_have_a_limit(void **state)
{
    struct failure_groups *groups = failure_groups_create();
    const struct failure_group *const *sorted;
    uint32_t element = 0;
    size_t len;

    (void)state;
    for (uint32_t i = 0; i <= FAILURE_RUNS_MAX; i++) {
        add(groups, element, REASON_ReplicaFailed, 1, "alike");
        element += 2;
    }
    for (uint32_t i = 0; i < FAILURE_GROUPS_MAX + 10; i++) {
        char words[16];

        snprintf(words, sizeof words, "%c%c%c", 'a' + i / 676 % 26, 'a' + i / 26 % 26,
                 'a' + i % 26);
        add(groups, element++, REASON_ReplicaFailed, 1, words);
    }
    sorted = failure_groups_sorted(groups, &len);
    assert_int_equal(len, FAILURE_GROUPS_MAX);
    assert_int_equal(sorted[0]->count, FAILURE_RUNS_MAX + 1);
    assert_int_equal(sorted[0]->runs_len, FAILURE_RUNS_MAX);
    assert_true(sorted[0]->has_more_runs);
    assert_int_equal(failure_groups_apart(groups), 11);
    assert_int_equal(failure_groups_failed(groups), FAILURE_RUNS_MAX + FAILURE_GROUPS_MAX + 11);
    failure_groups_destroy(groups);
}

FL_TESTS(cmocka_unit_test(those_that_fail_alike_are_a_group),
         cmocka_unit_test(an_id_is_of_reason_code_and_pattern_alone),
         cmocka_unit_test(runs_and_groups_have_a_limit))
