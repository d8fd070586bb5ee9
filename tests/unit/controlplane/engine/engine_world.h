/* engine_world.h - the engine over the real core and a database that does what a script says.
 * A script is one command a line, see play_line; the engine's calls of its ports are the story, a
 * line each, behind its time.  Tests compare stories. */
#pragma once

#include <inttypes.h>

#include "controlplane/core/shape.h"
#include "controlplane/engine/engine.h"
#include "controlplane/engine/engine_keys.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/job_name.h"
#include "tests/fl_test.h"

enum { SENT_MAX = 16, LOOKUPS_MAX = 2048, STORY_MAX = 1 << 16 };

struct sent {
    const struct core_batch *batch;
    uint64_t epoch;
    bool has_landed;
};

struct world {
    struct engine *engine;
    struct engine_results results; /* the engine's, for what the database answers */
    fl_ms now;
    char story[STORY_MAX];
    size_t story_len;
    bool is_quiet; /* the story is not kept: answers are counted */
    uint64_t answers_ok, answers_invalid, answers_other;
    void (*on_answer)(struct world *world, const struct core_answer *answer);
    void *ctx; /* for on_answer's own use */

    /* The database. */
    struct core_batch *rows; /* durable, in order */
    struct engine_journal_key journal[4096];
    size_t journal_len;
    uint64_t epoch, job_below, batch_below;
    fl_ms wall;
    struct sent sent[SENT_MAX];
    size_t sent_len;
    bool is_taking, is_loading;
    struct {
        uint64_t id;
        struct fl_str key;
    } lookups[LOOKUPS_MAX];
    size_t lookups_len;
    struct fl_arena arena;
};

static inline void tell(struct world *world, const char *fmt, ...) FL_PRINTF(2, 3);

static inline void tell(struct world *world, const char *fmt, ...)
{
    va_list args;

    if (world->is_quiet) return;
    world->story_len += (size_t)snprintf(world->story + world->story_len,
                                         STORY_MAX - world->story_len, "%" PRId64 " ", world->now);
    va_start(args, fmt);
    world->story_len +=
        (size_t)vsnprintf(world->story + world->story_len, STORY_MAX - world->story_len, fmt, args);
    va_end(args);
    world->story[world->story_len++] = '\n';
    world->story[world->story_len] = '\0';
    fl_assert(world->story_len < STORY_MAX - 1024);
}

/* ---- ports ----------------------------------------------------------------------------------- */

static inline void take(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now)
{
    (void)epoch_above;
    struct world *world = ctx;

    assert_int_equal(now, world->now);
    world->is_taking = true;
    tell(world, "take from %" PRIu64, batch_from);
}

static inline void load(void *ctx, fl_ms now)
{
    struct world *world = ctx;

    assert_int_equal(now, world->now);
    world->is_loading = true;
    tell(world, "load");
}

static inline void commit(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now)
{
    struct world *world = ctx;
    char what[512] = "";

    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];
        size_t len = strlen(what);

        if (row->kind == ROW_job_new && len < 400) {
            snprintf(what + len, sizeof what - len, " " FL_STR_FMT, FL_STR_ARG(row->job_new.name));
        }
        if (row->kind == ROW_queue_put || row->kind == ROW_cluster_put ||
            row->kind == ROW_cluster_phase) {
            snprintf(what + len, sizeof what - len, " %s", row_kind_name(row->kind));
        }
    }
    assert_int_equal(now, world->now);
    fl_assert(world->sent_len < SENT_MAX);
    world->sent[world->sent_len++] = (struct sent){batch, epoch, false};
    tell(world, "commit %" PRIu64 " epoch %" PRIu64 ":%s", batch->number, epoch, what);
}

static inline void drop(void *ctx)
{
    struct world *world = ctx;

    world->sent_len = 0;
    world->is_taking = world->is_loading = false;
    tell(world, "drop");
}

static inline void lookup(void *ctx, uint64_t id, struct fl_tenant tenant, struct fl_str key,
                          fl_ms now)
{
    struct world *world = ctx;

    assert_int_equal(tenant.n, 1);
    assert_int_equal(now, world->now);
    fl_assert(world->lookups_len < LOOKUPS_MAX);
    world->lookups[world->lookups_len].id = id;
    world->lookups[world->lookups_len++].key =
        (struct fl_str){fl_arena_copy(&world->arena, key.at, key.len), key.len};
    tell(world, "lookup %" PRIu64 " " FL_STR_FMT, id, FL_STR_ARG(key));
}

static inline void began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    (void)core_ahead_ms;
    tell(ctx, "began %" PRIu64, epoch);
}

static inline void answer(void *ctx, const struct core_answer *given)
{
    struct world *world = ctx;
    enum fl_code code = given->code;
    const char *text = given->text;
    char job[FL_JOB_NAME_MAX] = "";

    if (given->outcomes_len > 0 && code == FL_OK) {
        code = given->outcomes[0].code;
        text = given->outcomes[0].text;
        if (code == FL_OK) fl_job_name(given->outcomes[0].job, job);
    }
    if (code == FL_OK) {
        world->answers_ok++;
    } else if (code == FL_BUG) {
        world->answers_invalid++;
    } else {
        world->answers_other++;
    }
    if (text) fl_assert(strlen(text) > 0);
    if (world->on_answer) world->on_answer(world, given);
    tell(world, "answer %" PRIu64 " %s%s%s", given->request, fl_code_name(code), *job ? " " : "",
         job);
}

static inline void send(void *ctx, const struct core_send *sent)
{
    tell(ctx, "send %s", core_send_name(sent->kind));
}

static inline void notice(void *ctx, const struct core_batch *batch)
{
    tell(ctx, "notice %" PRIu64, batch->number);
}

static inline void quarantine(void *ctx, const struct core_event *event, const char *why)
{
    tell(ctx, "quarantine %s: %s", core_event_name(event->kind), why);
}

/* ---- the database ---------------------------------------------------------------------------- */

static inline void land(struct world *world, const struct core_batch *batch, uint64_t epoch)
{
    for (size_t i = 0; i < batch->rows.len; i++) {
        core_batch_row(world->rows, &batch->rows.at[i]);
    }
    if (batch->at > world->rows->at) world->rows->at = batch->at;
    fl_assert(world->journal_len < sizeof world->journal / sizeof *world->journal);
    world->journal[world->journal_len++] = (struct engine_journal_key){batch->number, epoch};
}

static inline uint64_t newest(const struct world *world)
{
    return world->journal_len ? world->journal[world->journal_len - 1].batch : 0;
}

static inline void let_take(struct world *world)
{
    struct engine_taken taken = {.epoch = ++world->epoch,
                                 .incarnation = 1,
                                 .batch_newest = newest(world),
                                 .at_newest = world->rows->at,
                                 .at = world->wall + world->now > world->rows->at
                                           ? world->wall + world->now
                                           : world->rows->at,
                                 .job_below = world->job_below,
                                 .batch_below = world->batch_below};
    size_t from = world->journal_len > 4 ? world->journal_len - 4 : 0;

    for (size_t i = from; i < world->journal_len; i++) {
        taken.keys[taken.keys_len++] = world->journal[i];
    }
    fl_assert(world->is_taking);
    world->is_taking = false;
    world->results.taken(world->engine, &taken, world->now);
}

/* A later row of the same queue or cluster stands for the earlier ones. */
static inline bool is_newest(const struct world *world, size_t i)
{
    const struct row *row = &world->rows->rows.at[i];

    for (size_t k = i + 1; k < world->rows->rows.len; k++) {
        const struct row *later = &world->rows->rows.at[k];

        if (later->kind != row->kind) continue;
        if (row->kind == ROW_queue_put && later->queue_put.queue == row->queue_put.queue) {
            return false;
        }
        if (row->kind == ROW_cluster_put &&
            later->cluster_put.cluster == row->cluster_put.cluster) {
            return false;
        }
    }
    return true;
}

static inline void load_rows(struct world *world)
{
    static const enum row_kind order[] = {ROW_queue_put, ROW_cluster_put, ROW_shape_new,
                                          ROW_counter, ROW_job_new};

    fl_assert(world->is_loading);
    world->is_loading = false;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        for (size_t i = 0; i < world->rows->rows.len; i++) {
            const struct row *row = &world->rows->rows.at[i];

            if (row->kind == order[k] && is_newest(world, i)) {
                world->results.load_row(world->engine, row);
            }
        }
    }
}

static inline void find_key(struct world *world, uint64_t id, bool is_good)
{
    struct fl_str key = {0};
    const struct row_idempotency *found = NULL;
    struct fl_str bytes = {0};

    for (size_t i = 0; i < world->lookups_len; i++) {
        if (world->lookups[i].id == id) key = world->lookups[i].key;
    }
    fl_assert(key.len > 0);
    for (size_t i = 0; i < world->rows->rows.len; i++) {
        const struct row *row = &world->rows->rows.at[i];

        if (row->kind == ROW_idempotency && fl_str_eq(row->idempotency.key, key)) {
            found = &row->idempotency;
        }
    }
    if (found) bytes = found->answer;
    world->results.found(world->engine, id, found ? &found->body_sha : NULL, bytes, is_good,
                         world->now);
}

static inline struct sent take_sent(struct world *world)
{
    struct sent sent = world->sent[0];

    fl_assert(world->sent_len > 0);
    world->sent_len--;
    memmove(world->sent, world->sent + 1, world->sent_len * sizeof *world->sent);
    return sent;
}

static inline void finish(struct world *world, uint64_t number, enum engine_commit result)
{
    struct sent sent = take_sent(world);

    assert_int_equal(sent.batch->number, number);
    if (result == ENGINE_COMMITTED && !sent.has_landed) land(world, sent.batch, sent.epoch);
    world->results.committed(world->engine, number, result,
                             result == ENGINE_POISONED ? "23514 check"
                             : result == ENGINE_AWAY   ? "a lock"
                                                       : NULL,
                             world->now);
}

/* ---- events ---------------------------------------------------------------------------------- */

static inline struct fl_str simple_shape(struct fl_arena *arena)
{
    struct shape shape = {.roles_len = 1};
    struct fl_buf buf;
    struct fl_str bytes;

    shape.roles[0].replicas = shape.roles[0].replicas_min = 1;
    shape.roles[0].each.cpu_milli = 100;
    fl_buf_init(&buf, FL_JOB_SHAPE_BYTES_MAX);
    assert_true(shape_encode(&buf, &shape));
    bytes = (struct fl_str){fl_arena_copy(arena, buf.at, buf.len), buf.len};
    fl_buf_fini(&buf);
    return bytes;
}

static inline struct fl_str copied(struct engine_event *event, const char *text)
{
    return (struct fl_str){fl_arena_copy(&event->arena, text, strlen(text)), strlen(text)};
}

static inline struct engine_event *new_event(enum core_event_kind kind, uint64_t request)
{
    struct engine_event *event = engine_event_create();

    event->event.kind = kind;
    event->event.request = request;
    event->event.tenant.n = 1;
    event->event.actor = FL_STR("test");
    return event;
}

static inline struct engine_event *new_submit(uint64_t request, const char *name, size_t jobs)
{
    struct engine_event *event = new_event(CORE_EV_submit, request);
    struct core_submit_item *items = fl_arena_array(&event->arena, struct core_submit_item, jobs);

    for (size_t i = 0; i < jobs; i++) {
        items[i].queue = FL_STR("main");
        items[i].shape = simple_shape(&event->arena);
        items[i].name = copied(event, name);
        items[i].spec = FL_STR("{}");
        items[i].elements = 1;
    }
    event->event.submit.at = items;
    event->event.submit.len = jobs;
    return event;
}

static inline void adopt(struct world *world, struct engine_event *event)
{
    struct fl_err err = {0};
    uint64_t request = event->event.request;

    if (!engine_adopt(world->engine, event, world->now, &err)) {
        assert_true(strlen(err.text) > 0);
        if (request != 0) {
            tell(world, "refused %" PRIu64 " %s", request, fl_code_name(err.code));
        } else {
            tell(world, "refused %s", fl_code_name(err.code));
        }
    }
}

static inline void play_submit(struct world *world, const char *line)
{
    unsigned long long request = 0;
    char name[32] = "", key[32] = "";
    unsigned body = 0;
    struct engine_event *event;

    fl_assert(sscanf(line, "submit %llu %31s key=%31s body=%u", &request, name, key, &body) >= 2);
    event = new_submit(request, name, 1);
    event->event.key = copied(event, key);
    event->event.body_sha.at[0] = (uint8_t)body;
    adopt(world, event);
}

static inline enum engine_commit result_of(const char *word)
{
    static const struct {
        const char *word;
        enum engine_commit result;
    } words[] = {{"ok", ENGINE_COMMITTED},  {"deposed", ENGINE_DEPOSED}, {"reload", ENGINE_RELOAD},
                 {"full", ENGINE_NO_SPACE}, {"poison", ENGINE_POISONED}, {"cut", ENGINE_UNKNOWN},
                 {"away", ENGINE_AWAY}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, word) == 0) return words[i].result;
    }
    fl_unreachable("a script says one of these words");
}

static inline void play_line(struct world *world, const char *line)
{
    unsigned long long a = 0, b = 0;
    char word[32] = "";
    struct engine_event *event;

    if (sscanf(line, "at %llu", &a) == 1) {
        world->now = (fl_ms)a;
        engine_turn(world->engine, world->now);
    } else if (strcmp(line, "turn") == 0) {
        engine_turn(world->engine, world->now);
    } else if (strncmp(line, "submit", 6) == 0) {
        play_submit(world, line);
    } else if (sscanf(line, "queue %llu %31s", &a, word) == 2) {
        event = new_event(CORE_EV_queue_put, a);
        event->event.queue_put.name = copied(event, word);
        adopt(world, event);
    } else if (sscanf(line, "cluster %llu %31s", &a, word) == 2) {
        event = new_event(CORE_EV_cluster_put, a);
        event->event.cluster_put.name = event->event.cluster_put.uid = copied(event, word);
        adopt(world, event);
    } else if (sscanf(line, "hello %llu %llu", &a, &b) == 2) {
        event = new_event(CORE_EV_session_open, 0);
        event->event.session_open.cluster.n = (uint32_t)a;
        event->event.session_open.connection = b;
        adopt(world, event);
    } else if (sscanf(line, "bye %llu %llu", &a, &b) == 2) {
        event = new_event(CORE_EV_session_lost, 0);
        event->event.session_lost.cluster.n = (uint32_t)a;
        event->event.session_lost.connection = b;
        adopt(world, event);
    } else if (sscanf(line, "read %llu %llu", &a, &b) == 2) {
        event = new_event(CORE_EV_read_job, a);
        event->event.job.job.n = b;
        adopt(world, event);
    } else if (sscanf(line, "cancel %llu %llu", &a, &b) == 2) {
        event = new_event(CORE_EV_cancel, a);
        event->event.job.job.n = b;
        adopt(world, event);
    } else if (strcmp(line, "taken") == 0) {
        let_take(world);
    } else if (sscanf(line, "take fails %31s", word) == 1) {
        world->is_taking = false;
        world->results.take_failed(world->engine,
                                   strcmp(word, "deposed") == 0 ? FL_DEPOSED
                                   : strcmp(word, "full") == 0  ? FL_NO_SPACE
                                                                : FL_UNAVAILABLE,
                                   world->now);
    } else if (strcmp(line, "loaded") == 0) {
        load_rows(world);
        world->results.loaded(world->engine, true, world->now);
    } else if (strcmp(line, "load fails") == 0) {
        world->is_loading = false;
        world->results.loaded(world->engine, false, world->now);
    } else if (sscanf(line, "done %llu %31s", &a, word) == 2) {
        finish(world, a, result_of(word));
    } else if (sscanf(line, "lands %llu", &a) == 1) {
        for (size_t i = 0; i < world->sent_len; i++) {
            if (world->sent[i].batch->number != a) continue;
            land(world, world->sent[i].batch, world->sent[i].epoch);
            world->sent[i].has_landed = true;
        }
    } else if (sscanf(line, "stranger lands %llu", &a) == 1) {
        world->journal[world->journal_len++] = (struct engine_journal_key){a, ++world->epoch};
    } else if (sscanf(line, "found %llu %31s", &a, word) >= 1) {
        find_key(world, a, strcmp(word, "bad") != 0);
    } else if (sscanf(line, "room %llu %llu", &a, &b) == 2) {
        world->results.room(world->engine, a, b);
    } else if (strcmp(line, "lease lost") == 0) {
        world->results.lease_lost(world->engine, world->now);
    } else {
        print_error("no such command: %s\n", line);
        fl_unreachable("a script holds commands");
    }
}

static inline void play(struct world *world, const char *script)
{
    char line[128];

    while (*script) {
        size_t len = strcspn(script, "\n");

        fl_assert(len < sizeof line);
        memcpy(line, script, len);
        line[len] = '\0';
        if (len > 0) play_line(world, line);
        script += len + (script[len] == '\n');
    }
}

static inline void forget_story(struct world *world)
{
    world->story_len = 0;
    world->story[0] = '\0';
}

static inline void story_is(struct world *world, const char *expected)
{
    if (strcmp(world->story, expected) != 0) {
        print_error("expected:\n%s\nbut the story is:\n%s\n", expected, world->story);
    }
    assert_string_equal(world->story, expected);
    forget_story(world);
}

static inline struct engine_config config_of_tests(void)
{
    struct engine_config config = engine_config_default();

    config.core.jobs_max = 20000; /* the core's tables are made anew at each load */
    config.core.silence_ms =
        60 * FL_MINUTE_MS; /* stories without agents are not to be about them */
    config.batches_kept = 2;
    config.beside_bytes_min = 0; /* stories have small batches */
    return config;
}

static inline struct world *world_with(struct engine_config config)
{
    struct world *world = fl_new(struct world);
    struct engine_store store = {
        .ctx = world, .take = take, .load = load, .commit = commit, .drop = drop, .lookup = lookup};
    struct engine_ports ports = {.ctx = world,
                                 .began = began,
                                 .answer = answer,
                                 .send = send,
                                 .notice = notice,
                                 .quarantine = quarantine};

    world->rows = core_batch_create(0);
    world->job_below = 1000000;
    world->batch_below = 1000000;
    world->wall = 1700000000000;
    world->engine = engine_create(&config, &store, &ports, 0);
    world->results = engine_results(world->engine);
    return world;
}

/* A leader with queue 'main' and cluster 1; the next batch is 3. */
static inline struct world *leader_with(struct engine_config config)
{
    struct world *world = world_with(config);

    play(world, "turn\ntaken\nloaded\nqueue 1 main\nturn\ndone 1 ok\ncluster 2 east\nturn\n"
                "done 2 ok\n");
    forget_story(world);
    return world;
}

static inline struct world *leader(void)
{
    return leader_with(config_of_tests());
}

static inline void end(struct world *world)
{
    engine_destroy(world->engine);
    core_batch_destroy(world->rows);
    fl_arena_fini(&world->arena);
    fl_free(world);
}

static inline bool is_poison(const struct core_batch *batch)
{
    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind == ROW_job_new && fl_str_eq(row->job_new.name, FL_STR("poison"))) return true;
    }
    return false;
}

static inline void find_oldest_key(struct world *world, bool is_good)
{
    find_key(world, world->lookups[0].id, is_good);
    memmove(world->lookups, world->lookups + 1, --world->lookups_len * sizeof *world->lookups);
}

/* Answers everything at once, refusing batches with a job called 'poison', until all is quiet. */
static inline void run(struct world *world)
{
    while (engine_deadline(world->engine) <= world->now || world->is_taking || world->is_loading ||
           world->sent_len > 0 || world->lookups_len > 0) {
        engine_turn(world->engine, world->now);
        if (world->is_taking) {
            let_take(world);
        } else if (world->is_loading) {
            load_rows(world);
            world->results.loaded(world->engine, true, world->now);
        } else if (world->lookups_len > 0) {
            find_oldest_key(world, true);
        } else if (world->sent_len > 0) {
            const struct core_batch *batch = world->sent[0].batch;

            finish(world, batch->number, is_poison(batch) ? ENGINE_POISONED : ENGINE_COMMITTED);
        }
    }
}
