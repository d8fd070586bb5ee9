#include "tests/unit/agent/runtime_contract.h"

#include <stdio.h>

#include "agent/core/agent_command.h"
#include "shared/base/enum_names.h"
#include "shared/base/vec.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

enum { QUIET_TURNS = 20 };

static const char *const event_names[] = {AGENT_EVENTS(FL_NAME)};

static const struct fl_attempt attempt = {.job = {77}, .element = 3, .n = 2, .incarnation = 1};

/* An agent's ear. */
struct ear {
    const struct contract_world *world;
    struct runtime runtime;
    FL_VEC(enum fl_replica_state) states; /* our replica's, in the order they came */
    int32_t exit_code;
    unsigned nodes, synced, gone;
    bool is_commanding;
    struct runtime_job *job; /* the orders of this ear are made from it */
};

static void happened(void *ctx, struct agent_event *event)
{
    struct ear *ear = ctx;

    assert_false(ear->is_commanding); /* never from within a command */
    switch (event->kind) {
    case AGENT_EV_node_seen:
        assert_true(event->node_seen.name.len > 0 && event->node_seen.total.cpu_milli > 0);
        ear->nodes++;
        break;
    case AGENT_EV_replica_seen:
        assert_true(fl_attempt_is_same(event->replica_seen.attempt, attempt));
        fl_vec_push(&ear->states, event->replica_seen.state);
        ear->exit_code = event->replica_seen.exit_code;
        break;
    case AGENT_EV_replica_gone:
        ear->gone++;
        break;
    case AGENT_EV_synced:
        ear->synced++;
        break;
    default:
        fail_msg("a runtime may not say '%s'", event_names[event->kind]);
    }
}

struct runtime_job *contract_document(const char *script)
{
    struct runtime_job *job = NULL;
    struct fl_err err = {0};
    struct fl_buf document;

    fl_buf_init(&document, 4000);
    assert_true(fl_buf_put(&document, "{\"command\":[\"sh\",\"-c\",\"", 23));
    for (; *script; script++) {
        if (*script == '"' || *script == '\\') assert_true(fl_buf_put_u8(&document, '\\'));
        assert_true(fl_buf_put_u8(&document, (uint8_t)*script));
    }
    assert_true(fl_buf_put(&document, "\"]}", 3));
    if (!runtime_job_read((struct fl_str){(const char *)document.at, document.len},
                          (struct fl_str){0}, &job, &err)) {
        fail_msg("%s", err.text);
    }
    fl_buf_fini(&document);
    return job;
}

static struct runtime_job *read_job(const struct contract_world *world)
{
    return contract_document(world->script(world->ctx));
}

static void open_ear(struct ear *ear, const struct contract_world *world)
{
    struct runtime_listener listener = {.ctx = ear, .happened = happened};

    *ear = (struct ear){.world = world, .runtime = world->open(world->ctx), .job = read_job(world)};
    ear->is_commanding = true;
    ear->runtime.ops->begin(ear->runtime.self, &listener);
    ear->is_commanding = false;
    while (!ear->synced) {
        assert_false(world->is_late(world->ctx));
        world->turn(world->ctx);
    }
    assert_true(ear->nodes > 0);
}

static void close_ear(struct ear *ear)
{
    runtime_job_release(ear->job); /* orders that the runtime still holds keep it */
    fl_vec_fini(&ear->states);
}

static void command(struct ear *ear, enum agent_command_kind kind)
{
    void *self = ear->runtime.self;

    ear->is_commanding = true;
    switch (kind) {
    case AGENT_CMD_create:
        ear->runtime.ops->create(
            self,
            runtime_order_create(ear->job, attempt, 0, 0,
                                 (struct fl_resources){.memory_bytes = 1 << 20, .cpu_milli = 100}));
        break;
    case AGENT_CMD_release:
        ear->runtime.ops->release(self, attempt, 0);
        break;
    case AGENT_CMD_stop:
        ear->runtime.ops->stop(self, attempt, 0, 100);
        break;
    default:
        ear->runtime.ops->remove(self, attempt, 0);
    }
    ear->is_commanding = false;
}

static bool has_seen(const struct ear *ear, enum fl_replica_state state)
{
    for (size_t i = 0; i < ear->states.len; i++) {
        if (ear->states.at[i] == state) return true;
    }
    return false;
}

static void wait_for(struct ear *ear, enum fl_replica_state state)
{
    while (!has_seen(ear, state)) {
        assert_false(ear->world->is_late(ear->world->ctx));
        ear->world->turn(ear->world->ctx);
    }
}

static void wait_gone(struct ear *ear)
{
    while (!ear->gone) {
        assert_false(ear->world->is_late(ear->world->ctx));
        ear->world->turn(ear->world->ctx);
    }
}

/* Every order that the runtime was given is destroyed by now. */
static void check_orders(struct ear *ear)
{
    assert_int_equal(runtime_job_orders(ear->job), 0);
}

static void some_turns(struct ear *ear)
{
    for (int i = 0; i < QUIET_TURNS; i++) {
        ear->world->turn(ear->world->ctx);
    }
}

/* States go forward, one end is all there is, and it ran only if it may have. */
static void check_states(const struct ear *ear)
{
    enum fl_replica_state before = FL_REPLICA_pending;

    for (size_t i = 0; i < ear->states.len; i++) {
        assert_true(ear->states.at[i] >= before);
        assert_true(ear->states.at[i] == before || !fl_replica_state_is_last(before));
        before = ear->states.at[i];
    }
}

static void remove_ended(struct ear *ear)
{
    ear->runtime.ops->output_taken(ear->runtime.self, attempt, 0);
    command(ear, AGENT_CMD_remove);
    wait_gone(ear);
    check_orders(ear);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void what_is_created_waits_for_its_release(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_create); /* again: nothing */
    some_turns(ear);
    assert_false(has_seen(ear, FL_REPLICA_running));
    command(ear, AGENT_CMD_release);
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_exited);
    assert_int_equal(ear->exit_code, 0);
    command(ear, AGENT_CMD_create);
    command(ear, AGENT_CMD_release);
    some_turns(ear);
    check_states(ear);
    remove_ended(ear);
}

static void what_is_gated_is_removed_without_having_run(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_remove);
    wait_gone(ear);
    check_states(ear);
    assert_false(has_seen(ear, FL_REPLICA_running));
    check_orders(ear);
}

/* The engine has forgotten the document when the runtime comes to the order, and after. */
static void an_order_is_the_runtimes_from_its_creation_on(struct ear *ear)
{
    struct runtime_job *job = read_job(ear->world);
    struct runtime_order *order =
        runtime_order_create(job, attempt, 0, 0, (struct fl_resources){.cpu_milli = 100});

    assert_int_equal(runtime_job_orders(job), 1);
    runtime_job_release(job);
    ear->is_commanding = true;
    ear->runtime.ops->create(ear->runtime.self, order);
    ear->is_commanding = false;
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_create); /* the second order is destroyed, too */
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_exited);
    assert_int_equal(ear->exit_code, 0);
    remove_ended(ear);
}

static void what_runs_is_not_removed_but_stopped(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_running);
    command(ear, AGENT_CMD_remove);
    some_turns(ear);
    assert_int_equal(ear->gone, 0);
    command(ear, AGENT_CMD_stop);
    command(ear, AGENT_CMD_stop);
    wait_for(ear, FL_REPLICA_exited);
    assert_int_not_equal(ear->exit_code, 0);
    check_states(ear);
    remove_ended(ear);
}

static void what_is_unknown_is_gone(struct ear *ear)
{
    command(ear, AGENT_CMD_stop);
    wait_gone(ear);
    ear->gone = 0;
    command(ear, AGENT_CMD_remove);
    wait_gone(ear);
    assert_int_equal(ear->states.len, 0);
}

static void again(struct ear *ear)
{
    close_ear(ear);
    open_ear(ear, ear->world);
}

static void a_new_agent_finds_what_is_gated(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    again(ear);
    assert_true(has_seen(ear, FL_REPLICA_created)); /* before it was synced */
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_exited);
    check_states(ear);
    remove_ended(ear);
}

static void a_new_agent_finds_what_runs(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_running);
    again(ear);
    assert_true(has_seen(ear, FL_REPLICA_running));
    some_turns(ear);
    assert_false(has_seen(ear, FL_REPLICA_exited));
    command(ear, AGENT_CMD_stop);
    wait_for(ear, FL_REPLICA_exited);
    check_states(ear);
    remove_ended(ear);
}

static void a_new_agent_finds_what_has_ended(struct ear *ear)
{
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_exited);
    again(ear);
    assert_true(has_seen(ear, FL_REPLICA_exited));
    assert_int_equal(ear->exit_code, 0);
    remove_ended(ear);
    again(ear);
    some_turns(ear);
    assert_int_equal(ear->states.len, 0);
}

static void output_is_read_while_it_runs_and_after(struct ear *ear)
{
    struct runtime_output output = {0};
    struct fl_log_record record;
    struct fl_err err = {0};
    struct fl_buf records;
    struct fl_str rest;
    bool is_read;

    if (!ear->world->has_output) return;
    command(ear, AGENT_CMD_create);
    wait_for(ear, FL_REPLICA_created);
    command(ear, AGENT_CMD_release);
    wait_for(ear, FL_REPLICA_running);
    fl_buf_init(&records, (size_t)2 * FL_LOG_RECORD_BYTES_MAX);
    while (records.len == 0) {
        assert_false(ear->world->is_late(ear->world->ctx));
        ear->world->turn(ear->world->ctx);
        is_read = ear->runtime.ops->read_output(ear->runtime.self, attempt, 0, 0, 65536, &records,
                                                &output, &err);
        assert_true(is_read);
    }
    assert_false(output.is_ended);
    rest = (struct fl_str){(const char *)records.at, records.len};
    assert_int_equal(fl_log_record_next(&rest, &record), FL_LOG_READY);
    assert_memory_equal(record.bytes.at, "ready\n", 6);
    command(ear, AGENT_CMD_stop);
    wait_for(ear, FL_REPLICA_exited);
    again(ear);
    /* From the middle, and to the end. */
    do {
        assert_false(ear->world->is_late(ear->world->ctx));
        fl_buf_clear(&records);
        is_read = ear->runtime.ops->read_output(ear->runtime.self, attempt, 0, 2, 65536, &records,
                                                &output, &err);
        assert_true(is_read);
        if (!output.is_ended) ear->world->turn(ear->world->ctx);
    } while (!output.is_ended);
    assert_int_equal(output.end_offset, output.next_offset);
    rest = (struct fl_str){(const char *)records.at, records.len};
    assert_int_equal(fl_log_record_next(&rest, &record), FL_LOG_READY);
    assert_int_equal(record.offset, 2);
    assert_memory_equal(record.bytes.at, "ady\n", 4);
    fl_buf_fini(&records);
    command(ear, AGENT_CMD_remove); /* waits for the output to be taken */
    some_turns(ear);
    assert_int_equal(ear->gone, 0);
    ear->runtime.ops->output_taken(ear->runtime.self, attempt, 0);
    wait_gone(ear);
}

void runtime_contract_run(const struct contract_world *world)
{
    static const struct {
        void (*fn)(struct ear *ear);
        enum contract_job job;
    } tests[] = {
        {what_is_created_waits_for_its_release, CONTRACT_SHORT},
        {what_is_gated_is_removed_without_having_run, CONTRACT_SHORT},
        {an_order_is_the_runtimes_from_its_creation_on, CONTRACT_SHORT},
        {what_runs_is_not_removed_but_stopped, CONTRACT_ENDLESS},
        {what_is_unknown_is_gone, CONTRACT_SHORT},
        {a_new_agent_finds_what_is_gated, CONTRACT_SHORT},
        {a_new_agent_finds_what_runs, CONTRACT_ENDLESS},
        {a_new_agent_finds_what_has_ended, CONTRACT_SHORT},
        {output_is_read_while_it_runs_and_after, CONTRACT_ENDLESS},
    };

    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        struct ear ear;

        world->begin(world->ctx, tests[i].job);
        open_ear(&ear, world);
        tests[i].fn(&ear);
        close_ear(&ear);
        world->end(world->ctx);
    }
}
