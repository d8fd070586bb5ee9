/* ticket.h - tickets, by which a peer that was here before needs no certificate in its next
 * handshake: it costs a third of the CPU.  TLS 1.3 only, always with a fresh key exchange
 * (psk_dhe_ke), never with early data.
 * A ticket holds what the peer's certificate says (fl_cert) and a secret, sealed under a key of the
 * servers (docs/tunnel.md has its layout); the secret also goes to the peer, in an extension of
 * TLS's own message for tickets.  OpenSSL's tickets would hold the certificate itself, which costs
 * more than a third of a millisecond to decode.
 * The receiver must refuse a certificate that counts no more.
 * Thread-safe, but a client that keeps tickets is for one thread. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/tls/cert.h"

typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */

enum {
    FL_TICKET_SECRET_BYTES = 32,
    FL_TICKET_KEY_BYTES = 48,
    FL_TICKET_EXTENSION = 0xff1d, /* that carries ours: a number for private use */
};

/* Tickets under one key are good at every server that has it. */
struct fl_ticket_key {
    uint8_t at[FL_TICKET_KEY_BYTES];
};

/* The key for a secret and the CA that signs the peers; with another CA all tickets are void. */
struct fl_ticket_key fl_ticket_key_of(const uint8_t secret[FL_TICKET_SECRET_BYTES],
                                      struct fl_digest ca_sha256);

/* The server takes tickets under this key, also several times, until 'lifetime_ms' are over or the
 * certificate is.  It gives one to each cluster (fl_cert_of_cluster) that shows none, or one that
 * is half over. */
void fl_ticket_serve(SSL_CTX *server, const struct fl_ticket_key *key, fl_ms lifetime_ms);

/* After a handshake: whether a ticket made it, and for whom that was. */
FL_CHECK bool fl_ticket_shown(SSL *ssl, struct fl_cert *ret_cert);

/* Whether the ticket of a first message (client_hello.h) was made under this key and is not over.
 * It may be another's who overheard it: TLS decides. */
bool fl_ticket_is_ours(const struct fl_ticket_key *key, struct fl_str ticket);

/* A client's ticket, and who gave it. */
struct fl_ticket_kept;

void fl_ticket_forget(struct fl_ticket_kept *kept); /* NULL is fine */

/* The client keeps the newest ticket, shows it in each further handshake of this context, and
 * forgets it with the context.  For one server. */
void fl_ticket_keep(SSL_CTX *client);

/* Before a handshake of a context that keeps tickets: this connection has one of its own, in
 * *place, which outlives it. */
void fl_ticket_keep_at(SSL *ssl, struct fl_ticket_kept **place);

/* After a handshake of a client: the certificate of the server, which verified; after a ticket, it
 * is that of the server that gave it.  NULL: there is none. */
X509 *fl_ticket_server(SSL *ssl);
