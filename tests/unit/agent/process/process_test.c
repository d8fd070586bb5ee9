/* The process runtime: the contract of all runtimes, and what is its own: supervisors that die. */
#include "agent/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "agent/process/proc.h"
#include "agent/process/process_state.h"
#include "agent/process/remove_tree.h"
#include "shared/io/clock.h"
#include "shared/io/descriptors.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"
#include "tests/unit/agent/runtime_contract.h"

enum { LATE_MS = 60000, LINES_MAX = 64 };

struct world {
    char path[128], program[4096];
    struct fl_loop *loop;
    struct process *process;
    struct process_config config;
    fl_ms began_at;
    const char *script;
};

static void begin(void *ctx, enum contract_job job)
{
    struct world *world = ctx;

    replica_dir_program(world->program);
    snprintf(world->path, sizeof(world->path), "/tmp/fl-process-XXXXXX");
    assert_non_null(mkdtemp(world->path));
    world->loop = fl_loop_create();
    world->began_at = fl_clock_mono();
    world->script =
        job == CONTRACT_SHORT ? "echo done" : "echo ready; while :; do sleep 0.02; done";
    world->config = (struct process_config){
        .dir = world->path,
        .supervisor = world->program,
        .name = "here",
        .lifeline = -1,
        .nodes = 2,
        .each = {.cpu_milli = 8000},
        .head_bytes = 1 << 20,
        .tail_bytes = 1 << 20,
        .log_grace_ms = FL_HOUR_MS,
    };
}

static void end(void *ctx)
{
    struct world *world = ctx;

    process_destroy(world->process);
    world->process = NULL;
    fl_loop_destroy(world->loop);
    assert_true(remove_tree_some(AT_FDCWD, world->path, 100000));
}

static struct runtime open_runtime(void *ctx)
{
    struct world *world = ctx;
    struct fl_err err = {0};

    process_destroy(world->process);
    assert_true(process_create(world->loop, &world->config, &world->process, &err));
    return process_runtime(world->process);
}

static const char *script(void *ctx)
{
    return ((struct world *)ctx)->script;
}

static void turn(void *ctx)
{
    struct world *world = ctx;

    fl_loop_turn(world->loop, 5);
}

static bool is_late(void *ctx)
{
    struct world *world = ctx;

    return fl_clock_mono() - world->began_at > LATE_MS;
}

static void processes_keep_the_contract(void **state)
{
    struct world world = {0};
    struct contract_world contract = {
        .ctx = &world,
        .begin = begin,
        .end = end,
        .open = open_runtime,
        .script = script,
        .turn = turn,
        .is_late = is_late,
        .has_output = true,
    };

    (void)state;
    runtime_contract_run(&contract);
}

/* ---- its own rules --------------------------------------------------------------------------- */

static const struct fl_attempt attempt = {.job = {5}, .element = 0, .n = 1, .incarnation = 1};

struct heard {
    enum fl_replica_state state;
    enum agent_cause cause;
    int32_t exit_code;
    uint64_t output_bytes;
    unsigned outputs; /* calls of 'output' */
    unsigned undelivered;
    bool is_synced, is_gone;
    char words[FL_WORDS_BYTES_MAX + 1];
};

static void happened(void *ctx, struct agent_event *event)
{
    struct heard *heard = ctx;

    if (event->kind == AGENT_EV_synced) heard->is_synced = true;
    if (event->kind == AGENT_EV_replica_gone) heard->is_gone = true;
    if (event->kind == AGENT_EV_undelivered) heard->undelivered++;
    if (event->kind != AGENT_EV_replica_seen) return;
    heard->state = event->replica_seen.state;
    heard->cause = event->replica_seen.cause;
    heard->exit_code = event->replica_seen.exit_code;
    heard->output_bytes = event->replica_seen.output_bytes;
    snprintf(heard->words, sizeof heard->words, FL_STR_FMT, FL_STR_ARG(event->replica_seen.words));
}

static void has_output(void *ctx, struct fl_attempt whose, uint32_t replica)
{
    struct heard *heard = ctx;

    assert_true(fl_attempt_is_same(whose, attempt) && replica == 0);
    heard->outputs++;
}

static struct runtime start(struct world *world, struct heard *heard)
{
    struct runtime runtime = open_runtime(world);

    *heard = (struct heard){0};
    runtime.ops->begin(runtime.self, &(struct runtime_listener){
                                         .ctx = heard, .happened = happened, .output = has_output});
    while (!heard->is_synced) {
        assert_false(is_late(world));
        turn(world);
    }
    return runtime;
}

static void until(struct world *world, struct heard *heard, enum fl_replica_state state)
{
    while (heard->state != state) {
        assert_false(is_late(world));
        turn(world);
    }
}

static void create(struct world *world, struct runtime runtime, struct heard *heard)
{
    struct runtime_job *job = contract_document(world->script);

    runtime.ops->create(runtime.self,
                        runtime_order_create(job, attempt, 0, 0, (struct fl_resources){0}));
    runtime_job_release(job);
    until(world, heard, FL_REPLICA_created);
}

/* As it is kept on disk: its run id, and which process holds its directory. */
static struct layout_spec spec_of(struct world *world, struct fl_arena *arena)
{
    char path[256];
    struct layout_spec spec;
    struct fl_err err = {0};
    struct fl_buf buf;

    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/spec", world->path);
    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    assert_true(layout_read(AT_FDCWD, path, &buf, &err));
    assert_true(
        layout_spec_decode((struct fl_str){(const char *)buf.at, buf.len}, arena, &spec, &err));
    fl_buf_fini(&buf);
    return spec;
}

static pid_t supervisor_of(struct world *world)
{
    struct layout_gate gate;
    struct fl_err err = {0};
    struct fl_buf buf;
    char path[256];

    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/gate", world->path);
    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    assert_true(layout_read(AT_FDCWD, path, &buf, &err));
    assert_true(layout_gate_decode((struct fl_str){(const char *)buf.at, buf.len}, &gate));
    fl_buf_fini(&buf);
    return gate.session;
}

/* Orphans that left the session, and one that also lost the variable, among them. */
static const char leaves_orphans[] =
    "(setsid sh -c 'sleep 1000 & echo a; sleep 1000' &); env -i sleep 1000 & "
    "echo ready; while :; do sleep 0.02; done";

static void until_output(struct world *world, struct runtime runtime, uint64_t bytes)
{
    struct runtime_output output = {0};
    struct fl_err err = {0};
    struct fl_buf records;

    fl_buf_init(&records, (size_t)2 * FL_LOG_RECORD_BYTES_MAX);
    while (output.next_offset < bytes) {
        bool is_read;

        assert_false(is_late(world));
        turn(world);
        fl_buf_clear(&records);
        is_read =
            runtime.ops->read_output(runtime.self, attempt, 0, 0, 65536, &records, &output, &err);
        assert_true(is_read);
    }
    fl_buf_fini(&records);
}

/* The bytes of news that the agent has not read. */
static int unread_news(struct world *world)
{
    char path[256];
    int fd, bytes = 0;

    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/" LAYOUT_NEWS, world->path);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0);
    close(fd);
    return bytes;
}

/* A busy agent reads the news of the start and of the first line as one. */
static void a_first_line_is_told_although_the_start_is_told_with_it(void **state)
{
    struct world world = {0};
    struct heard heard;
    struct runtime runtime;

    (void)state;
    begin(&world, CONTRACT_ENDLESS);
    world.script = "echo ready; exec sleep 1000";
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    heard.outputs = 0;
    runtime.ops->release(runtime.self, attempt, 0);
    while (unread_news(&world) < 2) { /* no turn meanwhile */
        assert_false(is_late(&world));
        usleep(1000);
    }
    until(&world, &heard, FL_REPLICA_running);
    turn(&world);
    assert_true(heard.outputs > 0);
    runtime.ops->stop(runtime.self, attempt, 0, 0);
    until(&world, &heard, FL_REPLICA_exited);
    end(&world);
}

static void a_supervisor_that_dies_is_lost_once_nothing_is_left(void **state)
{
    (void)state;
    for (int is_adopted = 0; is_adopted < 2; is_adopted++) {
        struct world world = {0};
        struct fl_arena arena = {0};
        struct heard heard = {0};
        struct layout_spec spec;
        struct runtime runtime;

        begin(&world, CONTRACT_ENDLESS);
        world.script = leaves_orphans;
        runtime = start(&world, &heard);
        create(&world, runtime, &heard);
        runtime.ops->release(runtime.self, attempt, 0);
        until(&world, &heard, FL_REPLICA_running);
        until_output(&world, runtime, 8);
        spec = spec_of(&world, &arena);
        kill(supervisor_of(&world), SIGKILL);
        if (is_adopted) start(&world, &heard); /* a new runtime adopts the rest */
        until(&world, &heard, FL_REPLICA_lost);
        assert_int_equal(heard.cause, AGENT_CAUSE_vanished);
        assert_int_equal(heard.output_bytes, 8);
        assert_int_equal(proc_signal_run(spec.run, 0, 0), 0);
        fl_arena_fini(&arena);
        end(&world);
    }
}

static void a_supervisor_that_dies_behind_its_gate_never_ran(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;

    (void)state;
    begin(&world, CONTRACT_SHORT);
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    kill(supervisor_of(&world), SIGKILL);
    until(&world, &heard, FL_REPLICA_refused);
    runtime.ops->remove(runtime.self, attempt, 0);
    while (!heard.is_gone) {
        assert_false(is_late(&world));
        turn(&world);
    }
    end(&world);
}

/* No further descriptor can be had; returns the limit that was. */
static uint64_t take_descriptors(void)
{
    return fl_descriptors_set(3);
}

static void turns(struct world *world, int n)
{
    for (int i = 0; i < n; i++) {
        turn(world);
    }
}

static void a_gate_that_cannot_be_read_is_neither_open_nor_shut(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime_job *job;
    struct runtime runtime;
    uint64_t limit;

    (void)state;
    begin(&world, CONTRACT_ENDLESS);
    runtime = start(&world, &heard);
    job = contract_document(world.script);
    runtime.ops->create(runtime.self,
                        runtime_order_create(job, attempt, 0, 0, (struct fl_resources){0}));
    runtime_job_release(job);
    while (unread_news(&world) < 1) { /* no turn meanwhile */
        assert_false(is_late(&world));
        usleep(1000);
    }
    limit = take_descriptors();
    turns(&world, 30);
    assert_int_equal(heard.state, 0); /* no report of it */
    (void)fl_descriptors_set(limit);
    until(&world, &heard, FL_REPLICA_created);

    limit = take_descriptors();
    runtime.ops->release(runtime.self, attempt, 0);
    turns(&world, 3);
    assert_int_equal(heard.undelivered, 1);
    runtime.ops->stop(runtime.self, attempt, 0, 0);
    turns(&world, 3);
    assert_int_equal(heard.undelivered, 2);
    runtime.ops->remove(runtime.self, attempt, 0);
    turns(&world, 3);
    assert_int_equal(heard.undelivered, 3);
    (void)fl_descriptors_set(limit);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_running);
    runtime.ops->stop(runtime.self, attempt, 0, 0);
    until(&world, &heard, FL_REPLICA_exited);
    end(&world);
}

static void what_cannot_be_read_at_the_start_is_waited_for(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;
    uint64_t limit;

    (void)state;
    for (int is_running = 0; is_running < 2; is_running++) {
        begin(&world, CONTRACT_ENDLESS);
        runtime = start(&world, &heard);
        create(&world, runtime, &heard);
        if (is_running) {
            runtime.ops->release(runtime.self, attempt, 0);
            until(&world, &heard, FL_REPLICA_running);
        }
        runtime = open_runtime(&world);
        heard = (struct heard){0};
        limit = take_descriptors();
        runtime.ops->begin(
            runtime.self,
            &(struct runtime_listener){.ctx = &heard, .happened = happened, .output = has_output});
        turns(&world, 20);
        assert_false(heard.is_synced);
        assert_int_equal(heard.state, 0);
        (void)fl_descriptors_set(limit);
        until(&world, &heard, is_running ? FL_REPLICA_running : FL_REPLICA_created);
        turns(&world, 1);
        assert_true(heard.is_synced);
        if (!is_running) runtime.ops->release(runtime.self, attempt, 0);
        until(&world, &heard, FL_REPLICA_running);
        runtime.ops->stop(runtime.self, attempt, 0, 0);
        until(&world, &heard, FL_REPLICA_exited);
        end(&world);
    }
}

static void a_job_that_needs_pods_is_refused_by_name(void **state)
{
    static const char *const documents[][2] = {
        {"{\"image\":\"a\"}", "no images"},
        {"{\"command\":[\"true\"],\"mounts\":[{\"path\":\"/m\",\"empty\":\"disk\"}]}", "no mounts"},
        {"{\"command\":[\"true\"],\"secretEnv\":{\"A\":\"s/k\"}}", "no secrets"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct world world = {0};
        struct heard heard = {0};
        struct runtime_job *job;
        struct runtime runtime;
        struct fl_err err = {0};

        begin(&world, CONTRACT_SHORT);
        runtime = start(&world, &heard);
        if (!runtime_job_read(fl_str_c(documents[i][0]), (struct fl_str){0}, &job, &err)) {
            fail_msg("%s", err.text);
        }
        runtime.ops->create(runtime.self,
                            runtime_order_create(job, attempt, 0, 0, (struct fl_resources){0}));
        runtime_job_release(job);
        until(&world, &heard, FL_REPLICA_refused);
        if (!strstr(heard.words, documents[i][1])) fail_msg("%s", heard.words);
        end(&world);
    }
}

static void a_replica_beyond_the_limit_is_refused_or_looked_at_by_time(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime_job *job;
    struct runtime runtime;
    struct fl_attempt other = {.job = {6}, .n = 1, .incarnation = 1};

    (void)state;
    begin(&world, CONTRACT_SHORT);
    world.script = "sleep 3; exit 7";
    world.config.news_max = 1;
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    job = contract_document(world.script);
    runtime.ops->create(runtime.self,
                        runtime_order_create(job, other, 0, 0, (struct fl_resources){0}));
    runtime_job_release(job);
    until(&world, &heard, FL_REPLICA_refused);
    assert_int_equal(heard.cause, AGENT_CAUSE_full);
    assert_non_null(strstr(heard.words, "descriptor"));
    runtime.ops->remove(runtime.self, other, 0);

    runtime = open_runtime(&world);
    world.process->news_max = 0; /* as if others had taken them all */
    heard = (struct heard){0};
    runtime.ops->begin(
        runtime.self,
        &(struct runtime_listener){.ctx = &heard, .happened = happened, .output = has_output});
    until(&world, &heard, FL_REPLICA_created);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_running);
    assert_int_equal(process_stats(world.process).supervisors, 0);
    until(&world, &heard, FL_REPLICA_exited);
    assert_int_equal(heard.exit_code, 7);
    end(&world);
}

static void an_end_that_came_while_no_agent_was_there_is_found(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;
    char path[256];

    (void)state;
    begin(&world, CONTRACT_SHORT);
    world.script = "echo some output; echo done; exit 42";
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    runtime.ops->release(runtime.self, attempt, 0);
    process_destroy(world.process);
    world.process = NULL;
    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/exit", world.path);
    while (access(path, F_OK) != 0) {
        assert_false(is_late(&world));
        replica_dir_sleep();
    }
    start(&world, &heard);
    until(&world, &heard, FL_REPLICA_exited);
    assert_int_equal(heard.exit_code, 42);
    assert_int_equal(heard.output_bytes, 17);
    assert_string_equal(heard.words, "done");
    end(&world);
}

/* As after a power cut: the directory says it ran, on a boot that is over. */
static void what_ran_before_the_host_was_started_anew_is_lost_with_its_node(void **state)
{
    struct layout_gate gate = {.is_open = true, .session = 1};
    struct world world = {0};
    struct heard heard = {0};
    struct replica_dir replica;
    uint8_t block[LAYOUT_RECORD_BYTES];
    char path[300];
    int fd;

    (void)state;
    begin(&world, CONTRACT_SHORT);
    replica_dir_init(&replica, world.path);
    snprintf(replica.spec.boot, sizeof(replica.spec.boot), "another");
    replica_dir_write(&replica, "exit 0");
    layout_gate_encode(&gate, block);
    fd = openat(replica.fd, LAYOUT_GATE, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && layout_write_at(fd, block, sizeof(block), 0));
    close(fd);
    close(replica.fd);
    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0", world.path);
    assert_int_equal(rename(replica.path, path), 0);
    start(&world, &heard);
    until(&world, &heard, FL_REPLICA_lost);
    assert_int_equal(heard.cause, AGENT_CAUSE_node_lost);
    end(&world);
}

static void a_job_finds_who_it_is_in_its_environment(void **state)
{
    static const char script[] =
        "test \"$FAIRLEAD_JOB_ID $FAIRLEAD_ELEMENT $FAIRLEAD_INDEX $FAIRLEAD_ROLE "
        "$FAIRLEAD_REPLICA $FAIRLEAD_REPLICAS $FAIRLEAD_ATTEMPT "
        "$JOB_COMPLETION_INDEX\" = 'job-5 0 0 main 0 1 1 0' && test -n "
        "\"$PATH\" && test -z \"$SECRET\"";
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;

    (void)state;
    setenv("SECRET", "of the agent", 1);
    begin(&world, CONTRACT_SHORT);
    world.script = script;
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_exited);
    assert_int_equal(heard.exit_code, 0);
    end(&world);
}

static void what_a_job_leaves_on_disk_goes_with_its_directory(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;

    (void)state;
    begin(&world, CONTRACT_SHORT);
    /* Many files, a deep path, and one that may not be entered. */
    world.script = "i=0; while [ $i -lt 1500 ]; do : >f$i; i=$((i+1)); done;"
                   "i=0; while [ $i -lt 100 ]; do mkdir d; cd d; i=$((i+1)); done;"
                   "mkdir locked; : >locked/file; chmod 0 locked";
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_exited);
    runtime.ops->remove(runtime.self, attempt, 0);
    runtime.ops->output_taken(runtime.self, attempt, 0);
    while (!heard.is_gone || process_stats(world.process).removals > 0) {
        assert_false(is_late(&world));
        turn(&world);
    }
    assert_int_equal(process_stats(world.process).replicas, 0);
    assert_int_equal(rmdir(world.path), 0); /* nothing is left in it */
    assert_int_equal(mkdir(world.path, 0700), 0);
    end(&world);
}

static void output_that_nobody_takes_is_given_up_in_the_end(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;

    (void)state;
    begin(&world, CONTRACT_SHORT);
    world.config.log_grace_ms = 50;
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_exited);
    runtime.ops->remove(runtime.self, attempt, 0);
    while (!heard.is_gone) {
        assert_false(is_late(&world));
        turn(&world);
    }
    end(&world);
}

/* The gap that its whole output has become; false: it is still there. */
static bool has_become_a_gap(struct runtime runtime, uint64_t bytes)
{
    struct runtime_output output;
    struct fl_log_record record = {0};
    struct fl_err err = {0};
    struct fl_buf records;
    struct fl_str rest;

    fl_buf_init(&records, (size_t)2 * FL_LOG_RECORD_BYTES_MAX);
    assert_true(runtime.ops->read_output(runtime.self, attempt, 0, 0, FL_LOG_RECORD_BYTES_MAX,
                                         &records, &output, &err));
    rest = (struct fl_str){(const char *)records.at, records.len};
    assert_int_equal(fl_log_record_next(&rest, &record), FL_LOG_READY);
    assert_true(output.is_ended);
    assert_int_equal(output.end_offset, bytes);
    if (record.gap) {
        assert_int_equal(record.gap, FL_LOG_GAP_rotated);
        assert_int_equal(record.gap_bytes, bytes);
        assert_int_equal(rest.len, 0);
    }
    fl_buf_fini(&records);
    return record.gap != FL_LOG_GAP_none;
}

static void what_was_given_up_is_a_gap_of_known_size_until_that_is_taken(void **state)
{
    struct world world = {0};
    struct heard heard = {0};
    struct runtime runtime;
    char path[256];

    (void)state;
    begin(&world, CONTRACT_SHORT);
    world.config.log_grace_ms = 50;
    runtime = start(&world, &heard);
    create(&world, runtime, &heard);
    runtime.ops->release(runtime.self, attempt, 0);
    until(&world, &heard, FL_REPLICA_exited);
    runtime.ops->remove(runtime.self, attempt, 0);
    while (
        !has_become_a_gap(runtime, strlen("done\n"))) { /* both waits are never over in one turn */
        assert_false(is_late(&world));
        turn(&world);
    }
    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/out.0000000000000000", world.path);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof(path), "%s/job-5-0-1-1-0/files", world.path);
    assert_int_equal(access(path, F_OK), -1);
    world.config.log_grace_ms = FL_HOUR_MS;
    runtime = start(&world, &heard); /* and so says the next agent */
    assert_true(has_become_a_gap(runtime, strlen("done\n")));
    runtime.ops->remove(runtime.self, attempt, 0);
    assert_false(heard.is_gone);
    runtime.ops->output_taken(runtime.self, attempt, 0);
    while (!heard.is_gone) {
        assert_false(is_late(&world));
        turn(&world);
    }
    end(&world);
}

FL_TESTS(cmocka_unit_test(processes_keep_the_contract),
         cmocka_unit_test(a_first_line_is_told_although_the_start_is_told_with_it),
         cmocka_unit_test(a_supervisor_that_dies_is_lost_once_nothing_is_left),
         cmocka_unit_test(a_supervisor_that_dies_behind_its_gate_never_ran),
         cmocka_unit_test(a_gate_that_cannot_be_read_is_neither_open_nor_shut),
         cmocka_unit_test(what_cannot_be_read_at_the_start_is_waited_for),
         cmocka_unit_test(a_job_that_needs_pods_is_refused_by_name),
         cmocka_unit_test(a_replica_beyond_the_limit_is_refused_or_looked_at_by_time),
         cmocka_unit_test(an_end_that_came_while_no_agent_was_there_is_found),
         cmocka_unit_test(what_ran_before_the_host_was_started_anew_is_lost_with_its_node),
         cmocka_unit_test(a_job_finds_who_it_is_in_its_environment),
         cmocka_unit_test(what_a_job_leaves_on_disk_goes_with_its_directory),
         cmocka_unit_test(output_that_nobody_takes_is_given_up_in_the_end),
         cmocka_unit_test(what_was_given_up_is_a_gap_of_known_size_until_that_is_taken))
