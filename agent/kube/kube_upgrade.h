/* kube_upgrade.h - the handshake that makes a connection to the API server a WebSocket: where to
 * connect, what to ask, and what the answer's head says.
 * An answer is read strictly: HTTP/1.1, lines that end with CR LF, and no header that counts here
 * twice.  101 must prove that the server read our key and speaks our subprotocol; a server without
 * it is named as too old.  Any other status is a refusal, whose body has the server's words.
 * Uses shared/base.  Pure; fuzzed (tests/fuzz/kube_upgrade_fuzz.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

enum { KUBE_UPGRADE_HEAD_BYTES_MAX = 16 << 10 };

/* The "HOST:PORT" of a kube_config's server, in the arena. */
const char *kube_upgrade_place(struct fl_str server, struct fl_arena *arena);

struct kube_upgrade {
    struct fl_str server; /* as in kube_config.h */
    const char *path;     /* escaped, with its query */
    const char *key;      /* Sec-WebSocket-Key */
    const char *protocol; /* the one that is offered */
    struct fl_str token;  /* empty: the certificate says who we are */
};

/* False: there is no room in 'out'. */
FL_CHECK bool kube_upgrade_write(const struct kube_upgrade *upgrade, struct fl_buf *out);

/* The answer must prove this. */
struct kube_upgrade_proof {
    const char *accept; /* Sec-WebSocket-Accept */
    const char *protocol;
    const char *since; /* the first release of Kubernetes that has the protocol */
};

enum kube_upgrade_answer {
    KUBE_UPGRADE_MORE,    /* the head is not whole yet */
    KUBE_UPGRADE_OPEN,    /* frames follow the head */
    KUBE_UPGRADE_REFUSED, /* the body follows the head */
    KUBE_UPGRADE_BAD,     /* 'err' is filled */
};

struct kube_upgrade_head {
    size_t head_bytes;
    unsigned status;
    bool is_chunked, has_length;
    uint64_t body_bytes; /* with has_length */
};

/* 'bytes' are all that came, from the first on. */
FL_CHECK enum kube_upgrade_answer kube_upgrade_read(struct fl_str bytes,
                                                    const struct kube_upgrade_proof *proof,
                                                    struct kube_upgrade_head *ret_head,
                                                    struct fl_err *err);
