/* Strangers: each is closed, and an agent that is up notices nothing. */
#include "controlplane/tunnel/server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

#include "agent/tunnel/identity.h"
#include "agent/tunnel/identity_folder.h"
#include "shared/io/clock.h"
#include "shared/io/net.h"
#include "shared/tls/context.h"
#include "shared/tls/key.h"
#include "tests/fl_test.h"
#include "tests/tls_groups.h"
#include "tests/unit/controlplane/tunnel/tunnel_world.h"

#define UPGRADE(path, protocol)                                                                    \
    "GET " path " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"            \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" protocol "\r\n"
#define OURS "Sec-WebSocket-Protocol: fairlead.tunnel.1\r\n"

struct stranger {
    struct tunnel_world *world;
    int fd;
    SSL *ssl;
    SSL_CTX *tls;
    char answer[4096];
    size_t answer_len;
};

static fl_ms deadline(void)
{
    return fl_clock_mono() + TUNNEL_WORLD_WAIT_MS;
}

static void connect_to(struct stranger *stranger, struct tunnel_world *world, SSL_CTX *tls)
{
    struct fl_net_address address;
    struct fl_err err = {0};
    fl_ms until = deadline();

    memset(stranger, 0, sizeof *stranger);
    stranger->world = world;
    stranger->tls = tls;
    assert_true(fl_net_parse(fl_str_c(world->hub), &address, &err));
    assert_true(fl_net_connect(&address, &stranger->fd, &err));
    while (!fl_net_connected(stranger->fd, &err)) {
        fl_loop_turn(world->loop, 5);
        assert_true(fl_clock_mono() < until);
    }
    if (!tls) return;
    stranger->ssl = SSL_new(tls);
    SSL_set_fd(stranger->ssl, stranger->fd);
    assert_true(fl_tls_expect(stranger->ssl, FL_TLS_SERVER_NAME, &err));
}

static bool wants_more(struct stranger *stranger, int result)
{
    int error = stranger->ssl ? SSL_get_error(stranger->ssl, result) : 0;

    if (!stranger->ssl) return result < 0 && (errno == EAGAIN || errno == EINTR);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

/* In TLS 1.3 the client's part ends before the server has looked at its certificate. */
static bool shake_hands(struct stranger *stranger)
{
    fl_ms until = deadline();
    int result;

    while ((result = SSL_connect(stranger->ssl)) != 1) {
        if (!wants_more(stranger, result)) return false;
        fl_loop_turn(stranger->world->loop, 5);
        assert_true(fl_clock_mono() < until);
    }
    return true;
}

static void say(struct stranger *stranger, struct fl_str bytes)
{
    if (stranger->ssl) {
        (void)SSL_write(stranger->ssl, bytes.at, (int)bytes.len);
    } else {
        assert_int_equal(send(stranger->fd, bytes.at, bytes.len, MSG_NOSIGNAL), bytes.len);
    }
}

/* The bytes until the server closes, which it must. */
static void hear_the_end(struct stranger *stranger)
{
    fl_ms until = deadline();

    for (;;) {
        char *at = stranger->answer + stranger->answer_len;
        int room = (int)(sizeof stranger->answer - 1 - stranger->answer_len);
        int got = stranger->ssl ? SSL_read(stranger->ssl, at, room)
                                : (int)recv(stranger->fd, at, (size_t)room, 0);

        if (got > 0) {
            stranger->answer_len += (size_t)got;
            assert_true(stranger->answer_len < sizeof stranger->answer - 1);
        } else if (!wants_more(stranger, got)) {
            break;
        }
        fl_loop_turn(stranger->world->loop, 5);
        assert_true(fl_clock_mono() < until);
    }
    SSL_free(stranger->ssl);
    SSL_CTX_free(stranger->tls);
    close(stranger->fd);
}

/* A client context that shows this identity, or none. */
static SSL_CTX *tls_of(struct tunnel_world *world, const char *state_dir)
{
    struct agent_identity *identity = NULL;
    struct fl_tls_client want = {.ca_pem = fl_ca_cert_pem(world->ca)};
    struct fl_err err = {0};
    SSL_CTX *tls = NULL;

    if (state_dir) {
        assert_true(agent_identity_load(identity_folder(state_dir), &identity, &err));
        want.cert_pem = agent_identity_chain(identity);
        want.key_pem = agent_identity_key(identity);
    }
    if (!fl_tls_client(&want, &tls, &err)) fail_msg("%s", err.text);
    agent_identity_destroy(identity);
    return tls;
}

/* waits: says nothing before it was accepted. */
static void is_refused(struct tunnel_world *world, SSL_CTX *tls, struct fl_str bytes, bool waits)
{
    uint64_t refused = tunnel_server_stats(world->server).refused;
    uint64_t accepted = tunnel_server_stats(world->server).accepted;
    struct stranger stranger;

    connect_to(&stranger, world, tls);
    if (waits) UNTIL(world, tunnel_server_stats(world->server).accepted > accepted);
    if (!tls || shake_hands(&stranger)) say(&stranger, bytes);
    hear_the_end(&stranger);
    assert_null(strstr(stranger.answer, " 101 "));
    UNTIL(world, tunnel_server_stats(world->server).refused > refused);
}

/* The agent of the world still obeys, and never lost its connection. */
static void is_undisturbed(struct tunnel_world *world, struct fake_agent *agent)
{
    uint64_t acks = agent->acks;

    tunnel_world_send(world, CORE_SEND_stop, (struct fl_attempt){{9}, 0, 1, 1});
    UNTIL(world, agent->acks > acks);
    assert_int_equal(agent->closes, 0);
    assert_int_equal(agent->welcomes, 1);
}

static void begin(struct tunnel_world *world, struct fake_agent *agent)
{
    tunnel_world_init(world, 0);
    fake_agent_init(world, agent, 1);
    fake_agent_dial(agent, NULL);
    UNTIL(world, world->inventories == 1);
}

static void end(struct tunnel_world *world, struct fake_agent *agent)
{
    fake_agent_fini(agent);
    tunnel_world_fini(world);
}

static void plaintext_and_garbage_are_refused(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;

    (void)state;
    begin(&world, &agent);
    is_refused(&world, NULL, FL_STR(UPGRADE("/", OURS)), false);
    is_refused(&world, NULL, FL_STR("\x16\x03\x01\xff\xff garbage that is no handshake"), false);
    is_refused(&world, NULL, FL_STR(UPGRADE("/", OURS)), true);
    is_undisturbed(&world, &agent);
    end(&world, &agent);
}

static void who_shows_no_good_certificate_is_refused(void **state)
{
    static const char *const names[] = {"localhost"};
    struct tunnel_world world;
    struct fake_agent agent;
    struct fl_ca *foreign = NULL;
    struct fl_key *key = fl_key_create();
    struct fl_buf cert, key_pem;
    struct fl_tls_client want = {0};
    struct fl_err err = {0};
    char dir[TUNNEL_WORLD_PATH_MAX];
    SSL_CTX *tls = NULL;
    fl_ms now = fl_clock_wall();

    (void)state;
    begin(&world, &agent);
    assert_true(fl_ca_create("foreign", now, FL_HOUR_MS, &foreign, &err));
    snprintf(dir, sizeof dir, "%.80s/stranger", world.dir);
    is_refused(&world, tls_of(&world, NULL), FL_STR(UPGRADE("/", OURS)), false);
    tunnel_world_identity(&world, dir, 1, foreign, FL_HOUR_MS);
    is_refused(&world, tls_of(&world, dir), FL_STR(UPGRADE("/", OURS)), false);

    /* From the right CA, but a listener's. */
    fl_buf_init(&cert, 2 * FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    assert_true(fl_ca_sign_server(world.ca, key, (struct fl_ca_names){names, 1}, now - 1000,
                                  now + FL_HOUR_MS, &cert, &err));
    assert_true(fl_key_write(key, &key_pem, &err));
    want.ca_pem = fl_ca_cert_pem(world.ca);
    want.cert_pem = (struct fl_str){(const char *)cert.at, cert.len};
    want.key_pem = (struct fl_str){(const char *)key_pem.at, key_pem.len};
    assert_true(fl_tls_client(&want, &tls, &err));
    is_refused(&world, tls, FL_STR(UPGRADE("/", OURS)), false);

    is_undisturbed(&world, &agent);
    assert_int_equal(world.opens, 1);
    fl_buf_fini(&cert);
    fl_buf_fini(&key_pem);
    fl_key_destroy(key);
    fl_ca_destroy(foreign);
    end(&world, &agent);
}

static void members_get_no_pages_and_no_other_protocol(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    static const struct fl_str requests[] = {
        FL_STR("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        FL_STR("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"),
        /* Made libwebsockets spin for ever as an HTTP server: a body, and a request behind it. */
        FL_STR("GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\n"
               "Content-Length: 5\r\n\r\nhello"),
        FL_STR("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
               "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"),
        FL_STR(
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"),
        FL_STR(UPGRADE("/", "")),
        FL_STR(UPGRADE("/", "Sec-WebSocket-Protocol: chat\r\n")),
    };

    (void)state;
    begin(&world, &agent);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        is_refused(&world, tls_of(&world, agent.state_dir), requests[i], false);
        is_undisturbed(&world, &agent);
    }
    end(&world, &agent);
}

static void who_dawdles_in_the_handshake_is_cut_off(void **state)
{
    struct tunnel_world world;
    struct stranger silent, slow;

    (void)state;
    tunnel_world_init(&world, 700);
    connect_to(&silent, &world, NULL);
    connect_to(&slow, &world, tls_of(&world, NULL));
    (void)SSL_connect(slow.ssl); /* its first words, and nothing after them */
    hear_the_end(&silent);
    UNTIL(&world, tunnel_server_stats(world.server).connections == 0);
    assert_true(tunnel_server_stats(world.server).handshakes_late >= 1);
    hear_the_end(&slow);
    tunnel_world_fini(&world);
}

static void who_says_nothing_makes_room_for_an_agent(void **state)
{
    enum { SILENT = 700 }; /* more than may be silent at a time */
    struct tunnel_world world;
    struct fake_agent agent;
    static struct stranger silent[SILENT];
    fl_ms until = deadline();
    size_t closed = 0;

    (void)state;
    tunnel_world_init(&world, 0);
    for (size_t i = 0; i < SILENT; i++) {
        connect_to(&silent[i], &world, NULL);
    }
    UNTIL(&world, tunnel_server_stats(world.server).accepted == SILENT);
    fake_agent_init(&world, &agent, 1);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, world.inventories == 1);
    while (closed < SILENT - handshakes_config_default().limits.silent_max) {
        char byte;

        if (recv(silent[closed].fd, &byte, 1, 0) == 0) {
            closed++; /* in the order in which they came */
        } else {
            fl_loop_turn(world.loop, 5);
        }
        assert_true(fl_clock_mono() < until);
    }
    assert_true(tunnel_server_stats(world.server).shed >= closed);
    is_undisturbed(&world, &agent);
    for (size_t i = 0; i < SILENT; i++) {
        close(silent[i].fd);
    }
    end(&world, &agent);
}

static void a_listeners_share_of_the_descriptors_is_part_of_an_eighth(void **state)
{
    struct handshakes_config config = handshakes_config_default();

    (void)state;
    handshakes_share(&config, 1024, 4);
    assert_int_equal(config.fd_max, 512);
    assert_int_equal(config.crowded_max, 32);
    handshakes_share(&config, 1024, 128 * 2);
    assert_int_equal(config.crowded_max, 1); /* never none */
    handshakes_share(&config, UINT64_MAX, 1);
    assert_int_equal(config.fd_max, INT_MAX);
    assert_int_equal(config.crowded_max, UINT32_MAX);
}

static void turn_world(void *ctx)
{
    struct tunnel_world *world = ctx;

    fl_loop_turn(world->loop, 5);
}

static void no_key_exchange_is_dear_to_the_server(void **state)
{
    struct tunnel_world world;
    struct fl_net_address at;
    struct fl_err err = {0};

    (void)state;
    tunnel_world_init(&world, 0);
    assert_true(fl_net_parse(fl_str_c(world.hub), &at, &err));
    for (size_t i = 0; i < TLS_GROUPS_LEN; i++) {
        if (tls_takes_group(&at, tls_groups[i].name, turn_world, &world) !=
            tls_groups[i].is_taken) {
            fail_msg("%s is %s", tls_groups[i].name, tls_groups[i].is_taken ? "refused" : "taken");
        }
    }
    tunnel_world_fini(&world);
}

static void what_no_agent_says_ends_its_tunnel_only(void **state)
{
    static const char noise[] = "\x82\xa0\x00\x00\x00\x00 this is no frame of a multiplexer......";
    struct tunnel_world world;
    struct fake_agent agent;
    struct stranger evil;
    fl_ms until = deadline();

    (void)state;
    begin(&world, &agent);
    connect_to(&evil, &world, tls_of(&world, agent.state_dir));
    assert_true(shake_hands(&evil));
    say(&evil, FL_STR(UPGRADE("/", OURS)));
    while (!strstr(evil.answer, "\r\n\r\n")) {
        int got = SSL_read(evil.ssl, evil.answer + evil.answer_len, 1);

        if (got > 0) evil.answer_len++;
        if (got <= 0) fl_loop_turn(world.loop, 5);
        assert_true(fl_clock_mono() < until);
    }
    assert_non_null(strstr(evil.answer, " 101 "));
    say(&evil, (struct fl_str){noise, 38}); /* a masked frame of 32 bytes, mask 0 */
    hear_the_end(&evil);
    assert_true(tunnel_server_stats(world.server).broken >= 1);
    is_undisturbed(&world, &agent);
    end(&world, &agent);
}

static void an_agent_trusts_nobody_but_its_own_control_plane(void **state)
{
    struct tunnel_world world;
    struct fake_agent agent;
    struct fl_ca *foreign = NULL;
    struct fl_err err = {0};
    struct agent_identity *identity = NULL;

    (void)state;
    tunnel_world_init(&world, 0);
    fake_agent_init(&world, &agent, 1);
    assert_true(fl_ca_create("foreign", fl_clock_wall(), FL_HOUR_MS, &foreign, &err));
    assert_true(agent_identity_load(identity_folder(agent.state_dir), &identity, &err));
    assert_true(agent_identity_store(identity_folder(agent.state_dir), agent_identity_key(identity),
                                     agent_identity_chain(identity), fl_ca_cert_pem(foreign),
                                     (struct fl_str){0}, &err));
    agent_identity_destroy(identity);
    fake_agent_dial(&agent, NULL);
    UNTIL(&world, agent_dialer_status(agent.dialer).why[0]);
    assert_false(agent_dialer_is_up(agent.dialer));
    assert_int_equal(world.opens, 0);
    fl_ca_destroy(foreign);
    end(&world, &agent);
}

FL_TESTS(cmocka_unit_test(plaintext_and_garbage_are_refused),
         cmocka_unit_test(who_shows_no_good_certificate_is_refused),
         cmocka_unit_test(members_get_no_pages_and_no_other_protocol),
         cmocka_unit_test(who_dawdles_in_the_handshake_is_cut_off),
         cmocka_unit_test(who_says_nothing_makes_room_for_an_agent),
         cmocka_unit_test(a_listeners_share_of_the_descriptors_is_part_of_an_eighth),
         cmocka_unit_test(no_key_exchange_is_dear_to_the_server),
         cmocka_unit_test(what_no_agent_says_ends_its_tunnel_only),
         cmocka_unit_test(an_agent_trusts_nobody_but_its_own_control_plane))
