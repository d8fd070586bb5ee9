#include "agent/streams/log_pump.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

#define SLOT_BITS                                                                                  \
    14 /* low bits of a source's number on the wire; the rest counts the slot's uses */
#define NONE UINT32_MAX

_Static_assert(FL_LOG_SOURCES_MAX == 1 << SLOT_BITS, "a number holds any slot");

enum state {
    FREE,
    NEW,
    ASKED,
    FLOWING,
    ENDING, /* END is sent */
};

/* The room that a frame must have so that any source can be served. */
#define RECORDS_ROOM                                                                               \
    ((size_t)FL_LOG_RECORDS_HEADER_BYTES + FL_LOG_RECORD_BYTES_MAX + FL_LOG_GAP_BYTES)

struct source {
    struct fl_attempt attempt;
    uint32_t replica;
    enum state state;
    uint32_t use; /* grows each time the slot is taken, never 0 */
    bool is_queued, is_paused;
    bool has_output; /* the runtime may have more to read */
    bool is_ended;   /* all was read: END comes next */
    bool is_dropped; /* CLOSE comes next */
    uint64_t offset; /* the next byte to send */
    uint32_t chain;  /* over the records before 'offset' */
    uint32_t next;   /* in the queue, or the free list */
};

struct log_pump {
    struct log_pump_port port;
    FL_VEC(struct source) sources;
    struct fl_map by_key;
    uint32_t sources_max, sources_len;
    uint32_t free_head, queue_head, queue_tail, queue_len;
    uint32_t paused_len;
    bool is_open;
    uint64_t bytes_sent, rewinds;
};

struct log_pump *log_pump_create(const struct log_pump_port *port, uint32_t sources_max)
{
    struct log_pump *pump = fl_new(struct log_pump);

    fl_assert(sources_max > 0 && sources_max <= FL_LOG_SOURCES_MAX);
    pump->port = *port;
    pump->sources_max = sources_max;
    pump->free_head = pump->queue_head = pump->queue_tail = NONE;
    return pump;
}

void log_pump_destroy(struct log_pump *pump)
{
    if (!pump) return;
    fl_vec_fini(&pump->sources);
    fl_map_fini(&pump->by_key);
    fl_free(pump);
}

/* ---- the table and the queue ----------------------------------------------------------------- */

struct key {
    uint64_t job;
    uint32_t element, incarnation, replica, n;
};

static struct key key_of(struct fl_attempt attempt, uint32_t replica)
{
    return (struct key){attempt.job.n, attempt.element, attempt.incarnation, replica, attempt.n};
}

static struct source *find(const struct log_pump *pump, struct fl_attempt attempt, uint32_t replica)
{
    struct key key = key_of(attempt, replica);
    uint64_t slot;

    return fl_map_find(&pump->by_key, &key, sizeof(key), &slot) ? &pump->sources.at[slot] : NULL;
}

static uint32_t slot_of(const struct log_pump *pump, const struct source *source)
{
    return (uint32_t)(source - pump->sources.at);
}

static uint32_t number_of(const struct log_pump *pump, const struct source *source)
{
    return source->use << SLOT_BITS | slot_of(pump, source);
}

static struct source *by_number(const struct log_pump *pump, uint32_t number)
{
    uint32_t slot = number & (FL_LOG_SOURCES_MAX - 1);

    if (slot >= pump->sources.len) return NULL;
    return pump->sources.at[slot].use == number >> SLOT_BITS && pump->sources.at[slot].state != FREE
               ? &pump->sources.at[slot]
               : NULL;
}

static struct source *add(struct log_pump *pump, struct fl_attempt attempt, uint32_t replica)
{
    struct key key = key_of(attempt, replica);
    uint32_t slot = pump->free_head;
    struct source *source;
    uint32_t use;

    if (slot == NONE) {
        fl_assert(pump->sources.at || pump->sources.len == pump->sources.cap);
        slot = (uint32_t)pump->sources.len;
        fl_vec_push(&pump->sources, (struct source){0});
    } else {
        fl_assert(pump->sources.at); /* a free slot was used before */
        pump->free_head = pump->sources.at[slot].next;
    }
    source = &pump->sources.at[slot];
    use = (source->use + 1) & (UINT32_MAX >> SLOT_BITS);
    *source = (struct source){
        .attempt = attempt, .replica = replica, .state = NEW, .use = use ? use : 1, .next = NONE};
    fl_map_put(&pump->by_key, &key, sizeof(key), slot);
    pump->sources_len++;
    return source;
}

/* The source must not stand in the queue. */
static void remove_source(struct log_pump *pump, struct source *source)
{
    struct key key = key_of(source->attempt, source->replica);

    fl_assert(!source->is_queued);
    if (source->is_paused) pump->paused_len--;
    fl_map_remove(&pump->by_key, &key, sizeof(key));
    source->state = FREE;
    source->next = pump->free_head;
    pump->free_head = slot_of(pump, source);
    pump->sources_len--;
}

static bool has_work(const struct log_pump *pump, const struct source *source)
{
    if (!pump->is_open) return false;
    if (source->is_dropped) return true;
    switch (source->state) {
    case NEW:
        return true;
    case FLOWING:
        return !source->is_paused && (source->has_output || source->is_ended);
    case FREE:
    case ASKED:
    case ENDING:
        break;
    }
    return false;
}

static void enqueue(struct log_pump *pump, struct source *source)
{
    uint32_t slot = slot_of(pump, source);

    if (source->is_queued || !has_work(pump, source)) return;
    source->is_queued = true;
    source->next = NONE;
    if (pump->queue_tail == NONE) {
        pump->queue_head = slot;
    } else {
        pump->sources.at[pump->queue_tail].next = slot;
    }
    pump->queue_tail = slot;
    pump->queue_len++;
}

static struct source *dequeue(struct log_pump *pump)
{
    struct source *source = &pump->sources.at[pump->queue_head];

    fl_assert(source->is_queued);
    pump->queue_head = source->next;
    if (pump->queue_head == NONE) pump->queue_tail = NONE;
    pump->queue_len--;
    source->is_queued = false;
    source->next = NONE;
    return source;
}

static void set_paused(struct log_pump *pump, struct source *source, bool is_paused)
{
    if (source->is_paused == is_paused) return;
    source->is_paused = is_paused;
    pump->paused_len += is_paused ? 1 : -1u;
}

/* ---- events ---------------------------------------------------------------------------------- */

void log_pump_opened(struct log_pump *pump)
{
    if (pump->is_open) return;
    pump->is_open = true;
    for (size_t i = 0; i < pump->sources.len; i++) {
        if (pump->sources.at[i].state != FREE) enqueue(pump, &pump->sources.at[i]);
    }
}

void log_pump_closed(struct log_pump *pump)
{
    if (!pump->is_open) return;
    pump->is_open = false;
    pump->queue_head = pump->queue_tail = NONE;
    pump->queue_len = 0;
    for (size_t i = 0; i < pump->sources.len; i++) {
        struct source *source = &pump->sources.at[i];

        if (source->state == FREE) continue;
        source->is_queued = false;
        if (source->is_dropped) {
            remove_source(pump, source); /* there is no session to send CLOSE to */
            continue;
        }
        set_paused(pump, source, false);
        source->state = NEW;
        source->has_output = true; /* bytes that were sent may not have arrived */
        source->is_ended = false;
    }
}

bool log_pump_notice(struct log_pump *pump, struct fl_attempt attempt, uint32_t replica,
                     struct fl_err *err)
{
    struct source *source = find(pump, attempt, replica);

    if (!source) {
        if (pump->sources_len == pump->sources_max) {
            return fl_fail(err, FL_FULL, "all %u log sources are in use", pump->sources_max);
        }
        source = add(pump, attempt, replica);
    }
    source->has_output = true;
    enqueue(pump, source);
    return true;
}

void log_pump_drop(struct log_pump *pump, struct fl_attempt attempt, uint32_t replica)
{
    struct source *source = find(pump, attempt, replica);

    if (!source) return;
    source->is_dropped = true;
    if (source->is_queued) return;
    if (pump->is_open && source->state != NEW) {
        enqueue(pump, source);
    } else {
        remove_source(pump, source);
    }
}

/* The hub wants the records from 'offset' on. */
static void set_back(struct log_pump *pump, struct source *source, uint64_t offset, uint32_t chain)
{
    if (source->state != ASKED && source->offset != offset) pump->rewinds++;
    source->state = FLOWING;
    source->offset = offset;
    source->chain = chain;
    source->has_output = true;
    source->is_ended = false;
    set_paused(pump, source, false);
    enqueue(pump, source);
}

static void finish(struct log_pump *pump, struct source *source)
{
    struct fl_attempt attempt = source->attempt;
    uint32_t replica = source->replica;

    if (source->is_queued) {
        source->is_dropped = true; /* its turn in the queue removes it */
    } else {
        remove_source(pump, source);
    }
    pump->port.taken(pump->port.ctx, attempt, replica);
}

bool log_pump_take(struct log_pump *pump, struct fl_str payload, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(payload.at, payload.len);

    while (reader.pos < reader.len) {
        struct fl_log_message message;
        struct source *source;

        if (!fl_log_message_next(&reader, &message, err)) return false;
        source = by_number(pump, message.source);
        switch (message.kind) {
        case FL_LOG_cursor:
        case FL_LOG_resume:
            if (source && source->state != NEW && !source->is_dropped) {
                set_back(pump, source, message.offset, message.chain);
            }
            break;
        case FL_LOG_pause:
            if (source && source->state != NEW) set_paused(pump, source, true);
            break;
        /* it may answer an END of an earlier session, which became durable meanwhile */
        case FL_LOG_end_ack:
        case FL_LOG_refuse:
            if (source && source->state != NEW) finish(pump, source);
            break;
        case FL_LOG_ack: /* needs no action: the runtime keeps the bytes until END_ACK */
            break;
        case FL_LOG_open:
        case FL_LOG_records:
        case FL_LOG_end:
        case FL_LOG_close:
            return fl_fail(err, FL_INVALID, "log message %s from the hub",
                           fl_log_message_name(message.kind));
        }
    }
    return true;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* True: it put records, or the source has none.  False: it needs more room. */
static bool send_records(struct log_pump *pump, struct source *source, struct fl_buf *out)
{
    size_t room = out->max - out->len;
    size_t at;
    size_t begin;
    uint64_t offset;
    uint64_t end;
    bool is_more = false;
    bool is_ended = false;
    struct fl_err err = {0};

    if (room < RECORDS_ROOM) return false;
    if (!fl_log_records_begin(out, number_of(pump, source), &at)) return false;
    begin = out->len;
    if (!pump->port.read(pump->port.ctx, source->attempt, source->replica, source->offset,
                         LOG_PUMP_TURN_BYTES, out, &is_more, &is_ended, &err)) {
        fl_buf_truncate(out, at);
        source->has_output = false;
        source->is_dropped = err.code == FL_ABSENT;
        return true;
    }
    source->has_output = is_more;
    source->is_ended = is_ended && !is_more;
    if (out->len == begin) {
        fl_buf_truncate(out, at);
        return true;
    }
    fl_log_records_end(out, at);
    fl_assert(fl_log_records_sum((struct fl_str){(const char *)out->at + begin, out->len - begin},
                                 source->chain, &offset, &end, &source->chain));
    fl_assert(offset == source->offset);
    source->offset = end;
    pump->bytes_sent += out->len - begin;
    return true;
}

/* One turn of one source.  False: it needs more room. */
static bool serve(struct log_pump *pump, struct source *source, struct fl_buf *out)
{
    struct fl_log_message message = {.source = number_of(pump, source)};

    if (source->is_dropped) {
        message.kind = FL_LOG_close;
        return source->state == NEW || fl_log_message_put(out, &message);
    }
    if (source->state == NEW) {
        message.kind = FL_LOG_open;
        message.attempt = source->attempt;
        message.replica = source->replica;
        if (!fl_log_message_put(out, &message)) return false;
        source->state = ASKED;
        return true;
    }
    if (!has_work(pump, source)) return true; /* it was paused while it stood in the queue */
    if (source->has_output && !send_records(pump, source, out)) return false;
    if (!source->is_ended || source->is_dropped) return true;
    message.kind = FL_LOG_end;
    message.offset = source->offset;
    message.chain = source->chain;
    if (fl_log_message_put(out, &message)) source->state = ENDING; /* else in its next turn */
    return true;
}

size_t log_pump_pull(struct log_pump *pump, uint8_t *at, size_t bytes_max)
{
    /* The buffer uses the caller's memory and never grows: it refuses bytes beyond bytes_max. */
    struct fl_buf out = {.at = at, .cap = bytes_max, .max = bytes_max};
    uint32_t turns = pump->queue_len;

    for (; turns > 0 && pump->queue_head != NONE; turns--) {
        struct source *source = &pump->sources.at[pump->queue_head];
        bool is_dropped = source->is_dropped;

        if (!serve(pump, source, &out)) break;
        if (source->is_dropped && !is_dropped) {
            turns++; /* its output is gone, so its turn comes again, to send CLOSE */
            continue;
        }
        source = dequeue(pump);
        if (is_dropped) {
            remove_source(pump, source);
        } else {
            enqueue(pump, source);
        }
    }
    return out.len;
}

uint64_t log_pump_wants(const struct log_pump *pump)
{
    /* Asks for room for the longest record, or the first in the queue might never be served. */
    return pump->queue_len == 0 ? 0
                                : (uint64_t)pump->queue_len * LOG_PUMP_TURN_BYTES + RECORDS_ROOM;
}

struct log_pump_stats log_pump_stats(const struct log_pump *pump)
{
    return (struct log_pump_stats){
        .sources = pump->sources_len,
        .queued = pump->queue_len,
        .paused = pump->paused_len,
        .bytes_sent = pump->bytes_sent,
        .rewinds = pump->rewinds,
    };
}
