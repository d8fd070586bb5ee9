#include "tests/sim/fake_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum {
    ITEMS_MAX = 20,
    QUEUES_MAX = 5,
    SHAPES_MAX = 12,
    TRIES_MAX = 200,
    TIMEOUT_MS = 6000,
};

enum kind {
    SUBMIT,
    RETRY, /* a submit of one ended job */
    CANCEL,
    HOLD,
    RELEASE,
    READ,
    LIST,
    EXPLAIN,
    QUEUE_PUT,
    CLUSTER_PUT,
    CORDON,
    UNCORDON,
    FORGET,
};

struct request {
    enum kind kind;
    uint64_t seed;             /* its content */
    uint64_t target;           /* a job, or the number of a queue or cluster */
    bool has_key, is_stubborn; /* tried until it is done */
    bool is_on;                /* pause */
    bool is_done;              /* answered for good */
    uint32_t tries;            /* begun */
    uint32_t heard;            /* the newest try that was answered */
    /* what was promised, while the answer travels and after */
    bool is_promised, is_kept;
    enum fl_code code;
    uint64_t id;
    uint64_t jobs[ITEMS_MAX];
    uint32_t jobs_len;
};

struct known_shape {
    char *bytes;
    size_t len;
    bool is_impossible;
    struct fl_digest digest;
};

struct fake_client {
    struct sim *sim;
    struct fake_client_config config;
    struct fake_client_ports ports;
    const struct fake_pg *pg;
    struct checks *checks;
    FL_VEC(struct request) requests;
    FL_VEC(uint64_t) jobs; /* acknowledged */
    struct known_shape shapes[SHAPES_MAX];
    uint32_t shapes_len, queues_len;
    uint32_t enrolled, submitted;
    struct fl_cluster clusters[16];
    uint32_t stubborn_open;
    bool is_tidying;
};

/* --- what is submitted ----------------------------------------------------------------------- */

static struct fl_digest digest_of(struct fl_str bytes)
{
    struct fl_digest digest;

    for (uint64_t i = 0; i < 4; i++) {
        uint64_t hash = fl_hash64(i + 1, bytes.at, bytes.len);

        memcpy(&digest.at[i * 8], &hash, 8);
    }
    return digest;
}

static void draw_role(struct fake_client *client, struct shape_role *role, bool is_gang)
{
    struct sim *sim = client->sim;

    role->replicas = is_gang ? (uint32_t)sim_between(sim, 1, 4) : 1;
    role->replicas_min = role->replicas;
    role->each.cpu_milli = (uint32_t)sim_between(sim, 1, 8) * 500;
    role->each.memory_bytes = (uint64_t)sim_between(sim, 1, 8) << 29;
}

static void draw_shape(struct fake_client *client, struct known_shape *known, bool is_impossible)
{
    static const char *const names[] = {"c1", "c2", "c3"};
    struct sim *sim = client->sim;
    struct shape shape = {.roles_len = sim_chance(sim, 150000) ? 2 : 1};
    bool is_gang = sim_chance(sim, 350000);
    struct fl_buf buf;

    for (uint32_t i = 0; i < shape.roles_len; i++)
        draw_role(client, &shape.roles[i], is_gang);
    if (is_impossible) shape.roles[0].each.gpus = 1000;
    if (sim_chance(sim, 150000)) {
        shape.node_labels[0] = (struct shape_label){FL_STR("disk"), FL_STR("slow")};
        shape.node_labels_len = 1;
    }
    /* Never only the one that may die: its jobs would wait for ever, and rightly. */
    if (sim_chance(sim, 150000)) {
        uint32_t first = client->config.mortal == 1 ? 1 : 0;

        shape.clusters[0] = fl_str_c(names[first]);
        shape.clusters[1] = fl_str_c(names[first + 1]);
        shape.clusters_len = 2;
    } else if (sim_chance(sim, 150000)) {
        shape.not_clusters[0] = fl_str_c(names[sim_between(sim, 0, 2)]);
        shape.not_clusters_len = 1;
    }
    if (sim_chance(sim, 250000)) shape.deadline_s = (uint32_t)sim_between(sim, 3, 30);
    shape.retries_max = (uint32_t)sim_between(sim, 0, 3);
    fl_buf_init(&buf, SHAPE_BYTES_MAX);
    fl_assert(shape_encode(&buf, &shape));
    known->bytes = malloc(buf.len);
    fl_assert(known->bytes);
    memcpy(known->bytes, buf.at, buf.len);
    known->len = buf.len;
    known->is_impossible = is_impossible;
    known->digest = digest_of((struct fl_str){known->bytes, known->len});
    fl_buf_fini(&buf);
}

struct fl_str fake_client_spec(const struct fake_client *client, struct fl_digest digest)
{
    for (uint32_t i = 0; i < client->shapes_len; i++) {
        const struct known_shape *shape = &client->shapes[i];

        if (memcmp(&shape->digest, &digest, sizeof(digest)) == 0) {
            return (struct fl_str){shape->bytes, shape->len};
        }
    }
    return (struct fl_str){0};
}

/* A job's shape follows from its name: request, item, shape. */
static bool is_impossible(const struct fake_client *client, struct fl_str name)
{
    char text[64] = {0};
    unsigned shape = 0;

    memcpy(text, name.at, name.len < sizeof(text) - 1 ? name.len : sizeof(text) - 1);
    if (sscanf(text, "r%*u-%*u-%u", &shape) != 1 || shape >= client->shapes_len) return false;
    return client->shapes[shape].is_impossible ||
           !client->ports.could_run(client->ports.ctx, (struct fl_str){client->shapes[shape].bytes,
                                                                       client->shapes[shape].len});
}

static struct fl_str queue_name(const struct fake_client *client, uint64_t n,
                                struct fl_arena *arena)
{
    (void)client;
    return fl_str_c(fl_arena_printf(arena, "queue-%" PRIu64, n));
}

static void build_submit(struct fake_client *client, const struct request *request, uint64_t number,
                         struct engine_event *event)
{
    struct fl_prng prng;
    struct core_submit_item *items;
    size_t len = 1;

    fl_prng_seed(&prng, request->seed);
    if (request->kind == SUBMIT && fl_prng_chance(&prng, 300000)) {
        len = (size_t)fl_prng_between(&prng, 2, fl_prng_chance(&prng, 300000) ? ITEMS_MAX : 5);
    }
    items = fl_arena_array(&event->arena, struct core_submit_item, len);
    for (size_t i = 0; i < len; i++) {
        uint32_t shape = (uint32_t)fl_prng_below(&prng, client->shapes_len);
        struct known_shape *known = &client->shapes[shape];
        bool is_poison = fl_prng_chance(&prng, client->config.poison_ppm);

        items[i] = (struct core_submit_item){
            .queue = queue_name(client, fl_prng_below(&prng, client->queues_len), &event->arena),
            .shape = {known->bytes, known->len},
            .spec = {known->bytes, known->len},
            .spec_digest = known->digest,
            .priority = (int32_t)fl_prng_between(&prng, -2, 2),
            .elements = 1,
            .is_held = fl_prng_chance(&prng, 50000),
            .name = fl_str_c(is_poison ? FAKE_PG_POISON
                                       : fl_arena_printf(&event->arena, "r%" PRIu64 "-%zu-%u",
                                                         number, i, shape)),
            .labels = FL_STR("team=a\n"),
        };
        if (fl_prng_chance(&prng, 200000)) {
            items[i].elements = (uint32_t)fl_prng_between(&prng, 2, 6);
        }
        if (fl_prng_chance(&prng, 5000)) items[i].queue = FL_STR("nowhere");
        if (request->kind == RETRY) {
            items[i].retry_of.n = request->target;
            items[i].picked = FL_STR("0");
        }
        if (is_poison) sim_fault(client->sim, FAULT_db_refusal);
    }
    event->event.submit.at = items;
    event->event.submit.len = len;
}

struct engine_event *fake_client_build(struct fake_client *client, uint64_t number)
{
    const struct request *request = &client->requests.at[number >> 8];
    struct engine_event *event = engine_event_create();
    struct core_event *core = &event->event;

    core->request = number;
    core->tenant.n = 1;
    core->actor = FL_STR("somebody");
    if (request->has_key) {
        core->key = fl_str_c(fl_arena_printf(&event->arena, "key-%" PRIu64, number >> 8));
        core->body_sha.at[0] = (uint8_t)request->seed;
        core->body_sha.at[1] = (uint8_t)(request->seed >> 8);
    }
    switch (request->kind) {
    case SUBMIT:
    case RETRY:
        core->kind = CORE_EV_submit;
        build_submit(client, request, number >> 8, event);
        break;
    case CANCEL:
        core->kind = CORE_EV_cancel;
        break;
    case HOLD:
        core->kind = CORE_EV_hold;
        break;
    case RELEASE:
        core->kind = CORE_EV_release;
        break;
    case READ:
        core->kind = CORE_EV_read_job;
        break;
    case EXPLAIN:
        core->kind = CORE_EV_explain;
        break;
    case LIST:
        core->kind = CORE_EV_list_jobs;
        core->list_jobs.from = request->target;
        core->list_jobs.len_max = 50;
        break;
    case QUEUE_PUT:
        core->kind = CORE_EV_queue_put;
        core->queue_put.name = queue_name(client, request->target, &event->arena);
        core->queue_put.is_paused = request->is_on;
        break;
    case CLUSTER_PUT:
        core->kind = CORE_EV_cluster_put;
        core->cluster_put.name =
            fl_str_c(fl_arena_printf(&event->arena, "c%" PRIu64, request->target));
        core->cluster_put.uid =
            fl_str_c(fl_arena_printf(&event->arena, "uid-%" PRIu64, request->target));
        break;
    case CORDON:
    case UNCORDON:
        core->kind = CORE_EV_cluster_cordon;
        core->cluster_cordon.cluster.n = (uint32_t)request->target;
        core->cluster_cordon.is_on = request->kind == CORDON;
        core->cluster_cordon.why = FL_STR("maintenance");
        break;
    case FORGET:
        core->kind = CORE_EV_cluster_forget;
        core->cluster_forget.cluster.n = (uint32_t)request->target;
        break;
    }
    switch (core->kind) {
    case CORE_EV_cancel:
    case CORE_EV_hold:
    case CORE_EV_release:
    case CORE_EV_read_job:
    case CORE_EV_explain:
        core->job.job.n = request->target;
        break;
    default:
        break;
    }
    return event;
}

/* --- asking and hearing ---------------------------------------------------------------------- */

static void timed_out(void *ctx, uint64_t number, uint64_t b);

static void try_again(void *ctx, uint64_t index, uint64_t b)
{
    struct fake_client *client = ctx;
    struct request *request = &client->requests.at[index];
    uint64_t number = index << 8 | (uint64_t)(request->tries & 255);

    (void)b;
    if (request->is_done || request->tries >= TRIES_MAX) return;
    request->tries++;
    client->ports.carry(client->ports.ctx, number);
    sim_at(client->sim, client->sim->now + TIMEOUT_MS, timed_out, client, number, 0);
}

static bool may_repeat(const struct request *request)
{
    return request->has_key || request->is_stubborn;
}

static void timed_out(void *ctx, uint64_t number, uint64_t b)
{
    struct fake_client *client = ctx;
    struct request *request = &client->requests.at[number >> 8];

    (void)b;
    if (request->is_done || request->heard > (number & 255)) return;
    if (((request->tries - 1) & 255) != (number & 255)) return; /* a newer try is under way */
    if (may_repeat(request)) {
        try_again(client, number >> 8, 0);
    } else {
        request->is_done = true; /* nobody will ever know */
    }
}

static uint64_t ask(struct fake_client *client, struct request request)
{
    uint64_t index = client->requests.len;

    request.seed = fl_prng_u64(&client->sim->prng);
    if (request.is_stubborn) client->stubborn_open++;
    fl_vec_push(&client->requests, request);
    try_again(client, index, 0);
    /* Impatience: the same request twice at once. */
    if (request.has_key && sim_chance(client->sim, 200000)) {
        sim_at(client->sim, client->sim->now + sim_between(client->sim, 0, 20), try_again, client,
               index, 0);
    }
    return index;
}

static uint64_t ask(struct fake_client *client, struct request request);

static void promise_kept(struct fake_client *client, struct request *request, uint64_t index)
{
    request->is_kept = true;
    switch (request->kind) {
    case SUBMIT:
    case RETRY:
        for (uint32_t i = 0; i < request->jobs_len; i++) {
            if (request->jobs[i]) fl_vec_push(&client->jobs, request->jobs[i]);
        }
        if (request->kind == RETRY && request->jobs[0]) sim_mark(client->sim, MARK_job_retried);
        /* Some send it once more although they were answered. */
        if (request->has_key && sim_chance(client->sim, 200000)) {
            request->is_done = false;
            sim_at(client->sim, client->sim->now + sim_between(client->sim, 1, 20000), try_again,
                   client, index, 0);
        }
        break;
    case CLUSTER_PUT:
        client->clusters[request->target] = (struct fl_cluster){(uint32_t)request->id};
        client->enrolled++;
        client->ports.enrolled(client->ports.ctx, (uint32_t)request->target,
                               client->clusters[request->target]);
        /* One after the other, so that ids are numbers, which makes stories easier to read. */
        if (client->enrolled < client->config.clusters) {
            ask(client, (struct request){.kind = CLUSTER_PUT,
                                         .target = client->enrolled + 1,
                                         .is_stubborn = true});
        }
        break;
    case FORGET:
        sim_mark(client->sim, MARK_cluster_forgotten);
        break;
    default:
        break;
    }
}

/* The answer has arrived. */
static void arrived(void *ctx, uint64_t number, uint64_t what)
{
    struct fake_client *client = ctx;
    struct request *request = &client->requests.at[number >> 8];
    enum fl_code code = (enum fl_code)what;

    if (request->is_done) return;
    request->heard = (uint32_t)(number & 255) + 1;
    switch (code) {
    case FL_UNAVAILABLE: /* later, for those who may */
    case FL_NO_SPACE:
    case FL_FULL:
    case FL_CONFLICT:
        if (may_repeat(request) && request->tries < TRIES_MAX) {
            sim_at(client->sim, client->sim->now + sim_between(client->sim, 200, 3000), try_again,
                   client, number >> 8, 0);
            return;
        }
        break;
    case FL_OK:
        request->is_done = true;
        if (request->is_stubborn) client->stubborn_open--;
        if (!request->is_kept) promise_kept(client, request, number >> 8);
        return;
    default:
        break;
    }
    request->is_done = true;
    if (request->is_stubborn) client->stubborn_open--;
}

/* I15: the same key, the same jobs. */
static void I15_one_key_one_promise(struct fake_client *client, struct request *request,
                                    uint64_t index, const struct core_answer *answer)
{
    uint32_t len = (uint32_t)answer->outcomes_len;
    bool is_same = len == request->jobs_len;

    for (uint32_t i = 0; is_same && i < len; i++) {
        uint64_t job = answer->outcomes[i].code == FL_OK ? answer->outcomes[i].job.n : 0;

        is_same = job == request->jobs[i];
    }
    if (!is_same) {
        sim_broken(client->sim, "I15", "request %" PRIu64 " with its key was promised other jobs",
                   index);
    }
    sim_mark(client->sim, MARK_key_repeated);
}

static void note_promise(struct fake_client *client, struct request *request, uint64_t index,
                         const struct core_answer *answer)
{
    if (request->kind != SUBMIT && request->kind != RETRY) {
        request->is_promised = true;
        request->id = answer->id;
        return;
    }
    fl_assert(answer->outcomes_len <= ITEMS_MAX);
    if (request->is_promised && request->has_key) {
        I15_one_key_one_promise(client, request, index, answer);
        return;
    }
    request->is_promised = true;
    request->jobs_len = (uint32_t)answer->outcomes_len;
    for (uint32_t i = 0; i < request->jobs_len; i++) {
        request->jobs[i] = answer->outcomes[i].code == FL_OK ? answer->outcomes[i].job.n : 0;
        if (answer->outcomes[i].code == FL_UNAVAILABLE) sim_mark(client->sim, MARK_room_ended);
    }
}

void fake_client_answer(struct fake_client *client, const struct core_answer *answer,
                        uint64_t epoch)
{
    struct sim *sim = client->sim;
    uint64_t index = answer->request >> 8;
    struct request *request = &client->requests.at[index];

    sim_tell(sim, "client hears of request %llu try %llu kind %llu: code %llu, job %llu", index,
             answer->request & 255, request->kind, answer->code,
             answer->outcomes_len ? answer->outcomes[0].job.n : request->target);
    if (answer->code == FL_OK) {
        /* One whose answer is lost was promised nothing it knows of, but the second answer must agree. */
        note_promise(client, request, index, answer);
        if (request->kind == CANCEL) {
            checks_cancel_acked(client->checks, (struct fl_job){request->target}, epoch);
        }
    } else if (answer->code == FL_NO_SPACE) {
        sim_mark(sim, MARK_disk_full_refused);
    } else if (answer->code == FL_UNAVAILABLE) {
        sim_mark(sim, MARK_request_refused);
    } else if (answer->code == FL_ABSENT && request->kind == READ &&
               epoch == fake_pg_epoch(client->pg)) {
        checks_said_ended(client->checks, (struct fl_job){request->target});
    }
    if (sim_chance(sim, client->config.answer_lost_ppm)) {
        sim_fault(sim, FAULT_answer_lost);
        return;
    }
    sim_at(sim, sim->now + sim_between(sim, 1, 30), arrived, client, answer->request,
           (uint64_t)answer->code);
}

/* --- doing things ---------------------------------------------------------------------------- */

static uint64_t some_job(struct fake_client *client)
{
    size_t len = client->jobs.len;
    size_t recent = len > 40 ? 40 : len;

    if (!len) return 0;
    if (sim_chance(client->sim, 800000)) {
        return client->jobs.at[len - 1 - (size_t)sim_between(client->sim, 0, (int64_t)recent - 1)];
    }
    return client->jobs.at[sim_between(client->sim, 0, (int64_t)len - 1)];
}

static void ask_about(struct fake_client *client, enum kind kind, uint64_t job)
{
    if (job) ask(client, (struct request){.kind = kind, .target = job});
}

static void do_something(struct fake_client *client)
{
    struct sim *sim = client->sim;
    int64_t dice = sim_between(sim, 0, 99);
    uint64_t job = some_job(client);

    if (client->submitted < client->config.jobs_min || dice < 50) {
        client->submitted++;
        ask(client, (struct request){.kind = SUBMIT, .has_key = sim_chance(sim, 500000)});
        if (client->submitted >= client->config.jobs_min) return;
    }
    if (dice < 62) {
        ask_about(client, CANCEL, job);
    } else if (dice < 65) {
        ask_about(client, HOLD, job);
    } else if (dice < 70) {
        ask_about(client, RELEASE, job);
    } else if (dice < 80) {
        ask_about(client, READ, job);
    } else if (dice < 84) {
        ask_about(client, EXPLAIN, job);
    } else if (dice < 88) {
        ask(client, (struct request){.kind = LIST, .target = job > 20 ? job - 20 : 0});
    } else if (dice < 92) {
        if (job && !fake_pg_find_open(client->pg, (struct fl_job){job})) {
            ask(client,
                (struct request){.kind = RETRY, .target = job, .has_key = sim_chance(sim, 500000)});
        }
    } else if (dice < 95) {
        ask(client,
            (struct request){.kind = QUEUE_PUT,
                             .target = (uint64_t)sim_between(sim, 0, client->queues_len - 1),
                             .is_on = sim_chance(sim, 500000)});
    } else if (client->enrolled) {
        uint32_t number = (uint32_t)sim_between(sim, 1, client->config.clusters);

        if (client->clusters[number].n) {
            ask(client, (struct request){.kind = sim_chance(sim, 500000) ? CORDON : UNCORDON,
                                         .target = client->clusters[number].n});
        }
    }
}

static void busy(void *ctx, uint64_t a, uint64_t b)
{
    struct fake_client *client = ctx;
    struct sim *sim = client->sim;

    (void)a;
    (void)b;
    if (sim->now >= client->config.busy_until) return;
    do_something(client);
    sim_at(sim, sim->now + sim_between(sim, 1, 2 * (int64_t)client->config.requests_ms), busy,
           client, 0, 0);
}

void fake_client_storm(struct fake_client *client, uint32_t requests)
{
    for (uint32_t i = 0; i < requests; i++)
        do_something(client);
}

void fake_client_forget(struct fake_client *client, struct fl_cluster cluster)
{
    ask(client, (struct request){.kind = FORGET, .target = cluster.n, .is_stubborn = true});
}

/* Sees, by looking into the rows, what waits for a person. */
static void tidy(void *ctx, uint64_t a, uint64_t b)
{
    struct fake_client *client = ctx;
    struct sim *sim = client->sim;

    (void)b;
    /* Every time anew: what was asked before may have been on its way for long. */
    for (size_t i = 0; i < fake_pg_len(client->pg, FAKE_PG_queue); i++) {
        struct row_queue_put queue = fake_pg_row(client->pg, FAKE_PG_queue, i).queue_put;
        uint64_t number = (uint64_t)(queue.name.at[queue.name.len - 1] - '0'); /* "queue-3" */

        if (!queue.is_paused) continue;
        ask(client, (struct request){.kind = QUEUE_PUT, .target = number, .is_stubborn = true});
    }
    for (size_t i = 0; i < fake_pg_len(client->pg, FAKE_PG_cluster); i++) {
        struct row_cluster_put cluster = fake_pg_row(client->pg, FAKE_PG_cluster, i).cluster_put;

        if (cluster.cordon.len == 0) continue;
        ask(client,
            (struct request){.kind = UNCORDON, .target = cluster.cluster, .is_stubborn = true});
    }
    for (size_t i = 0; i < fake_pg_len(client->pg, FAKE_PG_open_job); i++) {
        struct fl_job job = {fake_pg_row(client->pg, FAKE_PG_open_job, i).job_new.job};
        struct row row;

        fl_assert(fake_pg_find_job(client->pg, job, &row));
        if (is_impossible(client, row.job_new.name)) {
            ask_about(client, CANCEL, job.n);
        } else if (client->ports.is_endless(client->ports.ctx, job)) {
            ask_about(client, CANCEL, job.n);
        } else if (fake_pg_find_mark(client->pg, job, CORE_MARK_held, &row)) {
            ask_about(client, RELEASE, job.n);
        }
    }
    sim_at(sim, sim->now + 10000, tidy, client, a + 1, 0);
}

void fake_client_tidy(struct fake_client *client)
{
    client->is_tidying = true;
    client->config.answer_lost_ppm = 0;
    client->config.poison_ppm = 0;
    tidy(client, 0, 0);
}

bool fake_client_is_content(const struct fake_client *client)
{
    return client->enrolled == client->config.clusters && client->stubborn_open == 0;
}

/* The form of a job that is open, for whoever wonders why it does not start. */
static void tell_shape(const struct fake_client *client, struct fl_str name)
{
    char text[64] = {0};
    struct fl_err err = {0};
    unsigned number = 0;
    struct shape shape;

    memcpy(text, name.at, name.len < sizeof(text) - 1 ? name.len : sizeof(text) - 1);
    if (sscanf(text, "r%*u-%*u-%u", &number) != 1 || number >= client->shapes_len) return;
    fl_assert(shape_decode(
        (struct fl_str){client->shapes[number].bytes, client->shapes[number].len}, &shape, &err));
    sim_tell(client->sim, "   shape %llu: labels %llu, clusters %llu, not clusters %llu", number,
             shape.node_labels_len, shape.clusters_len, shape.not_clusters_len);
    for (uint32_t i = 0; i < shape.roles_len; i++) {
        sim_tell(client->sim, "      %llu x %llu milli cpus, %llu MiB, %llu gpus",
                 shape.roles[i].replicas, shape.roles[i].each.cpu_milli,
                 shape.roles[i].each.memory_bytes >> 20, shape.roles[i].each.gpus);
    }
}

void fake_client_tell(const struct fake_client *client)
{
    for (size_t i = 0; i < fake_pg_len(client->pg, FAKE_PG_open_job) && i < 10; i++) {
        struct fl_job job = {fake_pg_row(client->pg, FAKE_PG_open_job, i).job_new.job};
        struct row row;

        if (!fake_pg_find_job(client->pg, job, &row)) continue;
        sim_tell(client->sim, "job %llu: queue %llu, priority %lld", job.n, row.job_new.queue,
                 row.job_new.priority);
        tell_shape(client, row.job_new.name);
    }
    sim_tell(client->sim, "client: %llu of %llu clusters enrolled, %llu stubborn requests open",
             client->enrolled, client->config.clusters, client->stubborn_open);
    for (size_t i = 0; i < client->requests.len; i++) {
        const struct request *request = &client->requests.at[i];

        if (request->is_done || !request->is_stubborn) continue;
        sim_tell(client->sim, "   request %llu kind %llu of %llu, tries %llu, heard %llu", i,
                 request->kind, request->target, request->tries, request->heard);
    }
}

/* --- life ------------------------------------------------------------------------------------ */

struct fake_client *fake_client_create(struct sim *sim, const struct fake_client_config *config,
                                       const struct fake_client_ports *ports,
                                       const struct fake_pg *pg, struct checks *checks)
{
    struct fake_client *client = fl_new(struct fake_client);

    client->sim = sim;
    client->config = *config;
    client->ports = *ports;
    client->pg = pg;
    client->checks = checks;
    client->queues_len = (uint32_t)sim_between(sim, 2, QUEUES_MAX);
    client->shapes_len = (uint32_t)sim_between(sim, 4, SHAPES_MAX);
    for (uint32_t i = 0; i < client->shapes_len; i++) {
        draw_shape(client, &client->shapes[i], i > 2 && sim_chance(sim, 60000));
    }
    return client;
}

void fake_client_destroy(struct fake_client *client)
{
    if (!client) return;
    for (uint32_t i = 0; i < client->shapes_len; i++)
        free(client->shapes[i].bytes);
    fl_vec_fini(&client->requests);
    fl_vec_fini(&client->jobs);
    fl_free(client);
}

void fake_client_begin(struct fake_client *client)
{
    for (uint32_t i = 0; i < client->queues_len; i++) {
        ask(client, (struct request){.kind = QUEUE_PUT, .target = i, .is_stubborn = true});
    }
    ask(client, (struct request){.kind = CLUSTER_PUT, .target = 1, .is_stubborn = true});
    sim_at(client->sim, client->sim->now + 2000, busy, client, 0, 0);
}
