#include "shared/io/net.h"

#include <arpa/inet.h>
#include <poll.h>

#include "tests/fl_test.h"

enum { WAIT_MS = 60000 };

static void addresses_are_read_and_printed(void **state)
{
    static const char *const good[] = {"127.0.0.1:80", "0.0.0.0:0", "[::1]:65535", "[fe80::1]:1"};
    static const char *const bad[] = {
        "",         "80",           "127.0.0.1",       "127.0.0.1:", ":80",
        "1.2.3:80", "::1:80",       "127.0.0.1:65536", "[::1:80",    "[]:80",
        "name:80",  "127.0.0.1:8o", "[1.2.3.4]:80"};
    struct fl_net_address address;
    struct fl_err err = {0};
    char text[FL_NET_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(fl_net_parse(fl_str_c(good[i]), &address, &err));
        fl_net_print(&address, text);
        assert_string_equal(text, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.code = FL_OK;
        assert_false(fl_net_parse(fl_str_c(bad[i]), &address, &err));
        assert_int_equal(err.code, FL_INVALID);
    }
}

static void hosts_and_ports_are_split(void **state)
{
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    struct fl_err err = {0};
    struct fl_net_addresses addresses;

    (void)state;
    assert_true(fl_net_split(FL_STR("fleet.example:8474"), host, &port, &err));
    assert_string_equal(host, "fleet.example");
    assert_int_equal(port, 8474);
    assert_true(fl_net_split(FL_STR("[::1]:1"), host, &port, &err));
    assert_string_equal(host, "::1");
    assert_false(fl_net_split(FL_STR("fleet.example:0"), host, &port, &err));
    assert_false(fl_net_split(FL_STR("fleet.example"), host, &port, &err));
    assert_true(fl_net_resolve(FL_STR("127.0.0.1:5"), &addresses, &err));
    assert_int_equal(addresses.len, 1);
    assert_int_equal(fl_net_port(&addresses.at[0]), 5);
}

static void loopback_is_recognised(void **state)
{
    static const struct {
        const char *text;
        bool is_loopback;
    } rows[] = {{"127.0.0.1:1", true},      {"127.8.9.10:1", true},
                {"[::1]:1", true},          {"[::ffff:127.0.0.1]:1", true},
                {"10.0.0.1:1", false},      {"0.0.0.0:1", false},
                {"[::]:1", false},          {"[::ffff:10.0.0.1]:1", false},
                {"[fe80::7f00:1]:1", false}};
    struct fl_net_address address;
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fl_net_parse(fl_str_c(rows[i].text), &address, &err));
        assert_int_equal(fl_net_is_loopback(&address), rows[i].is_loopback);
    }
}

static void wait_for(int fd, short events)
{
    struct pollfd ready = {.fd = fd, .events = events};

    assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
}

static int listen_on(const char *text, bool is_shared, struct fl_net_address *ret_local)
{
    struct fl_net_address address;
    struct fl_err err = {0};
    int fd = -1;

    assert_true(fl_net_parse(fl_str_c(text), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){.is_shared = is_shared}, &fd, &err));
    assert_true(fl_net_local(fd, ret_local, &err));
    assert_int_not_equal(fl_net_port(ret_local), 0);
    return fd;
}

static void a_connection_is_made_accepted_and_nothing_blocks(void **state)
{
    struct fl_net_address local, peer, seen;
    struct fl_err err = {0};
    int listener = listen_on("127.0.0.1:0", false, &local), ours = -1, theirs = -1;
    char byte, text[FL_NET_TEXT_MAX], other[FL_NET_TEXT_MAX];

    (void)state;
    assert_int_equal(fl_net_accept(listener, &theirs, NULL), FL_NET_NOBODY);
    assert_true(fl_net_connect(&local, &ours, &err));
    wait_for(ours, POLLOUT);
    assert_true(fl_net_connected(ours, &err));
    wait_for(listener, POLLIN);
    assert_int_equal(fl_net_accept(listener, &theirs, &peer), FL_NET_ACCEPTED);
    assert_true(fl_net_is_loopback(&peer));
    assert_true(fl_net_local(ours, &seen, &err));
    fl_net_print(&peer, text);
    fl_net_print(&seen, other);
    assert_string_equal(text, other);
    assert_int_equal(recv(theirs, &byte, 1, 0), -1); /* would wait */
    fl_net_set_user_timeout(ours, 30000);
    assert_int_equal(send(ours, "x", 1, 0), 1);
    wait_for(theirs, POLLIN);
    assert_int_equal(recv(theirs, &byte, 1, 0), 1);
    close(ours);
    close(theirs);
    close(listener);
}

static void two_threads_may_share_a_port_and_others_may_not(void **state)
{
    struct fl_net_address local, again;
    struct fl_err err = {0};
    int first = listen_on("127.0.0.1:0", true, &local), second = -1, third = -1;

    (void)state;
    assert_true(fl_net_listen(&local, (struct fl_net_listen){.is_shared = true}, &second, &err));
    assert_true(fl_net_local(second, &again, &err));
    assert_int_equal(fl_net_port(&local), fl_net_port(&again));
    assert_false(fl_net_listen(&local, (struct fl_net_listen){0}, &third, &err));
    assert_int_equal(err.code, FL_CONFLICT);
    close(first);
    close(second);
}

static void a_refused_connection_says_so(void **state)
{
    struct fl_net_address local;
    struct fl_err err = {0};
    int listener = listen_on("127.0.0.1:0", false, &local), fd = -1;
    bool is_begun;

    (void)state;
    close(listener); /* the listener is gone */
    is_begun = fl_net_connect(&local, &fd, &err);
    if (is_begun) {
        wait_for(fd, POLLOUT);
        assert_false(fl_net_connected(fd, &err));
        close(fd);
    }
    assert_int_equal(err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(err.text, "refused"));
}

static void silence_counts_from_the_peers_last_acknowledgement(void **state)
{
    struct fl_net_address local;
    struct fl_err err = {0};
    int listener = listen_on("127.0.0.1:0", false, &local), fd = -1;
    fl_ms silent;

    (void)state;
    assert_int_equal(fl_net_silence_ms(-1), 0);
    assert_true(fl_net_connect(&local, &fd, &err));
    wait_for(fd, POLLOUT);
    poll(NULL, 0, 300);
    silent = fl_net_silence_ms(fd);
    assert_true(silent >= 200);
    assert_int_equal(send(fd, "x", 1, 0), 1); /* the kernel of the peer acknowledges it */
    assert_true(fl_net_silence_ms(fd) < silent);
    close(fd);
    close(listener);
}

FL_TESTS(cmocka_unit_test(addresses_are_read_and_printed),
         cmocka_unit_test(hosts_and_ports_are_split), cmocka_unit_test(loopback_is_recognised),
         cmocka_unit_test(a_connection_is_made_accepted_and_nothing_blocks),
         cmocka_unit_test(two_threads_may_share_a_port_and_others_may_not),
         cmocka_unit_test(a_refused_connection_says_so),
         cmocka_unit_test(silence_counts_from_the_peers_last_acknowledgement))
