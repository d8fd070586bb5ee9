#include "shared/link/streams.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

struct entry {
    uint32_t id;
    struct fl_stream *stream;
};

struct fl_streams {
    struct fl_mux *mux;
    struct fl_streams_owner owner;
    struct fl_stream_peer peer;
    FL_VEC(struct fl_stream_kind) kinds;
    FL_VEC(struct entry) open; /* sorted by id */
    bool is_ending;
};

struct fl_streams *fl_streams_create(struct fl_mux *mux, const struct fl_streams_owner *owner)
{
    struct fl_streams *streams = fl_new(struct fl_streams);

    streams->mux = mux;
    streams->owner = *owner;
    return streams;
}

void fl_streams_destroy(struct fl_streams *streams)
{
    if (!streams) return;
    fl_assert(streams->open.len == 0);
    fl_vec_fini(&streams->kinds);
    fl_vec_fini(&streams->open);
    fl_free(streams);
}

static const struct fl_stream_kind *find_kind(const struct fl_streams *streams, uint8_t type)
{
    for (size_t i = 0; i < streams->kinds.len; i++) {
        if ((uint8_t)streams->kinds.at[i].type == type) return &streams->kinds.at[i];
    }
    return NULL;
}

void fl_streams_add(struct fl_streams *streams, const struct fl_stream_kind *kinds, size_t len)
{
    fl_assert(streams->open.len == 0); /* open streams point into the table */
    for (size_t i = 0; i < len; i++) {
        fl_assert(fl_frame_type_is_data((uint8_t)kinds[i].type));
        fl_assert(!find_kind(streams, (uint8_t)kinds[i].type));
        fl_vec_push(&streams->kinds, kinds[i]);
    }
}

void fl_streams_set_peer(struct fl_streams *streams, struct fl_stream_peer peer)
{
    streams->peer = peer;
}

/* ---- open streams ---------------------------------------------------------------------------- */

struct fl_stream *fl_streams_find(const struct fl_streams *streams, uint32_t id)
{
    size_t i = fl_vec_lower_bound(&streams->open, id, id);

    return i < streams->open.len && streams->open.at[i].id == id ? streams->open.at[i].stream
                                                                 : NULL;
}

struct fl_stream *fl_streams_first(const struct fl_streams *streams, enum fl_frame_type type)
{
    for (size_t i = 0; streams && i < streams->open.len; i++) {
        if (streams->open.at[i].stream->kind->type == type) return streams->open.at[i].stream;
    }
    return NULL;
}

bool fl_streams_hold_tunnel(const struct fl_streams *streams)
{
    for (size_t i = 0; i < streams->open.len; i++) {
        if (streams->open.at[i].stream->kind->holds_tunnel) return true;
    }
    return false;
}

static bool has_room(const struct fl_streams *streams, const struct fl_stream_kind *kind,
                     struct fl_err *err)
{
    uint32_t len = 0;

    for (size_t i = 0; i < streams->open.len; i++) {
        len += streams->open.at[i].stream->kind == kind;
    }
    return len < kind->streams_max ||
           fl_fail(err, FL_FULL, "%u streams of type %s are open already, the limit", (unsigned)len,
                   fl_frame_type_name((uint8_t)kind->type));
}

static struct fl_stream *add(struct fl_streams *streams, const struct fl_stream_kind *kind,
                             uint32_t id)
{
    struct fl_stream *stream = fl_new(struct fl_stream);
    size_t i = fl_vec_lower_bound(&streams->open, id, id);

    *stream = (struct fl_stream){.streams = streams, .kind = kind, .peer = streams->peer, .id = id};
    fl_vec_insert(&streams->open, i, ((struct entry){id, stream}));
    return stream;
}

static void drop(struct fl_stream *stream)
{
    struct fl_streams *streams = stream->streams;

    fl_vec_remove(&streams->open, fl_vec_lower_bound(&streams->open, id, stream->id));
    fl_free(stream);
}

static void close_stream(struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    size_t i = fl_vec_lower_bound(&stream->streams->open, id, stream->id);

    /* The stream leaves the list first: 'close' may open the next of its type. */
    fl_vec_remove(&stream->streams->open, i);
    stream->kind->close(stream->kind->ctx, stream, code, text);
    fl_free(stream);
}

/* ---- from the mux ---------------------------------------------------------------------------- */

/* The first bytes of a stream that the peer opened; NULL: it is refused. */
static struct fl_stream *admit(struct fl_streams *streams, const struct fl_mux_item *item)
{
    const struct fl_stream_kind *kind = find_kind(streams, item->type);
    struct fl_stream *stream = NULL;
    struct fl_err err = {0};

    if (!kind) {
        fl_fail(&err, FL_UNSUPPORTED, "%s is not taken here", fl_frame_type_name(item->type));
    } else if (has_room(streams, kind, &err)) {
        stream = add(streams, kind, item->stream);
        if (kind->open(kind->ctx, stream, &err)) return stream;
        drop(stream);
    }
    fl_mux_close(streams->mux, item->stream, err.code, fl_str_c(err.text));
    streams->owner.changed(streams->owner.ctx);
    return NULL;
}

static void take_data(struct fl_streams *streams, const struct fl_mux_item *item)
{
    struct fl_stream *stream = fl_streams_find(streams, item->stream);
    struct fl_err err = {0};

    if (!stream) stream = admit(streams, item);
    if (stream && !stream->kind->data(stream->kind->ctx, stream, item->bytes, &err)) {
        fl_streams_fail(streams, &err);
    }
}

void fl_streams_take(struct fl_streams *streams, const struct fl_mux_item *item)
{
    struct fl_stream *stream;

    if (item->kind == FL_MUX_DATA) {
        take_data(streams, item);
        return;
    }
    fl_assert(item->kind == FL_MUX_CLOSED);
    stream = fl_streams_find(streams, item->stream);
    if (stream) close_stream(stream, (enum fl_code)item->code, item->bytes);
}

size_t fl_streams_pull(struct fl_streams *streams, uint32_t id, uint8_t *at, size_t bytes_max)
{
    struct fl_stream *stream = fl_streams_find(streams, id);

    return stream ? stream->kind->pull(stream->kind->ctx, stream, at, bytes_max) : 0;
}

void fl_streams_end(struct fl_streams *streams)
{
    bool was_ending = streams->is_ending;

    streams->is_ending = true;
    while (streams->open.len) {
        close_stream(streams->open.at[streams->open.len - 1].stream, FL_UNAVAILABLE,
                     FL_STR("the tunnel ended"));
    }
    streams->is_ending = was_ending;
}

/* ---- from kinds ------------------------------------------------------------------------------ */

bool fl_streams_open(struct fl_streams *streams, enum fl_frame_type type, fl_ms now,
                     struct fl_stream **ret_stream, struct fl_err *err)
{
    const struct fl_stream_kind *kind = find_kind(streams, (uint8_t)type);
    uint32_t id;

    fl_assert(kind);
    if (streams->is_ending) return fl_fail(err, FL_UNAVAILABLE, "the tunnel ends");
    if (!has_room(streams, kind, err) || !fl_mux_open(streams->mux, type, now, &id, err)) {
        return false;
    }
    *ret_stream = add(streams, kind, id);
    return true;
}

void fl_streams_fail(struct fl_streams *streams, const struct fl_err *err)
{
    if (!streams->is_ending) streams->owner.fail(streams->owner.ctx, err);
}

void fl_stream_wants(struct fl_stream *stream, uint64_t bytes)
{
    fl_mux_wants(stream->streams->mux, stream->id, bytes);
    stream->streams->owner.changed(stream->streams->owner.ctx);
}

void fl_stream_consumed(struct fl_stream *stream, uint32_t bytes)
{
    fl_mux_consumed(stream->streams->mux, stream->id, bytes);
    stream->streams->owner.changed(stream->streams->owner.ctx);
}

void fl_stream_close(struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct fl_streams *streams = stream->streams;

    fl_mux_close(streams->mux, stream->id, code, text);
    close_stream(stream, code, text);
    streams->owner.changed(streams->owner.ctx);
}
