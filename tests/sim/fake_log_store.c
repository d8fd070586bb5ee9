#include "tests/sim/fake_log_store.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/wire/log_message.h"

enum { TURN_REQUESTS_MAX = 64 };

typedef unsigned long long ull;

/* One replica's output. */
struct stored {
    struct fl_cluster cluster;
    struct fl_attempt attempt;
    uint32_t replica;
    struct fl_buf bytes; /* records, as they came */
    size_t durable_len;  /* how many of the bytes are durable */
    uint64_t next, durable_next;
    uint32_t chain;
    bool is_ended, is_end_durable;
    uint64_t told; /* acknowledged so far, to anybody: no crash may take it */
    bool is_end_told;
    /* its writer: the newest session that opened it; 0: none */
    uint64_t connection;
    uint32_t number;
    bool is_paused, is_set_back, is_unacked;
};

struct request {
    uint64_t connection;
    struct fl_cluster cluster;
    struct fl_log_message message; /* its records are its own */
    bool is_gone;                  /* instead: the connection is */
    uint32_t credit;               /* returns when it has a place in the inbox */
};

struct fake_log_store {
    struct sim *sim;
    struct fake_log_config config;
    struct fake_log_ports ports;
    uint64_t boot;
    bool is_up;
    FL_VEC(struct stored *) outputs;
    struct fl_map index;             /* identity to place in 'outputs' */
    FL_VEC(struct stored *) open;    /* somebody writes them */
    FL_VEC(struct stored *) unacked; /* something came since the last sync */
    FL_VEC(struct request) inbox;    /* oldest first, from inbox_pos on */
    size_t inbox_pos;
    uint64_t inbox_bytes;
    FL_VEC(struct request) held; /* no room in the inbox: in order */
    bool is_turning, is_syncing; /* a turn, a sync is planned */
    bool is_full;
    fl_ms full_until, stalled_until, paused_until;
};

struct identity {
    uint64_t cluster, job;
    uint32_t element, n, incarnation, replica;
};

static struct stored *find(const struct fake_log_store *store, struct fl_cluster cluster,
                           struct fl_attempt attempt, uint32_t replica)
{
    struct identity id = {cluster.n, attempt.job.n,       attempt.element,
                          attempt.n, attempt.incarnation, replica};
    uint64_t place;

    if (!fl_map_find(&store->index, &id, sizeof(id), &place)) return NULL;
    return store->outputs.at[place];
}

static struct stored *by_number(const struct fake_log_store *store, uint64_t connection,
                                uint32_t number)
{
    for (size_t i = 0; i < store->open.len; i++) {
        struct stored *stored = store->open.at[i];

        if (stored->connection == connection && stored->number == number) return stored;
    }
    return NULL;
}

/* ---- I8 -------------------------------------------------------------------------------------- */

static const struct fake_output *truth_of(struct fake_log_store *store, const struct stored *stored)
{
    const struct fake_output *truth =
        store->ports.truth(store->ports.ctx, stored->cluster, stored->attempt, stored->replica);

    if (truth) return truth;
    sim_broken(store->sim, "I8", "output of job %llu.%u attempt %u replica %u, which never was",
               (ull)stored->attempt.job.n, stored->attempt.element, stored->attempt.n,
               stored->replica);
}

static void I8_is_what_was_written(struct fake_log_store *store, const struct stored *stored,
                                   uint64_t next, struct fl_str records)
{
    const struct fake_output *truth = truth_of(store, stored);
    struct fl_log_record record;

    while (records.len > 0) {
        if (fl_log_record_next(&records, &record) != FL_LOG_READY) {
            sim_broken(store->sim, "I8", "what is stored are no records");
        }
        if (record.offset == next && fake_output_has(truth, &record)) {
            next = fl_log_record_end(&record);
            continue;
        }
        sim_broken(store->sim, "I8",
                   "hub %u: job %llu.%u attempt %u replica %u: a record of %llu bytes stands at "
                   "%llu, and the log before it ends at %llu",
                   store->config.host, (ull)stored->attempt.job.n, stored->attempt.element,
                   stored->attempt.n, stored->replica,
                   (ull)(fl_log_record_end(&record) - record.offset), (ull)record.offset,
                   (ull)next);
    }
}

static void I8_ends_where_it_ended(struct fake_log_store *store, const struct stored *stored)
{
    const struct fake_output *truth = truth_of(store, stored);

    if (truth->is_ended && stored->next == fake_output_end(truth)) return;
    sim_broken(
        store->sim, "I8",
        "hub %u: job %llu.%u attempt %u replica %u: its log is ended at %llu, and it %s %llu",
        store->config.host, (ull)stored->attempt.job.n, stored->attempt.element, stored->attempt.n,
        stored->replica, (ull)stored->next, truth->is_ended ? "ended at" : "runs, at",
        (ull)fake_output_end(truth));
}

static void I8_keeps_what_was_acknowledged(struct fake_log_store *store,
                                           const struct stored *stored)
{
    if (stored->next >= stored->told && (stored->is_ended || !stored->is_end_told)) return;
    sim_broken(store->sim, "I8",
               "hub %u: job %llu.%u attempt %u replica %u: %llu bytes were acknowledged, %llu are "
               "there",
               store->config.host, (ull)stored->attempt.job.n, stored->attempt.element,
               stored->attempt.n, stored->replica, (ull)stored->told, (ull)stored->next);
}

void fake_log_store_check(struct fake_log_store *store)
{
    for (size_t i = 0; i < store->outputs.len; i++) {
        const struct stored *stored = store->outputs.at[i];

        I8_is_what_was_written(store, stored, 0,
                               (struct fl_str){(const char *)stored->bytes.at, stored->bytes.len});
        if (stored->is_ended) I8_ends_where_it_ended(store, stored);
        I8_keeps_what_was_acknowledged(store, stored);
    }
}

bool fake_log_store_is_whole(const struct fake_log_store *store, struct fl_cluster cluster,
                             struct fl_attempt attempt, uint32_t replica)
{
    const struct stored *stored = find(store, cluster, attempt, replica);

    return stored && stored->is_end_durable;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void say(struct fake_log_store *store, uint64_t connection,
                const struct fl_log_message *message)
{
    uint8_t bytes[64];
    struct fl_buf out = {.at = bytes, .cap = sizeof(bytes), .max = sizeof(bytes)};

    fl_assert(fl_log_message_put(&out, message));
    store->ports.send(store->ports.ctx, connection, (struct fl_str){(const char *)bytes, out.len});
}

static void tell(struct fake_log_store *store, struct stored *stored, enum fl_log_message_kind kind)
{
    struct fl_log_message message = {.kind = kind,
                                     .source = stored->number,
                                     .offset = stored->next,
                                     .chain = stored->chain,
                                     .code = kind == FL_LOG_pause ? FL_NO_SPACE : 0};

    sim_tell(store->sim, "log of job %llu.%llu attempt %llu replica %llu: %llu at %llu",
             stored->attempt.job.n, stored->attempt.element, stored->attempt.n, stored->replica,
             kind, stored->next);
    if (kind == FL_LOG_ack) message.offset = stored->durable_next;
    if (kind == FL_LOG_ack || kind == FL_LOG_end_ack) stored->told = message.offset;
    if (kind == FL_LOG_end_ack) stored->is_end_told = true;
    if (stored->connection) say(store, stored->connection, &message);
}

static void set_back(struct fake_log_store *store, struct stored *stored)
{
    if (stored->is_set_back) return;
    stored->is_set_back = true;
    tell(store, stored, FL_LOG_cursor);
}

static void detach(struct fake_log_store *store, struct stored *stored)
{
    for (size_t i = 0; stored->connection && i < store->open.len; i++) {
        if (store->open.at[i] != stored) continue;
        fl_vec_remove(&store->open, i);
        break;
    }
    stored->connection = 0;
    stored->number = 0;
    stored->is_paused = stored->is_set_back = false;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void open_source(struct fake_log_store *store, const struct request *request)
{
    const struct fl_log_message *message = &request->message;
    struct identity id = {request->cluster.n,           message->attempt.job.n,
                          message->attempt.element,     message->attempt.n,
                          message->attempt.incarnation, message->replica};
    struct stored *stored = find(store, request->cluster, message->attempt, message->replica);

    if (!stored) {
        stored = fl_new(struct stored);
        stored->cluster = request->cluster;
        stored->attempt = message->attempt;
        stored->replica = message->replica;
        fl_buf_init(&stored->bytes, SIZE_MAX);
        fl_map_put(&store->index, &id, sizeof(id), store->outputs.len);
        fl_vec_push(&store->outputs, stored);
    }
    detach(store, stored); /* a newer session has it */
    if (by_number(store, request->connection, message->source)) {
        sim_broken(store->sim, "I8", "log source %u is opened twice", message->source);
    }
    stored->connection = request->connection;
    stored->number = message->source;
    fl_vec_push(&store->open, stored);
    tell(store, stored, FL_LOG_cursor);
}

static void plan_sync(struct fake_log_store *store, struct stored *stored);

static void append(struct fake_log_store *store, struct stored *stored, struct fl_str records)
{
    uint64_t offset = 0, end = 0;
    uint32_t chain = 0;

    if (!stored || stored->is_paused || stored->is_ended) return;
    if (store->is_full) {
        stored->is_paused = true;
        sim_mark(store->sim, MARK_log_paused);
        tell(store, stored, FL_LOG_pause);
        return;
    }
    fl_assert(fl_log_records_sum(records, stored->chain, &offset, &end, &chain));
    if (offset != stored->next) {
        set_back(store, stored);
        return;
    }
    I8_is_what_was_written(store, stored, stored->next, records);
    fl_assert(fl_buf_put(&stored->bytes, records.at, records.len));
    stored->next = end;
    stored->chain = chain;
    stored->is_set_back = false;
    plan_sync(store, stored);
}

static void end_source(struct fake_log_store *store, struct stored *stored,
                       const struct fl_log_message *message)
{
    if (!stored || stored->is_paused) return;
    if (message->offset != stored->next) {
        set_back(store, stored);
        return;
    }
    if (message->chain != stored->chain) {
        sim_broken(store->sim, "I8", "two ends agree on %llu bytes, and not on what they are",
                   (ull)stored->next);
    }
    if (stored->is_end_durable) { /* somebody has heard it before */
        sim_mark(store->sim, MARK_log_ended_twice);
        tell(store, stored, FL_LOG_end_ack);
        detach(store, stored);
        return;
    }
    stored->is_ended = true;
    I8_ends_where_it_ended(store, stored);
    plan_sync(store, stored);
}

static void serve(struct fake_log_store *store, struct request *request)
{
    struct stored *stored;

    if (request->is_gone) {
        for (size_t i = store->open.len; i > 0; i--) {
            stored = store->open.at[i - 1];
            if (stored->connection == request->connection) detach(store, stored);
        }
        return;
    }
    if (request->message.kind == FL_LOG_open) {
        open_source(store, request);
        return;
    }
    stored = by_number(store, request->connection, request->message.source);
    if (request->message.kind == FL_LOG_records) append(store, stored, request->message.records);
    if (request->message.kind == FL_LOG_end) end_source(store, stored, &request->message);
    if (request->message.kind == FL_LOG_close && stored) detach(store, stored);
}

/* ---- its disk -------------------------------------------------------------------------------- */

/* Back to what is on the disk, up to so many bytes, cut at the last good record. */
static void cut(struct stored *stored, size_t len)
{
    struct fl_str bytes = {(const char *)stored->bytes.at, len};
    struct fl_log_record record;
    struct fl_log_scan scan;

    fl_log_scan_init(&scan, 0);
    while (fl_log_scan_next(&scan, &bytes, &record) == FL_LOG_READY) {
    }
    fl_buf_truncate(&stored->bytes, scan.good_bytes);
    stored->next = scan.next_offset;
    stored->chain = scan.chain;
    stored->is_ended = stored->is_end_durable;
    fl_log_scan_fini(&scan);
}

static void sync_failed(struct fake_log_store *store)
{
    sim_fault(store->sim, FAULT_log_sync_failed);
    sim_tell(store->sim, "hub %llu: its log could not be synced", store->config.host);
    for (size_t i = 0; i < store->unacked.len; i++) {
        struct stored *stored = store->unacked.at[i];

        stored->is_unacked = stored->is_set_back = false;
        cut(stored, stored->durable_len);
        if (!stored->is_paused) set_back(store, stored);
    }
}

static void make_durable(struct fake_log_store *store, struct stored *stored)
{
    stored->is_unacked = false;
    stored->durable_len = stored->bytes.len;
    stored->durable_next = stored->next;
    stored->is_end_durable = stored->is_ended;
    tell(store, stored, stored->is_ended ? FL_LOG_end_ack : FL_LOG_ack);
    if (stored->is_ended) detach(store, stored);
}

/* Whether what is due at this time waits; then it is planned again. */
static bool has_to_wait(struct fake_log_store *store, sim_fn *fn)
{
    fl_ms until =
        store->paused_until > store->stalled_until ? store->paused_until : store->stalled_until;

    if (until <= store->sim->now) return false;
    sim_at(store->sim, until, fn, store, store->boot, 0);
    return true;
}

static void sync_all(void *ctx, uint64_t boot, uint64_t b)
{
    struct fake_log_store *store = ctx;

    (void)b;
    if (boot != store->boot || !store->is_up || has_to_wait(store, sync_all)) return;
    store->is_syncing = false;
    if (sim_chance(store->sim, store->config.sync_fails_ppm)) {
        sync_failed(store);
    } else {
        for (size_t i = 0; i < store->unacked.len; i++) {
            make_durable(store, store->unacked.at[i]);
        }
    }
    fl_vec_clear(&store->unacked);
    store->ports.turned(store->ports.ctx);
}

static void plan_sync(struct fake_log_store *store, struct stored *stored)
{
    if (!stored->is_unacked) fl_vec_push(&store->unacked, stored);
    stored->is_unacked = true;
    if (store->is_syncing) return;
    store->is_syncing = true;
    sim_at(store->sim, store->sim->now + sim_between(store->sim, 1, store->config.sync_ms_max),
           sync_all, store, store->boot, 0);
}

/* ---- its inbox ------------------------------------------------------------------------------- */

static void free_request(struct request *request)
{
    char *records = (char *)(uintptr_t)request->message.records.at;

    fl_free(records);
}

static void turn(void *ctx, uint64_t boot, uint64_t b);

static void plan_turn(struct fake_log_store *store)
{
    if (store->is_turning) return;
    store->is_turning = true;
    sim_at(store->sim, store->sim->now + sim_between(store->sim, 0, store->config.turn_ms_max),
           turn, store, store->boot, 0);
}

/* False: the inbox has no room. */
static bool put(struct fake_log_store *store, const struct request *request)
{
    if (store->inbox_bytes &&
        store->inbox_bytes + request->credit > store->config.inbox_bytes_max) {
        return false;
    }
    store->inbox_bytes += request->credit;
    fl_vec_push(&store->inbox, *request);
    if (request->credit) {
        store->ports.consumed(store->ports.ctx, request->connection, request->credit);
    }
    plan_turn(store);
    return true;
}

static void I11_held_is_within_the_window(struct fake_log_store *store, uint64_t connection)
{
    uint64_t held = 0;

    for (size_t i = 0; i < store->held.len; i++) {
        if (store->held.at[i].connection == connection) held += store->held.at[i].credit;
    }
    if (held <= store->config.held_bytes_max) return;
    sim_broken(store->sim, "I11", "hub %u: %llu bytes of a connection wait for the log store",
               store->config.host, (ull)held);
}

static void ask(struct fake_log_store *store, const struct request *request)
{
    if (store->held.len == 0 && put(store, request)) return;
    sim_mark(store->sim, MARK_log_credit_withheld);
    fl_vec_push(&store->held, *request);
    I11_held_is_within_the_window(store, request->connection);
}

static void place_held(struct fake_log_store *store)
{
    size_t taken = 0;

    while (taken < store->held.len && put(store, &store->held.at[taken])) {
        taken++;
    }
    store->held.len -= taken;
    memmove(store->held.at, store->held.at + taken, store->held.len * sizeof(*store->held.at));
}

static void turn(void *ctx, uint64_t boot, uint64_t b)
{
    struct fake_log_store *store = ctx;

    (void)b;
    if (boot != store->boot || !store->is_up || has_to_wait(store, turn)) return;
    store->is_turning = false;
    for (int i = 0; i < TURN_REQUESTS_MAX && store->inbox_pos < store->inbox.len; i++) {
        struct request request = store->inbox.at[store->inbox_pos++];

        store->inbox_bytes -= request.credit;
        serve(store, &request);
        free_request(&request);
    }
    if (store->inbox_pos == store->inbox.len) {
        fl_vec_clear(&store->inbox);
        store->inbox_pos = 0;
    } else {
        plan_turn(store);
    }
    if (store->held.len) place_held(store);
    store->ports.turned(store->ports.ctx);
}

bool fake_log_store_frame(struct fake_log_store *store, uint64_t connection,
                          struct fl_cluster cluster, struct fl_str payload, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(payload.at, payload.len);

    while (reader.pos < reader.len) {
        struct request request = {.connection = connection, .cluster = cluster};
        size_t pos = reader.pos;

        if (!fl_log_message_next(&reader, &request.message, err)) return false;
        if (request.message.kind == FL_LOG_records) {
            char *copy = fl_alloc(request.message.records.len);

            memcpy(copy, request.message.records.at, request.message.records.len);
            request.message.records.at = copy;
        } else {
            request.message.records = (struct fl_str){0};
        }
        request.credit = (uint32_t)(reader.pos - pos);
        ask(store, &request);
    }
    return true;
}

void fake_log_store_closed(struct fake_log_store *store, uint64_t connection)
{
    ask(store, &(struct request){.connection = connection, .is_gone = true});
}

/* ---- life ------------------------------------------------------------------------------------ */

struct fake_log_store *fake_log_store_create(struct sim *sim, const struct fake_log_config *config,
                                             const struct fake_log_ports *ports)
{
    struct fake_log_store *store = fl_new(struct fake_log_store);

    store->sim = sim;
    store->config = *config;
    store->ports = *ports;
    return store;
}

static void drop_requests(struct fake_log_store *store)
{
    for (; store->inbox_pos < store->inbox.len; store->inbox_pos++) {
        free_request(&store->inbox.at[store->inbox_pos]);
    }
    for (size_t i = 0; i < store->held.len; i++) {
        free_request(&store->held.at[i]);
    }
    fl_vec_clear(&store->inbox);
    fl_vec_clear(&store->held);
    store->inbox_pos = 0;
    store->inbox_bytes = 0;
}

void fake_log_store_destroy(struct fake_log_store *store)
{
    if (!store) return;
    drop_requests(store);
    for (size_t i = 0; i < store->outputs.len; i++) {
        fl_buf_fini(&store->outputs.at[i]->bytes);
        fl_free(store->outputs.at[i]);
    }
    fl_vec_fini(&store->outputs);
    fl_vec_fini(&store->open);
    fl_vec_fini(&store->unacked);
    fl_map_fini(&store->index);
    fl_vec_fini(&store->inbox);
    fl_vec_fini(&store->held);
    fl_free(store);
}

void fake_log_store_start(struct fake_log_store *store)
{
    store->boot++;
    store->is_up = true;
    store->is_turning = store->is_syncing = false;
    store->paused_until = 0;
}

void fake_log_store_crash(struct fake_log_store *store)
{
    struct sim *sim = store->sim;

    store->is_up = false;
    drop_requests(store);
    for (size_t i = 0; i < store->outputs.len; i++) {
        struct stored *stored = store->outputs.at[i];

        detach(store, stored);
        if (!stored->is_unacked) continue;
        stored->is_unacked = false;
        cut(stored,
            (size_t)sim_between(sim, (int64_t)stored->durable_len, (int64_t)stored->bytes.len));
        /* The next start writes its findings again before they count. */
        stored->durable_len = stored->bytes.len;
        stored->durable_next = stored->next;
        sim_mark(sim, MARK_log_torn);
        sim_tell(sim, "hub %llu: log of job %llu.%llu attempt %llu goes back to %llu",
                 store->config.host, stored->attempt.job.n, stored->attempt.element,
                 stored->attempt.n, stored->next);
    }
    fl_vec_clear(&store->unacked);
    fake_log_store_check(store);
}

void fake_log_store_pause(struct fake_log_store *store, fl_ms until)
{
    store->paused_until = until;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void has_room(void *ctx, uint64_t until, uint64_t b)
{
    struct fake_log_store *store = ctx;

    (void)b;
    if (store->full_until != (fl_ms)until) return;
    if (store->is_up && store->paused_until > store->sim->now) {
        sim_at(store->sim, store->paused_until, has_room, store, until, 0);
        return;
    }
    store->is_full = false;
    for (size_t i = 0; i < store->outputs.len; i++) {
        if (!store->outputs.at[i]->is_paused) continue;
        store->outputs.at[i]->is_paused = store->outputs.at[i]->is_set_back = false;
        tell(store, store->outputs.at[i], FL_LOG_resume);
    }
    if (store->is_up) store->ports.turned(store->ports.ctx);
}

void fake_log_store_full(struct fake_log_store *store, fl_ms until)
{
    sim_tell(store->sim, "hub %llu: the disk of its logs is full until %llu", store->config.host,
             until);
    store->is_full = true;
    store->full_until = until;
    sim_at(store->sim, until, has_room, store, (uint64_t)until, 0);
}

void fake_log_store_stall(struct fake_log_store *store, fl_ms until)
{
    sim_tell(store->sim, "hub %llu: its log store stands still until %llu", store->config.host,
             until);
    store->stalled_until = until;
}

void fake_log_store_heal(struct fake_log_store *store)
{
    store->config.sync_fails_ppm = 0;
    store->stalled_until = 0;
    store->full_until = store->sim->now;
    has_room(store, (uint64_t)store->full_until, 0);
}
