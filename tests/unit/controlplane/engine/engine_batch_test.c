#include "controlplane/engine/engine_batch.h"

#include "tests/fl_test.h"

static struct engine_batch *batch_with_event(uint64_t request)
{
    struct engine_batch *batch = engine_batch_create(7);
    struct engine_event *event = engine_event_create();

    event->event.request = request;
    event->bytes = 100;
    engine_event_list_push(&batch->kept, event);
    return batch;
}

static void riders_keep_their_order_and_count_as_held(void **state)
{
    struct engine_batch *batch = batch_with_event(1);
    struct engine_event_list events;

    (void)state;
    engine_batch_ride(batch, batch_with_event(2));
    engine_batch_ride(batch, batch_with_event(3));
    assert_true(engine_batch_bytes(batch) >= 300);
    events = engine_batch_take_events(batch);
    for (uint64_t request = 1; request <= 3; request++) {
        struct engine_event *event = engine_event_list_pop(&events);

        assert_int_equal(event->event.request, request);
        engine_event_destroy(event);
    }
    assert_int_equal(events.len, 0);
    assert_int_equal(engine_batch_take_events(batch).len, 0);
    engine_batch_destroy(batch);
}

static void a_batch_goes_with_all_it_holds(void **state)
{
    struct engine_batch *batch = batch_with_event(1);

    (void)state;
    engine_batch_ride(batch, batch_with_event(2));
    engine_batch_ride(batch, batch_with_event(3));
    engine_batch_destroy(batch); /* the sanitizer counts what is left */
    engine_batch_destroy(NULL);
}

static bool counts(enum row_kind kind)
{
    struct core_batch *batch = core_batch_create(1);
    bool is_counted;

    core_batch_row(batch, &(struct row){.kind = ROW_replica_phase, .replica_phase = {.job = 1}});
    core_batch_row(batch, &(struct row){.kind = kind});
    is_counted = engine_batch_is_counted(batch);
    core_batch_destroy(batch);
    return is_counted;
}

static void jobs_and_attempts_are_counted_and_all_else_is_not(void **state)
{
    (void)state;
    assert_true(counts(ROW_job_new) && counts(ROW_job_edit) && counts(ROW_job_end));
    assert_true(counts(ROW_attempt_new) && counts(ROW_attempt_end) && counts(ROW_element_end));
    assert_false(counts(ROW_replica_phase) || counts(ROW_cluster_put) || counts(ROW_audit));
    assert_false(counts(ROW_mark_set) || counts(ROW_attempt_stop));
}

FL_TESTS(cmocka_unit_test(riders_keep_their_order_and_count_as_held),
         cmocka_unit_test(a_batch_goes_with_all_it_holds),
         cmocka_unit_test(jobs_and_attempts_are_counted_and_all_else_is_not))
