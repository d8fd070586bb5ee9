/* Two real multiplexers, and above each a table with one kind that no product code has: EXEC,
 * which writes a job's input down the tunnel and its output up.  That it needs nothing but its row
 * is what this shows; tests/unit/controlplane/tunnel/server_test.c does the same over sockets. */
#include "shared/link/streams.h"

#include "tests/fl_test.h"
#include "tests/unit/shared/link/stream_pair.h"

/* One end of one EXEC stream. */
struct shell {
    uint64_t total, sent, got;
    bool is_used, is_closed;
    enum fl_code code;
};

struct end {
    struct stream_end *tunnel;
    struct shell shells[4];
    uint32_t opens;
    bool is_stalled;   /* takes bytes and gives no credit back */
    bool wants_nobody; /* refuses what the peer opens */
    bool is_choosy;    /* a byte breaks a rule */
    bool reopens;      /* at its end it opens the next */
    char text[64];     /* with the newest close */
};

struct pair {
    struct stream_pair tunnel;
    struct end hub, agent;
};

/* ---- the kind -------------------------------------------------------------------------------- */

static struct shell *use_shell(struct end *end, struct fl_stream *stream, uint64_t total)
{
    for (size_t i = 0; i < 4; i++) {
        if (end->shells[i].is_used) continue;
        end->shells[i] = (struct shell){.total = total, .is_used = true};
        stream->state = &end->shells[i];
        return &end->shells[i];
    }
    fail_msg("too many shells");
    return NULL;
}

static struct fl_stream *open_shell(struct end *end, uint64_t total)
{
    struct fl_stream *stream;
    struct fl_err err = {0};

    if (!fl_streams_open(end->tunnel->streams, FL_FRAME_EXEC, 0, &stream, &err)) return NULL;
    use_shell(end, stream, total);
    fl_stream_wants(stream, total);
    return stream;
}

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct end *end = ctx;

    if (end->wants_nobody) return fl_fail(err, FL_DENIED, "no shell here");
    end->opens++;
    use_shell(end, stream, 50000); /* its answer */
    fl_stream_wants(stream, 50000);
    return true;
}

static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct shell *shell = stream->state;
    struct end *end = ctx;

    shell->got += bytes.len;
    if (end->is_choosy) return fl_fail(err, FL_INVALID, "that is no input");
    if (!end->is_stalled) fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct shell *shell = stream->state;
    size_t len = shell->total - shell->sent;

    (void)ctx;
    if (len > bytes_max) len = bytes_max;
    memset(at, 'e', len);
    shell->sent += len;
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct shell *shell = stream->state;
    struct end *end = ctx;

    assert_true(shell->is_used && !shell->is_closed); /* once */
    shell->is_closed = true;
    shell->code = code;
    snprintf(end->text, sizeof end->text, FL_STR_FMT, FL_STR_ARG(text));
    if (end->reopens) open_shell(end, 1);
    end->reopens = false;
}

/* ---- the two ends ---------------------------------------------------------------------------- */

static void settle(struct pair *pair)
{
    stream_pair_settle(&pair->tunnel);
}

static void add_kind(struct end *end, struct stream_end *tunnel, uint32_t streams_max)
{
    struct fl_stream_kind kind = {FL_FRAME_EXEC, streams_max, end,     on_open,
                                  on_data,       on_pull,     on_close};

    end->tunnel = tunnel;
    fl_streams_add(tunnel->streams, &kind, 1);
}

static void init(struct pair *pair, uint32_t streams_max)
{
    *pair = (struct pair){0};
    stream_pair_init(&pair->tunnel);
    add_kind(&pair->hub, &pair->tunnel.hub, streams_max);
    add_kind(&pair->agent, &pair->tunnel.agent, streams_max);
    fl_streams_set_peer(pair->hub.tunnel->streams, (struct fl_stream_peer){77, {5}});
}

static void fini(struct pair *pair)
{
    stream_pair_fini(&pair->tunnel);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_kind_sends_both_ways_on_streams_of_either_end(void **state)
{
    struct pair pair;
    struct fl_stream *stream;

    (void)state;
    init(&pair, 4);
    stream = open_shell(&pair.hub, 300000);
    assert_int_equal(stream->peer.connection, 77);
    assert_int_equal(stream->peer.cluster.n, 5);
    assert_non_null(open_shell(&pair.agent, 200000));
    settle(&pair);
    assert_int_equal(pair.agent.opens, 1);
    assert_int_equal(pair.hub.opens, 1);
    assert_int_equal(pair.agent.shells[0].got + pair.agent.shells[1].got, 350000);
    assert_int_equal(pair.hub.shells[0].got + pair.hub.shells[1].got, 250000);
    assert_ptr_equal(fl_streams_first(pair.hub.tunnel->streams, FL_FRAME_EXEC),
                     fl_streams_find(pair.hub.tunnel->streams, 1)); /* the agent's */
    assert_null(fl_streams_first(pair.hub.tunnel->streams, FL_FRAME_LOG));
    assert_null(fl_streams_first(NULL, FL_FRAME_EXEC));
    assert_true(pair.hub.tunnel->changes > 0);
    fini(&pair);
    assert_int_equal(pair.hub.shells[0].code, FL_UNAVAILABLE);
    assert_true(pair.agent.shells[1].is_closed);
}

static void one_that_gives_no_credit_back_holds_up_only_itself(void **state)
{
    struct pair pair;

    (void)state;
    init(&pair, 4);
    pair.agent.is_stalled = true;
    open_shell(&pair.hub, 300000);
    settle(&pair);
    assert_int_equal(pair.agent.shells[0].got, STREAM_PAIR_BYTES);
    assert_int_equal(pair.hub.shells[0].got, 50000); /* the other way is not in its way */
    pair.agent.is_stalled = false;
    open_shell(&pair.hub, 40000);
    settle(&pair);
    assert_int_equal(pair.agent.shells[1].got, 40000);
    fl_stream_consumed(fl_streams_find(pair.agent.tunnel->streams, 2), STREAM_PAIR_BYTES);
    settle(&pair);
    assert_int_equal(pair.agent.shells[0].got, 300000);
    fini(&pair);
}

static void a_close_is_heard_once_at_each_end(void **state)
{
    struct pair pair;

    (void)state;
    init(&pair, 4);
    fl_stream_close(open_shell(&pair.hub, 0), FL_OK, FL_STR("never mind")); /* not even begun */
    open_shell(&pair.hub, 10);
    settle(&pair);
    fl_stream_close(fl_streams_find(pair.agent.tunnel->streams, 4), FL_OK, FL_STR("exit 0"));
    settle(&pair);
    assert_true(pair.agent.shells[0].is_closed && pair.hub.shells[1].is_closed);
    assert_int_equal(pair.hub.shells[1].code, FL_OK);
    assert_string_equal(pair.hub.text, "exit 0");
    assert_null(fl_streams_find(pair.hub.tunnel->streams, 4));
    fini(&pair);
}

static void what_has_no_row_is_refused_and_so_is_what_its_kind_does_not_want(void **state)
{
    struct pair pair;
    struct fl_err err = {0};
    uint32_t id;

    (void)state;
    init(&pair, 2);
    pair.agent.wants_nobody = true;
    open_shell(&pair.hub, 10);
    settle(&pair);
    assert_int_equal(pair.hub.shells[0].code, FL_DENIED);
    assert_string_equal(pair.hub.text, "no shell here");
    assert_int_equal(pair.agent.opens, 0);
    pair.agent.wants_nobody = false;
    assert_true(
        fl_mux_open(pair.hub.tunnel->mux, FL_FRAME_FORWARD, 0, &id, &err)); /* a newer hub's */
    fl_mux_wants(pair.hub.tunnel->mux, id, 1);
    open_shell(&pair.hub, 10);
    settle(&pair);
    assert_int_equal(pair.agent.shells[0].got, 10); /* the tunnel and its streams go on */
    open_shell(&pair.hub, 10);
    assert_null(open_shell(&pair.hub, 10)); /* at the limit of its kind */
    settle(&pair);
    assert_int_equal(pair.agent.opens, 2);
    fini(&pair);
}

/* The frame of a type without a row, as a newer peer sends it. */
static void a_stream_without_a_row_is_closed_with_a_reason(void **state)
{
    struct pair pair;
    struct fl_frame frame = {.stream = 2, .type = FL_FRAME_FORWARD, .sequence = 1};
    struct fl_frame_decoder decoder;
    struct fl_err err = {0};
    struct fl_buf bytes, out;
    struct fl_str text;
    uint16_t code = 0;

    (void)state;
    init(&pair, 2);
    fl_buf_init(&bytes, 4096);
    fl_buf_init(&out, FL_MUX_WRITE_BYTES_MAX);
    frame.payload = FL_STR("GET /");
    assert_true(fl_frame_put(&bytes, &frame));
    stream_pair_take(pair.agent.tunnel, (struct fl_str){(const char *)bytes.at, bytes.len});
    assert_true(fl_mux_write(pair.agent.tunnel->mux, 0, &out) > 0);
    fl_frame_decoder_init(&decoder);
    text = (struct fl_str){(const char *)out.at, out.len};
    do {
        assert_int_equal(fl_frame_decoder_next(&decoder, &text, &frame, &err), FL_FRAME_READY);
    } while (frame.type != FL_FRAME_CLOSE);
    assert_true(fl_frame_read_close(&frame, &code, &text, &err));
    assert_int_equal(frame.stream, 2);
    assert_int_equal(code, FL_UNSUPPORTED);
    assert_true(fl_str_eq(text, FL_STR("FORWARD is not taken here")));
    fl_frame_decoder_fini(&decoder);
    fl_buf_fini(&bytes);
    fl_buf_fini(&out);
    fini(&pair);
}

static void bytes_that_break_a_rule_of_the_kind_end_the_tunnel(void **state)
{
    struct pair pair;

    (void)state;
    init(&pair, 4);
    pair.agent.is_choosy = pair.agent.reopens = true;
    open_shell(&pair.agent, 5);
    open_shell(&pair.hub, 10);
    settle(&pair);
    assert_int_equal(pair.agent.tunnel->fails, 1);
    assert_true(pair.agent.shells[0].is_closed && pair.agent.shells[1].is_closed);
    assert_false(pair.agent.shells[2].is_used); /* none is opened while the tunnel ends */
    pair.hub.reopens = true;
    fl_stream_close(fl_streams_find(pair.hub.tunnel->streams, 2), FL_OK, FL_STR("next"));
    assert_int_equal(pair.hub.shells[1].total, 1);
    fini(&pair);
}

FL_TESTS(cmocka_unit_test(a_kind_sends_both_ways_on_streams_of_either_end),
         cmocka_unit_test(one_that_gives_no_credit_back_holds_up_only_itself),
         cmocka_unit_test(a_close_is_heard_once_at_each_end),
         cmocka_unit_test(what_has_no_row_is_refused_and_so_is_what_its_kind_does_not_want),
         cmocka_unit_test(a_stream_without_a_row_is_closed_with_a_reason),
         cmocka_unit_test(bytes_that_break_a_rule_of_the_kind_end_the_tunnel))
