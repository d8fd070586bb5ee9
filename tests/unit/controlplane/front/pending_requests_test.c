#include "controlplane/front/pending_requests.h"

#include "tests/fl_test.h"

struct world {
    struct pending_requests *pending;
    uint64_t request; /* the newest event's */
    bool is_full;
    int done;
    enum fl_code code;
};

static bool adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct world *world = ctx;

    world->request = event->event.request;
    engine_event_destroy(event);
    if (world->is_full) return fl_fail(err, FL_FULL, "the inbox is full");
    return true;
}

static void done(void *ctx, const struct core_answer *answer)
{
    struct world *world = ctx;

    world->done++;
    world->code = answer->code;
}

static void begin(struct world *world, uint32_t waiting_max)
{
    struct pending_requests_config config = {.front = 3,
                                             .waiting_max = waiting_max,
                                             .timeout_ms = 100,
                                             .adopt = adopt,
                                             .adopt_ctx = world};

    *world = (struct world){.pending = pending_requests_create(&config)};
}

static bool ask(struct world *world, fl_ms now)
{
    struct fl_err err = {0};

    return pending_requests_send(world->pending, engine_event_create(), now, done, world, &err);
}

static void an_answer_comes_once_and_to_whom_it_belongs(void **state)
{
    struct world world;
    struct core_answer answer = {.code = FL_ABSENT};

    (void)state;
    begin(&world, 4);
    assert_true(ask(&world, 0));
    assert_int_equal(pending_requests_front_of(world.request), 3);
    answer.request = world.request;
    pending_requests_answer(world.pending, &answer);
    assert_int_equal(world.done, 1);
    assert_int_equal(world.code, FL_ABSENT);
    pending_requests_answer(world.pending, &answer); /* the slot is free */
    assert_true(ask(&world, 0));                     /* the slot is another's */
    pending_requests_answer(world.pending, &answer);
    assert_int_equal(world.done, 1);
    pending_requests_destroy(world.pending);
}

static void who_waits_too_long_is_told_so_and_the_late_answer_is_dropped(void **state)
{
    struct world world;
    struct core_answer answer = {.code = FL_OK};

    (void)state;
    begin(&world, 4);
    assert_true(pending_requests_deadline(world.pending) == INT64_MAX);
    assert_true(ask(&world, 0));
    assert_true(ask(&world, 50));
    assert_true(pending_requests_deadline(world.pending) == 100);
    pending_requests_tick(world.pending, 99);
    assert_int_equal(world.done, 0);
    pending_requests_tick(world.pending, 100);
    assert_int_equal(world.done, 1);
    assert_int_equal(world.code, FL_UNAVAILABLE);
    assert_true(pending_requests_deadline(world.pending) == 150);
    pending_requests_tick(world.pending, 150);
    assert_int_equal(world.done, 2);
    answer.request = world.request;
    pending_requests_answer(world.pending, &answer);
    assert_int_equal(world.done, 2);
    pending_requests_destroy(world.pending);
}

static void at_the_limit_and_when_nobody_takes_it_nothing_waits(void **state)
{
    struct world world;

    (void)state;
    begin(&world, 1);
    world.is_full = true;
    assert_false(ask(&world, 0));
    assert_int_equal(pending_requests_waiting(world.pending), 0);
    world.is_full = false;
    assert_true(ask(&world, 0));
    assert_false(ask(&world, 0));
    assert_int_equal(pending_requests_waiting(world.pending), 1);
    pending_requests_destroy(world.pending);
    assert_int_equal(world.done, 0);
}

FL_TESTS(cmocka_unit_test(an_answer_comes_once_and_to_whom_it_belongs),
         cmocka_unit_test(who_waits_too_long_is_told_so_and_the_late_answer_is_dropped),
         cmocka_unit_test(at_the_limit_and_when_nobody_takes_it_nothing_waits))
