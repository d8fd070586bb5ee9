/* The visits of a front. */
#include "controlplane/visits/visits.h"

#include "tests/unit/controlplane/visits/visits_world.h"

static void bytes_go_both_ways_and_the_end_is_told_and_kept(void **state)
{
    struct fl_visit_status status = {.exit_code = 7};
    struct world world;
    struct client *client;
    struct far *far;

    (void)state;
    setup(&world);
    client = enter(&world, "t1");
    far = is_in(client);
    assert_non_null(strstr(client->head, "Sec-WebSocket-Accept: the-key's-answer\r\n"));
    assert_non_null(strstr(client->head, "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"));
    put(client, "\0hello", 6);
    put_frame(client, 0x02, "\0in ", 4); /* one message in two frames */
    put_frame(client, 0x80, "two", 3);
    until(client, strcmp(far->told, "0: hello; 0: in ; 0: two; ") == 0);
    put(client, "\377\0", 2);
    until(client, strstr(far->told, "255: "));
    far_put(client, far, FL_VISIT_STDOUT, FL_STR("out"));
    far_put(client, far, FL_VISIT_STDERR, FL_STR("err"));
    assert_true(fl_visit_put_status(&far->sent, &status));
    fl_stream_wants(far->stream, far->sent.len);
    until(client, strstr(client->told, "NonZeroExitCode"));
    assert_memory_equal(client->told, "1: out; 2: err; 3: {", 20);
    fl_stream_close(far->stream, FL_OK, (struct fl_str){0});
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_DONE);
    put_frame(client, 0x88, "\003\350", 2);
    until(client, client->has_ended && visits_len(world.visits) == 0);
    assert_string_equal(world.ended, "exec job-7: exit code 7; 0 s, 11 B in, 6 B out\n");
    leave(client);
    teardown(&world);
}

/* Each with its own code; the reason arrives although the client goes on writing; another visit
 * goes on, and the tunnel. */
static void a_hostile_client_ends_its_own_visit_alone(void **state)
{
    static char endless[100001] = {FL_VISIT_RESIZE}, ping[126];
    static const struct {
        const char *what;
        unsigned first; /* byte of a frame; 0: the bytes are all of it */
        const char *bytes;
        size_t len;
        unsigned close;
    } frames[] = {
        {"an unmasked frame", 0, "\202\2\0a", 4, FL_WS_BROKEN},
        {"a reserved bit", 0xc2, "", 0, FL_WS_BROKEN},
        {"text", 0x81, "\0hello", 6, FL_WS_NO_TEXT},
        {"an unknown opcode", 0x83, "\0", 1, FL_WS_BROKEN},
        {"a continuation of nothing", 0x80, "\0", 1, FL_WS_BROKEN},
        {"a ping of 126 bytes", 0x89, ping, sizeof ping, FL_WS_BROKEN},
        {"2^62 bytes", 0, "\202\377\100\0\0\0\0\0\0\0", 14, FL_WS_TOO_LARGE},
        {"an unknown channel", 0x82, "\7x", 2, FL_WS_REFUSED},
        {"output", 0x82, "\1x", 2, FL_WS_REFUSED},
        {"OPEN", 0x82, "\20x", 2, FL_WS_REFUSED},
        {"no size", 0x82, "\4{\"Width\":-1,\"Height\":1}", 24, FL_WS_REFUSED},
        {"a size without end", 0x82, endless, sizeof endless, FL_WS_REFUSED},
        {"the end of another channel", 0x82, "\377\1", 2, FL_WS_REFUSED},
    };
    struct world world;
    struct client *other;
    struct far *far;

    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct client *client;

        setup(&world);
        other = enter(&world, "t1");
        far = is_in(other);
        client = enter(&world, "t1");
        until(client, world.far_len == 2 && client->head[0]);
        if (frames[i].first == 0) {
            char bytes[14] = {0};

            memcpy(bytes, frames[i].bytes, frames[i].len < 14 ? frames[i].len : 10);
            put_raw(client, bytes, frames[i].len);
        } else {
            put_frame(client, frames[i].first, frames[i].bytes, frames[i].len);
        }
        put(client, "\0behind it", 10);
        until(client, client->has_ended);
        if (client->close != frames[i].close) {
            fail_msg("%s: closed with %u, not %u", frames[i].what, client->close, frames[i].close);
        }
        assert_true(client->why[0]);
        leave(client);
        put(other, "\0still here", 11);
        until(other, strcmp(far->told, "0: still here; ") == 0);
        until(other, visits_len(world.visits) == 1 && !world.far[1].stream);
        assert_string_equal(world.far[1].told, "");
        assert_int_equal(world.tunnel.hub.fails + world.tunnel.agent.fails, 0);
        leave(other);
        teardown(&world);
    }
}

static void an_agent_that_breaks_a_rule_ends_that_visit_alone(void **state)
{
    static const struct {
        uint8_t channel;
        const char *why;
    } records[] = {{FL_VISIT_STDIN, "channel 0 comes from a hub only"},
                   {FL_VISIT_OPEN, "channel 16 comes from a hub only"},
                   {FL_VISIT_STATUS, "a malformed STATUS"},
                   {77, "a record of channel 77"}};

    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        struct client *client, *other;
        struct world world;
        struct far *far;

        setup(&world);
        other = enter(&world, "t1");
        far = is_in(other);
        client = enter(&world, "t2");
        until(client, world.far_len == 2 && client->head[0]);
        far_put(client, &world.far[1], records[i].channel, FL_STR("x"));
        until(client, client->close);
        assert_int_equal(client->close, FL_WS_TROUBLE);
        assert_non_null(strstr(client->why, "the agent of cluster east broke a rule: "));
        assert_non_null(strstr(client->why, records[i].why));
        until(client, !world.far[1].stream);
        assert_int_equal(world.tunnel.hub.fails, 0);
        far_put(other, far, FL_VISIT_STDOUT, FL_STR("still here"));
        until(other, strcmp(other->told, "1: still here; ") == 0);
        leave(client);
        leave(other);
        teardown(&world);
    }
}

static void a_cut_tunnel_is_told(void **state)
{
    struct world world;
    struct client *client;

    (void)state;
    setup(&world);
    client = enter(&world, "t1");
    (void)is_in(client);
    fl_streams_end(world.tunnel.hub.streams);
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_TROUBLE);
    assert_non_null(strstr(client->told, "\"reason\":\"unavailable\""));
    assert_non_null(strstr(client->told, "the tunnel was cut: cluster east is not connected now, "
                                         "and what ran here ends with it"));
    leave(client);
    teardown(&world);
}

/* All of it is with the kernel soon, and the client comes for it later than a CLOSE is waited for.
 * Meanwhile it sends: a connection that is closed by then would be cut. */
static void a_client_that_reads_late_gets_all(void **state)
{
    enum { BYTES = 40000, LATE_MS = 4500, ROOM = 2048 };
    static char bytes[BYTES / 2];
    struct client *client;
    struct world world;
    struct far *far;
    fl_ms late;

    (void)state;
    setup(&world);
    world.room = ROOM;
    world.our_room = 2 * BYTES;
    client = enter(&world, "t1");
    far = is_in(client);
    far_put(client, far, FL_VISIT_STDOUT, (struct fl_str){bytes, BYTES / 2});
    far_put(client, far, FL_VISIT_STDOUT, (struct fl_str){bytes, BYTES / 2});
    stream_pair_settle(&world.tunnel);
    fl_stream_close(far->stream, FL_OK, (struct fl_str){0});
    late = fl_clock_mono() + LATE_MS;
    while (fl_clock_mono() < late) {
        stream_pair_settle(&world.tunnel);
        fl_loop_turn(world.loop, 10);
    }
    put_frame(client, 0x8a, NULL, 0);
    usleep(100000);
    until(client, client->close);
    assert_true(client->bytes > BYTES); /* and the status */
    leave(client);
    teardown(&world);
}

static void a_revoked_token_ends_its_visits(void **state)
{
    struct row row = {.kind = ROW_token_drop, .token_drop = {.id = FL_STR("t1")}};
    struct client *client, *other;
    struct world world;
    struct far *far;

    (void)state;
    setup(&world);
    other = enter(&world, "t2");
    far = is_in(other);
    client = enter(&world, "t1");
    until(client, world.far_len == 2 && client->head[0]);
    token_table_apply(world.tokens, &row);
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_REFUSED);
    assert_string_equal(client->why, "the token of this visit was revoked");
    far_put(other, far, FL_VISIT_STDOUT, FL_STR("on"));
    until(other, strcmp(other->told, "1: on; ") == 0);
    leave(client);
    leave(other);
    teardown(&world);
}

static void a_rotated_token_ends_its_visits_when_its_old_secret_does(void **state)
{
    struct row row = {.kind = ROW_token_put,
                      .token_put = {.id = FL_STR("t1"),
                                    .name = FL_STR("ann"),
                                    .scopes = 1,
                                    .mac.at = {1},
                                    .old_until = INT64_MAX}};
    struct client *client;
    struct world world;
    struct far *far;

    (void)state;
    setup(&world);
    client = enter(&world, "t1");
    far = is_in(client);
    token_table_apply(world.tokens, &row);
    far_put(client, far, FL_VISIT_STDOUT, FL_STR("on"));
    until(client, strcmp(client->told, "1: on; ") == 0);
    row.token_put.old_until = 1;
    token_table_apply(world.tokens, &row);
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_REFUSED);
    assert_string_equal(client->why, "the token of this visit has a new secret");
    leave(client);
    teardown(&world);
}

/* Each look is a use of the session, so that a shell keeps it; a visit of a token asks for none. */
static void a_page_that_signs_out_ends_its_visits(void **state)
{
    struct client *client, *other;
    struct world world;
    struct far *far;

    (void)state;
    setup(&world);
    other = enter(&world, "t1");
    far = is_in(other);
    world.is_page = true;
    client = enter(&world, "t1");
    until(client, world.far_len == 2 && client->head[0]);
    until(client, world.sessions_asked == 2);
    assert_int_equal(client->close, 0);
    world.is_signed_out = true;
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_REFUSED);
    assert_string_equal(client->why, "the session of this visit is over: sign in again");
    assert_non_null(strstr(client->told, "\"reason\":\"denied\""));
    until(client, !world.far[1].stream);
    far_put(other, far, FL_VISIT_STDOUT, FL_STR("on"));
    until(other, strcmp(other->told, "1: on; ") == 0);
    leave(client);
    leave(other);
    teardown(&world);
}

/* A script reads no status and no body of a WebSocket that was refused. */
static void a_page_is_refused_in_a_message(void **state)
{
    struct client *client;
    struct world world;

    (void)state;
    setup(&world);
    world.is_cut = world.is_page = true;
    client = enter(&world, "t1");
    until(client, client->close);
    assert_non_null(strstr(client->head, " 101 "));
    assert_int_equal(client->close, FL_WS_TROUBLE);
    assert_string_equal(client->why, "cluster east is not connected now: try again later");
    assert_non_null(strstr(client->told, "\"reason\":\"unavailable\""));
    leave(client);
    teardown(&world);
}

static void too_many_and_no_tunnel_are_refused_with_a_problem(void **state)
{
    struct client *clients[3], *client;
    struct world world;

    (void)state;
    setup(&world);
    for (size_t i = 0; i < 2; i++) {
        clients[i] = enter(&world, "t1");
        until(clients[i], world.far_len == i + 1 && clients[i]->head[0]);
    }
    client = enter(&world, "t1"); /* a third one of the token */
    until(client, client->has_ended);
    assert_memory_equal(client->head, "HTTP/1.1 429 ", 13);
    leave(client);
    clients[2] = enter(&world, "t2");
    until(clients[2], world.far_len == 3 && clients[2]->head[0]);
    client = enter(&world, "t2"); /* a fourth one of the front */
    until(client, client->has_ended);
    assert_memory_equal(client->head, "HTTP/1.1 429 ", 13);
    leave(client);
    {
        struct client *crowd[8]; /* so many at once that the last get no answer */

        until(clients[0], visits_len(world.visits) == 3);
        for (size_t i = 0; i < 8; i++) {
            crowd[i] = enter(&world, "t2");
        }
        assert_int_equal(visits_len(world.visits), 6);
        for (size_t i = 0; i < 8; i++) {
            until(crowd[i], crowd[i]->has_ended);
            assert_int_equal(crowd[i]->head[0] != 0, i < 3);
            leave(crowd[i]);
        }
        until(clients[0], visits_len(world.visits) == 3);
    }
    world.is_cut = true;
    client = enter(&world, "t2");
    until(client, client->has_ended);
    assert_int_equal(world.passed_on, 1);
    assert_true(strncmp(client->head, "HTTP/1.1 ", 9) == 0 && !strstr(client->head, " 101 "));
    leave(client);
    for (size_t i = 0; i < 3; i++) {
        leave(clients[i]);
    }
    teardown(&world);
}

static void a_refusal_is_json_whatever_its_words_are(void **state)
{
    static const char title[] = "Service Unavailable";
    struct world world;
    struct client *client;
    struct fl_arena arena = {0};
    const struct fl_json *root = NULL;
    struct fl_err err = {0};

    (void)state;
    setup(&world);
    world.is_cut = world.is_named_oddly = true;
    client = enter(&world, "t1");
    until(client, client->has_ended);
    if (!fl_json_parse((struct fl_str){(char *)client->in.at, client->in.len}, &arena, &root, NULL,
                       &err)) {
        fail_msg("%s: %.*s", err.text, (int)client->in.len, (char *)client->in.at);
    }
    assert_non_null(strstr(fl_json_member(root, FL_STR("detail"))->text.at, "\"ea\\st"));
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("title"))->text, fl_str_c(title)));
    assert_int_equal(fl_json_member(root, FL_STR("status"))->n, 503);
    fl_arena_fini(&arena);
    leave(client);
    teardown(&world);
}

/* It reads on 4 s after the command's end, which is longer than its answer to CLOSE may take. */
static void a_slow_client_gets_all_that_came_before_the_end(void **state)
{
    static const char bytes[30000] = {'x'};
    struct fl_visit_status status = {.exit_code = 0};
    struct world world;
    struct client *client;
    struct far *far;
    fl_ms later;

    (void)state;
    setup(&world);
    world.room = 4096;
    client = enter(&world, "t1");
    far = is_in(client);
    for (int i = 0; i < 3; i++) {
        assert_true(
            fl_visit_put(&far->sent, FL_VISIT_STDOUT, (struct fl_str){bytes, sizeof bytes}));
    }
    assert_true(fl_visit_put_status(&far->sent, &status));
    fl_stream_wants(far->stream, far->sent.len);
    stream_pair_settle(&world.tunnel);
    fl_stream_close(far->stream, FL_OK, (struct fl_str){0});
    stream_pair_settle(&world.tunnel);
    later = fl_clock_mono() + 4000;
    while (fl_clock_mono() < later) {
        fl_loop_turn(world.loop, 50);
    }
    until(client, client->close);
    assert_int_equal(client->close, FL_WS_DONE);
    leave(client);
    teardown(&world);
}

/* From a message of 60 MiB so much is taken as has room here and in the sockets. */
static void a_slow_agent_holds_up_its_client(void **state)
{
    static const uint8_t mask[4];
    static const char bytes[60000];
    uint8_t header[FL_WS_HEADER_BYTES_MAX];
    struct world world;
    struct client *client;
    size_t sent = 0;
    int idle = 0;

    (void)state;
    setup(&world);
    client = enter(&world, "t1");
    (void)is_in(client);
    put_raw(client, header, fl_ws_header(FL_WS_BINARY, 60 << 20, mask, header));
    while (idle < 50) { /* the tunnel stands */
        ssize_t n = send(client->fd, bytes, sizeof bytes, MSG_NOSIGNAL);

        assert_true(n > 0 || errno == EAGAIN);
        if (n > 0) sent += (size_t)n;
        if (sent > (size_t)32 << 20) fail_msg("nothing holds it up");
        idle = n > 0 ? 0 : idle + 1;
        fl_loop_turn(world.loop, 1);
    }
    assert_int_equal(world.tunnel.hub.fails, 0);
    leave(client);
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(bytes_go_both_ways_and_the_end_is_told_and_kept),
         cmocka_unit_test(a_hostile_client_ends_its_own_visit_alone),
         cmocka_unit_test(an_agent_that_breaks_a_rule_ends_that_visit_alone),
         cmocka_unit_test(a_cut_tunnel_is_told),
         cmocka_unit_test(a_client_that_reads_late_gets_all),
         cmocka_unit_test(a_revoked_token_ends_its_visits),
         cmocka_unit_test(a_rotated_token_ends_its_visits_when_its_old_secret_does),
         cmocka_unit_test(a_page_that_signs_out_ends_its_visits),
         cmocka_unit_test(a_page_is_refused_in_a_message),
         cmocka_unit_test(too_many_and_no_tunnel_are_refused_with_a_problem),
         cmocka_unit_test(a_refusal_is_json_whatever_its_words_are),
         cmocka_unit_test(a_slow_client_gets_all_that_came_before_the_end),
         cmocka_unit_test(a_slow_agent_holds_up_its_client))
