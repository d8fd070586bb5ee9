#include "controlplane/engine/lease_rule.h"

#include "tests/fl_test.h"

enum { TTL_MS = 6000, NOTHING = LEASE_ASK_NOTHING };

static struct lease_rule held_at(fl_ms asked_at)
{
    struct lease_rule rule = {.ttl_ms = TTL_MS};

    lease_rule_hold(&rule, asked_at);
    return rule;
}

static void it_asks_at_a_third_and_ends_at_two_thirds_of_what_was_asked(void **state)
{
    struct lease_rule rule = held_at(1000);

    (void)state;
    assert_int_equal(lease_rule_next(&rule, 2999), NOTHING);
    assert_int_equal(lease_rule_deadline(&rule, true), 3000);
    assert_int_equal(lease_rule_next(&rule, 3000), LEASE_ASK_RENEWAL);
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 3000);
    assert_int_equal(lease_rule_next(&rule, 3500), NOTHING); /* one at a time */
    assert_int_equal(lease_rule_deadline(&rule, true), 5000);
    assert_false(lease_rule_answered(&rule, LEASE_DONE, 4900));
    /* The answer took 1.9 s; the time of the question counts. */
    assert_true(lease_rule_is_good(&rule, 6999));
    assert_false(lease_rule_is_good(&rule, 7000));
    assert_int_equal(lease_rule_deadline(&rule, true), 5000);
    assert_false(lease_rule_expires(&rule, 6999));
    assert_true(lease_rule_expires(&rule, 7000));
    assert_false(lease_rule_expires(&rule, 7001)); /* once */
    assert_int_equal(rule.state, LEASE_NONE);
}

static void a_good_answer_that_waits_does_not_save_one_that_stood_still(void **state)
{
    struct lease_rule rule = held_at(0);

    (void)state;
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2000);
    assert_true(lease_rule_expires(&rule, 60000)); /* first in each turn */
    assert_false(lease_rule_answered(&rule, LEASE_DONE, 60000));
    assert_int_equal(rule.state, LEASE_NONE);
    assert_int_equal(lease_rule_deadline(&rule, true), INT64_MAX);
}

/* One lost connection used to cost the lease: the next question was due at two thirds. */
static void a_question_that_is_lost_is_asked_again_before_the_lease_ends(void **state)
{
    struct lease_rule rule = held_at(0);

    (void)state;
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2000);
    assert_false(lease_rule_answered(&rule, LEASE_NO_ANSWER, 2100));
    assert_int_equal(lease_rule_next(&rule, 2100 + LEASE_RETRY_MS - 1), NOTHING);
    assert_int_equal(lease_rule_next(&rule, 2100 + LEASE_RETRY_MS), LEASE_ASK_RENEWAL);
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2600);
    assert_false(lease_rule_answered(&rule, LEASE_DONE, 2601));
    assert_true(lease_rule_is_good(&rule, 6599));
}

static void another_holder_ends_it_unless_it_was_taken_back_since(void **state)
{
    struct lease_rule rule = held_at(0);

    (void)state;
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2000);
    lease_rule_hold(&rule, 2500); /* a reload took it again */
    assert_false(lease_rule_answered(&rule, LEASE_ANOTHERS, 2600));
    assert_int_equal(rule.state, LEASE_HELD);
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 4500);
    assert_true(lease_rule_answered(&rule, LEASE_ANOTHERS, 4600));
    assert_int_equal(rule.state, LEASE_NONE);
}

static void an_old_answer_never_shortens_it(void **state)
{
    struct lease_rule rule = held_at(0);

    (void)state;
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2000);
    lease_rule_hold(&rule, 3000);
    assert_false(lease_rule_answered(&rule, LEASE_DONE, 3100));
    assert_true(lease_rule_is_good(&rule, 6999));
}

static void a_release_waits_for_the_renewal_on_its_way_and_has_an_end(void **state)
{
    struct lease_rule rule = held_at(0);

    (void)state;
    lease_rule_asked(&rule, LEASE_ASK_RENEWAL, 2000);
    lease_rule_release(&rule, 2100);
    assert_false(lease_rule_is_good(&rule, 2100));
    assert_int_equal(lease_rule_next(&rule, 2100), NOTHING);
    assert_false(lease_rule_answered(&rule, LEASE_ANOTHERS, 2200));
    assert_int_equal(lease_rule_next(&rule, 2200), LEASE_ASK_RELEASE);
    lease_rule_asked(&rule, LEASE_ASK_RELEASE, 2200);
    assert_false(lease_rule_answered(&rule, LEASE_DONE, 2300));
    assert_int_equal(rule.state, LEASE_NONE);

    rule = held_at(0);
    lease_rule_release(&rule, 100);
    assert_int_equal(lease_rule_deadline(&rule, false), 100 + LEASE_RELEASE_MS);
    assert_false(lease_rule_expires(&rule, 100 + LEASE_RELEASE_MS)); /* it is not told */
    assert_int_equal(rule.state, LEASE_NONE);
}

FL_TESTS(cmocka_unit_test(it_asks_at_a_third_and_ends_at_two_thirds_of_what_was_asked),
         cmocka_unit_test(a_good_answer_that_waits_does_not_save_one_that_stood_still),
         cmocka_unit_test(a_question_that_is_lost_is_asked_again_before_the_lease_ends),
         cmocka_unit_test(another_holder_ends_it_unless_it_was_taken_back_since),
         cmocka_unit_test(an_old_answer_never_shortens_it),
         cmocka_unit_test(a_release_waits_for_the_renewal_on_its_way_and_has_an_end))
