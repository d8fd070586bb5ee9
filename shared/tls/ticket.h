/* ticket.h - session tickets, by which a peer that was here before needs no certificate in its next
 * handshake: it costs a third of the CPU.  TLS 1.3 only, always with a fresh key exchange
 * (psk_dhe_ke), never with early data.
 * A ticket holds the peer's certificate, so the receiver still sees who it is.  Only its end is
 * looked at again: after it a ticket is ignored, and the handshake is a whole one.
 * The receiver must refuse a certificate that counts no more.
 * Thread-safe, but a client context that keeps tickets is for one thread. */
#pragma once

#include "shared/base/str.h"
#include "shared/base/types.h"

typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */

enum { FL_TICKET_SECRET_BYTES = 32, FL_TICKET_KEY_BYTES = 80 };

/* Tickets under one key are good at every server that has it. */
struct fl_ticket_key {
    uint8_t at[FL_TICKET_KEY_BYTES];
};

/* The key for a secret and the CA that signs the peers; with another CA all tickets are void. */
struct fl_ticket_key fl_ticket_key_of(const uint8_t secret[FL_TICKET_SECRET_BYTES],
                                      struct fl_digest ca_sha256);

/* The server takes tickets under this key for 'lifetime_ms', also several times.  It gives one to
 * each peer that shows none, or one that is half over. */
void fl_ticket_serve(SSL_CTX *server, const struct fl_ticket_key *key, fl_ms lifetime_ms);

/* Whether the ticket of a first message (client_hello.h) was made under this key.  It may be
 * over, or another's who overheard it: TLS decides. */
bool fl_ticket_is_ours(const struct fl_ticket_key *key, struct fl_str ticket);

/* The client keeps the newest ticket, shows it in each further handshake of this context, and
 * forgets it with the context.  For one server. */
void fl_ticket_keep(SSL_CTX *client);
