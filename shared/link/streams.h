/* streams.h - the streams of one tunnel at one of its ends, each in the hands of its kind.
 * An end has one table of kinds; a row says what happens when a stream of its type opens, brings
 * bytes, may send, and ends.  A new kind of stream is one row in the table of each end, and the
 * file with its four functions.  A type without a row is refused.
 *
 *     mux (frames, credits, turns) -- items --> streams -- open, data, pull, close --> a kind
 *
 * - Every stream that was open is closed exactly once: by the peer, its own kind
 *   (fl_stream_close), or the tunnel (fl_streams_end).
 * - The bytes of a stream flow under its own credit: a kind that gives none back holds up its own
 *   stream and no other.
 * Uses shared/base, shared/wire and shared/link only.  Pure; not thread-safe. */
#pragma once

#include "shared/link/mux.h"

struct fl_streams; /* opaque; one for each tunnel */
struct fl_stream_kind;

/* The other end: at a hub the agent's connection and cluster, at an agent zero. */
struct fl_stream_peer {
    uint64_t connection;
    struct fl_cluster cluster;
};

/* Read it, and write 'state'; it lives from its opening until 'close' has returned. */
struct fl_stream {
    struct fl_streams *streams;
    const struct fl_stream_kind *kind;
    struct fl_stream_peer peer;
    uint32_t id;
    void *state; /* the kind's own; NULL at first */
};

struct fl_stream_kind {
    enum fl_frame_type type;
    uint32_t streams_max; /* open at a time in one tunnel; further ones are refused */
    void *ctx;
    /* The peer opened a stream; its first bytes follow in 'data'.  False: it is refused with the
     * code and text of 'err', and not closed again. */
    bool (*open)(void *ctx, struct fl_stream *stream, struct fl_err *err);
    /* Bytes came.  Their credit returns with fl_stream_consumed, from within or later.  False: they
     * break a rule of the kind, and the tunnel ends; 'err' says why. */
    bool (*data)(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err);
    /* Writes the next bytes, at most bytes_max, to 'at' and returns how many; 0: none that fit.
     * Called after fl_stream_wants.  It may not call any of the functions below. */
    size_t (*pull)(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max);
    /* The stream is over: free 'state'.  FL_OK: done; FL_UNAVAILABLE: the tunnel ended. */
    void (*close)(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text);
    bool holds_tunnel; /* a person notices a cut: a good tunnel is kept while one is open */
};

struct fl_streams_owner {
    void *ctx;
    void (*changed)(void *ctx); /* fl_mux_write may have something to write */
    /* A kind gives the tunnel up: end it, with fl_streams_end, now or soon. */
    void (*fail)(void *ctx, const struct fl_err *err);
};

/* 'mux' is borrowed.  Kinds are added once, before the first stream. */
struct fl_streams *fl_streams_create(struct fl_mux *mux, const struct fl_streams_owner *owner);
void fl_streams_destroy(struct fl_streams *streams); /* after fl_streams_end; NULL is fine */
void fl_streams_add(struct fl_streams *streams, const struct fl_stream_kind *kinds, size_t len);

/* ---- for the owner of the mux ---------------------------------------------------------------- */

void fl_streams_set_peer(struct fl_streams *streams, struct fl_stream_peer peer);
void fl_streams_take(struct fl_streams *streams, const struct fl_mux_item *item); /* DATA, CLOSED */
size_t fl_streams_pull(struct fl_streams *streams, uint32_t id, uint8_t *at, size_t bytes_max);
void fl_streams_end(struct fl_streams *streams); /* the connection is over, all its streams too */

/* ---- for kinds ------------------------------------------------------------------------------- */

/* Opens a stream from this end; its type must have a row, whose 'open' is not called.
 * FL_UNAVAILABLE while the tunnel is not up, FL_FULL at streams_max. */
FL_CHECK bool fl_streams_open(struct fl_streams *streams, enum fl_frame_type type, fl_ms now,
                              struct fl_stream **ret_stream, struct fl_err *err);
struct fl_stream *fl_streams_find(const struct fl_streams *streams, uint32_t id); /* NULL: none */
/* The oldest of a type; NULL: none, or 'streams' is NULL. */
struct fl_stream *fl_streams_first(const struct fl_streams *streams, enum fl_frame_type type);

/* Whether a stream is open whose kind holds the tunnel. */
bool fl_streams_hold_tunnel(const struct fl_streams *streams);

/* Ends the tunnel because of 'err'; does nothing when it is ending already.  The streams, the
 * caller's too, may be gone when this returns. */
void fl_streams_fail(struct fl_streams *streams, const struct fl_err *err);

void fl_stream_wants(struct fl_stream *stream, uint64_t bytes); /* 'bytes' can be pulled */
void fl_stream_consumed(struct fl_stream *stream, uint32_t bytes);
void fl_stream_close(struct fl_stream *stream, enum fl_code code, struct fl_str text);
