/* spec_receiver.h - the agent's end of the stream of job documents (BLOB): reads them, checks each,
 * and keeps the newest of the connection for the STARTs that name them (blob.h has the rule).  A
 * row of the table of streams.
 * Uses shared/base, shared/wire and shared/link only.  Pure; not thread-safe. */
#pragma once

#include "shared/link/streams.h"

struct spec_receiver; /* opaque */

struct spec_receiver_port {
    void *ctx;
    /* Whether the document has this digest; if not, the tunnel ends. */
    bool (*is_right)(void *ctx, struct fl_digest digest, struct fl_str document);
};

struct spec_receiver *spec_receiver_create(const struct spec_receiver_port *port);
void spec_receiver_destroy(struct spec_receiver *receiver); /* NULL is fine */

struct fl_stream_kind spec_receiver_stream(struct spec_receiver *receiver);

/* A connection begins: forgets the documents of the one before, as the hub does. */
void spec_receiver_begin(struct spec_receiver *receiver);

/* False: the document did not come, or is forgotten.  Valid until the next document comes. */
bool spec_receiver_find(const struct spec_receiver *receiver, struct fl_digest digest,
                        struct fl_str *ret_document);
