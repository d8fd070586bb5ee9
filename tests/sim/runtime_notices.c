#include "shared/base/assert.h"
#include "tests/sim/fake_runtime_state.h"
#include "tests/sim/sim_usage.h"
#include "tests/sim/sim_words.h"

/* The lists of an event. */
struct notice_named {
    struct sim_named total, foreign;
    char words[SIM_WORDS_BYTES];
};

static void fill_node(const struct fake_runtime *runtime, uint32_t number,
                      struct notice_named *named, struct agent_event *event)
{
    const struct runtime_node *node = &runtime->nodes[number];

    event->kind = AGENT_EV_node_seen;
    event->node_seen.number = number;
    event->node_seen.is_ready = node->is_ready;
    event->node_seen.name = fl_str_c(node->name);
    event->node_seen.labels = fl_str_c(node->labels);
    event->node_seen.taints = fl_str_c(node->taints);
    event->node_seen.total = node->total.usual;
    if (node->has_lost_gpus) event->node_seen.total.gpus = 0;
    event->node_seen.foreign = node->foreign.usual;
    event->node_seen.named = sim_amounts_named(&node->total, &named->total);
    event->node_seen.foreign_named = sim_amounts_named(&node->foreign, &named->foreign);
}

static void fill_replica(const struct fake_runtime *runtime, const struct runtime_notice *notice,
                         struct notice_named *named, struct agent_event *event)
{
    const struct fake_replica *replica = &runtime->replicas.at[notice->place];

    if (notice->what == RUNTIME_GONE) {
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
    event->replica_seen.resources = replica->resources.usual;
    event->replica_seen.named = sim_amounts_named(&replica->resources, &named->total);
    event->replica_seen.cause = replica->cause;
    if (fl_replica_state_is_last(event->replica_seen.state)) {
        event->replica_seen.words = sim_words(replica->attempt, replica->replica, named->words);
    }
    if (notice->what != FL_REPLICA_exited) return;
    event->replica_seen.exit_code = replica->exit_code;
    event->replica_seen.usage = sim_usage(replica->attempt, replica->replica);
    event->replica_seen.output_bytes = fake_output_end(&replica->output);
}

static void fill_undelivered(const struct fake_runtime *runtime,
                             const struct runtime_notice *notice, struct agent_event *event)
{
    event->kind = AGENT_EV_undelivered;
    event->undelivered.attempt = runtime->replicas.at[notice->place].attempt;
    event->undelivered.replica = runtime->replicas.at[notice->place].replica;
    event->undelivered.command = (enum agent_command_kind)notice->what;
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
    struct runtime_notice notice;
    struct notice_named named;

    (void)b;
    if (boot != runtime->boot || !runtime->listener.happened) return;
    notice = runtime->notices.at[runtime->notices_taken];
    if (notice.at < runtime->paused_until) notice.at = runtime->paused_until;
    if (notice.at < runtime->wedged_until) notice.at = runtime->wedged_until;
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
    if (notice.kind == NOTICE_NODE) fill_node(runtime, notice.place, &named, &event);
    if (notice.kind == NOTICE_REPLICA) fill_replica(runtime, &notice, &named, &event);
    if (notice.kind == NOTICE_UNDELIVERED) fill_undelivered(runtime, &notice, &event);
    runtime->listener.happened(runtime->listener.ctx, &event);
}

/* Notices arrive late, and in the order in which they were true. */
static void notify(struct fake_runtime *runtime, struct runtime_notice notice)
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

void runtime_notify_replica(struct fake_runtime *runtime, size_t place, uint32_t what)
{
    notify(runtime,
           (struct runtime_notice){.kind = NOTICE_REPLICA, .place = (uint32_t)place, .what = what});
}

void runtime_notify_undelivered(struct fake_runtime *runtime, size_t place,
                                enum agent_command_kind command)
{
    notify(runtime, (struct runtime_notice){
                        .kind = NOTICE_UNDELIVERED, .place = (uint32_t)place, .what = command});
}

void runtime_notify_node(struct fake_runtime *runtime, uint64_t number)
{
    notify(runtime, (struct runtime_notice){.kind = NOTICE_NODE, .place = (uint32_t)number});
}

void runtime_notify_output(struct fake_runtime *runtime, size_t place)
{
    if (runtime->replicas.at[place].is_told || !runtime->listener.happened) return;
    runtime->replicas.at[place].is_told = true;
    notify(runtime, (struct runtime_notice){.kind = NOTICE_OUTPUT, .place = (uint32_t)place});
}

void runtime_notify_synced(struct fake_runtime *runtime)
{
    notify(runtime, (struct runtime_notice){.kind = NOTICE_SYNCED});
}
