#include "controlplane/engine/handover.h"

#include <pthread.h>

#include "shared/io/loop.h"
#include "tests/fl_test.h"

enum { MAX = 4, BYTES_MAX = 4000 };

struct world {
    struct fl_loop *loop;
    struct handover *handover;
    int wakes;
};

static void on_wake(void *ctx)
{
    ((struct world *)ctx)->wakes++;
}

static struct world world(void)
{
    struct world world = {.loop = fl_loop_create()};

    return world;
}

static void begin(struct world *world, size_t events_max, size_t bytes_max)
{
    world->handover = handover_create(world->loop, events_max, bytes_max, on_wake, world);
}

static void end(struct world *world)
{
    handover_destroy(world->handover); /* the sanitizer counts what is left */
    fl_loop_destroy(world->loop);
}

static bool put(struct handover *handover, uint64_t request, size_t bytes, struct fl_err *err)
{
    struct engine_event *event = engine_event_create();

    event->event.request = request;
    if (bytes > 0) fl_arena_alloc(&event->arena, bytes);
    return handover_put(handover, event, err);
}

static void assert_taken(struct engine_event_list list, uint64_t first, size_t len)
{
    struct engine_event *event;

    assert_int_equal(list.len, len);
    while ((event = engine_event_list_pop(&list))) {
        assert_int_equal(event->event.request, first++);
        engine_event_destroy(event);
    }
}

static void what_there_is_no_room_for_is_refused_and_the_rest_keeps_its_order(void **state)
{
    struct world all = world();
    struct fl_err err = {0};

    (void)state;
    begin(&all, MAX, SIZE_MAX);
    for (uint64_t request = 1; request <= MAX; request++) {
        assert_true(put(all.handover, request, 0, &err));
    }
    assert_false(put(all.handover, MAX + 1, 0, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_taken(handover_take(all.handover, 0, SIZE_MAX), 0, 0);
    assert_taken(handover_take(all.handover, 3, SIZE_MAX), 1, 3);
    assert_int_equal(handover_len(all.handover), 1);
    assert_true(put(all.handover, MAX + 1, 0, &err));
    assert_taken(handover_take(all.handover, 9, SIZE_MAX), 4, 2);
    end(&all);
}

static void it_is_full_by_bytes_too_but_one_event_always_fits(void **state)
{
    struct world all = world();
    struct fl_err err = {0};

    (void)state;
    begin(&all, 100, BYTES_MAX);
    assert_true(put(all.handover, 1, 2 * BYTES_MAX, &err));
    assert_false(put(all.handover, 2, 0, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_taken(handover_take(all.handover, 9, 1), 1, 1); /* at least one */
    assert_true(put(all.handover, 2, 0, &err));
    assert_true(put(all.handover, 3, 0, &err));
    assert_taken(handover_take(all.handover, 9, 1), 2, 1);
    assert_taken(handover_take(all.handover, 9, 0), 0, 0);
    end(&all);
}

static void the_end_of_a_session_has_room_always(void **state)
{
    struct world all = world();
    struct engine_event *lost = engine_event_create();
    struct fl_err err = {0};

    (void)state;
    begin(&all, 1, SIZE_MAX);
    assert_true(put(all.handover, 1, 0, &err));
    assert_false(put(all.handover, 2, 0, &err));
    lost->event.kind = CORE_EV_session_lost;
    assert_true(handover_put(all.handover, lost, &err));
    assert_int_equal(handover_len(all.handover), 2);
    handover_close(all.handover);
    lost = engine_event_create();
    lost->event.kind = CORE_EV_session_lost;
    assert_false(handover_put(all.handover, lost, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    end(&all);
}

static void a_loop_that_sleeps_is_woken_once_and_one_that_turns_is_not(void **state)
{
    struct world all = world();
    struct fl_err err = {0};

    (void)state;
    begin(&all, 100, SIZE_MAX);
    assert_true(put(all.handover, 1, 0, &err));
    handover_wake(all.handover);
    fl_loop_turn(all.loop, 0);
    assert_int_equal(all.wakes, 0);
    handover_sleep(all.handover);
    handover_wake(all.handover);
    handover_wake(all.handover);
    fl_loop_turn(all.loop, 1000);
    fl_loop_turn(all.loop, 0);
    assert_int_equal(all.wakes, 1);
    end(&all);
}

static void after_close_nothing_comes_in_and_what_is_there_can_be_taken(void **state)
{
    struct world all = world();
    struct fl_err err = {0};

    (void)state;
    begin(&all, 100, SIZE_MAX);
    assert_true(put(all.handover, 1, 0, &err));
    handover_close(all.handover);
    assert_true(handover_is_closed(all.handover));
    assert_false(put(all.handover, 2, 0, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    fl_loop_turn(all.loop, 1000);
    assert_int_equal(all.wakes, 1);
    assert_taken(handover_take(all.handover, 9, SIZE_MAX), 1, 1);
    end(&all);
}

enum { THREADS = 4, EACH = 5000 };

static void *put_many(void *ctx)
{
    struct world *all = ctx;
    struct fl_err err = {0};

    for (int i = 0; i < EACH;) {
        if (put(all->handover, 1, 0, &err)) i++;
        handover_wake(all->handover);
    }
    return NULL;
}

static void nothing_is_lost_between_threads_and_no_wake_is_missed(void **state)
{
    struct world all = world();
    pthread_t threads[THREADS];
    size_t got = 0;

    (void)state;
    begin(&all, 64, SIZE_MAX);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, &all), 0);
    }
    while (got < (size_t)THREADS * EACH) {
        struct engine_event_list list = handover_take(all.handover, 50, SIZE_MAX);

        got += list.len;
        engine_event_list_fini(&list);
        handover_sleep(all.handover);
        if (handover_len(all.handover) > 0 || got == (size_t)THREADS * EACH) continue;
        all.wakes = 0;
        fl_loop_turn(all.loop, 10000);
        assert_int_equal(all.wakes, 1); /* else it slept for 10 s */
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    end(&all);
}

FL_TESTS(cmocka_unit_test(what_there_is_no_room_for_is_refused_and_the_rest_keeps_its_order),
         cmocka_unit_test(it_is_full_by_bytes_too_but_one_event_always_fits),
         cmocka_unit_test(the_end_of_a_session_has_room_always),
         cmocka_unit_test(a_loop_that_sleeps_is_woken_once_and_one_that_turns_is_not),
         cmocka_unit_test(after_close_nothing_comes_in_and_what_is_there_can_be_taken),
         cmocka_unit_test(nothing_is_lost_between_threads_and_no_wake_is_missed))
