#include "controlplane/core/dependency_table.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void an_edge_is_in_the_list_of_either_end(void **state)
{
    struct dependency_table table;
    struct dependency_edge edge;
    const struct dependency_edge *at;

    (void)state;
    dependency_table_init(&table);
    dependency_table_add(&table, 9, 1, FL_ON_success);
    dependency_table_add(&table, 9, 2, FL_ON_any);
    dependency_table_add(&table, 8, 1, FL_ON_failure);
    assert_int_equal(dependency_table_dependents(&table, 1), 2);
    assert_int_equal(dependency_table_dependents(&table, 9), 0);
    at = dependency_table_first(&table, 9);
    assert_int_equal(at->target, 1);
    at = dependency_table_next(&table, at);
    assert_int_equal(at->target, 2);
    assert_null(dependency_table_next(&table, at));
    assert_true(dependency_table_take(&table, 1, &edge));
    assert_int_equal(edge.job, 9);
    assert_int_equal(edge.on, FL_ON_success);
    assert_true(dependency_table_take(&table, 1, &edge));
    assert_int_equal(edge.job, 8);
    assert_false(dependency_table_take(&table, 1, &edge));
    assert_null(dependency_table_first(&table, 8));
    assert_int_equal(dependency_table_first(&table, 9)->target, 2);
    dependency_table_drop(&table, 9);
    assert_int_equal(table.edges.len, 0);
    assert_int_equal(table.of_job.len + table.of_target.len + table.last.len + table.count.len, 0);
    dependency_table_fini(&table);
}

enum { JOBS = 40 };

/* matrix[job][target]: when the edge was added; 0: there is none */
static void compare(const struct dependency_table *table, uint32_t matrix[JOBS][JOBS])
{
    for (uint64_t job = 0; job < JOBS; job++) {
        uint32_t before = 0, dependents = 0;
        const struct dependency_edge *edge = dependency_table_first(table, job);

        for (; edge; edge = dependency_table_next(table, edge)) {
            assert_true(matrix[job][edge->target] > before);
            before = matrix[job][edge->target];
            dependents++;
        }
        for (uint64_t target = 0; target < JOBS; target++) {
            dependents -= matrix[job][target] != 0;
        }
        assert_int_equal(dependents, 0);
        for (uint64_t other = 0; other < JOBS; other++) {
            dependents += matrix[other][job] != 0;
        }
        assert_int_equal(dependency_table_dependents(table, job), dependents);
    }
}

static void the_lists_are_those_of_a_matrix(void **state)
{
    static uint32_t matrix[JOBS][JOBS];
    struct dependency_table table;
    struct dependency_edge edge;
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 34);
    dependency_table_init(&table);
    for (uint32_t turn = 1; turn < 4000; turn++) {
        uint64_t target = fl_prng_below(&prng, JOBS - 1);
        uint64_t job = target + 1 + fl_prng_below(&prng, JOBS - 1 - target);
        uint64_t dice = fl_prng_below(&prng, 10);

        if (dice < 7 && !matrix[job][target]) {
            dependency_table_add(&table, job, target, FL_ON_any);
            matrix[job][target] = turn;
        } else if (dice == 7) {
            dependency_table_drop(&table, job);
            memset(matrix[job], 0, sizeof matrix[job]);
        } else if (dice == 8 && dependency_table_take(&table, target, &edge)) {
            for (uint64_t other = 0; other < JOBS; other++) { /* the oldest of them */
                assert_true(!matrix[other][target] ||
                            matrix[other][target] >= matrix[edge.job][target]);
            }
            matrix[edge.job][target] = 0;
        }
        compare(&table, matrix);
    }
    dependency_table_fini(&table);
}

static void there_is_room_for_so_many_and_no_more(void **state)
{
    struct dependency_table table;

    (void)state;
    dependency_table_init(&table);
    assert_true(dependency_table_has_room(&table, DEPENDENCIES_MAX));
    dependency_table_add(&table, 2, 1, FL_ON_any);
    assert_false(dependency_table_has_room(&table, DEPENDENCIES_MAX));
    assert_true(dependency_table_has_room(&table, DEPENDENCIES_MAX - 1));
    dependency_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(an_edge_is_in_the_list_of_either_end),
         cmocka_unit_test(the_lists_are_those_of_a_matrix),
         cmocka_unit_test(there_is_room_for_so_many_and_no_more))
