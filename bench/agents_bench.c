/* agents_bench.c - fake: many agents in one process, over real sockets: TLS 1.3 with a certificate
 * each, a WebSocket, and the frames, messages, credits and back-off of the real ones (shared/link).
 * They run nothing: START is answered with created, GO with running and exited 0, at once.
 *
 *   agents_bench --api=HOST:PORT --token=FILE --hub=HOST:PORT --figures=FILE
 *                [--tls=1] [--agents=10] [--name=bench] [--seconds=900]
 *                [--lines=N | --brief=1]
 *   agents_bench ... --probe=1000 [--pause=2]
 *                measures the time from a job's post to its GO: posts a job that only its one agent
 *                may run, waits until that has GO, waits 'pause' ms, and repeats; value: the
 *                median, in ms
 *
 * It enrols clusters NAME-0, NAME-1 ... with join tokens over the API, then runs until SIGTERM.
 * Its observations are in the figures (bench_help_figures.h).  With --lines=N the replicas together
 * write N lines of output a second; 0: as many as the tunnels take.  With --brief=1 each replica
 * writes one line, and its output ends.  While the figure 'hold' is not
 * 0, attempts that got GO do not end.  It notes each job that got GO, to see a second GO; it does
 * not tell elements apart, so a job must have only one.  Threads: one for all tunnels; with --probe
 * one more, which posts. */
#include <inttypes.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "bench/bench_help_brief.h"
#include "bench/bench_help_enrol.h"
#include "bench/bench_help_figures.h"
#include "bench/bench_help_http.h"
#include "bench/bench_help_job.h"
#include "bench/bench_help_lines.h"
#include "bench/bench_help_socket.h"
#include "shared/base/alloc.h"
#include "shared/base/job_name.h"
#include "shared/link/mux.h"

enum {
    EVENTS_MAX = 512,
    TICK_MS = 20,    /* how often deadlines are looked at */
    NODE_MS = 1000,  /* a node is reported again when its load has changed */
    SLOTS = 50000,   /* jobs of one CPU that an agent's node holds */
    DIALS_MAX = 256, /* handshakes at once, of this process */
    WRITES_MAX = 8,
    LINES_DUE_MAX = 100000, /* lines at a time for an agent that sends as fast as it may */
    LINES_MS = 5,
    PROBE_WAIT_S = 30,
    HEARDS_LEN = 65536,
};

struct held { /* an attempt; in the order of the STARTs */
    struct fl_attempt attempt;
    enum fl_replica_state state;
    uint64_t report_seq; /* the report of its end */
};

struct agent {
    struct rig *rig;
    size_t number;
    struct bench_identity identity;
    struct bench_socket socket;
    struct fl_mux *mux;
    struct bench_lines lines;
    struct bench_brief brief;
    uint32_t log_stream;
    FL_VEC(struct held) held;
    size_t held_at, go_at; /* attempts before held_at are over; look for the next GO from go_at */
    uint64_t session_epoch, report_seq, control_seq, told_seq, live;
    fl_ms node_at;
    bool is_up, is_dirty, is_lost, is_dialing;
};

struct rig {
    struct agent *agents;
    size_t agents_len;
    const char *name;
    struct addrinfo *hub;
    SSL_CTX *tls;
    int poll_fd;
    fl_ms now;
    size_t dialing;
    struct bench_figures *figures;
    FL_VEC(struct agent *) dirty;
    FL_VEC(struct agent *) waiting; /* to dial */
    struct fl_buf out;
    uint8_t *ran; /* a bit for each job that got GO */
    size_t ran_bytes;
    bool was_holding;
    double lines_per_s; /* below 0: no output */
    double lines_left;  /* the part of a line that each agent has not sent yet */
    bool is_brief;      /* an output is one line, and ends */
    fl_ms lines_at;

    /* A probe's time of GO, by the number of its job; its cluster may run other jobs, too. */
    bool is_probing;
    sem_t heard;
    struct heard {
        _Atomic uint64_t job;
        int64_t at_ns; /* written before 'job' */
    } * heards;
};

static void touch(struct agent *agent)
{
    if (agent->is_dirty) return;
    agent->is_dirty = true;
    fl_vec_push(&agent->rig->dirty, agent);
}

static fl_ms now_ms(void)
{
    return bench_now_ns() / 1000000;
}

/* ---- messages to the hub --------------------------------------------------------------------- */

static void say(struct agent *agent, const struct fl_msg *msg)
{
    fl_mux_put(agent->mux, msg);
    touch(agent);
}

static void say_hello(struct agent *agent)
{
    struct fl_msg msg = {.kind = FL_MSG_hello};
    char uid[64];

    snprintf(uid, sizeof uid, "fake-%s-%zu", agent->rig->name, agent->number);
    msg.hello = (struct fl_msg_hello){.protocol_min = FL_PROTOCOL_MIN,
                                      .protocol_max = FL_PROTOCOL_MAX,
                                      .boot = 1 + agent->number,
                                      .cluster_uid = fl_str_c(uid),
                                      .version = FL_STR("fake"),
                                      .capabilities = FL_STR("[]")};
    say(agent, &msg);
}

static void say_node(struct agent *agent)
{
    uint64_t used = agent->live < SLOTS ? agent->live : SLOTS;
    struct fl_msg msg = {.kind = FL_MSG_node};

    agent->told_seq = agent->control_seq;
    agent->node_at = agent->rig->now;
    msg.node = (struct fl_msg_node){
        .report_seq = ++agent->report_seq,
        .mark = agent->control_seq,
        .is_ready = true,
        .name = FL_STR(BENCH_NODE),
        .total = {.memory_bytes = (uint64_t)SLOTS << 30, .cpu_milli = SLOTS * 1000},
        .free = {.memory_bytes = (SLOTS - used) << 30,
                 .cpu_milli = (uint32_t)(SLOTS - used) * 1000}};
    say(agent, &msg);
}

static void say_replica(struct agent *agent, struct held *held, enum fl_replica_state state)
{
    struct fl_msg msg = {.kind = FL_MSG_replica};
    uint8_t used[FL_USAGE_BYTES];

    held->state = state;
    msg.replica = (struct fl_msg_replica){
        .report_seq = ++agent->report_seq, .attempt = held->attempt, .state = state};
    if (fl_replica_state_is_last(state)) held->report_seq = agent->report_seq;
    if (state == FL_REPLICA_exited) msg.replica.usage = fl_usage_write(&bench_usage, used);
    say(agent, &msg);
}

static void say_all(struct agent *agent, uint64_t session_epoch)
{
    struct fl_msg msg = {.kind = FL_MSG_inventory_begin, .inventory_begin = {session_epoch}};
    struct fl_msg_inventory_end end = {0};

    agent->session_epoch = session_epoch;
    agent->report_seq = agent->control_seq = agent->told_seq = 0;
    say(agent, &msg);
    for (size_t i = agent->held_at; i < agent->held.len; i++) {
        struct held *held = &agent->held.at[i];

        if (held->state == FL_REPLICA_absent) continue;
        held->report_seq = 0; /* its report is sent again below, with a new number */
        msg = (struct fl_msg){.kind = FL_MSG_inventory_item,
                              .inventory_item = {.attempt = held->attempt, .state = held->state}};
        end.digest = fl_inventory_digest(end.digest, held->attempt, 0, held->state, 0);
        end.count++;
        say(agent, &msg);
    }
    msg = (struct fl_msg){.kind = FL_MSG_inventory_end, .inventory_end = end};
    say(agent, &msg);
    for (size_t i = agent->held_at; i < agent->held.len;
         i++) { /* ends without an acknowledgement */
        struct held *held = &agent->held.at[i];

        if (held->state == FL_REPLICA_exited) say_replica(agent, held, FL_REPLICA_exited);
    }
    say_node(agent);
    if (!agent->is_up) agent->rig->figures->up++;
    agent->is_up = true;
}

/* ---- messages from the hub ------------------------------------------------------------------- */

static struct held *find(struct agent *agent, struct fl_attempt attempt)
{
    size_t from = agent->go_at > agent->held_at ? agent->go_at : agent->held_at;
    size_t len = agent->held.len - agent->held_at;

    for (size_t n = 0; n < len; n++) {
        size_t i = from + n < agent->held.len ? from + n : from + n - len;

        if (!fl_attempt_is_same(agent->held.at[i].attempt, attempt)) continue;
        if (agent->held.at[i].state == FL_REPLICA_created) agent->go_at = i + 1;
        return &agent->held.at[i];
    }
    return NULL;
}

static void forget(struct agent *agent, struct held *held)
{
    held->state = FL_REPLICA_absent;
    agent->live--;
    agent->rig->figures->live--;
}

static void drop_old(struct agent *agent)
{
    while (agent->held_at < agent->held.len &&
           agent->held.at[agent->held_at].state == FL_REPLICA_absent) {
        agent->held_at++;
    }
    if (agent->held_at < 4096 || agent->held_at < agent->held.len / 2) return;
    memmove(agent->held.at, agent->held.at + agent->held_at,
            (agent->held.len - agent->held_at) * sizeof *agent->held.at);
    agent->held.len -= agent->held_at;
    agent->go_at = agent->go_at > agent->held_at ? agent->go_at - agent->held_at : 0;
    agent->held_at = 0;
}

/* Notes that this job runs; true if it is the first time. */
static bool note_run(struct rig *rig, uint64_t job)
{
    size_t at = job / 8;
    uint8_t bit = (uint8_t)(1U << job % 8);

    if (at >= rig->ran_bytes) {
        size_t bytes = 2 * at + 4096;

        rig->ran = fl_realloc_array(rig->ran, uint8_t, bytes);
        memset(rig->ran + rig->ran_bytes, 0, bytes - rig->ran_bytes);
        rig->ran_bytes = bytes;
    }
    if (rig->ran[at] & bit) return false;
    rig->ran[at] |= bit;
    return true;
}

static void hear_start(struct agent *agent, const struct fl_msg_start *start)
{
    if (find(agent, start->attempt)) return;
    fl_vec_push(&agent->held, (struct held){.attempt = start->attempt});
    agent->live++;
    agent->rig->figures->live++;
    say_replica(agent, &agent->held.at[agent->held.len - 1], FL_REPLICA_created);
}

static void want_brief(struct agent *agent)
{
    fl_mux_wants(agent->mux, agent->log_stream, bench_brief_wants(&agent->brief));
    touch(agent);
}

static void hear_go(struct agent *agent, struct fl_attempt attempt)
{
    struct rig *rig = agent->rig;
    struct held *held = find(agent, attempt);

    if (!held || held->state != FL_REPLICA_created) return;
    if (rig->is_probing) {
        struct heard *heard = &rig->heards[attempt.job.n % HEARDS_LEN];

        heard->at_ns = bench_now_ns();
        heard->job = attempt.job.n;
        sem_post(&rig->heard);
    }
    rig->figures->started++;
    if (!note_run(rig, attempt.job.n)) rig->figures->doubled++;
    say_replica(agent, held, FL_REPLICA_running);
    if (!rig->figures->hold) say_replica(agent, held, FL_REPLICA_exited);
    if (rig->lines_per_s >= 0) bench_lines_add(&agent->lines, attempt);
    if (rig->is_brief) {
        bench_brief_add(&agent->brief, attempt);
        want_brief(agent);
    }
}

static void hear_stop(struct agent *agent, struct fl_attempt attempt)
{
    struct held *held = find(agent, attempt);

    if (!held || fl_replica_state_is_last(held->state)) return;
    agent->rig->figures->stopped++;
    say_replica(agent, held, FL_REPLICA_exited);
}

static void hear_ack(struct agent *agent, uint64_t report_seq)
{
    for (size_t i = agent->held_at; i < agent->held.len; i++) {
        struct held *held = &agent->held.at[i];

        if (held->state == FL_REPLICA_created && held->report_seq == 0) break;
        if (held->state != FL_REPLICA_exited || held->report_seq == 0) continue;
        if (held->report_seq > report_seq) break;
        agent->rig->figures->ended++;
        forget(agent, held);
    }
    drop_old(agent);
}

static void hear(struct agent *agent, const struct fl_msg *msg)
{
    uint64_t seq = 0;

    switch (msg->kind) {
    case FL_MSG_start:
        seq = msg->start.control_seq;
        hear_start(agent, &msg->start);
        break;
    case FL_MSG_go:
        seq = msg->go.control_seq;
        hear_go(agent, msg->go.attempt);
        break;
    case FL_MSG_stop:
        seq = msg->stop.control_seq;
        hear_stop(agent, msg->stop.attempt);
        break;
    case FL_MSG_ack:
        hear_ack(agent, msg->ack.report_seq);
        break;
    case FL_MSG_resync:
        say_all(agent, msg->resync.session_epoch);
        break;
    default:
        break;
    }
    if (seq > agent->control_seq) agent->control_seq = seq;
}

/* ---- their connections ----------------------------------------------------------------------- */

static void act(struct agent *agent, enum fl_link_answer answer);

static void step(struct agent *agent, enum fl_link_event_kind kind)
{
    act(agent, fl_mux_step(agent->mux, kind, agent->rig->now));
    touch(agent);
}

static void end_dialing(struct agent *agent)
{
    if (agent->is_dialing) agent->rig->dialing--;
    agent->is_dialing = false;
}

static void act(struct agent *agent, enum fl_link_answer answer)
{
    struct rig *rig = agent->rig;

    switch (answer) {
    case FL_LINK_DO_DIAL:
        fl_vec_push(&rig->waiting, agent);
        break;
    case FL_LINK_DO_HELLO:
        say_hello(agent);
        break;
    case FL_LINK_DO_CLOSE:
        if (agent->is_up) rig->figures->up--;
        if (agent->is_up) rig->figures->lost++;
        agent->is_up = false;
        agent->is_lost = true; /* dropped at the end of the turn: this may be its callback */
        end_dialing(agent);
        touch(agent);
        break;
    default:
        break;
    }
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct agent *agent = ctx;

    if (stream != agent->log_stream) return 0;
    if (agent->rig->is_brief) return bench_brief_pull(&agent->brief, at, bytes_max);
    return bench_lines_pull(&agent->lines, at, bytes_max);
}

static void begin_logs(struct agent *agent)
{
    struct fl_err err = {0};

    if (agent->rig->lines_per_s < 0 && !agent->rig->is_brief) return;
    bench_lines_restart(&agent->lines);
    bench_brief_restart(&agent->brief);
    if (!fl_mux_open(agent->mux, FL_FRAME_LOG, agent->rig->now, &agent->log_stream, &err)) {
        bench_die("the LOG stream: %s", err.text);
    }
}

/* Sends the reports that have become due since the last tick. */
static void write_lines(struct rig *rig)
{
    double passed_s = (double)(rig->now - rig->lines_at) * 1e-3;
    double more = rig->lines_left + rig->lines_per_s * passed_s / (double)rig->agents_len;

    rig->lines_at = rig->now;
    rig->lines_left = more - (double)(uint64_t)more;
    for (size_t i = 0; i < rig->agents_len; i++) {
        struct agent *agent = &rig->agents[i];

        if (!agent->is_up || agent->lines.sources.len == 0) continue;
        if (rig->lines_per_s == 0) {
            agent->lines.due = LINES_DUE_MAX;
        } else {
            agent->lines.due += (uint64_t)more;
        }
        fl_mux_wants(agent->mux, agent->log_stream, bench_lines_wants(&agent->lines));
        touch(agent);
    }
}

static void hear_logs(struct agent *agent, struct fl_str payload)
{
    if (agent->rig->is_brief) {
        bench_brief_hear(&agent->brief, payload);
        want_brief(agent);
    } else {
        bench_lines_hear(&agent->lines, payload);
    }
}

static void take_bytes(void *ctx, struct fl_str bytes)
{
    struct agent *agent = ctx;
    struct fl_mux_item item;
    struct fl_err err = {0};

    while (fl_mux_receive(agent->mux, &bytes, agent->rig->now, &item, &err)) {
        switch (item.kind) {
        case FL_MUX_ANSWER:
            if (item.answer == FL_LINK_DO_BEGIN) {
                begin_logs(agent);
                say_all(agent, item.messages->welcome.session_epoch);
            } else {
                if (item.messages_len && item.messages->kind == FL_MSG_bye &&
                    !agent->rig->figures->hold) {
                    fprintf(stderr, "agents_bench: BYE: " FL_STR_FMT "\n",
                            FL_STR_ARG(item.messages->bye.text));
                }
                act(agent, item.answer);
            }
            break;
        case FL_MUX_MESSAGE:
            for (size_t i = 0; i < item.messages_len; i++) {
                hear(agent, &item.messages[i]);
            }
            break;
        case FL_MUX_DATA: /* specs are dropped: they are never run */
            if (item.stream == agent->log_stream) hear_logs(agent, item.bytes);
            fl_mux_consumed(agent->mux, item.stream, (uint32_t)item.bytes.len);
            break;
        case FL_MUX_CLOSED:
            break;
        }
    }
    if (err.text[0]) bench_die("agent %zu heard what breaks a rule: %s", agent->number, err.text);
    touch(agent);
}

static void on_socket(struct agent *agent)
{
    bool is_opened, is_there;

    if (agent->socket.state == SOCKET_NONE) return;
    is_there = bench_socket_step(&agent->socket, agent->rig->poll_fd, agent, take_bytes, agent,
                                 &is_opened);
    if (is_opened) {
        end_dialing(agent);
        step(agent, FL_LINK_EV_opened);
    }
    if (!is_there) {
        end_dialing(agent);
        bench_socket_drop(&agent->socket);
        step(agent, FL_LINK_EV_lost);
    }
    touch(agent);
}

static bool flush(struct agent *agent)
{
    struct rig *rig = agent->rig;

    for (int i = 0;
         i < WRITES_MAX && bench_socket_has_room(&agent->socket) && fl_mux_has_output(agent->mux);
         i++) {
        fl_buf_clear(&rig->out);
        if (fl_mux_write(agent->mux, rig->now, &rig->out) == 0) break;
        if (!bench_socket_send(&agent->socket, rig->poll_fd, agent,
                               (struct fl_str){(const char *)rig->out.at, rig->out.len})) {
            return false;
        }
    }
    return true;
}

static void settle(struct rig *rig)
{
    for (size_t i = 0; i < rig->dirty.len; i++) { /* it grows meanwhile */
        struct agent *agent = rig->dirty.at[i];

        agent->is_dirty = false;
        if (agent->is_lost) {
            agent->is_lost = false;
            bench_socket_drop(&agent->socket);
        } else if (!flush(agent)) {
            bench_socket_drop(&agent->socket);
            step(agent, FL_LINK_EV_lost);
        }
    }
    rig->dirty.len = 0;
}

static void dial_some(struct rig *rig)
{
    while (rig->waiting.len > 0 && rig->dialing < DIALS_MAX) {
        struct agent *agent = fl_vec_pop(&rig->waiting);

        if (fl_mux_link(agent->mux)->state != FL_LINK_DIALING) continue;
        bench_socket_drop(&agent->socket);
        rig->dialing++;
        agent->is_dialing = true;
        if (!bench_socket_dial(&agent->socket, rig->hub, rig->tls, agent->identity.cert,
                               agent->identity.key, rig->poll_fd, agent)) {
            end_dialing(agent);
            step(agent, FL_LINK_EV_lost);
        }
    }
}

static void release_held(struct agent *agent)
{
    for (size_t i = agent->held_at; i < agent->held.len && agent->is_up; i++) {
        struct held *held = &agent->held.at[i];

        if (held->state == FL_REPLICA_running) say_replica(agent, held, FL_REPLICA_exited);
    }
}

static void tick(struct rig *rig)
{
    bool is_holding = rig->figures->hold != 0;
    bool is_releasing = rig->was_holding && !is_holding;

    rig->was_holding = is_holding;
    for (size_t i = 0; i < rig->agents_len; i++) {
        struct agent *agent = &rig->agents[i];

        for (int n = 0; n < 4 && rig->now >= fl_mux_deadline(agent->mux); n++) {
            step(agent, FL_LINK_EV_tick);
        }
        if (!agent->is_up) continue;
        if (is_releasing) release_held(agent);
        if (agent->told_seq != agent->control_seq && rig->now - agent->node_at >= NODE_MS) {
            say_node(agent);
        }
    }
}

static void run(struct rig *rig, const atomic_bool *should_stop)
{
    struct epoll_event events[EVENTS_MAX];
    fl_ms tick_at = 0;

    while (!should_stop || !*should_stop) {
        int n =
            epoll_wait(rig->poll_fd, events, EVENTS_MAX, rig->lines_per_s < 0 ? TICK_MS : LINES_MS);

        rig->now = now_ms();
        for (int i = 0; i < n; i++) {
            on_socket(events[i].data.ptr);
        }
        if (rig->now >= tick_at) {
            tick_at = rig->now + TICK_MS;
            tick(rig);
        }
        if (rig->lines_per_s == 0 ||
            (rig->lines_per_s > 0 && rig->now - rig->lines_at >= LINES_MS)) {
            write_lines(rig);
        }
        dial_some(rig);
        settle(rig);
    }
}

/* ---- from a job's POST to its GO ------------------------------------------------------------- */

struct probe {
    struct rig *rig;
    const struct bench_api *api;
    size_t jobs;
    double pause_ms;
    atomic_bool is_done;
};

/* When the GO of the answer's job was heard. */
static int64_t go_of(struct rig *rig, struct fl_str answer)
{
    struct fl_err err = {0};
    struct timespec until;
    struct fl_job job;
    struct heard *heard;

    if (!fl_job_parse(bench_http_member(answer, "id"), &job, &err)) bench_die("%s", err.text);
    heard = &rig->heards[job.n % HEARDS_LEN];
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PROBE_WAIT_S;
    while (heard->job != job.n) {
        if (sem_timedwait(&rig->heard, &until) != 0) bench_die("a job was not started");
    }
    return heard->at_ns;
}

static void *probe_run(void *arg)
{
    static const char json[] = "Content-Type: application/json\r\n";
    struct probe *probe = arg;
    struct bench_samples took_ms = {0}, answer_ms = {0};
    struct bench_http http;
    char body[512];

    snprintf(body, sizeof body,
             "{\"queue\":\"" BENCH_QUEUE "\",\"command\":[\"true\"],\"resources\":{\"cpu\":\"1\"},"
             "\"clusters\":[\"%s-0\"]}",
             probe->rig->name);
    bench_http_open(&http, probe->api);
    while (probe->rig->figures->up == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    sleep(1); /* its node is known */
    for (size_t i = 0; i < probe->jobs; i++) {
        struct timespec rest = {.tv_nsec = (long)(probe->pause_ms * 1e6)};
        int64_t began = bench_now_ns(), answered, heard;
        struct bench_http_answer answer =
            bench_http_ask(&http, probe->api, "POST", "/v1/jobs", json, fl_str_c(body));

        if (answer.status != 201) {
            bench_die("a job: %d " FL_STR_FMT, answer.status, FL_STR_ARG(answer.body));
        }
        answered = bench_now_ns();
        heard = go_of(probe->rig, answer.body);
        if (i >= probe->jobs / 10) { /* those before warm it up */
            bench_samples_add(&answer_ms, (double)(answered - began) * 1e-6);
            bench_samples_add(&took_ms, (double)(heard - began) * 1e-6);
        }
        nanosleep(&rest, NULL);
    }
    printf("{\"case\": \"probe\"");
    bench_field("value", bench_samples_at(&took_ms, 0.5));
    bench_field("p99_ms", bench_samples_at(&took_ms, 0.99));
    bench_field("answer_p50_ms", bench_samples_at(&answer_ms, 0.5));
    bench_end();
    bench_samples_fini(&took_ms);
    bench_samples_fini(&answer_ms);
    bench_http_close(&http);
    probe->is_done = true;
    return NULL;
}

/* ---- all together ---------------------------------------------------------------------------- */

static void start(struct rig *rig, const struct bench_api *api, const char *hub)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct bench_identity *identities = fl_new_array(struct bench_identity, rig->agents_len);
    const char *colon = hub ? strrchr(hub, ':') : NULL;
    char host[64];

    if (!colon || colon - hub >= (int)sizeof host) bench_die("--hub=HOST:PORT is needed");
    snprintf(host, sizeof host, "%.*s", (int)(colon - hub), hub);
    if (getaddrinfo(host, colon + 1, &hints, &rig->hub) != 0) bench_die("%s is no address", hub);
    rig->tls = SSL_CTX_new(TLS_client_method());
    if (!rig->tls || SSL_CTX_set_min_proto_version(rig->tls, TLS1_3_VERSION) != 1) {
        bench_die("no TLS");
    }
    SSL_CTX_set_mode(rig->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                   SSL_MODE_RELEASE_BUFFERS);
    fl_ticket_keep(rig->tls);
    bench_enrol(api, rig->name, identities, rig->agents_len, rig->figures);
    rig->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    rig->now = now_ms();
    fl_buf_init(&rig->out, FL_MUX_WRITE_BYTES_MAX);
    rig->agents = fl_new_array(struct agent, rig->agents_len);
    for (size_t i = 0; i < rig->agents_len; i++) {
        struct fl_mux_config config = {.side = FL_LINK_AGENT,
                                       .flow = fl_flow_limits(),
                                       .seed = 1 + i,
                                       .ctx = &rig->agents[i],
                                       .pull = pull};

        rig->agents[i].rig = rig;
        rig->agents[i].number = i;
        rig->agents[i].lines.figures = rig->agents[i].brief.figures = rig->figures;
        rig->agents[i].identity = identities[i];
        rig->agents[i].mux = fl_mux_create(&config, rig->now);
    }
    fl_free(identities);
}

static void fini(struct rig *rig)
{
    for (size_t i = 0; i < rig->agents_len; i++) {
        bench_socket_forget(&rig->agents[i].socket);
        fl_mux_destroy(rig->agents[i].mux);
        bench_identity_fini(&rig->agents[i].identity);
        fl_vec_fini(&rig->agents[i].held);
        bench_lines_fini(&rig->agents[i].lines);
        bench_brief_fini(&rig->agents[i].brief);
    }
    fl_free(rig->agents);
    fl_free(rig->ran);
    fl_vec_fini(&rig->dirty);
    fl_vec_fini(&rig->waiting);
    fl_buf_fini(&rig->out);
    SSL_CTX_free(rig->tls);
    freeaddrinfo(rig->hub);
}

int main(int argc, char **argv)
{
    struct rig rig = {.agents_len = (size_t)bench_arg_number(argc, argv, "agents", 10),
                      .name = bench_arg(argc, argv, "name", "bench"),
                      .lines_per_s = bench_arg_number(argc, argv, "lines", -1),
                      .is_brief = bench_arg_number(argc, argv, "brief", 0) > 0};
    const char *figures = bench_arg(argc, argv, "figures", NULL);
    struct probe probe = {.rig = &rig,
                          .jobs = (size_t)bench_arg_number(argc, argv, "probe", 0),
                          .pause_ms = bench_arg_number(argc, argv, "pause", 2)};
    struct rlimit files;
    struct bench_api api;
    pthread_t thread;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a socket that is gone says so by itself */
    bench_limit((unsigned)bench_arg_number(argc, argv, "seconds", 900));
    if (!figures) bench_die("--figures=FILE is needed");
    rig.figures = bench_figures_map(figures);
    bench_api_init(&api, argc, argv);
    rig.is_probing = probe.jobs > 0;
    if (rig.is_probing) {
        rig.agents_len = 1;
        rig.heards = fl_new_array(struct heard, HEARDS_LEN);
        sem_init(&rig.heard, 0, 0);
    }
    start(&rig, &api, bench_arg(argc, argv, "hub", NULL));
    if (rig.is_probing) {
        probe.api = &api;
        if (pthread_create(&thread, NULL, probe_run, &probe) != 0) bench_die("no thread");
        run(&rig, &probe.is_done);
        pthread_join(thread, NULL);
    } else {
        run(&rig, NULL);
    }
    fini(&rig);
    fl_free(rig.heards);
    bench_api_fini(&api);
    return 0;
}
