#include "tests/sim/fake_runtime.h"

#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { GONE = 255 }; /* beside the states of a replica: nothing of it is held */
enum { STOPPED_EXIT_CODE = 143, COMMAND_MS_MAX = 30, CALM_RUN_MS_MAX = 2000 };

/* The listener's events. */
struct notice {
    fl_ms at;
    enum { NOTICE_REPLICA, NOTICE_NODE, NOTICE_SYNCED, NOTICE_OUTPUT } kind;
    uint32_t place; /* the replica's place, or the node's number */
    uint32_t what;  /* a replica's state, or GONE */
};

struct node {
    struct fl_resources total, foreign, used;
    bool is_ready;
    char name[32], labels[64];
};

struct fake_runtime {
    struct sim *sim;
    struct fake_runtime_config config;
    struct fake_runtime_hooks hooks;
    struct node nodes[FAKE_RUNTIME_NODES_MAX];
    FL_VEC(struct fake_replica) replicas;
    struct fl_map index;              /* identity to place in 'replicas', plus 1 */
    struct runtime_listener listener; /* happened at NULL: the listener is gone */
    uint64_t boot;                    /* which listener */
    uint64_t boot_lost;               /* commands of this one and before are lost */
    fl_ms command_at, notify_at;      /* a later command is carried out later */
    fl_ms paused_until;               /* the listener stands still */
    FL_VEC(struct notice) notices;    /* on their way to it, oldest first */
    size_t notices_taken;
    bool is_pumping;
    bool is_dead;
};

struct identity {
    uint64_t job;
    uint32_t element, n, incarnation, replica;
};

static uint64_t find(const struct fake_runtime *runtime, struct fl_attempt attempt,
                     uint32_t replica)
{
    struct identity id = {attempt.job.n, attempt.element, attempt.n, attempt.incarnation, replica};
    uint64_t place = 0;

    fl_map_find(&runtime->index, &id, sizeof(id), &place);
    return place;
}

/* ---- telling the agent ----------------------------------------------------------------------- */

static void fill_node(const struct fake_runtime *runtime, uint32_t number,
                      struct agent_event *event)
{
    const struct node *node = &runtime->nodes[number];

    event->kind = AGENT_EV_node_seen;
    event->node_seen.number = number;
    event->node_seen.is_ready = node->is_ready;
    event->node_seen.name = fl_str_c(node->name);
    event->node_seen.labels = fl_str_c(node->labels);
    event->node_seen.total = node->total;
    event->node_seen.foreign = node->foreign;
}

static void fill_replica(const struct fake_runtime *runtime, const struct notice *notice,
                         struct agent_event *event)
{
    const struct fake_replica *replica = &runtime->replicas.at[notice->place];

    if (notice->what == GONE) {
        event->kind = AGENT_EV_replica_gone;
        event->replica_gone.attempt = replica->attempt;
        event->replica_gone.replica = replica->replica;
        return;
    }
    event->kind = AGENT_EV_replica_seen;
    event->replica_seen.attempt = replica->attempt;
    event->replica_seen.replica = replica->replica;
    event->replica_seen.state = (enum fl_replica_state)notice->what;
    event->replica_seen.node = replica->node;
    event->replica_seen.resources = replica->resources;
    if (notice->what != FL_REPLICA_exited) return;
    event->replica_seen.exit_code = replica->exit_code;
    event->replica_seen.output_bytes = fake_output_end(&replica->output);
}

static void tell_output(struct fake_runtime *runtime, uint32_t place)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    replica->is_told = false;
    if (!runtime->listener.output) return;
    runtime->listener.output(runtime->listener.ctx, replica->attempt, replica->replica);
}

/* Hands over the oldest notice, when it is due and the listener listens. */
static void pump(void *ctx, uint64_t boot, uint64_t b)
{
    struct fake_runtime *runtime = ctx;
    struct agent_event event = {.kind = AGENT_EV_synced};
    struct notice notice;

    (void)b;
    if (boot != runtime->boot || !runtime->listener.happened) return;
    notice = runtime->notices.at[runtime->notices_taken];
    if (notice.at < runtime->paused_until) notice.at = runtime->paused_until;
    if (notice.at > runtime->sim->now) {
        sim_at(runtime->sim, notice.at, pump, runtime, boot, 0);
        return;
    }
    if (++runtime->notices_taken == runtime->notices.len) {
        fl_vec_clear(&runtime->notices);
        runtime->notices_taken = 0;
        runtime->is_pumping = false;
    } else {
        sim_at(runtime->sim, runtime->notices.at[runtime->notices_taken].at, pump, runtime, boot,
               0);
    }
    if (notice.kind == NOTICE_OUTPUT) {
        tell_output(runtime, notice.place);
        return;
    }
    if (notice.kind == NOTICE_NODE) fill_node(runtime, notice.place, &event);
    if (notice.kind == NOTICE_REPLICA) fill_replica(runtime, &notice, &event);
    runtime->listener.happened(runtime->listener.ctx, &event);
}

/* Notices arrive late, and in the order in which they were true. */
static void notify(struct fake_runtime *runtime, struct notice notice)
{
    struct sim *sim = runtime->sim;
    fl_ms at = sim->now + sim_between(sim, 0, runtime->config.notify_ms_max);

    if (!runtime->listener.happened) return;
    if (at > runtime->notify_at) runtime->notify_at = at;
    notice.at = runtime->notify_at;
    fl_vec_push(&runtime->notices, notice);
    if (runtime->is_pumping) return;
    runtime->is_pumping = true;
    sim_at(sim, notice.at, pump, runtime, runtime->boot, 0);
}

static void notify_replica(struct fake_runtime *runtime, size_t place, uint32_t what)
{
    notify(runtime,
           (struct notice){.kind = NOTICE_REPLICA, .place = (uint32_t)place, .what = what});
}

static void notify_node(struct fake_runtime *runtime, uint64_t number)
{
    notify(runtime, (struct notice){.kind = NOTICE_NODE, .place = (uint32_t)number});
}

/* One on its way is enough. */
static void notify_output(struct fake_runtime *runtime, size_t place)
{
    if (runtime->replicas.at[place].is_told || !runtime->listener.happened) return;
    runtime->replicas.at[place].is_told = true;
    notify(runtime, (struct notice){.kind = NOTICE_OUTPUT, .place = (uint32_t)place});
}

/* ---- a replica's life ------------------------------------------------------------------------ */

static void use(struct fake_runtime *runtime, struct fake_replica *replica, bool is_used)
{
    struct node *node = &runtime->nodes[replica->node];
    struct fl_resources r = replica->resources;
    int sign = is_used ? 1 : -1;

    if (replica->is_counted == is_used) return;
    replica->is_counted = is_used;
    node->used.memory_bytes += (uint64_t)sign * r.memory_bytes;
    node->used.cpu_milli += (uint32_t)sign * r.cpu_milli;
    node->used.gpus += (uint32_t)sign * r.gpus;
}

static void advance(void *ctx, uint64_t place, uint64_t turn);

/* Its next event, unless another one comes before. */
static void next(struct fake_runtime *runtime, size_t place, fl_ms in)
{
    sim_at(runtime->sim, runtime->sim->now + in, advance, runtime, place,
           ++runtime->replicas.at[place].turn);
}

/* It ends, having run or not; its record stays until it is removed. */
static void end(struct fake_runtime *runtime, size_t place, enum fl_replica_state state,
                int32_t exit_code)
{
    struct fake_replica *replica = &runtime->replicas.at[place];
    bool did_run = replica->state == FL_REPLICA_running;

    sim_tell(runtime->sim, "cluster %llu: job %llu.%llu attempt %llu replica %llu is %llu",
             runtime->config.cluster.n, replica->attempt.job.n, replica->attempt.element,
             replica->attempt.n, replica->replica, state);
    replica->turn++;
    replica->state = state;
    replica->exit_code = exit_code;
    use(runtime, replica, false);
    if (did_run) replica->run_to = runtime->sim->now;
    if (did_run && sim_chance(runtime->sim, 300000) && replica->writes_left) {
        fake_output_write(&replica->output, runtime->sim);
    }
    if (did_run) runtime->hooks.ended(runtime->hooks.ctx, runtime->config.cluster, replica);
    replica->output.is_ended = true;
    notify_replica(runtime, place, state);
    if (state != FL_REPLICA_refused) notify_output(runtime, place);
}

static void write_some(void *ctx, uint64_t place, uint64_t every_ms)
{
    struct fake_runtime *runtime = ctx;
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (!replica->is_present || replica->state != FL_REPLICA_running || !replica->writes_left) {
        return;
    }
    replica->writes_left--;
    fake_output_write(&replica->output, runtime->sim);
    notify_output(runtime, place);
    sim_at(runtime->sim, runtime->sim->now + sim_between(runtime->sim, 0, 2 * (fl_ms)every_ms),
           write_some, runtime, place, every_ms);
}

/* It writes up to writes_max times over its run, with 2 s at most between two on average. */
static void begin_writing(struct fake_runtime *runtime, size_t place, fl_ms run_ms)
{
    struct fake_replica *replica = &runtime->replicas.at[place];
    struct sim *sim = runtime->sim;
    fl_ms every_ms;

    replica->output.number = fl_hash_u64(sim->seed + runtime->config.cluster.n, place);
    if (runtime->config.first.len) {
        fake_output_text(&replica->output, sim->now, runtime->config.first);
        notify_output(runtime, place);
    }
    if (!runtime->config.writes_max) return;
    replica->writes_left = (uint32_t)sim_between(sim, 0, runtime->config.writes_max);
    every_ms = run_ms / (replica->writes_left + 1);
    if (every_ms > 2000) every_ms = 2000;
    if (!replica->writes_left) return;
    sim_at(sim, sim->now + sim_between(sim, 0, every_ms), write_some, runtime, place,
           (uint64_t)every_ms);
}

static fl_ms draw_run_ms(struct fake_runtime *runtime)
{
    struct sim *sim = runtime->sim;
    fl_ms max = runtime->config.run_ms_max;

    if (sim_chance(sim, 50000)) return 0;
    if (sim_chance(sim, runtime->config.endless_ppm)) return FL_HOUR_MS;
    if (sim_chance(sim, runtime->config.long_ppm)) max *= 5;
    return sim_between(sim, 1, max);
}

static void advance(void *ctx, uint64_t place, uint64_t turn)
{
    struct fake_runtime *runtime = ctx;
    struct sim *sim = runtime->sim;
    struct fake_replica *replica = &runtime->replicas.at[place];
    fl_ms run_ms;

    if (replica->turn != turn || !replica->is_present || runtime->is_dead) return;
    switch (replica->state) {
    case FL_REPLICA_pending: /* being made */
        if (sim_chance(sim, runtime->config.refused_ppm)) {
            sim_fault(sim, FAULT_create_refused);
            end(runtime, place, FL_REPLICA_refused, 0);
            return;
        }
        replica->state = FL_REPLICA_created;
        replica->created_at = sim->now;
        runtime->hooks.created(runtime->hooks.ctx, runtime->config.cluster, replica);
        notify_replica(runtime, place, FL_REPLICA_created);
        return;
    case FL_REPLICA_pulling:
        replica->state = FL_REPLICA_running;
        replica->run_from = sim->now;
        runtime->hooks.runs(runtime->hooks.ctx, runtime->config.cluster, replica);
        notify_replica(runtime, place, FL_REPLICA_running);
        run_ms = draw_run_ms(runtime);
        begin_writing(runtime, place, run_ms);
        next(runtime, place, run_ms);
        return;
    case FL_REPLICA_running:
        if (sim_chance(sim, runtime->config.lost_ppm)) {
            sim_fault(sim, FAULT_replica_lost);
            end(runtime, place, FL_REPLICA_lost, 0);
            return;
        }
        end(runtime, place, FL_REPLICA_exited,
            sim_chance(sim, runtime->config.fails_ppm) ? (int32_t)sim_between(sim, 1, 9) : 0);
        return;
    default:
        fl_unreachable("a timer of a replica that waits for a command");
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static void do_create(struct fake_runtime *runtime, size_t place, uint64_t boot)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (replica->is_present) { /* repeated: it is as it is */
        if (replica->state != FL_REPLICA_pending) notify_replica(runtime, place, replica->state);
        return;
    }
    if (replica->run_from) {
        sim_broken(runtime->sim, "I9", "cluster %u makes job %llu.%u attempt %u replica %u again",
                   runtime->config.cluster.n, (unsigned long long)replica->attempt.job.n,
                   replica->attempt.element, replica->attempt.n, replica->replica);
    }
    replica->is_present = true;
    replica->state = FL_REPLICA_pending;
    if (boot == runtime->boot) use(runtime, replica, true);
    if (!runtime->nodes[replica->node].is_ready) {
        end(runtime, place, FL_REPLICA_refused, 0);
        return;
    }
    next(runtime, place, sim_between(runtime->sim, 1, runtime->config.create_ms_max));
}

static void do_release(struct fake_runtime *runtime, size_t place)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (!replica->is_present || replica->state != FL_REPLICA_created) return;
    replica->state = FL_REPLICA_pulling;
    notify_replica(runtime, place, FL_REPLICA_pulling);
    next(runtime, place, sim_between(runtime->sim, 0, runtime->config.pull_ms_max));
}

static void stop_now(void *ctx, uint64_t place, uint64_t turn)
{
    struct fake_runtime *runtime = ctx;
    struct fake_replica *replica = &runtime->replicas.at[place];

    (void)turn; /* asked once, it happens in any state, unless it has ended */
    if (!replica->is_present || runtime->is_dead || fl_replica_state_is_last(replica->state)) {
        return;
    }
    end(runtime, place, FL_REPLICA_exited, STOPPED_EXIT_CODE);
}

static void do_stop(struct fake_runtime *runtime, size_t place, fl_ms grace_ms)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (!replica->is_present) {
        notify_replica(runtime, place, GONE);
        return;
    }
    if (fl_replica_state_is_last(replica->state)) {
        notify_replica(runtime, place, replica->state);
        return;
    }
    sim_at(runtime->sim, runtime->sim->now + sim_between(runtime->sim, 0, grace_ms), stop_now,
           runtime, place, 0);
}

/* Its output outlives it until it is taken; a replica that never began has none. */
static bool is_output_due(const struct fake_replica *replica)
{
    return fl_replica_state_is_last(replica->state) && replica->state != FL_REPLICA_refused &&
           !replica->is_taken;
}

static void do_remove(struct fake_runtime *runtime, size_t place)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (replica->is_present) {
        if (replica->state == FL_REPLICA_running || replica->state == FL_REPLICA_pulling) {
            notify_replica(runtime, place, replica->state);
            return;
        }
        if (is_output_due(replica)) {
            replica->is_removing = true;
            return;
        }
        if (!fl_replica_state_is_last(replica->state)) {
            use(runtime, replica, false);
        }
        replica->is_present = false;
        replica->turn++;
    }
    notify_replica(runtime, place, GONE);
}

/* a: place << 32 | grace << 8 | command */
static void carry_out(void *ctx, uint64_t a, uint64_t boot)
{
    struct fake_runtime *runtime = ctx;
    size_t place = a >> 32;

    if (runtime->is_dead || boot <= runtime->boot_lost) return;
    switch ((enum agent_command_kind)(a & 255)) {
    case AGENT_CMD_create:
        do_create(runtime, place, boot);
        return;
    case AGENT_CMD_release:
        do_release(runtime, place);
        return;
    case AGENT_CMD_stop:
        do_stop(runtime, place, (fl_ms)(a >> 8 & 0xffffff));
        return;
    case AGENT_CMD_remove:
        do_remove(runtime, place);
        return;
    default:
        fl_unreachable("only these are for the runtime");
    }
}

static size_t place_of(struct fake_runtime *runtime, const struct agent_command *command)
{
    struct identity id = {command->attempt.job.n, command->attempt.element, command->attempt.n,
                          command->attempt.incarnation, command->replica};
    uint64_t place = find(runtime, command->attempt, command->replica);

    if (place) return place - 1;
    fl_vec_push(&runtime->replicas,
                ((struct fake_replica){.attempt = command->attempt, .replica = command->replica}));
    fl_map_put(&runtime->index, &id, sizeof(id), runtime->replicas.len);
    return runtime->replicas.len - 1;
}

void fake_runtime_do(struct fake_runtime *runtime, const struct agent_command *command)
{
    struct sim *sim = runtime->sim;
    size_t place = place_of(runtime, command);
    fl_ms at = sim->now + sim_between(sim, 0, COMMAND_MS_MAX);
    uint64_t grace_ms = 0;

    if (command->kind == AGENT_CMD_create && !runtime->replicas.at[place].is_present) {
        fl_assert(command->create.node < runtime->config.nodes);
        runtime->replicas.at[place].node = command->create.node;
        runtime->replicas.at[place].resources = command->create.resources;
    }
    if (command->kind == AGENT_CMD_stop) {
        grace_ms = command->stop.grace_ms < 0xffffff ? command->stop.grace_ms : 0xffffff;
    }
    if (at > runtime->command_at) runtime->command_at = at;
    sim_at(sim, runtime->command_at, carry_out, runtime,
           (uint64_t)place << 32 | grace_ms << 8 | (uint64_t)command->kind, runtime->boot);
}

static bool on_read_output(void *self, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                           size_t bytes_max, struct fl_buf *records,
                           struct runtime_output *ret_output, struct fl_err *err)
{
    const struct fake_replica *found = fake_runtime_find(self, attempt, replica);

    if (!found || !found->is_present) return fl_fail(err, FL_ABSENT, "no such replica");
    return fake_output_read(&found->output, offset, bytes_max, records, ret_output, err);
}

static void on_output_taken(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct fake_runtime *runtime = self;
    uint64_t place = find(runtime, attempt, number);
    struct fake_replica *replica;

    if (!place || !runtime->replicas.at[place - 1].is_present) return;
    replica = &runtime->replicas.at[place - 1];
    replica->is_taken = true;
    runtime->hooks.taken(runtime->hooks.ctx, runtime->config.cluster, replica);
    if (replica->is_removing) do_remove(runtime, place - 1);
}

/* ---- as a runtime ---------------------------------------------------------------------------- */

static void do_simply(struct fake_runtime *runtime, enum agent_command_kind kind,
                      struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms)
{
    struct agent_command command = {.kind = kind, .attempt = attempt, .replica = replica};

    if (kind == AGENT_CMD_stop) command.stop.grace_ms = grace_ms;
    fake_runtime_do(runtime, &command);
}

static void on_begin(void *self, const struct runtime_listener *listener)
{
    fake_runtime_attach(self, listener);
}

static void on_create(void *self, struct runtime_order *order)
{
    struct agent_command command = {
        .kind = AGENT_CMD_create, .attempt = order->attempt, .replica = order->replica};

    command.create.node = order->node;
    command.create.resources = order->resources;
    runtime_order_destroy(order);
    fake_runtime_do(self, &command);
}

static void on_release(void *self, struct fl_attempt attempt, uint32_t replica)
{
    do_simply(self, AGENT_CMD_release, attempt, replica, 0);
}

static void on_stop(void *self, struct fl_attempt attempt, uint32_t replica, uint32_t grace_ms)
{
    do_simply(self, AGENT_CMD_stop, attempt, replica, grace_ms);
}

static void on_remove(void *self, struct fl_attempt attempt, uint32_t replica)
{
    do_simply(self, AGENT_CMD_remove, attempt, replica, 0);
}

/* The replicas are the cluster's, which goes on. */
static void on_destroy(void *self)
{
    fake_runtime_detach(self, false);
}

struct runtime fake_runtime_port(struct fake_runtime *runtime)
{
    static const struct runtime_ops ops = {
        .name = "fake",
        .has_images = true,
        .begin = on_begin,
        .create = on_create,
        .release = on_release,
        .stop = on_stop,
        .remove = on_remove,
        .read_output = on_read_output,
        .output_taken = on_output_taken,
        .destroy = on_destroy,
    };

    return (struct runtime){.ops = &ops, .self = runtime};
}

/* ---- life ------------------------------------------------------------------------------------ */

struct fake_runtime *fake_runtime_create(struct sim *sim, const struct fake_runtime_config *config,
                                         const struct fake_runtime_hooks *hooks)
{
    struct fake_runtime *runtime = fl_new(struct fake_runtime);

    fl_assert(config->nodes <= FAKE_RUNTIME_NODES_MAX);
    runtime->sim = sim;
    runtime->config = *config;
    runtime->hooks = *hooks;
    for (uint32_t i = 0; i < config->nodes; i++) {
        struct node *node = &runtime->nodes[i];

        node->total.cpu_milli = (uint32_t)sim_between(sim, 8, 32) * 1000;
        node->total.memory_bytes = (uint64_t)sim_between(sim, 8, 64) << 30;
        node->total.gpus = (uint32_t)sim_between(sim, 0, 1) * 8;
        node->foreign.cpu_milli = (uint32_t)sim_between(sim, 0, 1000);
        node->foreign.memory_bytes = (uint64_t)sim_between(sim, 0, 1 << 30);
        node->is_ready = true;
        snprintf(node->name, sizeof(node->name), "node-%u", i);
        snprintf(node->labels, sizeof(node->labels), "disk=%s\nzone=%c\n", i % 2 ? "fast" : "slow",
                 (char)('a' + i % 3));
    }
    return runtime;
}

void fake_runtime_destroy(struct fake_runtime *runtime)
{
    if (!runtime) return;
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        fl_vec_fini(&runtime->replicas.at[i].output.records);
    }
    fl_vec_fini(&runtime->replicas);
    fl_vec_fini(&runtime->notices);
    fl_map_fini(&runtime->index);
    fl_free(runtime);
}

void fake_runtime_attach(struct fake_runtime *runtime, const struct runtime_listener *listener)
{
    runtime->boot++;
    runtime->paused_until = 0;
    fl_vec_clear(&runtime->notices);
    runtime->notices_taken = 0;
    runtime->is_pumping = false;
    runtime->listener = *listener;
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        notify_node(runtime, i);
    }
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present) continue;
        if (replica->state == FL_REPLICA_pending) {
            use(runtime, replica, false); /* still being made: it is seen when it is */
        } else {
            notify_replica(runtime, i, replica->state);
        }
        /* This process does not know what an earlier one knew of its output. */
        replica->is_told = replica->is_taken = replica->is_removing = false;
        if (replica->run_from || is_output_due(replica)) notify_output(runtime, i);
    }
    notify(runtime, (struct notice){.kind = NOTICE_SYNCED});
}

void fake_runtime_pause(struct fake_runtime *runtime, fl_ms until)
{
    runtime->paused_until = until;
}

void fake_runtime_detach(struct fake_runtime *runtime, bool is_abrupt)
{
    if (is_abrupt) runtime->boot_lost = runtime->boot;
    runtime->listener = (struct runtime_listener){0};
}

void fake_runtime_calm(struct fake_runtime *runtime)
{
    runtime->config.refused_ppm = runtime->config.lost_ppm = runtime->config.endless_ppm = 0;
    runtime->config.fails_ppm /= 4;
    runtime->config.long_ppm /= 4;
    if (runtime->config.run_ms_max > CALM_RUN_MS_MAX) runtime->config.run_ms_max = CALM_RUN_MS_MAX;
}

static void node_up(void *ctx, uint64_t number, uint64_t b)
{
    struct fake_runtime *runtime = ctx;

    (void)b;
    runtime->nodes[number].is_ready = true;
    notify_node(runtime, number);
}

/* Replicas that ran on it are gone without an exit code, gated ones too. */
void fake_runtime_node_down(struct fake_runtime *runtime, uint32_t number, fl_ms until)
{
    number %= runtime->config.nodes;
    if (!runtime->nodes[number].is_ready || runtime->is_dead) return;
    sim_tell(runtime->sim, "cluster %llu: node %llu goes down", runtime->config.cluster.n, number);
    runtime->nodes[number].is_ready = false;
    notify_node(runtime, number);
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present || replica->node != number) continue;
        if (fl_replica_state_is_last(replica->state)) continue;
        end(runtime, i, FL_REPLICA_lost, 0);
    }
    sim_at(runtime->sim, until, node_up, runtime, number, 0);
}

bool fake_runtime_lose_one(struct fake_runtime *runtime)
{
    for (size_t i = runtime->replicas.len; i > 0; i--) {
        struct fake_replica *replica = &runtime->replicas.at[i - 1];

        if (!replica->is_present || replica->state != FL_REPLICA_running) continue;
        /* Removed by another hand: half the time nothing at all is left of it. */
        end(runtime, i - 1, FL_REPLICA_lost, 0);
        if (sim_chance(runtime->sim, 500000)) {
            replica->is_present = false;
            replica->is_wiped = true;
            notify_replica(runtime, i - 1, GONE);
        }
        return true;
    }
    return false;
}

void fake_runtime_die(struct fake_runtime *runtime)
{
    runtime->is_dead = true;
    runtime->listener = (struct runtime_listener){0};
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present) continue;
        if (!fl_replica_state_is_last(replica->state)) end(runtime, i, FL_REPLICA_lost, 0);
        replica->is_present = false;
        replica->is_wiped = true;
    }
}

static bool has_labels(const struct node *node, const struct shape *shape)
{
    char line[128];

    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        snprintf(line, sizeof(line), "%.*s=%.*s\n", FL_STR_ARG(shape->node_labels[i].key),
                 FL_STR_ARG(shape->node_labels[i].value));
        if (!strstr(node->labels, line)) return false;
    }
    return true;
}

struct fl_resources fake_runtime_smallest(const struct fake_runtime *runtime)
{
    struct fl_resources least = fake_runtime_node_total(runtime, 0);

    for (uint32_t i = 1; i < runtime->config.nodes; i++) {
        struct fl_resources total = fake_runtime_node_total(runtime, i);

        if (total.cpu_milli < least.cpu_milli) least.cpu_milli = total.cpu_milli;
        if (total.memory_bytes < least.memory_bytes) least.memory_bytes = total.memory_bytes;
    }
    least.gpus = 0;
    return least;
}

uint32_t fake_runtime_slots(const struct fake_runtime *runtime, struct fl_resources each)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        struct fl_resources total = fake_runtime_node_total(runtime, i);

        while (fl_resources_fit(each, total)) {
            total.cpu_milli -= each.cpu_milli;
            total.memory_bytes -= each.memory_bytes;
            count++;
        }
    }
    return count;
}

bool fake_runtime_could_run(const struct fake_runtime *runtime, const struct shape *shape)
{
    struct fl_resources free[FAKE_RUNTIME_NODES_MAX];

    if (runtime->is_dead) return false;
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        free[i] = fake_runtime_node_total(runtime, i);
        free[i].gpus = runtime->nodes[i].total.gpus;
        if (!has_labels(&runtime->nodes[i], shape)) free[i] = (struct fl_resources){0};
    }
    for (uint32_t i = 0; i < shape_replicas(shape); i++) {
        struct fl_resources each = shape_role_of(shape, i)->each;
        uint32_t node = 0;

        while (node < runtime->config.nodes && !fl_resources_fit(each, free[node])) {
            node++;
        }
        if (node == runtime->config.nodes) return false;
        free[node].cpu_milli -= each.cpu_milli;
        free[node].memory_bytes -= each.memory_bytes;
        free[node].gpus -= each.gpus;
    }
    return true;
}

void fake_runtime_tell(const struct fake_runtime *runtime)
{
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        struct fl_resources total = fake_runtime_node_total(runtime, i);

        sim_tell(runtime->sim,
                 "cluster %llu node %llu: ready %llu, %llu milli cpus, %llu MiB, %llu used",
                 runtime->config.cluster.n, i, runtime->nodes[i].is_ready, total.cpu_milli,
                 total.memory_bytes >> 20, runtime->nodes[i].used.cpu_milli);
    }
}

bool fake_runtime_runs(const struct fake_runtime *runtime, struct fl_job job, fl_ms for_ms)
{
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        const struct fake_replica *replica = &runtime->replicas.at[i];

        if (replica->attempt.job.n == job.n && replica->is_present &&
            replica->state == FL_REPLICA_running &&
            runtime->sim->now - replica->run_from >= for_ms) {
            return true;
        }
    }
    return false;
}

size_t fake_runtime_len(const struct fake_runtime *runtime)
{
    return runtime->replicas.len;
}

const struct fake_replica *fake_runtime_at(const struct fake_runtime *runtime, size_t i)
{
    fl_assert(i < runtime->replicas.len);
    return &runtime->replicas.at[i];
}

const struct fake_replica *fake_runtime_find(const struct fake_runtime *runtime,
                                             struct fl_attempt attempt, uint32_t replica)
{
    uint64_t place = find(runtime, attempt, replica);

    return place ? &runtime->replicas.at[place - 1] : NULL;
}

struct fl_resources fake_runtime_node_total(const struct fake_runtime *runtime, uint32_t node)
{
    struct fl_resources free = runtime->nodes[node].total;

    free.cpu_milli -= runtime->nodes[node].foreign.cpu_milli;
    free.memory_bytes -= runtime->nodes[node].foreign.memory_bytes;
    return free;
}

struct fl_resources fake_runtime_node_used(const struct fake_runtime *runtime, uint32_t node)
{
    return runtime->nodes[node].used;
}
