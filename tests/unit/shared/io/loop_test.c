#include "shared/io/loop.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "shared/base/alloc.h"
#include "shared/base/prng.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"

enum { WAIT_MS = 60000, TIMERS = 500 };

/* The calls, in order, as letters. */
struct story {
    struct fl_loop *loop;
    char text[256];
    struct fl_timer timer;
    struct fl_after after;
    int count, stop_at;
    fl_ms now_seen, wall_seen;
};

static void tell(struct story *story, char letter)
{
    size_t len = strlen(story->text);

    assert_true(len + 1 < sizeof story->text);
    story->text[len] = letter;
    story->text[len + 1] = '\0';
}

static void tell_timer(void *ctx)
{
    tell(ctx, 't');
}

static void tell_after(void *ctx)
{
    tell(ctx, 'a');
}

static void stop(void *ctx)
{
    struct story *story = ctx;

    tell(story, 's');
    fl_loop_stop(story->loop);
}

static void a_timer_comes_once_and_not_before_its_time(void **state)
{
    struct story story = {.loop = fl_loop_create()};
    fl_ms at = fl_loop_now(story.loop) + 30, end = fl_clock_mono() + WAIT_MS;
    struct fl_timer timer;

    (void)state;
    fl_timer_init(&timer, story.loop, tell_timer, &story);
    assert_false(fl_timer_is_on(&timer));
    fl_timer_at(&timer, at);
    while (!story.text[0] && fl_clock_mono() < end) {
        assert_true(fl_timer_is_on(&timer));
        fl_loop_turn(story.loop, 1000);
    }
    assert_string_equal(story.text, "t");
    assert_true(fl_loop_now(story.loop) >= at);
    assert_false(fl_timer_is_on(&timer));
    fl_loop_turn(story.loop, 0);
    assert_string_equal(story.text, "t");
    fl_loop_destroy(story.loop);
}

/* INT64_MIN is how a deadline says 'at once'. */
static void a_time_however_long_past_is_due_in_the_next_turn(void **state)
{
    struct story story = {.loop = fl_loop_create()};
    struct fl_timer timer;

    (void)state;
    fl_timer_init(&timer, story.loop, tell_timer, &story);
    fl_timer_at(&timer, INT64_MIN);
    fl_loop_turn(story.loop, WAIT_MS);
    assert_string_equal(story.text, "t");
    fl_loop_destroy(story.loop);
}

static void a_timer_set_again_counts_from_then_and_one_taken_off_never_comes(void **state)
{
    struct story story = {.loop = fl_loop_create()};
    struct fl_timer early, late, never, zeroed = {0};

    (void)state;
    fl_timer_init(&early, story.loop, tell_timer, &story);
    fl_timer_init(&never, story.loop, tell_timer, &story);
    fl_timer_init(&late, story.loop, stop, &story);
    fl_timer_in(&early, INT64_MAX);
    fl_timer_in(&never, 1);
    fl_timer_in(&late, 20);
    fl_timer_at(&early, fl_loop_now(story.loop) - 5000);
    fl_timer_off(&never);
    fl_timer_off(&never);
    fl_timer_off(&zeroed);
    fl_loop_run(story.loop);
    assert_string_equal(story.text, "ts");
    fl_loop_destroy(story.loop);
}

struct many {
    struct fl_loop *loop;
    struct fl_timer timers[TIMERS];
    fl_ms due[TIMERS]; /* 0: off */
    fl_ms last_at;
    size_t left;
};

struct one {
    struct many *many;
    size_t i;
};

static void on_one(void *ctx)
{
    struct one *one = ctx;
    struct many *many = one->many;
    fl_ms at = many->due[one->i];

    assert_true(at != 0 && at <= fl_loop_now(many->loop));
    assert_true(at >= many->last_at); /* the earlier ones came before */
    many->last_at = at;
    many->due[one->i] = 0;
    many->left--;
}

static void many_timers_come_in_order_whatever_was_set_and_taken_off(void **state)
{
    struct many *many = fl_new(struct many);
    struct one *ones = fl_new_array(struct one, TIMERS);
    struct fl_prng prng;
    fl_ms end, now;

    (void)state;
    fl_prng_seed(&prng, 7);
    many->loop = fl_loop_create();
    now = fl_loop_now(many->loop);
    for (size_t i = 0; i < TIMERS; i++) {
        ones[i] = (struct one){many, i};
        fl_timer_init(&many->timers[i], many->loop, on_one, &ones[i]);
    }
    for (size_t n = 0; n < 20 * TIMERS; n++) {
        size_t i = fl_prng_below(&prng, TIMERS);

        if (fl_prng_below(&prng, 3) == 0) {
            fl_timer_off(&many->timers[i]);
            many->due[i] = 0;
        } else {
            many->due[i] = now + 1 + (fl_ms)fl_prng_below(&prng, 50);
            fl_timer_at(&many->timers[i], many->due[i]);
        }
    }
    for (size_t i = 0; i < TIMERS; i++) {
        assert_true(fl_timer_is_on(&many->timers[i]) == (many->due[i] != 0));
        many->left += many->due[i] != 0;
    }
    assert_true(many->left > TIMERS / 3);
    end = fl_clock_mono() + WAIT_MS;
    while (many->left > 0 && fl_clock_mono() < end) {
        fl_loop_turn(many->loop, 1000);
    }
    assert_int_equal(many->left, 0);
    fl_loop_destroy(many->loop);
    fl_free(ones);
    fl_free(many);
}

static void again_at_once(void *ctx)
{
    struct story *story = ctx;

    story->count++;
    fl_timer_in(&story->timer, 0);
    if (story->count == 3) fl_loop_stop(story->loop);
}

static void a_timer_that_always_sets_itself_to_now_lets_turns_end(void **state)
{
    struct story story = {.loop = fl_loop_create()};

    (void)state;
    fl_timer_init(&story.timer, story.loop, again_at_once, &story);
    fl_timer_in(&story.timer, 0);
    fl_loop_run(story.loop);
    assert_int_equal(story.count, 3);
    fl_timer_off(&story.timer);
    fl_loop_destroy(story.loop);
}

static void free_oneself(void *ctx)
{
    struct story *story = ctx;

    fl_loop_stop(story->loop);
    fl_free(story); /* its timer, too */
}

static void a_callback_may_free_its_owner(void **state)
{
    struct story *story = fl_new(struct story);
    struct fl_loop *loop = fl_loop_create();

    (void)state;
    story->loop = loop;
    fl_timer_init(&story->timer, loop, free_oneself, story);
    fl_timer_in(&story->timer, 1);
    fl_loop_run(loop);
    story = fl_new(struct story);
    story->loop = loop;
    fl_after_init(&story->after, loop, free_oneself, story);
    fl_after_put(&story->after);
    fl_loop_run(loop);
    fl_loop_destroy(loop);
}

struct socket_story {
    struct story story;
    struct fl_watch watch;
    unsigned seen;
    int fd;
};

static void on_socket(void *ctx, unsigned events)
{
    struct socket_story *socket = ctx;
    char byte;

    socket->seen |= events;
    if (events & FL_WATCH_READ) {
        assert_int_equal(read(socket->fd, &byte, 1), 1);
        tell(&socket->story, byte);
        fl_after_put(&socket->story.after);
    }
    if (events & FL_WATCH_WRITE) fl_watch_set(&socket->watch, FL_WATCH_READ);
}

static void watches_tell_what_is_ready_and_can_be_changed_and_taken_off(void **state)
{
    struct socket_story socket = {.story.loop = fl_loop_create()};
    struct fl_loop *loop = socket.story.loop;
    struct fl_watch zeroed = {0};
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    socket.fd = fds[0];
    fl_after_init(&socket.story.after, loop, tell_after, &socket.story);
    fl_watch_init(&socket.watch, loop, fds[0], on_socket, &socket);
    fl_loop_turn(loop, 0);
    assert_int_equal(socket.seen, 0);
    fl_watch_set(&socket.watch, FL_WATCH_READ | FL_WATCH_WRITE);
    fl_loop_turn(loop, WAIT_MS);
    assert_int_equal(socket.seen, FL_WATCH_WRITE);
    fl_loop_turn(loop, 0); /* writing is not watched any more */
    assert_string_equal(socket.story.text, "");
    assert_int_equal(write(fds[1], "xy", 2), 2);
    fl_loop_turn(loop, WAIT_MS);
    assert_string_equal(socket.story.text, "xa"); /* the after comes in the same turn */
    fl_watch_off(&socket.watch);
    fl_watch_off(&zeroed);
    fl_loop_turn(loop, 0);
    assert_string_equal(socket.story.text, "xa");
    fl_watch_set(&socket.watch, FL_WATCH_READ);
    fl_loop_turn(loop, WAIT_MS);
    assert_string_equal(socket.story.text, "xaya");
    fl_watch_off(&socket.watch);
    close(fds[0]);
    close(fds[1]);
    fl_loop_destroy(loop);
}

static void on_file(void *ctx, unsigned events)
{
    *(unsigned *)ctx |= events;
}

static void a_file_is_always_ready(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_watch watch;
    unsigned seen = 0;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    fl_watch_init(&watch, loop, fd, on_file, &seen);
    fl_watch_set(&watch, FL_WATCH_READ);
    fl_loop_turn(loop, WAIT_MS);
    assert_int_equal(seen, FL_WATCH_READ);
    fl_watch_off(&watch);
    close(fd);
    fl_loop_destroy(loop);
}

static void put_again(void *ctx)
{
    struct story *story = ctx;

    tell(story, 'a');
    story->now_seen = fl_loop_now(story->loop);
    if (++story->count < story->stop_at) fl_after_put(&story->after);
}

static void an_after_put_from_an_after_comes_in_the_next_turn_which_does_not_wait(void **state)
{
    /* A turn by itself has two ends: before it waits, and its own. */
    struct story story = {.loop = fl_loop_create(), .stop_at = 4};
    fl_ms begin = fl_clock_mono();

    (void)state;
    fl_after_init(&story.after, story.loop, put_again, &story);
    fl_after_put(&story.after);
    fl_after_put(&story.after); /* put already */
    fl_loop_turn(story.loop, WAIT_MS);
    fl_loop_turn(story.loop, WAIT_MS);
    fl_loop_turn(story.loop, 0);
    assert_string_equal(story.text, "aaaa");
    assert_true(fl_clock_mono() - begin < WAIT_MS / 2);
    story.stop_at = 5;
    story.count = 0;
    fl_after_put(&story.after);
    fl_after_off(&story.after);
    fl_after_off(&story.after);
    fl_loop_turn(story.loop, 0);
    assert_string_equal(story.text, "aaaa");
    fl_loop_destroy(story.loop);
}

static void slow(void *ctx)
{
    struct story *story = ctx;
    int64_t end = fl_clock_mono_us() + 3000;

    story->now_seen = fl_loop_now(story->loop);
    story->wall_seen = fl_loop_wall(story->loop);
    while (fl_clock_mono_us() < end) {
    }
    assert_int_equal(fl_loop_now(story->loop), story->now_seen);
    assert_int_equal(fl_loop_wall(story->loop), story->wall_seen);
    fl_loop_stop(story->loop);
}

static void the_clock_stands_still_during_a_turn_and_the_longest_is_told_once(void **state)
{
    struct story story = {.loop = fl_loop_create()};
    struct fl_timer timer;

    (void)state;
    fl_timer_init(&timer, story.loop, slow, &story);
    fl_timer_in(&timer, 0);
    fl_loop_run(story.loop);
    fl_loop_turn(story.loop, 0);
    assert_true(story.now_seen > 0 && story.wall_seen > 1600000000000);
    assert_true(fl_loop_take_longest_us(story.loop) >= 3000);
    assert_int_equal(fl_loop_take_longest_us(story.loop), 0);
    assert_in_range(fl_loop_longest_cpu_us(story.loop), 1, 1000000);
    assert_int_equal(fl_loop_now_us(story.loop) / 1000, fl_loop_now(story.loop));
    fl_loop_destroy(story.loop);
}

static void a_stop_before_the_run_is_not_forgotten(void **state)
{
    struct story story = {.loop = fl_loop_create()};

    (void)state;
    fl_loop_stop(story.loop);
    fl_loop_run(story.loop);
    fl_loop_destroy(story.loop);
    fl_loop_destroy(NULL);
}

FL_TESTS(cmocka_unit_test(a_timer_comes_once_and_not_before_its_time),
         cmocka_unit_test(a_time_however_long_past_is_due_in_the_next_turn),
         cmocka_unit_test(a_timer_set_again_counts_from_then_and_one_taken_off_never_comes),
         cmocka_unit_test(many_timers_come_in_order_whatever_was_set_and_taken_off),
         cmocka_unit_test(a_timer_that_always_sets_itself_to_now_lets_turns_end),
         cmocka_unit_test(a_callback_may_free_its_owner),
         cmocka_unit_test(watches_tell_what_is_ready_and_can_be_changed_and_taken_off),
         cmocka_unit_test(a_file_is_always_ready),
         cmocka_unit_test(an_after_put_from_an_after_comes_in_the_next_turn_which_does_not_wait),
         cmocka_unit_test(the_clock_stands_still_during_a_turn_and_the_longest_is_told_once),
         cmocka_unit_test(a_stop_before_the_run_is_not_forgotten))
