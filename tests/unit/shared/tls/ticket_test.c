#include "shared/tls/ticket.h"

#include <openssl/ssl.h>

#include "shared/io/clock.h"
#include "shared/tls/ca.h"
#include "shared/tls/client_hello.h"
#include "shared/tls/key.h"
#include "shared/tls/pem.h"
#include "tests/fl_test.h"
#include "tests/tls_pair.h"

static const uint8_t secret[FL_TICKET_SECRET_BYTES] = "a secret of thirty-two bytes...";
static const struct fl_digest ca = {{1}}, other_ca = {{2}};

static size_t carry(SSL *from, SSL *to, char *bytes, size_t bytes_max)
{
    size_t carried = 0;
    int len;

    while ((len = BIO_read(SSL_get_wbio(from), bytes, (int)bytes_max)) > 0) {
        assert_int_equal(BIO_write(SSL_get_rbio(to), bytes, len), len);
        carried = (size_t)len;
    }
    return carried;
}

static SSL *end_of(SSL_CTX *context)
{
    SSL *ssl = SSL_new(context);

    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    return ssl;
}

/* A whole connection.  Returns whether a ticket made its certificate needless; *ret_hello: the
 * client's first message. */
static bool connect(struct tls_pair *pair, char *ret_hello, size_t *ret_len)
{
    SSL *client = end_of(pair->client), *server = end_of(pair->server);
    char bytes[16384], byte;
    bool is_resumed;

    SSL_set_connect_state(client);
    SSL_set_accept_state(server);
    (void)SSL_do_handshake(client);
    *ret_len = carry(client, server, ret_hello, FL_CLIENT_HELLO_BYTES_MAX);
    for (int i = 0; i < 4; i++) {
        (void)SSL_do_handshake(server);
        carry(server, client, bytes, sizeof bytes);
        (void)SSL_do_handshake(client);
        carry(client, server, bytes, sizeof bytes);
    }
    assert_true(SSL_is_init_finished(client) && SSL_is_init_finished(server));
    assert_string_equal(SSL_get_version(client), "TLSv1.3");
    assert_int_equal(SSL_read(client, &byte, 1), -1); /* takes the ticket */
    is_resumed = SSL_session_reused(server);
    assert_int_equal(SSL_session_reused(client), is_resumed);
    SSL_free(client);
    SSL_free(server);
    return is_resumed;
}

static struct fl_str ticket_in(const char *hello, size_t len)
{
    struct fl_str ticket;
    size_t needed;

    assert_int_equal(fl_client_hello_read((struct fl_str){hello, len}, &needed, &ticket),
                     FL_CLIENT_HELLO_WHOLE);
    return ticket;
}

static void a_ticket_is_taken_again_and_known_before_the_handshake(void **state)
{
    struct tls_pair pair = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    struct fl_str ticket;
    size_t len;

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_false(connect(&pair, hello, &len));
    assert_int_equal(ticket_in(hello, len).len, 0);
    assert_false(fl_ticket_is_ours(&key, ticket_in(hello, len)));
    for (int i = 0; i < 3; i++) {
        assert_true(connect(&pair, hello, &len));
    }
    ticket = ticket_in(hello, len);
    assert_true(fl_ticket_is_ours(&key, ticket));
    for (size_t i = 0; i < ticket.len; i += 7) {
        char *at = hello + (ticket.at - hello) + i;

        *at ^= 1;
        assert_false(fl_ticket_is_ours(&key, ticket));
        *at ^= 1;
    }
    for (size_t i = 0; i < ticket.len; i++) {
        assert_false(fl_ticket_is_ours(&key, (struct fl_str){ticket.at, i}));
    }
    tls_pair_destroy(&pair);
}

/* To make one costs much: only when half of its time is over. */
static void a_young_ticket_stays_and_an_old_one_is_replaced(void **state)
{
    struct tls_pair pair = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    char first[FL_CLIENT_HELLO_BYTES_MAX], hello[FL_CLIENT_HELLO_BYTES_MAX];
    fl_ms began = fl_clock_mono();
    struct fl_str ticket, shown;
    size_t len;

    (void)state;
    fl_ticket_serve(pair.server, &key, 6000);
    fl_ticket_keep(pair.client);
    assert_false(connect(&pair, first, &len));
    assert_true(connect(&pair, first, &len));
    ticket = ticket_in(first, len);
    do {
        assert_true(fl_clock_mono() - began < 5000);
        assert_true(connect(&pair, hello, &len));
        shown = ticket_in(hello, len);
    } while (fl_str_eq(shown, ticket));
    assert_true(fl_clock_mono() - began >= 2000); /* times are whole seconds */
    assert_true(fl_ticket_is_ours(&key, shown));
    tls_pair_destroy(&pair);
}

static void another_ca_makes_all_tickets_void(void **state)
{
    struct tls_pair pair = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca),
                         other = fl_ticket_key_of(secret, other_ca);
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    size_t len;

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_false(connect(&pair, hello, &len));
    fl_ticket_serve(pair.server, &other, FL_HOUR_MS);
    assert_false(connect(&pair, hello, &len));
    assert_true(fl_ticket_is_ours(&key, ticket_in(hello, len)));
    assert_false(fl_ticket_is_ours(&other, ticket_in(hello, len)));
    assert_true(connect(&pair, hello, &len)); /* with the new one */
    tls_pair_destroy(&pair);
}

/* The client shows a certificate that is good until then. */
static void present(SSL_CTX *client, fl_ms until)
{
    struct fl_ca *signer = NULL;
    struct fl_key *key = fl_key_create();
    struct fl_uuid cluster = {{1}};
    struct fl_buf pem;
    struct fl_err err = {0};
    X509 *cert = NULL;
    fl_ms now = fl_clock_wall();

    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    assert_true(fl_ca_create("test", now, FL_HOUR_MS, &signer, &err));
    assert_true(fl_ca_sign_cluster(signer, key, cluster, 1, now - 60000, until, &pem, &err));
    assert_true(fl_pem_read_cert((struct fl_str){(const char *)pem.at, pem.len}, &cert, &err));
    assert_int_equal(SSL_CTX_use_certificate(client, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(client, key->pkey), 1);
    X509_free(cert);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
    fl_ca_destroy(signer);
}

/* Not what is tested here; see agent_sockets.c. */
static int takes_any(int is_good, X509_STORE_CTX *store)
{
    (void)is_good;
    (void)store;
    return 1;
}

static void a_ticket_dies_with_its_certificate(void **state)
{
    struct tls_pair pair = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    fl_ms until = fl_clock_wall() + 2000;
    size_t len;

    (void)state;
    SSL_CTX_set_verify(pair.server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, takes_any);
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    present(pair.client, until);
    assert_false(connect(&pair, hello, &len));
    while (connect(&pair, hello, &len)) { /* as long as it is good */
        assert_true(fl_clock_wall() < until + 60000);
    }
    assert_true(fl_clock_wall() > until - 1000); /* its end is a whole second */
    assert_true(fl_ticket_is_ours(&key, ticket_in(hello, len)));
    assert_false(connect(&pair, hello, &len));
    tls_pair_destroy(&pair);
}

static void a_key_is_the_same_after_a_restart(void **state)
{
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca), again = fl_ticket_key_of(secret, ca);

    (void)state;
    assert_memory_equal(&key, &again, sizeof key);
    assert_memory_not_equal(key.at, key.at + 32, 32);
}

FL_TESTS(cmocka_unit_test(a_ticket_dies_with_its_certificate),
         cmocka_unit_test(a_ticket_is_taken_again_and_known_before_the_handshake),
         cmocka_unit_test(a_young_ticket_stays_and_an_old_one_is_replaced),
         cmocka_unit_test(another_ca_makes_all_tickets_void),
         cmocka_unit_test(a_key_is_the_same_after_a_restart))
