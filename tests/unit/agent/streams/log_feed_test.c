#include "agent/streams/log_feed.h"

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

enum { WAIT_MS = 60000 };

/* A fake runtime whose replica 0 has written one line, and a tunnel that takes all. */
struct world {
    struct fl_loop *loop;
    struct log_feed *feed;
    int failing; /* reads that fail before one goes well */
    int wants, taken;
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

static void on_wants(void *ctx, uint64_t bytes)
{
    struct world *world = ctx;

    (void)bytes;
    world->wants++;
}

static void setup(struct world *world)
{
    struct log_feed_port port = {world, on_wants};

    *world = (struct world){.loop = fl_loop_create()};
    world->feed = log_feed_create(world->loop, (struct runtime){&fake_ops, world}, &port);
    log_feed_opened(world->feed);
}

static void teardown(struct world *world)
{
    log_feed_destroy(world->feed);
    fl_loop_destroy(world->loop);
}

/* The tunnel, once it was told that something waits: the kinds of messages that it pulls. */
static const char *pull(struct world *world)
{
    fl_ms end = fl_clock_mono() + WAIT_MS;
    struct fl_log_message message;
    struct fl_err err = {0};
    static uint8_t at[65536];
    size_t len;

    while (world->wants == 0) {
        if (fl_clock_mono() > end) fail_msg("nothing waits to be sent");
        fl_loop_turn(world->loop, 10);
    }
    world->wants = 0;
    world->told[0] = '\0';
    while ((len = log_feed_pull(world->feed, at, sizeof at)) > 0) {
        struct fl_reader reader = fl_reader(at, len);

        while (reader.pos < reader.len) {
            assert_true(fl_log_message_next(&reader, &message, &err));
            strcat(strcat(world->told, fl_log_message_name(message.kind)), " ");
            world->source = message.source;
        }
    }
    return world->told;
}

static void say(struct world *world, enum fl_log_message_kind kind)
{
    struct fl_log_message message = {.kind = kind, .source = world->source};
    struct fl_buf out;

    fl_buf_init(&out, 1000);
    fl_assert(fl_log_message_put(&out, &message));
    log_feed_frame(world->feed, (struct fl_str){(const char *)out.at, out.len});
    fl_buf_fini(&out);
}

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
    log_feed_closed(world.feed);
    log_feed_opened(world.feed);
    assert_string_equal(pull(&world), "open ");
    say(&world, FL_LOG_cursor);
    say(&world,
        FL_LOG_end_ack); /* the hub has forgotten the number with it, and would answer no END */
    assert_int_equal(world.taken, 1);
    assert_string_equal(pull(&world), "close ");
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
    assert_string_equal(pull(&world), "");
    assert_string_equal(pull(&world), "");
    assert_string_equal(pull(&world), "records end ");
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
    say(&world, FL_LOG_close); /* only agents say that */
    fl_loop_turn(world.loop, 0);
    assert_int_equal(world.wants, 0);
    log_feed_closed(world.feed);
    log_feed_opened(world.feed);
    assert_string_equal(pull(&world), "open ");
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(output_is_sent_once_the_hub_says_from_where_and_told_as_taken),
         cmocka_unit_test(an_end_of_an_earlier_session_may_be_acknowledged_in_this_one),
         cmocka_unit_test(output_that_cannot_be_read_now_is_read_later_by_itself),
         cmocka_unit_test(a_replica_that_is_gone_is_closed),
         cmocka_unit_test(after_nonsense_from_the_hub_logs_go_on_in_the_next_session))
