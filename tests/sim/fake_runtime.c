#include "tests/sim/fake_runtime.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "tests/sim/fake_runtime_state.h"
#include "tests/sim/sim_taints.h"

enum {
    STOPPED_EXIT_CODE = 143,
    KILLED_EXIT_CODE = 137,
    COMMAND_MS_MAX = 30,
    UNREADABLE_MS_MAX = 10000,
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

/* ---- a replica's life ------------------------------------------------------------------------ */

static void use(struct fake_runtime *runtime, struct fake_replica *replica, bool is_used)
{
    struct runtime_node *node = &runtime->nodes[replica->node];
    if (replica->is_counted == is_used) return;
    replica->is_counted = is_used;
    if (is_used) {
        sim_amounts_add(&node->used, &replica->resources);
    } else {
        sim_amounts_take(&node->used, &replica->resources);
    }
}

static void advance(void *ctx, uint64_t place, uint64_t turn);

/* Its next event, unless another one comes before. */
static void next(struct fake_runtime *runtime, size_t place, fl_ms in)
{
    sim_at(runtime->sim, runtime->sim->now + in, advance, runtime, place,
           ++runtime->replicas.at[place].turn);
}

void runtime_end(struct fake_runtime *runtime, size_t place, enum fl_replica_state state,
                 int32_t exit_code, enum agent_cause cause)
{
    struct fake_replica *replica = &runtime->replicas.at[place];
    bool did_run = replica->state == FL_REPLICA_running;

    sim_tell(runtime->sim, "cluster %llu: job %llu.%llu attempt %llu replica %llu is %llu",
             runtime->config.cluster.n, replica->attempt.job.n, replica->attempt.element,
             replica->attempt.n, replica->replica, state);
    replica->turn++;
    replica->state = state;
    replica->exit_code = exit_code;
    replica->cause = cause;
    use(runtime, replica, false);
    if (did_run) replica->run_to = runtime->sim->now;
    if (did_run && sim_chance(runtime->sim, 300000) && replica->writes_left) {
        fake_output_write(&replica->output, runtime->sim);
    }
    if (did_run) runtime->hooks.ended(runtime->hooks.ctx, runtime->config.cluster, replica);
    replica->output.is_ended = true;
    runtime_notify_replica(runtime, place, state);
    if (state != FL_REPLICA_refused) runtime_notify_output(runtime, place);
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
    runtime_notify_output(runtime, place);
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
        runtime_notify_output(runtime, place);
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

/* Some fail, and a few of those since memory ran out. */
static void end_by_itself(struct fake_runtime *runtime, size_t place)
{
    struct sim *sim = runtime->sim;

    if (!sim_chance(sim, runtime->config.fails_ppm)) {
        runtime_end(runtime, place, FL_REPLICA_exited, 0, AGENT_CAUSE_finished);
    } else if (sim_chance(sim, 200000)) {
        runtime_end(runtime, place, FL_REPLICA_exited, KILLED_EXIT_CODE, AGENT_CAUSE_out_of_memory);
    } else {
        runtime_end(runtime, place, FL_REPLICA_exited, (int32_t)sim_between(sim, 1, 9),
                    AGENT_CAUSE_none);
    }
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
            runtime_end(runtime, place, FL_REPLICA_refused, 0, AGENT_CAUSE_runtime);
            return;
        }
        replica->state = FL_REPLICA_created;
        replica->created_at = sim->now;
        runtime->hooks.created(runtime->hooks.ctx, runtime->config.cluster, replica);
        runtime_notify_replica(runtime, place, FL_REPLICA_created);
        return;
    case FL_REPLICA_pulling:
        replica->state = FL_REPLICA_running;
        replica->run_from = sim->now;
        runtime->hooks.runs(runtime->hooks.ctx, runtime->config.cluster, replica);
        runtime_notify_replica(runtime, place, FL_REPLICA_running);
        run_ms = draw_run_ms(runtime);
        begin_writing(runtime, place, run_ms);
        next(runtime, place, run_ms);
        return;
    case FL_REPLICA_running:
        if (sim_chance(sim, runtime->config.lost_ppm)) {
            sim_fault(sim, FAULT_replica_lost);
            runtime_end(runtime, place, FL_REPLICA_lost, 0, AGENT_CAUSE_vanished);
            return;
        }
        end_by_itself(runtime, place);
        return;
    default:
        fl_unreachable("a timer of a replica that waits for a command");
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

enum {
    SEAL_MS = 5000,      /* a hub seals each 5 s at most (decision 73) ... */
    SEAL_LATE_MS = 2500, /* ... and its file is late: HISTORY_LATE_MS */
};

/* Its START may have left after the agent's newest seal was made, and before the next one. */
static bool is_in_no_seal(const struct fake_runtime *runtime, const struct fake_replica *replica)
{
    return replica->created_at + SEAL_LATE_MS >= runtime->sealed_at &&
           replica->created_at <=
               runtime->sealed_at + SEAL_MS + SEAL_LATE_MS + runtime->config.create_ms_max;
}

static void do_create(struct fake_runtime *runtime, size_t place, uint64_t boot)
{
    struct fake_replica *replica = &runtime->replicas.at[place];
    bool is_excused = replica->run_from <= runtime->blind_at &&
                      (runtime->is_unsealed || is_in_no_seal(runtime, replica));

    if (replica->is_present) { /* repeated: it is as it is */
        if (replica->state != FL_REPLICA_pending) {
            runtime_notify_replica(runtime, place, replica->state);
        }
        return;
    }
    if (replica->run_from && !is_excused) {
        sim_broken(runtime->sim, "I9", "cluster %u makes job %llu.%u attempt %u replica %u again",
                   runtime->config.cluster.n, (unsigned long long)replica->attempt.job.n,
                   replica->attempt.element, replica->attempt.n, replica->replica);
    }
    replica->is_present = true;
    replica->state = FL_REPLICA_pending;
    if (boot == runtime->boot) use(runtime, replica, true);
    if (replica->run_from) { /* the ledger keeps one of a name: this one never runs */
        runtime_end(runtime, place, FL_REPLICA_refused, 0, AGENT_CAUSE_runtime);
        return;
    }
    if (!runtime->nodes[replica->node].is_ready) {
        runtime_end(runtime, place, FL_REPLICA_refused, 0, AGENT_CAUSE_node_lost);
        return;
    }
    replica->output.is_ended = false; /* an earlier START of it may have been refused */
    next(runtime, place, sim_between(runtime->sim, 1, runtime->config.create_ms_max));
}

static void do_release(struct fake_runtime *runtime, size_t place)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (!replica->is_present || replica->state != FL_REPLICA_created) return;
    replica->state = FL_REPLICA_pulling;
    runtime_notify_replica(runtime, place, FL_REPLICA_pulling);
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
    runtime_end(runtime, place, FL_REPLICA_exited, STOPPED_EXIT_CODE, AGENT_CAUSE_none);
}

static void do_stop(struct fake_runtime *runtime, size_t place, fl_ms grace_ms)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (!replica->is_present) {
        runtime_notify_replica(runtime, place, RUNTIME_GONE);
        return;
    }
    if (fl_replica_state_is_last(replica->state)) {
        runtime_notify_replica(runtime, place, replica->state);
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
            runtime_notify_replica(runtime, place, replica->state);
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
    runtime_notify_replica(runtime, place, RUNTIME_GONE);
}

/* True: the supervisor of this replica cannot be reached now, and a notice says so. */
static bool is_undelivered(struct fake_runtime *runtime, size_t place,
                           enum agent_command_kind command, uint64_t boot)
{
    struct fake_replica *replica = &runtime->replicas.at[place];

    if (command == AGENT_CMD_create || boot != runtime->boot || !replica->is_present ||
        fl_replica_state_is_last(replica->state)) {
        return false;
    }
    if (!sim_chance(runtime->sim, runtime->config.undelivered_ppm)) {
        if (replica->is_deaf) sim_mark(runtime->sim, MARK_command_given_again);
        replica->is_deaf = false;
        return false;
    }
    sim_fault(runtime->sim, FAULT_command_undelivered);
    replica->is_deaf = true;
    runtime_notify_undelivered(runtime, place, command);
    return true;
}

/* a: place << 32 | grace << 8 | command */
static void carry_out(void *ctx, uint64_t a, uint64_t boot)
{
    struct fake_runtime *runtime = ctx;
    size_t place = a >> 32;

    if (runtime->is_dead || boot <= runtime->boot_lost) return;
    if (is_undelivered(runtime, place, (enum agent_command_kind)(a & 255), boot)) return;
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
        runtime->replicas.at[place].resources =
            sim_amounts_of(command->create.resources, &command->create.named);
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
    command.create.named = order->role->request.named;
    fake_runtime_do(self, &command);
    runtime_order_destroy(order);
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

/* A node's resources with names, and the part that others use.  They come from a generator of
 * their own, so that the rest of a seed is as it would be without them. */
static void draw_named(struct fake_runtime *runtime, uint32_t i)
{
    static const struct {
        uint64_t most, per_mille;
    } rows[] = {
#define SIM_RESOURCE_ROW(name, most, per_mille) {most, per_mille},
        SIM_RESOURCES(SIM_RESOURCE_ROW)
#undef SIM_RESOURCE_ROW
    };
    struct runtime_node *node = &runtime->nodes[i];
    struct fl_prng prng;

    fl_prng_seed(&prng,
                 fl_hash_u64(runtime->sim->seed, (uint64_t)runtime->config.cluster.n << 32 | i));
    for (size_t k = 0; k < SIM_RESOURCES_LEN; k++) {
        if (fl_prng_below(&prng, 1000) >= rows[k].per_mille) continue;
        node->total.named[k] = 1 + fl_prng_below(&prng, rows[k].most);
        if (fl_prng_below(&prng, 4) > 0) continue;
        node->foreign.named[k] = fl_prng_below(&prng, node->total.named[k] + 1);
    }
}

struct fake_runtime *fake_runtime_create(struct sim *sim, const struct fake_runtime_config *config,
                                         const struct fake_runtime_hooks *hooks)
{
    struct fake_runtime *runtime = fl_new(struct fake_runtime);

    fl_assert(config->nodes <= FAKE_RUNTIME_NODES_MAX);
    runtime->sim = sim;
    runtime->config = *config;
    runtime->hooks = *hooks;
    for (uint32_t i = 0; i < config->nodes; i++) {
        struct runtime_node *node = &runtime->nodes[i];

        node->total.usual.cpu_milli = (uint32_t)sim_between(sim, 8, 32) * 1000;
        node->total.usual.memory_bytes = (uint64_t)sim_between(sim, 8, 64) << 30;
        node->total.usual.gpus = (uint32_t)sim_between(sim, 0, 1) * 8;
        node->foreign.usual.cpu_milli = (uint32_t)sim_between(sim, 0, 1000);
        node->foreign.usual.memory_bytes = (uint64_t)sim_between(sim, 0, 1 << 30);
        draw_named(runtime, i);
        node->is_ready = true;
        node->taints =
            sim_taints_draw(fl_hash_u64(sim->seed + 147, (uint64_t)config->cluster.n << 32 | i));
        snprintf(node->name, sizeof(node->name), "node-%u", i);
        if (i % 7 == 6) continue; /* a node without labels */
        snprintf(node->labels, sizeof(node->labels), "disk=%s\ntier=%u\nzone=%c\n",
                 i % 2 ? "fast" : "slow", i % 5, (char)('a' + i % 3));
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
        runtime_notify_node(runtime, i);
    }
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present) continue;
        if (sim_chance(runtime->sim, runtime->config.unreadable_ppm)) { /* it holds up the rest */
            sim_fault(runtime->sim, FAULT_gate_unreadable);
            runtime->notify_at =
                runtime->sim->now + sim_between(runtime->sim, 100, UNREADABLE_MS_MAX);
        }
        if (replica->state == FL_REPLICA_pending) {
            use(runtime, replica, false); /* still being made: it is seen when it is */
        } else {
            runtime_notify_replica(runtime, i, replica->state);
        }
        /* This process does not know what an earlier one knew of its output. */
        replica->is_told = replica->is_taken = replica->is_removing = false;
        if (replica->run_from || is_output_due(replica)) runtime_notify_output(runtime, i);
    }
    runtime_notify_synced(runtime);
}

void fake_runtime_pause(struct fake_runtime *runtime, fl_ms until)
{
    runtime->paused_until = until;
}

void fake_runtime_wedge(struct fake_runtime *runtime, fl_ms until)
{
    runtime->wedged_until = until;
}

void fake_runtime_detach(struct fake_runtime *runtime, bool is_abrupt)
{
    if (is_abrupt) runtime->boot_lost = runtime->boot;
    runtime->listener = (struct runtime_listener){0};
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

struct sim_amounts fake_runtime_node_total(const struct fake_runtime *runtime, uint32_t node)
{
    struct sim_amounts free = runtime->nodes[node].total;

    sim_amounts_take(&free, &runtime->nodes[node].foreign);
    return free;
}

struct sim_amounts fake_runtime_node_used(const struct fake_runtime *runtime, uint32_t node)
{
    return runtime->nodes[node].used;
}
