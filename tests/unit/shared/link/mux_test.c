#include "shared/link/mux.h"

#include <stdlib.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { STREAMS = 4 };

/* One end's output and input on a stream: bytes whose values give their place. */
struct source {
    uint32_t stream;
    uint64_t sent, total;
};

struct sink {
    uint32_t stream;
    uint64_t got, held;
    bool is_stalled, is_closed;
};

struct end {
    struct fl_mux *mux;
    struct fl_buf out;
    size_t out_pos;
    struct source sources[STREAMS];
    struct sink sinks[STREAMS];
    size_t sinks_len;
    uint64_t pulled_max; /* 0: as much as may */
    size_t messages;     /* START, REPLICA */
    uint64_t last_seq;
    enum fl_link_answer answer;
    struct fl_err err;
};

struct pair {
    struct end hub, agent;
    struct fl_prng prng;
    fl_ms now;
    size_t cut_max;
};

static uint8_t byte_at(uint32_t stream, uint64_t place)
{
    return (uint8_t)(stream * 31 + place * 7 + (place >> 8));
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct end *end = ctx;

    for (size_t i = 0; i < STREAMS; i++) {
        struct source *source = &end->sources[i];
        size_t len = bytes_max;

        if (source->stream != stream) continue;
        if (source->total - source->sent < len) len = source->total - source->sent;
        if (end->pulled_max && end->pulled_max < len) len = end->pulled_max;
        for (size_t b = 0; b < len; b++) {
            at[b] = byte_at(stream, source->sent + b);
        }
        source->sent += len;
        return len;
    }
    return 0;
}

static void put_hello(struct end *end)
{
    fl_mux_put(end->mux, &(struct fl_msg){.kind = FL_MSG_hello,
                                          .hello = {.protocol_min = FL_PROTOCOL_MIN,
                                                    .protocol_max = FL_PROTOCOL_MAX,
                                                    .cluster_uid = FL_STR("uid"),
                                                    .version = FL_STR("test"),
                                                    .capabilities = FL_STR("[]")}});
}

static void put_welcome(struct pair *pair, uint32_t stream_bytes, uint32_t tunnel_bytes)
{
    assert_int_equal(fl_mux_step(pair->hub.mux, FL_LINK_EV_welcome, pair->now), FL_LINK_DO_WAIT);
    fl_mux_put(pair->hub.mux, &(struct fl_msg){.kind = FL_MSG_welcome,
                                               .welcome = {.protocol = 1,
                                                           .session_epoch = 1,
                                                           .ping_ms = 10000,
                                                           .dead_ms = 30000,
                                                           .stream_credit_bytes = stream_bytes,
                                                           .tunnel_credit_bytes = tunnel_bytes,
                                                           .capabilities = FL_STR("[]")}});
}

static void init_end(struct end *end, enum fl_link_side side, struct fl_flow_limits limits)
{
    struct fl_mux_config config = {.side = side,
                                   .flow = limits,
                                   .seed = 7,
                                   .ping_ms = 10000,
                                   .dead_ms = 30000,
                                   .ctx = end,
                                   .pull = pull};

    end->mux = fl_mux_create(&config, 0);
    fl_buf_init(&end->out, 64 << 20);
}

static void fini(struct pair *pair)
{
    fl_mux_destroy(pair->hub.mux);
    fl_mux_destroy(pair->agent.mux);
    fl_buf_fini(&pair->hub.out);
    fl_buf_fini(&pair->agent.out);
}

static struct sink *sink_of(struct end *end, uint32_t stream)
{
    for (size_t i = 0; i < end->sinks_len; i++) {
        if (end->sinks[i].stream == stream) return &end->sinks[i];
    }
    assert_true(end->sinks_len < STREAMS);
    end->sinks[end->sinks_len].stream = stream;
    return &end->sinks[end->sinks_len++];
}

static void take_data(struct end *end, const struct fl_mux_item *item)
{
    struct sink *sink = sink_of(end, item->stream);

    assert_int_equal(item->is_new, sink->got == 0);
    assert_false(sink->is_closed);
    for (size_t b = 0; b < item->bytes.len; b++) {
        assert_int_equal((uint8_t)item->bytes.at[b], byte_at(item->stream, sink->got + b));
    }
    sink->got += item->bytes.len;
    if (sink->is_stalled) {
        sink->held += item->bytes.len;
    } else {
        fl_mux_consumed(end->mux, item->stream, (uint32_t)item->bytes.len);
    }
}

static void take_message(struct end *end, const struct fl_msg *msg)
{
    uint64_t seq = msg->kind == FL_MSG_go ? msg->go.control_seq : msg->replica.report_seq;

    assert_true(msg->kind == FL_MSG_go || msg->kind == FL_MSG_replica);
    assert_int_equal(seq, end->last_seq + 1);
    end->last_seq = seq;
    end->messages++;
}

static void take_bytes(struct pair *pair, struct end *end, struct fl_str bytes)
{
    struct fl_mux_item item;

    while (fl_mux_receive(end->mux, &bytes, pair->now, &item, &end->err)) {
        switch (item.kind) {
        case FL_MUX_ANSWER:
            end->answer = item.answer;
            if (item.answer == FL_LINK_DO_GREET) {
                assert_int_equal(item.messages->kind, FL_MSG_hello);
            }
            if (item.answer == FL_LINK_DO_BEGIN) {
                assert_int_equal(item.messages->kind, FL_MSG_welcome);
            }
            break;
        case FL_MUX_MESSAGE:
            for (size_t i = 0; i < item.messages_len; i++) {
                take_message(end, &item.messages[i]);
            }
            break;
        case FL_MUX_DATA:
            take_data(end, &item);
            break;
        case FL_MUX_CLOSED:
            sink_of(end, item.stream)->is_closed = true;
            break;
        }
    }
}

/* One turn of one direction: the bytes that may go are sent, in pieces cut anywhere. */
static size_t carry(struct pair *pair, struct end *from, struct end *to)
{
    size_t wrote;

    if (from->out_pos == from->out.len) {
        fl_buf_clear(&from->out);
        from->out_pos = 0;
    }
    wrote = fl_mux_write(from->mux, pair->now, &from->out);
    assert_true(wrote <= FL_MUX_WRITE_BYTES_MAX);
    while (from->out_pos < from->out.len) {
        size_t left = from->out.len - from->out_pos;
        size_t len =
            pair->cut_max ? (size_t)fl_prng_between(&pair->prng, 1, (int64_t)pair->cut_max) : left;
        char *piece;

        if (len > left) len = left;
        piece = malloc(len); /* so that AddressSanitizer sees who reads past its end */
        assert_non_null(piece);
        memcpy(piece, from->out.at + from->out_pos, len);
        take_bytes(pair, to, (struct fl_str){piece, len});
        free(piece);
        from->out_pos += len;
    }
    return wrote;
}

static void settle(struct pair *pair)
{
    for (int i = 0; i < 100000; i++) {
        if (carry(pair, &pair->hub, &pair->agent) + carry(pair, &pair->agent, &pair->hub) == 0) {
            return;
        }
    }
    fail_msg("the two never come to rest");
}

/* Both are up. */
static void greet(struct pair *pair, struct fl_flow_limits limits, size_t cut_max)
{
    memset(pair, 0, sizeof *pair);
    fl_prng_seed(&pair->prng, 1);
    pair->cut_max = cut_max;
    init_end(&pair->hub, FL_LINK_HUB, limits);
    init_end(&pair->agent, FL_LINK_AGENT, fl_flow_limits());
    assert_int_equal(fl_mux_step(pair->agent.mux, FL_LINK_EV_tick, 0), FL_LINK_DO_DIAL);
    assert_int_equal(fl_mux_step(pair->agent.mux, FL_LINK_EV_opened, 0), FL_LINK_DO_HELLO);
    put_hello(&pair->agent);
    settle(pair);
    assert_int_equal(pair->hub.answer, FL_LINK_DO_GREET);
    put_welcome(pair, limits.stream_bytes, limits.tunnel_bytes);
    settle(pair);
    assert_int_equal(pair->agent.answer, FL_LINK_DO_BEGIN);
    assert_int_equal(fl_mux_link(pair->agent.mux)->state, FL_LINK_UP);
    assert_int_equal(fl_mux_link(pair->hub.mux)->state, FL_LINK_UP);
}

static void begin_source(struct pair *pair, struct end *end, size_t i, uint64_t total)
{
    struct fl_err err = {0};

    assert_true(fl_mux_open(end->mux, FL_FRAME_LOG, pair->now, &end->sources[i].stream, &err));
    end->sources[i].total = total;
    fl_mux_wants(end->mux, end->sources[i].stream, total);
}

static void put_go(struct end *end, uint64_t seq)
{
    fl_mux_put(end->mux, &(struct fl_msg){.kind = FL_MSG_go,
                                          .go = {.control_seq = seq, .attempt = {{1}, 0, 1, 1}}});
}

static struct fl_flow_limits small_limits(void)
{
    struct fl_flow_limits limits = fl_flow_limits();

    limits.stream_bytes = 20000;
    limits.tunnel_bytes = 100000;
    return limits;
}

static void two_ends_greet_and_talk_however_the_bytes_are_cut(void **state)
{
    size_t cuts[] = {0, 1, 7, 4096};

    (void)state;
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        struct pair pair;

        greet(&pair, fl_flow_limits(), cuts[c]);
        for (uint64_t seq = 1; seq <= 500; seq++) {
            put_go(&pair.hub, seq);
        }
        settle(&pair);
        assert_int_equal(pair.agent.messages, 500);
        assert_int_equal(fl_mux_control_bytes(pair.hub.mux), 0);
        assert_false(fl_mux_has_output(pair.hub.mux));
        fini(&pair);
    }
}

static void streams_of_both_ends_arrive_whole_and_in_order(void **state)
{
    struct pair pair;

    (void)state;
    greet(&pair, small_limits(), 5000);
    for (size_t i = 0; i < STREAMS; i++) {
        begin_source(&pair, &pair.agent, i, 300000 + i);
        begin_source(&pair, &pair.hub, i, 200000 + i);
        assert_int_equal(pair.agent.sources[i].stream, 1 + 2 * i);
        assert_int_equal(pair.hub.sources[i].stream, 2 + 2 * i);
    }
    settle(&pair);
    for (size_t i = 0; i < STREAMS; i++) {
        assert_int_equal(sink_of(&pair.hub, (uint32_t)(1 + 2 * i))->got, 300000 + i);
        assert_int_equal(sink_of(&pair.agent, (uint32_t)(2 + 2 * i))->got, 200000 + i);
    }
    fini(&pair);
}

static void a_stalled_stream_costs_only_itself(void **state)
{
    struct pair pair;
    struct sink *stalled;

    (void)state;
    greet(&pair, small_limits(), 0);
    begin_source(&pair, &pair.agent, 0, 500000);
    begin_source(&pair, &pair.agent, 1, 500000);
    sink_of(&pair.hub, 1)->is_stalled = true;
    settle(&pair);
    stalled = sink_of(&pair.hub, 1);
    assert_int_equal(stalled->got, 20000); /* its window, and not a byte more */
    assert_int_equal(fl_mux_held_bytes(pair.hub.mux), 20000);
    assert_int_equal(sink_of(&pair.hub, 3)->got, 500000);
    put_go(&pair.hub, 1);
    settle(&pair);
    assert_int_equal(pair.agent.messages, 1);
    stalled->is_stalled = false;
    fl_mux_consumed(pair.hub.mux, 1, (uint32_t)stalled->held);
    settle(&pair);
    assert_int_equal(stalled->got, 500000);
    fini(&pair);
}

static void control_goes_before_bulk(void **state)
{
    struct pair pair;
    size_t before;

    (void)state;
    greet(&pair, fl_flow_limits(), 0);
    begin_source(&pair, &pair.hub, 0, 10000000);
    before = pair.hub.out.len;
    assert_true(fl_mux_write(pair.hub.mux, 0, &pair.hub.out) > 0);
    assert_true(pair.hub.out.len - before <= FL_MUX_WRITE_BYTES_MAX);
    put_go(&pair.hub, 1);
    before = pair.hub.out.len;
    assert_true(fl_mux_write(pair.hub.mux, 0, &pair.hub.out) > 0);
    assert_int_equal(pair.hub.out.at[before + 4], FL_FRAME_CONTROL);
    settle(&pair);
    assert_int_equal(pair.agent.messages, 1);
    fini(&pair);
}

static void a_source_that_has_nothing_small_enough_is_asked_again_when_credit_comes(void **state)
{
    struct pair pair;

    (void)state;
    greet(&pair, small_limits(), 0);
    pair.agent.pulled_max = 1; /* it says 0 after it said its byte; see below */
    begin_source(&pair, &pair.agent, 0, 3);
    settle(&pair);
    assert_int_equal(sink_of(&pair.hub, 1)->got, 3);
    pair.agent.sources[0].total = 10; /* wants more than it has: the pull answers 0 */
    fl_mux_wants(pair.agent.mux, 1, 100);
    settle(&pair);
    assert_int_equal(sink_of(&pair.hub, 1)->got, 10);
    assert_false(fl_mux_has_output(pair.agent.mux));
    pair.agent.sources[0].total = 20;
    fl_mux_wants(pair.agent.mux, 1, 10);
    settle(&pair);
    assert_int_equal(sink_of(&pair.hub, 1)->got, 20);
    fini(&pair);
}

static void a_closed_stream_is_over_at_both_ends(void **state)
{
    struct pair pair;

    (void)state;
    greet(&pair, small_limits(), 3000);
    begin_source(&pair, &pair.agent, 0, 15000);
    begin_source(&pair, &pair.agent, 1, 15000);
    carry(&pair, &pair.agent, &pair.hub);
    fl_mux_close(pair.hub.mux, 1, FL_DENIED, FL_STR("not wanted"));
    fl_mux_close(pair.hub.mux, 1, FL_DENIED, FL_STR("twice is fine"));
    settle(&pair);
    assert_true(sink_of(&pair.agent, 1)->is_closed);
    assert_int_equal(sink_of(&pair.hub, 3)->got, 15000);
    fl_mux_wants(pair.agent.mux, 1, 5);
    assert_false(fl_mux_has_output(pair.agent.mux));
    fini(&pair);
}

static void an_evil_frame(struct pair *pair, const struct fl_frame *frame)
{
    struct fl_buf bytes;

    fl_buf_init(&bytes, FL_FRAME_BYTES_MAX);
    assert_true(fl_frame_put(&bytes, frame));
    take_bytes(pair, &pair->hub, (struct fl_str){(const char *)bytes.at, bytes.len});
    fl_buf_fini(&bytes);
}

static void who_sends_without_credit_loses_the_stream_then_the_tunnel(void **state)
{
    static char much[30000];
    struct pair pair;
    struct fl_frame frame = {
        .stream = 1, .type = FL_FRAME_LOG, .sequence = 1, .payload = {much, sizeof much}};

    (void)state;
    for (size_t b = 0; b < sizeof much; b++) {
        much[b] = (char)byte_at(1, b);
    }
    greet(&pair, small_limits(), 0);
    frame.payload.len = 10;
    an_evil_frame(&pair, &frame);
    assert_int_equal(sink_of(&pair.hub, 1)->got, 10);
    frame.sequence = 2;
    frame.payload.len = sizeof much;
    an_evil_frame(&pair, &frame);
    assert_true(sink_of(&pair.hub, 1)->is_closed);
    assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_UP);
    frame.stream = 3;
    frame.sequence = 1;
    an_evil_frame(&pair, &frame);
    assert_int_equal(pair.hub.answer, FL_LINK_DO_BYE);
    assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_CLOSED);
    assert_int_equal(fl_mux_link(pair.hub.mux)->why, FL_LINK_WHY_broke_a_rule);
    assert_true(pair.hub.err.text[0] != 0);
    fini(&pair);
}

static void what_breaks_a_rule_ends_the_connection_and_says_why(void **state)
{
    const struct {
        struct fl_frame frame;
        const char *why;
    } evils[] = {
        {{.stream = 2, .type = FL_FRAME_LOG, .sequence = 1, .payload = FL_STR("x")}, NULL},
        {{.stream = 1, .type = FL_FRAME_CREDIT, .payload = FL_STR("\0\0\0\0")}, "CREDIT"},
        {{.stream = 1, .type = FL_FRAME_CLOSE, .payload = FL_STR("x")}, "CLOSE"},
        {{.stream = 0, .type = FL_FRAME_CONTROL, .sequence = 2, .payload = FL_STR("\x63\x00\x00")},
         "protocol"},
        {{.stream = 0, .type = FL_FRAME_CONTROL, .sequence = 9, .payload = FL_STR("")}, "sequence"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof evils / sizeof *evils; i++) {
        struct pair pair;

        greet(&pair, small_limits(), 0);
        an_evil_frame(&pair, &evils[i].frame);
        if (evils[i].why) {
            assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_CLOSED);
            assert_non_null(strstr(pair.hub.err.text, evils[i].why));
        } else { /* a number that is not the agent's to open: dropped */
            assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_UP);
            assert_int_equal(pair.hub.sinks_len, 0);
        }
        fini(&pair);
    }
}

static void a_newer_message_that_may_be_ignored_is(void **state)
{
    struct pair pair;

    (void)state;
    greet(&pair, small_limits(), 0);
    an_evil_frame(&pair, &(struct fl_frame){.stream = 0,
                                            .type = FL_FRAME_CONTROL,
                                            .flags = FL_FRAME_MAY_IGNORE,
                                            .sequence = 2,
                                            .payload = FL_STR("\x63\x00\x00")});
    an_evil_frame(
        &pair, &(struct fl_frame){
                   .stream = 9, .type = 77, .flags = FL_FRAME_MAY_IGNORE, .payload = FL_STR("?")});
    assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_UP);
    fini(&pair);
}

static void nothing_flows_before_the_welcome(void **state)
{
    struct pair pair = {0};
    struct fl_err err = {0};
    uint32_t stream;

    (void)state;
    init_end(&pair.hub, FL_LINK_HUB, small_limits());
    init_end(&pair.agent, FL_LINK_AGENT, small_limits());
    assert_false(fl_mux_open(pair.hub.mux, FL_FRAME_BLOB, 0, &stream, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    an_evil_frame(
        &pair, &(struct fl_frame){
                   .stream = 1, .type = FL_FRAME_LOG, .sequence = 1, .payload = FL_STR("early")});
    assert_int_equal(pair.hub.answer, FL_LINK_DO_BYE);
    assert_non_null(strstr(pair.hub.err.text, "before WELCOME"));
    fini(&pair);
}

static void control_that_nobody_takes_breaks_the_connection_at_its_limit(void **state)
{
    struct pair pair;
    struct fl_flow_limits limits = fl_flow_limits();
    size_t bytes_max = 0;

    (void)state;
    limits.control_bytes_max = 200000;
    greet(&pair, limits, 0);
    for (uint64_t seq = 1; seq <= 20000; seq++) {
        put_go(&pair.hub, seq);
        if (fl_mux_control_bytes(pair.hub.mux) > bytes_max) {
            bytes_max = fl_mux_control_bytes(pair.hub.mux);
        }
    }
    assert_true(bytes_max <= 200000 + FL_FRAME_PAYLOAD_MAX);
    assert_true(fl_mux_deadline(pair.hub.mux) <= pair.now);
    assert_int_equal(fl_mux_step(pair.hub.mux, FL_LINK_EV_tick, pair.now), FL_LINK_DO_BYE);
    assert_int_equal(fl_mux_link(pair.hub.mux)->state, FL_LINK_CLOSED);
    fini(&pair);
}

static void an_agent_begins_anew_with_each_connection(void **state)
{
    struct pair pair;
    struct fl_str nothing = {0};

    (void)state;
    greet(&pair, small_limits(), 0);
    begin_source(&pair, &pair.agent, 0, 500000);
    carry(&pair, &pair.agent, &pair.hub);
    assert_int_equal(fl_mux_step(pair.agent.mux, FL_LINK_EV_lost, 5), FL_LINK_DO_CLOSE);
    take_bytes(&pair, &pair.agent, nothing);
    fl_mux_destroy(pair.hub.mux);
    fl_buf_fini(&pair.hub.out);
    memset(&pair.hub, 0, sizeof pair.hub);
    init_end(&pair.hub, FL_LINK_HUB, small_limits());
    fl_buf_clear(&pair.agent.out);
    pair.agent.out_pos = 0;
    pair.now = fl_mux_deadline(pair.agent.mux);
    assert_int_equal(fl_mux_step(pair.agent.mux, FL_LINK_EV_tick, pair.now), FL_LINK_DO_DIAL);
    assert_int_equal(fl_mux_step(pair.agent.mux, FL_LINK_EV_opened, pair.now), FL_LINK_DO_HELLO);
    put_hello(&pair.agent);
    settle(&pair);
    put_welcome(&pair, 20000, 100000);
    settle(&pair);
    memset(pair.agent.sources, 0, sizeof pair.agent.sources);
    begin_source(&pair, &pair.agent, 0, 50000);
    settle(&pair);
    assert_int_equal(sink_of(&pair.hub, 1)->got, 50000);
    fini(&pair);
}

FL_TESTS(cmocka_unit_test(two_ends_greet_and_talk_however_the_bytes_are_cut),
         cmocka_unit_test(streams_of_both_ends_arrive_whole_and_in_order),
         cmocka_unit_test(a_stalled_stream_costs_only_itself),
         cmocka_unit_test(control_goes_before_bulk),
         cmocka_unit_test(a_source_that_has_nothing_small_enough_is_asked_again_when_credit_comes),
         cmocka_unit_test(a_closed_stream_is_over_at_both_ends),
         cmocka_unit_test(who_sends_without_credit_loses_the_stream_then_the_tunnel),
         cmocka_unit_test(what_breaks_a_rule_ends_the_connection_and_says_why),
         cmocka_unit_test(a_newer_message_that_may_be_ignored_is),
         cmocka_unit_test(nothing_flows_before_the_welcome),
         cmocka_unit_test(control_that_nobody_takes_breaks_the_connection_at_its_limit),
         cmocka_unit_test(an_agent_begins_anew_with_each_connection))
