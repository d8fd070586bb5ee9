#include "controlplane/engine/engine_event.h"

#include "tests/fl_test.h"

static struct engine_event *event(uint64_t lookup, size_t bytes)
{
    struct engine_event *made = engine_event_create();

    made->event.kind = CORE_EV_read_job;
    made->lookup = lookup;
    made->bytes = bytes;
    return made;
}

static void pop_is(struct engine_event_list *list, uint64_t lookup)
{
    struct engine_event *popped = engine_event_list_pop(list);

    assert_non_null(popped);
    assert_int_equal(popped->lookup, lookup);
    engine_event_destroy(popped);
}

static void a_list_gives_back_in_order_and_counts(void **state)
{
    struct engine_event_list list = {0};

    (void)state;
    engine_event_list_push(&list, event(1, 10));
    engine_event_list_push(&list, event(2, 20));
    assert_int_equal(list.len, 2);
    assert_int_equal(list.bytes, 30);
    pop_is(&list, 1);
    assert_int_equal(list.bytes, 20);
    pop_is(&list, 2);
    assert_null(engine_event_list_pop(&list));
    engine_event_list_push(&list, event(3, 1));
    pop_is(&list, 3);
    assert_int_equal(list.bytes, 0);
}

static void joining_empties_the_other_list(void **state)
{
    struct engine_event_list list = {0};
    struct engine_event_list more = {0};

    (void)state;
    engine_event_list_join(&list, &more);
    engine_event_list_push(&more, event(1, 1));
    engine_event_list_join(&list, &more);
    assert_int_equal(more.len, 0);
    engine_event_list_push(&more, event(2, 1));
    engine_event_list_join(&list, &more);
    engine_event_list_push(&list, event(3, 1));
    assert_int_equal(list.len, 3);
    pop_is(&list, 1);
    pop_is(&list, 2);
    pop_is(&list, 3);
}

static void any_can_be_taken_out_by_its_lookup(void **state)
{
    static const uint64_t orders[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct engine_event_list list = {0};

        for (uint64_t n = 1; n <= 3; n++) {
            engine_event_list_push(&list, event(n, n));
        }
        assert_null(engine_event_list_take(&list, 4));
        for (size_t k = 0; k < 3; k++) {
            struct engine_event *taken = engine_event_list_take(&list, orders[i][k]);

            assert_int_equal(taken->lookup, orders[i][k]);
            engine_event_destroy(taken);
        }
        assert_int_equal(list.bytes, 0);
        engine_event_list_push(&list, event(9, 1)); /* the tail is right after all that */
        engine_event_list_fini(&list);
    }
}

static void work_is_what_an_event_brings(void **state)
{
    struct engine_event *one = event(0, 0);

    (void)state;
    assert_int_equal(engine_event_work(one), 1);
    assert_true(engine_event_is_read(one));
    one->event.kind = CORE_EV_submit;
    one->event.submit.len = 1000;
    assert_int_equal(engine_event_work(one), 1000);
    assert_false(engine_event_is_read(one));
    one->event.submit.is_dry = true;
    assert_true(engine_event_is_read(one));
    assert_int_equal(engine_event_cluster(one).n, 0);
    one->event.kind = CORE_EV_nodes;
    one->event.nodes.cluster.n = 4;
    one->event.nodes.len = 0;
    assert_int_equal(engine_event_work(one), 1);
    assert_int_equal(engine_event_cluster(one).n, 4);
    engine_event_destroy(one);
}

FL_TESTS(cmocka_unit_test(a_list_gives_back_in_order_and_counts),
         cmocka_unit_test(joining_empties_the_other_list),
         cmocka_unit_test(any_can_be_taken_out_by_its_lookup),
         cmocka_unit_test(work_is_what_an_event_brings))
