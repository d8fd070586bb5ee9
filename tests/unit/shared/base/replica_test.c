#include "shared/base/replica.h"

#include "tests/fl_test.h"

static void states_are_numbered_as_the_wire_has_them(void **state)
{
    (void)state;
    assert_string_equal(fl_replica_state_name(FL_REPLICA_pending), "pending");
    assert_string_equal(fl_replica_state_name((enum fl_replica_state)4), "exited");
    assert_string_equal(fl_replica_state_name((enum fl_replica_state)7), "absent");
    assert_int_equal(FL_REPLICA_STATES_LEN, 8);
}

static void only_what_has_ended_is_last(void **state)
{
    (void)state;
    assert_false(fl_replica_state_is_last(FL_REPLICA_created));
    assert_false(fl_replica_state_is_last(FL_REPLICA_running));
    assert_true(fl_replica_state_is_last(FL_REPLICA_exited));
    assert_true(fl_replica_state_is_last(FL_REPLICA_refused));
}

/* Every part of an item counts, and so does the order: else a half inventory could pass for a
 * whole. */
static void an_inventory_s_digest_tells_any_difference(void **state)
{
    struct fl_attempt seven = {.job = {7}, .element = 1, .n = 2, .incarnation = 1};
    struct fl_attempt eight = {.job = {8}, .element = 1, .n = 2, .incarnation = 1};
    uint64_t base = fl_inventory_digest(0, seven, 3, FL_REPLICA_exited, -1);

    (void)state;
    assert_true(base == fl_inventory_digest(0, seven, 3, FL_REPLICA_exited, -1));
    assert_true(base != fl_inventory_digest(0, eight, 3, FL_REPLICA_exited, -1));
    assert_true(base != fl_inventory_digest(0, seven, 4, FL_REPLICA_exited, -1));
    assert_true(base != fl_inventory_digest(0, seven, 3, FL_REPLICA_running, -1));
    assert_true(base != fl_inventory_digest(0, seven, 3, FL_REPLICA_exited, 1));
    assert_true(fl_inventory_digest(base, eight, 0, FL_REPLICA_created, 0) !=
                fl_inventory_digest(fl_inventory_digest(0, eight, 0, FL_REPLICA_created, 0), seven,
                                    3, FL_REPLICA_exited, -1));
}

FL_TESTS(cmocka_unit_test(states_are_numbered_as_the_wire_has_them),
         cmocka_unit_test(only_what_has_ended_is_last),
         cmocka_unit_test(an_inventory_s_digest_tells_any_difference))
