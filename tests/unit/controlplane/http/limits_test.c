/* The limits of one connection, streams, and the server's end: over real sockets, in TLS. */
#include <fcntl.h>

#include "tests/unit/controlplane/http/http_world.h"

#define HOST "Host: a\r\n"
#define OK "GET /ok HTTP/1.1\r\n" HOST "\r\n"

enum { SHORT_MS = 200, BIG_STREAM_BYTES = 24000000 };

static struct http_counts counts(const struct world *world)
{
    return http_server_counts(world->server);
}

static void a_slow_head_is_answered_and_closed(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *slow, *silent, *other;

    (void)state;
    limits.head_ms = SHORT_MS;
    world = world_create(&limits);
    other = client_open(world, true);
    client_expect_alive(other, "");
    slow = client_open(world, true);
    client_send(slow, FL_STR("GET /ok HTTP/1.1\r\nHost: "));
    client_expect(slow, "408 close", "a head that does not end");
    silent = client_open(world, false);
    client_expect(silent, "close", "a connection that never asks");
    client_expect_alive(other, "200"); /* between requests there is more time */
    assert_int_equal(counts(world).timeouts, 1);
    client_close(slow);
    client_close(silent);
    client_close(other);
    world_destroy(world);
}

static void a_refusal_is_a_problem_like_the_apis(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);

    (void)state;
    client_send(client, FL_STR("TRACE /ok HTTP/1.1\r\n" HOST "\r\n"));
    client_expect(client, "501 close", "a method that is not known");
    assert_true(client_has(client, "\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_true(client_has(client, "{\"type\":\"https://fairlead.dev/docs/reference/"
                                   "api#unsupported\",\"title\":\"Not Implemented\","));
    assert_true(client_has(client, ",\"code\":\"unsupported\","));
    client_close(client);
    world_destroy(world);
}

static void a_slow_body_is_answered_and_closed(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *plain, *chunked;

    (void)state;
    limits.body_grace_ms = SHORT_MS;
    limits.body_rate_min = 1000000;
    world = world_create(&limits);
    plain = client_open(world, true);
    chunked = client_open(world, false);
    client_send(plain, FL_STR("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 500\r\n\r\nhello"));
    client_send(chunked, FL_STR("POST /echo HTTP/1.1\r\n" HOST
                                "Transfer-Encoding: chunked\r\n\r\n5\r\nhel"));
    client_expect(plain, "408 close", "a body that does not end");
    client_expect(chunked, "408 close", "chunks that do not end");
    assert_int_equal(counts(world).timeouts, 2);
    client_close(plain);
    client_close(chunked);
    world_destroy(world);
}

static void a_handshake_that_does_not_go_on_is_closed(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;

    (void)state;
    limits.handshake_ms = SHORT_MS;
    world = world_create(&limits);
    world->plain_at = world->tls_at;
    client = client_open(world, false);
    client_send(client,
                FL_STR("\x16\x03\x01\x00\x02\x01\x00")); /* a whole record, half a message */
    client_expect(client, "close", "a handshake that stops");
    assert_int_equal(counts(world).timeouts, 1);
    client_close(client);
    world_destroy(world);
}

static void an_idle_connection_is_closed_in_silence(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;

    (void)state;
    limits.idle_ms = SHORT_MS;
    world = world_create(&limits);
    client = client_open(world, true);
    client_send(client, FL_STR(OK));
    client_expect(client, "200 close", "idle");
    client_close(client);
    world_until(world, counts(world).connections == 0);
    world_destroy(world);
}

static void claim(struct client *client, const char *path, const char *want)
{
    char request[128];

    snprintf(request, sizeof request, "GET /mine/%s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    client_send(client, fl_str_c(request));
    client_expect(client, want, path);
}

static void the_oldest_idle_stranger_makes_room_for_a_new_connection(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *member, *busy, *idle, *fresh;

    (void)state;
    limits.connections_max = 3;
    world = world_create(&limits);
    member = client_open(world, false);
    claim(member, "7", "200");
    busy = client_open(world, false);
    client_send(busy, FL_STR("GET /never HTTP/1.1\r\nHost: x\r\n\r\n"));
    idle = client_open(world, false);
    client_expect_alive(idle, "");
    fresh = client_open(world, false);
    world_until(world, (client_read(idle, SIZE_MAX), idle->has_ended));
    client_expect_alive(fresh, "");
    client_expect_alive(member, "200");
    assert_int_equal(counts(world).shed, 1);
    assert_int_equal(counts(world).connections, 3);
    client_close(fresh);
    client_close(idle);
    client_close(busy);
    client_close(member);
    world_destroy(world);
}

static void when_all_connections_are_members_a_new_one_is_closed(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *first, *second, *third;

    (void)state;
    limits.connections_max = 2;
    world = world_create(&limits);
    first = client_open(world, false);
    second = client_open(world, false);
    claim(first, "1", "200");
    claim(second, "2", "200");
    third = client_open(world, false);
    world_until(world, (client_read(third, SIZE_MAX), third->has_ended));
    assert_int_equal(counts(world).shed, 1);
    client_close(third);
    client_close(second);
    world_until(world, counts(world).connections == 1);
    third = client_open(world, false);
    client_expect_alive(third, "");
    client_close(third);
    client_close(first);
    world_destroy(world);
}

static void share_descriptors(struct world *world, uint64_t descriptors)
{
    http_server_admit(world->server,
                      &(struct http_admission){.descriptors = descriptors, .listeners = 1});
}

static void above_three_quarters_of_the_descriptors_a_stranger_makes_room(void **state)
{
    struct world *world = world_create(NULL);
    struct client *member = client_open(world, false), *idle = client_open(world, false), *fresh;
    int fd = dup(member->fd); /* the lowest that is free */

    (void)state;
    claim(member, "7", "200");
    client_expect_alive(idle, "");
    close(fd);
    share_descriptors(world, (uint64_t)(fd + 40) / 3 * 4);
    fresh = client_open(world, false); /* below them */
    client_expect_alive(fresh, "");
    assert_int_equal(counts(world).shed, 0);
    client_close(fresh);
    share_descriptors(world, 8); /* all that come are above */
    fresh = client_open(world, false);
    world_until(world, (client_read(idle, SIZE_MAX), idle->has_ended));
    client_expect_alive(fresh, "");
    client_expect_alive(member, "200");
    client_close(fresh);
    client_close(idle);
    client_close(member);
    world_destroy(world);
}

/* The descriptors of the clients are far above, so that the server's are the lowest. */
static struct client *open_from_above(struct world *world)
{
    struct client *client = client_open(world, false);
    int above = fcntl(client->fd, F_DUPFD_CLOEXEC, 400);

    assert_true(above >= 400);
    close(client->fd);
    client->fd = above;
    return client;
}

static void a_descriptor_that_was_made_free_is_no_further_place(void **state)
{
    enum { CLIENTS = 40, PLACES = 8 };
    struct world *world = world_create(NULL);
    struct client *clients[CLIENTS];
    int lowest = dup(STDERR_FILENO);
    uint64_t quarter = (uint64_t)(lowest + PLACES) / 3 + 1;

    (void)state;
    close(lowest);
    share_descriptors(world, 4 * quarter);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = open_from_above(world);
        client_expect_alive(clients[i], "");
        assert_true(counts(world).connections <= 3 * quarter - (uint64_t)lowest + 3);
    }
    assert_true(counts(world).shed >= CLIENTS - PLACES - 6);
    for (int i = 0; i < CLIENTS; i++) {
        client_close(clients[i]);
    }
    world_destroy(world);
}

static int dial(const struct fl_net_address *at)
{
    struct fl_err err = {0};
    int fd;

    assert_true(fl_net_connect(at, &fd, &err));
    return fd;
}

static bool is_closed(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void the_longest_silent_before_tls_leaves_its_descriptor(void **state)
{
    enum { SILENT = 5, SHARE = 2 };
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;
    int fds[SILENT];

    (void)state;
    limits.handshake_ms = 10 * WORLD_WAIT_MS; /* none goes for its silence alone */
    world = world_create(&limits);
    share_descriptors(world, 8 * SHARE); /* all that come are above three quarters */
    for (int i = 0; i < SILENT; i++) {
        fds[i] = dial(&world->tls_at);
        world_until(world, i < SHARE || is_closed(fds[i - SHARE]));
    }
    assert_false(is_closed(fds[SILENT - SHARE]));
    client = client_open(world, true);
    client_expect_alive(client, "");
    for (int i = 0; i < SILENT; i++) {
        world_until(world, i == SILENT - 1 || is_closed(fds[i]));
    }
    assert_false(is_closed(fds[SILENT - 1])); /* the client has one of the server's own places */
    for (int i = 0; i < SILENT; i++) {
        close(fds[i]);
    }
    client_close(client);
    world_destroy(world);
}

static void a_token_has_a_quarter_of_the_connections_at_most(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *own[3], *other;

    (void)state;
    limits.connections_max = 8;
    world = world_create(&limits);
    for (int i = 0; i < 3; i++) {
        own[i] = client_open(world, false);
    }
    claim(own[0], "7", "200");
    claim(own[1], "7", "200");
    claim(own[1], "7", "200 200"); /* its own already */
    claim(own[2], "7", "429 close");
    other = client_open(world, false);
    claim(other, "8", "200");
    client_close(own[0]);
    client_close(own[2]);
    world_until(world, counts(world).connections == 2);
    claim(other, "7", "200 200"); /* there is room again, and a connection may change hands */
    client_close(other);
    client_close(own[1]);
    world_destroy(world);
}

/* Sends a request for so many KiB, and reads nothing. */
static struct client *leave_unread(struct world *world, const char *path)
{
    struct client *client = client_open(world, false);
    uint64_t before = counts(world).requests;
    char request[128];

    snprintf(request, sizeof request, "GET /mine/%s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    client_send(client, fl_str_c(request));
    world_until(world, counts(world).requests > before);
    return client;
}

static void answers_that_a_token_does_not_read_count_until_it_takes_them(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *stalled, *own, *other;

    (void)state;
    limits.unsent_bytes_max = 40 << 20;
    world = world_create(&limits);
    stalled = leave_unread(world, "7/32768"); /* more than its share, which one answer may be */
    world_until(world, counts(world).bytes_out > 0);
    assert_true(counts(world).unsent_bytes > 10 << 20);
    own = client_open(world, false);
    claim(own, "7", "429"); /* and the connection stays */
    assert_int_equal(world->claim, HTTP_CLAIM_UNSENT);
    other = client_open(world, false);
    claim(other, "8", "200");
    claim(other, "8/1024", "200 200");
    client_close(stalled);
    world_until(world, counts(world).unsent_bytes == 0);
    claim(own, "7", "429 200");
    assert_int_equal(counts(world).claims_refused[HTTP_CLAIM_UNSENT], 1);
    client_close(own);
    client_close(other);
    world_destroy(world);
}

static void large_answers_are_whole_and_in_order(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;
    size_t pos = 0;

    (void)state;
    world = world_create(&limits);
    client = client_open(world, true);
    client_send(client, FL_STR("GET /mine/7/100 HTTP/1.1\r\nHost: x\r\n\r\n" OK
                               "HEAD /mine/7/100 HTTP/1.1\r\nHost: x\r\n\r\n" OK
                               "GET /mine/7/300 HTTP/1.1\r\nHost: x\r\n\r\n" OK
                               "GET /mine/7/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    world_until(world, (client_read(client, SIZE_MAX), client->has_ended));
    for (size_t i = 0; i < 7; i++) {
        static const size_t lengths[] = {100 << 10, 2, 0, 2, 300 << 10, 2, 1 << 10};
        struct answer answer;

        assert_true(client_answer(client, &pos, i == 2, &answer));
        assert_int_equal(answer.status, 200);
        assert_int_equal(answer.body.len, lengths[i]);
        for (size_t k = 0; k < answer.body.len && lengths[i] > 2; k++) {
            assert_int_equal(answer.body.at[k], 0);
        }
    }
    assert_int_equal(pos, client->in.len);
    client_close(client);
    world_destroy(world);
}

static void a_token_sends_so_many_requests_a_second(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *own, *again, *other;

    (void)state;
    limits.token_rate = 2;
    world = world_create(&limits);
    own = client_open(world, false);
    claim(own, "7", "200");
    claim(own, "7", "200 200");
    claim(own, "7", "200 200 429");
    assert_int_equal(world->claim, HTTP_CLAIM_RATE);
    client_close(own);
    world_until(world, counts(world).connections == 0);
    again = client_open(world, false); /* a new connection brings no new second */
    claim(again, "7", "429");
    other = client_open(world, false);
    claim(other, "8", "200");
    assert_int_equal(counts(world).claims_refused[HTTP_CLAIM_RATE], 2);
    client_close(again);
    client_close(other);
    world_destroy(world);
}

static void too_many_bodies_at_a_time_are_refused(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;

    (void)state;
    limits.bodies_bytes_max = 100;
    world = world_create(&limits);
    client = client_open(world, false);
    client_send(client, FL_STR("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 200\r\n\r\n"));
    for (size_t i = 0; i < 20; i++) {
        client_send(client, FL_STR("0123456789"));
    }
    client_expect(client, "503 close", "bodies");
    client_close(client);
    world_destroy(world);
}

static void send_zeros(struct client *client, size_t bytes)
{
    static const char zeros[1 << 20];

    for (; bytes > sizeof zeros; bytes -= sizeof zeros) {
        client_send(client, (struct fl_str){zeros, sizeof zeros});
    }
    client_send(client, (struct fl_str){zeros, bytes});
}

/* Sends a head, and so many bytes of its body of 'length'. */
static struct client *send_body(struct world *world, const char *path, size_t length, size_t bytes)
{
    struct client *client = client_open(world, false);
    uint64_t before = counts(world).bytes_in;
    char head[128];
    int head_bytes = snprintf(
        head, sizeof head, "POST %s HTTP/1.1\r\n" HOST "Content-Length: %zu\r\n\r\n", path, length);

    client_send(client, fl_str_c(head));
    send_zeros(client, bytes);
    if (bytes < length) {
        world_until(world, counts(world).bytes_in == before + (size_t)head_bytes + bytes);
    }
    return client;
}

static void bodies_of_one_token_have_a_quarter_at_most(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *slow, *own, *other;

    (void)state;
    limits.bodies_bytes_max = 4 << 20;
    world = world_create(&limits);
    slow = send_body(world, "/mine/7", 1 << 20, 600 << 10); /* any one body may come */
    own = send_body(world, "/mine/7", 400 << 10, 400 << 10);
    client_expect(own, "429 close", "a second one");
    assert_true(client_has(own, "\r\nRetry-After: 1\r\n"));
    assert_true(client_has(own, "http_token_percent of http_bodies_bytes_max"));
    assert_true(client_has(own, "\"code\":\"full\""));
    assert_int_equal(counts(world).claims_refused[HTTP_CLAIM_BODIES], 1);
    client_close(own);

    other = send_body(world, "/mine/8", 400 << 10, 400 << 10);
    client_expect(other, "200", "another token's");
    client_close(other);
    other = send_body(world, "/sum", 400 << 10, 400 << 10);
    client_expect(other, "200", "a stranger's");
    client_close(other);

    send_zeros(slow, 424 << 10);
    client_expect(slow, "200", "the rest of the first");
    own = send_body(world, "/mine/7", 400 << 10, 390 << 10);
    client_close(own); /* the body goes with its connection */
    world_until(world, counts(world).connections == 1);
    own = send_body(world, "/mine/7", 1 << 20, 1 << 20);
    client_expect(own, "200", "there is room again");
    client_close(own);
    client_close(slow);
    world_destroy(world);
}

/* Most clients send a whole body before they read; one that is cut off would never read why. */
static void a_refused_client_may_send_the_rest_of_its_body_and_reads_why(void **state)
{
    size_t bytes = http_limits_default().batch_bytes_max;

    (void)state;
    for (int is_tls = 0; is_tls < 2; is_tls++) {
        struct world *world = world_create(NULL);
        struct client *client = client_open(world, is_tls);
        char head[128];

        snprintf(head, sizeof head, "POST /ok HTTP/1.1\r\n" HOST "Content-Length: %zu\r\n\r\n",
                 bytes);
        client_send(client, fl_str_c(head));
        send_zeros(client, bytes - 1);
        client_expect(client, "413", "it comes while the body does");
        assert_int_equal(send(client->fd, "x", 1, MSG_NOSIGNAL), 1); /* and nothing is cut, */
        send_zeros(client, 4 << 20); /* until it is more than any body has */
        world_until(world, counts(world).connections == 0);
        client_close(client);
        world_destroy(world);
    }
}

/* Turns until the stream was refused room and nothing moves for a while: sockets are full. */
static void stall(struct world *world)
{
    uint64_t before = 0;
    unsigned still = 0;

    world_until(world, world->refused_puts > 0);
    world_until(world, (still = world->put_bytes == before ? still + 1 : 0,
                        before = world->put_bytes, still > 50));
}

static void a_stalled_reader_holds_little_and_gets_all_in_the_end(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);
    char request[64];

    (void)state;
    snprintf(request, sizeof request, "GET /stream/%d HTTP/1.1\r\n" HOST "\r\n", BIG_STREAM_BYTES);
    client_send(client, fl_str_c(request));
    stall(world);
    assert_true(world->put_bytes < BIG_STREAM_BYTES / 2);
    assert_int_equal(counts(world).streams, 1);
    world_until(world, client_ends_with(client, "\r\n0\r\n\r\n"));
    assert_int_equal(world->put_bytes, BIG_STREAM_BYTES);
    assert_true(client->in.len > BIG_STREAM_BYTES);
    fl_buf_clear(&client->in);
    client_expect_alive(client, "");
    client_close(client);
    world_destroy(world);
}

static void a_reader_that_stalls_for_too_long_is_gone(void **state)
{
    struct http_limits limits = http_limits_default();
    struct world *world;
    struct client *client;
    char request[64];

    (void)state;
    limits.write_ms = SHORT_MS;
    world = world_create(&limits);
    client = client_open(world, true);
    snprintf(request, sizeof request, "GET /stream/%d HTTP/1.1\r\n" HOST "\r\n", BIG_STREAM_BYTES);
    client_send(client, fl_str_c(request));
    world_until(world, world->gone == 1);
    assert_int_equal(counts(world).timeouts, 1);
    assert_int_equal(counts(world).streams, 0);
    client_close(client);
    world_until(world, counts(world).connections == 0);
    world_destroy(world);
}

static void a_follower_that_leaves_is_noticed_and_its_handle_finds_nothing(void **state)
{
    struct world *world = world_create(NULL);
    struct client *follower = client_open(world, true), *asker = client_open(world, true);
    struct http_request *request;

    (void)state;
    client_send(follower, FL_STR("GET /follow HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, client_has(follower, "\r\n\r\n"));
    assert_int_equal(counts(world).streams, 1);
    client_send(asker, FL_STR("GET /never HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, world->never_handle.n != 0);
    request = http_request_find(world->server, world->never_handle);
    assert_non_null(request);
    world_say(request, 200, FL_STR("at last"));
    assert_null(http_request_find(world->server, world->never_handle));
    client_expect(asker, "200", "answered by handle");
    assert_null(http_request_find(world->server, (struct http_handle){0}));
    assert_null(http_request_find(world->server, (struct http_handle){UINT64_MAX}));
    client_close(follower);
    world_until(world, world->gone == 1);
    assert_int_equal(counts(world).streams, 0);
    client_close(asker);
    world_until(world, counts(world).connections == 0);
    world_destroy(world);
}

static void a_client_that_leaves_without_its_answer_harms_nobody(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);

    (void)state;
    client_send(client, FL_STR("GET /never HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, world->never_handle.n != 0);
    client_close(client);
    for (size_t i = 0; i < 20; i++) {
        fl_loop_turn(world->loop, 1);
    }
    if (http_request_find(world->server, world->never_handle)) {
        world_say(http_request_find(world->server, world->never_handle), 200, FL_STR("too late"));
    }
    world_until(world, counts(world).connections == 0);
    client = client_open(world, true);
    client_expect_alive(client, "");
    client_close(client);
    world_destroy(world);
}

static void on_end(void *ctx)
{
    struct world *world = ctx;

    world->ended++;
}

static void draining_ends_what_is_idle_and_lets_the_rest_end_well(void **state)
{
    struct world *world = world_create(NULL);
    struct client *idle = client_open(world, true), *asker = client_open(world, true);
    struct client *follower = client_open(world, false);

    (void)state;
    client_expect_alive(idle, "");
    client_send(follower, FL_STR("GET /follow HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, client_has(follower, "\r\n\r\n"));
    client_send(asker, FL_STR("GET /never HTTP/1.1\r\n" HOST "\r\n" OK));
    world_until(world, world->never_handle.n != 0);
    http_server_drain(world->server, WORLD_WAIT_MS, on_end, world);
    client_expect(idle, "200 close", "idle");
    world_until(world, client_has(follower, "0\r\n\r\n"));
    assert_int_equal(world->drained, 1);
    assert_int_equal(world->ended, 0);
    world_say(http_request_find(world->server, world->never_handle), 200, FL_STR("at last"));
    client_expect(asker, "200 close", "the request in hand");
    assert_true(client_has(asker, "\r\nConnection: close\r\n"));
    client_close(idle);
    client_close(asker);
    client_close(follower);
    world_until(world, world->ended == 1);
    assert_int_equal(counts(world).connections, 0);
    world_destroy(world);
}

static void what_does_not_end_in_time_is_cut(void **state)
{
    struct world *world = world_create(NULL);
    struct client *follower = client_open(world, true), *asker = client_open(world, true);

    (void)state;
    world->ignores_drain = true;
    client_send(follower, FL_STR("GET /follow HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, client_has(follower, "\r\n\r\n"));
    client_send(asker, FL_STR("GET /never HTTP/1.1\r\n" HOST "\r\n"));
    world_until(world, world->never_handle.n != 0);
    http_server_drain(world->server, SHORT_MS, on_end, world);
    world_until(world, world->ended == 1);
    assert_int_equal(world->gone, 1);
    world_until(world, (client_read(follower, SIZE_MAX), follower->has_ended));
    world_until(world, (client_read(asker, SIZE_MAX), asker->has_ended));
    client_close(follower);
    client_close(asker);
    world_destroy(world);
}

static void a_renewed_certificate_serves_new_connections(void **state)
{
    struct world *world = world_create(NULL);
    struct client *before = client_open(world, true), *after;
    struct tls_pair fresh = tls_pair_create();
    struct tls_pair old = world->tls;
    struct fl_err err = {0};

    (void)state;
    client_expect_alive(before, "");
    assert_true(http_server_renew_tls(world->server, fresh.server, &err));
    world->tls = fresh;
    after = client_open(world, true); /* trusts the new one only */
    client_expect_alive(after, "");
    client_expect_alive(before, "200");
    client_close(before);
    client_close(after);
    tls_pair_destroy(&old);
    world_destroy(world);
}

static void a_limit_of_nothing_is_refused(void **state)
{
    struct http_limits limits = http_limits_default();
    struct fl_loop *loop = fl_loop_create();
    struct fl_err err = {0};

    (void)state;
    limits.head_ms = 0;
    assert_null(http_server_create(loop, &limits, (struct http_port){0}, &err));
    assert_int_equal(err.code, FL_INVALID);
    limits = http_limits_default();
    limits.stream_bytes_max = HTTP_STREAM_BYTES_MIN - 1; /* less than its largest piece needs */
    assert_null(http_server_create(loop, &limits, (struct http_port){0}, &err));
    assert_non_null(strstr(err.text, "stream_bytes_max must be at least 32832"));
    fl_loop_destroy(loop);
}

FL_TESTS(cmocka_unit_test(a_slow_head_is_answered_and_closed),
         cmocka_unit_test(a_refusal_is_a_problem_like_the_apis),
         cmocka_unit_test(a_slow_body_is_answered_and_closed),
         cmocka_unit_test(a_handshake_that_does_not_go_on_is_closed),
         cmocka_unit_test(an_idle_connection_is_closed_in_silence),
         cmocka_unit_test(the_oldest_idle_stranger_makes_room_for_a_new_connection),
         cmocka_unit_test(when_all_connections_are_members_a_new_one_is_closed),
         cmocka_unit_test(above_three_quarters_of_the_descriptors_a_stranger_makes_room),
         cmocka_unit_test(a_descriptor_that_was_made_free_is_no_further_place),
         cmocka_unit_test(the_longest_silent_before_tls_leaves_its_descriptor),
         cmocka_unit_test(a_token_has_a_quarter_of_the_connections_at_most),
         cmocka_unit_test(answers_that_a_token_does_not_read_count_until_it_takes_them),
         cmocka_unit_test(large_answers_are_whole_and_in_order),
         cmocka_unit_test(a_token_sends_so_many_requests_a_second),
         cmocka_unit_test(too_many_bodies_at_a_time_are_refused),
         cmocka_unit_test(bodies_of_one_token_have_a_quarter_at_most),
         cmocka_unit_test(a_refused_client_may_send_the_rest_of_its_body_and_reads_why),
         cmocka_unit_test(a_stalled_reader_holds_little_and_gets_all_in_the_end),
         cmocka_unit_test(a_reader_that_stalls_for_too_long_is_gone),
         cmocka_unit_test(a_follower_that_leaves_is_noticed_and_its_handle_finds_nothing),
         cmocka_unit_test(a_client_that_leaves_without_its_answer_harms_nobody),
         cmocka_unit_test(draining_ends_what_is_idle_and_lets_the_rest_end_well),
         cmocka_unit_test(what_does_not_end_in_time_is_cut),
         cmocka_unit_test(a_renewed_certificate_serves_new_connections),
         cmocka_unit_test(a_limit_of_nothing_is_refused))
