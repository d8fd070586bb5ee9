#include "controlplane/store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "controlplane/store/apply.h"
#include "controlplane/store/lease.h"
#include "controlplane/store/load.h"
#include "controlplane/store/pg_array.h"
#include "controlplane/store/takeover.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"
#include "shared/io/clock.h"

enum {
    READER_RETRY_MS = 500,
    /* While a commit is under way, look-ups are sent once there are ASK_BESIDE_MIN of them.  Fewer
     * wait for the end of the commit, but at most ASK_WAIT_MS. */
    ASK_BESIDE_MIN = 32,
    ASK_WAIT_MS = 20,
};

enum writer_state {
    WRITER_NONE,
    WRITER_CONNECTING, /* and preparing */
    WRITER_TAKING,
    WRITER_READY,
    /* the connection is lost: its batches have their results, and no batch may follow on it */
    WRITER_BROKEN,
};

struct flight { /* a batch on its way */
    uint64_t batch;
    fl_ms sent_at;
    bool is_committed, is_failed;
    struct pg_failure failure; /* the first */
};

struct lookup {
    uint64_t id;
    struct fl_tenant tenant;
    char *key;
    size_t key_bytes;
    fl_ms give_up_at;
    bool is_sent;
    int found_at; /* its row in the answer, from 1 */
};

struct store {
    struct store_config config;
    struct pg_waker waker;
    store_trouble_fn *trouble;
    void *trouble_ctx;
    struct engine_results results;
    char *conninfo, *instance;
    char holder[160];

    struct pg_conn *writer;
    enum writer_state writer_state;
    struct takeover take;
    uint64_t take_from, take_above;
    fl_ms take_by, take_sent_at;
    fl_ms core_ahead_ms; /* the core's time is so far ahead of the loop's clock */
    struct flight flights[STORE_INFLIGHT_MAX];
    size_t flights_len;
    struct apply *apply;
    uint64_t term; /* raised by take and drop: results of an older one are not delivered */

    struct load *load;
    struct lease *lease;
    struct partition *maker, *remover;

    struct pg_conn *reader;
    fl_ms reader_at; /* connect again from then on */
    bool is_asking;
    uint64_t asked_after;          /* stats.commits when look-ups were last sent */
    FL_VEC(struct lookup) lookups; /* sent ones are first */
    struct pg_array ask_index, ask_tenant, ask_key;

    bool has_results; /* a turn is due at once */
    struct store_stats stats;
};

struct store_config store_config_default(void)
{
    return (struct store_config){
        .lease_ttl_ms = 6000,
        .take_ms = 10000,
        .lookup_ms = 2000,
        .partition = partition_config_default(),
    };
}

static char *copy(const char *text)
{
    char *to = fl_new_array(char, strlen(text) + 1);

    return strcpy(to, text);
}

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    struct store *store = ctx;

    store->results.room(store->results.ctx, job_below, batch_below);
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    struct store *store = ctx;

    store->trouble(store->trouble_ctx, what, text);
}

/* Makes a name that no other store ever has: not this process's next store, nor a later process of
 * the same number. */
static void name_holder(struct store *store)
{
    char host[64] = "";
    uint64_t random = 0;
    ssize_t got = getrandom(&random, sizeof random, 0);

    fl_assert(got == sizeof random);
    gethostname(host, sizeof host - 1);
    snprintf(store->holder, sizeof store->holder, "%s:%d:%016" PRIx64, host, (int)getpid(), random);
}

struct store *store_create(const struct store_config *config, const struct pg_waker *waker,
                           store_trouble_fn *trouble, void *trouble_ctx)
{
    struct store *store = fl_new(struct store);
    struct partition_hooks hooks = {.ctx = store, .room = on_room, .trouble = on_trouble};

    store->config = *config;
    store->waker = *waker;
    store->trouble = trouble;
    store->trouble_ctx = trouble_ctx;
    store->conninfo = copy(config->conninfo);
    store->instance = copy(config->instance);
    store->config.conninfo = store->conninfo;
    store->config.instance = store->instance;
    name_holder(store);
    store->apply = apply_create(config->partition.late_jobs);
    store->lease = lease_create(store->conninfo, store->holder, config->lease_ttl_ms, waker);
    store->maker =
        partition_create(store->conninfo, PARTITION_MAKER, &config->partition, &hooks, waker);
    store->remover =
        partition_create(store->conninfo, PARTITION_REMOVER, &config->partition, &hooks, waker);
    return store;
}

static void close_writer(struct store *store)
{
    pg_conn_destroy(store->writer);
    store->writer = NULL;
    store->writer_state = WRITER_NONE;
    store->flights_len = 0;
}

static void stop_maintenance(struct store *store)
{
    partition_stop(store->maker);
    partition_stop(store->remover);
}

static void close_load(struct store *store)
{
    load_destroy(store->load);
    store->load = NULL;
}

void store_destroy(struct store *store)
{
    if (!store) return;
    close_writer(store);
    close_load(store);
    pg_conn_destroy(store->reader);
    lease_destroy(store->lease);
    partition_destroy(store->maker);
    partition_destroy(store->remover);
    apply_destroy(store->apply);
    for (size_t i = 0; i < store->lookups.len; i++) {
        fl_free(store->lookups.at[i].key);
    }
    fl_vec_fini(&store->lookups);
    pg_array_fini(&store->ask_index);
    pg_array_fini(&store->ask_tenant);
    pg_array_fini(&store->ask_key);
    fl_free(store->conninfo);
    fl_free(store->instance);
    fl_free(store);
}

/* ---- take ------------------------------------------------------------------------------------ */

static void on_drop(void *ctx)
{
    struct store *store = ctx;

    store->term++;
    close_writer(store);
    close_load(store);
}

static void on_take(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now)
{
    struct store *store = ctx;

    on_drop(store);
    store->take = (struct takeover){0};
    store->take_from = batch_from;
    store->take_above = epoch_above;
    store->take_by = now + store->config.take_ms;
    store->writer =
        pg_conn_create(store->conninfo, PG_WRITER, "fairlead writer", &store->waker, now);
    store->writer_state = WRITER_CONNECTING;
    store->has_results = pg_conn_state(store->writer) == PG_LOST;
}

static void fail_take(struct store *store, enum fl_code code, const char *why, fl_ms now)
{
    if (code == FL_DEPOSED) {
        stop_maintenance(store);
    } else {
        on_trouble(store, "take", why);
    }
    close_writer(store);
    store->results.take_failed(store->results.ctx, code, now);
}

static void send_take(struct store *store, fl_ms now)
{
    struct takeover_request request = {.holder = store->holder,
                                       .instance = store->instance,
                                       .ttl_ms = store->config.lease_ttl_ms,
                                       .epoch_above = store->take_above,
                                       .late_jobs = store->config.partition.late_jobs,
                                       .batch_from = store->take_from};

    store->take_sent_at = now;
    store->writer_state = WRITER_TAKING;
    if (!takeover_send(store->writer, &request)) {
        fail_take(store, FL_UNAVAILABLE, pg_conn_error(store->writer), now);
    }
}

/* The core's time goes on: the lease's row has to say so before the term begins. */
static void mark_time(struct store *store, fl_ms now)
{
    struct engine_taken *taken = &store->take.taken;
    struct time_reading clocks = {.postgres = store->take.postgres,
                                  .hub = fl_clock_wall(),
                                  .uptime = fl_clock_uptime(),
                                  .boot = fl_clock_boot()};
    struct time_mark mark = {.clocks = clocks};
    char text[TIME_TEXT_MAX];

    taken->at = mark.at = time_rule_resume(&store->take.mark, &clocks, taken->at_newest);
    if (time_rule_is_set(&store->take.mark, &clocks, taken->at, text) ||
        time_rule_differ(&clocks, taken->at, text)) {
        on_trouble(store, "clock", text);
    }
    store->core_ahead_ms = taken->at - now;
    if (!takeover_send_mark(&store->take, store->writer, store->holder, &mark)) {
        fail_take(store, FL_UNAVAILABLE, pg_conn_error(store->writer), now);
    }
}

/* The takeover is done; partitions grow old by the core's time. */
static void begin_term(struct store *store, fl_ms now)
{
    struct engine_taken *taken = &store->take.taken;

    taken->at = now + store->core_ahead_ms;
    store->writer_state = WRITER_READY;
    apply_restart(store->apply, store->take.job_newest);
    lease_hold(store->lease, store->take_sent_at, store->core_ahead_ms);
    partition_start(store->maker, store->core_ahead_ms, now);
    partition_start(store->remover, store->core_ahead_ms, now);
    store->results.taken(store->results.ctx, taken, now);
}

static void read_take(struct store *store, fl_ms now)
{
    switch (takeover_read(&store->take, store->writer)) {
    case TAKEOVER_WAIT:
        if (now >= store->take_by) fail_take(store, FL_UNAVAILABLE, "it took too long", now);
        break;
    case TAKEOVER_FAILED:
        fail_take(store, store->take.code, "the server refused it", now);
        break;
    case TAKEOVER_DONE:
        mark_time(store, now);
        break;
    case TAKEOVER_MARKED:
        begin_term(store, now);
        break;
    }
}

/* ---- commit ---------------------------------------------------------------------------------- */

/* The batch is read within the call, and only its number is kept. */
static void on_commit(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now)
{
    struct store *store = ctx;

    fl_assert(store->flights_len < STORE_INFLIGHT_MAX);
    fl_assert(store->writer_state == WRITER_READY || store->writer_state == WRITER_BROKEN);
    store->flights[store->flights_len++] = (struct flight){.batch = batch->number, .sent_at = now};
    partition_used(store->maker, apply_job_newest(batch), batch->number, now);
    partition_used(store->remover, apply_job_newest(batch), batch->number, now);
    if (store->writer_state == WRITER_BROKEN ||
        !apply_send(store->apply, store->writer, batch, epoch)) {
        store->has_results = true; /* the next turn gives its result, after those of earlier ones */
    }
}

static enum engine_commit verdict(const struct flight *flight)
{
    if (flight->is_committed) return ENGINE_COMMITTED;
    return flight->is_failed ? apply_verdict(&flight->failure) : ENGINE_UNKNOWN;
}

/* Delivers the result of the oldest batch in flight.  False: the engine has left this term. */
static bool deliver(struct store *store, fl_ms now)
{
    struct flight flight = store->flights[0];
    enum engine_commit result = verdict(&flight);
    uint64_t term = store->term;
    const char *text = flight.is_failed ? flight.failure.text : "the connection was lost";

    store->flights_len--;
    memmove(store->flights, store->flights + 1, store->flights_len * sizeof store->flights[0]);
    store->stats.commits++;
    if (now - flight.sent_at > store->stats.commit_longest_ms) {
        store->stats.commit_longest_ms = now - flight.sent_at;
    }
    if (result != ENGINE_COMMITTED) on_trouble(store, "commit", text);
    store->results.committed(store->results.ctx, flight.batch, result,
                             result == ENGINE_COMMITTED ? NULL : text, now);
    return term == store->term;
}

/* False: the result is an error. */
static bool note_result(struct flight *flight, const PGresult *result)
{
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
        /* A commit of a transaction that failed is answered ROLLBACK. */
        if (strcmp(PQcmdStatus((PGresult *)result), "COMMIT") == 0) flight->is_committed = true;
        break;
    case PGRES_TUPLES_OK:
    case PGRES_PIPELINE_ABORTED:
        break;
    default:
        if (!flight->is_failed && !flight->is_committed) {
            flight->is_failed = true;
            pg_failure_of(result, &flight->failure);
        }
        return false;
    }
    return true;
}

static void read_commits(struct store *store, fl_ms now)
{
    PGresult *result;

    while (store->flights_len > 0 && pg_conn_next(store->writer, &result) == PG_RESULT) {
        bool is_sync = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        bool is_error = !is_sync && !note_result(&store->flights[0], result);

        PQclear(result);
        if (is_sync && !deliver(store, now)) return;
        if (is_error && pg_conn_state(store->writer) == PG_LOST) break; /* libpq made this error */
    }
    if (pg_conn_state(store->writer) != PG_LOST) return;
    store->writer_state = WRITER_BROKEN;
    while (store->flights_len > 0) {
        if (!deliver(store, now)) return;
    }
}

static void turn_writer(struct store *store, fl_ms now)
{
    enum pg_state state;

    if (store->writer_state == WRITER_NONE) return;
    state = pg_conn_turn(store->writer, now);
    switch (store->writer_state) {
    case WRITER_NONE:
        break;
    case WRITER_CONNECTING:
        if (state == PG_LOST) {
            fail_take(store, FL_UNAVAILABLE, pg_conn_error(store->writer), now);
        } else if (state == PG_READY) {
            send_take(store, now);
        }
        break;
    case WRITER_TAKING:
        read_take(store, now);
        break;
    case WRITER_READY:
    case WRITER_BROKEN:
        read_commits(store, now);
        break;
    }
}

/* ---- load ------------------------------------------------------------------------------------ */

static void on_load(void *ctx, fl_ms now)
{
    struct store *store = ctx;

    close_load(store);
    store->load = load_create(store->conninfo, &store->waker, store->results.load_row,
                              store->results.ctx, now);
}

static void turn_load(struct store *store, fl_ms now)
{
    enum load_state state;

    if (!store->load) return;
    state = load_turn(store->load, now);
    if (state == LOAD_GOES_ON) return;
    if (state == LOAD_FAILED) on_trouble(store, "load", load_error(store->load));
    close_load(store);
    store->results.loaded(store->results.ctx, state == LOAD_DONE, now);
}

/* ---- look-ups -------------------------------------------------------------------------------- */

static void on_lookup(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key,
                      fl_ms now)
{
    struct store *store = ctx;
    struct lookup entry = {.id = lookup,
                           .tenant = tenant,
                           .key = fl_new_array(char, key.len + 1),
                           .key_bytes = key.len,
                           .give_up_at = now + store->config.lookup_ms};

    if (key.len > 0) memcpy(entry.key, key.at, key.len);
    fl_vec_push(&store->lookups, entry);
    store->has_results = true;
}

static void close_reader(struct store *store, fl_ms now)
{
    pg_conn_destroy(store->reader);
    store->reader = NULL;
    store->reader_at = now + READER_RETRY_MS;
    store->is_asking = false;
    for (size_t i = 0; i < store->lookups.len; i++) {
        store->lookups.at[i].is_sent = false;
    }
}

static void ask(struct store *store, fl_ms now)
{
    size_t len = store->lookups.len < STORE_LOOKUPS_MAX ? store->lookups.len : STORE_LOOKUPS_MAX;
    struct pg_value values[3];

    pg_array_start(&store->ask_index);
    pg_array_start(&store->ask_tenant);
    pg_array_start(&store->ask_key);
    for (size_t i = 0; i < len; i++) {
        struct lookup *lookup = &store->lookups.at[i];

        lookup->is_sent = true;
        pg_array_put_i32(&store->ask_index, (uint32_t)i);
        pg_array_put_i32(&store->ask_tenant, lookup->tenant.n);
        pg_array_put_bytes(&store->ask_key, lookup->key, lookup->key_bytes);
    }
    values[0] = pg_array_value(&store->ask_index, PG_INT4);
    values[1] = pg_array_value(&store->ask_tenant, PG_INT4);
    values[2] = pg_array_value(&store->ask_key, PG_BYTEA);
    store->is_asking = true;
    store->asked_after = store->stats.commits;
    if (!pg_conn_send(store->reader, PG_STMT_idempotency_find, values) ||
        !pg_conn_sync(store->reader)) {
        close_reader(store, now);
    }
}

static void answer(struct store *store, struct lookup *lookup, const struct fl_digest *body_sha,
                   struct fl_str text, bool is_good, fl_ms now)
{
    store->stats.lookups++;
    store->results.found(store->results.ctx, lookup->id, body_sha, text, is_good, now);
    fl_free(lookup->key);
}

/* Moves the first 'len' look-ups out: a result may bring new ones. */
static struct lookup *take_first(struct store *store, size_t len)
{
    struct lookup *taken = fl_new_array(struct lookup, len + 1);

    if (len == 0) return taken;
    memcpy(taken, store->lookups.at, len * sizeof *taken);
    store->lookups.len -= len;
    memmove(store->lookups.at, store->lookups.at + len, store->lookups.len * sizeof *taken);
    return taken;
}

static void read_found(struct store *store, const PGresult *result, fl_ms now)
{
    struct lookup *asked;
    size_t len = 0;

    while (len < store->lookups.len && store->lookups.at[len].is_sent) {
        len++;
    }
    asked = take_first(store, len);
    for (int r = 0; r < PQntuples(result); r++) {
        size_t i = (size_t)pg_get_int(result, r, 0);

        if (i < len) asked[i].found_at = r + 1;
    }
    for (size_t i = 0; i < len; i++) {
        int r = asked[i].found_at - 1;
        struct fl_digest sha = {{0}};
        struct fl_str text = {0};

        if (r >= 0) {
            if (PQgetlength(result, r, 1) == sizeof sha.at) {
                memcpy(sha.at, PQgetvalue(result, r, 1), sizeof sha.at);
            }
            text = (struct fl_str){PQgetvalue(result, r, 2), (size_t)PQgetlength(result, r, 2)};
        }
        answer(store, &asked[i], r >= 0 ? &sha : NULL, text, true, now);
    }
    fl_free(asked);
}

static void read_answers(struct store *store, fl_ms now)
{
    PGresult *result;

    while (store->is_asking && pg_conn_next(store->reader, &result) == PG_RESULT) {
        switch (PQresultStatus(result)) {
        case PGRES_TUPLES_OK:
            read_found(store, result, now);
            break;
        case PGRES_PIPELINE_SYNC:
            store->is_asking = false;
            break;
        default:
            on_trouble(store, "lookup", PQresultErrorMessage(result));
            PQclear(result);
            close_reader(store, now);
            return;
        }
        PQclear(result);
    }
}

/* Answers look-ups that waited too long; they stand in the order of their deadlines. */
static void give_up(struct store *store, fl_ms now)
{
    struct lookup *late;
    size_t len = 0;

    while (len < store->lookups.len && now >= store->lookups.at[len].give_up_at) {
        len++;
    }
    if (len == 0) return;
    /* If they were sent, the question's other look-ups lose their places, so it is sent anew. */
    if (store->lookups.at[0].is_sent) close_reader(store, now);
    late = take_first(store, len);
    for (size_t i = 0; i < len; i++) {
        answer(store, &late[i], NULL, (struct fl_str){0}, false, now);
    }
    fl_free(late);
}

/* When to send the waiting look-ups, if the reader is ready and not busy; 0: at once. */
static fl_ms ask_at(const struct store *store)
{
    if (store->flights_len == 0 || store->asked_after != store->stats.commits ||
        store->lookups.len >= ASK_BESIDE_MIN) {
        return 0;
    }
    return store->lookups.at[0].give_up_at - (fl_ms)store->config.lookup_ms + ASK_WAIT_MS;
}

static void turn_reader(struct store *store, fl_ms now)
{
    give_up(store, now);
    if (!store->reader) {
        if (store->lookups.len == 0 || now < store->reader_at) return;
        store->reader =
            pg_conn_create(store->conninfo, PG_READER, "fairlead reader", &store->waker, now);
    }
    switch (pg_conn_turn(store->reader, now)) {
    case PG_CONNECTING:
        return;
    case PG_LOST:
        if (store->lookups.len > 0) on_trouble(store, "lookup", pg_conn_error(store->reader));
        close_reader(store, now);
        return;
    case PG_READY:
        break;
    }
    if (store->is_asking) read_answers(store, now);
    if (store->reader && !store->is_asking && store->lookups.len > 0 && now >= ask_at(store)) {
        ask(store, now);
    }
}

struct engine_store store_port(struct store *store)
{
    return (struct engine_store){
        .ctx = store,
        .take = on_take,
        .load = on_load,
        .commit = on_commit,
        .drop = on_drop,
        .lookup = on_lookup,
    };
}

void store_attach(struct store *store, const struct engine_results *results)
{
    store->results = *results;
}

/* ---- the owner's ----------------------------------------------------------------------------- */

void store_release(struct store *store, fl_ms now)
{
    on_drop(store);
    stop_maintenance(store);
    lease_release(store->lease, now);
    store->has_results = true;
}

bool store_is_released(const struct store *store)
{
    return lease_state(store->lease) == LEASE_NONE;
}

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

fl_ms store_deadline(const struct store *store)
{
    fl_ms due = earlier(lease_deadline(store->lease), earlier(partition_deadline(store->maker),
                                                              partition_deadline(store->remover)));

    if (store->has_results) return INT64_MIN;
    if (store->load) due = earlier(due, load_deadline(store->load));
    if (store->writer_state == WRITER_CONNECTING || store->writer_state == WRITER_TAKING) {
        due = earlier(due, earlier(store->take_by, pg_conn_deadline(store->writer)));
    }
    if (store->reader) due = earlier(due, pg_conn_deadline(store->reader));
    if (store->lookups.len > 0) {
        due = earlier(due, store->lookups.at[0].give_up_at);
        if (!store->reader) {
            due = earlier(due, store->reader_at);
        } else if (!store->is_asking && pg_conn_state(store->reader) == PG_READY) {
            due = earlier(due, ask_at(store));
        }
    }
    return due;
}

void store_turn(struct store *store, fl_ms now)
{
    char text[TIME_TEXT_MAX];

    store->has_results = false;
    /* First, so that nothing is issued on a lease that ran out while this thread was stopped. */
    if (lease_turn(store->lease, now)) {
        on_drop(store);
        stop_maintenance(store);
        store->results.lease_lost(store->results.ctx, now);
    }
    if (lease_saw_clock_set(store->lease, text)) on_trouble(store, "clock", text);
    turn_writer(store, now);
    turn_load(store, now);
    turn_reader(store, now);
    partition_turn(store->maker, now);
    partition_turn(store->remover, now);
}

struct store_stats store_stats(const struct store *store)
{
    struct store_stats stats = store->stats;

    struct partition_stats maker = partition_stats(store->maker);

    stats.partition = partition_stats(store->remover);
    stats.partition.made = maker.made;
    stats.partition.attached_max = maker.attached_max;
    stats.partition.is_idle = stats.partition.is_idle && maker.is_idle;
    return stats;
}
