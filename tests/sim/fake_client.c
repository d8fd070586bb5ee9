#include "tests/sim/fake_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "tests/sim/client_state.h"

/* ---- asking and hearing ---------------------------------------------------------------------- */

static void timed_out(void *ctx, uint64_t number, uint64_t b);

static void try_again(void *ctx, uint64_t index, uint64_t b)
{
    struct fake_client *client = ctx;
    struct client_request *request = &client->requests.at[index];
    uint64_t number = index << 8 | (uint64_t)(request->tries & 255);

    (void)b;
    if (request->is_done || request->tries >= TRIES_MAX) return;
    request->tries++;
    client->ports.carry(client->ports.ctx, number);
    sim_at(client->sim, client->sim->now + TIMEOUT_MS, timed_out, client, number, 0);
}

static bool may_repeat(const struct client_request *request)
{
    return request->has_key || request->is_stubborn;
}

static void timed_out(void *ctx, uint64_t number, uint64_t b)
{
    struct fake_client *client = ctx;
    struct client_request *request = &client->requests.at[number >> 8];

    (void)b;
    if (request->is_done || request->heard > (number & 255)) return;
    if (((request->tries - 1) & 255) != (number & 255)) return; /* a newer try is under way */
    if (may_repeat(request)) {
        try_again(client, number >> 8, 0);
    } else {
        request->is_done = true; /* it will never be known */
    }
}

/* Questions about a job come from its own tenant, and a few from another one. */
static uint32_t draw_tenant(struct fake_client *client, const struct client_request *request)
{
    bool is_about_job = request->kind == CANCEL || request->kind == HOLD ||
                        request->kind == RELEASE || request->kind == EDIT ||
                        request->kind == READ || request->kind == EXPLAIN;
    bool is_any = request->kind == SUBMIT || request->kind == RETRY || request->kind == LIST ||
                  request->kind == LIST_QUEUES;
    uint32_t tenant = request->tenant ? request->tenant : 1;
    struct row row;

    if (request->tenant || client->config.tenants < 2) return tenant;
    if (is_about_job && fake_pg_find_ever(client->pg, ROW_TABLE_job, request->target, 0, 0, &row)) {
        tenant = row.job_new.tenant;
        if (client->is_tidying || !sim_chance(client->sim, 50000)) return tenant;
        return tenant % client->config.tenants + 1;
    }
    if (is_any && !request->shape && sim_chance(client->sim, 250000)) tenant = 2;
    return tenant;
}

static uint64_t ask(struct fake_client *client, struct client_request request)
{
    uint64_t index = client->requests.len;

    request.seed = fl_prng_u64(&client->sim->prng);
    request.tenant = draw_tenant(client, &request);
    request.key = index;
    request.poison_ppm = client->config.poison_ppm;
    if (client->jobs.len) { /* one of the newest */
        uint64_t back = request.seed % (client->jobs.len < 30 ? client->jobs.len : 30);

        request.after = client->jobs.at[client->jobs.len - 1 - back];
    }
    if (request.has_key && client->keyed.len && sim_chance(client->sim, 50000)) {
        /* A careless program takes a key twice, or another tenant has the same one. */
        request.key = client->keyed.at[sim_between(client->sim, 0, (int64_t)client->keyed.len - 1)];
    } else if (request.has_key) {
        fl_vec_push(&client->keyed, index);
    }
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

static void join_again(void *ctx, uint64_t cluster, uint64_t b)
{
    struct fake_client *client = ctx;

    (void)b;
    for (uint32_t number = 1; number <= client->config.clusters; number++) {
        if (client->clusters[number].n != cluster) continue;
        ask(client, (struct client_request){
                        .kind = JOIN, .target = number, .ttl_ms = FL_HOUR_MS, .is_stubborn = true});
    }
}

/* In a usual world one after the other, so that ids are numbers, which makes stories easier to
 * read. */
static void enrol_next(struct fake_client *client)
{
    if (client->enrolling == client->config.clusters) return;
    ask(client, (struct client_request){
                    .kind = CLUSTER_PUT, .target = ++client->enrolling, .is_stubborn = true});
}

enum { JOIN_LATE_MS = 8000 };

/* With a token that may have expired by now. */
static void come_late(void *ctx, uint64_t number, uint64_t token)
{
    ask(ctx, (struct client_request){.kind = ENROL, .target = number, .generation = token});
}

static void promise_kept(struct fake_client *client, struct client_request *request, uint64_t index)
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
        if (sim_chance(client->sim, 500000)) { /* the others speak without a certificate */
            sim_at(client->sim, client->sim->now + sim_between(client->sim, 1, 3000), join_again,
                   client, request->id, 0);
        }
        client->ports.enrolled(client->ports.ctx, (uint32_t)request->target,
                               client->clusters[request->target]);
        enrol_next(client);
        break;
    case FORGET:
        sim_mark(client->sim, MARK_cluster_forgotten);
        break;
    case REVOKE:
        sim_at(client->sim, client->sim->now + sim_between(client->sim, 100, 20000), join_again,
               client, request->target, 0);
        break;
    case JOIN:
        if (request->is_stubborn) {
            ask(client, (struct client_request){.kind = ENROL,
                                                .target = request->target,
                                                .generation = request->seed,
                                                .is_stubborn = true});
        } else {
            sim_at(client->sim, client->sim->now + JOIN_LATE_MS, come_late, client, request->target,
                   request->seed);
        }
        break;
    case ENROL:
        sim_mark(client->sim, MARK_cluster_joined);
        /* A thief has found the token, too. */
        if (sim_chance(client->sim, 300000)) {
            ask(client, (struct client_request){.kind = ENROL,
                                                .target = request->target,
                                                .generation = request->generation});
        }
        break;
    default:
        break;
    }
}

/* The answer has arrived. */
static void arrived(void *ctx, uint64_t number, uint64_t what)
{
    struct fake_client *client = ctx;
    struct client_request *request = &client->requests.at[number >> 8];
    enum fl_code code = (enum fl_code)what;

    if (request->is_done) return;
    request->heard = (uint32_t)(number & 255) + 1;
    switch (code) {
    case FL_UNAVAILABLE: /* later, for those who may */
    case FL_NO_SPACE:
    case FL_FULL:
    case FL_CONFLICT:
        if (may_repeat(request) && !request->is_key_taken && request->tries < TRIES_MAX) {
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

/* By the documents: a refusal for what the request itself says is for good. */
static bool is_for_now(const struct core_outcome *outcome)
{
    return outcome->code == FL_ABSENT || outcome->code == FL_FULL || outcome->code == FL_CONFLICT ||
           outcome->code == FL_UNAVAILABLE || outcome->code == FL_IMPOSSIBLE;
}

/* I15: the same key, the same jobs; only what was refused for now may be accepted since. */
static void I15_one_key_one_promise(struct fake_client *client,
                                    const struct client_request *request, uint64_t index,
                                    const struct core_answer *answer)
{
    uint32_t len = (uint32_t)answer->outcomes_len;
    bool is_same = len == request->jobs_len;

    for (uint32_t i = 0; is_same && i < len; i++) {
        uint64_t job = answer->outcomes[i].code == FL_OK ? answer->outcomes[i].job.n : 0;

        is_same = job == request->jobs[i] || (request->open >> i & 1);
        if (job != request->jobs[i]) sim_mark(client->sim, MARK_key_decided_anew);
    }
    if (!is_same) {
        sim_broken(client->sim, "I15", "request %" PRIu64 " with its key was promised other jobs",
                   index);
    }
    sim_mark(client->sim, MARK_key_repeated);
}

/* I15: the late answer of an earlier leader promises nothing that the later leader did not. */
static void I15_the_late_answer_agrees(struct fake_client *client,
                                       const struct client_request *request, uint64_t index,
                                       const struct core_answer *answer)
{
    for (uint32_t i = 0; i < answer->outcomes_len; i++) {
        const struct core_outcome *outcome = &answer->outcomes[i];

        if (outcome->code != FL_OK) continue;
        if (i < request->jobs_len && outcome->job.n == request->jobs[i]) continue;
        sim_broken(client->sim, "I15",
                   "request %" PRIu64 " with its key was promised other jobs by an earlier leader",
                   index);
    }
}

static void note_promise(struct fake_client *client, struct client_request *request, uint64_t index,
                         const struct core_answer *answer, uint64_t epoch)
{
    if (request->kind != SUBMIT && request->kind != RETRY) {
        request->is_promised = true;
        request->id = answer->id;
        return;
    }
    fl_assert(answer->outcomes_len <= ITEMS_MAX);
    if (request->is_promised && request->has_key && epoch < request->promised_epoch) {
        I15_the_late_answer_agrees(client, request, index, answer);
        return;
    }
    if (request->is_promised && request->has_key) {
        I15_one_key_one_promise(client, request, index, answer);
    }
    request->is_promised = true;
    request->promised_epoch = epoch;
    request->jobs_len = (uint32_t)answer->outcomes_len;
    request->open = 0;
    for (uint32_t i = 0; i < request->jobs_len; i++) {
        const struct core_outcome *outcome = &answer->outcomes[i];

        request->jobs[i] = outcome->code == FL_OK ? outcome->job.n : 0;
        request->open |= (uint32_t)is_for_now(outcome) << i;
        if (outcome->code == FL_UNAVAILABLE) sim_mark(client->sim, MARK_room_ended);
    }
}

static bool is_owner(const struct fake_client *client, const struct client_request *request)
{
    struct row row;

    if (!fake_pg_find_ever(client->pg, ROW_TABLE_job, request->target, 0, 0, &row)) return false;
    if (fake_pg_is_gone(client->pg, request->target)) sim_mark(client->sim, MARK_gone_asked);
    if (row.job_new.tenant == request->tenant) return true;
    sim_mark(client->sim, MARK_stranger_refused);
    return false;
}

void fake_client_answer(struct fake_client *client, const struct core_answer *answer,
                        uint64_t epoch)
{
    struct sim *sim = client->sim;
    uint64_t index = answer->request >> 8;
    struct client_request *request = &client->requests.at[index];

    if (client->is_retired) {
        request->is_done = true;
        return;
    }
    sim_tell(sim, "client hears of request %llu try %llu kind %llu: code %llu, job %llu", index,
             answer->request & 255, request->kind, answer->code,
             answer->outcomes_len ? answer->outcomes[0].job.n : request->target);
    if (answer->code == FL_OK && epoch == fake_pg_epoch(client->pg)) {
        client_judge_possible(client, request, answer);
    }
    if (answer->code == FL_OK) {
        /* One whose answer is lost was promised nothing it knows of, but the second answer must
         * agree. */
        note_promise(client, request, index, answer, epoch);
        if (request->kind == CANCEL) {
            checks_cancel_acked(client->checks, (struct fl_job){request->target}, epoch);
        }
    } else if (answer->code == FL_CONFLICT && strstr(answer->text, "another request")) {
        request->is_key_taken = true;
        sim_mark(sim, MARK_key_of_another);
    } else if (answer->code == FL_CHANGED) {
        sim_mark(sim, MARK_edit_of_old);
    } else if (answer->code == FL_NO_SPACE) {
        sim_mark(sim, MARK_disk_full_refused);
    } else if (answer->code == FL_UNAVAILABLE) {
        sim_mark(sim, MARK_request_refused);
    } else if (answer->code == FL_ABSENT && request->kind == READ && is_owner(client, request) &&
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

/* ---- doing things ---------------------------------------------------------------------------- */

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

static void ask_about(struct fake_client *client, enum client_kind kind, uint64_t job)
{
    if (job) ask(client, (struct client_request){.kind = kind, .target = job});
}

/* A key's holder comes once more, or a thief does. */
static void renew(struct fake_client *client, uint32_t cluster)
{
    struct client_request request = {.kind = RENEW, .target = cluster};

    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_cluster); i++) {
        struct row_cluster_put row = fake_pg_row(client->pg, ROW_TABLE_cluster, i).cluster_put;

        if (row.cluster == cluster) request.generation = row.generation;
    }
    if (request.generation > 1 && sim_chance(client->sim, 300000)) request.generation--;
    ask(client, request);
}

/* A token asks for a new secret with the one that it has, with the one before, since the answer
 * with the newest was lost, or with one that it never had. */
static void rotate(struct fake_client *client, size_t tokens)
{
    struct sim *sim = client->sim;
    size_t i = (size_t)sim_between(sim, 0, (int64_t)tokens - 1);
    struct row_token_put row = fake_pg_row(client->pg, ROW_TABLE_token, i).token_put;
    int64_t dice = sim_between(sim, 0, 9);
    struct client_request request = {.kind = TOKEN_ROTATE};

    request.target = (uint64_t)(row.id.at[1] - '0'); /* t1 to t5 */
    if (dice > 0) request.shown = dice < 6 ? row.mac : row.old_mac;
    request.ttl_ms = sim_chance(sim, 700000) ? sim_between(sim, 1000, 20000) : 0;
    ask(client, request);
}

static void administer(struct fake_client *client, uint32_t cluster)
{
    struct sim *sim = client->sim;
    int64_t dice = sim_between(sim, 0, 99);
    struct client_request token = {.kind = dice < 75 ? TOKEN_PUT : TOKEN_REVOKE,
                                   .target = (uint64_t)sim_between(sim, 1, 5)};
    size_t tokens = fake_pg_len(client->pg, ROW_TABLE_token);

    if (tokens > 0 && sim_chance(sim, 500000)) {
        rotate(client, tokens);
    } else if (dice < 30) {
        ask(client, (struct client_request){.kind = CORDON, .target = cluster});
    } else if (dice < 55) {
        ask(client, (struct client_request){.kind = UNCORDON, .target = cluster});
    } else if (dice < 65) {
        ask(client, (struct client_request){
                        .kind = DRAIN, .target = cluster, .is_on = sim_chance(sim, 700000)});
    } else if (dice < 70) {
        ask(client, (struct client_request){
                        .kind = JOIN, .target = cluster, .ttl_ms = sim_between(sim, 1000, 12000)});
    } else if (dice < 80) {
        if (sim_chance(sim, 500000)) token.ttl_ms = 20000;
        ask(client, token);
    } else if (dice < 90) {
        renew(client, cluster);
    } else if (dice < 95) {
        ask(client, (struct client_request){.kind = sim_chance(sim, 400000) ? UNLOCK : REVOKE,
                                            .target = cluster});
    } else {
        ask(client,
            (struct client_request){.kind = sim_chance(sim, 500000) ? LIST_CLUSTERS : LIST_QUEUES});
    }
}

static void do_something(struct fake_client *client)
{
    struct sim *sim = client->sim;
    int64_t dice = sim_between(sim, 0, 99);
    uint64_t job = some_job(client);

    if (client->submitted < client->config.jobs_min || dice < 50) {
        client->submitted++;
        ask(client, (struct client_request){.kind = SUBMIT, .has_key = sim_chance(sim, 500000)});
        if (client->submitted >= client->config.jobs_min) return;
    }
    if (dice < 62) {
        ask_about(client, CANCEL, job);
    } else if (dice < 65) {
        ask_about(client, HOLD, job);
    } else if (dice < 70) {
        ask_about(client, RELEASE, job);
    } else if (dice < 75) {
        ask(client, (struct client_request){
                        .kind = EDIT, .target = job, .has_key = sim_chance(sim, 500000)});
        if (sim_chance(sim, 300000)) ask_about(client, EDIT, job); /* somebody else, just then */
    } else if (dice < 80) {
        ask_about(client, READ, job);
    } else if (dice < 84) {
        ask_about(client, EXPLAIN, job);
    } else if (dice < 88) {
        ask(client, (struct client_request){.kind = LIST, .target = job > 20 ? job - 20 : 0});
    } else if (dice < 92) {
        if (job && !fake_pg_find(client->pg, ROW_TABLE_open_job, job, 0, 0, NULL)) {
            ask(client, (struct client_request){
                            .kind = RETRY, .target = job, .has_key = sim_chance(sim, 500000)});
        }
    } else if (dice < 95) {
        ask(client,
            (struct client_request){.kind = QUEUE_PUT,
                                    .target = (uint64_t)sim_between(sim, 0, client->queues_len - 1),
                                    .tenant = (uint32_t)sim_between(sim, 1, client->config.tenants),
                                    .is_on = sim_chance(sim, 500000)});
    } else if (client->enrolled) {
        uint32_t number = (uint32_t)sim_between(sim, 1, client->config.clusters);

        if (client->clusters[number].n) administer(client, client->clusters[number].n);
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

enum { STREAM_EVERY_MS = 2000, STREAM_ELEMENTS = 6, STREAM_GANG_AFTER_MS = 8000 };

static void flow(void *ctx, uint64_t a, uint64_t b)
{
    struct fake_client *client = ctx;
    const struct fake_client_stream *stream = &client->stream;

    (void)a;
    (void)b;
    if (client->sim->now >= stream->until) return;
    ask(client, (struct client_request){
                    .kind = SUBMIT,
                    .shape = client->drawn_len + 1,
                    .elements = STREAM_ELEMENTS,
                    .target = (uint64_t)sim_between(client->sim, 1, client->queues_len - 1)});
    sim_at(client->sim, client->sim->now + sim_between(client->sim, 1, 2 * STREAM_EVERY_MS), flow,
           client, 0, 0);
}

static void send_gang(void *ctx, uint64_t a, uint64_t b)
{
    struct fake_client *client = ctx;

    (void)a;
    (void)b;
    ask(client,
        (struct client_request){
            .kind = SUBMIT, .shape = client->drawn_len + 2, .elements = 1, .has_key = true});
}

void fake_client_add_stream(struct fake_client *client, const struct fake_client_stream *stream)
{
    struct sim *sim = client->sim;
    struct fl_resources small = stream->each;

    client->stream = *stream;
    small.cpu_milli = small.cpu_milli / 4 + 1;
    small.memory_bytes = small.memory_bytes / 4 + 1;
    client_make_shape(&client->shapes[client->shapes_len++], stream->cluster, 1, small);
    client_make_shape(&client->shapes[client->shapes_len++], stream->cluster, stream->replicas,
                      stream->each);
    sim_at(sim, stream->from, flow, client, 0, 0);
    sim_at(sim, stream->from + STREAM_GANG_AFTER_MS, send_gang, client, 0, 0);
}

enum { LARGE_GANG = 256, LARGE_EACH_MILLI = 50 };

static void send_large(void *ctx, uint64_t shape, uint64_t elements)
{
    ask(ctx, (struct client_request){.kind = SUBMIT,
                                     .shape = (uint32_t)shape,
                                     .elements = (uint32_t)elements,
                                     .has_key = true});
}

static void add_chosen(struct fake_client *client, uint32_t replicas, struct fl_resources each,
                       uint32_t elements, fl_ms at)
{
    each.memory_bytes = 16 << 20;
    client_make_shape(&client->shapes[client->shapes_len++], 0, replicas, each);
    sim_at(client->sim, at, send_large, client, client->shapes_len, elements);
}

void fake_client_add_large(struct fake_client *client, uint32_t elements, fl_ms at)
{
    struct fl_resources each = {.cpu_milli = LARGE_EACH_MILLI};

    add_chosen(client, LARGE_GANG, each, 1, at);
    add_chosen(client, 1, each, elements, at);
}

static void send_again(void *ctx, uint64_t shape, uint64_t elements)
{
    ask(ctx, (struct client_request){.kind = SUBMIT,
                                     .shape = (uint32_t)shape,
                                     .elements = (uint32_t)elements,
                                     .target = 1,
                                     .has_key = true});
}

/* Each node has WIDE_MILLI at least, none has twice WIDE_GANG_MILLI, nor room for LARGE_GANG
 * replicas of WIDE_LARGE_MILLI; half of them have eight gpus. */
enum {
    WIDE_MILLI = 7000,
    WIDE_GANG = 5,
    WIDE_GANGS = 6,
    WIDE_GANG_MILLI = 17000,
    WIDE_LARGE_MILLI = 200,
    WIDE_GPUS = 4,
    WIDE_GPU_ELEMENTS = 300,
    WIDE_AGAIN_MS = 50000,
};

void fake_client_add_wide(struct fake_client *client, uint32_t elements, fl_ms at)
{
    add_chosen(client, LARGE_GANG, (struct fl_resources){.cpu_milli = WIDE_LARGE_MILLI}, 1, at);
    add_chosen(client, WIDE_GANG, (struct fl_resources){.cpu_milli = WIDE_GANG_MILLI}, WIDE_GANGS,
               at);
    add_chosen(client, 1, (struct fl_resources){.cpu_milli = LARGE_EACH_MILLI, .gpus = WIDE_GPUS},
               WIDE_GPU_ELEMENTS, at);
    add_chosen(client, 1, (struct fl_resources){.cpu_milli = WIDE_MILLI}, elements, at);
    /* And once more, to another queue: one may be held, paused or cancelled. */
    sim_at(client->sim, at + WIDE_AGAIN_MS, send_again, client, client->shapes_len, elements);
}

void fake_client_retire(struct fake_client *client)
{
    client->is_retired = true;
    client->stubborn_open = 0;
    for (size_t i = 0; i < client->requests.len; i++) {
        client->requests.at[i].is_done = true;
    }
}

void fake_client_storm(struct fake_client *client, uint32_t requests)
{
    for (uint32_t i = 0; i < requests; i++) {
        do_something(client);
    }
}

void fake_client_forget(struct fake_client *client, struct fl_cluster cluster)
{
    ask(client, (struct client_request){.kind = FORGET, .target = cluster.n, .is_stubborn = true});
}

/* Sees, by looking into the rows, what waits for a person. */
static void tidy(void *ctx, uint64_t a, uint64_t b)
{
    struct fake_client *client = ctx;
    struct sim *sim = client->sim;

    (void)b;
    if (client->is_retired) return;
    /* Every time anew: an earlier question may have been on its way for long. */
    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_queue); i++) {
        struct row_queue_put queue = fake_pg_row(client->pg, ROW_TABLE_queue, i).queue_put;
        uint64_t number = (uint64_t)(queue.name.at[queue.name.len - 1] - '0'); /* "queue-3" */

        if (!queue.is_paused) continue;
        ask(client,
            (struct client_request){
                .kind = QUEUE_PUT, .target = number, .tenant = queue.tenant, .is_stubborn = true});
    }
    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_cluster); i++) {
        struct row_cluster_put cluster = fake_pg_row(client->pg, ROW_TABLE_cluster, i).cluster_put;

        if (cluster.state == CLUSTER_ENROLLED && cluster.access == CORE_ACCESS_revoked) {
            join_again(client, cluster.cluster, 0);
        } else if (cluster.state == CLUSTER_ENROLLED && cluster.access == CORE_ACCESS_locked) {
            ask(client, (struct client_request){
                            .kind = UNLOCK, .target = cluster.cluster, .is_stubborn = true});
        }
        if (cluster.cordon.len == 0) continue;
        ask(client, (struct client_request){
                        .kind = UNCORDON, .target = cluster.cluster, .is_stubborn = true});
    }
    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_open_job); i++) {
        struct fl_job job = {fake_pg_row(client->pg, ROW_TABLE_open_job, i).job_new.job};
        struct row row;

        fl_assert(fake_pg_find(client->pg, ROW_TABLE_job, job.n, 0, 0, &row));
        if (client_is_impossible(client, row.job_new.name)) {
            ask_about(client, CANCEL, job.n);
        } else if (client->ports.is_endless(client->ports.ctx, job)) {
            ask_about(client, CANCEL, job.n);
        } else if (fake_pg_find(client->pg, ROW_TABLE_open_mark, job.n, CORE_MARK_held, 0, &row)) {
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

/* The form of a job that is open, to explain why it does not start. */
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
    for (size_t i = 0; i < fake_pg_len(client->pg, ROW_TABLE_open_job) && i < 10; i++) {
        struct fl_job job = {fake_pg_row(client->pg, ROW_TABLE_open_job, i).job_new.job};
        struct row row;

        if (!fake_pg_find(client->pg, ROW_TABLE_job, job.n, 0, 0, &row)) continue;
        sim_tell(client->sim, "job %llu: queue %llu, priority %lld", job.n, row.job_new.queue,
                 row.job_new.priority);
        tell_shape(client, row.job_new.name);
    }
    sim_tell(client->sim, "client: %llu of %llu clusters enrolled, %llu stubborn requests open",
             client->enrolled, client->config.clusters, client->stubborn_open);
    for (size_t i = 0; i < client->requests.len; i++) {
        const struct client_request *request = &client->requests.at[i];

        if (request->is_done || !request->is_stubborn) continue;
        sim_tell(client->sim, "   request %llu kind %llu of %llu, tries %llu, heard %llu", i,
                 request->kind, request->target, request->tries, request->heard);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

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
    client->clusters = fl_new_array(struct fl_cluster, config->clusters + 1);
    fl_vec_push(&client->requests,
                ((struct client_request){.is_done = true})); /* no request has number 0 */
    client->queues_len = (uint32_t)sim_between(sim, 2, QUEUES_MAX);
    client->shapes_len = (uint32_t)sim_between(sim, 4, SHAPES_MAX);
    for (uint32_t i = 0; i < client->shapes_len; i++) {
        client_draw_shape(client, &client->shapes[i], i > 2 && sim_chance(sim, 60000));
    }
    client_share_shape(&client->shapes[2], &client->shapes[1]);
    client->drawn_len = client->shapes_len;
    return client;
}

void fake_client_destroy(struct fake_client *client)
{
    if (!client) return;
    for (uint32_t i = 0; i < client->shapes_len; i++) {
        free(client->shapes[i].bytes);
    }
    fl_vec_fini(&client->requests);
    fl_vec_fini(&client->jobs);
    fl_vec_fini(&client->keyed);
    fl_free(client->clusters);
    fl_free(client);
}

void fake_client_begin(struct fake_client *client)
{
    for (uint32_t i = 0; i < client->queues_len; i++) {
        for (uint32_t tenant = 1; tenant <= client->config.tenants; tenant++) {
            ask(client, (struct client_request){
                            .kind = QUEUE_PUT, .target = i, .tenant = tenant, .is_stubborn = true});
        }
    }
    for (uint32_t i = 0; i < client->config.enrolling; i++) {
        enrol_next(client);
    }
    sim_at(client->sim, client->sim->now + 2000, busy, client, 0, 0);
}
