/* Long work in slices: a turn of the loop has one for all calls. */
#include "controlplane/api/api_state.h"

#include "tests/fl_test.h"

enum { CALLS = 3 };

/* Calls of a front that has nothing else; they are never answered. */
struct world {
    struct api api;
    struct api_call calls[CALLS];
    struct fl_after after;
    struct fl_loop *loop;
    int64_t
        ran_in[CALLS + 1]; /* the turn, by fl_loop_now_us; the last is that in which all began */
    int ran, parts_left;
    size_t order[8]; /* which ran */
    bool loses_one;  /* the peer of the second goes away while it waits */
};

static struct world world;

static void note(struct api_call *call)
{
    size_t i = (size_t)(call - world.calls);

    assert_true(!api_slice_is_over(call)); /* its slice is its own, and has just begun */
    for (size_t k = 0; k < CALLS; k++) {
        assert_true(k == i || world.ran_in[k] != fl_loop_now_us(world.loop));
    }
    world.ran_in[i] = fl_loop_now_us(world.loop);
    world.order[world.ran++] = i;
    if (world.parts_left > 0) {
        world.parts_left--;
        api_later(call, note);
    }
}

static void begin_all(void *ctx)
{
    (void)ctx;
    world.ran_in[CALLS] = fl_loop_now_us(world.loop);
    for (size_t i = 0; i < CALLS; i++) {
        api_in_slices(&world.calls[i], note);
    }
    if (world.loses_one) world.calls[1].request = NULL;
}

static void start(int parts_left)
{
    world = (struct world){.loop = fl_loop_create(), .parts_left = parts_left};
    world.api.parts.loop = world.loop;
    fl_timer_init(&world.api.later, world.loop, api_call_go_on, &world.api);
    for (size_t i = 0; i < CALLS; i++) {
        world.calls[i].api = &world.api;
        world.calls[i].request = (struct http_request *)&world; /* its peer is there */
        api_hold(&world.calls[i]);
    }
    fl_after_init(&world.after, world.loop, begin_all, NULL);
    fl_after_put(&world.after);
}

static void calls_that_come_at_once_have_a_turn_each(void **state)
{
    (void)state;
    start(0);
    while (world.ran < CALLS) {
        fl_loop_turn(world.loop, 10);
    }
    assert_true(world.ran_in[0] == world.ran_in[CALLS]); /* a lone one would not wait either */
    assert_true(world.ran_in[0] < world.ran_in[1] && world.ran_in[1] < world.ran_in[2]);
    fl_loop_destroy(world.loop);
}

static void a_call_with_more_to_do_goes_behind_the_others(void **state)
{
    (void)state;
    start(2); /* the first needs two further slices, and waits for them from its first one on */
    while (world.ran < CALLS + 2) {
        fl_loop_turn(world.loop, 10);
    }
    assert_memory_equal(world.order, ((size_t[]){0, 0, 1, 2, 0}), 5 * sizeof(size_t));
    fl_loop_destroy(world.loop);
}

static void a_call_whose_peer_went_away_costs_no_slice(void **state)
{
    (void)state;
    start(0);
    world.loses_one = true;
    while (world.ran < CALLS - 1) {
        fl_loop_turn(world.loop, 10);
    }
    assert_int_equal(world.ran_in[1], 0);
    assert_true(world.ran_in[2] > 0);
    fl_loop_destroy(world.loop);
}

FL_TESTS(cmocka_unit_test(calls_that_come_at_once_have_a_turn_each),
         cmocka_unit_test(a_call_with_more_to_do_goes_behind_the_others),
         cmocka_unit_test(a_call_whose_peer_went_away_costs_no_slice))
