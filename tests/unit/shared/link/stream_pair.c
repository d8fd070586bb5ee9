#include "tests/unit/shared/link/stream_pair.h"

#include "tests/fl_test.h"

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct stream_end *end = ctx;

    return fl_streams_pull(end->streams, stream, at, bytes_max);
}

static void on_changed(void *ctx)
{
    struct stream_end *end = ctx;

    end->changes++;
}

static void on_fail(void *ctx, const struct fl_err *err)
{
    struct stream_end *end = ctx;

    assert_true(err->text[0]);
    end->err = *err;
    end->fails++;
    fl_streams_end(end->streams);
}

static void init_end(struct stream_end *end, enum fl_link_side side)
{
    struct fl_mux_config config = {.side = side,
                                   .flow = fl_flow_limits(),
                                   .ping_ms = 10000,
                                   .dead_ms = 30000,
                                   .ctx = end,
                                   .pull = pull};
    struct fl_streams_owner owner = {end, on_changed, on_fail};

    config.flow.stream_bytes = STREAM_PAIR_BYTES;
    config.flow.tunnel_bytes = 5 * STREAM_PAIR_BYTES;
    end->mux = fl_mux_create(&config, 0);
    end->streams = fl_streams_create(end->mux, &owner);
}

void stream_pair_take(struct stream_end *end, struct fl_str bytes)
{
    struct fl_mux_item item;
    struct fl_err err = {0};

    while (fl_mux_receive(end->mux, &bytes, 0, &item, &err)) {
        if (item.kind == FL_MUX_ANSWER) {
            end->answer = item.answer;
        } else {
            fl_streams_take(end->streams, &item);
        }
    }
    assert_int_equal(err.code, FL_OK);
}

static size_t carry(struct stream_end *from, struct stream_end *to)
{
    struct fl_buf out;
    size_t wrote;

    fl_buf_init(&out, FL_MUX_WRITE_BYTES_MAX);
    wrote = fl_mux_write(from->mux, 0, &out);
    stream_pair_take(to, (struct fl_str){(const char *)out.at, out.len});
    fl_buf_fini(&out);
    return wrote;
}

void stream_pair_settle(struct stream_pair *pair)
{
    while (carry(&pair->hub, &pair->agent) + carry(&pair->agent, &pair->hub) > 0) {
        continue;
    }
}

void stream_pair_init(struct stream_pair *pair)
{
    *pair = (struct stream_pair){0};
    init_end(&pair->hub, FL_LINK_HUB);
    init_end(&pair->agent, FL_LINK_AGENT);
    fl_mux_step(pair->agent.mux, FL_LINK_EV_tick, 0);
    fl_mux_step(pair->agent.mux, FL_LINK_EV_opened, 0);
    fl_mux_put(pair->agent.mux, &(struct fl_msg){.kind = FL_MSG_hello,
                                                 .hello = {.protocol_min = FL_PROTOCOL_MIN,
                                                           .protocol_max = FL_PROTOCOL_MAX,
                                                           .cluster_uid = FL_STR("uid"),
                                                           .version = FL_STR("test"),
                                                           .capabilities = FL_STR("[]")}});
    stream_pair_settle(pair);
    assert_int_equal(pair->hub.answer, FL_LINK_DO_GREET);
    fl_mux_step(pair->hub.mux, FL_LINK_EV_welcome, 0);
    fl_mux_put(pair->hub.mux,
               &(struct fl_msg){.kind = FL_MSG_welcome,
                                .welcome = {.protocol = FL_PROTOCOL_MAX,
                                            .session_epoch = 1,
                                            .ping_ms = 10000,
                                            .dead_ms = 30000,
                                            .stream_credit_bytes = STREAM_PAIR_BYTES,
                                            .tunnel_credit_bytes = 5 * STREAM_PAIR_BYTES,
                                            .capabilities = FL_STR("[]")}});
    stream_pair_settle(pair);
    assert_int_equal(pair->agent.answer, FL_LINK_DO_BEGIN);
}

static void fini_end(struct stream_end *end)
{
    fl_streams_end(end->streams);
    fl_streams_destroy(end->streams);
    fl_mux_destroy(end->mux);
}

void stream_pair_fini(struct stream_pair *pair)
{
    fini_end(&pair->hub);
    fini_end(&pair->agent);
}
