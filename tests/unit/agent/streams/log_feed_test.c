#include "agent/streams/log_feed.h"

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/link/stream_pair.h"

enum { WAIT_MS = 60000 };

/* A fake runtime, in which replica 0 has written one line, and a real tunnel. */
struct world {
    struct fl_loop *loop;
    struct log_feed *feed;
    struct stream_pair tunnel;
    struct fl_stream *hub; /* its end of the LOG stream */
    struct fl_buf answer;  /* to be sent by it */
    int failing;           /* reads that fail before one goes well */
    int taken;
    uint32_t source; /* as it was opened last */
    char told[1000];
};

static const struct fl_attempt attempt = {.job = {7}, .n = 1, .incarnation = 1};

static bool fake_read(void *self, struct fl_attempt of, uint32_t replica, uint64_t offset,
                      size_t bytes_max, struct fl_buf *records, struct runtime_output *ret_output,
                      struct fl_err *err)
{
    struct fl_log_record record = {.offset = 0, .time = 5, .bytes = FL_STR("one line\n")};
    struct world *world = self;

    (void)bytes_max;
    if (replica != 0 || of.job.n != 7) return fl_fail(err, FL_ABSENT, "no such replica");
    if (world->failing > 0) {
        world->failing--;
        return fl_fail(err, FL_IO, "not now");
    }
    if (offset == 0) fl_assert(fl_log_record_put(records, &record));
    *ret_output = (struct runtime_output){.next_offset = 9, .end_offset = 9, .is_ended = true};
    return true;
}

static void fake_taken(void *self, struct fl_attempt of, uint32_t replica)
{
    struct world *world = self;

    (void)of;
    (void)replica;
    world->taken++;
}

static const struct runtime_ops fake_ops = {
    .name = "fake", .read_output = fake_read, .output_taken = fake_taken};

/* ---- the hub's end --------------------------------------------------------------------------- */

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct world *world = ctx;

    (void)err;
    world->hub = stream;
    return true;
}

/* Notes the kinds of messages that come. */
static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_log_message message;
    struct world *world = ctx;

    while (reader.pos < reader.len) {
        assert_true(fl_log_message_next(&reader, &message, err));
        strcat(strcat(world->told, fl_log_message_name(message.kind)), " ");
        world->source = message.source;
    }
    fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct world *world = ctx;
    size_t len = world->answer.len;

    (void)stream;
    assert_true(len <= bytes_max);
    memcpy(at, world->answer.at, len);
    fl_buf_clear(&world->answer);
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct world *world = ctx;

    (void)stream;
    (void)code;
    (void)text;
    world->hub = NULL;
}

static void connect_tunnel(struct world *world)
{
    struct fl_stream_kind hub = {FL_FRAME_LOG, 1, world, on_open, on_data, on_pull, on_close};
    struct fl_stream_kind agent = log_feed_stream(world->feed);

    stream_pair_init(&world->tunnel);
    fl_streams_add(world->tunnel.hub.streams, &hub, 1);
    fl_streams_add(world->tunnel.agent.streams, &agent, 1);
    log_feed_begin(world->feed, world->tunnel.agent.streams);
}

static void setup(struct world *world)
{
    *world = (struct world){.loop = fl_loop_create()};
    fl_buf_init(&world->answer, 1000);
    world->feed = log_feed_create(world->loop, (struct runtime){&fake_ops, world});
    connect_tunnel(world);
}

static void teardown(struct world *world)
{
    stream_pair_fini(&world->tunnel);
    log_feed_destroy(world->feed);
    fl_loop_destroy(world->loop);
    fl_buf_fini(&world->answer);
}

static void reconnect(struct world *world)
{
    stream_pair_fini(&world->tunnel);
    connect_tunnel(world);
}

/* One turn; whether anything came to the hub since the last pull. */
static bool turn(struct world *world)
{
    stream_pair_settle(&world->tunnel);
    fl_loop_turn(world->loop, 10);
    stream_pair_settle(&world->tunnel);
    return world->told[0] != '\0';
}

/* The kinds of messages that come next. */
static const char *pull(struct world *world)
{
    fl_ms end = fl_clock_mono() + WAIT_MS;

    world->told[0] = '\0';
    while (!turn(world)) {
        if (fl_clock_mono() > end) fail_msg("nothing is sent");
    }
    return world->told;
}

/* With the next turn. */
static void say(struct world *world, enum fl_log_message_kind kind)
{
    struct fl_log_message message = {.kind = kind, .source = world->source};

    fl_assert(fl_log_message_put(&world->answer, &message));
    fl_stream_wants(world->hub, world->answer.len);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void output_is_sent_once_the_hub_says_from_where_and_told_as_taken(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    log_feed_output(world.feed, attempt, 0);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    assert_string_equal(pull(&world), "records end ");
    assert_int_equal(world.taken, 0);
    say(&world, FL_LOG_end_ack);
    turn(&world);
    assert_int_equal(world.taken, 1);
    assert_int_equal(log_feed_stats(world.feed).sources, 0);
    teardown(&world);
}

static void an_end_of_an_earlier_session_may_be_acknowledged_in_this_one(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    log_feed_output(world.feed, attempt, 0);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    assert_string_equal(pull(&world), "records end ");
    reconnect(&world);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    say(&world,
        FL_LOG_end_ack); /* the hub has forgotten the number with it, and would answer no END */
    assert_string_equal(pull(&world), "close ");
    assert_int_equal(world.taken, 1);
    assert_int_equal(log_feed_stats(world.feed).sources, 0);
    teardown(&world);
}

static void output_that_cannot_be_read_now_is_read_later_by_itself(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    world.failing = 2;
    log_feed_output(world.feed, attempt, 0);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    assert_string_equal(pull(&world), "records end ");
    assert_int_equal(world.failing, 0);
    teardown(&world);
}

static void a_replica_that_is_gone_is_closed(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    log_feed_output(world.feed, attempt, 1);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    assert_string_equal(pull(&world), "close ");
    assert_int_equal(log_feed_stats(world.feed).sources, 0);
    teardown(&world);
}

static void after_nonsense_from_the_hub_logs_go_on_in_the_next_session(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    log_feed_output(world.feed, attempt, 0);
    assert_string_equal(pull(&world), "open ");
    world.told[0] = '\0';
    say(&world, FL_LOG_close); /* only agents say that */
    assert_false(turn(&world));
    reconnect(&world);
    assert_string_equal(pull(&world), "open ");
    teardown(&world);
}

static void a_tunnel_whose_log_stream_is_closed_is_given_up(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    log_feed_output(world.feed, attempt, 0);
    assert_string_equal(pull(&world), "open ");
    fl_stream_close(world.hub, FL_FULL, FL_STR("too slow"));
    stream_pair_settle(&world.tunnel);
    assert_int_equal(world.tunnel.agent.fails, 1);
    assert_string_equal(world.tunnel.agent.err.text, "the LOG stream was closed: too slow");
    reconnect(&world);
    assert_string_equal(pull(&world), "open ");
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(output_is_sent_once_the_hub_says_from_where_and_told_as_taken),
         cmocka_unit_test(an_end_of_an_earlier_session_may_be_acknowledged_in_this_one),
         cmocka_unit_test(output_that_cannot_be_read_now_is_read_later_by_itself),
         cmocka_unit_test(a_replica_that_is_gone_is_closed),
         cmocka_unit_test(after_nonsense_from_the_hub_logs_go_on_in_the_next_session),
         cmocka_unit_test(a_tunnel_whose_log_stream_is_closed_is_given_up))
