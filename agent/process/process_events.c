/* Events for the listener, delivered at the end of the turn. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/process/process_state.h"
#include "shared/base/assert.h"
#include "shared/base/node_label.h"

static void note(struct process *process, struct process_note news)
{
    fl_vec_push(&process->notes, news);
    fl_after_put(&process->tell);
}

/* A replica that has gone since the note was made has nothing left to count; that follows. */
static void add_texts(struct process *process, struct agent_event *event)
{
    const struct process_replica *replica;

    if (event->kind != AGENT_EV_replica_seen) return;
    replica = process_table_find(process, event->replica_seen.attempt, event->replica_seen.replica);
    if (!replica) return;
    event->replica_seen.named = replica->named;
    event->replica_seen.words = fl_str_c(replica->words);
}

/* The listener may command us meanwhile, which adds notes: they wait for the next turn. */
static void tell_all(void *ctx)
{
    struct process *process = ctx;
    size_t len = process->notes.len;

    for (size_t i = 0; i < len; i++) {
        struct process_note news = process->notes.at[i];

        news.event.now = fl_loop_now(process->loop);
        if (!news.is_output) {
            add_texts(process, &news.event);
            process->listener.happened(process->listener.ctx, &news.event);
        } else if (process->listener.output) {
            process->listener.output(process->listener.ctx, news.event.replica_seen.attempt,
                                     news.event.replica_seen.replica);
        }
    }
    memmove(process->notes.at, process->notes.at + len,
            (process->notes.len - len) * sizeof(*process->notes.at));
    process->notes.len -= len;
    if (process->notes.len > 0) fl_after_put(&process->tell);
}

static enum fl_replica_state state_of(const struct process_replica *replica)
{
    switch (replica->phase) {
    case PROCESS_BEGINNING:
        return FL_REPLICA_pending;
    case PROCESS_GATED:
        return FL_REPLICA_created;
    case PROCESS_RUNNING:
    case PROCESS_CLEARING:
        return FL_REPLICA_running;
    case PROCESS_ENDED:
        return replica->state;
    }
    fl_unreachable("every phase is above");
}

void process_events_state(struct process_replica *replica)
{
    struct process_note news = {.event.kind = AGENT_EV_replica_seen};

    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->replica;
    news.event.replica_seen.state = state_of(replica);
    news.event.replica_seen.exit_code = replica->exit_code;
    news.event.replica_seen.cause = replica->cause;
    news.event.replica_seen.usage = replica->usage;
    news.event.replica_seen.output_bytes = replica->end.bytes;
    news.event.replica_seen.node = replica->node;
    news.event.replica_seen.resources = replica->resources;
    if (news.event.replica_seen.state == FL_REPLICA_pending) return; /* a later state is reported */
    note(replica->process, news);
}

void process_events_output(struct process_replica *replica)
{
    struct process_note news = {.is_output = true};

    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->replica;
    note(replica->process, news);
}

void process_events_gone(struct process *process, struct fl_attempt attempt, uint32_t replica)
{
    struct process_note news = {.event.kind = AGENT_EV_replica_gone};

    news.event.replica_gone.attempt = attempt;
    news.event.replica_gone.replica = replica;
    note(process, news);
}

void process_events_undelivered(struct process_replica *replica, enum agent_command_kind command)
{
    struct process_note news = {.event.kind = AGENT_EV_undelivered};

    news.event.undelivered.attempt = replica->attempt;
    news.event.undelivered.replica = replica->replica;
    news.event.undelivered.command = command;
    note(replica->process, news);
}

/* Sorted by key. */
static struct fl_str labels_of(struct process *process)
{
    int len = snprintf(
        process->labels, sizeof process->labels, FL_NODE_KEEP_KEY "=%" PRId64 "\n%s%s",
        process->config.keep_ms / FL_SECOND_MS, process->config.cgroup ? FL_NODE_LIMITS : "",
        process->is_pretended ? FL_NODE_PRETENDED : "");

    return (struct fl_str){process->labels, (size_t)len};
}

void process_events_nodes(struct process *process)
{
    const struct process_config *config = &process->config;
    struct fl_str labels = labels_of(process);

    for (uint32_t i = 0; i < config->nodes; i++) {
        struct process_note news = {.event.kind = AGENT_EV_node_seen};

        news.event.node_seen.number = i;
        news.event.node_seen.is_ready = true;
        news.event.node_seen.name = fl_str_c(process->names.at[i]);
        news.event.node_seen.labels = labels;
        news.event.node_seen.total = process->each;
        news.event.node_seen.named = config->named;
        note(process, news);
    }
}

void process_events_synced(struct process *process)
{
    note(process, (struct process_note){.event.kind = AGENT_EV_synced});
}

void process_events_init(struct process *process)
{
    fl_after_init(&process->tell, process->loop, tell_all, process);
}

void process_events_fini(struct process *process)
{
    fl_after_off(&process->tell);
    fl_vec_fini(&process->notes);
}
