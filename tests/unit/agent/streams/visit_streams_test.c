/* The agent's end of visits: a fake runtime, and a real tunnel. */
#include "agent/streams/visit_streams.h"

#include "shared/base/assert.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/link/stream_pair.h"

enum { VISITS_MAX = 3, SENT_MAX = 1 << 20 };

/* One visit of the fake runtime: its input, and its output. */
struct fake {
    struct runtime_visit_port port;
    char taken[200];  /* the begin of its input */
    size_t taken_len; /* all of it */
    size_t room;      /* so much it takes */
    struct fl_visit_size size;
    const char *output; /* NULL: none now */
    int input_ends;     /* calls of end_input */
    bool must_end, is_destroyed;
};

/* The hub's end of a stream. */
struct far {
    struct fl_stream *stream; /* NULL: it is closed */
    struct fl_buf sent;       /* to be sent */
    struct fl_visit_reader reader;
    char told[300]; /* the records that came, and how it was closed */
};

struct world {
    struct fl_loop *loop;
    struct visit_streams *visits;
    struct stream_pair tunnel;
    struct fake fakes[VISITS_MAX];
    struct far far[VISITS_MAX];
    size_t fakes_len, far_len;
    bool refuses;
};

/* ---- the runtime ----------------------------------------------------------------------------- */

static struct runtime_visit_read fake_read(void *self, uint8_t *at, size_t bytes_max)
{
    struct fake *fake = self;
    struct runtime_visit_read read = {.word = RUNTIME_VISIT_NOTHING};

    if (fake->output) {
        read.word = RUNTIME_VISIT_BYTES;
        read.channel = FL_VISIT_STDOUT;
        read.len = strlen(fake->output);
        fl_assert(read.len <= bytes_max);
        memcpy(at, fake->output, read.len);
        fake->output = NULL;
    } else if (fake->must_end) {
        read.word = RUNTIME_VISIT_OVER;
        read.status.exit_code = 9;
    }
    return read;
}

static size_t fake_write(void *self, struct fl_str bytes)
{
    struct fake *fake = self;
    size_t n = bytes.len < fake->room ? bytes.len : fake->room;

    for (size_t i = 0; i < n && fake->taken_len + i < sizeof fake->taken - 1; i++) {
        fake->taken[fake->taken_len + i] = bytes.at[i];
    }
    fake->taken_len += n;
    fake->room -= n;
    return n;
}

static void fake_end_input(void *self)
{
    ((struct fake *)self)->input_ends++;
}

static void fake_resize(void *self, struct fl_visit_size size)
{
    ((struct fake *)self)->size = size;
}

static void fake_destroy(void *self)
{
    ((struct fake *)self)->is_destroyed = true;
}

static const struct runtime_visit_ops fake_visit = {
    .read = fake_read,
    .write = fake_write,
    .end_input = fake_end_input,
    .resize = fake_resize,
    .destroy = fake_destroy,
};

static bool fake_begin(void *self, const struct fl_visit_open *open,
                       const struct runtime_visit_port *port, struct runtime_visit *ret_visit,
                       struct fl_err *err)
{
    struct world *world = self;
    struct fake *fake = &world->fakes[world->fakes_len];

    if (world->refuses) return fl_fail(err, FL_CONFLICT, "the replica does not run now");
    assert_int_equal(open->attempt.job.n, 7);
    world->fakes_len++;
    *fake = (struct fake){.port = *port, .room = 1000};
    *ret_visit = (struct runtime_visit){&fake_visit, fake};
    return true;
}

static const struct runtime_ops with_visits = {.name = "fake", .visit = fake_begin};
static const struct runtime_ops without_visits = {.name = "plain"};

/* ---- the hub's end --------------------------------------------------------------------------- */

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "an agent opens no visit");
}

static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct far *far = stream->state;
    struct fl_visit_status status;
    struct fl_visit_record record;
    size_t len = bytes.len;

    (void)ctx;
    while (fl_visit_next(&far->reader, &bytes, &record, err) == FL_VISIT_READY) {
        char *at = far->told + strlen(far->told);
        size_t room = sizeof far->told - strlen(far->told);

        if (record.channel == FL_VISIT_STATUS) {
            assert_true(fl_visit_read_status(record.bytes, &status, err));
            snprintf(at, room, "status %s %d " FL_STR_FMT "; ", fl_code_name(status.code),
                     status.exit_code, FL_STR_ARG(status.text));
        } else {
            snprintf(at, room, "%d: " FL_STR_FMT "; ", (int)record.channel,
                     FL_STR_ARG(record.bytes));
        }
    }
    fl_stream_consumed(stream, (uint32_t)len);
    return true;
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct far *far = stream->state;
    size_t len = far->sent.len < bytes_max ? far->sent.len : bytes_max;

    (void)ctx;
    memcpy(at, far->sent.at, len);
    memmove(far->sent.at, far->sent.at + len, far->sent.len - len);
    fl_buf_truncate(&far->sent, far->sent.len - len);
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct far *far = stream->state;
    char *at = far->told + strlen(far->told);

    (void)ctx;
    snprintf(at, sizeof far->told - strlen(far->told), "closed %s " FL_STR_FMT, fl_code_name(code),
             FL_STR_ARG(text));
    far->stream = NULL;
}

static void setup(struct world *world, const struct runtime_ops *ops)
{
    struct fl_stream_kind hub = {.type = FL_FRAME_EXEC,
                                 .streams_max = VISITS_MAX,
                                 .open = on_open,
                                 .data = on_data,
                                 .pull = on_pull,
                                 .close = on_close};
    struct fl_stream_kind agent[2];

    *world = (struct world){.loop = fl_loop_create()};
    world->visits = visit_streams_create(world->loop, (struct runtime){ops, world});
    agent[0] = visit_streams_exec(world->visits);
    agent[1] = visit_streams_forward(world->visits);
    stream_pair_init(&world->tunnel);
    fl_streams_add(world->tunnel.hub.streams, &hub, 1);
    fl_streams_add(world->tunnel.agent.streams, agent, 2);
}

static void teardown(struct world *world)
{
    stream_pair_fini(&world->tunnel);
    visit_streams_destroy(world->visits);
    for (size_t i = 0; i < world->far_len; i++) {
        fl_buf_fini(&world->far[i].sent);
    }
    fl_loop_destroy(world->loop);
}

static void settle(struct world *world)
{
    for (int i = 0; i < 10; i++) {
        stream_pair_settle(&world->tunnel);
        fl_loop_turn(world->loop, 0);
    }
}

static struct far *open_stream(struct world *world)
{
    struct far *far = &world->far[world->far_len++];
    struct fl_err err = {0};

    fl_buf_init(&far->sent, SENT_MAX);
    assert_true(fl_streams_open(world->tunnel.hub.streams, FL_FRAME_EXEC, 0, &far->stream, &err));
    far->stream->state = far;
    return far;
}

static void put(struct far *far, enum fl_visit_channel channel, struct fl_str bytes)
{
    assert_true(fl_visit_put(&far->sent, channel, bytes));
}

static void send_all(struct world *world, struct far *far)
{
    if (far->stream) fl_stream_wants(far->stream, far->sent.len);
    settle(world);
}

static struct far *visit_with(struct world *world, bool has_tty)
{
    struct fl_visit_open open = {
        .attempt = {.job = {7}, .n = 1, .incarnation = 1}, .has_tty = has_tty, .size = {24, 80}};
    struct far *far = open_stream(world);

    assert_true(fl_visit_put_open(&far->sent, &open));
    send_all(world, far);
    return far;
}

static struct far *visit(struct world *world)
{
    return visit_with(world, false);
}

static void is_told(const struct far *far, const char *want)
{
    if (!strstr(far->told, want)) fail_msg("'%s' is not in '%s'", want, far->told);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void records_go_to_the_visit_and_its_output_comes_back(void **state)
{
    struct world world;
    struct far *far;

    (void)state;
    setup(&world, &with_visits);
    far = visit(&world);
    put(far, FL_VISIT_STDIN, FL_STR("hello"));
    assert_true(fl_visit_put_size(&far->sent, (struct fl_visit_size){40, 120}));
    put(far, FL_VISIT_CLOSE, FL_STR("\0"));
    send_all(&world, far);
    assert_string_equal(world.fakes[0].taken, "hello");
    assert_int_equal(world.fakes[0].size.rows, 40);
    assert_int_equal(world.fakes[0].size.columns, 120);
    assert_int_equal(world.fakes[0].input_ends, 1);

    world.fakes[0].output = "oh";
    world.fakes[0].port.changed(world.fakes[0].port.ctx);
    settle(&world);
    assert_string_equal(far->told, "1: oh; ");
    world.fakes[0].must_end = true;
    world.fakes[0].port.changed(world.fakes[0].port.ctx);
    settle(&world);
    assert_string_equal(far->told, "1: oh; status ok 9 ; closed ok ");
    assert_true(world.fakes[0].is_destroyed);
    teardown(&world);
}

/* Three windows of input, which the visit takes bit by bit. */
static void input_without_room_waits_and_holds_up_its_sender(void **state)
{
    static const char bytes[30000] = {'x'};
    struct world world;
    struct far *far;

    (void)state;
    setup(&world, &with_visits);
    far = visit(&world);
    world.fakes[0].room = 0;
    for (int i = 0; i < 10; i++) {
        put(far, FL_VISIT_STDIN, (struct fl_str){bytes, sizeof bytes});
    }
    put(far, FL_VISIT_CLOSE, FL_STR("\0"));
    send_all(&world, far);
    assert_true(far->sent.len > 10 * sizeof bytes - STREAM_PAIR_BYTES);
    assert_int_equal(world.fakes[0].input_ends, 0);
    for (int i = 0; i < 1000 && world.fakes[0].input_ends == 0; i++) {
        world.fakes[0].room = 7777;
        world.fakes[0].port.changed(world.fakes[0].port.ctx);
        settle(&world);
    }
    assert_int_equal(world.fakes[0].taken_len, 10 * sizeof bytes);
    assert_int_equal(world.fakes[0].input_ends, 1);
    assert_int_equal(far->sent.len, 0);
    teardown(&world);
}

static void a_visit_that_cannot_begin_says_why(void **state)
{
    struct world world;

    (void)state;
    setup(&world, &with_visits);
    world.refuses = true;
    assert_string_equal(visit(&world)->told,
                        "status conflict 0 the replica does not run now; closed ok ");
    teardown(&world);
    setup(&world, &without_visits);
    is_told(visit(&world), "status unsupported 0 the runtime of this cluster, 'plain', has no");
    teardown(&world);
}

/* Each broken rule ends its own stream, with the reason, and another goes on in the same tunnel. */
static void a_broken_rule_ends_its_own_visit_alone(void **state)
{
    static const struct {
        uint8_t channel;
        struct fl_str bytes;
        bool is_first; /* in place of OPEN */
        const char *why;
    } breaks[] = {
        {FL_VISIT_STDIN, {"x", 1}, true, "the first record, and no other, is OPEN"},
        {FL_VISIT_OPEN, {"x", 1}, true, "a malformed OPEN"},
        {FL_VISIT_OPEN, {"x", 1}, false, "the first record, and no other, is OPEN"},
        {FL_VISIT_STDOUT, {"x", 1}, false, "channel 1 comes from an agent only"},
        {FL_VISIT_STATUS, {"x", 1}, false, "channel 3 comes from an agent only"},
        {FL_VISIT_RESIZE, {"x", 1}, false, "a malformed RESIZE"},
        {FL_VISIT_CLOSE, {"\1", 1}, false, "a hub closes channel 0 and no other"},
        {FL_VISIT_CLOSE, {"", 0}, false, "a hub closes channel 0 and no other"},
        {77, {"x", 1}, false, "a record of channel 77"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct world world;
        struct far *other, *far;

        setup(&world, &with_visits);
        other = visit(&world);
        far = breaks[i].is_first ? open_stream(&world) : visit(&world);
        put(far, (enum fl_visit_channel)breaks[i].channel, breaks[i].bytes);
        put(far, FL_VISIT_STDIN, FL_STR("behind it"));
        send_all(&world, far);
        is_told(far, "closed invalid");
        is_told(far, breaks[i].why);
        assert_null(far->stream);
        assert_int_equal(world.fakes[1].is_destroyed, !breaks[i].is_first);
        assert_string_equal(world.fakes[1].taken, "");

        assert_int_equal(world.tunnel.agent.fails + world.tunnel.hub.fails, 0);
        put(other, FL_VISIT_STDIN, FL_STR("still here"));
        send_all(&world, other);
        assert_string_equal(world.fakes[0].taken, "still here");
        teardown(&world);
    }
}

/* The key that ends it is lost where a shell changes the terminal's mode. */
static void the_end_of_a_terminals_input_is_told_until_it_is_heard(void **state)
{
    struct world world;
    struct far *far[2];

    (void)state;
    setup(&world, &with_visits);
    for (int i = 0; i < 2; i++) {
        far[i] = visit_with(&world, i == 1);
        put(far[i], FL_VISIT_CLOSE, FL_STR("\0"));
        send_all(&world, far[i]);
        assert_int_equal(world.fakes[i].input_ends, 1);
    }
    while (world.fakes[1].input_ends < 3) {
        fl_loop_turn(world.loop, 1000);
    }
    assert_int_equal(world.fakes[0].input_ends, 1);
    world.fakes[1].must_end = true;
    world.fakes[1].port.changed(world.fakes[1].port.ctx);
    settle(&world);
    is_told(far[1], "status ok 9 ; closed ok ");
    teardown(&world);
}

static void input_behind_its_end_breaks_a_rule(void **state)
{
    struct world world;
    struct far *far;

    (void)state;
    setup(&world, &with_visits);
    far = visit(&world);
    put(far, FL_VISIT_CLOSE, FL_STR("\0"));
    put(far, FL_VISIT_STDIN, FL_STR("late"));
    send_all(&world, far);
    assert_string_equal(far->told, "closed invalid input behind its end");
    assert_int_equal(world.tunnel.agent.fails, 0);
    teardown(&world);
}

static void a_visit_holds_the_tunnel_while_it_is_open(void **state)
{
    struct world world;
    struct far *far;

    (void)state;
    setup(&world, &with_visits);
    assert_false(fl_streams_hold_tunnel(world.tunnel.agent.streams));
    far = visit(&world);
    assert_true(fl_streams_hold_tunnel(world.tunnel.agent.streams));
    fl_stream_close(far->stream, FL_OK, (struct fl_str){0});
    settle(&world);
    assert_false(fl_streams_hold_tunnel(world.tunnel.agent.streams));
    assert_true(world.fakes[0].is_destroyed);
    teardown(&world);
}

static void a_cut_tunnel_ends_all_visits(void **state)
{
    struct world world;

    (void)state;
    setup(&world, &with_visits);
    (void)visit(&world);
    (void)visit(&world);
    fl_streams_end(world.tunnel.agent.streams);
    assert_true(world.fakes[0].is_destroyed && world.fakes[1].is_destroyed);
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(records_go_to_the_visit_and_its_output_comes_back),
         cmocka_unit_test(input_without_room_waits_and_holds_up_its_sender),
         cmocka_unit_test(a_visit_that_cannot_begin_says_why),
         cmocka_unit_test(a_broken_rule_ends_its_own_visit_alone),
         cmocka_unit_test(the_end_of_a_terminals_input_is_told_until_it_is_heard),
         cmocka_unit_test(input_behind_its_end_breaks_a_rule),
         cmocka_unit_test(a_visit_holds_the_tunnel_while_it_is_open),
         cmocka_unit_test(a_cut_tunnel_ends_all_visits))
