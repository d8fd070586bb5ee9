#include "agent/streams/visit_streams.h"

#include <string.h>

#include "shared/base/alloc.h"

#define WANTS_BYTES ((uint64_t)1 << 30)

enum {
    INPUT_BYTES_MAX = FL_FLOW_STREAM_BYTES_MAX + FL_FRAME_PAYLOAD_MAX,
    AGAIN_MS_MIN = 1000,
    AGAIN_MS_MAX = 60000,
};

struct visit {
    struct visit_streams *visits;
    struct fl_stream *stream;
    struct runtime_visit runtime; /* .ops NULL: it has not begun, or was refused */
    struct fl_visit_reader *reader;
    struct fl_buf input;   /* for the runtime, which had no room */
    size_t input_at;       /* the bytes before it were taken */
    size_t held;           /* bytes of the stream whose credit has not returned */
    struct fl_buf refusal; /* a STATUS to send in place of a visit */
    struct fl_after work;
    struct fl_timer again; /* tells the end of a terminal's input */
    fl_ms again_ms;
    bool has_tty;
    bool is_input_ended; /* CLOSE came behind the input */
    bool is_input_told;
    bool is_over; /* STATUS was given */
};

struct visit_streams {
    struct fl_loop *loop;
    struct runtime runtime;
};

/* ---- towards the replica --------------------------------------------------------------------- */

static size_t waiting(const struct visit *visit)
{
    return visit->input.len - visit->input_at;
}

/* Returns the credit of all bytes but those that wait here. */
static void return_credit(struct visit *visit)
{
    size_t kept = waiting(visit) + visit->reader->len;

    if (visit->held > kept) fl_stream_consumed(visit->stream, (uint32_t)(visit->held - kept));
    visit->held = kept;
}

/* A terminal's end of input is a key, which is lost where a shell changes the terminal's mode
 * before it reads the key.  So it is pressed as long as the visit goes on, ever more seldom. */
static void end_input(struct visit *visit)
{
    visit->is_input_told = true;
    visit->runtime.ops->end_input(visit->runtime.self);
    if (!visit->has_tty) return;
    fl_timer_in(&visit->again, visit->again_ms);
    visit->again_ms *= 2;
    if (visit->again_ms > AGAIN_MS_MAX) visit->again_ms = AGAIN_MS_MAX;
}

static void on_again(void *ctx)
{
    struct visit *visit = ctx;

    if (!visit->is_over) end_input(visit);
}

/* The visit takes what it can. */
static void give_input(struct visit *visit)
{
    size_t n = 0;

    if (!visit->runtime.ops) return;
    if (waiting(visit) > 0) {
        struct fl_str bytes = {(const char *)visit->input.at + visit->input_at, waiting(visit)};

        n = visit->runtime.ops->write(visit->runtime.self, bytes);
    }
    visit->input_at += n;
    if (waiting(visit) == 0) {
        fl_buf_clear(&visit->input);
        visit->input_at = 0;
    }
    if (waiting(visit) == 0 && visit->is_input_ended && !visit->is_input_told) end_input(visit);
}

static bool take_input(struct visit *visit, struct fl_str bytes, struct fl_err *err)
{
    if (!visit->runtime.ops) return true; /* it was refused, and this has no reader */
    if (visit->is_input_ended) return fl_fail(err, FL_INVALID, "input behind its end");
    if (visit->input_at > 0) { /* the bytes that were taken make room */
        memmove(visit->input.at, visit->input.at + visit->input_at, waiting(visit));
        fl_buf_truncate(&visit->input, waiting(visit));
        visit->input_at = 0;
    }
    if (!fl_buf_put(&visit->input, bytes.at, bytes.len)) {
        return fl_fail(err, FL_INVALID, "input without credit");
    }
    return true;
}

/* ---- from the replica ------------------------------------------------------------------------ */

static void on_work(void *ctx)
{
    struct visit *visit = ctx;

    give_input(visit);
    return_credit(visit);
    if (visit->is_over) {
        fl_stream_close(visit->stream, FL_OK, (struct fl_str){0});
    } else {
        fl_stream_wants(visit->stream, WANTS_BYTES);
    }
}

static void on_changed(void *ctx)
{
    struct visit *visit = ctx;

    fl_after_put(&visit->work);
}

static size_t put_status(struct visit *visit, const struct fl_visit_status *status, uint8_t *at,
                         size_t bytes_max)
{
    struct fl_buf out;
    size_t len = 0;

    fl_buf_init(&out, bytes_max);
    if (fl_visit_put_status(&out, status)) {
        memcpy(at, out.at, out.len);
        len = out.len;
        visit->is_over = true;
        fl_after_put(&visit->work);
    }
    fl_buf_fini(&out);
    return len;
}

/* One record; 0: nothing, or it does not fit. */
static size_t pull_record(struct visit *visit, uint8_t *at, size_t bytes_max)
{
    size_t room = bytes_max - FL_VISIT_HEADER_BYTES;
    struct runtime_visit_read read;

    if (room > FL_VISIT_BYTES_MAX) room = FL_VISIT_BYTES_MAX;
    read = visit->runtime.ops->read(visit->runtime.self, at + FL_VISIT_HEADER_BYTES, room);
    switch (read.word) {
    case RUNTIME_VISIT_NOTHING:
        break;
    case RUNTIME_VISIT_BYTES:
        fl_visit_header(read.channel, read.len, at);
        return FL_VISIT_HEADER_BYTES + read.len;
    case RUNTIME_VISIT_CLOSED:
        fl_visit_header(FL_VISIT_CLOSE, 1, at);
        at[FL_VISIT_HEADER_BYTES] = (uint8_t)read.channel;
        return FL_VISIT_HEADER_BYTES + 1;
    case RUNTIME_VISIT_OVER:
        return put_status(visit, &read.status, at, bytes_max);
    }
    return 0;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* The longest STATUS fits; a frame with less room waits for more credit. */
enum { PULL_BYTES_MIN = 2048 };

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct visit *visit = stream->state;

    (void)ctx;
    if (visit->is_over || bytes_max < PULL_BYTES_MIN) return 0;
    if (visit->runtime.ops) return pull_record(visit, at, bytes_max);
    if (visit->refusal.len == 0) return 0;
    memcpy(at, visit->refusal.at, visit->refusal.len);
    visit->is_over = true;
    fl_after_put(&visit->work);
    return visit->refusal.len;
}

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct visit *visit = fl_new(struct visit);

    (void)err;
    visit->visits = ctx;
    visit->stream = stream;
    visit->reader = fl_new(struct fl_visit_reader);
    fl_buf_init(&visit->input, INPUT_BYTES_MAX);
    fl_buf_init(&visit->refusal, PULL_BYTES_MIN);
    fl_after_init(&visit->work, visit->visits->loop, on_work, visit);
    fl_timer_init(&visit->again, visit->visits->loop, on_again, visit);
    visit->again_ms = AGAIN_MS_MIN;
    stream->state = visit;
    return true;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct visit *visit = stream->state;

    (void)ctx;
    (void)code;
    (void)text;
    fl_after_off(&visit->work);
    fl_timer_off(&visit->again);
    if (visit->runtime.ops) visit->runtime.ops->destroy(visit->runtime.self);
    fl_buf_fini(&visit->input);
    fl_buf_fini(&visit->refusal);
    fl_free(visit->reader);
    fl_free(visit);
}

static void refuse(struct visit *visit, const struct fl_err *err)
{
    struct fl_visit_status status = {.code = err->code, .text = fl_str_c(err->text)};

    visit->runtime = (struct runtime_visit){0};
    if (!fl_visit_put_status(&visit->refusal, &status)) fl_buf_clear(&visit->refusal);
    fl_after_put(&visit->work);
}

static bool begin(struct visit *visit, struct fl_str bytes, struct fl_err *err)
{
    const struct runtime *runtime = &visit->visits->runtime;
    struct runtime_visit_port port = {visit, on_changed};
    struct fl_str words[FL_VISIT_WORDS_MAX];
    struct fl_visit_open open;
    struct fl_err why = {0};

    if (!fl_visit_read_open(bytes, words, &open, err)) return false;
    if ((open.port != 0) != (visit->stream->kind->type == FL_FRAME_FORWARD)) {
        return fl_fail(err, FL_INVALID, "a port is for FORWARD alone");
    }
    visit->has_tty = open.has_tty && !open.port;
    if (!runtime->ops->visit) {
        fl_fail(&why, FL_UNSUPPORTED, "the runtime of this cluster, '%s', has no visits",
                runtime->ops->name);
        refuse(visit, &why);
    } else if (!runtime->ops->visit(runtime->self, &open, &port, &visit->runtime, &why)) {
        refuse(visit, &why);
    }
    return true;
}

static bool is_begun(const struct visit *visit)
{
    return visit->runtime.ops || visit->refusal.len > 0;
}

static bool take_record(void *ctx, const struct fl_visit_record *record, struct fl_err *err)
{
    struct visit *visit = ctx;
    struct fl_visit_size size;

    if ((record->channel == FL_VISIT_OPEN) == is_begun(visit)) {
        return fl_fail(err, FL_INVALID, "the first record, and no other, is OPEN");
    }
    switch (record->channel) {
    case FL_VISIT_OPEN:
        return begin(visit, record->bytes, err);
    case FL_VISIT_STDIN:
        return take_input(visit, record->bytes, err);
    case FL_VISIT_RESIZE:
        if (!fl_visit_read_size(record->bytes, &size, err)) return false;
        if (visit->runtime.ops) visit->runtime.ops->resize(visit->runtime.self, size);
        return true;
    case FL_VISIT_CLOSE:
        if (record->bytes.len != 1 || record->bytes.at[0] != FL_VISIT_STDIN) {
            return fl_fail(err, FL_INVALID, "a hub closes channel 0 and no other");
        }
        visit->is_input_ended = true;
        return true;
    case FL_VISIT_STDOUT:
    case FL_VISIT_STDERR:
    case FL_VISIT_STATUS:
        break;
    }
    return fl_fail(err, FL_INVALID, "channel %d comes from an agent only", (int)record->channel);
}

/* False: a rule is broken. */
/* A broken rule costs its own visit, not the tunnel: others are in there. */
static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct visit *visit = stream->state;

    (void)ctx;
    visit->held += bytes.len;
    if (fl_visit_each(visit->reader, bytes, take_record, visit, err)) {
        fl_after_put(&visit->work);
    } else {
        fl_stream_close(stream, err->code, fl_str_c(err->text));
    }
    return true;
}

static struct fl_stream_kind kind(struct visit_streams *visits, enum fl_frame_type type)
{
    return (struct fl_stream_kind){
        .type = type,
        .streams_max = VISIT_STREAMS_MAX,
        .holds_tunnel = true,
        .ctx = visits,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}

struct fl_stream_kind visit_streams_exec(struct visit_streams *visits)
{
    return kind(visits, FL_FRAME_EXEC);
}

struct fl_stream_kind visit_streams_forward(struct visit_streams *visits)
{
    return kind(visits, FL_FRAME_FORWARD);
}

struct visit_streams *visit_streams_create(struct fl_loop *loop, struct runtime runtime)
{
    struct visit_streams *visits = fl_new(struct visit_streams);

    visits->loop = loop;
    visits->runtime = runtime;
    return visits;
}

void visit_streams_destroy(struct visit_streams *visits)
{
    fl_free(visits);
}
