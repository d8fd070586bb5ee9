/* core_world.h - a core with one queue, and with one cluster of one node once 'connect' was called,
 * driven event by event; for tests of sizes and amounts, which a story cannot tell. */
#pragma once

#include "controlplane/core/core_state.h"
#include "controlplane/core/shape.h"
#include "tests/fl_test.h"

struct world {
    struct core_config config;
    struct core *core;
    struct core_batch *batch;
    fl_ms now;
    uint64_t seed, report_seq;
    uint32_t node_cpus; /* milli, of the one node */
    char shape[64];
    size_t shape_len;
    uint32_t deadline_s, retries_max;
};

static inline void begin(struct world *world)
{
    struct core_event begin = {.kind = CORE_EV_begin, .now = 1000, .begin = {world->seed, 1, 1, 1}};
    struct core_event queue = {.kind = CORE_EV_queue_put, .tenant = {1}};

    core_step(world->core, &begin, world->batch);
    queue.queue_put.name = FL_STR("ml");
    core_step(world->core, &queue, world->batch);
}

/* Jobs that are submitted from now on have this shape. */
static inline void set_shape(struct world *world, const struct shape *shape)
{
    struct fl_buf buf;

    fl_buf_init(&buf, sizeof world->shape);
    assert_true(shape_encode(&buf, shape));
    memcpy(world->shape, buf.at, buf.len);
    world->shape_len = buf.len;
    fl_buf_fini(&buf);
}

static inline void init(struct world *world, uint64_t seed, uint32_t retries)
{
    struct shape shape = {.roles_len = 1, .roles = {{1, 1, {0, 1000, 0}}}};

    *world = (struct world){.config = core_config_default(),
                            .now = 1000,
                            .seed = seed,
                            .node_cpus = 8000,
                            .retries_max = retries};
    /* Nothing is overdue here. */
    world->config.start_ms = world->config.stop_ms = world->config.inventory_ms = UINT32_MAX;
    set_shape(world, &shape);
    world->core = core_create(&world->config);
    world->batch = core_batch_create(1);
    begin(world);
}

static inline void fini(struct world *world)
{
    core_batch_destroy(world->batch);
    core_destroy(world->core);
}

static inline void submit(struct world *world, size_t jobs)
{
    struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit,
                               .now = world->now,
                               .tenant = {1},
                               .submit = {.at = items, .len = jobs}};

    for (size_t i = 0; i < jobs; i++) {
        items[i] = (struct core_submit_item){.queue = FL_STR("ml"),
                                             .shape = {world->shape, world->shape_len},
                                             .elements = 1,
                                             .deadline_s = world->deadline_s,
                                             .retries_max = world->retries_max};
    }
    core_step(world->core, &event, world->batch);
}

static inline void connect(struct world *world)
{
    struct core_event put = {.kind = CORE_EV_cluster_put, .now = world->now, .tenant = {1}};
    struct core_event hello = {.kind = CORE_EV_session_open, .now = world->now};
    struct core_event end = {.kind = CORE_EV_inventory, .now = world->now};
    struct core_event nodes = {.kind = CORE_EV_nodes, .now = world->now};
    struct core_node_report node = {.number = 1,
                                    .is_ready = true,
                                    .name = FL_STR("n1"),
                                    .total = {1, world->node_cpus, 0},
                                    .free = {1, world->node_cpus, 0}};

    put.cluster_put.name = FL_STR("east");
    put.cluster_put.uid = FL_STR("uid");
    core_step(world->core, &put, world->batch);
    hello.session_open.cluster.n = 1;
    hello.session_open.connection = 1;
    core_step(world->core, &hello, world->batch);
    end.inventory.cluster.n = 1;
    end.inventory.session_epoch = 1;
    end.inventory.is_end = true;
    core_step(world->core, &end, world->batch);
    nodes.nodes.cluster.n = 1;
    nodes.nodes.session_epoch = 1;
    nodes.nodes.report_seq = ++world->report_seq;
    nodes.nodes.at = &node;
    nodes.nodes.len = 1;
    core_step(world->core, &nodes, world->batch);
}

static inline void next_batch(struct world *world)
{
    uint64_t number = world->batch->number;

    core_batch_destroy(world->batch);
    world->batch = core_batch_create(number + 1);
}

static inline void put_queue(struct world *world, const char *name)
{
    struct core_event event = {.kind = CORE_EV_queue_put, .tenant = {1}};

    event.queue_put.name = fl_str_c(name);
    core_step(world->core, &event, world->batch);
}

static inline void submit_to(struct world *world, const char *queue, size_t jobs)
{
    struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit, .tenant = {1}, .submit = {items, jobs}};

    for (size_t i = 0; i < jobs; i++) {
        items[i] = (struct core_submit_item){
            .queue = fl_str_c(queue), .shape = {world->shape, world->shape_len}, .elements = 1};
    }
    core_step(world->core, &event, world->batch);
}

static inline void cancel(struct world *world, uint64_t job)
{
    struct core_event event = {.kind = CORE_EV_cancel, .tenant = {1}, .job = {.job = {job}}};

    core_step(world->core, &event, world->batch);
}
