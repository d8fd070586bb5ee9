#include "controlplane/logs/log_front.h"

#include <stdatomic.h>
#include <time.h>

#include "controlplane/logs/log_requests.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/logs/owner_lookups.h"
#include "controlplane/logs/reader.h"
#include "controlplane/logs/store_threads.h"
#include "controlplane/logs/stray_sources.h"
#include "controlplane/logs/worker.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/mailbox.h"
#include "shared/spec/job_spec.h" /* FL_JOB_REPLICAS_MAX */
#include "shared/wire/frame.h"
#include "shared/wire/log_message.h"

#define RETRY_MS ((fl_ms)2) /* how soon to try a full inbox again */
#define LOOKUPS_MAX ((size_t)1 << 18)
#define SESSION_LOOKUPS_MAX 1024 /* one tunnel's; its other sources wait here */
#define STRAYS_MAX ((size_t)1 << 18)
/* One tunnel's.  The agent keeps a place for each, and the other half of its places is for output
 * that flows. */
#define SESSION_STRAYS_MAX (FL_LOG_SOURCES_MAX / 2)
#define TURN_STRAYS_MAX 1024 /* asked for again in one turn */

/* One tunnel with a LOG stream. */
struct session {
    uint64_t connection;
    struct fl_cluster cluster;
    bool is_broken; /* its later records are dropped */
    FL_VEC(uint32_t) sources;
    size_t lookups_len; /* how many look-ups are out */
    size_t strays_len;  /* sources of strays that wait, or are asked for again */
    bool is_stray_told;
    /* Sources whose look-up waits until others are answered, in order; those before opens_pos are
     * done.  At most FL_LOG_SOURCES_MAX wait. */
    FL_VEC(struct log_owner_lookup) opens;
    size_t opens_pos;
};

/* A PAUSE or REFUSE for the end of the turn, since a call about its source may be under way. */
struct verdict {
    uint64_t connection;
    uint32_t source;
    enum fl_log_message_kind kind;
    enum fl_code code;
};

/* A request that the inbox had no room for. */
struct held {
    struct log_request *request;
    uint32_t credit; /* returns to the stream once the inbox has the request */
};

/* The held requests of one cluster, in order; those before 'pos' are done. */
struct held_lane {
    FL_VEC(struct held) held;
    size_t pos;
};

struct log_front {
    struct log_store *store;
    struct log_worker *worker;
    struct log_reader *reader;
    struct log_front_ports ports;
    struct fl_loop *loop;
    struct fl_mailbox *mailbox;
    struct log_answer_box *box;
    FL_VEC(struct session *) sessions;
    struct fl_map by_connection;
    FL_VEC(struct held_lane *) lanes;
    struct fl_map lane_of; /* cluster -> place in lanes */
    struct fl_timer retry;
    struct log_owner_lookups lookups;
    size_t opens_len; /* in all sessions */
    size_t turn;      /* the session whose turn it is to ask */
    struct log_stray_sources strays;
    struct fl_timer ask_strays;
    FL_VEC(struct verdict) verdicts;
    struct fl_after tell_verdicts;
    struct fl_buf payload;
    size_t reads_len;
};

static void on_letter(void *ctx, struct fl_letter *letter);
static void retry(void *ctx);
static void ask_strays(void *ctx);
static void tell_verdicts(void *ctx);

struct log_front *log_front_create(struct log_store *store, struct fl_loop *loop,
                                   const struct log_front_ports *ports)
{
    struct log_front *front = fl_new(struct log_front);
    struct log_store_threads threads = log_store_threads(store);

    front->store = store;
    front->worker = threads.worker;
    front->reader = threads.reader;
    front->ports = *ports;
    front->loop = loop;
    front->mailbox = fl_mailbox_create(loop, threads.requests_max + 1, on_letter, front);
    front->box = fl_new(struct log_answer_box);
    front->box->mailbox = front->mailbox;
    front->box->letter.kind = LOG_LETTER_ANSWERS;
    fl_timer_init(&front->retry, loop, retry, front);
    fl_timer_init(&front->ask_strays, loop, ask_strays, front);
    fl_after_init(&front->tell_verdicts, loop, tell_verdicts, front);
    log_owner_lookups_init(&front->lookups, LOOKUPS_MAX);
    log_stray_sources_init(&front->strays, threads.stray_wait_ms, STRAYS_MAX);
    fl_buf_init(&front->payload, FL_FRAME_PAYLOAD_MAX);
    return front;
}

/* ---- to the worker --------------------------------------------------------------------------- */

static struct session *find(const struct log_front *front, uint64_t connection, size_t *ret_i)
{
    uint64_t i;

    if (!fl_map_find(&front->by_connection, &connection, sizeof(connection), &i)) return NULL;
    if (ret_i) *ret_i = (size_t)i;
    return front->sessions.at[i];
}

static void return_credit(struct log_front *front, uint64_t connection, uint32_t bytes)
{
    if (bytes > 0) front->ports.consumed(front->ports.ctx, connection, bytes);
}

static struct held_lane *lane_of(struct log_front *front, struct fl_cluster cluster)
{
    struct held_lane *lane;
    uint64_t i;

    if (fl_map_find(&front->lane_of, &cluster.n, sizeof(cluster.n), &i)) return front->lanes.at[i];
    lane = fl_new(struct held_lane);
    fl_map_put(&front->lane_of, &cluster.n, sizeof(cluster.n), front->lanes.len);
    fl_vec_push(&front->lanes, lane);
    return lane;
}

static void put(struct log_front *front, struct log_request *request, uint32_t credit)
{
    uint64_t connection = request->connection;
    struct held_lane *lane = lane_of(front, request->cluster);

    if (lane->held.len == 0 && log_worker_put(front->worker, request)) {
        return_credit(front, connection, credit);
        return;
    }
    fl_vec_push(&lane->held, (struct held){request, credit});
    if (!fl_timer_is_on(&front->retry)) fl_timer_in(&front->retry, RETRY_MS);
}

/* Puts what the cluster's lane of the inbox has room for.  True: nothing is held any more. */
static bool put_held(struct log_front *front, struct held_lane *lane)
{
    while (lane->pos < lane->held.len) {
        struct held held = lane->held.at[lane->pos];
        uint64_t connection = held.request->connection; /* log_worker_put takes the request */

        if (!log_worker_put(front->worker, held.request)) return false;
        lane->pos++;
        return_credit(front, connection, held.credit);
    }
    fl_vec_clear(&lane->held);
    lane->pos = 0;
    return true;
}

static void retry(void *ctx)
{
    struct log_front *front = ctx;
    bool is_done = true;

    for (size_t i = 0; i < front->lanes.len; i++) {
        is_done = put_held(front, front->lanes.at[i]) && is_done;
    }
    if (!is_done) fl_timer_in(&front->retry, RETRY_MS);
}

static struct log_request *request_of(const struct log_front *front, const struct session *session,
                                      enum log_request_kind kind, uint32_t number)
{
    struct log_request *request = fl_new(struct log_request);

    request->kind = kind;
    request->box = front->box;
    request->connection = session->connection;
    request->cluster = session->cluster;
    request->number = number;
    return request;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static struct session *add_session(struct log_front *front, uint64_t connection,
                                   struct fl_cluster cluster)
{
    struct session *session = fl_new(struct session);

    session->connection = connection;
    session->cluster = cluster;
    fl_map_put(&front->by_connection, &connection, sizeof(connection), front->sessions.len);
    fl_vec_push(&front->sessions, session);
    return session;
}

static void drop_opens(struct log_front *front, struct session *session)
{
    front->opens_len -= session->opens.len - session->opens_pos;
    fl_vec_clear(&session->opens);
    session->opens_pos = 0;
}

void log_front_closed(struct log_front *front, uint64_t connection)
{
    size_t i = 0;
    struct session *session = find(front, connection, &i);
    struct session *last;

    if (!session) return;
    for (size_t k = 0; k < session->sources.len; k++) {
        uint32_t source = session->sources.at[k];

        if (log_owner_lookups_drop(&front->lookups, connection, source)) continue;
        if (log_stray_sources_drop(&front->strays, connection, source)) continue;
        put(front, request_of(front, session, LOG_REQUEST_CLOSE, source), 0);
    }
    fl_map_remove(&front->by_connection, &connection, sizeof(connection));
    last = fl_vec_pop(&front->sessions);
    if (last != session) {
        front->sessions.at[i] = last;
        fl_map_put(&front->by_connection, &last->connection, sizeof(uint64_t), i);
    }
    drop_opens(front, session);
    fl_vec_fini(&session->opens);
    fl_vec_fini(&session->sources);
    fl_free(session);
}

static void forget_source(struct session *session, uint32_t number)
{
    for (size_t i = 0; i < session->sources.len; i++) {
        if (session->sources.at[i] != number) continue;
        session->sources.at[i] = fl_vec_pop(&session->sources);
        return;
    }
}

static void break_session(struct log_front *front, struct session *session,
                          const struct fl_err *err)
{
    if (session->is_broken) return;
    session->is_broken = true;
    drop_opens(front, session);
    front->ports.broken(front->ports.ctx, session->connection, err);
}

/* ---- owners of sources ----------------------------------------------------------------------- */

static void tell_verdicts(void *ctx)
{
    struct log_front *front = ctx;

    for (size_t i = 0; i < front->verdicts.len; i++) {
        const struct verdict *verdict = &front->verdicts.at[i];
        struct fl_log_message message = {
            .kind = verdict->kind, .source = verdict->source, .code = (uint16_t)verdict->code};

        fl_buf_clear(&front->payload);
        if (!fl_log_message_put(&front->payload, &message)) fl_unreachable("it is empty");
        front->ports.send(front->ports.ctx, verdict->connection,
                          (struct fl_str){(const char *)front->payload.at, front->payload.len});
    }
    fl_buf_clear(&front->payload);
    fl_vec_clear(&front->verdicts);
}

static void put_verdict(struct log_front *front, const struct log_owner_lookup *lookup,
                        enum fl_log_message_kind kind, enum fl_code code)
{
    fl_vec_push(&front->verdicts, (struct verdict){lookup->connection, lookup->source, kind, code});
    fl_after_put(&front->tell_verdicts);
}

/* Refuses a source that another cluster owns, or no cluster, and logs it. */
static void deny(struct log_front *front, struct session *session,
                 const struct log_owner_lookup *lookup, struct fl_cluster owner)
{
    fl_log(FL_LOG_WARN, "logs", "output_refused", FL_LOG_N("cluster", session->cluster.n),
           FL_LOG_N("owner", owner.n), FL_LOG_N("job", lookup->attempt.job.n),
           FL_LOG_N("element", lookup->attempt.element), FL_LOG_N("attempt", lookup->attempt.n),
           FL_LOG_N("incarnation", lookup->attempt.incarnation),
           FL_LOG_N("replica", lookup->replica));
    forget_source(session, lookup->source);
    put_verdict(front, lookup, FL_LOG_refuse, FL_DENIED);
}

static void log_stray(struct session *session, const struct log_owner_lookup *lookup)
{
    if (session->is_stray_told) return;
    session->is_stray_told = true;
    fl_log(FL_LOG_WARN, "logs", "output_waits", FL_LOG_N("cluster", session->cluster.n),
           FL_LOG_N("job", lookup->attempt.job.n), FL_LOG_N("element", lookup->attempt.element),
           FL_LOG_N("attempt", lookup->attempt.n),
           FL_LOG_N("incarnation", lookup->attempt.incarnation));
}

static void plan_strays(struct log_front *front)
{
    fl_ms due;

    if (!log_stray_sources_due(&front->strays, &due)) return;
    if (!fl_timer_is_on(&front->ask_strays)) fl_timer_at(&front->ask_strays, due);
}

/* The database may be an old one, and a newer backup may follow, so the output of a stray stays
 * with its agent for as long as the stray itself.  False: it is to be refused. */
static bool keep_stray(struct log_front *front, struct session *session,
                       const struct log_owner_lookup *lookup, const struct log_owner *owner)
{
    struct log_owner_lookup stray = *lookup;
    struct fl_err err = {0};

    if (lookup->has_waited && !owner->is_disputed) return false;
    if (session->strays_len >= SESSION_STRAYS_MAX) return false;
    stray.has_waited = true;
    if (!log_stray_sources_add(&front->strays, &stray, fl_loop_now(front->loop), &err)) {
        return false;
    }
    session->strays_len++;
    if (!lookup->has_waited) put_verdict(front, lookup, FL_LOG_pause, FL_ABSENT);
    log_stray(session, lookup);
    plan_strays(front);
    return true;
}

static void answered(struct log_front *front, uint64_t ticket, const struct log_owner *owner)
{
    struct log_owner_lookup lookup = {0};
    bool is_wanted = log_owner_lookups_take(&front->lookups, ticket, &lookup);
    struct session *session = find(front, lookup.connection, NULL);
    struct log_request *request;

    if (session) session->lookups_len--;
    if (session && lookup.has_waited) session->strays_len--;
    if (!is_wanted) return;
    fl_assert(session); /* a session's end drops its look-ups */
    if (session->is_broken) {
        forget_source(session, lookup.source); /* the worker does not know it */
        return;
    }
    if (owner->cluster.n == 0 && keep_stray(front, session, &lookup, owner)) return;
    if (owner->cluster.n == 0 || owner->cluster.n != session->cluster.n) {
        deny(front, session, &lookup, owner->cluster);
        return;
    }
    request = request_of(front, session, LOG_REQUEST_OPEN, lookup.source);
    request->key = (struct log_key){lookup.attempt, lookup.replica, owner->tenant};
    put(front, request, 0);
}

static bool may_ask(const struct log_front *front, const struct session *session)
{
    return session->lookups_len < SESSION_LOOKUPS_MAX &&
           !log_owner_lookups_is_full(&front->lookups);
}

static bool ask(struct log_front *front, struct session *session,
                const struct log_owner_lookup *lookup, struct fl_err *err)
{
    struct log_owner owner;
    uint64_t ticket = 0;

    if (log_stray_sources_has(&front->strays, lookup->connection, lookup->source)) {
        return fl_fail(err, FL_EXISTS, "log source %u is opened twice", lookup->source);
    }
    if (!log_owner_lookups_add(&front->lookups, lookup, &ticket, err)) return false;
    session->lookups_len++;
    if (front->ports.owner(front->ports.ctx, ticket, lookup->attempt, &owner)) {
        answered(front, ticket, &owner);
    }
    return true;
}

/* Asks for sources that wait: one of each session in turn. */
static void ask_waiting(struct log_front *front)
{
    for (size_t idle = 0; front->opens_len > 0 && idle < front->sessions.len; front->turn++) {
        struct session *session = front->sessions.at[front->turn % front->sessions.len];
        struct fl_err err = {0};

        if (session->opens_pos == session->opens.len || !may_ask(front, session)) {
            idle++;
            continue;
        }
        idle = 0;
        front->opens_len--;
        session->opens_pos++;
        if (!ask(front, session, &session->opens.at[session->opens_pos - 1], &err)) {
            break_session(front, session, &err);
        } else if (session->opens_pos == session->opens.len) {
            drop_opens(front, session);
        }
    }
}

static void ask_strays(void *ctx)
{
    struct log_front *front = ctx;
    struct log_owner_lookup lookup;
    int turns = 0;

    while (turns++ < TURN_STRAYS_MAX &&
           log_stray_sources_take(&front->strays, fl_loop_now(front->loop), &lookup)) {
        struct session *session = find(front, lookup.connection, NULL);

        fl_assert(session); /* a session's end drops its strays */
        if (session->is_broken) {
            session->strays_len--;
            forget_source(session, lookup.source); /* the worker does not know it */
            continue;
        }
        fl_vec_push(&session->opens, lookup);
        front->opens_len++;
    }
    ask_waiting(front);
    plan_strays(front);
}

void log_front_owner(struct log_front *front, uint64_t ticket, const struct log_owner *owner)
{
    answered(front, ticket, owner);
    ask_waiting(front);
}

static bool open_source(struct log_front *front, struct session *session,
                        const struct fl_log_message *message, struct fl_err *err)
{
    struct log_owner_lookup lookup = {session->connection, message->source, message->attempt,
                                      message->replica};

    if (session->sources.len >= FL_LOG_SOURCES_MAX) {
        return fl_fail(err, FL_FULL, "more than %d log sources", FL_LOG_SOURCES_MAX);
    }
    if (message->replica >= FL_JOB_REPLICAS_MAX) { /* budget.h relies on this bound */
        return fl_fail(err, FL_INVALID, "output of replica %u: an attempt has at most %d",
                       message->replica, FL_JOB_REPLICAS_MAX);
    }
    fl_vec_push(&session->sources, message->source);
    if (session->opens.len == 0 && may_ask(front, session)) {
        return ask(front, session, &lookup, err);
    }
    fl_vec_push(&session->opens, lookup);
    front->opens_len++;
    return true;
}

/* Takes a source out of those whose look-up waits. */
static bool drop_open(struct log_front *front, struct session *session, uint32_t number)
{
    for (size_t i = session->opens_pos; i < session->opens.len; i++) {
        if (session->opens.at[i].source != number) continue;
        if (session->opens.at[i].has_waited) session->strays_len--;
        fl_vec_remove(&session->opens, i);
        front->opens_len--;
        return true;
    }
    return false;
}

/* Takes a source out of those of strays that wait. */
static bool drop_stray(struct log_front *front, struct session *session, uint32_t number)
{
    if (!log_stray_sources_drop(&front->strays, session->connection, number)) return false;
    session->strays_len--;
    return true;
}

/* Tells the worker to forget the source, unless its owner is not known yet. */
static void close_source(struct log_front *front, struct session *session, uint32_t number,
                         uint32_t credit)
{
    forget_source(session, number);
    if (drop_stray(front, session, number) || drop_open(front, session, number) ||
        log_owner_lookups_drop(&front->lookups, session->connection, number)) {
        return_credit(front, session->connection, credit);
    } else {
        put(front, request_of(front, session, LOG_REQUEST_CLOSE, number), credit);
    }
}

/* Acts on one message; 'credit' returns once the worker has it. */
static bool act(struct log_front *front, struct session *session,
                const struct fl_log_message *message, uint32_t credit, struct fl_err *err)
{
    struct log_request *request;
    struct log_run run;

    switch (message->kind) {
    case FL_LOG_open:
        return_credit(front, session->connection, credit);
        return open_source(front, session, message, err);
    case FL_LOG_records:
        request = request_of(front, session, LOG_REQUEST_APPEND, message->source);
        if (!log_run_sum(message->records, true, &run)) fl_unreachable("the message was checked");
        request->chunk = log_chunk_create(message->records, &run);
        put(front, request, credit);
        return true;
    case FL_LOG_end:
        request = request_of(front, session, LOG_REQUEST_END, message->source);
        request->offset = message->offset;
        request->chain = message->chain;
        put(front, request, credit);
        return true;
    case FL_LOG_close:
        close_source(front, session, message->source, credit);
        return true;
    case FL_LOG_cursor:
    case FL_LOG_ack:
    case FL_LOG_pause:
    case FL_LOG_resume:
    case FL_LOG_end_ack:
    case FL_LOG_refuse:
        break;
    }
    return fl_fail(err, FL_INVALID, "log message %s from an agent",
                   fl_log_message_name(message->kind));
}

void log_front_frame(struct log_front *front, uint64_t connection, struct fl_cluster cluster,
                     struct fl_str payload)
{
    struct session *session = find(front, connection, NULL);
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct fl_err err = {0};

    if (!session) session = add_session(front, connection, cluster);
    while (!session->is_broken && reader.pos < reader.len) {
        struct fl_log_message message;
        size_t pos = reader.pos;

        if (!fl_log_message_next(&reader, &message, &err) ||
            !act(front, session, &message, (uint32_t)(reader.pos - pos), &err)) {
            break_session(front, session, &err);
        }
    }
}

/* ---- from the worker ------------------------------------------------------------------------- */

static void flush(struct log_front *front, uint64_t connection)
{
    if (front->payload.len == 0) return;
    front->ports.send(front->ports.ctx, connection,
                      (struct fl_str){(const char *)front->payload.at, front->payload.len});
    fl_buf_clear(&front->payload);
}

static void deliver(struct log_front *front)
{
    const struct log_answer_list *out = &front->box->out;
    uint64_t connection = 0;

    fl_buf_clear(&front->payload);
    for (size_t i = 0; i < out->len; i++) {
        const struct log_answer *answer = &out->at[i];
        struct session *session = find(front, answer->connection, NULL);

        if (!session || session->is_broken) continue;
        if (answer->is_broken) {
            break_session(front, session, &answer->err);
            continue;
        }
        if (answer->connection != connection ||
            front->payload.len + fl_log_message_bytes(&answer->message) > FL_FRAME_PAYLOAD_MAX) {
            flush(front, connection);
        }
        connection = answer->connection;
        if (!fl_log_message_put(&front->payload, &answer->message)) {
            fl_unreachable("an empty payload takes any answer");
        }
        if (answer->message.kind == FL_LOG_end_ack || answer->message.kind == FL_LOG_refuse) {
            forget_source(session, answer->message.source);
        }
    }
    flush(front, connection);
    atomic_store(&front->box->is_out, false);
}

static void deliver_page(struct log_front *front, struct log_read *read)
{
    read->is_busy = false;
    if (!read->is_closed) {
        read->page_fn(read->ctx, read, &read->view.page);
        return;
    }
    log_reader_close(front->reader, read);
}

static void on_letter(void *ctx, struct fl_letter *letter)
{
    struct log_letter *found = (struct log_letter *)letter;

    switch (found->kind) {
    case LOG_LETTER_ANSWERS:
        deliver(ctx);
        break;
    case LOG_LETTER_PAGE:
        deliver_page(ctx, (struct log_read *)found);
        break;
    }
}

/* ---- reads ----------------------------------------------------------------------------------- */

struct log_read *log_read_open(struct log_front *front, const struct log_query *query,
                               log_read_page *page, void *ctx, struct fl_err *err)
{
    struct log_read *read = fl_new(struct log_read);

    read->letter.kind = LOG_LETTER_PAGE;
    read->front = front;
    read->mailbox = front->mailbox;
    read->page_fn = page;
    read->ctx = ctx;
    if (!log_view_init(&read->view, query, err)) {
        log_pattern_destroy(query->pattern);
        fl_free(read);
        return NULL;
    }
    if (!log_reader_add(front->reader, read, err)) {
        log_view_fini(&read->view);
        fl_free(read);
        return NULL;
    }
    front->reads_len++;
    log_read_more(read);
    return read;
}

void log_read_more(struct log_read *read)
{
    fl_assert(!read->is_busy && !read->is_closed);
    read->is_busy = true;
    log_reader_want(read->front->reader, read);
}

void log_read_set_lines_max(struct log_read *read, uint32_t lines_max)
{
    fl_assert(!read->is_busy && !read->is_closed);
    log_view_set_lines_max(&read->view, lines_max);
}

void log_read_settle(struct log_read *read, const struct log_attempts *attempts)
{
    log_reader_settle(read->front->reader, read, attempts);
}

void log_read_close(struct log_read *read)
{
    if (!read) return;
    fl_assert(!read->is_closed);
    read->is_closed = true;
    read->front->reads_len--;
    if (read->is_busy) {
        log_reader_hurry(read->front->reader, read); /* its letter will free it */
    } else {
        log_reader_close(read->front->reader, read);
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Takes letters until the worker has done the leave request and no read expects a page. */
void log_front_destroy(struct log_front *front)
{
    struct log_request *leave;

    if (!front) return;
    fl_assert(front->reads_len == 0);
    while (front->sessions.len > 0) {
        log_front_closed(front, front->sessions.at[0]->connection);
    }
    fl_timer_off(&front->retry);
    fl_timer_off(&front->ask_strays);
    fl_after_off(&front->tell_verdicts);
    for (size_t i = 0; i < front->lanes.len; i++) {
        struct held_lane *lane = front->lanes.at[i];

        for (; lane->pos < lane->held.len; lane->pos++) {
            while (!log_worker_put(front->worker, lane->held.at[lane->pos].request)) {
                nap();
            }
        }
        fl_vec_fini(&lane->held);
        fl_free(lane);
    }
    fl_vec_fini(&front->lanes);
    fl_map_fini(&front->lane_of);
    leave = fl_new(struct log_request);
    leave->kind = LOG_REQUEST_LEAVE;
    leave->box = front->box;
    while (!log_worker_put(front->worker, leave)) {
        nap();
    }
    while (!atomic_load(&front->box->has_left) || log_reader_owes(front->reader, front->mailbox)) {
        struct fl_letter *letter = fl_mailbox_take(front->mailbox);

        if (!letter) {
            nap();
        } else if (((struct log_letter *)letter)->kind == LOG_LETTER_PAGE) {
            deliver_page(front, (struct log_read *)letter);
        } else {
            atomic_store(&front->box->is_out, false);
        }
    }
    while (fl_mailbox_take(front->mailbox)) {
    }
    fl_mailbox_close(front->mailbox);
    fl_mailbox_destroy(front->mailbox);
    fl_vec_fini(&front->box->out);
    fl_free(front->box);
    fl_buf_fini(&front->payload);
    fl_vec_fini(&front->verdicts);
    log_owner_lookups_fini(&front->lookups);
    log_stray_sources_fini(&front->strays);
    fl_vec_fini(&front->sessions);
    fl_map_fini(&front->by_connection);
    fl_free(front);
}
