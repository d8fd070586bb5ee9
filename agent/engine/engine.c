#include "agent/engine/engine.h"

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

struct agent_engine {
    struct fl_loop *loop;
    struct runtime runtime;
    struct agent_engine_ports ports;
    struct agent_core *core;
    struct agent_batch batch;
    struct fl_timer timer;
    struct fl_after after;
    bool is_stepping;
    bool is_down_later; /* the tunnel went while a batch was being sent */
    /* While a START is stepped: its document, for the creates of the same step.  NULL: no START is
     * stepped, or it has no usable document. */
    struct runtime_job *job;
};

/* ---- commands of the core -------------------------------------------------------------------- */

static void create(struct agent_engine *engine, const struct agent_command *command)
{
    fl_assert(engine->job); /* a create follows from its START, in one step */
    engine->runtime.ops->create(engine->runtime.self,
                                runtime_order_create(engine->job, command->attempt,
                                                     command->replica, command->create.node,
                                                     command->create.resources));
}

static void carry_out(struct agent_engine *engine, const struct agent_command *command)
{
    const struct runtime_ops *ops = engine->runtime.ops;
    void *self = engine->runtime.self;

    switch (command->kind) {
    case AGENT_CMD_create:
        create(engine, command);
        return;
    case AGENT_CMD_release:
        ops->release(self, command->attempt, command->replica);
        return;
    case AGENT_CMD_stop:
        ops->stop(self, command->attempt, command->replica, command->stop.grace_ms);
        return;
    case AGENT_CMD_remove:
        ops->remove(self, command->attempt, command->replica);
        return;
    default:
        engine->ports.send(engine->ports.ctx, command);
    }
}

static void step(struct agent_engine *engine, struct agent_event *event)
{
    fl_assert(!engine->is_stepping);
    engine->is_stepping = true;
    event->now = fl_loop_now(engine->loop);
    agent_core_step(engine->core, event, &engine->batch);
    for (size_t i = 0; i < engine->batch.commands.len; i++) {
        carry_out(engine, &engine->batch.commands.at[i]);
    }
    agent_batch_reset(&engine->batch);
    engine->is_stepping = false;
    fl_after_put(&engine->after);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void end_turn(void *ctx)
{
    struct agent_engine *engine = ctx;
    struct agent_event down = {.kind = AGENT_EV_session_down};
    struct agent_event tick = {.kind = AGENT_EV_tick};
    fl_ms deadline;

    if (engine->is_down_later) {
        engine->is_down_later = false;
        step(engine, &down);
    }
    if (agent_core_next_deadline(engine->core) <= fl_loop_now(engine->loop)) step(engine, &tick);
    deadline = agent_core_next_deadline(engine->core);
    if (deadline == INT64_MAX) {
        fl_timer_off(&engine->timer);
    } else {
        fl_timer_at(&engine->timer, deadline);
    }
}

static void on_timer(void *ctx)
{
    struct agent_engine *engine = ctx;

    fl_after_put(&engine->after);
}

/* ---- input ----------------------------------------------------------------------------------- */

/* Fills in the resources of each replica; none: the document is missing or malformed. */
static void read_spec(struct agent_engine *engine, struct fl_str text, struct fl_str params,
                      struct agent_event *event, struct fl_arena *arena)
{
    size_t replicas_len = event->start.replicas_len;
    const struct fl_job_spec *spec;
    struct fl_resources *resources;
    struct fl_amounts *named;
    struct fl_err err = {0};

    if (!text.at) return;
    if (!runtime_job_read(text, params, &engine->job, &err)) {
        fl_log(FL_LOG_WARN, "agent", "bad_spec", FL_LOG_ERR(&err));
        return;
    }
    spec = runtime_job_spec(engine->job);
    if (spec->replicas != replicas_len) {
        fl_log(FL_LOG_WARN, "agent", "bad_start", FL_LOG_N("replicas", replicas_len),
               FL_LOG_N("in_spec", spec->replicas));
        return;
    }
    resources = fl_arena_array(arena, struct fl_resources, replicas_len);
    named = fl_arena_array(arena, struct fl_amounts, replicas_len);
    for (size_t i = 0, at = 0; i < spec->roles.len; i++) {
        for (uint32_t n = 0; n < spec->roles.at[i].replicas; n++) {
            named[at] = spec->roles.at[i].request.named;
            resources[at++] = spec->roles.at[i].request.usual;
        }
    }
    event->start.resources = resources;
    event->start.named = named;
}

void agent_engine_hear(struct agent_engine *engine, struct agent_event *event, struct fl_str spec,
                       struct fl_str params)
{
    struct fl_arena arena = {0};

    if (event->kind == AGENT_EV_start) {
        read_spec(engine, spec, params, event, &arena);
    }
    step(engine, event);
    runtime_job_release(engine->job);
    engine->job = NULL;
    fl_arena_fini(&arena);
}

void agent_engine_busy(struct agent_engine *engine, bool is_on)
{
    struct agent_event busy = {.kind = AGENT_EV_busy, .busy.is_on = is_on};

    step(engine, &busy);
}

void agent_engine_session_down(struct agent_engine *engine)
{
    struct agent_event down = {.kind = AGENT_EV_session_down};

    if (engine->is_stepping) {
        engine->is_down_later = true;
    } else {
        step(engine, &down);
    }
}

static void on_happened(void *ctx, struct agent_event *event)
{
    struct agent_engine *engine = ctx;

    step(engine, event);
    if (event->kind == AGENT_EV_replica_gone && engine->ports.output.gone) {
        engine->ports.output.gone(engine->ports.output.ctx, event->replica_gone.attempt,
                                  event->replica_gone.replica);
    }
}

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct agent_engine *engine = ctx;

    if (engine->ports.output.output) {
        engine->ports.output.output(engine->ports.output.ctx, attempt, replica);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

struct agent_engine *agent_engine_create(struct fl_loop *loop,
                                         const struct agent_core_config *config,
                                         struct runtime runtime,
                                         const struct agent_engine_ports *ports)
{
    struct agent_engine *engine = fl_new(struct agent_engine);

    engine->loop = loop;
    engine->runtime = runtime;
    engine->ports = *ports;
    engine->core = agent_core_create(config);
    fl_timer_init(&engine->timer, loop, on_timer, engine);
    fl_after_init(&engine->after, loop, end_turn, engine);
    return engine;
}

void agent_engine_destroy(struct agent_engine *engine)
{
    if (!engine) return;
    fl_timer_off(&engine->timer);
    fl_after_off(&engine->after);
    agent_core_destroy(engine->core);
    agent_batch_fini(&engine->batch);
    fl_free(engine);
}

void agent_engine_begin(struct agent_engine *engine)
{
    struct runtime_listener listener = {
        .ctx = engine, .happened = on_happened, .output = on_output};

    engine->runtime.ops->begin(engine->runtime.self, &listener);
}

struct agent_core_stats agent_engine_stats(const struct agent_engine *engine)
{
    return agent_core_stats(engine->core);
}
