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

static const struct fl_uuid cluster = {{1}};

/* The client shows a certificate of a cluster that is good until then; the server trusts it. */
static void present(const struct tls_pair *pair, fl_ms until)
{
    X509_STORE *store = SSL_CTX_get_cert_store(pair->server);
    struct fl_ca *signer = NULL;
    struct fl_key *key = fl_key_create();
    struct fl_buf pem;
    struct fl_err err = {0};
    X509 *cert = NULL, *root = NULL;
    fl_ms now = fl_clock_wall();

    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    assert_true(fl_ca_create("test", now, FL_HOUR_MS, &signer, &err));
    assert_true(fl_ca_sign_cluster(signer, key, cluster, 5, now - 60000, until, &pem, &err));
    assert_true(fl_pem_read_cert((struct fl_str){(const char *)pem.at, pem.len}, &cert, &err));
    assert_true(fl_pem_read_cert(fl_ca_cert_pem(signer), &root, &err));
    assert_int_equal(X509_STORE_add_cert(store, root), 1);
    assert_int_equal(SSL_CTX_use_certificate(pair->client, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(pair->client, key->pkey), 1);
    X509_free(cert);
    X509_free(root);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
    fl_ca_destroy(signer);
}

static struct tls_pair a_cluster_and_its_hub(fl_ms until)
{
    struct tls_pair pair = tls_pair_create();

    present(&pair, until);
    SSL_CTX_set_verify(pair.server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pair.server), X509_V_FLAG_NO_CHECK_TIME);
    return pair;
}

static fl_ms in_an_hour(void)
{
    return fl_clock_wall() + FL_HOUR_MS;
}

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

/* A whole handshake, and what comes with it; how long the client's first message is. */
static size_t shake_hands(SSL *client, SSL *server, char *ret_hello)
{
    char bytes[16384], byte;
    size_t len;

    SSL_set_connect_state(client);
    SSL_set_accept_state(server);
    (void)SSL_do_handshake(client);
    len = carry(client, server, ret_hello, FL_CLIENT_HELLO_BYTES_MAX);
    for (int i = 0; i < 4; i++) {
        (void)SSL_do_handshake(server);
        carry(server, client, bytes, sizeof bytes);
        (void)SSL_do_handshake(client);
        carry(client, server, bytes, sizeof bytes);
    }
    assert_true(SSL_is_init_finished(client) && SSL_is_init_finished(server));
    assert_string_equal(SSL_get_version(client), "TLSv1.3");
    assert_int_equal(SSL_read(client, &byte, 1), -1); /* takes the ticket */
    return len;
}

/* Both ends know who the other is, with a ticket as without. */
static void check_identities(const struct tls_pair *pair, SSL *client, SSL *server, bool is_resumed)
{
    X509 *seen = fl_ticket_server(client);
    struct fl_cert own, shown;
    struct fl_err err = {0};

    assert_true(fl_cert_of(SSL_CTX_get0_certificate(pair->client), &own, &err));
    assert_int_equal(fl_ticket_shown(server, &shown), is_resumed);
    if (!is_resumed) assert_true(fl_cert_of_cluster(server, &shown, &err));
    assert_memory_equal(&shown, &own, sizeof own);
    assert_int_equal(shown.generation, 5);
    assert_non_null(seen);
    assert_int_equal(X509_cmp(seen, SSL_CTX_get0_certificate(pair->server)), 0);
}

/* A whole connection.  Returns whether a ticket made its certificate needless; *ret_hello: the
 * client's first message. */
static bool connect(struct tls_pair *pair, char *ret_hello, size_t *ret_len)
{
    SSL *client = end_of(pair->client), *server = end_of(pair->server);
    bool is_resumed;

    *ret_len = shake_hands(client, server, ret_hello);
    is_resumed = SSL_session_reused(server);
    assert_int_equal(SSL_session_reused(client), is_resumed);
    check_identities(pair, client, server, is_resumed);
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
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
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
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
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
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
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

static void a_ticket_dies_with_its_certificate(void **state)
{
    fl_ms until = fl_clock_wall() + 2000;
    struct tls_pair pair = a_cluster_and_its_hub(until);
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    size_t len;

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_false(connect(&pair, hello, &len));
    while (connect(&pair, hello, &len)) { /* as long as it is good */
        assert_true(fl_clock_wall() < until + 60000);
    }
    assert_true(fl_clock_wall() > until - 1000); /* its end is a whole second */
    assert_int_not_equal(ticket_in(hello, len).len, 0);
    assert_false(fl_ticket_is_ours(&key, ticket_in(hello, len)));
    assert_false(connect(&pair, hello, &len));
    tls_pair_destroy(&pair);
}

/* Whether the next connection is made by a ticket. */
static bool comes_again(struct tls_pair *pair)
{
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    size_t len;

    return connect(pair, hello, &len);
}

static void a_ticket_is_for_its_suite(void **state)
{
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_false(comes_again(&pair));
    assert_int_equal(SSL_CTX_set_ciphersuites(pair.server, "TLS_AES_128_GCM_SHA256"), 1);
    assert_false(comes_again(&pair)); /* which brings a ticket for the other suite */
    assert_true(comes_again(&pair));
    tls_pair_destroy(&pair);
}

/* The server wants another group than the client has guessed. */
static void a_ticket_is_taken_in_a_second_first_message(void **state)
{
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);

    (void)state;
    assert_int_equal(SSL_CTX_set1_groups_list(pair.server, "P-521"), 1);
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_false(comes_again(&pair));
    assert_true(comes_again(&pair));
    assert_true(comes_again(&pair));
    tls_pair_destroy(&pair);
}

/* One connection; it fails if the peer's certificate is refused.  Returns the server's certificate
 * as the client has it at the end. */
static bool has_server(const struct tls_pair *pair, struct fl_ticket_kept **place,
                       bool *ret_is_resumed)
{
    SSL *client = end_of(pair->client), *server = end_of(pair->server);
    char hello[FL_CLIENT_HELLO_BYTES_MAX];
    bool has;

    if (place) fl_ticket_keep_at(client, place);
    (void)shake_hands(client, server, hello);
    *ret_is_resumed = SSL_session_reused(server);
    has = fl_ticket_server(client) != NULL;
    SSL_free(client);
    SSL_free(server);
    return has;
}

static void a_ticket_of_an_unknown_server_makes_it_no_better_known(void **state)
{
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour()), other = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    struct tls_pair wrong = {.server = pair.server, .client = other.client};
    bool is_resumed;

    (void)state;
    SSL_CTX_set_verify(other.client, SSL_VERIFY_NONE, NULL);
    present(&wrong, in_an_hour());
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(wrong.client);
    assert_false(has_server(&wrong, NULL, &is_resumed));
    assert_false(is_resumed);
    for (int i = 0; i < 2; i++) {
        assert_false(has_server(&wrong, NULL, &is_resumed));
        assert_true(is_resumed);
    }
    tls_pair_destroy(&pair);
    tls_pair_destroy(&other);
}

static void a_connection_may_have_a_ticket_of_its_own(void **state)
{
    struct tls_pair pair = a_cluster_and_its_hub(in_an_hour());
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    struct fl_ticket_kept *own = NULL;
    bool is_resumed;

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    assert_true(has_server(&pair, &own, &is_resumed));
    assert_true(own && !is_resumed);
    assert_true(has_server(&pair, NULL, &is_resumed));
    assert_false(is_resumed); /* the context has none yet */
    assert_true(has_server(&pair, &own, &is_resumed));
    assert_true(is_resumed);
    fl_ticket_forget(own);
    tls_pair_destroy(&pair);
}

static void who_is_no_cluster_gets_none(void **state)
{
    struct tls_pair pair = tls_pair_create();
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca);
    bool is_resumed;

    (void)state;
    fl_ticket_serve(pair.server, &key, FL_HOUR_MS);
    fl_ticket_keep(pair.client);
    for (int i = 0; i < 2; i++) {
        assert_true(has_server(&pair, NULL, &is_resumed));
        assert_false(is_resumed);
    }
    tls_pair_destroy(&pair);
}

static const unsigned char odd_bytes[2000];
static size_t odd_len;

static int give_odd(SSL *ssl, unsigned type, unsigned context, const unsigned char **ret_bytes,
                    size_t *ret_len, X509 *x509, size_t place, int *ret_alert, void *arg)
{
    (void)ssl, (void)type, (void)context, (void)x509, (void)place, (void)ret_alert, (void)arg;
    *ret_bytes = odd_bytes;
    *ret_len = odd_len;
    return 1;
}

/* From the extension's number on, all bytes are the server's choice. */
static void a_client_survives_any_ticket(void **state)
{
    static const size_t lens[] = {0, 1, 2, 33, 34, 35, 300, 34 + 1024, 34 + 1025, 2000};
    struct tls_pair pair = tls_pair_create();

    (void)state;
    SSL_CTX_set_num_tickets(pair.server, 1);
    assert_int_equal(SSL_CTX_add_custom_ext(pair.server, FL_TICKET_EXTENSION,
                                            SSL_EXT_TLS1_3_NEW_SESSION_TICKET, give_odd, NULL, NULL,
                                            NULL, NULL),
                     1);
    fl_ticket_keep(pair.client);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        bool is_resumed;

        odd_len = lens[i];
        for (int turn = 0; turn < 2; turn++) {
            assert_true(has_server(&pair, NULL, &is_resumed));
            assert_false(is_resumed);
        }
    }
    tls_pair_destroy(&pair);
}

static void a_key_is_the_same_after_a_restart(void **state)
{
    struct fl_ticket_key key = fl_ticket_key_of(secret, ca), again = fl_ticket_key_of(secret, ca);

    (void)state;
    assert_memory_equal(&key, &again, sizeof key);
    assert_memory_not_equal(key.at, key.at + 24, 24);
}

FL_TESTS(cmocka_unit_test(a_ticket_dies_with_its_certificate),
         cmocka_unit_test(a_ticket_is_taken_again_and_known_before_the_handshake),
         cmocka_unit_test(a_young_ticket_stays_and_an_old_one_is_replaced),
         cmocka_unit_test(another_ca_makes_all_tickets_void),
         cmocka_unit_test(a_ticket_is_for_its_suite),
         cmocka_unit_test(a_ticket_is_taken_in_a_second_first_message),
         cmocka_unit_test(a_ticket_of_an_unknown_server_makes_it_no_better_known),
         cmocka_unit_test(a_connection_may_have_a_ticket_of_its_own),
         cmocka_unit_test(who_is_no_cluster_gets_none),
         cmocka_unit_test(a_client_survives_any_ticket),
         cmocka_unit_test(a_key_is_the_same_after_a_restart))
