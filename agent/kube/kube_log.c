#include "agent/kube/kube_log.h"

#include <stdio.h>

#include "agent/kube/kube_log_cursor.h"
#include "agent/kube/kube_retry.h"
#include "agent/kube/log_spool.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/hash.h"
#include "shared/base/prng.h"
#include "shared/io/loop.h"

enum {
    SLACK_MS = 10000, /* the client's own limits come so much later */
    LATE_MS = 1000,   /* a line that comes so late was waiting in a file or a buffer */
    AGAIN_MS = 100,   /* between two answers that both ended well */
    FAILURES_MAX = 7, /* longer waits than then are not needed */
    EMPTY_MAX = 3,
};

enum log_state { LOG_RESTING, LOG_READING, LOG_ENDED };

struct kube_log {
    struct kube_client *client;
    struct log_spool *spool;
    struct kube_log_port port;
    struct fl_arena strings;
    struct fl_str namespace, pod, container;
    fl_ms quiet_ms, quiet_ms_min;
    struct fl_prng prng;
    enum log_state state;
    struct fl_timer timer; /* resting: the next answer; reading: silence */
    struct kube_call *call;
    struct kube_log_reader reader;
    struct fl_buf record; /* bytes of lines for the next record */
    fl_ms record_time;
    unsigned failures; /* in a row */
    unsigned empties;  /* last answers in a row that ended well, without the last line */
    bool is_container_ended;
    bool is_last;   /* this answer was asked for after the container had ended */
    bool has_news;  /* this answer brought bytes that are new */
    bool is_paused; /* it had a pause, and no line came late since then */
    bool has_put;   /* something was put since the last commit */
    struct kube_log_counts counts;
};

static fl_ms wall(const struct kube_log *log)
{
    return fl_loop_wall(kube_client_loop(log->client));
}

/* ---- the port -------------------------------------------------------------------------------- */

static void tell_failure(struct kube_log *log, const struct kube_failure *failure)
{
    if (log->port.problem) log->port.problem(log->port.ctx, failure);
}

static void tell_problem(struct kube_log *log, const struct fl_err *err)
{
    tell_failure(log, &(struct kube_failure){.err = *err, .retry_after_ms = -1});
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_record(struct kube_log *log)
{
    if (log->record.len == 0) return;
    log_spool_put(log->spool, log->record_time,
                  (struct fl_str){(const char *)log->record.at, log->record.len});
    fl_buf_clear(&log->record);
    log->has_put = true;
}

static void put_bytes(struct kube_log *log, fl_ms time, struct fl_str bytes)
{
    while (bytes.len > 0) {
        size_t len = FL_LOG_RECORD_DATA_MAX - log->record.len;
        bool is_put;

        if (len > bytes.len) len = bytes.len;
        if (log->record.len == 0) log->record_time = time;
        is_put = fl_buf_put(&log->record, bytes.at, len);
        fl_assert(is_put);
        bytes.at += len;
        bytes.len -= len;
        if (log->record.len == FL_LOG_RECORD_DATA_MAX) put_record(log);
    }
}

static void put_gap(struct kube_log *log, fl_ms time)
{
    put_record(log);
    log_spool_put_gap(log->spool, time, FL_LOG_GAP_unknown, 1);
    log->has_put = true;
    log->counts.gaps++;
}

/* Durable for the next process, then visible. */
static void commit(struct kube_log *log)
{
    uint8_t mark[KUBE_LOG_CURSOR_BYTES];
    struct fl_err err = {0};

    put_record(log);
    if (!log->has_put) return;
    log->has_put = false;
    kube_log_cursor_encode(&log->reader.cursor, mark);
    if (!log_spool_commit(log->spool, (struct fl_str){(const char *)mark, sizeof mark}, &err)) {
        tell_problem(log, &err);
    }
    log->port.output(log->port.ctx);
}

static void take(struct kube_log *log, struct fl_str bytes)
{
    struct kube_log_piece piece;

    while (kube_log_reader_next(&log->reader, &bytes, wall(log), &piece)) {
        log->has_news = true;
        if (wall(log) - piece.time >= LATE_MS) log->is_paused = false;
        if (piece.kind == KUBE_LOG_GAP) {
            put_gap(log, piece.time);
        } else {
            put_bytes(log, piece.time, piece.bytes);
        }
    }
    if (kube_log_reader_is_doubtful(&log->reader)) log->has_news = true; /* there is more */
    commit(log);
}

static void settle(struct kube_log *log)
{
    kube_log_reader_settle(&log->reader);
    take(log, (struct fl_str){0});
}

/* ---- states ---------------------------------------------------------------------------------- */

static void drop_call(struct kube_log *log)
{
    kube_call_destroy(log->call);
    log->call = NULL;
}

static void rest(struct kube_log *log, fl_ms wait)
{
    drop_call(log);
    log->state = LOG_RESTING;
    fl_timer_in(&log->timer, wait);
}

static void end(struct kube_log *log)
{
    drop_call(log);
    fl_timer_off(&log->timer);
    log->state = LOG_ENDED;
    log_spool_end(log->spool, wall(log));
    log->has_put = true;
    commit(log);
}

static void rest_after_failure(struct kube_log *log, fl_ms named_ms)
{
    fl_ms wait = kube_retry_backoff(log->failures, &log->prng);

    log->counts.failures++;
    if (log->failures < FAILURES_MAX) log->failures++;
    rest(log, named_ms > wait && named_ms <= KUBE_RETRY_WAIT_MS_MAX ? named_ms : wait);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Silence is counted from here. */
static void wait_for_bytes(struct kube_log *log)
{
    fl_timer_in(&log->timer, log->is_paused ? log->quiet_ms : KUBE_LOG_ORDER_MS);
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct kube_log *log = ctx;

    take(log, bytes);
    if (log->has_news) {
        log->failures = 0;
        log->quiet_ms = log->quiet_ms_min;
    }
    if (kube_log_reader_is_doubtful(&log->reader)) {
        log->counts.pauses++;
        rest(log, 0);
    } else {
        wait_for_bytes(log);
    }
}

/* The kubelet says in the log itself why it has none, and ends the answer as if all were well. */
static bool has_complained(const struct kube_log *log)
{
    return log->reader.complaint_len > 0 && (log->reader.is_searching || !log->has_news);
}

/* An answer ended well, and should not have: it had not come to the last line.  If the container
 * has
 * ended, and it happens again and again, then the log was rotated behind its last line. */
static void end_of_nothing(struct kube_log *log)
{
    if (log->is_last && ++log->empties >= EMPTY_MAX) {
        kube_log_give_up(log);
    } else {
        rest_after_failure(log, -1);
    }
}

static void on_done(void *ctx, const struct kube_failure *failure)
{
    struct kube_log *log = ctx;
    struct fl_err err;

    if (!failure) settle(log); /* behind a cut, more might have come */
    if (failure) {
        log->empties = 0;
        tell_failure(log, failure);
        rest_after_failure(log, failure->retry_after_ms);
    } else if (has_complained(log)) {
        fl_fail(&err, FL_UNAVAILABLE, "the kubelet says: %s", log->reader.complaint);
        tell_problem(log, &err);
        rest_after_failure(log, -1);
    } else if (log->is_last && !log->has_news && !log->reader.is_searching) {
        end(log);
    } else if (log->is_last && log->has_news) {
        rest(log, 0); /* once more, to see that this was all */
    } else if (log->has_news) {
        rest(log, AGAIN_MS);
    } else {
        end_of_nothing(log);
    }
}

static void on_silence(struct kube_log *log)
{
    if (!log->is_paused) {
        settle(log);
        log->is_paused = true;
        if (log->has_news) {
            log->counts.pauses++;
            rest(log, 0);
        } else {
            wait_for_bytes(log);
        }
        return;
    }
    log->counts.quiets++;
    log->quiet_ms =
        log->quiet_ms * 2 < KUBE_LOG_QUIET_MS_MAX ? log->quiet_ms * 2 : KUBE_LOG_QUIET_MS_MAX;
    rest(log, fl_prng_between(&log->prng, 0, AGAIN_MS));
}

static void ask(struct kube_log *log)
{
    struct fl_arena arena = {0};
    char since[FL_TIME_TEXT_MAX];
    struct kube_request request = {
        .method = "GET",
        .is_stream = true,
        .is_once = true,
        /* The head of the answer comes with its first byte. */
        .head_ms = log->quiet_ms + SLACK_MS,
        .idle_ms = log->quiet_ms + SLACK_MS,
        .body_bytes_max = UINT64_MAX,
    };

    kube_log_cursor_since(&log->reader.cursor, since);
    request.path =
        fl_arena_printf(&arena,
                        "/api/v1/namespaces/" FL_STR_FMT "/pods/" FL_STR_FMT
                        "/log?container=" FL_STR_FMT "&follow=true&timestamps=true%s%s",
                        FL_STR_ARG(log->namespace), FL_STR_ARG(log->pod),
                        FL_STR_ARG(log->container), since[0] ? "&sinceTime=" : "", since);
    log->state = LOG_READING;
    log->counts.answers++;
    log->is_last = log->is_container_ended;
    log->has_news = log->is_paused = false;
    kube_log_reader_begin(&log->reader, wall(log));
    log->call = kube_call_start(log->client, &request, &(struct kube_port){log, on_body, on_done});
    wait_for_bytes(log);
    fl_arena_fini(&arena);
}

static void on_time(void *ctx)
{
    struct kube_log *log = ctx;

    if (log->state == LOG_RESTING) {
        ask(log);
    } else {
        on_silence(log);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t pod_number(const struct kube_log_config *config)
{
    uint64_t hash = fl_hash64(0, config->uid.at, config->uid.len);

    return fl_hash64(hash, config->container.at, config->container.len);
}

/* Goes on where the spool's mark says. */
static void init_reader(struct kube_log *log, const struct kube_log_config *config)
{
    struct kube_log_cursor cursor = {0},
                           fresh = {.started_at = config->started_at, .pod = pod_number(config)};
    bool is_known = kube_log_cursor_decode(log_spool_mark(log->spool), &cursor);

    if (is_known && cursor.pod == fresh.pod) {
        kube_log_reader_init(&log->reader, &cursor);
        return;
    }
    kube_log_reader_init(&log->reader, &fresh);
    /* Another pod, or a mark of another version. */
    if (log_spool_bytes(log->spool) > 0 && log->state != LOG_ENDED) put_gap(log, wall(log));
}

struct kube_log *kube_log_open(struct kube_client *client, struct log_spool *spool,
                               const struct kube_log_config *config,
                               const struct kube_log_port *port)
{
    struct kube_log *log = fl_new(struct kube_log);

    log->client = client;
    log->spool = spool;
    log->port = *port;
    log->namespace = fl_arena_str(&log->strings, config->namespace);
    log->pod = fl_arena_str(&log->strings, config->pod);
    log->container = fl_arena_str(&log->strings, config->container);
    log->quiet_ms = log->quiet_ms_min = config->quiet_ms > 0 ? config->quiet_ms : KUBE_LOG_QUIET_MS;
    fl_prng_seed(&log->prng, config->seed);
    fl_buf_init(&log->record, FL_LOG_RECORD_DATA_MAX);
    fl_timer_init(&log->timer, kube_client_loop(client), on_time, log);
    log->state = log_spool_is_ended(spool) ? LOG_ENDED : LOG_RESTING;
    init_reader(log, config);
    if (log->state == LOG_RESTING) fl_timer_in(&log->timer, 0);
    return log;
}

void kube_log_close(struct kube_log *log)
{
    if (!log) return;
    drop_call(log);
    fl_timer_off(&log->timer);
    kube_log_reader_fini(&log->reader);
    fl_buf_fini(&log->record);
    fl_arena_fini(&log->strings);
    fl_free(log);
}

void kube_log_container_ended(struct kube_log *log)
{
    if (log->is_container_ended || log->state == LOG_ENDED) return;
    log->is_container_ended = true;
    /* The answer under way ends by itself; if it does not, the next one is asked for soon. */
    if (log->state == LOG_RESTING) fl_timer_in(&log->timer, 0);
    log->quiet_ms = log->quiet_ms_min;
    if (log->state == LOG_READING) wait_for_bytes(log);
}

void kube_log_give_up(struct kube_log *log)
{
    if (log->state == LOG_ENDED) return;
    put_gap(log, wall(log));
    end(log);
}

bool kube_log_is_ended(const struct kube_log *log)
{
    return log->state == LOG_ENDED;
}

struct kube_log_counts kube_log_counts(const struct kube_log *log)
{
    return log->counts;
}
