#include "shared/tls/ticket.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "shared/base/assert.h"

/* As OpenSSL lays out a key, and a ticket: name, IV, encrypted session, MAC over all before it. */
enum { NAME_BYTES = 16, IV_BYTES = 16, MAC_KEY_BYTES = 32, MAC_BYTES = 32, BLOCK_BYTES = 16 };

static const unsigned char id_context[] = "fairlead tunnel";

/* ---- the key --------------------------------------------------------------------------------- */

struct fl_ticket_key fl_ticket_key_of(const uint8_t secret[FL_TICKET_SECRET_BYTES],
                                      struct fl_digest ca_sha256)
{
    struct fl_ticket_key key;
    uint8_t part[MAC_BYTES], message[sizeof ca_sha256.at + 1];

    memcpy(message, ca_sha256.at, sizeof ca_sha256.at);
    for (size_t at = 0, i = 0; at < FL_TICKET_KEY_BYTES; at += MAC_BYTES, i++) {
        size_t left = FL_TICKET_KEY_BYTES - at;
        unsigned len = 0;

        message[sizeof message - 1] = (uint8_t)i;
        if (!HMAC(EVP_sha256(), secret, FL_TICKET_SECRET_BYTES, message, sizeof message, part,
                  &len) ||
            len != MAC_BYTES) {
            fl_unreachable("SHA-256 is always there");
        }
        memcpy(key.at + at, part, left < MAC_BYTES ? left : MAC_BYTES);
    }
    OPENSSL_cleanse(part, sizeof part);
    return key;
}

bool fl_ticket_is_ours(const struct fl_ticket_key *key, struct fl_str ticket)
{
    size_t signed_bytes = ticket.len - MAC_BYTES;
    uint8_t mac[MAC_BYTES];
    unsigned len = 0;

    if (ticket.len < NAME_BYTES + IV_BYTES + BLOCK_BYTES + MAC_BYTES) return false;
    if (memcmp(ticket.at, key->at, NAME_BYTES) != 0) return false;
    return HMAC(EVP_sha256(), key->at + NAME_BYTES, MAC_KEY_BYTES, (const unsigned char *)ticket.at,
                signed_bytes, mac, &len) &&
           len == MAC_BYTES && CRYPTO_memcmp(mac, ticket.at + signed_bytes, MAC_BYTES) == 0;
}

/* ---- the server ------------------------------------------------------------------------------ */

static int on_ticket_made(SSL *ssl, void *ctx)
{
    (void)ssl;
    (void)ctx;
    return 1;
}

/* To make a ticket costs the server a quarter of a handshake (OpenSSL 3.0 decodes the certificate
 * once more), so a young one stays in use. */
static bool is_half_over(const SSL_SESSION *session)
{
    return 2 * (time(NULL) - (time_t)SSL_SESSION_get_time(session)) >=
           (time_t)SSL_SESSION_get_timeout(session);
}

/* A ticket dies with the certificate that it holds. */
static SSL_TICKET_RETURN on_ticket(SSL *ssl, SSL_SESSION *session, const unsigned char *name,
                                   size_t name_bytes, SSL_TICKET_STATUS status, void *ctx)
{
    X509 *cert = session ? SSL_SESSION_get0_peer(session) : NULL;
    bool is_good = status == SSL_TICKET_SUCCESS || status == SSL_TICKET_SUCCESS_RENEW;

    (void)ssl;
    (void)name;
    (void)name_bytes;
    (void)ctx;
    if (cert && X509_cmp_current_time(X509_get0_notAfter(cert)) <= 0) is_good = false;
    if (!is_good) return SSL_TICKET_RETURN_IGNORE_RENEW;
    return is_half_over(session) ? SSL_TICKET_RETURN_USE_RENEW : SSL_TICKET_RETURN_USE;
}

void fl_ticket_serve(SSL_CTX *server, const struct fl_ticket_key *key, fl_ms lifetime_ms)
{
    struct fl_ticket_key copy = *key; /* OpenSSL does not promise to leave it as it is */
    long is_set;

    SSL_CTX_clear_options(server, SSL_OP_NO_TICKET | SSL_OP_ALLOW_NO_DHE_KEX);
    is_set = SSL_CTX_set_tlsext_ticket_keys(server, copy.at, sizeof copy.at);
    OPENSSL_cleanse(&copy, sizeof copy);
    fl_assert(is_set == 1);
    is_set = SSL_CTX_set_session_id_context(server, id_context, sizeof id_context - 1);
    fl_assert(is_set == 1);
    SSL_CTX_set_timeout(server, (long)(lifetime_ms / FL_SECOND_MS));
    SSL_CTX_set_session_cache_mode(server, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(server, 0);
    SSL_CTX_set_num_tickets(server, 1);
    is_set = SSL_CTX_set_session_ticket_cb(server, on_ticket_made, on_ticket, NULL);
    fl_assert(is_set == 1);
}

/* ---- the client ------------------------------------------------------------------------------ */

static int session_index; /* where a context holds its newest session; constant once made */
static pthread_once_t session_once = PTHREAD_ONCE_INIT;

static void free_session(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl,
                         void *argp)
{
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    SSL_SESSION_free(ptr);
}

static void make_session_index(void)
{
    session_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_session);
    fl_assert(session_index >= 0);
}

/* Copies are kept and shown: a connection that breaks off makes its own session useless. */
static int on_session(SSL *ssl, SSL_SESSION *session)
{
    SSL_CTX *context = SSL_get_SSL_CTX(ssl);
    SSL_SESSION *copy = SSL_SESSION_dup(session);

    if (!copy) return 0;
    SSL_SESSION_free(SSL_CTX_get_ex_data(context, session_index));
    SSL_CTX_set_ex_data(context, session_index, copy);
    return 0; /* 'session' stays OpenSSL's */
}

/* A library that makes the connection itself leaves no other moment to show the ticket. */
static void on_info(const SSL *ssl, int where, int value)
{
    SSL_SESSION *kept, *copy;

    (void)value;
    if (!(where & SSL_CB_HANDSHAKE_START) || SSL_get_session(ssl)) return;
    kept = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), session_index);
    copy = kept ? SSL_SESSION_dup(kept) : NULL;
    if (copy) SSL_set_session((SSL *)ssl, copy);
    SSL_SESSION_free(copy);
}

void fl_ticket_keep(SSL_CTX *client)
{
    pthread_once(&session_once, make_session_index);
    SSL_CTX_clear_options(client, SSL_OP_NO_TICKET | SSL_OP_ALLOW_NO_DHE_KEX);
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(client, on_session);
    SSL_CTX_set_info_callback(client, on_info);
}
