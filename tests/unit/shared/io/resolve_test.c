#include "shared/io/resolve.h"

#include <pthread.h>

#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"

enum { WAIT_MS = 120000, PATIENCE_MS = 60000 };

/* No name may be of 64 letters between its dots: refused without a name server, but by the
 * helper. */
#define NO_NAME "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.invalid:80"

struct asker {
    struct fl_loop *loop;
    struct fl_resolver *resolver;
    size_t answers;
    bool is_found;
    struct fl_net_addresses found;
    struct fl_err err;
};

static void on_answer(void *ctx, const struct fl_net_addresses *found, const struct fl_err *err)
{
    struct asker *asker = ctx;

    asker->answers++;
    asker->is_found = found != NULL;
    if (found) asker->found = *found;
    asker->err = *err;
}

static void begin(struct asker *asker, fl_ms timeout_ms)
{
    *asker = (struct asker){.loop = fl_loop_create()};
    asker->resolver = fl_resolver_create(asker->loop, timeout_ms, on_answer, asker);
}

static void end(struct asker *asker)
{
    fl_resolver_destroy(asker->resolver);
    fl_loop_destroy(asker->loop);
}

/* The next answer. */
static void await(struct asker *asker)
{
    size_t before = asker->answers;
    fl_ms until = fl_clock_mono() + WAIT_MS;

    while (asker->answers == before) {
        assert_true(fl_clock_mono() < until);
        fl_loop_turn(asker->loop, 20);
    }
    assert_int_equal(asker->answers, before + 1);
}

static void ask(struct asker *asker, const char *text)
{
    size_t before = asker->answers;

    fl_resolver_ask(asker->resolver, fl_str_c(text));
    assert_int_equal(asker->answers, before); /* never from within */
    await(asker);
}

static void numbers_are_answered_at_once(void **state)
{
    struct asker asker;
    char text[FL_NET_TEXT_MAX];

    (void)state;
    begin(&asker, PATIENCE_MS);
    fl_resolver_ask(asker.resolver, FL_STR("10.1.2.3:80"));
    fl_loop_turn(asker.loop, 0);
    assert_int_equal(asker.answers, 1);
    assert_true(asker.is_found);
    assert_int_equal(asker.found.len, 1);
    fl_net_print(&asker.found.at[0], text);
    assert_string_equal(text, "10.1.2.3:80");
    ask(&asker, "[::1]:443");
    fl_net_print(&asker.found.at[0], text);
    assert_string_equal(text, "[::1]:443");
    end(&asker);
}

static void a_name_becomes_its_addresses(void **state)
{
    struct asker asker;

    (void)state;
    begin(&asker, PATIENCE_MS);
    ask(&asker, "localhost:8474");
    if (!asker.is_found) fail_msg("%s", asker.err.text);
    for (size_t i = 0; i < asker.found.len; i++) {
        assert_true(fl_net_is_loopback(&asker.found.at[i]));
        assert_int_equal(fl_net_port(&asker.found.at[i]), 8474);
    }
    end(&asker);
}

static void what_has_no_address_is_said(void **state)
{
    struct asker asker;

    (void)state;
    begin(&asker, PATIENCE_MS);
    ask(&asker, NO_NAME);
    assert_false(asker.is_found);
    assert_int_equal(asker.err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(asker.err.text, "no address of aaaa"));
    ask(&asker, "no port");
    assert_false(asker.is_found);
    assert_int_equal(asker.err.code, FL_INVALID);
    end(&asker);
}

static void of_two_that_are_asked_for_the_second_is_answered(void **state)
{
    struct asker asker;

    (void)state;
    begin(&asker, PATIENCE_MS);
    fl_resolver_ask(asker.resolver, FL_STR(NO_NAME));
    fl_loop_turn(asker.loop, 0); /* its helper is under way */
    ask(&asker, "localhost:1");
    assert_true(asker.is_found);
    fl_resolver_ask(asker.resolver, FL_STR(NO_NAME));
    fl_loop_turn(asker.loop, 0);
    fl_resolver_forget(asker.resolver);
    ask(&asker, "127.0.0.1:2"); /* needs no helper, and waits for none */
    assert_true(asker.is_found);
    assert_int_equal(fl_net_port(&asker.found.at[0]), 2);
    ask(&asker, "localhost:3");
    assert_int_equal(fl_net_port(&asker.found.at[0]), 3);
    end(&asker);
}

/* A turn after each put shows the helper at any point of its way; LeakSanitizer sees what it
 * leaves. */
static void it_can_stop_while_a_helper_waits(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct asker asker;

        begin(&asker, PATIENCE_MS);
        fl_resolver_ask(asker.resolver, i % 2 ? FL_STR("localhost:1") : FL_STR(NO_NAME));
        fl_loop_turn(asker.loop, 0);
        if (i % 5 == 4) fl_loop_turn(asker.loop, 1);
        end(&asker);
        assert_in_range(asker.answers, 0, 1);
    }
}

FL_TESTS(cmocka_unit_test(numbers_are_answered_at_once),
         cmocka_unit_test(a_name_becomes_its_addresses),
         cmocka_unit_test(what_has_no_address_is_said),
         cmocka_unit_test(of_two_that_are_asked_for_the_second_is_answered),
         cmocka_unit_test(it_can_stop_while_a_helper_waits))
