#include "shared/link/flow.h"

#include "shared/base/prng.h"
#include "shared/base/vec.h"
#include "shared/wire/frame.h"
#include "tests/fl_test.h"

static struct fl_flow_limits small_limits(void)
{
    return (struct fl_flow_limits){.stream_bytes = 100,
                                   .stream_bytes_max = 800,
                                   .tunnel_bytes = 1000,
                                   .tunnel_bytes_max = 4000,
                                   .growth_bytes_max = 900,
                                   .control_bytes_max = 50,
                                   .streams_max = 4};
}

static struct fl_flow *with_streams(uint32_t len)
{
    struct fl_flow_limits limits = small_limits();
    struct fl_flow *flow = fl_flow_create(&limits, 0);

    for (uint32_t i = 1; i <= len; i++) {
        assert_true(fl_flow_open(flow, i, 0, NULL));
    }
    return flow;
}

static void expect_due(struct fl_flow *flow, fl_ms now, uint32_t stream, uint32_t bytes)
{
    struct fl_flow_credit credit = {99, 99};

    assert_true(fl_flow_due(flow, now, &credit));
    assert_int_equal(credit.stream, stream);
    assert_int_equal(credit.bytes, bytes);
}

static void expect_none_due(struct fl_flow *flow, fl_ms now)
{
    struct fl_flow_credit credit;

    assert_false(fl_flow_due(flow, now, &credit));
}

/* ---- opening --------------------------------------------------------------------------------- */

static void streams_open_once_up_to_the_limit_and_never_as_control(void **state)
{
    struct fl_flow *flow = with_streams(3);
    struct fl_err err = {0};

    (void)state;
    assert_false(fl_flow_open(flow, 2, 0, &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_false(fl_flow_open(flow, 0, 0, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_true(fl_flow_open(flow, UINT32_MAX, 0, &err));
    assert_false(fl_flow_open(flow, 5, 0, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_string_equal(err.text, "all 4 streams are open");
    fl_flow_close(flow, 2);
    fl_flow_close(flow, 2);
    assert_true(fl_flow_open(flow, 5, 0, &err));
    fl_flow_destroy(flow);
    fl_flow_destroy(NULL);
}

static void a_tunnel_carries_1024_streams(void **state)
{
    struct fl_flow_limits limits = fl_flow_limits();
    struct fl_flow *flow = fl_flow_create(&limits, 0);
    struct fl_err err = {0};

    (void)state;
    for (uint32_t i = 1; i <= 1024; i++) {
        assert_true(fl_flow_open(flow, i * 7, 0, &err));
    }
    assert_false(fl_flow_open(flow, 1, 0, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_int_equal(fl_flow_window(flow, 7), 256 << 10);
    assert_int_equal(fl_flow_window(flow, 0), 4 << 20);
    fl_flow_destroy(flow);
}

/* ---- sending --------------------------------------------------------------------------------- */

static void a_stream_sends_what_it_has_credit_for(void **state)
{
    struct fl_flow *flow = with_streams(2);

    (void)state;
    assert_int_equal(fl_flow_may_send(flow, 1), 100);
    assert_int_equal(fl_flow_sent(flow, 1, 60), 1);
    assert_int_equal(fl_flow_sent(flow, 1, 40), 2);
    assert_int_equal(fl_flow_may_send(flow, 1), 0);
    assert_int_equal(fl_flow_may_send(flow, 2), 100);
    assert_int_equal(fl_flow_may_send(flow, 3), 0); /* not open */
    assert_true(fl_flow_granted(flow, 1, 30, NULL));
    assert_int_equal(fl_flow_may_send(flow, 1), 30);
    assert_int_equal(fl_flow_sent(flow, 1, 30), 3);
    assert_int_equal(fl_flow_sent(flow, 2, 1), 1);
    fl_flow_destroy(flow);
}

static void the_tunnel_limits_all_streams_together(void **state)
{
    struct fl_flow *flow = with_streams(2);

    (void)state;
    assert_true(fl_flow_granted(flow, 1, 5000, NULL));
    fl_flow_sent(flow, 1, 990);
    assert_int_equal(fl_flow_may_send(flow, 1), 10);
    assert_int_equal(fl_flow_may_send(flow, 2), 10);
    assert_true(fl_flow_granted(flow, 0, 300000, NULL));
    assert_int_equal(fl_flow_may_send(flow, 2), 100);
    assert_true(fl_flow_granted(flow, 1, 300000, NULL));
    assert_int_equal(fl_flow_may_send(flow, 1), FL_FRAME_PAYLOAD_MAX); /* a frame takes no more */
    fl_flow_destroy(flow);
}

static void send_too_much(void *flow)
{
    fl_flow_sent(flow, 1, 101);
}

static void send_nothing(void *flow)
{
    fl_flow_sent(flow, 1, 0);
}

static void sending_without_credit_is_a_bug(void **state)
{
    struct fl_flow *flow = with_streams(1);

    (void)state;
    assert_true(fl_test_aborts(send_too_much, flow));
    assert_true(fl_test_aborts(send_nothing, flow));
    fl_flow_destroy(flow);
}

static void credit_without_end_is_refused(void **state)
{
    struct fl_flow *flow = with_streams(1);
    struct fl_err err = {0};

    (void)state;
    assert_true(fl_flow_granted(flow, 1, FL_FLOW_CREDIT_MAX - 100, &err));
    assert_false(fl_flow_granted(flow, 1, 1, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_string_equal(err.text, "CREDIT on stream 1: over 1073741824 bytes in all");
    assert_false(fl_flow_granted(flow, 0, UINT32_MAX, &err));
    assert_true(fl_flow_granted(flow, 77, UINT32_MAX, &err)); /* closed already */
    fl_flow_destroy(flow);
}

static void streams_take_turns_and_control_goes_first(void **state)
{
    struct fl_flow *flow = with_streams(3);
    struct fl_flow_turn turn = {0};
    char order[64] = "";

    (void)state;
    assert_false(fl_flow_turn(flow, &turn));
    fl_flow_wants(flow, 1, 250);
    fl_flow_wants(flow, 3, 150);
    fl_flow_wants(flow, 9, 150); /* not open: ignored */
    for (int i = 0; fl_flow_turn(flow, &turn); i++) {
        size_t len = strlen(order);

        snprintf(order + len, sizeof order - len, "%u:%u ", turn.stream, turn.bytes);
        if (turn.stream == 0) {
            fl_flow_control_written(flow, turn.bytes);
        } else {
            fl_flow_sent(flow, turn.stream, turn.bytes < 60 ? turn.bytes : 60);
        }
        if (i == 1) assert_true(fl_flow_control_put(flow, 20, NULL));
    }
    assert_string_equal(order, "1:100 3:100 0:20 1:40 3:40 ");
    assert_true(fl_flow_granted(flow, 1, 1000, NULL));
    assert_true(fl_flow_turn(flow, &turn));
    assert_int_equal(turn.bytes, 150); /* all that waits */
    fl_flow_destroy(flow);
}

static void control_needs_no_credit_but_has_a_limit_of_its_own(void **state)
{
    struct fl_flow *flow = with_streams(1);
    struct fl_flow_turn turn;
    struct fl_err err = {0};

    (void)state;
    assert_true(fl_flow_granted(flow, 1, 5000, NULL));
    fl_flow_sent(flow, 1, 1000); /* the tunnel has no credit left */
    fl_flow_wants(flow, 1, 1);
    assert_false(fl_flow_turn(flow, &turn));
    assert_true(fl_flow_control_put(flow, 30, &err));
    assert_true(fl_flow_control_put(flow, 20, &err));
    assert_false(fl_flow_control_put(flow, 1, &err));
    assert_int_equal(err.code, FL_FULL);
    assert_string_equal(err.text, "50 bytes of control wait, 1 more are too many");
    assert_true(fl_flow_turn(flow, &turn));
    assert_int_equal(turn.stream, 0);
    assert_int_equal(turn.bytes, 50);
    fl_flow_control_written(flow, 50);
    assert_false(fl_flow_turn(flow, &turn));
    fl_flow_destroy(flow);
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void a_stream_gets_credit_when_its_sink_has_taken_a_quarter_of_its_window(void **state)
{
    struct fl_flow *flow = with_streams(1);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 100), FL_FLOW_TAKE);
    assert_int_equal(fl_flow_held(flow), 100);
    expect_none_due(flow, 0);
    fl_flow_consumed(flow, 1, 24);
    expect_none_due(flow, 0);
    fl_flow_consumed(flow, 1, 1);
    fl_flow_consumed(flow, 1, 10);
    expect_due(flow, 0, 1, 35);
    expect_none_due(flow, 0);
    assert_int_equal(fl_flow_held(flow), 65);
    assert_int_equal(fl_flow_received(flow, 1, 2, 35), FL_FLOW_TAKE);
    fl_flow_consumed(flow, 1, 100);
    expect_due(flow, 0, 1, 100);
    fl_flow_destroy(flow);
}

static void the_tunnel_gets_credit_at_once_whatever_the_sinks_do(void **state)
{
    struct fl_flow *flow = with_streams(4);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 100), FL_FLOW_TAKE);
    assert_int_equal(fl_flow_received(flow, 2, 1, 100), FL_FLOW_TAKE);
    assert_int_equal(fl_flow_received(flow, 3, 1, 49), FL_FLOW_TAKE);
    expect_none_due(flow, 0);
    assert_int_equal(fl_flow_received(flow, 4, 1, 100), FL_FLOW_TAKE);
    expect_due(flow, 0, 0, 349);
    expect_none_due(flow, 0);
    fl_flow_destroy(flow);
}

static void bytes_for_a_closed_stream_are_dropped_and_cost_the_tunnel_only(void **state)
{
    struct fl_flow *flow = with_streams(1);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 60), FL_FLOW_TAKE);
    fl_flow_consumed(flow, 1, 60); /* due, but then: */
    fl_flow_close(flow, 1);
    expect_none_due(flow, 0);
    fl_flow_consumed(flow, 1, 40);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(fl_flow_received(flow, 1, 2 + i, 20), FL_FLOW_DROP);
    }
    expect_due(flow, 0, 0, 260);
    fl_flow_destroy(flow);
}

static void who_sends_without_credit_loses_the_stream_and_then_the_tunnel(void **state)
{
    struct fl_flow *flow = with_streams(3);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 101), FL_FLOW_CLOSE_STREAM);
    assert_int_equal(fl_flow_window(flow, 1), 0);
    assert_int_equal(fl_flow_received(flow, 1, 2, 1), FL_FLOW_DROP);
    assert_int_equal(fl_flow_received(flow, 2, 1, 100), FL_FLOW_TAKE);
    assert_int_equal(fl_flow_received(flow, 2, 2, 1), FL_FLOW_CLOSE_TUNNEL);
    fl_flow_destroy(flow);
}

static void a_gap_and_an_empty_frame_cost_the_same(void **state)
{
    struct fl_flow *flow = with_streams(3);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 1), FL_FLOW_TAKE);
    assert_int_equal(fl_flow_received(flow, 1, 3, 1), FL_FLOW_CLOSE_STREAM);
    assert_int_equal(fl_flow_received(flow, 2, 1, 0), FL_FLOW_CLOSE_TUNNEL);
    fl_flow_destroy(flow);
}

static void passing_the_tunnels_credit_is_a_breach_too(void **state)
{
    struct fl_flow_limits limits = small_limits();
    struct fl_flow *flow;

    (void)state;
    limits.stream_bytes = limits.stream_bytes_max = 2000;
    flow = fl_flow_create(&limits, 0);
    assert_true(fl_flow_open(flow, 1, 0, NULL));
    assert_int_equal(fl_flow_received(flow, 1, 1, 1001), FL_FLOW_CLOSE_STREAM);
    assert_int_equal(fl_flow_received(flow, 9, 1, 1), FL_FLOW_CLOSE_TUNNEL);
    fl_flow_destroy(flow);
}

static void consume_too_much(void *flow)
{
    fl_flow_consumed(flow, 1, 11);
}

static void consuming_more_than_was_received_is_a_bug(void **state)
{
    struct fl_flow *flow = with_streams(1);

    (void)state;
    assert_int_equal(fl_flow_received(flow, 1, 1, 10), FL_FLOW_TAKE);
    assert_true(fl_test_aborts(consume_too_much, flow));
    fl_flow_destroy(flow);
}

/* ---- growing --------------------------------------------------------------------------------- */

/* A whole window goes through stream 'id' in 'took_ms'. */
static void pump(struct fl_flow *flow, uint32_t id, uint32_t *sequence, fl_ms *now, fl_ms took_ms)
{
    struct fl_flow_credit credit;
    uint32_t bytes = fl_flow_window(flow, id);

    *now += took_ms;
    assert_int_equal(fl_flow_received(flow, id, ++*sequence, bytes), FL_FLOW_TAKE);
    fl_flow_consumed(flow, id, bytes);
    while (fl_flow_due(flow, *now, &credit)) {
        assert_true(credit.bytes > 0);
    }
}

static void a_window_that_is_used_up_within_two_round_trips_doubles_up_to_its_maximum(void **state)
{
    struct fl_flow *flow = with_streams(1);
    uint32_t sequence = 0;
    fl_ms now = 0;

    (void)state;
    pump(flow, 1, &sequence, &now, 1); /* the round trip is not known yet */
    assert_int_equal(fl_flow_window(flow, 1), 100);
    fl_flow_rtt(flow, 40);
    pump(flow, 1, &sequence, &now, 80); /* slow: the window is not what holds it back */
    assert_int_equal(fl_flow_window(flow, 1), 100);
    pump(flow, 1, &sequence, &now, 79);
    assert_int_equal(fl_flow_window(flow, 1), 200);
    for (int i = 0; i < 5; i++) {
        pump(flow, 1, &sequence, &now, 20);
    }
    assert_int_equal(fl_flow_window(flow, 1), 800);
    assert_true(fl_flow_window(flow, 0) > 1000);
    for (int i = 0; i < 50; i++) {
        pump(flow, 1, &sequence, &now, 1);
    }
    assert_int_equal(fl_flow_window(flow, 1), 800);
    assert_int_equal(fl_flow_window(flow, 0), 4000);
    fl_flow_destroy(flow);
}

static void all_streams_share_one_growth_and_give_it_back(void **state)
{
    struct fl_flow *flow = with_streams(3);
    uint32_t sequence[4] = {0};
    fl_ms now = 0;

    (void)state;
    fl_flow_rtt(flow, 1000);
    for (int i = 0; i < 5; i++) {
        for (uint32_t id = 1; id <= 3; id++) {
            pump(flow, id, &sequence[id], &now, 1);
        }
    }
    assert_int_equal(fl_flow_window(flow, 1), 400);
    assert_int_equal(fl_flow_window(flow, 2), 400);
    assert_int_equal(fl_flow_window(flow, 3), 400); /* 900 more than 3 * 100, in all */
    fl_flow_close(flow, 2);
    pump(flow, 3, &sequence[3], &now, 1);
    assert_int_equal(fl_flow_window(flow, 3), 700);
    fl_flow_destroy(flow);
}

/* ---- both ends, with a distance between them ------------------------------------------------- */

enum { RATE_BYTES_MS = 40000, ONE_WAY_MS = 50, SECONDS = 6, STREAMS = 64, STALLED = 13 };

struct flying {
    fl_ms at;
    uint32_t stream, sequence, bytes;
};

struct flying_list {
    struct flying *at;
    size_t len, cap;
};

struct pair {
    struct fl_flow *near, *far; /* near sends, far receives */
    struct flying_list frames, credits;
    size_t frames_pos, credits_pos;
    uint64_t got[STREAMS + 1];
    uint64_t held_most;
};

/* All that happens within one millisecond. */
static void turn_of_pair(struct pair *pair, fl_ms now, uint32_t streams)
{
    uint32_t budget = RATE_BYTES_MS;
    struct fl_flow_turn turn;
    struct fl_flow_credit credit;
    struct fl_err err;

    for (uint32_t id = 1; id <= streams; id++) {
        fl_flow_wants(pair->near, id, 1 << 20);
    }
    while (budget && fl_flow_turn(pair->near, &turn)) {
        uint32_t bytes = turn.bytes < budget ? turn.bytes : budget;

        bytes = bytes < 8192 ? bytes : 8192;
        budget -= bytes;
        fl_vec_push(&pair->frames,
                    (struct flying){now + ONE_WAY_MS, turn.stream,
                                    fl_flow_sent(pair->near, turn.stream, bytes), bytes});
    }
    for (; pair->frames_pos < pair->frames.len && pair->frames.at[pair->frames_pos].at <= now;
         pair->frames_pos++) {
        struct flying *frame = &pair->frames.at[pair->frames_pos];

        assert_int_equal(fl_flow_received(pair->far, frame->stream, frame->sequence, frame->bytes),
                         FL_FLOW_TAKE);
        pair->got[frame->stream] += frame->bytes;
        if (fl_flow_held(pair->far) > pair->held_most) pair->held_most = fl_flow_held(pair->far);
        if (frame->stream != STALLED) fl_flow_consumed(pair->far, frame->stream, frame->bytes);
    }
    while (fl_flow_due(pair->far, now, &credit)) {
        fl_vec_push(&pair->credits,
                    (struct flying){now + ONE_WAY_MS, credit.stream, 0, credit.bytes});
    }
    for (; pair->credits_pos < pair->credits.len && pair->credits.at[pair->credits_pos].at <= now;
         pair->credits_pos++) {
        struct flying *back = &pair->credits.at[pair->credits_pos];

        assert_true(fl_flow_granted(pair->near, back->stream, back->bytes, &err));
    }
}

/* Returns what arrived in the last third, of all streams, in bytes a millisecond. */
static uint64_t run_pair(struct pair *pair, uint32_t streams, fl_ms rtt_ms)
{
    struct fl_flow_limits limits = fl_flow_limits();
    uint64_t sum = 0;

    *pair = (struct pair){.near = fl_flow_create(&limits, 0), .far = fl_flow_create(&limits, 0)};
    fl_flow_rtt(pair->far, rtt_ms);
    for (uint32_t id = 1; id <= streams; id++) {
        assert_true(fl_flow_open(pair->near, id, 0, NULL) && fl_flow_open(pair->far, id, 0, NULL));
    }
    for (fl_ms now = 0; now < SECONDS * 1000; now++) {
        if (now == SECONDS * 1000 * 2 / 3) memset(pair->got, 0, sizeof pair->got);
        turn_of_pair(pair, now, streams);
    }
    for (uint32_t id = 1; id <= streams; id++) {
        sum += pair->got[id];
    }
    return sum / (SECONDS * 1000 / 3);
}

static void end_pair(struct pair *pair)
{
    fl_flow_destroy(pair->near);
    fl_flow_destroy(pair->far);
    fl_vec_fini(&pair->frames);
    fl_vec_fini(&pair->credits);
}

static void a_stalled_stream_among_64_costs_only_itself(void **state)
{
    struct pair solo, pair;
    uint64_t alone = run_pair(&solo, STALLED - 1, 2 * ONE_WAY_MS);
    uint64_t rate = run_pair(&pair, STREAMS, 2 * ONE_WAY_MS);
    uint64_t share = (uint64_t)RATE_BYTES_MS * SECONDS * 1000 / 3 / (STREAMS - 1);

    (void)state;
    assert_true(alone >= RATE_BYTES_MS * 95 / 100);
    assert_true(rate >= alone * 95 / 100);
    for (uint32_t id = 1; id <= STREAMS; id++) {
        if (id == STALLED) continue;
        assert_in_range(pair.got[id], share * 9 / 10, share * 11 / 10);
    }
    assert_int_equal(pair.got[STALLED], 0);
    assert_int_equal(fl_flow_may_send(pair.near, STALLED), 0);
    assert_int_equal(fl_flow_held(pair.far),
                     FL_FLOW_STREAM_BYTES); /* its window, and no byte more */
    assert_true(pair.held_most <= FL_FLOW_STREAM_BYTES + RATE_BYTES_MS * 2);
    end_pair(&solo);
    end_pair(&pair);
}

static void a_long_way_is_filled_by_growing_windows(void **state)
{
    struct pair fixed, growing;
    uint64_t slow = run_pair(&fixed, 1, 0);
    uint64_t fast = run_pair(&growing, 1, 2 * ONE_WAY_MS);

    (void)state;
    /* A window each round trip; up to a quarter of it may be on its way back. */
    assert_in_range(slow, FL_FLOW_STREAM_BYTES * 3 / 4 / 100, FL_FLOW_STREAM_BYTES / 100);
    assert_in_range(fast, FL_FLOW_STREAM_BYTES_MAX * 3 / 4 / 100, FL_FLOW_STREAM_BYTES_MAX / 100);
    end_pair(&fixed);
    end_pair(&growing);
}

/* However much is sent and consumed, an honest pair never breaks a rule, never locks up and never
 * holds more than the formula in flow.h. */
static void honest_ends_never_break_a_rule(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct fl_flow *near = with_streams(3), *far = with_streams(3);
        struct fl_prng prng;
        uint32_t backlog[4] = {0};
        uint64_t sent = 0;

        fl_prng_seed(&prng, seed);
        fl_flow_rtt(far, fl_prng_between(&prng, 0, 30));
        for (fl_ms now = 0; now < 1000; now++) {
            uint32_t id = (uint32_t)fl_prng_between(&prng, 1, 3);
            uint32_t may = fl_flow_may_send(near, id);
            struct fl_flow_credit credit;

            if (may) {
                uint32_t bytes = (uint32_t)fl_prng_between(&prng, 1, may);

                assert_int_equal(fl_flow_received(far, id, fl_flow_sent(near, id, bytes), bytes),
                                 FL_FLOW_TAKE);
                backlog[id] += bytes;
                sent += bytes;
            }
            id = (uint32_t)fl_prng_between(&prng, 1, 3);
            if (backlog[id]) {
                uint32_t bytes = (uint32_t)fl_prng_between(&prng, 1, backlog[id]);

                backlog[id] -= bytes;
                fl_flow_consumed(far, id, bytes);
            }
            while (fl_flow_due(far, now, &credit)) {
                assert_true(fl_flow_granted(near, credit.stream, credit.bytes, NULL));
            }
            assert_int_equal(fl_flow_held(far), backlog[1] + backlog[2] + backlog[3]);
            assert_true(fl_flow_held(far) <= 3 * 100 + 900);
        }
        assert_true(sent > 3000);
        for (uint32_t id = 1; id <= 3; id++) { /* and when all is consumed, all may send again */
            struct fl_flow_credit credit;

            fl_flow_consumed(far, id, backlog[id]);
            while (fl_flow_due(far, 5000, &credit)) {
                assert_true(fl_flow_granted(near, credit.stream, credit.bytes, NULL));
            }
            assert_true(fl_flow_may_send(near, id) > 0);
        }
        fl_flow_destroy(near);
        fl_flow_destroy(far);
    }
}

FL_TESTS(
    cmocka_unit_test(streams_open_once_up_to_the_limit_and_never_as_control),
    cmocka_unit_test(a_tunnel_carries_1024_streams),
    cmocka_unit_test(a_stream_sends_what_it_has_credit_for),
    cmocka_unit_test(the_tunnel_limits_all_streams_together),
    cmocka_unit_test(sending_without_credit_is_a_bug),
    cmocka_unit_test(credit_without_end_is_refused),
    cmocka_unit_test(streams_take_turns_and_control_goes_first),
    cmocka_unit_test(control_needs_no_credit_but_has_a_limit_of_its_own),
    cmocka_unit_test(a_stream_gets_credit_when_its_sink_has_taken_a_quarter_of_its_window),
    cmocka_unit_test(the_tunnel_gets_credit_at_once_whatever_the_sinks_do),
    cmocka_unit_test(bytes_for_a_closed_stream_are_dropped_and_cost_the_tunnel_only),
    cmocka_unit_test(who_sends_without_credit_loses_the_stream_and_then_the_tunnel),
    cmocka_unit_test(a_gap_and_an_empty_frame_cost_the_same),
    cmocka_unit_test(passing_the_tunnels_credit_is_a_breach_too),
    cmocka_unit_test(consuming_more_than_was_received_is_a_bug),
    cmocka_unit_test(a_window_that_is_used_up_within_two_round_trips_doubles_up_to_its_maximum),
    cmocka_unit_test(all_streams_share_one_growth_and_give_it_back),
    cmocka_unit_test(a_stalled_stream_among_64_costs_only_itself),
    cmocka_unit_test(a_long_way_is_filled_by_growing_windows),
    cmocka_unit_test(honest_ends_never_break_a_rule))
