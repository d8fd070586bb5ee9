#include "shared/link/flow.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"
#include "shared/wire/frame.h"

/* bytes = open + held + owed, always; 'held' is not written down. */
struct window {
    uint32_t bytes;
    uint32_t open; /* bytes that the peer may still send */
    uint32_t owed; /* taken, and not granted again yet */
    uint32_t used; /* granted again since 'used_from' */
    fl_ms used_from;
    bool is_due; /* in flow->due */
};

struct stream {
    uint32_t id;
    uint32_t credit; /* sending: bytes that the peer granted */
    uint32_t sequence_sent;
    uint64_t waiting; /* bytes that the source has to send */
    uint32_t sequence_received;
    struct window window; /* receiving */
};

struct fl_flow {
    struct fl_flow_limits limits;
    FL_VEC(struct stream) streams; /* sorted by id, streams_max at most */
    FL_VEC(uint32_t) due;          /* streams whose credit is due, oldest first; each once */
    uint32_t credit;               /* for the tunnel */
    struct window window;          /* for the tunnel */
    uint32_t grown;                /* bytes by which all streams' windows have grown together */
    uint32_t control_waiting;
    uint32_t last_turn; /* the stream that sent last */
    uint32_t breaches;
    fl_ms rtt_ms;
};

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The index of a stream, or of the next higher one. */
static size_t place(const struct fl_flow *flow, uint32_t id)
{
    return fl_vec_lower_bound(&flow->streams, id, id);
}

static struct stream *find(const struct fl_flow *flow, uint32_t id)
{
    size_t i = place(flow, id);

    return i < flow->streams.len && flow->streams.at[i].id == id ? &flow->streams.at[i] : NULL;
}

/* ---- its life -------------------------------------------------------------------------------- */

struct fl_flow_limits fl_flow_limits(void)
{
    return (struct fl_flow_limits){
        .stream_bytes = FL_FLOW_STREAM_BYTES,
        .stream_bytes_max = FL_FLOW_STREAM_BYTES_MAX,
        .tunnel_bytes = FL_FLOW_TUNNEL_BYTES,
        .tunnel_bytes_max = FL_FLOW_TUNNEL_BYTES_MAX,
        .growth_bytes_max = FL_FLOW_GROWTH_BYTES_MAX,
        .control_bytes_max = FL_FLOW_CONTROL_BYTES_MAX,
        .streams_max = FL_FLOW_STREAMS_MAX,
    };
}

struct fl_flow *fl_flow_create(const struct fl_flow_limits *limits, fl_ms now)
{
    struct fl_flow *flow = fl_new(struct fl_flow);

    fl_assert(limits->stream_bytes > 0 && limits->stream_bytes <= limits->stream_bytes_max);
    fl_assert(limits->tunnel_bytes > 0 && limits->tunnel_bytes <= limits->tunnel_bytes_max);
    fl_assert(limits->stream_bytes_max <= FL_FLOW_CREDIT_MAX);
    fl_assert(limits->tunnel_bytes_max <= FL_FLOW_CREDIT_MAX);
    flow->limits = *limits;
    flow->credit = limits->tunnel_bytes;
    flow->window = (struct window){
        .bytes = limits->tunnel_bytes, .open = limits->tunnel_bytes, .used_from = now};
    return flow;
}

void fl_flow_destroy(struct fl_flow *flow)
{
    if (!flow) return;
    fl_vec_fini(&flow->streams);
    fl_vec_fini(&flow->due);
    fl_free(flow);
}

bool fl_flow_open(struct fl_flow *flow, uint32_t stream, fl_ms now, struct fl_err *err)
{
    uint32_t bytes = flow->limits.stream_bytes;
    struct stream opened = {
        .id = stream, .credit = bytes, .window = {.bytes = bytes, .open = bytes, .used_from = now}};

    if (stream == FL_STREAM_CONTROL) return fl_fail(err, FL_INVALID, "stream 0 is control");
    if (find(flow, stream)) return fl_fail(err, FL_EXISTS, "stream %" PRIu32 " is open", stream);
    if (flow->streams.len == flow->limits.streams_max) {
        return fl_fail(err, FL_FULL, "all %" PRIu32 " streams are open", flow->limits.streams_max);
    }
    fl_vec_insert(&flow->streams, place(flow, stream), opened);
    return true;
}

void fl_flow_close(struct fl_flow *flow, uint32_t stream)
{
    struct stream *closed = find(flow, stream);

    if (!closed) return;
    flow->grown -= closed->window.bytes - flow->limits.stream_bytes;
    if (closed->window.is_due) {
        size_t i = 0;

        while (flow->due.at[i] != stream) {
            i++;
        }
        fl_vec_remove(&flow->due, i);
    }
    fl_vec_remove(&flow->streams, place(flow, stream));
}

void fl_flow_rtt(struct fl_flow *flow, fl_ms rtt_ms)
{
    flow->rtt_ms = rtt_ms;
}

/* ---- sending --------------------------------------------------------------------------------- */

static uint32_t may_send(const struct fl_flow *flow, const struct stream *stream)
{
    return least(least(stream->credit, flow->credit), FL_FRAME_PAYLOAD_MAX);
}

uint32_t fl_flow_may_send(const struct fl_flow *flow, uint32_t stream)
{
    const struct stream *found = find(flow, stream);

    return found ? may_send(flow, found) : 0;
}

uint32_t fl_flow_sent(struct fl_flow *flow, uint32_t stream, uint32_t bytes)
{
    struct stream *found = find(flow, stream);

    fl_assert(found && bytes > 0 && bytes <= may_send(flow, found));
    found->credit -= bytes;
    flow->credit -= bytes;
    found->waiting -= least(bytes, found->waiting);
    flow->last_turn = stream;
    return ++found->sequence_sent;
}

bool fl_flow_granted(struct fl_flow *flow, uint32_t stream, uint32_t bytes, struct fl_err *err)
{
    struct stream *found = find(flow, stream);
    uint32_t *credit = stream == FL_STREAM_CONTROL ? &flow->credit : found ? &found->credit : NULL;

    if (!credit) return true;
    if (bytes > FL_FLOW_CREDIT_MAX - *credit) {
        return fl_fail(err, FL_INVALID,
                       "CREDIT on stream %" PRIu32 ": over %" PRIu32 " bytes in all", stream,
                       FL_FLOW_CREDIT_MAX);
    }
    *credit += bytes;
    return true;
}

bool fl_flow_control_put(struct fl_flow *flow, uint32_t bytes, struct fl_err *err)
{
    if (bytes > flow->limits.control_bytes_max - flow->control_waiting) {
        return fl_fail(err, FL_FULL,
                       "%" PRIu32 " bytes of control wait, %" PRIu32 " more are too many",
                       flow->control_waiting, bytes);
    }
    flow->control_waiting += bytes;
    return true;
}

void fl_flow_control_written(struct fl_flow *flow, uint32_t bytes)
{
    fl_assert(bytes <= flow->control_waiting);
    flow->control_waiting -= bytes;
}

void fl_flow_wants(struct fl_flow *flow, uint32_t stream, uint64_t bytes)
{
    struct stream *found = find(flow, stream);

    if (found) found->waiting = bytes;
}

bool fl_flow_turn(const struct fl_flow *flow, struct fl_flow_turn *ret_turn)
{
    size_t len = flow->streams.len;
    size_t first = place(flow, flow->last_turn + 1); /* behind the last one, in a ring */

    if (flow->control_waiting) {
        *ret_turn = (struct fl_flow_turn){FL_STREAM_CONTROL, flow->control_waiting};
        return true;
    }
    for (size_t i = 0; i < len; i++) {
        const struct stream *stream = &flow->streams.at[(first + i) % len];
        uint32_t bytes = least(stream->waiting, may_send(flow, stream));

        if (!bytes) continue;
        *ret_turn = (struct fl_flow_turn){stream->id, bytes};
        return true;
    }
    return false;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void owe(struct fl_flow *flow, uint32_t id, struct window *window, uint32_t bytes)
{
    window->owed += bytes;
    if (window->is_due || window->owed < (window->bytes + 3) / 4) return;
    window->is_due = true;
    fl_vec_push(&flow->due, id);
}

static enum fl_flow_verdict breach(struct fl_flow *flow, uint32_t stream)
{
    fl_flow_close(flow, stream);
    return ++flow->breaches > 1 ? FL_FLOW_CLOSE_TUNNEL : FL_FLOW_CLOSE_STREAM;
}

enum fl_flow_verdict fl_flow_received(struct fl_flow *flow, uint32_t stream, uint32_t sequence,
                                      uint32_t bytes)
{
    struct stream *found = find(flow, stream);
    uint32_t charged = least(bytes, flow->window.open);

    flow->window.open -= charged;
    owe(flow, FL_STREAM_CONTROL, &flow->window, charged);
    if (charged < bytes) return breach(flow, stream);
    if (!found) return FL_FLOW_DROP;
    if (bytes == 0 || bytes > found->window.open || sequence != found->sequence_received + 1) {
        return breach(flow, stream);
    }
    found->sequence_received++;
    found->window.open -= bytes;
    return FL_FLOW_TAKE;
}

static uint32_t held(const struct window *window)
{
    return window->bytes - window->open - window->owed;
}

void fl_flow_consumed(struct fl_flow *flow, uint32_t stream, uint32_t bytes)
{
    struct stream *found = find(flow, stream);

    if (!found) return;
    fl_assert(bytes <= held(&found->window));
    owe(flow, stream, &found->window, bytes);
}

/* By how much a window grows when its owed bytes are granted.  A window that holds its sender back
 * is used up once a round trip, so it grows at most that often. */
static uint32_t growth(const struct fl_flow *flow, struct window *window, uint32_t bytes_max,
                       fl_ms now)
{
    fl_ms took_ms = now - window->used_from;

    window->used += window->owed;
    if (window->used < window->bytes) return 0;
    window->used = 0;
    window->used_from = now;
    return took_ms < 2 * flow->rtt_ms ? least(window->bytes, bytes_max - window->bytes) : 0;
}

bool fl_flow_due(struct fl_flow *flow, fl_ms now, struct fl_flow_credit *ret_credit)
{
    uint32_t id, more;
    struct window *window = &flow->window;

    if (flow->due.len == 0) return false;
    id = flow->due.at[0];
    fl_vec_remove(&flow->due, 0);
    if (id == FL_STREAM_CONTROL) {
        more = growth(flow, window, flow->limits.tunnel_bytes_max, now);
    } else {
        window = &find(flow, id)->window; /* open: fl_flow_close takes a stream off 'due' */
        more = growth(flow, window, flow->limits.stream_bytes_max, now);
        more = least(more, flow->limits.growth_bytes_max - flow->grown);
        flow->grown += more;
    }
    *ret_credit = (struct fl_flow_credit){id, window->owed + more};
    window->bytes += more;
    window->open += window->owed + more;
    window->owed = 0;
    window->is_due = false;
    return true;
}

bool fl_flow_has_due(const struct fl_flow *flow)
{
    return flow->due.len > 0;
}

/* ---- for traces and tests -------------------------------------------------------------------- */

uint32_t fl_flow_window(const struct fl_flow *flow, uint32_t stream)
{
    const struct stream *found = find(flow, stream);

    if (stream == FL_STREAM_CONTROL) return flow->window.bytes;
    return found ? found->window.bytes : 0;
}

uint64_t fl_flow_held(const struct fl_flow *flow)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < flow->streams.len; i++) {
        sum += held(&flow->streams.at[i].window);
    }
    return sum;
}
