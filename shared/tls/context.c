#include "shared/tls/context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"
#include "shared/tls/pem.h"

enum { CHAIN_MAX = 4 };

/* ---- both ends ------------------------------------------------------------------------------- */

void fl_tls_limit(SSL_CTX *context)
{
    long has_groups = SSL_CTX_set1_groups_list(context, "X25519:P-256");
    int has_suites = SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");

    fl_assert(has_groups == 1 && has_suites == 1);
}

static SSL_CTX *make(const SSL_METHOD *method, bool is_13_only)
{
    SSL_CTX *context = SSL_CTX_new(method);

    fl_assert(context);
    fl_tls_limit(context);
    SSL_CTX_set_min_proto_version(context, is_13_only ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    /* A write may take a part, and go on from another buffer; idle connections hold none. */
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify_depth(context, CHAIN_MAX);
    return context;
}

static bool present(SSL_CTX *context, struct fl_str cert_pem, struct fl_str key_pem,
                    struct fl_err *err)
{
    STACK_OF(X509) *certs = NULL;
    struct fl_key *key = NULL;
    bool is_good = fl_pem_read_certs(cert_pem, &certs, err) && fl_key_read(key_pem, &key, err);

    if (is_good) {
        is_good = SSL_CTX_use_certificate(context, sk_X509_value(certs, 0)) == 1 &&
                  SSL_CTX_use_PrivateKey(context, key->pkey) == 1 &&
                  SSL_CTX_check_private_key(context) == 1;
        for (int i = 1; is_good && i < sk_X509_num(certs); i++) {
            is_good = SSL_CTX_add1_chain_cert(context, sk_X509_value(certs, i)) == 1;
        }
        if (!is_good) fl_pem_fail(err, "certificate and key do not go together");
    }
    sk_X509_pop_free(certs, X509_free);
    fl_key_destroy(key);
    return is_good;
}

/* Makes these the only CAs that count; the system's do not. */
static bool trust(SSL_CTX *context, struct fl_str ca_pem, bool is_server, struct fl_err *err)
{
    X509_STORE *store;
    STACK_OF(X509) * certs;
    bool is_good = true;

    if (!fl_pem_read_certs(ca_pem, &certs, err)) return false;
    store = X509_STORE_new();
    fl_assert(store);
    for (int i = 0; i < sk_X509_num(certs) && is_good; i++) {
        is_good = X509_STORE_add_cert(store, sk_X509_value(certs, i)) == 1 &&
                  (!is_server || SSL_CTX_add_client_CA(context, sk_X509_value(certs, i)) == 1);
    }
    SSL_CTX_set_cert_store(context, store); /* the context's now */
    sk_X509_pop_free(certs, X509_free);
    return is_good || fl_pem_fail(err, "the CA to trust");
}

/* ---- servers --------------------------------------------------------------------------------- */

bool fl_tls_server(const struct fl_tls_server *want, SSL_CTX **ret_context, struct fl_err *err)
{
    SSL_CTX *context = make(TLS_server_method(), want->is_13_only);
    bool is_good = present(context, want->cert_pem, want->key_pem, err);

    if (is_good && want->client_ca_pem.len > 0) {
        is_good = trust(context, want->client_ca_pem, true, err);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    if (!is_good) {
        SSL_CTX_free(context);
        return false;
    }
    *ret_context = context;
    return true;
}

/* ---- clients --------------------------------------------------------------------------------- */

static int pin_index; /* where a context holds its pinned hash; constant once made */
static pthread_once_t pin_once = PTHREAD_ONCE_INIT;

static void free_pin(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl,
                     void *argp)
{
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    fl_free(ptr);
}

static void make_pin_index(void)
{
    pin_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_pin);
    fl_assert(pin_index >= 0);
}

/* The certificate with the pinned hash, among those that the server sent. */
static X509 *find_pinned(X509_STORE_CTX *store, const struct fl_digest *pin)
{
    STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(store);

    for (int i = 0; i < sk_X509_num(sent); i++) {
        if (fl_digest_eq(fl_pem_sha256_of(sk_X509_value(sent, i)), *pin)) {
            return sk_X509_value(sent, i);
        }
    }
    return NULL;
}

static bool has_expectation(X509_STORE_CTX *store)
{
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(store);
    bool has_address;
    char *address;

    if (X509_VERIFY_PARAM_get0_host(param, 0)) return true;
    address = X509_VERIFY_PARAM_get1_ip_asc(param);
    has_address = address != NULL;
    if (!has_address) ERR_clear_error(); /* to OpenSSL its absence is an error */
    OPENSSL_free(address);
    return has_address;
}

/* Our own CA issues what it shows us at once, so a certificate that begins in the future only says
 * that one of two clocks is wrong.  libwebsockets gives each connection a callback of its own,
 * which would refuse that certificate and which logs all else: it is called behind this one. */
static int accept_early(int is_good, X509_STORE_CTX *store)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    SSL_verify_cb next = ssl ? SSL_get_verify_callback(ssl) : NULL;

    if (!is_good && X509_STORE_CTX_get_error(store) == X509_V_ERR_CERT_NOT_YET_VALID) {
        X509_STORE_CTX_set_error(store, X509_V_OK);
        is_good = 1;
    }
    return next ? next(is_good, store) : is_good;
}

/* In place of OpenSSL's own: a name must be expected, and a pinned CA is the only one trusted. */
static int verify(X509_STORE_CTX *store, void *ctx)
{
    const struct fl_digest *pin = ctx;
    STACK_OF(X509) * trusted;
    X509 *anchor;
    int is_good;

    if (!has_expectation(store)) {
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
        return 0;
    }
    if (!pin) return X509_verify_cert(store);
    anchor = find_pinned(store, pin);
    if (!anchor) {
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
        return 0;
    }
    trusted = sk_X509_new_null();
    fl_assert(trusted);
    sk_X509_push(trusted, anchor);
    X509_STORE_CTX_set0_trusted_stack(store, trusted);
    is_good = X509_verify_cert(store);
    sk_X509_free(trusted);
    return is_good;
}

/* In place of a connection's callback, which is set before this is called. */
static int verify_own(X509_STORE_CTX *store, void *ctx)
{
    X509_STORE_CTX_set_verify_cb(store, accept_early);
    return verify(store, ctx);
}

static void pin(SSL_CTX *context, const struct fl_digest *ca_sha256)
{
    struct fl_digest *copy = fl_new(struct fl_digest);
    int is_good;

    pthread_once(&pin_once, make_pin_index);
    *copy = *ca_sha256;
    is_good = SSL_CTX_set_ex_data(context, pin_index, copy);
    fl_assert(is_good == 1);
    SSL_CTX_set_cert_verify_callback(context, verify_own, copy);
}

static bool set_client(SSL_CTX *context, const struct fl_tls_client *want, struct fl_err *err)
{
    bool is_good = true;

    fl_assert(want->ca_pem.len == 0 || !want->ca_sha256);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (want->ca_sha256) {
        pin(context, want->ca_sha256);
    } else {
        SSL_CTX_set_cert_verify_callback(context, want->is_early_accepted ? verify_own : verify,
                                         NULL);
        is_good = want->ca_pem.len > 0 ? trust(context, want->ca_pem, false, err)
                                       : SSL_CTX_set_default_verify_paths(context) == 1 ||
                                             fl_pem_fail(err, "the system's CAs");
    }
    return is_good &&
           (want->cert_pem.len == 0 || present(context, want->cert_pem, want->key_pem, err));
}

bool fl_tls_client(const struct fl_tls_client *want, SSL_CTX **ret_context, struct fl_err *err)
{
    SSL_CTX *context = make(TLS_client_method(), want->is_13_only);

    if (!set_client(context, want, err)) {
        SSL_CTX_free(context);
        return false;
    }
    *ret_context = context;
    return true;
}

static bool expect(X509_VERIFY_PARAM *param, const char *host, bool *ret_is_name,
                   struct fl_err *err)
{
    *ret_is_name = false;
    if (host[0] == '\0') return fl_fail(err, FL_INVALID, "the server's name is empty");
    if (X509_VERIFY_PARAM_set1_ip_asc(param, host) == 1) return true;
    ERR_clear_error();
    *ret_is_name = true;
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(param, host, 0) == 1 ||
           fl_pem_fail(err, "the server's name");
}

bool fl_tls_client_set(const struct fl_tls_client *want, const char *host, SSL_CTX *context,
                       struct fl_err *err)
{
    bool is_name;

    fl_tls_limit(context);
    SSL_CTX_set_verify_depth(context, CHAIN_MAX);
    SSL_CTX_set_min_proto_version(context, want->is_13_only ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    return expect(SSL_CTX_get0_param(context), host, &is_name, err) &&
           set_client(context, want, err);
}

bool fl_tls_expect(SSL *ssl, const char *host, struct fl_err *err)
{
    bool is_name;

    if (!expect(SSL_get0_param(ssl), host, &is_name, err)) return false;
    return !is_name || SSL_set_tlsext_host_name(ssl, host) == 1 ||
           fl_pem_fail(err, "the server's name");
}

bool fl_tls_fail(SSL *ssl, const char *what, struct fl_err *err)
{
    unsigned long code = ERR_peek_error();
    long verified = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    bool lacks_cert = ERR_GET_LIB(code) == ERR_LIB_SSL &&
                      ERR_GET_REASON(code) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE;
    const char *reason = ERR_reason_error_string(code);

    ERR_clear_error();
    if (verified != X509_V_OK) {
        return fl_fail(err, FL_DENIED, "%s: %s", what, X509_verify_cert_error_string(verified));
    }
    if (code == 0) return fl_fail(err, FL_IO, "%s: the connection was cut", what);
    return fl_fail(err, lacks_cert ? FL_DENIED : FL_IO, "%s: %s", what,
                   reason ? reason : "unknown reason");
}
