#include "controlplane/visits/visits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/views/token_table.h"
#include "controlplane/visits/visit_peer.h"
#include "controlplane/visits/visit_status.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum {
    LETTERS_MAX = 10000,
    LOOK_MS = 15000, /* how often a visit is looked at */
    OUT_BYTES_LOW = 64 << 10,
    INPUT_MAX = VISIT_INPUT_BYTES_MAX * 2,
    SMALL_MAX = 64, /* bytes of a message that is taken whole: RESIZE, CLOSE */
    JOB_VISITS_MAX = 64,
    ENTERED_MAX = 2, /* times visits_max: open ones, and ones that only hear why they are not */
};

struct visit {
    struct visits *visits;
    struct visit *next, *prev;
    struct visit_order *order;
    struct visit_peer *peer;  /* NULL: it is gone */
    struct fl_stream *stream; /* NULL: it is over */
    struct fl_visit_reader *reader;
    struct fl_buf input; /* records for the agent */
    size_t input_at;     /* the bytes before it went out */
    size_t held;         /* bytes of the stream whose credit has not returned */
    struct fl_timer look;
    fl_ms began_at, active_at;
    uint64_t bytes_in, bytes_out;
    uint8_t small[SMALL_MAX];
    size_t small_len;
    bool is_status_told;
    bool is_input_ended; /* the client said so, and may send no more */
    char outcome[256];
};

struct visits {
    struct fl_loop *loop;
    struct visits_config config;
    struct token_table *tokens;
    struct visits_port port;
    struct fl_mailbox *mailbox; /* orders from other fronts */
    struct fl_timer tokens_look;
    struct visit *first;
    size_t len;
    bool is_draining;
};

/* ---- its end --------------------------------------------------------------------------------- */

static void audit_end(const struct visit *visit)
{
    const struct visit_order *order = visit->order;
    char what[448];
    int len =
        snprintf(what, sizeof what, "%s: %s; %" PRId64 " s, %" PRIu64 " B in, %" PRIu64 " B out",
                 order->what, visit->outcome,
                 (fl_loop_now(visit->visits->loop) - visit->began_at) / FL_SECOND_MS,
                 visit->bytes_in, visit->bytes_out);
    struct visit_end end = {
        .tenant = order->tenant,
        .actor = fl_str_c(order->actor),
        .peer = fl_str_c(order->taken.peer),
        .trace = fl_str_c(order->trace),
        .what = {what, (size_t)len < sizeof what ? (size_t)len : sizeof what - 1},
    };

    visit->visits->port.ended(visit->visits->port.ctx, &end);
}

static void free_if_over(struct visit *visit)
{
    struct visits *visits = visit->visits;

    if (visit->peer || visit->stream) return;
    if (visit->outcome[0]) audit_end(visit);
    if (visit->next) visit->next->prev = visit->prev;
    if (visit->prev) {
        visit->prev->next = visit->next;
    } else {
        visits->first = visit->next;
    }
    visits->len--;
    fl_timer_off(&visit->look);
    fl_buf_fini(&visit->input);
    fl_free(visit->reader);
    visit_order_destroy(visit->order);
    fl_free(visit);
}

static void close_stream(struct visit *visit)
{
    struct fl_stream *stream = visit->stream;

    if (!stream) return;
    visit->stream = NULL;
    stream->state = NULL;
    fl_stream_close(stream, FL_OK, (struct fl_str){0});
}

static void note(struct visit *visit, const char *outcome)
{
    if (!visit->outcome[0]) snprintf(visit->outcome, sizeof visit->outcome, "%s", outcome);
}

static void tell_status(struct visit *visit, const struct fl_visit_status *status)
{
    char text[VISIT_STATUS_BYTES_MAX];

    if (visit->is_status_told || !visit->peer) return;
    visit->is_status_told = true;
    visit_peer_put(visit->peer, FL_VISIT_STATUS, visit_status_write(status, text));
}

/* The client hears why, and then the stream ends. */
static void end_visit(struct visit *visit, enum fl_code code, enum fl_ws_close close,
                      const char *text)
{
    struct fl_visit_status status = {.code = code, .text = fl_str_c(text)};

    note(visit, text);
    tell_status(visit, &status);
    if (visit->peer) visit_peer_close(visit->peer, close, text);
    close_stream(visit);
    free_if_over(visit);
}

/* ---- from the client to the agent ------------------------------------------------------------ */

static size_t input_waiting(const struct visit *visit)
{
    return visit->input.len - visit->input_at;
}

static bool put_input(struct visit *visit, enum fl_visit_channel channel, struct fl_str bytes)
{
    if (visit->input_at > 0 && visit->input_at == visit->input.len) {
        fl_buf_clear(&visit->input);
        visit->input_at = 0;
    }
    while (bytes.len > FL_VISIT_BYTES_MAX) {
        struct fl_str part = {bytes.at, FL_VISIT_BYTES_MAX};

        if (!fl_visit_put(&visit->input, channel, part)) return false;
        bytes.at += part.len;
        bytes.len -= part.len;
    }
    return fl_visit_put(&visit->input, channel, bytes);
}

static bool on_may_read(void *ctx)
{
    const struct visit *visit = ctx;

    return visit->stream && visit->input.len < VISIT_INPUT_BYTES_MAX;
}

/* A message that is taken whole.  True: it is. */
static bool take_small(struct visit *visit, struct fl_str bytes, bool is_first, bool is_last,
                       struct fl_err *err)
{
    if (is_first) visit->small_len = 0;
    if (bytes.len > SMALL_MAX - visit->small_len) {
        return fl_fail(err, FL_TOO_LARGE, "a message of this channel has at most %d bytes",
                       SMALL_MAX);
    }
    memcpy(visit->small + visit->small_len, bytes.at, bytes.len);
    visit->small_len += bytes.len;
    return is_last;
}

static bool take_resize(struct visit *visit, struct fl_err *err)
{
    struct fl_str text = {(const char *)visit->small, visit->small_len};
    struct fl_visit_size size;

    if (!visit_status_read_size(text, &size, err)) return false;
    if (!fl_visit_put_size(&visit->input, size)) return fl_fail(err, FL_FULL, "too much input");
    return true;
}

static bool take_close(struct visit *visit, struct fl_err *err)
{
    if (visit->small_len != 1 || visit->small[0] != FL_VISIT_STDIN) {
        return fl_fail(err, FL_INVALID, "a client ends channel 0, with the message 255 0");
    }
    if (visit->is_input_ended) return true;
    visit->is_input_ended = true;
    return put_input(visit, FL_VISIT_CLOSE, FL_STR("\0")) ||
           fl_fail(err, FL_FULL, "too much input");
}

static bool take_piece(struct visit *visit, uint8_t channel, struct fl_str bytes, bool is_first,
                       bool is_last, struct fl_err *err)
{
    switch (channel) {
    case FL_VISIT_STDIN:
        visit->bytes_in += bytes.len;
        if (visit->is_input_ended) return fl_fail(err, FL_INVALID, "input behind its end");
        if (bytes.len == 0 || put_input(visit, FL_VISIT_STDIN, bytes)) return true;
        return fl_fail(err, FL_FULL, "too much input");
    case FL_VISIT_RESIZE:
        if (take_small(visit, bytes, is_first, is_last, err)) return take_resize(visit, err);
        return err->code == FL_OK;
    case FL_VISIT_CLOSE:
        if (take_small(visit, bytes, is_first, is_last, err)) return take_close(visit, err);
        return err->code == FL_OK;
    default:
        return fl_fail(err, FL_INVALID, "a client has no channel %u", channel);
    }
}

static bool on_piece(void *ctx, uint8_t channel, struct fl_str bytes, bool is_first, bool is_last,
                     struct fl_err *err)
{
    struct visit *visit = ctx;

    visit->active_at = fl_loop_now(visit->visits->loop);
    if (!visit->stream) return true;
    if (!take_piece(visit, channel, bytes, is_first, is_last, err)) {
        end_visit(visit, err->code, FL_WS_REFUSED, err->text);
        return false;
    }
    if (input_waiting(visit) > 0) fl_stream_wants(visit->stream, input_waiting(visit));
    return true;
}

/* ---- from the agent to the client ------------------------------------------------------------ */

/* Credit returns while the client has taken nearly all. */
static void return_credit(struct visit *visit)
{
    size_t kept = visit->reader->len;

    if (!visit->stream || visit->held <= kept) return;
    if (visit->peer && visit_peer_waiting(visit->peer) > OUT_BYTES_LOW) return;
    fl_stream_consumed(visit->stream, (uint32_t)(visit->held - kept));
    visit->held = kept;
}

static void on_taken(void *ctx)
{
    return_credit(ctx);
}

static bool take_status(struct visit *visit, struct fl_str bytes, struct fl_err *err)
{
    struct fl_visit_status status;
    char text[sizeof visit->outcome];

    if (!fl_visit_read_status(bytes, &status, err)) return false;
    if (status.code == FL_OK) {
        snprintf(text, sizeof text, "exit code %" PRId32, status.exit_code);
    } else {
        snprintf(text, sizeof text, FL_STR_FMT, FL_STR_ARG(status.text));
    }
    note(visit, text);
    tell_status(visit, &status);
    return true;
}

static bool take_record(void *ctx, const struct fl_visit_record *record, struct fl_err *err)
{
    struct visit *visit = ctx;

    switch (record->channel) {
    case FL_VISIT_STDOUT:
    case FL_VISIT_STDERR:
        visit->bytes_out += record->bytes.len;
        /* fall through */
    case FL_VISIT_CLOSE:
        if (visit->peer) visit_peer_put(visit->peer, (uint8_t)record->channel, record->bytes);
        return true;
    case FL_VISIT_STATUS:
        return take_status(visit, record->bytes, err);
    case FL_VISIT_STDIN:
    case FL_VISIT_RESIZE:
    case FL_VISIT_OPEN:
        break;
    }
    return fl_fail(err, FL_INVALID, "channel %d comes from a hub only", (int)record->channel);
}

/* False: a rule is broken. */
/* A rule that the agent breaks costs this visit, not the tunnel: others are in there. */
static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct visit *visit = stream->state;
    char why[256];

    (void)ctx;
    visit->active_at = fl_loop_now(visit->visits->loop);
    visit->held += bytes.len;
    if (fl_visit_each(visit->reader, bytes, take_record, visit, err)) {
        return_credit(visit);
        return true;
    }
    snprintf(why, sizeof why, "the agent of cluster %s broke a rule: " FL_STR_FMT,
             visit->order->cluster_name, FL_STR_ARG(fl_str_begin(fl_str_c(err->text), 120)));
    end_visit(visit, err->code, FL_WS_TROUBLE, why);
    return true;
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct visit *visit = stream->state;
    size_t len = input_waiting(visit) < bytes_max ? input_waiting(visit) : bytes_max;

    (void)ctx;
    memcpy(at, visit->input.at + visit->input_at, len);
    visit->input_at += len;
    if (input_waiting(visit) > 0) return len;
    fl_buf_clear(&visit->input);
    visit->input_at = 0;
    if (visit->peer) visit_peer_wake(visit->peer);
    return len;
}

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "the control plane opens EXEC and FORWARD streams");
}

/* The agent closes a stream behind its STATUS, refuses it, or is gone. */
static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct visit *visit = stream->state;
    char why[256];

    (void)ctx;
    if (!visit) return; /* we closed it ourselves */
    visit->stream = NULL;
    if (visit->is_status_told) {
        end_visit(visit, FL_OK, FL_WS_DONE, "");
        return;
    }
    if (code == FL_UNAVAILABLE) {
        snprintf(why, sizeof why,
                 "the tunnel was cut: cluster %s is not connected now, and what ran "
                 "here ends with it",
                 visit->order->cluster_name);
    } else {
        snprintf(why, sizeof why, "the agent of cluster %s: " FL_STR_FMT,
                 visit->order->cluster_name, FL_STR_ARG(text));
    }
    end_visit(visit, code == FL_OK ? FL_UNAVAILABLE : code, FL_WS_TROUBLE, why);
}

/* ---- the client ------------------------------------------------------------------------------ */

static void on_gone(void *ctx, const char *why)
{
    struct visit *visit = ctx;

    note(visit, why ? why : "the client left");
    visit->peer = NULL;
    close_stream(visit);
    free_if_over(visit);
}

static void on_look(void *ctx)
{
    struct visit *visit = ctx;
    fl_ms now = fl_loop_now(visit->visits->loop);
    char text[96];

    fl_timer_in(&visit->look, LOOK_MS);
    if (!visit->peer || !visit->stream) return; /* its CLOSE is on its way */
    if (now >= visit->active_at + visit->visits->config.idle_ms) {
        snprintf(text, sizeof text, "it was idle for %" PRId64 " s (setting visit_idle)",
                 visit->visits->config.idle_ms / FL_SECOND_MS);
        end_visit(visit, FL_UNAVAILABLE, FL_WS_GOING_AWAY, text);
        return;
    }
    visit_peer_ping(visit->peer);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* A look at a session is a use of it: an open shell keeps its session from being idle. */
static const char *token_verdict(const struct visit *visit, fl_ms at)
{
    const struct visits_port *port = &visit->visits->port;

    if (visit->order->is_page && !port->session_lives(port->ctx, &visit->order->session)) {
        return "the session of this visit is over: sign in again";
    }
    switch (token_table_fate(visit->visits->tokens, &visit->order->token, at)) {
    case TOKEN_COUNTS:
        break;
    case TOKEN_EXPIRED:
        return "the token of this visit has expired";
    case TOKEN_REVOKED:
        return "the token of this visit was revoked";
    case TOKEN_ROTATED:
        return "the token of this visit has a new secret";
    }
    return NULL;
}

static void on_tokens_look(void *ctx)
{
    struct visits *visits = ctx;
    fl_ms at = token_table_time(visits->tokens, fl_loop_now(visits->loop));
    struct visit *next;

    for (struct visit *visit = visits->first; visit; visit = next) {
        const char *why = visit->peer && visit->stream ? token_verdict(visit, at) : NULL;

        next = visit->next;
        if (why) end_visit(visit, FL_DENIED, FL_WS_REFUSED, why);
    }
    if (visits->len > 0) fl_timer_in(&visits->tokens_look, VISIT_TOKEN_MS);
}

/* ---- entering -------------------------------------------------------------------------------- */

static struct visit *add_visit(struct visits *visits, struct visit_order *order)
{
    struct visit *visit = fl_new(struct visit);
    struct visit_peer_port port = {visit, on_may_read, on_piece, on_taken, on_gone};

    visit->visits = visits;
    visit->order = order;
    visit->reader = fl_new(struct fl_visit_reader);
    visit->began_at = visit->active_at = fl_loop_now(visits->loop);
    fl_buf_init(&visit->input, INPUT_MAX);
    fl_timer_init(&visit->look, visits->loop, on_look, visit);
    fl_timer_in(&visit->look, LOOK_MS);
    visit->next = visits->first;
    if (visit->next) visit->next->prev = visit;
    visits->first = visit;
    if (visits->len++ == 0) fl_timer_in(&visits->tokens_look, VISIT_TOKEN_MS);
    visit->peer = visit_peer_open(visits->loop, &order->taken, &port);
    return visit;
}

static bool has_room(const struct visits *visits, const struct visit_order *order,
                     struct fl_err *err)
{
    size_t of_token = 0, of_job = 0, open = 0;

    for (const struct visit *visit = visits->first; visit; visit = visit->next) {
        if (!visit->stream) continue; /* it hears its last words */
        open++;
        of_token += strcmp(visit->order->token.id, order->token.id) == 0;
        of_job += visit->order->job.n == order->job.n;
    }
    if (of_token >= visits->config.token_visits_max) {
        return fl_fail(err, FL_FULL,
                       "this token has %zu visits open, the most for one: end some (setting "
                       "visits_token_max)",
                       of_token);
    }
    if (of_job >= JOB_VISITS_MAX) {
        return fl_fail(err, FL_FULL, "this job has %d visits, the most for one", JOB_VISITS_MAX);
    }
    return open < visits->config.visits_max ||
           fl_fail(err, FL_FULL, "%zu visits are open here, all there can be (setting visits_max)",
                   open);
}

/* Opens the stream.  False: 'err' says why not. */
static bool open_stream(struct visits *visits, struct fl_streams *streams, struct visit *visit,
                        struct fl_err *err)
{
    const struct visit_order *order = visit->order;

    if (visits->is_draining) return fl_fail(err, FL_UNAVAILABLE, "the control plane stops");
    if (!streams) {
        return fl_fail(err, FL_UNAVAILABLE, "cluster %s is not connected now: try again later",
                       order->cluster_name);
    }
    if (!fl_streams_open(streams, order->type, fl_loop_now(visits->loop), &visit->stream, err)) {
        return false;
    }
    visit->stream->state = visit;
    if (!fl_buf_put(&visit->input, order->open.at, order->open.len)) {
        fl_unreachable("the input has room for one record");
    }
    fl_stream_wants(visit->stream, input_waiting(visit));
    return true;
}

void visits_enter(struct visits *visits, struct visit_order *order)
{
    struct fl_streams *streams = visits->port.streams(visits->port.ctx, order->cluster);
    struct fl_err err = {0};
    struct visit *visit;
    bool may;

    if (!streams && !visits->is_draining && visits->port.pass_on(visits->port.ctx, order)) return;
    if (visits->len >= (size_t)ENTERED_MAX * visits->config.visits_max) {
        visit_order_destroy(order);
        return;
    }
    may = has_room(visits, order, &err);
    visit = add_visit(visits, order);
    if (may && open_stream(visits, streams, visit, &err)) {
        visit_peer_accept(visit->peer, order->accept, order->has_protocol);
        return;
    }
    if (order->is_page) { /* a script reads what a WebSocket says, never the answer in its place */
        visit_peer_accept(visit->peer, order->accept, order->has_protocol);
        end_visit(visit, err.code, FL_WS_TROUBLE, err.text);
        return;
    }
    note(visit, err.text);
    visit_peer_refuse(visit->peer, err.code == FL_FULL ? 429 : 503, err.code, err.text);
}

static void on_letter(void *ctx, struct fl_letter *letter)
{
    visits_enter(ctx, (struct visit_order *)letter);
}

bool visits_put(struct visits *visits, struct visit_order *order)
{
    return fl_mailbox_put(visits->mailbox, &order->letter);
}

/* ---- their life ------------------------------------------------------------------------------ */

static struct fl_stream_kind kind(struct visits *visits, enum fl_frame_type type)
{
    return (struct fl_stream_kind){
        .type = type,
        .streams_max = VISIT_STREAMS_MAX,
        .ctx = visits,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}

void visits_kinds(struct visits *visits, struct fl_stream_kind ret_kinds[2])
{
    ret_kinds[0] = kind(visits, FL_FRAME_EXEC);
    ret_kinds[1] = kind(visits, FL_FRAME_FORWARD);
}

void visits_drain(struct visits *visits)
{
    struct visit *next;

    visits->is_draining = true;
    for (struct visit *visit = visits->first; visit; visit = next) {
        next = visit->next;
        if (!visit->stream) continue;
        end_visit(visit, FL_UNAVAILABLE, FL_WS_GOING_AWAY, "the control plane stops");
    }
}

size_t visits_len(const struct visits *visits)
{
    return visits->len;
}

struct visits *visits_create(struct fl_loop *loop, const struct visits_config *config,
                             struct token_table *tokens, const struct visits_port *port)
{
    struct visits *visits = fl_new(struct visits);

    visits->loop = loop;
    visits->config = *config;
    visits->tokens = tokens;
    visits->port = *port;
    visits->mailbox = fl_mailbox_create(loop, LETTERS_MAX, on_letter, visits);
    fl_timer_init(&visits->tokens_look, loop, on_tokens_look, visits);
    return visits;
}

void visits_destroy(struct visits *visits)
{
    struct fl_letter *letter;

    if (!visits) return;
    while (visits->first) {
        struct visit *visit = visits->first;

        visit->outcome[0] = '\0'; /* the engine takes no rows any more */
        visit_peer_destroy(visit->peer);
        visit->peer = NULL;
        close_stream(visit);
        free_if_over(visit);
    }
    fl_timer_off(&visits->tokens_look);
    fl_mailbox_close(visits->mailbox);
    while ((letter = fl_mailbox_take(visits->mailbox))) {
        visit_order_destroy((struct visit_order *)letter);
    }
    fl_mailbox_destroy(visits->mailbox);
    fl_free(visits);
}
