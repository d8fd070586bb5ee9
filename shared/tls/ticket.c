#include "shared/tls/ticket.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/tls/random.h"

enum {
    VERSION = 1,
    NAME_BYTES = 16, /* the key has a name, and a ticket begins with it */
    NONCE_BYTES = 12,
    TAG_BYTES = 16,
    PSK_BYTES = 32,
    CERT_BYTES = 8 + 8 + 32 + 32 + 16 + 8,
    BODY_BYTES = 1 + 2 + 8 + 8 + CERT_BYTES + PSK_BYTES,
    BODY_AT = NAME_BYTES + NONCE_BYTES,
    SEALED_BYTES = BODY_AT + BODY_BYTES + TAG_BYTES,
    IDENTITY_BYTES_MAX = 1024, /* that a client keeps, of a later version too */
};

static const unsigned char id_context[] = "fairlead tunnel";
static const char key_label[] = "fairlead ticket 2";

struct ticket {
    uint16_t suite; /* as TLS numbers it: a secret is for one */
    fl_ms made_at, until;
    struct fl_cert cert;
    uint8_t psk[PSK_BYTES];
};

/* ---- the key --------------------------------------------------------------------------------- */

struct fl_ticket_key fl_ticket_key_of(const uint8_t secret[FL_TICKET_SECRET_BYTES],
                                      struct fl_digest ca_sha256)
{
    uint8_t message[sizeof key_label + sizeof ca_sha256.at];
    uint8_t whole[EVP_MAX_MD_SIZE];
    struct fl_ticket_key key;
    unsigned len = 0;

    memcpy(message, key_label, sizeof key_label);
    memcpy(message + sizeof key_label, ca_sha256.at, sizeof ca_sha256.at);
    if (!HMAC(EVP_sha512(), secret, FL_TICKET_SECRET_BYTES, message, sizeof message, whole, &len) ||
        len < sizeof key.at) {
        fl_unreachable("SHA-512 is always there");
    }
    memcpy(key.at, whole, sizeof key.at);
    OPENSSL_cleanse(whole, sizeof whole);
    return key;
}

/* ---- a sealed ticket ------------------------------------------------------------------------- */

/* AES-256-GCM over the body; the key's name goes into the tag. */
static bool crypt_body(const struct fl_ticket_key *key, const uint8_t *nonce, const uint8_t *from,
                       uint8_t *to, uint8_t *tag, bool is_sealing)
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int len = 0;
    bool is_good =
        cipher &&
        EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->at + NAME_BYTES, nonce,
                          is_sealing) == 1 &&
        EVP_CipherUpdate(cipher, NULL, &len, key->at, NAME_BYTES) == 1 &&
        EVP_CipherUpdate(cipher, to, &len, from, BODY_BYTES) == 1 && len == BODY_BYTES &&
        (is_sealing || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag) == 1) &&
        EVP_CipherFinal_ex(cipher, to + BODY_BYTES, &len) == 1 && len == 0 &&
        (!is_sealing || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag) == 1);

    EVP_CIPHER_CTX_free(cipher);
    return is_good;
}

static bool seal(const struct fl_ticket_key *key, const struct ticket *ticket,
                 uint8_t ret_sealed[SEALED_BYTES])
{
    uint8_t plain[BODY_BYTES + TAG_BYTES];
    struct fl_buf body = {.at = plain, .cap = BODY_BYTES, .max = BODY_BYTES};
    const struct fl_cert *cert = &ticket->cert;
    bool is_good;

    fl_buf_put_u8(&body, VERSION);
    fl_buf_put_u16(&body, ticket->suite);
    fl_buf_put_i64(&body, ticket->made_at);
    fl_buf_put_i64(&body, ticket->until);
    fl_buf_put_i64(&body, cert->from);
    fl_buf_put_i64(&body, cert->until);
    fl_buf_put(&body, cert->sha256.at, sizeof cert->sha256.at);
    fl_buf_put(&body, cert->key_sha256.at, sizeof cert->key_sha256.at);
    fl_buf_put(&body, cert->cluster.at, sizeof cert->cluster.at);
    fl_buf_put_u64(&body, cert->generation);
    fl_buf_put(&body, ticket->psk, PSK_BYTES);
    fl_assert(body.len == BODY_BYTES && !body.is_over);
    memcpy(ret_sealed, key->at, NAME_BYTES);
    fl_random(ret_sealed + NAME_BYTES, NONCE_BYTES);
    is_good = crypt_body(key, ret_sealed + NAME_BYTES, plain, ret_sealed + BODY_AT,
                         ret_sealed + BODY_AT + BODY_BYTES, true);
    OPENSSL_cleanse(plain, sizeof plain);
    return is_good;
}

static void read_bytes(struct fl_reader *reader, void *to, size_t len)
{
    struct fl_str bytes = fl_read_raw(reader, len);

    if (bytes.len == len) memcpy(to, bytes.at, len);
}

/* False: it was not made under this key, or not by this version. */
static bool unseal(const struct fl_ticket_key *key, struct fl_str sealed, struct ticket *ret_ticket)
{
    const uint8_t *at = (const uint8_t *)sealed.at;
    uint8_t plain[BODY_BYTES + TAG_BYTES] = {0}, tag[TAG_BYTES];
    struct fl_reader reader = fl_reader(plain, BODY_BYTES);
    struct ticket ticket = {0};
    uint8_t version;

    if (sealed.len != SEALED_BYTES || memcmp(at, key->at, NAME_BYTES) != 0) return false;
    memcpy(tag, at + BODY_AT + BODY_BYTES, TAG_BYTES);
    if (!crypt_body(key, at + NAME_BYTES, at + BODY_AT, plain, tag, false)) return false;
    version = fl_read_u8(&reader);
    ticket.suite = fl_read_u16(&reader);
    ticket.made_at = fl_read_i64(&reader);
    ticket.until = fl_read_i64(&reader);
    ticket.cert.from = fl_read_i64(&reader);
    ticket.cert.until = fl_read_i64(&reader);
    read_bytes(&reader, ticket.cert.sha256.at, sizeof ticket.cert.sha256.at);
    read_bytes(&reader, ticket.cert.key_sha256.at, sizeof ticket.cert.key_sha256.at);
    read_bytes(&reader, ticket.cert.cluster.at, sizeof ticket.cert.cluster.at);
    ticket.cert.generation = fl_read_u64(&reader);
    read_bytes(&reader, ticket.psk, PSK_BYTES);
    OPENSSL_cleanse(plain, sizeof plain);
    if (!fl_reader_is_done(&reader) || version != VERSION) return false;
    *ret_ticket = ticket;
    return true;
}

static fl_ms now_wall(void)
{
    return (fl_ms)time(NULL) * FL_SECOND_MS;
}

/* False also for one that is over. */
static bool open_ticket(const struct fl_ticket_key *key, struct fl_str sealed,
                        struct ticket *ret_ticket)
{
    return unseal(key, sealed, ret_ticket) && now_wall() < ret_ticket->until;
}

bool fl_ticket_is_ours(const struct fl_ticket_key *key, struct fl_str sealed)
{
    struct ticket ticket;
    bool is_ours = open_ticket(key, sealed, &ticket);

    OPENSSL_cleanse(&ticket, sizeof ticket);
    return is_ours;
}

/* ---- data beside OpenSSL's objects ----------------------------------------------------------- */

struct serving {
    struct fl_ticket_key key;
    fl_ms lifetime_ms;
};

struct fl_ticket_kept {
    uint16_t suite;
    uint8_t psk[PSK_BYTES];
    X509 *server; /* NULL: it did not verify */
    size_t identity_len;
    uint8_t identity[IDENTITY_BYTES_MAX];
};

/* Constant once made. */
static struct {
    int serving; /* a context's struct serving */
    int kept;    /* a context's struct fl_ticket_kept */
    int place;   /* a connection's struct fl_ticket_kept **, which it does not own */
    int shown;   /* a connection's struct fl_cert */
} slots;
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

void fl_ticket_forget(struct fl_ticket_kept *kept)
{
    if (!kept) return;
    X509_free(kept->server);
    OPENSSL_cleanse(kept, sizeof *kept);
    fl_free(kept);
}

static void free_kept(void *parent, void *ptr, CRYPTO_EX_DATA *data, int slot, long argl,
                      void *argp)
{
    (void)parent, (void)data, (void)slot, (void)argl, (void)argp;
    fl_ticket_forget(ptr);
}

static void free_serving(void *parent, void *ptr, CRYPTO_EX_DATA *data, int slot, long argl,
                         void *argp)
{
    (void)parent, (void)data, (void)slot, (void)argl, (void)argp;
    if (ptr) OPENSSL_cleanse(ptr, sizeof(struct serving));
    fl_free(ptr);
}

static void free_shown(void *parent, void *ptr, CRYPTO_EX_DATA *data, int slot, long argl,
                       void *argp)
{
    (void)parent, (void)data, (void)slot, (void)argl, (void)argp;
    fl_free(ptr);
}

static void make(void)
{
    slots.serving = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_serving);
    slots.kept = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_kept);
    slots.place = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    slots.shown = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_shown);
    fl_assert(slots.serving >= 0 && slots.kept >= 0 && slots.place >= 0 && slots.shown >= 0);
}

/* Before the first use of one: slot 0 is another's. */
static void make_slots(void)
{
    pthread_once(&slots_once, make);
}

/* TLS takes this for the session of a ticket.  NULL: this end has not that suite. */
static SSL_SESSION *session_of(SSL *ssl, uint16_t suite, const uint8_t psk[PSK_BYTES])
{
    const unsigned char number[] = {(unsigned char)(suite >> 8), (unsigned char)suite};
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, number);
    SSL_SESSION *session = cipher ? SSL_SESSION_new() : NULL;

    if (session && SSL_SESSION_set1_master_key(session, psk, PSK_BYTES) == 1 &&
        SSL_SESSION_set_cipher(session, cipher) == 1 &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1) {
        return session;
    }
    SSL_SESSION_free(session);
    return NULL;
}

/* ---- the server ------------------------------------------------------------------------------ */

static struct serving *serving_of(SSL *ssl)
{
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), slots.serving);
}

static void note_shown(SSL *ssl, const struct fl_cert *cert)
{
    struct fl_cert *shown = SSL_get_ex_data(ssl, slots.shown);

    if (!shown) {
        shown = fl_new(struct fl_cert);
        if (SSL_set_ex_data(ssl, slots.shown, shown) != 1) fl_unreachable("no memory");
    }
    *shown = *cert;
}

/* TLS asks for the session of a ticket, which counts only once the peer has shown that it has the
 * secret, too.  No session: the handshake is a whole one. */
static int on_shown(SSL *ssl, const unsigned char *identity, size_t identity_len,
                    SSL_SESSION **ret_session)
{
    struct serving *serving = serving_of(ssl);
    const SSL_CIPHER *suite = SSL_get_pending_cipher(ssl);
    struct fl_str sealed = {(const char *)identity, identity_len};
    struct ticket ticket;

    *ret_session = NULL;
    SSL_set_num_tickets(ssl, 1);
    if (open_ticket(&serving->key, sealed, &ticket) && suite &&
        SSL_CIPHER_get_protocol_id(suite) == ticket.suite) {
        *ret_session = session_of(ssl, ticket.suite, ticket.psk);
        note_shown(ssl, &ticket.cert);
        if (now_wall() - ticket.made_at < (ticket.until - ticket.made_at) / 2) {
            SSL_set_num_tickets(ssl, 0);
        }
    }
    OPENSSL_cleanse(&ticket, sizeof ticket);
    return 1;
}

bool fl_ticket_shown(SSL *ssl, struct fl_cert *ret_cert)
{
    const struct fl_cert *shown;

    make_slots();
    shown = SSL_get_ex_data(ssl, slots.shown);
    if (!shown || !SSL_session_reused(ssl)) return false;
    *ret_cert = *shown;
    return true;
}

/* Ours goes beside TLS's own ticket, which is never shown: suite, secret, and the sealed ticket. */
static int on_give(SSL *ssl, unsigned type, unsigned context, const unsigned char **ret_bytes,
                   size_t *ret_len, X509 *x509, size_t place, int *ret_alert, void *arg)
{
    const struct serving *serving = serving_of(ssl);
    fl_ms now = now_wall();
    struct ticket ticket = {.made_at = now, .until = now + serving->lifetime_ms};
    struct fl_err why = {0};
    struct fl_buf bytes;
    uint8_t *sealed;

    (void)type, (void)context, (void)x509, (void)place, (void)ret_alert, (void)arg;
    if (!fl_ticket_shown(ssl, &ticket.cert) && !fl_cert_of_cluster(ssl, &ticket.cert, &why)) {
        return 0;
    }
    if (ticket.cert.until < ticket.until) ticket.until = ticket.cert.until;
    if (ticket.until <= now) return 0;
    ticket.suite = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl));
    fl_random(ticket.psk, PSK_BYTES);
    fl_buf_init(&bytes, 2 + PSK_BYTES + SEALED_BYTES);
    fl_buf_put_u16(&bytes, ticket.suite);
    fl_buf_put(&bytes, ticket.psk, PSK_BYTES);
    sealed = fl_buf_room(&bytes, SEALED_BYTES);
    if (!sealed || !seal(&serving->key, &ticket, sealed)) fl_unreachable("AES-GCM is always there");
    OPENSSL_cleanse(&ticket, sizeof ticket);
    *ret_bytes = bytes.at;
    *ret_len = bytes.len;
    return 1;
}

static void free_given(SSL *ssl, unsigned type, unsigned context, const unsigned char *bytes,
                       void *arg)
{
    (void)ssl, (void)type, (void)context, (void)arg;
    OPENSSL_cleanse((void *)bytes, 2 + PSK_BYTES);
    fl_free((void *)bytes);
}

void fl_ticket_serve(SSL_CTX *server, const struct fl_ticket_key *key, fl_ms lifetime_ms)
{
    struct serving *serving;
    int is_set = 1;

    make_slots();
    serving = SSL_CTX_get_ex_data(server, slots.serving);
    if (!serving) {
        serving = fl_new(struct serving);
        is_set =
            SSL_CTX_set_ex_data(server, slots.serving, serving) == 1 &&
            SSL_CTX_add_custom_ext(server, FL_TICKET_EXTENSION, SSL_EXT_TLS1_3_NEW_SESSION_TICKET,
                                   on_give, free_given, NULL, NULL, NULL) == 1 &&
            SSL_CTX_set_session_id_context(server, id_context, sizeof id_context - 1) == 1;
        fl_assert(is_set);
    }
    *serving = (struct serving){*key, lifetime_ms};
    /* TLS's own tickets are then names of sessions in a cache that is off: they cost next to
     * nothing, and open nothing. */
    SSL_CTX_set_options(server, SSL_OP_NO_TICKET);
    SSL_CTX_clear_options(server, SSL_OP_ALLOW_NO_DHE_KEX);
    SSL_CTX_set_session_cache_mode(server, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(server, 0);
    SSL_CTX_set_num_tickets(server, 1);
    SSL_CTX_set_psk_find_session_callback(server, on_shown);
}

/* ---- the client ------------------------------------------------------------------------------ */

static struct fl_ticket_kept *kept_of(SSL *ssl)
{
    struct fl_ticket_kept **place = SSL_get_ex_data(ssl, slots.place);

    return place ? *place : SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), slots.kept);
}

static void keep(SSL *ssl, struct fl_ticket_kept *kept)
{
    struct fl_ticket_kept **place = SSL_get_ex_data(ssl, slots.place);

    fl_ticket_forget(kept_of(ssl));
    if (place) {
        *place = kept;
    } else {
        SSL_CTX_set_ex_data(SSL_get_SSL_CTX(ssl), slots.kept, kept);
    }
}

X509 *fl_ticket_server(SSL *ssl)
{
    const struct fl_ticket_kept *kept;

    make_slots();
    kept = SSL_session_reused(ssl) ? kept_of(ssl) : NULL;
    if (kept) return kept->server;
    return SSL_get_verify_result(ssl) == X509_V_OK ? SSL_get0_peer_certificate(ssl) : NULL;
}

/* The newest replaces the one before.  A malformed one is passed over. */
static int on_given(SSL *ssl, unsigned type, unsigned context, const unsigned char *bytes,
                    size_t len, X509 *x509, size_t place, int *ret_alert, void *arg)
{
    struct fl_reader reader = fl_reader(bytes, len);
    struct fl_ticket_kept *kept;
    struct fl_str psk, identity;
    uint16_t suite = fl_read_u16(&reader);

    (void)type, (void)context, (void)x509, (void)place, (void)ret_alert, (void)arg;
    psk = fl_read_raw(&reader, PSK_BYTES);
    if (reader.is_bad || reader.pos == len || len - reader.pos > IDENTITY_BYTES_MAX) return 1;
    identity = fl_read_raw(&reader, len - reader.pos);
    kept = fl_new(struct fl_ticket_kept);
    kept->suite = suite;
    memcpy(kept->psk, psk.at, PSK_BYTES);
    memcpy(kept->identity, identity.at, identity.len);
    kept->identity_len = identity.len;
    kept->server = fl_ticket_server(ssl);
    if (kept->server) X509_up_ref(kept->server);
    keep(ssl, kept);
    return 1;
}

/* 'digest': the one that the server has chosen when it asked for another first message; else NULL.
 * A secret is for the digest of its suite alone. */
static int on_use(SSL *ssl, const EVP_MD *digest, const unsigned char **ret_identity,
                  size_t *ret_len, SSL_SESSION **ret_session)
{
    const struct fl_ticket_kept *kept = kept_of(ssl);
    SSL_SESSION *session = kept ? session_of(ssl, kept->suite, kept->psk) : NULL;

    if (session && digest) {
        const EVP_MD *own = SSL_CIPHER_get_handshake_digest(SSL_SESSION_get0_cipher(session));

        if (!own || EVP_MD_get_type(own) != EVP_MD_get_type(digest)) {
            SSL_SESSION_free(session);
            session = NULL;
        }
    }
    *ret_session = session;
    *ret_identity = session ? kept->identity : NULL;
    *ret_len = session ? kept->identity_len : 0;
    return 1;
}

void fl_ticket_keep(SSL_CTX *client)
{
    int is_set;

    make_slots();
    is_set = SSL_CTX_add_custom_ext(client, FL_TICKET_EXTENSION, SSL_EXT_TLS1_3_NEW_SESSION_TICKET,
                                    NULL, NULL, NULL, on_given, NULL);
    fl_assert(is_set == 1);
    SSL_CTX_clear_options(client, SSL_OP_ALLOW_NO_DHE_KEX);
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_psk_use_session_callback(client, on_use);
}

void fl_ticket_keep_at(SSL *ssl, struct fl_ticket_kept **place)
{
    make_slots();
    if (SSL_set_ex_data(ssl, slots.place, place) != 1) fl_unreachable("no memory");
}
