/* An agent at its own limits: the real core and multiplexer, and a control plane that reads.
 * The agent holds far more than the tunnel's buffer does, and all of it arrives, without more than
 * 256 MiB of heap.  The runtime and its processes are not here. */
#include <malloc.h>

#include "agent/core/agent_core.h"
#include "agent/tunnel/translate.h"
#include "shared/link/mux.h"
#include "tests/fl_test.h"

/* A sanitizer's own count of what is allocated.  The allocator behind it knows nothing then. */
size_t sanitizer_bytes(void) __asm__("__sanitizer_get_current_allocated_bytes")
    __attribute__((weak));

enum {
    ATTEMPTS = 50000, /* the most that START makes; one replica of each has ended */
    REPLICAS = 2,
    NODES = 5000,
    LABEL_BYTES = 2000,
    BUSY_BYTES = 1 << 20, /* the dialer's */
    HEAP_BYTES = 256 << 20,
};

struct world {
    struct agent_core *core;
    struct agent_batch batch;
    struct fl_mux *agent, *hub;
    struct fl_buf bytes;
    fl_ms now;
    bool is_busy;
    size_t control_max; /* the most that waited */
    size_t heap_max;
    size_t begins, items, ends, reports, nodes, nodes_ends;
    uint64_t digest, report_seq;
};

static size_t heap_bytes(void)
{
    struct mallinfo2 info;

    if (sanitizer_bytes) return sanitizer_bytes();
    info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void measure(struct world *world)
{
    size_t bytes = heap_bytes();

    if (bytes > world->heap_max) world->heap_max = bytes;
}

static void step(struct world *world, struct agent_event *event)
{
    event->now = world->now;
    agent_core_step(world->core, event, &world->batch);
    for (size_t i = 0; i < world->batch.commands.len; i++) {
        const struct agent_command *command = &world->batch.commands.at[i];
        struct fl_msg msg;

        if (!agent_command_is_frame(command->kind)) continue;
        assert_true(agent_translate_out(command, FL_PROTOCOL_MAX, &world->batch.arena, &msg));
        fl_mux_put(world->agent, &msg);
    }
    if (world->batch.commands.len) measure(world);
    agent_batch_reset(&world->batch);
    if (fl_mux_control_bytes(world->agent) > world->control_max) {
        world->control_max = fl_mux_control_bytes(world->agent);
    }
}

static void hear(struct world *world, const struct fl_msg *msg)
{
    switch (msg->kind) {
    case FL_MSG_inventory_begin:
        world->begins++;
        break;
    case FL_MSG_inventory_item:
        assert_int_equal(world->ends, 0);
        world->items++;
        world->digest = fl_inventory_digest(
            world->digest, msg->inventory_item.attempt, msg->inventory_item.replica,
            (enum fl_replica_state)msg->inventory_item.state, msg->inventory_item.exit_code);
        break;
    case FL_MSG_inventory_end:
        world->ends++;
        assert_int_equal(msg->inventory_end.count, world->items);
        assert_true(msg->inventory_end.digest == world->digest);
        break;
    case FL_MSG_replica:
        assert_int_equal(world->ends, 1);
        assert_true(msg->replica.report_seq > world->report_seq);
        world->report_seq = msg->replica.report_seq;
        world->reports++;
        break;
    case FL_MSG_node:
        assert_true(msg->node.report_seq > world->report_seq);
        world->report_seq = msg->node.report_seq;
        world->nodes++;
        break;
    case FL_MSG_nodes_end:
        assert_int_equal(world->nodes_ends++, 0);
        assert_int_equal(world->nodes, NODES);
        assert_true(msg->nodes_end.is_whole);
        break;
    default:
        break;
    }
}

/* Some bytes cross, from one end to the other. */
static void cross(struct world *world, struct fl_mux *from, struct fl_mux *to)
{
    struct fl_err err = {0};
    struct fl_mux_item item;
    struct fl_str bytes;

    fl_buf_clear(&world->bytes);
    (void)fl_mux_write(from, world->now, &world->bytes);
    bytes = (struct fl_str){(const char *)world->bytes.at, world->bytes.len};
    while (fl_mux_receive(to, &bytes, world->now, &item, &err)) {
        if (item.kind == FL_MUX_ANSWER) {
            assert_true(item.answer != FL_LINK_DO_CLOSE && item.answer != FL_LINK_DO_BYE);
        }
        for (size_t i = 0; item.kind == FL_MUX_MESSAGE && i < item.messages_len; i++) {
            hear(world, &item.messages[i]);
        }
    }
    assert_int_equal(err.code, FL_OK);
}

static void greet(struct world *world)
{
    struct fl_msg hello = {.kind = FL_MSG_hello};
    struct fl_msg welcome = {.kind = FL_MSG_welcome};

    hello.hello.protocol_min = FL_PROTOCOL_MIN;
    hello.hello.protocol_max = FL_PROTOCOL_MAX;
    hello.hello.cluster_uid = FL_STR("uid");
    hello.hello.version = FL_STR("test");
    hello.hello.capabilities = FL_STR("[]");
    assert_int_equal(fl_mux_step(world->agent, FL_LINK_EV_tick, world->now), FL_LINK_DO_DIAL);
    assert_int_equal(fl_mux_step(world->agent, FL_LINK_EV_opened, world->now), FL_LINK_DO_HELLO);
    fl_mux_put(world->agent, &hello);
    cross(world, world->agent, world->hub);
    welcome.welcome.protocol = FL_PROTOCOL_MAX;
    welcome.welcome.session_epoch = 1;
    welcome.welcome.stream_credit_bytes = fl_flow_limits().stream_bytes;
    welcome.welcome.tunnel_credit_bytes = fl_flow_limits().tunnel_bytes;
    welcome.welcome.ping_ms = 10000;
    welcome.welcome.dead_ms = 30000;
    welcome.welcome.capabilities = FL_STR("[]");
    (void)fl_mux_step(world->hub, FL_LINK_EV_welcome, world->now);
    fl_mux_put(world->hub, &welcome);
    cross(world, world->hub, world->agent);
    assert_int_equal(fl_mux_link(world->agent)->state, FL_LINK_UP);
}

static void fill(struct world *world)
{
    struct agent_event ev = {0};
    char labels[LABEL_BYTES];

    memset(labels, 'x', sizeof(labels));
    labels[3] = '=';
    labels[sizeof(labels) - 1] = '\n';
    for (uint32_t i = 0; i < NODES; i++) {
        ev = (struct agent_event){.kind = AGENT_EV_node_seen};
        ev.node_seen.number = i;
        ev.node_seen.is_ready = true;
        ev.node_seen.name = FL_STR("a-node-with-a-name-of-usual-length.example.com");
        ev.node_seen.labels = (struct fl_str){labels, sizeof(labels)};
        step(world, &ev);
    }
    for (uint32_t i = 0; i < ATTEMPTS * REPLICAS; i++) {
        ev = (struct agent_event){.kind = AGENT_EV_replica_seen};
        ev.replica_seen.attempt = (struct fl_attempt){{1 + i / REPLICAS}, 0, 1, 1};
        ev.replica_seen.replica = i % REPLICAS;
        ev.replica_seen.node = i % NODES;
        ev.replica_seen.state = i % REPLICAS ? FL_REPLICA_exited : FL_REPLICA_running;
        step(world, &ev);
    }
    ev = (struct agent_event){.kind = AGENT_EV_synced};
    step(world, &ev);
}

static void mind_busy(struct world *world)
{
    size_t bytes = fl_mux_control_bytes(world->agent);
    struct agent_event busy = {.kind = AGENT_EV_busy};

    busy.busy.is_on = bytes > (size_t)(world->is_busy ? BUSY_BYTES / 2 : BUSY_BYTES);
    if (busy.busy.is_on == world->is_busy) return;
    world->is_busy = busy.busy.is_on;
    step(world, &busy);
}

static void all_that_an_agent_can_hold_is_told_through_a_small_buffer(void **state)
{
    struct agent_core_config config = agent_core_config_default();
    struct fl_mux_config agent = {.side = FL_LINK_AGENT, .flow = fl_flow_limits()};
    struct fl_mux_config hub = {
        .side = FL_LINK_HUB, .flow = fl_flow_limits(), .ping_ms = 10000, .dead_ms = 30000};
    struct agent_event up = {.kind = AGENT_EV_session_up,
                             .session_up = {1, .is_new_connection = true}};
    struct agent_event tick = {.kind = AGENT_EV_tick};
    struct world world = {.now = 1000};

    (void)state;
    world.core = agent_core_create(&config);
    world.agent = fl_mux_create(&agent, world.now);
    world.hub = fl_mux_create(&hub, world.now);
    fl_buf_init(&world.bytes, FL_MUX_WRITE_BYTES_MAX);
    fill(&world);
    agent_core_check(world.core);
    greet(&world);
    step(&world, &up);
    for (int turns = 0; world.nodes < NODES || fl_mux_has_output(world.agent); turns++) {
        assert_true(turns < 100000);
        cross(&world, world.agent, world.hub);
        mind_busy(&world);
        if (agent_core_next_deadline(world.core) <= world.now) step(&world, &tick);
        if (fl_mux_deadline(world.agent) <= world.now) { /* full would break the link here */
            assert_true(fl_mux_step(world.agent, FL_LINK_EV_tick, world.now) != FL_LINK_DO_CLOSE);
        }
    }
    agent_core_check(world.core);
    assert_int_equal(world.begins, 1);
    assert_int_equal(world.items, ATTEMPTS * REPLICAS);
    assert_int_equal(world.ends, 1);
    assert_int_equal(world.reports, ATTEMPTS);
    assert_true(world.control_max < BUSY_BYTES + config.page_bytes + (64 << 10));
    assert_int_equal(agent_core_stats(world.core).unacked, ATTEMPTS);
    measure(&world);
    print_message("%zu MiB of heap at most\n", world.heap_max >> 20);
    assert_true(world.heap_max > (size_t)ATTEMPTS * REPLICAS); /* it was measured */
    assert_true(world.heap_max <= HEAP_BYTES);
    fl_buf_fini(&world.bytes);
    fl_mux_destroy(world.hub);
    fl_mux_destroy(world.agent);
    agent_batch_fini(&world.batch);
    agent_core_destroy(world.core);
}

FL_TESTS(cmocka_unit_test(all_that_an_agent_can_hold_is_told_through_a_small_buffer))
