/* kube_stream.h - cuts an answer of the API server into objects while it arrives.
 * A list is one JSON object with the objects in its member 'items'; a watch is one JSON object a
 * line, each an event.  Only the object that is under way is kept, up to a limit; an object that
 * lies whole in the bytes that came is not even copied.
 * It counts brackets and skips over strings, and no more: the text of a piece may still be no JSON.
 * Read each with shared/json.
 *
 *     struct fl_str bytes = ...;
 *     while ((is_good = kube_stream_next(&stream, &bytes, &piece, &err)) && piece.kind) { ... }
 *
 * Uses shared/base and shared/json.  Pure. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

enum {
    KUBE_STREAM_OBJECT_BYTES_MAX = 8
                                   << 20,  /* etcd takes 1.5 MiB; JSON is wider than its protobuf */
    KUBE_STREAM_HEAD_BYTES_MAX = 64 << 10, /* a list without its items */
    KUBE_STREAM_DEPTH_MAX = 64,
};

enum kube_stream_kind { KUBE_STREAM_LIST, KUBE_STREAM_WATCH };

enum kube_piece_kind {
    KUBE_PIECE_NONE,   /* all bytes are consumed; the next piece needs more */
    KUBE_PIECE_HEAD,   /* LIST: the members before the items, with an empty list of items; once */
    KUBE_PIECE_OBJECT, /* LIST: an item; WATCH: an event */
    KUBE_PIECE_END,    /* LIST: it is whole; once, after the head */
};

struct kube_piece {
    enum kube_piece_kind kind;
    struct fl_str text; /* until the next call, and as long as the bytes */
};

struct kube_stream {
    enum kube_stream_kind kind;
    int state; /* enum list_state, in the source */
    size_t object_bytes_max;
    struct fl_buf part; /* the head or the object that is under way */
    uint32_t depth;     /* brackets that are open within the value */
    bool is_string, is_escaped, is_scalar;
    bool has_items; /* the list of items has begun */
    bool is_taken;  /* 'part' was handed out, and is cleared at the next call */
    size_t key_len; /* bytes of the key that is under way */
    bool is_items;  /* they agree with "items" so far */
    struct fl_err err;
};

void kube_stream_init(struct kube_stream *stream, enum kube_stream_kind kind,
                      size_t object_bytes_max); /* 0: KUBE_STREAM_OBJECT_BYTES_MAX */
void kube_stream_fini(struct kube_stream *stream);

/* Takes bytes from the front of '*bytes' up to the end of the next piece.  On false the stream is
 * broken for good: FL_TOO_LARGE for a limit above, FL_INVALID for what is no list. */
FL_CHECK bool kube_stream_next(struct kube_stream *stream, struct fl_str *bytes,
                               struct kube_piece *ret_piece, struct fl_err *err);

/* No more bytes come.  FL_TORN: they end within a list, an object or an event. */
FL_CHECK bool kube_stream_end(const struct kube_stream *stream, struct fl_err *err);
