/* kube_spdy.h - as much of SPDY/3.1 as a connection to a pod's port takes.
 * The API server carries SPDY within a WebSocket (SPDY/3.1+portforward.k8s.io), and the kubelet
 * speaks it.  We open two streams, both by headers: one for errors, one for the bytes.
 * - Headers are compressed with zlib.  Ours are stored in it as they are, which any reader of zlib
 *   takes; the peer's are skipped, since none says anything that we need.  So no compression is
 *   linked.
 * - Neither side uses SPDY's flow control: the peer has none, and each visit has a connection of
 *   its own, which holds back a sender that is too fast.
 * Uses shared/base.  Pure; fuzzed (tests/fuzz/kube_spdy_fuzz.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

enum {
    KUBE_SPDY_HEADER_BYTES = 8,
    KUBE_SPDY_CONTROL_BYTES_MAX = 64 << 10, /* a longer control frame is refused */
    KUBE_SPDY_DATA_BYTES_MAX = (1 << 24) - 1,
};

/* ---- reading --------------------------------------------------------------------------------- */

enum kube_spdy_kind {
    KUBE_SPDY_DATA,   /* bytes of a stream, with is_last its end */
    KUBE_SPDY_RESET,  /* the stream is broken off */
    KUBE_SPDY_PING,   /* to be sent back: kube_spdy_put_ping */
    KUBE_SPDY_GOAWAY, /* the peer takes no more streams */
};

struct kube_spdy_piece {
    enum kube_spdy_kind kind;
    uint32_t stream; /* DATA, RESET */
    uint32_t number; /* the status of RESET and GOAWAY, the id of PING */
    struct fl_str bytes;
    bool is_last;
};

enum kube_spdy_answer {
    KUBE_SPDY_MORE,  /* all bytes are taken */
    KUBE_SPDY_READY, /* *ret_piece is filled; ask again with the rest */
    KUBE_SPDY_BAD,   /* the peer broke a rule; 'err' says which */
};

/* {0} is before the first byte; the fields are the reader's own. */
struct kube_spdy_reader {
    uint8_t header[KUBE_SPDY_HEADER_BYTES];
    uint8_t body[KUBE_SPDY_HEADER_BYTES]; /* the begin of a control frame */
    size_t header_len, body_len;
    size_t left; /* bytes of the frame that have not come */
    bool is_in_frame;
};

/* Takes from *bytes what it can; a piece is a view of them. */
FL_CHECK enum kube_spdy_answer kube_spdy_next(struct kube_spdy_reader *reader, struct fl_str *bytes,
                                              struct kube_spdy_piece *ret_piece,
                                              struct fl_err *err);

/* ---- writing --------------------------------------------------------------------------------- */

struct kube_spdy_header {
    const char *name, *value; /* the name in lower case */
};

struct kube_spdy_open {
    uint32_t stream; /* odd; each one larger than the one before */
    bool is_first;   /* the connection has no other yet */
    bool is_last;    /* we send nothing on it */
    const struct kube_spdy_header *headers;
    size_t headers_len;
};

/* Each appends a frame; false: there is no room. */
FL_CHECK bool kube_spdy_put_open(struct fl_buf *out, const struct kube_spdy_open *open);
FL_CHECK bool kube_spdy_put_ping(struct fl_buf *out, uint32_t id);

/* The header of 'len' bytes of a stream, at most KUBE_SPDY_DATA_BYTES_MAX. */
void kube_spdy_data(uint32_t stream, size_t len, bool is_last,
                    uint8_t ret_header[KUBE_SPDY_HEADER_BYTES]);
