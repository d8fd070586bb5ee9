/* Real handshakes over socket pairs: admissions, refusals, and their reasons. */
#include "shared/tls/context.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include "shared/io/clock.h"
#include "shared/tls/ca.h"
#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"
#include "tests/fl_test.h"

enum { STEPS_MAX = 200 };
struct pem {
    struct fl_buf cert, key;
};

static struct fl_str text_of(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void pem_init(struct pem *pem)
{
    fl_buf_init(&pem->cert, FL_CERT_PEM_MAX);
    fl_buf_init(&pem->key, FL_KEY_PEM_MAX);
}

static void pem_fini(struct pem *pem)
{
    fl_buf_fini(&pem->cert);
    fl_buf_fini(&pem->key);
}

/* A world with a control plane, its CA and a cluster; and a foreign CA. */
struct world {
    struct fl_ca *ca, *foreign;
    struct pem server, client;
    struct fl_uuid cluster;
    struct fl_digest client_key;
    fl_ms now;
};

static struct fl_ca *make_ca(fl_ms now)
{
    struct fl_ca *ca = NULL;
    struct fl_err err = {0};

    assert_true(fl_ca_create("test", now, FL_DAY_MS, &ca, &err));
    return ca;
}

static void issue_client(struct world *world, const struct fl_ca *ca, fl_ms from, fl_ms until)
{
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};

    fl_buf_clear(&world->client.cert);
    fl_buf_clear(&world->client.key);
    assert_true(
        fl_ca_sign_cluster(ca, key, world->cluster, 7, from, until, &world->client.cert, &err));
    assert_true(fl_key_write(key, &world->client.key, &err));
    world->client_key = fl_key_sha256(key);
    fl_key_destroy(key);
}

static void issue_server(const struct fl_ca *ca, fl_ms from, fl_ms until, struct pem *ret)
{
    static const char *const names[] = {"hub.example", "127.0.0.1"};
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};

    assert_true(
        fl_ca_sign_server(ca, key, (struct fl_ca_names){names, 2}, from, until, &ret->cert, &err));
    assert_true(fl_key_write(key, &ret->key, &err));
    fl_key_destroy(key);
}

static void world_init(struct world *world)
{
    *world = (struct world){.now = fl_clock_wall(), .cluster = fl_random_uuid()};
    world->ca = make_ca(world->now);
    world->foreign = make_ca(world->now);
    pem_init(&world->server);
    pem_init(&world->client);
    issue_server(world->ca, world->now - FL_HOUR_MS, world->now + FL_HOUR_MS, &world->server);
    issue_client(world, world->ca, world->now - FL_HOUR_MS, world->now + FL_HOUR_MS);
}

static void world_fini(struct world *world)
{
    fl_ca_destroy(world->ca);
    fl_ca_destroy(world->foreign);
    pem_fini(&world->server);
    pem_fini(&world->client);
}

struct meeting {
    SSL_CTX *server_context, *client_context;
    SSL *server, *client;
    bool server_is_done, client_is_done;
    struct fl_err server_err, client_err;
    int fds[2];
};

/* One end's next step; true when it has come to its end. */
static bool step(SSL *ssl, bool *is_done, struct fl_err *err)
{
    int result = SSL_do_handshake(ssl), why;

    if (result == 1) return *is_done = true;
    why = SSL_get_error(ssl, result);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return false;
    fl_tls_fail(ssl, "handshake", err);
    return true;
}

/* As libwebsockets does it, for each connection. */
static int keep_verdict(int is_good, X509_STORE_CTX *store)
{
    (void)store;
    return is_good;
}

static void meet(struct meeting *meeting, const struct fl_tls_server *server,
                 const struct fl_tls_client *client, const char *host)
{
    bool server_ends = false, client_ends = false;
    struct fl_err err = {0};

    *meeting = (struct meeting){0};
    assert_true(fl_tls_server(server, &meeting->server_context, &err));
    assert_true(fl_tls_client(client, &meeting->client_context, &err));
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, meeting->fds), 0);
    meeting->server = SSL_new(meeting->server_context);
    meeting->client = SSL_new(meeting->client_context);
    SSL_set_fd(meeting->server, meeting->fds[0]);
    SSL_set_fd(meeting->client, meeting->fds[1]);
    SSL_set_accept_state(meeting->server);
    SSL_set_connect_state(meeting->client);
    SSL_set_verify(meeting->client, SSL_VERIFY_PEER, keep_verdict);
    if (host) assert_true(fl_tls_expect(meeting->client, host, &err));
    for (int i = 0; i < STEPS_MAX && (!server_ends || !client_ends); i++) {
        if (!client_ends) {
            client_ends = step(meeting->client, &meeting->client_is_done, &meeting->client_err);
        }
        if (!server_ends) {
            server_ends = step(meeting->server, &meeting->server_is_done, &meeting->server_err);
        }
        if (client_ends && !meeting->client_is_done) break;
    }
    /* In TLS 1.3 a client is done before its certificate is looked at. */
    if (!meeting->server_is_done && !server_ends) {
        step(meeting->server, &meeting->server_is_done, &meeting->server_err);
    }
}

static void part(struct meeting *meeting)
{
    SSL_free(meeting->server);
    SSL_free(meeting->client);
    SSL_CTX_free(meeting->server_context);
    SSL_CTX_free(meeting->client_context);
    close(meeting->fds[0]);
    close(meeting->fds[1]);
}

static struct fl_tls_server tunnel(const struct world *world)
{
    return (struct fl_tls_server){.cert_pem = text_of(&world->server.cert),
                                  .key_pem = text_of(&world->server.key),
                                  .client_ca_pem = fl_ca_cert_pem(world->ca),
                                  .is_13_only = true};
}

static struct fl_tls_client agent(const struct world *world)
{
    return (struct fl_tls_client){.ca_pem = fl_ca_cert_pem(world->ca),
                                  .cert_pem = text_of(&world->client.cert),
                                  .key_pem = text_of(&world->client.key),
                                  .is_13_only = true};
}

static void a_cluster_gets_in_and_is_known_by_its_certificate(void **state)
{
    static const char *const hosts[] = {"hub.example", "127.0.0.1", FL_TLS_SERVER_NAME};
    struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct fl_tls_server server = tunnel(&world);
        struct fl_tls_client client = agent(&world);
        struct meeting meeting;
        struct fl_cert cert;
        struct fl_err err = {0};

        meet(&meeting, &server, &client, hosts[i]);
        assert_true(meeting.server_is_done && meeting.client_is_done);
        assert_string_equal(SSL_get_version(meeting.server), "TLSv1.3");
        assert_true(fl_cert_of_cluster(meeting.server, &cert, &err));
        assert_true(fl_uuid_eq(cert.cluster, world.cluster));
        assert_int_equal(cert.generation, 7);
        assert_true(fl_digest_eq(cert.key_sha256, world.client_key));
        assert_int_equal(cert.until, (world.now + FL_HOUR_MS) / 1000 * 1000);
        assert_false(
            fl_cert_of_cluster(meeting.client, &cert, &err)); /* the server is no cluster */
        assert_int_equal(err.code, FL_DENIED);
        part(&meeting);
    }
    world_fini(&world);
}

static void refused_at_server(const struct world *world, const struct fl_tls_client *client,
                              enum fl_code code, const char *why)
{
    struct fl_tls_server server = tunnel(world);
    struct meeting meeting;

    meet(&meeting, &server, client, "hub.example");
    assert_false(meeting.server_is_done);
    assert_int_equal(meeting.server_err.code, code);
    assert_non_null(strstr(meeting.server_err.text, why));
    part(&meeting);
}

static void a_client_without_or_with_a_wrong_certificate_does_not_get_in(void **state)
{
    struct world world;
    struct fl_tls_client client;

    (void)state;
    world_init(&world);
    client = agent(&world);
    client.cert_pem = client.key_pem = (struct fl_str){0};
    refused_at_server(&world, &client, FL_DENIED, "did not return a certificate");

    issue_client(&world, world.foreign, world.now - FL_HOUR_MS, world.now + FL_HOUR_MS);
    client = agent(&world);
    refused_at_server(&world, &client, FL_DENIED, "unable to get local issuer certificate");

    issue_client(&world, world.ca, world.now - FL_HOUR_MS, world.now - FL_MINUTE_MS);
    client = agent(&world);
    refused_at_server(&world, &client, FL_DENIED, "expired");

    issue_client(&world, world.ca, world.now + FL_HOUR_MS, world.now + 2 * FL_HOUR_MS);
    client = agent(&world);
    refused_at_server(&world, &client, FL_DENIED, "not yet valid");

    /* The listener's own certificate is of the right CA, for the wrong role. */
    client.cert_pem = text_of(&world.server.cert);
    client.key_pem = text_of(&world.server.key);
    refused_at_server(&world, &client, FL_DENIED, "unsuitable certificate purpose");
    world_fini(&world);
}

static void refused_at_client(const struct fl_tls_server *server,
                              const struct fl_tls_client *client, const char *host, const char *why)
{
    struct meeting meeting;

    meet(&meeting, server, client, host);
    assert_false(meeting.client_is_done);
    assert_int_equal(meeting.client_err.code, FL_DENIED);
    assert_non_null(strstr(meeting.client_err.text, why));
    part(&meeting);
}

static void a_server_of_another_name_ca_role_or_time_is_refused(void **state)
{
    struct fl_tls_server server;
    struct fl_tls_client client;
    struct pem old;
    struct world world;

    (void)state;
    world_init(&world);
    pem_init(&old);
    server = tunnel(&world);
    client = agent(&world);
    refused_at_client(&server, &client, "other.example", "hostname mismatch");
    refused_at_client(&server, &client, "127.0.0.2", "IP address mismatch");
    refused_at_client(&server, &client, NULL, "hostname mismatch"); /* none was expected */

    client.ca_pem = fl_ca_cert_pem(world.foreign);
    refused_at_client(&server, &client, "hub.example", "self-signed certificate");

    /* An agent that plays control plane. */
    client = agent(&world);
    server.cert_pem = text_of(&world.client.cert);
    server.key_pem = text_of(&world.client.key);
    refused_at_client(&server, &client, "hub.example", "certificate");

    issue_server(world.ca, world.now - 2 * FL_HOUR_MS, world.now - FL_HOUR_MS, &old);
    server.cert_pem = text_of(&old.cert);
    server.key_pem = text_of(&old.key);
    refused_at_client(&server, &client, "hub.example", "expired");
    pem_fini(&old);
    world_fini(&world);
}

static void a_pinned_hash_is_enough_and_a_wrong_one_is_not(void **state)
{
    struct fl_digest right, wrong;
    struct fl_tls_server server;
    struct fl_tls_client client = {0};
    struct meeting meeting;
    struct world world;

    (void)state;
    world_init(&world);
    right = fl_ca_sha256(world.ca);
    wrong = fl_ca_sha256(world.foreign);
    server = tunnel(&world);
    server.client_ca_pem = (struct fl_str){0};
    client.ca_sha256 = &right;
    meet(&meeting, &server, &client, "hub.example");
    assert_true(meeting.server_is_done && meeting.client_is_done);
    part(&meeting);
    refused_at_client(&server, &client, "other.example", "hostname mismatch");
    client.ca_sha256 = &wrong;
    refused_at_client(&server, &client, "hub.example", "not trusted");
    world_fini(&world);
}

/* One of two clocks is wrong: our CA issues what is shown at once. */
static void a_server_of_our_ca_that_begins_in_the_future_is_good(void **state)
{
    struct fl_tls_server server;
    struct fl_tls_client client;
    struct fl_digest pin;
    struct pem early;
    struct world world;

    (void)state;
    world_init(&world);
    pem_init(&early);
    issue_server(world.ca, world.now + FL_DAY_MS, world.now + 2 * FL_DAY_MS, &early);
    pin = fl_ca_sha256(world.ca);
    server = tunnel(&world);
    server.cert_pem = text_of(&early.cert);
    server.key_pem = text_of(&early.key);
    client = agent(&world);
    refused_at_client(&server, &client, "hub.example", "not yet valid"); /* any CA's */
    for (int is_pinned = 0; is_pinned < 2; is_pinned++) {
        struct meeting meeting;

        client.is_early_accepted = true;
        if (is_pinned) {
            client.ca_pem = (struct fl_str){0};
            client.ca_sha256 = &pin;
        }
        meet(&meeting, &server, &client, "hub.example");
        assert_true(meeting.server_is_done && meeting.client_is_done);
        assert_int_equal(SSL_get_verify_result(meeting.client), X509_V_OK);
        part(&meeting);
        refused_at_client(&server, &client, "other.example", "hostname mismatch");
    }
    client = agent(&world);
    client.is_early_accepted = true;
    client.ca_pem = fl_ca_cert_pem(world.foreign);
    refused_at_client(&server, &client, "hub.example", "certificate");
    pem_fini(&early);
    world_fini(&world);
}

static void certificate_and_key_must_belong_together(void **state)
{
    struct fl_tls_server server;
    SSL_CTX *context = NULL;
    struct fl_err err = {0};
    struct world world;

    (void)state;
    world_init(&world);
    server = tunnel(&world);
    server.key_pem = text_of(&world.client.key);
    assert_false(fl_tls_server(&server, &context, &err));
    assert_int_equal(err.code, FL_INVALID);
    server.key_pem = FL_STR("nothing");
    assert_false(fl_tls_server(&server, &context, &err));
    server = tunnel(&world);
    server.client_ca_pem = FL_STR("nothing");
    assert_false(fl_tls_server(&server, &context, &err));
    world_fini(&world);
}

static void a_ca_is_read_back_and_one_that_is_none_is_refused(void **state)
{
    struct fl_ca *back = NULL;
    struct fl_err err = {0};
    struct world world;
    struct fl_buf key;

    (void)state;
    world_init(&world);
    fl_buf_init(&key, FL_KEY_PEM_MAX);
    assert_true(fl_ca_write_key(world.ca, &key, &err));
    assert_true(fl_ca_read(fl_ca_cert_pem(world.ca), text_of(&key), &back, &err));
    assert_true(fl_digest_eq(fl_ca_sha256(back), fl_ca_sha256(world.ca)));
    assert_int_equal(fl_ca_ends_at(back), (world.now + FL_DAY_MS) / 1000 * 1000);
    fl_ca_destroy(back);
    assert_false(fl_ca_read(fl_ca_cert_pem(world.foreign), text_of(&key), &back, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(fl_ca_read(text_of(&world.client.cert), text_of(&world.client.key), &back, &err));
    assert_int_equal(err.code, FL_INVALID);
    fl_buf_fini(&key);
    world_fini(&world);
}

FL_TESTS(cmocka_unit_test(a_cluster_gets_in_and_is_known_by_its_certificate),
         cmocka_unit_test(a_client_without_or_with_a_wrong_certificate_does_not_get_in),
         cmocka_unit_test(a_server_of_another_name_ca_role_or_time_is_refused),
         cmocka_unit_test(a_pinned_hash_is_enough_and_a_wrong_one_is_not),
         cmocka_unit_test(a_server_of_our_ca_that_begins_in_the_future_is_good),
         cmocka_unit_test(certificate_and_key_must_belong_together),
         cmocka_unit_test(a_ca_is_read_back_and_one_that_is_none_is_refused))
