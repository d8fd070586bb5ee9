#include "controlplane/engine/engine_flights.h"

#include "tests/fl_test.h"

static struct engine_batch *batch_of(uint64_t number, uint64_t request)
{
    struct engine_batch *batch = engine_batch_create(number);
    struct engine_event *event = engine_event_create();

    event->event.request = request;
    event->bytes = 100;
    engine_event_list_push(&batch->kept, event);
    return batch;
}

static void the_oldest_leaves_first_and_the_clock_starts_anew(void **state)
{
    struct engine_flights flights = {0};
    struct engine_batch *batch;

    (void)state;
    assert_null(engine_flights_pop(&flights, 0));
    engine_flights_push(&flights, batch_of(7, 1), 100);
    engine_flights_push(&flights, batch_of(8, 2), 150);
    assert_int_equal(flights.since, 100);
    flights.is_refused = true;
    batch = engine_flights_pop(&flights, 180);
    assert_int_equal(batch->core->number, 7);
    assert_int_equal(flights.since, 180);
    assert_true(flights.is_refused);
    engine_batch_destroy(batch);
    engine_batch_destroy(engine_flights_pop(&flights, 190));
    assert_false(flights.is_refused);
    engine_flights_fini(&flights);
}

static void events_come_back_in_order_with_those_of_riders(void **state)
{
    struct engine_flights flights = {0};
    struct engine_event_list events;

    (void)state;
    engine_flights_push(&flights, batch_of(7, 1), 0);
    engine_flights_push(&flights, batch_of(8, 2), 0);
    engine_flights_ride(&flights, batch_of(8, 3));
    assert_true(engine_flights_bytes(&flights) >= 300);
    events = engine_flights_take_events(&flights);
    assert_int_equal(flights.len, 0);
    for (uint64_t request = 1; request <= 3; request++) {
        struct engine_event *event = engine_event_list_pop(&events);

        assert_int_equal(event->event.request, request);
        engine_event_destroy(event);
    }
    engine_flights_fini(&flights);
}

static void a_batch_is_durable_only_under_its_own_epoch(void **state)
{
    struct engine_batch *batch = batch_of(7, 1);
    struct engine_journal_key others[] = {{7, 4}, {8, 3}};
    struct engine_journal_key own[] = {{6, 3}, {7, 3}};

    (void)state;
    batch->epoch = 3;
    assert_false(engine_batch_is_in(batch, others, 2));
    assert_true(engine_batch_is_in(batch, own, 2));
    engine_batch_destroy(batch);
}

FL_TESTS(cmocka_unit_test(the_oldest_leaves_first_and_the_clock_starts_anew),
         cmocka_unit_test(events_come_back_in_order_with_those_of_riders),
         cmocka_unit_test(a_batch_is_durable_only_under_its_own_epoch))
