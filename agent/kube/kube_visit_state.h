/* kube_visit_state.h - a visit of a pod and its kinds; for kube_visit*.c alone. */
#pragma once

#include "agent/kube/kube_channel.h"
#include "agent/kube/kube_socket.h"
#include "agent/kube/kube_spdy.h"
#include "agent/kube/pod_identity.h"
#include "agent/runtime_visit.h"
#include "shared/base/buf.h"
#include "shared/io/loop.h"

struct kube_visit;

enum kube_visit_news {
    KUBE_VISIT_NOTHING,
    KUBE_VISIT_OUTPUT, /* 'output' of 'channel' */
    KUBE_VISIT_CLOSED, /* 'channel' */
    KUBE_VISIT_ENDED,  /* exit_code, or 'failed' */
};

struct kube_visit_kind {
    struct kube_socket_request request; /* its path is made for each visit */
    /* The socket is open: says what comes first. */
    void (*begin)(struct kube_visit *visit);
    /* Takes from 'piece' what makes the next news; NOTHING: the piece is used up. */
    enum kube_visit_news (*take)(struct kube_visit *visit, struct fl_ws_piece *piece);
    void (*put)(struct kube_visit *visit, struct fl_str bytes); /* there is room for them */
    void (*end_input)(struct kube_visit *visit);
    void (*say_size)(struct kube_visit *visit); /* NULL: it has no terminal */
};

extern const struct kube_visit_kind kube_visit_exec, kube_visit_forward;

struct kube_visit {
    struct kube_visits *visits;
    struct kube_visit *next, *prev;
    struct runtime_visit_port port;
    struct fl_attempt attempt;
    uint32_t replica;
    char pod[POD_NAME_BYTES_MAX + 1], container[FL_NAME_BYTES_MAX + 1];
    char mark[17]; /* empty: it has none */
    const struct kube_visit_kind *kind;
    struct kube_socket *socket;
    bool has_begun;

    /* from the pod */
    struct fl_ws_piece piece; /* with has_piece: a part of it is not taken yet */
    bool has_piece;
    enum fl_visit_channel channel;
    struct fl_str output; /* came on 'channel', not read yet; a view of the piece */
    bool is_over;         /* it ended, or the connection did */
    bool is_doubtful;     /* perhaps only because the replica ended */
    bool is_told;
    int32_t exit_code;
    struct fl_err failed; /* FL_OK: exit_code counts */
    struct fl_timer fate;
    uint32_t fate_looks;
    bool is_fate_known;     /* no more news of the replica is waited for */
    bool has_replica_ended; /* as the watch says */

    /* to the pod */
    bool is_input_ended;

    /* a command's */
    bool has_tty, is_size_due, has_channel;
    struct fl_visit_size size;
    struct fl_buf status; /* the Status as far as it came */

    /* a connection's */
    uint16_t tcp_port;
    struct kube_spdy_reader spdy;
    struct fl_buf trouble; /* the text on the stream of errors */
    bool is_out_closing, is_out_closed, is_trouble_closed;
};
