/* Both ends without a tunnel: an agent's tunnel_socket against agent_sockets, over real TLS. */
#include "controlplane/tunnel/agent_sockets.h"

#include <string.h>

#include "agent/tunnel/identity.h"
#include "agent/tunnel/identity_folder.h"
#include "agent/tunnel/tunnel_socket.h"
#include "controlplane/tunnel/tunnel_listener.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/tunnel/tunnel_world.h"

enum { FLOOD_BYTES = 32 << 20, PIECE_BYTES = 16 << 10 }; /* more than two kernels' buffers hold */

struct pair {
    struct tunnel_world world; /* for its loop, CA and files; its own server gets no connection */
    struct agent_sockets *sockets;
    struct tunnel_listener listener;
    char server_cert[2 * TUNNEL_WORLD_PATH_MAX], server_key[2 * TUNNEL_WORLD_PATH_MAX],
        ca[2 * TUNNEL_WORLD_PATH_MAX];
    struct agent_identity *identity;
    struct tunnel_socket *agent;
    bool is_agent_open, is_agent_lost;
    uint64_t agent_got;

    struct agent_socket *hub; /* NULL: none, or gone */
    struct fl_cert cert;
    unsigned opens, gones;
    uint64_t hub_got, hub_sent;
    char why[256];
};

/* ---- the hub's end --------------------------------------------------------------------------- */

static void on_opened(void *owner, const struct fl_cert *cert)
{
    struct pair *pair = owner;

    pair->opens++;
    pair->cert = *cert;
}

static void on_bytes(void *owner, struct fl_str bytes)
{
    struct pair *pair = owner;

    pair->hub_got += bytes.len;
}

static bool flood(struct pair *pair)
{
    struct fl_buf *out;

    while (pair->hub_sent < FLOOD_BYTES && (out = agent_socket_room(pair->hub))) {
        static const uint8_t piece[PIECE_BYTES];

        assert_true(fl_buf_put(out, piece, sizeof piece));
        if (!agent_socket_send(pair->hub)) return false;
        pair->hub_sent += sizeof piece;
    }
    return true;
}

static bool on_writable(void *owner)
{
    return flood(owner);
}

static void on_gone(void *owner, const char *why)
{
    struct pair *pair = owner;

    pair->gones++;
    pair->hub = NULL;
    snprintf(pair->why, sizeof pair->why, "%s", why);
}

static bool has_room(void *ctx)
{
    (void)ctx;
    return true;
}

static void on_came(void *ctx, int fd, const struct fl_net_address *address)
{
    struct pair *pair = ctx;

    (void)address;
    agent_sockets_adopt(pair->sockets, fd, pair, &pair->hub);
}

/* ---- the agent's end ------------------------------------------------------------------------- */

static void on_agent_opened(void *ctx)
{
    struct pair *pair = ctx;

    pair->is_agent_open = true;
}

static void on_agent_bytes(void *ctx, struct fl_str bytes)
{
    struct pair *pair = ctx;

    pair->agent_got += bytes.len;
}

static void on_agent_writable(void *ctx)
{
    (void)ctx;
}

static void on_agent_lost(void *ctx, const char *why)
{
    struct pair *pair = ctx;

    (void)why;
    pair->is_agent_lost = true;
}

static void say(struct pair *pair, const char *text)
{
    struct fl_buf *out = tunnel_socket_room(pair->agent);

    assert_non_null(out);
    assert_true(fl_buf_put(out, text, strlen(text)));
    assert_true(tunnel_socket_send(pair->agent));
}

/* ---- both ------------------------------------------------------------------------------------ */

static struct listener_files files_of(struct pair *pair)
{
    snprintf(pair->server_cert, sizeof pair->server_cert, "%s/server.pem", pair->world.dir);
    snprintf(pair->server_key, sizeof pair->server_key, "%s/server.key", pair->world.dir);
    snprintf(pair->ca, sizeof pair->ca, "%s/ca.pem", pair->world.dir);
    return (struct listener_files){pair->server_cert, pair->server_key, pair->ca};
}

static void load_identity(struct pair *pair, const struct fl_ca *signer)
{
    char dir[2 * TUNNEL_WORLD_PATH_MAX];
    struct fl_err err = {0};

    snprintf(dir, sizeof dir, "%s/agent", pair->world.dir);
    tunnel_world_identity(&pair->world, dir, 5, signer, FL_HOUR_MS);
    assert_true(agent_identity_load(identity_folder(dir), &pair->identity, &err));
}

static void begin(struct pair *pair, const struct fl_ca *signer)
{
    static const struct fl_ticket_key key = {{5}};
    static const struct agent_sockets_port port = {on_opened, on_bytes, on_writable, on_gone};
    struct tunnel_socket_config config = {.host = "127.0.0.1", .server_name = "localhost"};
    struct tunnel_socket_port agent_port = {pair, on_agent_opened, on_agent_bytes,
                                            on_agent_writable, on_agent_lost};
    struct fl_net_address address;
    struct listener_files files;
    struct fl_err err = {0};
    int fd;

    memset(pair, 0, sizeof *pair);
    tunnel_world_init(&pair->world, 0);
    files = files_of(pair);
    pair->sockets = agent_sockets_create(pair->world.loop, &files, &key, &port, &err);
    assert_non_null(pair->sockets);
    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){0}, &fd, &err));
    assert_true(fl_net_local(fd, &address, &err));
    config.port = fl_net_port(&address);
    tunnel_listener_init(&pair->listener, pair->world.loop, fd,
                         &(struct tunnel_listener_port){pair, has_room, on_came});
    load_identity(pair, signer ? signer : pair->world.ca);
    pair->agent = tunnel_socket_create(pair->world.loop, &config, &agent_port, &err);
    assert_non_null(pair->agent);
    tunnel_socket_dial(pair->agent, pair->identity, true);
}

static void end(struct pair *pair)
{
    tunnel_listener_stop(&pair->listener);
    if (pair->hub) agent_socket_drop(pair->hub);
    tunnel_socket_destroy(pair->agent);
    agent_sockets_destroy(pair->sockets);
    agent_identity_destroy(pair->identity);
    tunnel_world_fini(&pair->world);
}

static void a_socket_opens_with_its_certificate_and_bytes_pass(void **state)
{
    struct pair pair;
    struct fl_uuid five = tunnel_world_uuid(5);

    (void)state;
    begin(&pair, NULL);
    UNTIL(&pair.world, pair.opens == 1 && pair.is_agent_open);
    assert_true(fl_uuid_eq(pair.cert.cluster, five));
    assert_int_equal(pair.cert.generation, 1);
    say(&pair, "hello");
    UNTIL(&pair.world, pair.hub_got == 5);
    assert_int_equal(pair.gones, 0);
    end(&pair);
}

static void a_flood_chokes_and_goes_on_when_there_is_room(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, NULL);
    UNTIL(&pair.world, pair.opens == 1);
    assert_true(flood(&pair));
    assert_true(agent_socket_is_choked(pair.hub));
    assert_null(agent_socket_room(pair.hub));
    assert_true(pair.hub_sent < FLOOD_BYTES);
    UNTIL(&pair.world, pair.agent_got == FLOOD_BYTES);
    assert_false(agent_socket_is_choked(pair.hub));
    end(&pair);
}

static void nothing_is_read_until_reading_is_on_again(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, NULL);
    UNTIL(&pair.world, pair.opens == 1 && pair.is_agent_open);
    agent_socket_set_reading(pair.hub, false);
    agent_socket_set_reading(pair.hub, false);
    say(&pair, "wait");
    for (int i = 0; i < 10; i++) {
        fl_loop_turn(pair.world.loop, 5);
    }
    assert_int_equal(pair.hub_got, 0);
    agent_socket_set_reading(pair.hub, true);
    UNTIL(&pair.world, pair.hub_got == 4);
    end(&pair);
}

static void a_dropped_socket_is_gone_at_once_and_the_agent_hears_it(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, NULL);
    UNTIL(&pair.world, pair.opens == 1 && pair.is_agent_open);
    agent_socket_drop(pair.hub);
    assert_int_equal(pair.gones, 1);
    assert_null(pair.hub);
    UNTIL(&pair.world, pair.is_agent_lost);
    end(&pair);
}

static void a_certificate_of_another_ca_is_refused_with_the_reason(void **state)
{
    struct fl_ca *other;
    struct fl_err err = {0};
    struct pair pair;

    (void)state;
    assert_true(fl_ca_create("other", fl_clock_wall(), FL_HOUR_MS, &other, &err));
    begin(&pair, other);
    UNTIL(&pair.world, pair.gones == 1);
    assert_int_equal(pair.opens, 0);
    assert_non_null(strstr(pair.why, "certificate: "));
    fl_ca_destroy(other);
    end(&pair);
}

static void bad_files_are_refused_and_the_old_ones_stay(void **state)
{
    struct listener_files files;
    struct fl_err err = {0};
    struct pair pair;

    (void)state;
    begin(&pair, NULL);
    UNTIL(&pair.world, pair.opens == 1);
    files = files_of(&pair);
    assert_true(agent_sockets_reload(pair.sockets, &files, &err));
    files.key = files.ca;
    assert_false(agent_sockets_reload(pair.sockets, &files, &err));
    files.key = "/nonexistent";
    assert_false(agent_sockets_reload(pair.sockets, &files, &err));
    assert_int_equal(err.code, FL_ABSENT);
    agent_socket_drop(pair.hub);
    UNTIL(&pair.world, pair.is_agent_lost);
    tunnel_socket_dial(pair.agent, pair.identity, false);
    UNTIL(&pair.world, pair.opens == 2);
    end(&pair);
}

FL_TESTS(cmocka_unit_test(a_socket_opens_with_its_certificate_and_bytes_pass),
         cmocka_unit_test(a_flood_chokes_and_goes_on_when_there_is_room),
         cmocka_unit_test(nothing_is_read_until_reading_is_on_again),
         cmocka_unit_test(a_dropped_socket_is_gone_at_once_and_the_agent_hears_it),
         cmocka_unit_test(a_certificate_of_another_ca_is_refused_with_the_reason),
         cmocka_unit_test(bad_files_are_refused_and_the_old_ones_stay))
