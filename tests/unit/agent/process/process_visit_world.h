/* process_visit_world.h - a replica that is a process, and visitors of it, without a hub: for the
 * tests of visits, commands and files in agent/process. */
#pragma once

#include "agent/process/process_visit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/process.h"
#include "agent/process/remove_tree.h"
#include "shared/base/alloc.h"
#include "shared/base/hash.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"
#include "tests/unit/agent/runtime_contract.h"

enum { LATE_MS = 60000, OUT_MAX = 4096, GUESTS = 4 };

static const struct fl_attempt attempt = {.job = {5}, .n = 1, .incarnation = 1};

struct world {
    char path[128], program[4096];
    struct fl_loop *loop;
    struct process *process;
    struct runtime runtime;
    struct process_config config;
    int lifeline[2]; /* once it is cut, the supervisor ends its replica */
    fl_ms began_at;
    enum fl_replica_state state;
    bool is_synced;
};

/* A visitor, and all that it heard. */
struct guest {
    struct world *world;
    struct runtime_visit visit;
    char out[OUT_MAX];
    size_t out_len;
    struct fl_visit_status status;
    char text[256];
    bool is_over, has_news; /* 'changed' was called */
    const char *input;      /* waits for room */
};

static inline void happened(void *ctx, struct agent_event *event)
{
    struct world *world = ctx;

    if (event->kind == AGENT_EV_synced) world->is_synced = true;
    if (event->kind == AGENT_EV_replica_seen) world->state = event->replica_seen.state;
}

static inline void has_output(void *ctx, struct fl_attempt whose, uint32_t replica)
{
    (void)ctx;
    (void)whose;
    (void)replica;
}

static inline void turn(struct world *world)
{
    assert_true(fl_clock_mono() - world->began_at < LATE_MS);
    fl_loop_turn(world->loop, 5);
}

/* One replica that runs for ever. */
static inline void begin(struct world *world)
{
    struct runtime_listener listener = {.ctx = world, .happened = happened, .output = has_output};
    struct runtime_job *job = contract_document("while :; do sleep 0.02; done");
    struct fl_err err = {0};

    *world = (struct world){.loop = fl_loop_create(), .began_at = fl_clock_mono()};
    replica_dir_program(world->program);
    snprintf(world->path, sizeof world->path, "/tmp/fl-visit-XXXXXX");
    assert_non_null(mkdtemp(world->path));
    assert_int_equal(pipe2(world->lifeline, O_CLOEXEC), 0);
    world->config = (struct process_config){.dir = world->path,
                                            .supervisor = world->program,
                                            .name = "here",
                                            .lifeline = world->lifeline[0],
                                            .nodes = 1,
                                            .each = {.cpu_milli = 8000},
                                            .head_bytes = 1 << 20,
                                            .tail_bytes = 1 << 20,
                                            .log_grace_ms = FL_HOUR_MS};
    assert_true(process_create(world->loop, &world->config, &world->process, &err));
    world->runtime = process_runtime(world->process);
    world->runtime.ops->begin(world->runtime.self, &listener);
    while (!world->is_synced) {
        turn(world);
    }
    world->runtime.ops->create(world->runtime.self,
                               runtime_order_create(job, attempt, 0, 0, (struct fl_resources){0}));
    runtime_job_release(job);
    while (world->state != FL_REPLICA_created) {
        turn(world);
    }
    world->runtime.ops->release(world->runtime.self, attempt, 0);
    while (world->state != FL_REPLICA_running) {
        turn(world);
    }
}

static inline void stop_replica(struct world *world)
{
    world->runtime.ops->stop(world->runtime.self, attempt, 0, 0);
    while (world->state != FL_REPLICA_exited) {
        turn(world);
    }
}

/* Cuts the lifeline, and waits until the supervisor, which holds its other end, has ended. */
static inline void end_supervisor(struct world *world)
{
    struct pollfd held = {.fd = world->lifeline[1]};

    close(world->lifeline[0]);
    signal(SIGPIPE, SIG_IGN); /* it may have ended with its replica */
    assert_true(write(world->lifeline[1], "", 1) == 1 || errno == EPIPE);
    assert_int_equal(poll(&held, 1, LATE_MS), 1);
    close(world->lifeline[1]);
}

static inline void end(struct world *world)
{
    process_destroy(world->process);
    fl_loop_destroy(world->loop);
    end_supervisor(world);
    assert_true(remove_tree_some(AT_FDCWD, world->path, 100000));
}

/* ---- a visitor ------------------------------------------------------------------------------- */

static inline void on_changed(void *ctx)
{
    ((struct guest *)ctx)->has_news = true;
}

static inline bool enter(struct world *world, struct guest *guest, struct fl_visit_open *open,
                         struct fl_err *err)
{
    struct runtime_visit_port port = {guest, on_changed};

    *guest = (struct guest){.world = world};
    open->attempt = attempt;
    return world->runtime.ops->visit(world->runtime.self, open, &port, &guest->visit, err);
}

static inline void command(struct world *world, struct guest *guest, const char *script,
                           bool has_tty)
{
    struct fl_str words[] = {FL_STR("sh"), FL_STR("-c"), fl_str_c(script)};
    struct fl_visit_open open = {.words = words,
                                 .words_len = 3,
                                 .has_tty = has_tty,
                                 .size = {33, 101},
                                 .term = FL_STR("vt220")};
    struct fl_err err = {0};

    if (!enter(world, guest, &open, &err)) fail_msg("%s", err.text);
}

static inline void take(struct guest *guest)
{
    while (!guest->is_over) {
        struct runtime_visit_read read =
            guest->visit.ops->read(guest->visit.self, (uint8_t *)guest->out + guest->out_len,
                                   sizeof guest->out - 1 - guest->out_len);

        if (read.word == RUNTIME_VISIT_NOTHING) return;
        if (read.word == RUNTIME_VISIT_BYTES) guest->out_len += read.len;
        if (read.word != RUNTIME_VISIT_OVER) continue;
        guest->is_over = true;
        guest->status = read.status;
        snprintf(guest->text, sizeof guest->text, FL_STR_FMT, FL_STR_ARG(read.status.text));
    }
}

static inline void until_out(struct guest *guest, const char *text)
{
    while (!strstr(guest->out, text)) {
        if (guest->is_over) fail_msg("it ended with '%s'", guest->out);
        turn(guest->world);
        take(guest);
    }
}

static inline void until_over(struct guest *guest)
{
    while (!guest->is_over) {
        turn(guest->world);
        take(guest);
    }
}

static inline void leave(struct guest *guest)
{
    guest->visit.ops->destroy(guest->visit.self);
}

static inline bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}
