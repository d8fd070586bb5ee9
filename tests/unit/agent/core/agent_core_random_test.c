/* The agent's core under random events.  First ones without any sense, 10,000 sequences,
 * against the core's own checks.  Then a small world that has sense (a runtime with queues, a
 * control plane that repeats, races and goes away, crashes of the agent), against a model that
 * knows what each command needs: the core's commands are allowed, its reports are true, and when
 * all is stopped all is gone. */
#include "agent/core/agent_core.h"
#include "shared/base/hash.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { NODES = 3, JOBS = 3, NUMBERS = 4, GANG = 3, ATTEMPTS = JOBS * NUMBERS };

static struct fl_attempt attempt_of(size_t i)
{
    uint16_t n = (uint16_t)(i % NUMBERS);

    /* Numbers 1, 2, then 1, 2 of the next incarnation. */
    return (struct fl_attempt){{i / NUMBERS + 1}, 0, (uint16_t)(n % 2 + 1), 1 + n / 2u};
}

static struct agent_core_config small_config(uint32_t stopped_max)
{
    struct agent_core_config config = agent_core_config_default();

    config.attempts_max = 8;
    config.replicas_max = 16;
    config.nodes_max = NODES;
    config.stopped_max = stopped_max;
    return config;
}

/* ---- without sense --------------------------------------------------------------------------- */

static void draw_event(struct fl_prng *prng, struct agent_event *ev, uint32_t *nodes,
                       struct fl_resources *resources)
{
    struct fl_attempt attempt = attempt_of(fl_prng_below(prng, ATTEMPTS));
    uint32_t replica = (uint32_t)fl_prng_below(prng, GANG);

    *ev = (struct agent_event){.kind = (enum agent_event_kind)fl_prng_below(prng, AGENT_EVENTS_LEN),
                               .now = ev->now};
    ev->now += fl_prng_chance(prng, 20000) ? 61000 : fl_prng_between(prng, -10, 100);
    switch (ev->kind) {
    case AGENT_EV_session_up:
        ev->session_up.is_new_connection = fl_prng_chance(prng, 500000);
        break;
    case AGENT_EV_session_down:
        if (fl_prng_chance(prng, 700000)) ev->kind = AGENT_EV_tick;
        break;
    case AGENT_EV_busy:
        ev->busy.is_on = fl_prng_chance(prng, 100000);
        break;
    case AGENT_EV_start:
        ev->start.control_seq = fl_prng_below(prng, 100);
        ev->start.attempt = attempt;
        ev->start.nodes = nodes;
        ev->start.resources = fl_prng_chance(prng, 50000) ? NULL : resources;
        ev->start.replicas_len = fl_prng_below(prng, GANG + 1);
        for (size_t i = 0; i < GANG; i++) {
            nodes[i] = (uint32_t)fl_prng_below(prng, NODES);
            resources[i].cpu_milli = (uint32_t)fl_prng_u64(prng);
            resources[i].memory_bytes = fl_prng_u64(prng);
        }
        break;
    case AGENT_EV_go:
        ev->go.control_seq = fl_prng_below(prng, 100);
        ev->go.attempt = attempt;
        break;
    case AGENT_EV_stop:
        ev->stop.control_seq = fl_prng_u64(prng);
        ev->stop.attempt = attempt;
        break;
    case AGENT_EV_ack:
        ev->ack.report_seq = fl_prng_below(prng, 60);
        break;
    case AGENT_EV_replica_seen:
        ev->replica_seen.attempt = attempt;
        ev->replica_seen.replica = replica;
        ev->replica_seen.state =
            (enum fl_replica_state)fl_prng_between(prng, FL_REPLICA_created, FL_REPLICA_refused);
        ev->replica_seen.node = (uint32_t)fl_prng_below(prng, NODES + 1);
        ev->replica_seen.resources.memory_bytes = fl_prng_u64(prng);
        break;
    case AGENT_EV_replica_gone:
        ev->replica_gone.attempt = attempt;
        ev->replica_gone.replica = replica;
        break;
    case AGENT_EV_undelivered:
        ev->undelivered.attempt = attempt;
        ev->undelivered.replica = replica;
        ev->undelivered.command =
            (enum agent_command_kind)fl_prng_between(prng, AGENT_CMD_release, AGENT_CMD_remove);
        break;
    case AGENT_EV_node_seen:
        ev->node_seen.number = (uint32_t)fl_prng_below(prng, NODES + 1);
        ev->node_seen.name = FL_STR("a");
        ev->node_seen.total.memory_bytes = fl_prng_u64(prng);
        ev->node_seen.foreign.memory_bytes = fl_prng_u64(prng);
        break;
    case AGENT_EV_node_gone:
        ev->node_gone.number = (uint32_t)fl_prng_below(prng, NODES + 1);
        break;
    default:
        break;
    }
}

static uint64_t hash_commands(uint64_t so_far, const struct agent_batch *batch)
{
    for (size_t i = 0; i < batch->commands.len; i++) {
        const struct agent_command *command = &batch->commands.at[i];

        so_far = fl_hash_u64(so_far, (uint64_t)command->kind << 32 | command->replica);
        so_far = fl_hash_u64(so_far, command->attempt.job.n << 16 | command->attempt.n);
        if (command->kind == AGENT_CMD_node) {
            so_far = fl_hash_u64(so_far, command->node.report_seq);
            so_far = fl_hash_u64(so_far, command->node.free.memory_bytes);
        } else if (agent_command_is_frame(command->kind)) {
            so_far = fl_hash_u64(so_far, command->report.report_seq);
            so_far = fl_hash_u64(so_far, command->report.state);
        }
    }
    return so_far;
}

/* The hash over all it did and what it came to. */
static uint64_t run_without_sense(uint64_t seed, uint64_t *ret_did)
{
    struct agent_core_config config = small_config(2); /* fewer than there are elements */
    struct agent_core *core;
    struct agent_batch batch = {0};
    struct fl_prng prng;
    struct agent_event ev = {.now = 1000};
    uint32_t nodes[GANG];
    struct fl_resources resources[GANG] = {0};
    uint64_t hash = seed;

    config.page_bytes = seed % 2 ? 100 : 1 << 20;
    core = agent_core_create(&config);
    fl_prng_seed(&prng, seed);
    for (int i = 0; i < 90; i++) {
        draw_event(&prng, &ev, nodes, resources);
        agent_core_step(core, &ev, &batch);
        agent_core_check(core);
        hash = hash_commands(hash, &batch);
        for (size_t c = 0; c < batch.commands.len; c++) {
            ret_did[batch.commands.at[c].kind]++;
        }
        agent_batch_reset(&batch);
    }
    hash = fl_hash_u64(hash, agent_core_hash(core));
    agent_batch_fini(&batch);
    agent_core_destroy(core);
    return hash;
}

static void ten_thousand_sequences_without_sense_leave_the_state_whole(void **state)
{
    uint64_t did[AGENT_COMMANDS_LEN] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 10000; seed++) {
        run_without_sense(seed, did);
    }
    /* They reach everything it can do; else the test would be blind. */
    for (int kind = 0; kind < AGENT_COMMANDS_LEN; kind++) {
        assert_true(did[kind] > 500);
    }
}

static void equal_events_give_equal_batches_and_states(void **state)
{
    uint64_t did[AGENT_COMMANDS_LEN] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        assert_true(run_without_sense(seed, did) == run_without_sense(seed, did));
        assert_true(run_without_sense(seed, did) != run_without_sense(seed + 100000, did));
    }
}

/* ---- with sense ------------------------------------------------------------------------------ */

enum { NONE = FL_REPLICA_pending, GONE = 200, SYNCED, QUEUE_MAX = 4096 };

struct model_replica {
    /* The runtime's truth. */
    bool exists;
    enum fl_replica_state state;
    uint32_t node;
    struct fl_resources resources;
    /* The commands, events and reports of this life of the core. */
    bool is_made, is_released, is_stopped, is_removed;
    int delivered; /* a state, NONE, or GONE */
    bool is_charged;
    uint64_t end_seq; /* the report of its end in this session */
    bool is_acked;
    bool is_item;       /* the inventory that was just sent has it */
    fl_ms connected_ms; /* since created was delivered: time in which GO could have come */
};

struct world {
    struct fl_prng prng;
    struct agent_core *core;
    struct agent_batch batch;
    struct model_replica replicas[ATTEMPTS][GANG];
    bool is_go[ATTEMPTS], is_stop[ATTEMPTS]; /* since the core knows the attempt */
    size_t stop_highest[JOBS]; /* in this connection: the place of the number, plus 1 */
    bool is_up, is_synced, is_listed;
    bool is_node_told[NODES]; /* since the inventory */
    uint64_t report_seq, control_seq;
    fl_ms now;
    uint32_t total_milli[NODES], foreign_milli[NODES];
    struct {
        uint8_t attempt, replica, what;
    } notices[QUEUE_MAX]; /* the runtime's, on their way to the core */
    size_t notices_len;
    struct agent_command commands[QUEUE_MAX]; /* for the runtime, on their way */
    size_t commands_len;
    uint64_t did[AGENT_COMMANDS_LEN];
    uint64_t given_up; /* gates that got no GO in time */
};

static size_t index_of(struct fl_attempt attempt)
{
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (fl_attempt_is_same(attempt_of(i), attempt)) return i;
    }
    fail();
    return 0;
}

static void notice(struct world *world, size_t attempt, size_t replica, int what)
{
    assert_true(world->notices_len < QUEUE_MAX);
    world->notices[world->notices_len].attempt = (uint8_t)attempt;
    world->notices[world->notices_len].replica = (uint8_t)replica;
    world->notices[world->notices_len++].what = (uint8_t)what;
}

static bool is_known(const struct world *world, size_t attempt)
{
    for (size_t i = 0; i < GANG; i++) {
        if (world->replicas[attempt][i].is_made) return true;
    }
    return false;
}

/* The end of all of it is acknowledged: only then it is forgotten, replica by replica. */
static bool is_over(const struct world *world, size_t attempt)
{
    for (size_t i = 0; i < GANG; i++) {
        const struct model_replica *replica = &world->replicas[attempt][i];

        if (replica->is_made && !replica->is_acked) return false;
    }
    return true;
}

/* Each command needs its reason; each report must be true. */
static void judge_runtime(struct world *world, const struct agent_command *command)
{
    size_t attempt = index_of(command->attempt);
    struct model_replica *replica = &world->replicas[attempt][command->replica];

    switch (command->kind) {
    case AGENT_CMD_create:
        assert_false(replica->is_made);
        assert_true(replica->delivered == NONE || replica->delivered == GONE);
        if (!is_known(world, attempt)) {
            assert_true(attempt % NUMBERS + 1 > world->stop_highest[attempt / NUMBERS]);
            world->is_go[attempt] = world->is_stop[attempt] = false;
        }
        replica->is_made = replica->is_charged = true;
        replica->delivered = NONE;
        replica->node = command->create.node;
        replica->resources = command->create.resources;
        replica->is_released = replica->is_stopped = replica->is_removed = false;
        replica->end_seq = 0;
        replica->is_acked = false;
        break;
    case AGENT_CMD_release:
        assert_true(world->is_go[attempt] && !world->is_stop[attempt]);
        assert_int_equal(replica->delivered, FL_REPLICA_created);
        assert_false(replica->is_released);
        replica->is_released = true;
        break;
    case AGENT_CMD_stop:
        assert_true(world->is_stop[attempt]);
        assert_false(replica->is_stopped);
        assert_false(fl_replica_state_is_last((enum fl_replica_state)replica->delivered));
        replica->is_stopped = true;
        break;
    case AGENT_CMD_remove:
        if (replica->delivered == FL_REPLICA_created) {
            assert_false(replica->is_released);
            assert_true(world->is_stop[attempt] ||
                        (replica->connected_ms >= 60000 && !world->is_go[attempt]));
            world->given_up += !world->is_stop[attempt];
        } else {
            assert_true(fl_replica_state_is_last((enum fl_replica_state)replica->delivered));
            assert_true(is_over(world, attempt));
        }
        assert_false(replica->is_removed);
        replica->is_removed = true;
        break;
    default:
        fail();
    }
    assert_true(world->commands_len < QUEUE_MAX);
    world->commands[world->commands_len++] = *command;
}

static void judge_report(struct world *world, const struct agent_command *command)
{
    size_t attempt = index_of(command->attempt);
    struct model_replica *replica;
    bool is_last = fl_replica_state_is_last(command->report.state);

    assert_int_equal(command->report.report_seq, ++world->report_seq);
    if (command->replica == AGENT_WHOLE_ATTEMPT) {
        assert_int_equal(command->report.state, FL_REPLICA_absent);
        return;
    }
    replica = &world->replicas[attempt][command->replica];
    if (!replica->is_made) { /* a START that was refused */
        assert_int_equal(command->report.state, FL_REPLICA_refused);
        return;
    }
    if (replica->delivered == GONE) {
        assert_true(is_last);
    } else {
        assert_int_equal(command->report.state, replica->delivered);
    }
    if (!is_last) return;
    replica->end_seq = command->report.report_seq;
    replica->is_charged = false;
}

static void judge_node(struct world *world, const struct agent_command *command)
{
    uint64_t used = world->foreign_milli[command->node.number];
    uint64_t total = world->total_milli[command->node.number];

    assert_int_equal(command->node.report_seq, ++world->report_seq);
    world->is_node_told[command->node.number] = true;
    assert_int_equal(command->node.mark, world->control_seq);
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        const struct model_replica *replica = &world->replicas[i / GANG][i % GANG];

        if (replica->is_charged && replica->node == command->node.number) {
            used += replica->resources.cpu_milli;
        }
    }
    assert_int_equal(command->node.free.cpu_milli, total > used ? total - used : 0);
}

static void judge_inventory(struct world *world, const struct agent_command *end)
{
    uint32_t items = 0;

    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        struct model_replica *replica = &world->replicas[i / GANG][i % GANG];

        if (replica->delivered != NONE && replica->delivered != GONE) {
            assert_true(replica->is_item);
        }
        items += replica->is_item;
        replica->is_item = false;
    }
    assert_int_equal(end->inventory_end.count, items);
    world->is_listed = true;
    memset(world->is_node_told, 0, sizeof(world->is_node_told));
}

static void feed(struct world *world, struct agent_event ev)
{
    ev.now = world->now;
    agent_core_step(world->core, &ev, &world->batch);
    agent_core_check(world->core);
    for (size_t i = 0; i < world->batch.commands.len; i++) {
        const struct agent_command *command = &world->batch.commands.at[i];
        struct model_replica *replica;

        world->did[command->kind]++;
        if (agent_command_is_frame(command->kind)) assert_true(world->is_up && world->is_synced);
        switch (command->kind) {
        case AGENT_CMD_inventory_begin:
            assert_false(world->is_listed);
            break;
        case AGENT_CMD_inventory_item:
            replica = &world->replicas[index_of(command->attempt)][command->replica];
            assert_false(replica->is_item || world->is_listed);
            if (replica->delivered != GONE) {
                assert_int_equal(command->report.state, replica->delivered);
            }
            replica->is_item = true;
            break;
        case AGENT_CMD_inventory_end:
            judge_inventory(world, command);
            break;
        case AGENT_CMD_replica:
            assert_true(world->is_listed);
            judge_report(world, command);
            break;
        case AGENT_CMD_node:
            assert_true(world->is_listed);
            judge_node(world, command);
            break;
        case AGENT_CMD_nodes_end:
            assert_true(world->is_listed);
            for (size_t n = 0; n < NODES; n++) {
                assert_true(world->is_node_told[n]);
            }
            break;
        default:
            judge_runtime(world, command);
        }
    }
    agent_batch_reset(&world->batch);
}

/* ---- the runtime ----------------------------------------------------------------------------- */

static void carry_out_one(struct world *world)
{
    struct agent_command command = world->commands[0];
    size_t attempt;
    struct model_replica *replica;

    if (world->commands_len == 0) return;
    memmove(&world->commands[0], &world->commands[1],
            --world->commands_len * sizeof(world->commands[0]));
    attempt = index_of(command.attempt);
    replica = &world->replicas[attempt][command.replica];
    switch (command.kind) {
    case AGENT_CMD_create:
        if (!replica->exists) {
            replica->exists = true;
            replica->state =
                fl_prng_chance(&world->prng, 100000) ? FL_REPLICA_refused : FL_REPLICA_created;
        }
        notice(world, attempt, command.replica, replica->state);
        break;
    case AGENT_CMD_release:
        if (!replica->exists || replica->state != FL_REPLICA_created) break;
        replica->state = FL_REPLICA_pulling;
        notice(world, attempt, command.replica, replica->state);
        break;
    case AGENT_CMD_stop:
        if (!replica->exists || fl_replica_state_is_last(replica->state)) break;
        replica->state = FL_REPLICA_exited;
        notice(world, attempt, command.replica, replica->state);
        break;
    case AGENT_CMD_remove:
        if (replica->exists &&
            (replica->state == FL_REPLICA_pulling || replica->state == FL_REPLICA_running)) {
            notice(world, attempt, command.replica, replica->state);
            break;
        }
        replica->exists = false;
        notice(world, attempt, command.replica, GONE);
        break;
    default:
        fail();
    }
}

static void live_on(struct world *world, size_t attempt, size_t number)
{
    struct model_replica *replica = &world->replicas[attempt][number];

    if (!replica->exists) return;
    if (fl_prng_chance(&world->prng, 20000)) { /* by another hand */
        replica->exists = false;
        notice(world, attempt, number, GONE);
    } else if (replica->state == FL_REPLICA_pulling) {
        replica->state = FL_REPLICA_running;
        notice(world, attempt, number, replica->state);
    } else if (replica->state == FL_REPLICA_running) {
        replica->state = fl_prng_chance(&world->prng, 100000) ? FL_REPLICA_lost : FL_REPLICA_exited;
        notice(world, attempt, number, replica->state);
    }
}

static void deliver_one(struct world *world)
{
    size_t attempt = world->notices[0].attempt;
    size_t number = world->notices[0].replica;
    int what = world->notices[0].what;
    struct model_replica *replica = &world->replicas[attempt][number];
    struct agent_event ev = {.kind = AGENT_EV_replica_seen};

    if (world->notices_len == 0) return;
    memmove(&world->notices[0], &world->notices[1],
            --world->notices_len * sizeof(world->notices[0]));
    if (what == SYNCED) {
        world->is_synced = true;
        feed(world, (struct agent_event){.kind = AGENT_EV_synced});
        return;
    }
    if (what == GONE) {
        ev.kind = AGENT_EV_replica_gone;
        ev.replica_gone.attempt = attempt_of(attempt);
        ev.replica_gone.replica = (uint32_t)number;
        if (replica->is_made) replica->delivered = GONE;
        feed(world, ev);
        /* Forgotten at once when its attempt is over; else kept until it is. */
        if (replica->is_made && is_over(world, attempt)) replica->is_made = false;
        return;
    }
    ev.replica_seen.attempt = attempt_of(attempt);
    ev.replica_seen.replica = (uint32_t)number;
    ev.replica_seen.state = (enum fl_replica_state)what;
    ev.replica_seen.node = replica->node;
    ev.replica_seen.resources = replica->resources;
    if (!is_known(world, attempt)) { /* adopted, and stopped if that was asked just before */
        world->is_go[attempt] = false;
        world->is_stop[attempt] = attempt % NUMBERS + 1 == world->stop_highest[attempt / NUMBERS];
    }
    if (!replica->is_made) {
        replica->is_made = replica->is_charged = true;
        replica->is_released = replica->is_stopped = replica->is_removed = false;
        replica->delivered = NONE;
        replica->end_seq = 0;
        replica->is_acked = false;
    }
    if (replica->delivered != GONE && what > replica->delivered &&
        !fl_replica_state_is_last((enum fl_replica_state)replica->delivered)) {
        if (what == FL_REPLICA_created) replica->connected_ms = 0;
        replica->delivered = what;
        replica->is_removed = false; /* it was declined */
    }
    feed(world, ev);
}

static void crash(struct world *world)
{
    struct agent_core_config config = small_config(JOBS); /* the model forgets nothing */

    agent_core_destroy(world->core);
    world->core = agent_core_create(&config);
    world->is_up = world->is_synced = world->is_listed = false;
    world->report_seq = 0;
    world->notices_len = 0;
    /* Commands on their way to the runtime may still arrive, or some of them. */
    world->commands_len = fl_prng_below(&world->prng, world->commands_len + 1);
    memset(world->is_go, 0, sizeof(world->is_go));
    memset(world->is_stop, 0, sizeof(world->is_stop));
    memset(world->stop_highest, 0, sizeof(world->stop_highest));
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        struct model_replica *replica = &world->replicas[i / GANG][i % GANG];

        replica->is_made = replica->is_charged = replica->is_acked = false;
        replica->is_removed = replica->is_released = replica->is_stopped = false;
        replica->delivered = NONE;
        if (replica->exists) notice(world, i / GANG, i % GANG, replica->state);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        feed(world,
             (struct agent_event){.kind = AGENT_EV_node_seen,
                                  .node_seen = {.number = i,
                                                .is_ready = true,
                                                .name = FL_STR("n"),
                                                .total.cpu_milli = world->total_milli[i],
                                                .foreign.cpu_milli = world->foreign_milli[i]}});
    }
    notice(world, 0, 0, SYNCED);
}

/* ---- the control plane ----------------------------------------------------------------------- */

static void meet(struct world *world, bool is_new_connection)
{
    world->is_up = true;
    world->is_listed = false;
    world->control_seq = 0;
    if (is_new_connection) memset(world->stop_highest, 0, sizeof(world->stop_highest));
    feed(world, (struct agent_event){.kind = AGENT_EV_session_up,
                                     .session_up.is_new_connection = is_new_connection});
}

static void part(struct world *world)
{
    world->is_up = world->is_listed = false;
    feed(world, (struct agent_event){.kind = AGENT_EV_session_down});
}

static void start(struct world *world, size_t attempt)
{
    uint32_t nodes[GANG];
    struct fl_resources resources[GANG];
    struct agent_event ev = {.kind = AGENT_EV_start};

    if (!world->is_listed) return;
    for (size_t i = 0; i < GANG; i++) {
        if (world->replicas[attempt][i].exists && !world->replicas[attempt][i].is_made) return;
        nodes[i] = (uint32_t)fl_prng_below(&world->prng, NODES);
        resources[i] =
            (struct fl_resources){.cpu_milli = (uint32_t)fl_prng_below(&world->prng, 3000)};
    }
    ev.start.control_seq = ++world->control_seq;
    ev.start.attempt = attempt_of(attempt);
    ev.start.nodes = nodes;
    ev.start.resources = resources;
    ev.start.replicas_len = 1 + fl_prng_below(&world->prng, GANG);
    feed(world, ev);
}

static void go(struct world *world, size_t attempt)
{
    if (!world->is_listed) return;
    world->is_go[attempt] = true;
    feed(world, (struct agent_event){.kind = AGENT_EV_go,
                                     .go = {++world->control_seq, attempt_of(attempt)}});
}

static void stop(struct world *world, size_t attempt)
{
    if (!world->is_up) return;
    world->is_stop[attempt] = true;
    if (world->stop_highest[attempt / NUMBERS] < attempt % NUMBERS + 1) {
        world->stop_highest[attempt / NUMBERS] = attempt % NUMBERS + 1;
    }
    feed(world, (struct agent_event){.kind = AGENT_EV_stop,
                                     .stop = {++world->control_seq, attempt_of(attempt), 100}});
}

static void ack(struct world *world, uint64_t report_seq)
{
    if (!world->is_listed) return;
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        struct model_replica *replica = &world->replicas[i / GANG][i % GANG];

        if (replica->is_made && replica->end_seq && replica->end_seq <= report_seq) {
            replica->is_acked = true;
        }
    }
    feed(world, (struct agent_event){.kind = AGENT_EV_ack, .ack.report_seq = report_seq});
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        struct model_replica *replica = &world->replicas[i / GANG][i % GANG];

        if (replica->is_made && is_over(world, i / GANG) && replica->delivered == GONE) {
            replica->is_made = false;
        }
    }
}

static void pass_time(struct world *world, fl_ms ms)
{
    world->now += ms;
    if (!world->is_listed) return;
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        world->replicas[i / GANG][i % GANG].connected_ms += ms;
    }
    while (agent_core_next_deadline(world->core) <= world->now) {
        feed(world, (struct agent_event){.kind = AGENT_EV_tick});
    }
}

static void do_something(struct world *world)
{
    struct fl_prng *prng = &world->prng;
    size_t attempt = fl_prng_below(prng, ATTEMPTS);
    size_t replica = fl_prng_below(prng, GANG);
    uint64_t turn = fl_prng_below(prng, 1000);

    if (turn < 150) {
        start(world, attempt);
    } else if (turn < 250) {
        go(world, attempt);
    } else if (turn < 290) {
        stop(world, attempt);
    } else if (turn < 390) {
        ack(world, world->report_seq - fl_prng_below(prng, 3) % (world->report_seq + 1));
    } else if (turn < 570) {
        carry_out_one(world);
    } else if (turn < 750) {
        deliver_one(world);
    } else if (turn < 850) {
        live_on(world, attempt, replica);
    } else if (turn < 960) {
        pass_time(world, fl_prng_chance(prng, 30000) ? 61000 : fl_prng_between(prng, 0, 200));
    } else if (turn < 985) {
        meet(world, !world->is_up);
    } else if (turn < 996) {
        part(world);
    } else {
        crash(world);
    }
}

/* With everybody there and willing, all that is stopped is gone in the end. */
static void settle_all(struct world *world)
{
    struct agent_core_stats stats;

    meet(world, !world->is_up);
    while (world->notices_len || world->commands_len) {
        carry_out_one(world);
        deliver_one(world);
    }
    for (size_t i = 0; i < ATTEMPTS; i++) {
        stop(world, i);
    }
    for (int round = 0; round < 4; round++) {
        while (world->notices_len || world->commands_len) {
            carry_out_one(world);
            deliver_one(world);
        }
        pass_time(world, 1000);
        ack(world, world->report_seq);
    }
    stats = agent_core_stats(world->core);
    assert_int_equal(stats.replicas, 0);
    assert_int_equal(stats.attempts, 0);
    assert_int_equal(stats.gated, 0);
    assert_int_equal(stats.unacked, 0);
    for (size_t i = 0; i < (size_t)ATTEMPTS * GANG; i++) {
        assert_false(world->replicas[i / GANG][i % GANG].exists);
    }
    meet(world, false);
}

static void in_a_world_with_sense_all_it_does_is_allowed_and_all_it_tells_is_true(void **state)
{
    uint64_t did[AGENT_COMMANDS_LEN] = {0};
    uint64_t given_up = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct world *world = fl_new(struct world);

        fl_prng_seed(&world->prng, seed);
        for (size_t i = 0; i < NODES; i++) {
            world->total_milli[i] = (uint32_t)fl_prng_between(&world->prng, 4000, 16000);
            world->foreign_milli[i] = (uint32_t)fl_prng_between(&world->prng, 0, 3000);
        }
        crash(world);
        for (int i = 0; i < 300; i++) {
            do_something(world);
        }
        settle_all(world);
        for (int kind = 0; kind < AGENT_COMMANDS_LEN; kind++) {
            did[kind] += world->did[kind];
        }
        given_up += world->given_up;
        agent_core_destroy(world->core);
        agent_batch_fini(&world->batch);
        fl_free(world);
    }
    assert_true(given_up > 500);
    for (int kind = 0; kind < AGENT_COMMANDS_LEN; kind++) {
        assert_true(did[kind] > 1000);
    }
}

FL_TESTS(cmocka_unit_test(ten_thousand_sequences_without_sense_leave_the_state_whole),
         cmocka_unit_test(equal_events_give_equal_batches_and_states),
         cmocka_unit_test(in_a_world_with_sense_all_it_does_is_allowed_and_all_it_tells_is_true))
