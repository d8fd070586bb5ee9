#include <string.h>

#include "controlplane/core/shape.h"
#include "tests/sim/fake_runtime_state.h"
#include "tests/sim/sim_affinity.h"
#include "tests/sim/sim_taints.h"

enum { CALM_RUN_MS_MAX = 2000 };

/* ---- faults ---------------------------------------------------------------------------------- */

void fake_runtime_blind(struct fake_runtime *runtime)
{
    runtime->blind_at = runtime->sim->now;
}

void fake_runtime_unsealed(struct fake_runtime *runtime)
{
    if (runtime->blind_at) runtime->is_unsealed = true;
}

void fake_runtime_sealed(struct fake_runtime *runtime)
{
    if (!runtime->blind_at) runtime->sealed_at = runtime->sim->now;
}

void fake_runtime_calm(struct fake_runtime *runtime)
{
    runtime->config.refused_ppm = runtime->config.lost_ppm = runtime->config.endless_ppm = 0;
    runtime->config.undelivered_ppm = runtime->config.unreadable_ppm = 0;
    runtime->wedged_until = 0;
    runtime->config.fails_ppm /= 4;
    runtime->config.long_ppm /= 4;
    if (runtime->config.run_ms_max > CALM_RUN_MS_MAX) runtime->config.run_ms_max = CALM_RUN_MS_MAX;
}

static void node_up(void *ctx, uint64_t number, uint64_t b)
{
    struct fake_runtime *runtime = ctx;

    (void)b;
    runtime->nodes[number].is_ready = true;
    runtime_notify_node(runtime, number);
}

/* Replicas that ran on it are gone without an exit code, gated ones too. */
void fake_runtime_node_down(struct fake_runtime *runtime, uint32_t number, fl_ms until)
{
    number %= runtime->config.nodes;
    if (!runtime->nodes[number].is_ready || runtime->is_dead) return;
    sim_tell(runtime->sim, "cluster %llu: node %llu goes down", runtime->config.cluster.n, number);
    runtime->nodes[number].is_ready = false;
    runtime_notify_node(runtime, number);
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present || replica->node != number) continue;
        if (fl_replica_state_is_last(replica->state)) continue;
        runtime_end(runtime, i, FL_REPLICA_lost, 0, AGENT_CAUSE_node_lost);
    }
    sim_at(runtime->sim, until, node_up, runtime, number, 0);
}

static void gpus_back(void *ctx, uint64_t number, uint64_t b)
{
    struct fake_runtime *runtime = ctx;

    (void)b;
    runtime->nodes[number].has_lost_gpus = false;
    runtime_notify_node(runtime, number);
}

void fake_runtime_node_shrunk(struct fake_runtime *runtime, uint32_t number, fl_ms until)
{
    struct runtime_node *node = &runtime->nodes[number % runtime->config.nodes];

    if (node->has_lost_gpus || node->total.usual.gpus == 0 || runtime->is_dead) return;
    number %= runtime->config.nodes;
    sim_tell(runtime->sim, "cluster %llu: node %llu loses its GPUs", runtime->config.cluster.n,
             number);
    node->has_lost_gpus = true;
    runtime_notify_node(runtime, number);
    sim_at(runtime->sim, until, gpus_back, runtime, number, 0);
}

bool fake_runtime_lose_one(struct fake_runtime *runtime)
{
    for (size_t i = runtime->replicas.len; i > 0; i--) {
        struct fake_replica *replica = &runtime->replicas.at[i - 1];

        if (!replica->is_present || replica->state != FL_REPLICA_running) continue;
        /* Removed by another hand: half the time nothing at all is left of it. */
        runtime_end(runtime, i - 1, FL_REPLICA_lost, 0, AGENT_CAUSE_vanished);
        if (sim_chance(runtime->sim, 500000)) {
            replica->is_present = false;
            replica->is_wiped = true;
            runtime_notify_replica(runtime, i - 1, RUNTIME_GONE);
        }
        return true;
    }
    return false;
}

bool fake_runtime_lose_records(struct fake_runtime *runtime)
{
    bool is_any = false;

    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present || !fl_replica_state_is_last(replica->state)) continue;
        replica->is_present = false;
        replica->is_wiped = is_any = true;
        replica->turn++;
    }
    return is_any;
}

void fake_runtime_die(struct fake_runtime *runtime)
{
    runtime->is_dead = true;
    runtime->listener = (struct runtime_listener){0};
    for (size_t i = 0; i < runtime->replicas.len; i++) {
        struct fake_replica *replica = &runtime->replicas.at[i];

        if (!replica->is_present) continue;
        if (!fl_replica_state_is_last(replica->state)) {
            runtime_end(runtime, i, FL_REPLICA_lost, 0, AGENT_CAUSE_vanished);
        }
        replica->is_present = false;
        replica->is_wiped = true;
    }
}

static bool has_labels(const struct runtime_node *node, const struct shape *shape)
{
    char line[128];

    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        snprintf(line, sizeof(line), "%.*s=%.*s\n", FL_STR_ARG(shape->node_labels[i].key),
                 FL_STR_ARG(shape->node_labels[i].value));
        if (!strstr(node->labels, line)) return false;
    }
    return sim_affinity_lets(shape, node->labels);
}

struct fl_resources fake_runtime_smallest(const struct fake_runtime *runtime)
{
    struct sim_amounts least = fake_runtime_node_total(runtime, 0);

    for (uint32_t i = 1; i < runtime->config.nodes; i++) {
        struct sim_amounts total = fake_runtime_node_total(runtime, i);

        sim_amounts_keep_less(&least, &total);
    }
    least.usual.gpus = 0;
    return least.usual;
}

uint32_t fake_runtime_slots(const struct fake_runtime *runtime, struct fl_resources each)
{
    struct sim_amounts one = {.usual = each};
    uint32_t count = 0;

    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        struct sim_amounts total = fake_runtime_node_total(runtime, i);

        count += sim_amounts_slots(&total, &one, UINT16_MAX);
    }
    return count;
}

static bool may_go(const struct fake_runtime *runtime, uint32_t node, const struct shape *shape,
                   const struct shape_role *role, const struct sim_amounts *free)
{
    struct sim_amounts each = sim_amounts_of_role(shape, role);
    bool is_let =
        runtime->config.has_old_agent || sim_taints_let(runtime->nodes[node].taints, shape, role);

    return is_let && sim_amounts_fit(&each, free);
}

/* Its replicas on the nodes, one after the other, with 'free' on each. */
static bool fits(const struct fake_runtime *runtime, const struct shape *shape,
                 struct sim_amounts free[FAKE_RUNTIME_NODES_MAX])
{
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        if (!has_labels(&runtime->nodes[i], shape)) free[i] = (struct sim_amounts){0};
    }
    for (uint32_t i = 0; i < shape_replicas(shape); i++) {
        const struct shape_role *role = shape_role_of(shape, i);
        struct sim_amounts each = sim_amounts_of_role(shape, role);
        uint32_t node = 0;

        while (node < runtime->config.nodes && !may_go(runtime, node, shape, role, &free[node])) {
            node++;
        }
        if (node == runtime->config.nodes) return false;
        sim_amounts_take(&free[node], &each);
    }
    return true;
}

bool fake_runtime_could_run(const struct fake_runtime *runtime, const struct shape *shape)
{
    struct sim_amounts free[FAKE_RUNTIME_NODES_MAX];

    if (runtime->is_dead) return false;
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        bool is_hidden = runtime->config.has_old_agent && runtime->nodes[i].taints[0];

        free[i] = is_hidden ? (struct sim_amounts){0} : fake_runtime_node_total(runtime, i);
    }
    return fits(runtime, shape, free);
}

bool fake_runtime_could_ever(const struct fake_runtime *runtime, const struct shape *shape)
{
    struct sim_amounts free[FAKE_RUNTIME_NODES_MAX];

    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        free[i] = runtime->nodes[i].total;
    }
    return fits(runtime, shape, free);
}

const char *fake_runtime_gpu_node(const struct fake_runtime *runtime, uint32_t number)
{
    const struct runtime_node *node = &runtime->nodes[number];

    return number < runtime->config.nodes && node->total.usual.gpus > 0 ? node->name : NULL;
}

void fake_runtime_tell(const struct fake_runtime *runtime)
{
    for (uint32_t i = 0; i < runtime->config.nodes; i++) {
        struct sim_amounts total = fake_runtime_node_total(runtime, i);

        sim_tell(runtime->sim,
                 "cluster %llu node %llu: ready %llu, %llu milli cpus, %llu MiB, %llu used",
                 runtime->config.cluster.n, i, runtime->nodes[i].is_ready, total.usual.cpu_milli,
                 total.usual.memory_bytes >> 20, runtime->nodes[i].used.usual.cpu_milli);
        for (size_t k = 0; k < SIM_RESOURCES_LEN; k++) {
            if (total.named[k] == 0) continue;
            sim_tell(runtime->sim, "   %llu of resource %llu, %llu used", total.named[k], k,
                     runtime->nodes[i].used.named[k]);
        }
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
