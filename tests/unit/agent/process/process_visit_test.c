/* Visits of a replica that is a process: commands, terminals and connections, without a hub. */
#include "agent/process/process_visit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/process.h"
#include "agent/process/tree.h"
#include "shared/base/alloc.h"
#include "shared/base/hash.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"
#include "tests/unit/agent/runtime_contract.h"

enum { LATE_MS = 60000, OUT_MAX = 4096, GUESTS = 4 };

static const struct fl_attempt attempt = {.job = {5}, .n = 1, .incarnation = 1};

struct world {
    char path[128], program[4096];
    struct fl_loop *loop;
    struct process *process;
    struct runtime runtime;
    struct process_config config;
    int lifeline[2]; /* once it is cut, the supervisor ends its replica */
    fl_ms began_at;
    enum fl_replica_state state;
    bool is_synced;
};

/* A visitor, and all that it heard. */
struct guest {
    struct world *world;
    struct runtime_visit visit;
    char out[OUT_MAX];
    size_t out_len;
    struct fl_visit_status status;
    char text[256];
    bool is_over, has_news; /* 'changed' was called */
    const char *input;      /* waits for room */
};

static void happened(void *ctx, struct agent_event *event)
{
    struct world *world = ctx;

    if (event->kind == AGENT_EV_synced) world->is_synced = true;
    if (event->kind == AGENT_EV_replica_seen) world->state = event->replica_seen.state;
}

static void has_output(void *ctx, struct fl_attempt whose, uint32_t replica)
{
    (void)ctx;
    (void)whose;
    (void)replica;
}

static void turn(struct world *world)
{
    assert_true(fl_clock_mono() - world->began_at < LATE_MS);
    fl_loop_turn(world->loop, 5);
}

/* One replica that runs for ever. */
static void begin(struct world *world)
{
    struct runtime_listener listener = {.ctx = world, .happened = happened, .output = has_output};
    struct runtime_job *job = contract_document("while :; do sleep 0.02; done");
    struct fl_err err = {0};

    *world = (struct world){.loop = fl_loop_create(), .began_at = fl_clock_mono()};
    replica_dir_program(world->program);
    snprintf(world->path, sizeof world->path, "/tmp/fl-visit-XXXXXX");
    assert_non_null(mkdtemp(world->path));
    assert_int_equal(pipe2(world->lifeline, O_CLOEXEC), 0);
    world->config = (struct process_config){.dir = world->path,
                                            .supervisor = world->program,
                                            .name = "here",
                                            .lifeline = world->lifeline[0],
                                            .nodes = 1,
                                            .each = {.cpu_milli = 8000},
                                            .head_bytes = 1 << 20,
                                            .tail_bytes = 1 << 20,
                                            .log_grace_ms = FL_HOUR_MS};
    assert_true(process_create(world->loop, &world->config, &world->process, &err));
    world->runtime = process_runtime(world->process);
    world->runtime.ops->begin(world->runtime.self, &listener);
    while (!world->is_synced) {
        turn(world);
    }
    world->runtime.ops->create(world->runtime.self,
                               runtime_order_create(job, attempt, 0, 0, (struct fl_resources){0}));
    runtime_job_release(job);
    while (world->state != FL_REPLICA_created) {
        turn(world);
    }
    world->runtime.ops->release(world->runtime.self, attempt, 0);
    while (world->state != FL_REPLICA_running) {
        turn(world);
    }
}

static void stop_replica(struct world *world)
{
    world->runtime.ops->stop(world->runtime.self, attempt, 0, 0);
    while (world->state != FL_REPLICA_exited) {
        turn(world);
    }
}

/* Cuts the lifeline, and waits until the supervisor, which holds its other end, has ended. */
static void end_supervisor(struct world *world)
{
    struct pollfd held = {.fd = world->lifeline[1]};

    close(world->lifeline[0]);
    signal(SIGPIPE, SIG_IGN); /* it may have ended with its replica */
    assert_true(write(world->lifeline[1], "", 1) == 1 || errno == EPIPE);
    assert_int_equal(poll(&held, 1, LATE_MS), 1);
    close(world->lifeline[1]);
}

static void end(struct world *world)
{
    process_destroy(world->process);
    fl_loop_destroy(world->loop);
    end_supervisor(world);
    assert_true(tree_remove_some(AT_FDCWD, world->path, 100000));
}

/* ---- a visitor ------------------------------------------------------------------------------- */

static void on_changed(void *ctx)
{
    ((struct guest *)ctx)->has_news = true;
}

static bool enter(struct world *world, struct guest *guest, struct fl_visit_open *open,
                  struct fl_err *err)
{
    struct runtime_visit_port port = {guest, on_changed};

    *guest = (struct guest){.world = world};
    open->attempt = attempt;
    return world->runtime.ops->visit(world->runtime.self, open, &port, &guest->visit, err);
}

static void command(struct world *world, struct guest *guest, const char *script, bool has_tty)
{
    struct fl_str words[] = {FL_STR("sh"), FL_STR("-c"), fl_str_c(script)};
    struct fl_visit_open open = {.words = words,
                                 .words_len = 3,
                                 .has_tty = has_tty,
                                 .size = {33, 101},
                                 .term = FL_STR("vt220")};
    struct fl_err err = {0};

    if (!enter(world, guest, &open, &err)) fail_msg("%s", err.text);
}

static void take(struct guest *guest)
{
    while (!guest->is_over) {
        struct runtime_visit_read read =
            guest->visit.ops->read(guest->visit.self, (uint8_t *)guest->out + guest->out_len,
                                   sizeof guest->out - 1 - guest->out_len);

        if (read.word == RUNTIME_VISIT_NOTHING) return;
        if (read.word == RUNTIME_VISIT_BYTES) guest->out_len += read.len;
        if (read.word != RUNTIME_VISIT_OVER) continue;
        guest->is_over = true;
        guest->status = read.status;
        snprintf(guest->text, sizeof guest->text, FL_STR_FMT, FL_STR_ARG(read.status.text));
    }
}

static void until_out(struct guest *guest, const char *text)
{
    while (!strstr(guest->out, text)) {
        if (guest->is_over) fail_msg("it ended with '%s'", guest->out);
        turn(guest->world);
        take(guest);
    }
}

static void until_over(struct guest *guest)
{
    while (!guest->is_over) {
        turn(guest->world);
        take(guest);
    }
}

static void leave(struct guest *guest)
{
    guest->visit.ops->destroy(guest->visit.self);
}

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}

/* ---- commands -------------------------------------------------------------------------------- */

static void a_command_reads_writes_and_ends_with_its_code(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo $FAIRLEAD_JOB_ID; cat; echo after; exit 7", false);
    until_out(&guest, "job-5\n");
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("typed\n")), 6);
    until_out(&guest, "typed\n");
    guest.visit.ops->end_input(guest.visit.self);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_OK);
    assert_int_equal(guest.status.exit_code, 7);
    assert_non_null(strstr(guest.out, "typed\nafter\n"));
    leave(&guest);
    command(&world, &guest, "kill -9 $$", false);
    until_over(&guest);
    assert_int_equal(guest.status.exit_code, 128 + SIGKILL);
    leave(&guest);
    end(&world);
}

static void a_terminal_has_a_size_and_hears_a_new_one(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "stty size; echo $TERM; read line; stty size", true);
    until_out(&guest, "33 101");
    until_out(&guest, "vt220");
    guest.visit.ops->resize(guest.visit.self, (struct fl_visit_size){40, 120});
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("\n")), 1);
    until_out(&guest, "40 120");
    until_over(&guest);
    leave(&guest);
    end(&world);
}

static void a_command_whose_visitor_left_is_hung_up_and_then_killed(void **state)
{
    struct guest guest;
    struct world world;
    pid_t plain, stubborn;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo $$ .; sleep 1000", false);
    until_out(&guest, " .");
    plain = (pid_t)strtol(guest.out, NULL, 10);
    leave(&guest);
    command(&world, &guest, "trap '' HUP; echo $$ .; while :; do sleep 0.02; done", false);
    until_out(&guest, " .");
    stubborn = (pid_t)strtol(guest.out, NULL, 10);
    leave(&guest);
    while (is_alive(plain)) {
        turn(&world);
    }
    assert_true(is_alive(stubborn));
    while (is_alive(stubborn)) {
        turn(&world);
    }
    end(&world);
}

static void commands_end_with_the_agent(void **state)
{
    struct guest guest;
    struct world world;
    pid_t pid;

    (void)state;
    begin(&world);
    command(&world, &guest, "trap '' HUP; echo $$ .; while :; do sleep 0.02; done", false);
    until_out(&guest, " .");
    pid = (pid_t)strtol(guest.out, NULL, 10);
    end(&world);
    assert_false(is_alive(pid));
}

static void a_visit_ends_with_its_replica(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo in; sleep 1000", false);
    until_out(&guest, "in");
    stop_replica(&world);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_UNAVAILABLE);
    assert_string_equal(guest.text, "the replica has ended, and with it what ran here");
    leave(&guest);
    end(&world);
}

static void what_cannot_be_entered_is_refused(void **state)
{
    struct fl_visit_open open = {.replica = 3};
    struct fl_err err = {0};
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    assert_false(enter(&world, &guest, &open, &err));
    assert_int_equal(err.code, FL_ABSENT);
    stop_replica(&world);
    open.replica = 0;
    assert_false(enter(&world, &guest, &open, &err));
    assert_int_equal(err.code, FL_CONFLICT);
    end(&world);
}

/* ---- files of one that has ended ------------------------------------------------------------- */

enum { ARCHIVE_MAX = 1 << 20 };

struct archive {
    uint8_t *at;
    size_t len;
    struct fl_visit_status status;
    char text[256];
};

static bool enter_files(struct world *world, struct guest *guest, const char *path, uint64_t offset,
                        uint32_t crc, struct fl_err *err)
{
    struct fl_str word = fl_str_c(path);
    struct fl_visit_open open = {
        .words = &word, .words_len = 1, .is_files = true, .offset = offset, .crc = crc};

    return enter(world, guest, &open, err);
}

/* Reads to the end, and leaves. */
static struct archive fetch_rest(struct world *world, struct guest *guest)
{
    struct archive archive = {.at = fl_new_array(uint8_t, ARCHIVE_MAX)};

    for (;;) {
        struct runtime_visit_read read = guest->visit.ops->read(
            guest->visit.self, archive.at + archive.len, ARCHIVE_MAX - archive.len);

        if (read.word == RUNTIME_VISIT_NOTHING) turn(world);
        if (read.word == RUNTIME_VISIT_BYTES && read.channel == FL_VISIT_STDOUT) {
            archive.len += read.len;
        }
        if (read.word != RUNTIME_VISIT_OVER) continue;
        archive.status = read.status;
        snprintf(archive.text, sizeof archive.text, FL_STR_FMT, FL_STR_ARG(read.status.text));
        break;
    }
    leave(guest);
    return archive;
}

static struct archive fetch(struct world *world, const char *path, uint64_t offset, uint32_t crc)
{
    struct fl_err err = {0};
    struct guest guest;

    if (!enter_files(world, &guest, path, offset, crc, &err)) fail_msg("%s", err.text);
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("input")), 5); /* dropped */
    return fetch_rest(world, &guest);
}

/* The job leaves "out/a", which is long, a link to the folder above, and a link to a file. */
static void end_with_files(struct world *world)
{
    struct guest guest;

    command(world, &guest,
            "mkdir out; head -c 300000 /dev/urandom > out/a; ln -s .. out/up; ln -s ../../spec "
            "out/spec; echo made",
            false);
    until_out(&guest, "made");
    until_over(&guest);
    leave(&guest);
    stop_replica(world);
}

static void let_remove(struct world *world)
{
    world->runtime.ops->remove(world->runtime.self, attempt, 0);
    world->runtime.ops->output_taken(world->runtime.self, attempt, 0);
}

static void until_removed(struct world *world)
{
    while (process_stats(world->process).replicas > 0) {
        turn(world);
    }
}

static void remove_replica(struct world *world)
{
    let_remove(world);
    until_removed(world);
}

static void keep_in(struct world *world, char kept[160])
{
    struct fl_err err = {0};

    snprintf(kept, 160, "%s-kept", world->path);
    process_destroy(world->process);
    world->config.kept_dir = kept;
    world->config.keep_ms = FL_HOUR_MS;
    world->config.keep_bytes_max = world->config.keep_replica_bytes_max = 1 << 30;
    world->is_synced = false;
    assert_true(process_create(world->loop, &world->config, &world->process, &err));
    world->runtime = process_runtime(world->process);
    world->runtime.ops->begin(
        world->runtime.self,
        &(struct runtime_listener){.ctx = world, .happened = happened, .output = has_output});
    while (!world->is_synced) {
        turn(world);
    }
}

static void files_are_read_before_and_after_the_removal_and_behind_a_cut(void **state)
{
    struct archive whole, later, rest, other;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    whole = fetch(&world, "out/a", 0, 0);
    assert_int_equal(whole.status.code, FL_OK);
    assert_int_equal(whole.status.exit_code, 0);
    assert_true(whole.len > 300000);
    remove_replica(&world);
    later = fetch(&world, "./out//a/", 0, 0);
    assert_int_equal(later.len, whole.len);
    assert_memory_equal(later.at, whole.at, whole.len);
    rest = fetch(&world, "out/a", 200001, fl_crc32c(0, whole.at, 200001));
    assert_int_equal(rest.status.code, FL_OK);
    assert_int_equal(rest.len, whole.len - 200001);
    assert_memory_equal(rest.at, whole.at + 200001, rest.len);
    other = fetch(&world, "out/a", 200001, 7);
    assert_int_equal(other.status.code, FL_CONFLICT);
    assert_int_equal(other.len, 0);
    fl_free(other.at);
    other = fetch(&world, "out/a", (uint64_t)1 << 40, 7); /* there are not so many */
    assert_int_equal(other.status.code, FL_CONFLICT);
    fl_free(whole.at);
    fl_free(later.at);
    fl_free(rest.at);
    fl_free(other.at);
    assert_true(tree_remove_some(AT_FDCWD, kept, 100000));
    end(&world);
}

/* More than a pipe holds: 'tar' is in the middle of the folder. */
static void begin_to_read(struct world *world, struct guest *guest)
{
    struct fl_err err = {0};

    if (!enter_files(world, guest, ".", 0, 0, &err)) fail_msg("%s", err.text);
}

static void assert_whole_and_end(struct world *world, struct guest *guest, const char *kept)
{
    struct archive archive = fetch_rest(world, guest);

    assert_int_equal(archive.status.exit_code, 0);
    assert_true(archive.len > 300000);
    fl_free(archive.at);
    until_removed(world);
    archive = fetch(world, "out/a", 0, 0);
    assert_true(archive.len > 300000);
    fl_free(archive.at);
    assert_true(tree_remove_some(AT_FDCWD, kept, 100000));
    end(world);
}

static void a_folder_that_is_read_is_not_moved_before_its_end(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    let_remove(&world);
    turn(&world);
    assert_int_equal(process_stats(world.process).replicas, 1);
    assert_whole_and_end(&world, &guest, kept);
}

static void a_folder_that_is_read_is_not_moved_when_output_is_given_up(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    world.config.log_grace_ms = 1;
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    world.runtime.ops->remove(world.runtime.self, attempt, 0);
    for (int i = 0; i < 10; i++) {
        turn(&world);
    }
    assert_int_equal(process_stats(world.process).replicas, 1);
    assert_whole_and_end(&world, &guest, kept);
}

static void a_visitor_that_leaves_lets_the_folder_go(void **state)
{
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    begin_to_read(&world, &guest);
    let_remove(&world);
    leave(&guest);
    until_removed(&world);
    assert_true(tree_remove_some(AT_FDCWD, kept, 100000));
    end(&world);
}

/* 'tar' says a line for each socket, more than a pipe holds, before the last byte that is passed
 * over. */
static void what_tar_says_does_not_hold_up_what_is_passed_over(void **state)
{
    struct archive whole, rest;
    struct world world;
    char path[512];

    (void)state;
    begin(&world);
    end_with_files(&world);
    for (unsigned i = 0; i < 500; i++) {
        snprintf(path, sizeof path, "%s/job-5-0-1-1-0/files/out/%0200u", world.path, i);
        assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
    }
    whole = fetch(&world, "out", 0, 0);
    assert_int_equal(whole.status.exit_code, 0);
    rest = fetch(&world, "out", whole.len - 1, fl_crc32c(0, whole.at, whole.len - 1));
    assert_int_equal(rest.status.code, FL_OK);
    assert_int_equal(rest.len, 1);
    fl_free(whole.at);
    fl_free(rest.at);
    end(&world);
}

static void a_path_that_leads_out_of_the_files_is_refused(void **state)
{
    static const char *const paths[] = {
        "../spec", "out/../../spec", "out/up/spec", "out/up/../gate", "out/up/.", "out/../out/a",
        "..",      "none",           "out/a/b"};
    struct fl_err err = {0};
    struct archive link;
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    assert_false(enter_files(&world, &guest, "out", 0, 0, &err));
    assert_int_equal(err.code, FL_CONFLICT); /* it runs */
    end_with_files(&world);
    remove_replica(&world);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (enter_files(&world, &guest, paths[i], 0, 0, &err)) fail_msg("%s is read", paths[i]);
        assert_int_equal(err.code, FL_ABSENT);
    }
    assert_false(enter_files(&world, &guest, "/etc/passwd", 0, 0, &err));
    assert_int_equal(err.code, FL_INVALID);
    link = fetch(&world, "out/spec", 0, 0); /* the link itself, not what it leads to */
    assert_int_equal(link.at[156], '2');
    fl_free(link.at);
    assert_true(tree_remove_some(AT_FDCWD, kept, 100000));
    end(&world);
}

static void shell(const char *script, const char *path)
{
    char line[512];

    snprintf(line, sizeof line, script, path);
    assert_int_equal(system(line), 0);
}

/* One at each sweep would be a thousand turns. */
static void a_sweep_removes_many_folders_that_hold_little(void **state)
{
    struct world world;
    unsigned turns = 0;
    char kept[160];

    (void)state;
    begin(&world);
    shell("cd %s && for i in $(seq 1000); do mkdir .gone-$i && : > .gone-$i/x; done", world.path);
    keep_in(&world, kept);
    for (; process_stats(world.process).removals > 0; turns++) {
        turn(&world);
    }
    assert_true(turns < 500);
    assert_int_equal(rmdir(kept), 0);
    end(&world);
}

static void kept_folders_that_hold_little_leave_nothing_to_be_swept(void **state)
{
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    shell("mkdir %1$s-kept && cd %1$s-kept && for i in $(seq 100); do mkdir job-$i-0-1-1-0@1000 && "
          ": > job-$i-0-1-1-0@1000/x; done",
          world.path);
    keep_in(&world, kept);
    while (rmdir(kept) != 0) { /* until it is empty */
        assert_int_equal(process_stats(world.process).removals, 0);
        turn(&world);
    }
    assert_int_equal(process_stats(world.process).removals, 0);
    end(&world);
}

static void an_agent_that_joins_elsewhere_forgets_what_is_kept(void **state)
{
    struct fl_err err = {0};
    struct guest guest;
    struct world world;
    char kept[160];

    (void)state;
    begin(&world);
    keep_in(&world, kept);
    end_with_files(&world);
    remove_replica(&world);
    world.runtime.ops->forget(world.runtime.self);
    assert_false(enter_files(&world, &guest, "out/a", 0, 0, &err));
    assert_int_equal(err.code, FL_ABSENT);
    assert_int_equal(rmdir(kept), 0);
    end(&world);
}

/* ---- connections ----------------------------------------------------------------------------- */

static int listen_somewhere(int queue, uint16_t *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, queue), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static void connect_to(struct world *world, struct guest *guest, uint16_t port)
{
    struct fl_visit_open open = {.port = port};
    struct fl_err err = {0};

    if (!enter(world, guest, &open, &err)) fail_msg("%s", err.text);
}

static int accept_one(struct world *world, int listener)
{
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0) {
        turn(world);
    }
    return fd;
}

static void a_connection_that_nobody_takes_is_refused_by_name(void **state)
{
    struct guest guest;
    struct world world;
    uint16_t port;

    (void)state;
    begin(&world);
    close(listen_somewhere(1, &port));
    {
        struct fl_visit_open open = {.port = port};
        struct fl_err err = {0};

        if (enter(&world, &guest, &open, &err)) {
            until_over(&guest);
            assert_int_equal(guest.status.code, FL_UNAVAILABLE);
            leave(&guest);
        } else {
            assert_int_equal(err.code, FL_UNAVAILABLE);
            snprintf(guest.text, sizeof guest.text, "%s", err.text);
        }
    }
    assert_non_null(strstr(guest.text, "of the replica: Connection refused"));
    end(&world);
}

/* As the stream does: input first, then output, when there is news. */
static void look_at_all(struct world *world, struct guest guests[GUESTS])
{
    turn(world);
    for (size_t i = 0; i < GUESTS; i++) {
        struct guest *guest = &guests[i];

        if (!guest->has_news) continue;
        guest->has_news = false;
        if (guest->input && guest->visit.ops->write(guest->visit.self, fl_str_c(guest->input))) {
            guest->input = NULL;
        }
        take(guest);
    }
}

/* The port's queue is full, so the last connections are made a second later: by then their input
 * waits, and goes out without a further word of the visitor. */
static void input_goes_out_once_a_slow_connection_is_made(void **state)
{
    struct guest guests[GUESTS];
    struct world world;
    size_t waiting = 0, served = 0;
    uint16_t port;
    int listener, fds[GUESTS];

    (void)state;
    begin(&world);
    listener = listen_somewhere(0, &port);
    for (size_t i = 0; i < GUESTS; i++) {
        connect_to(&world, &guests[i], port);
        guests[i].input = "hello";
        guests[i].has_news = true;
    }
    for (int i = 0; i < 20; i++) {
        look_at_all(&world, guests);
    }
    for (size_t i = 0; i < GUESTS; i++) {
        waiting += guests[i].input != NULL;
    }
    assert_true(waiting > 0); /* else this shows nothing */
    assert_int_equal(listen(listener, 2 * GUESTS), 0);
    while (served < GUESTS) {
        char bytes[16];

        fds[served] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fds[served] >= 0) {
            while (recv(fds[served], bytes, sizeof bytes, MSG_DONTWAIT) != 5) {
                look_at_all(&world, guests);
            }
            served++;
        }
        look_at_all(&world, guests);
    }
    for (size_t i = 0; i < GUESTS; i++) {
        leave(&guests[i]);
        close(fds[i]);
    }
    close(listener);
    end(&world);
}

static void a_connection_carries_bytes_and_both_ends(void **state)
{
    struct guest guest;
    struct world world;
    char bytes[16] = "";
    uint16_t port;
    int listener, fd;

    (void)state;
    begin(&world);
    listener = listen_somewhere(5, &port);
    connect_to(&world, &guest, port);
    fd = accept_one(&world, listener);
    while (guest.visit.ops->write(guest.visit.self, FL_STR("ping")) == 0) {
        turn(&world);
        take(&guest);
    }
    guest.visit.ops->end_input(guest.visit.self);
    while (recv(fd, bytes, sizeof bytes, 0) != 4) {
        turn(&world);
    }
    assert_string_equal(bytes, "ping");
    assert_int_equal(send(fd, "pong", 4, 0), 4);
    until_out(&guest, "pong");
    close(fd);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_OK);
    leave(&guest);
    close(listener);
    end(&world);
}

FL_TESTS(cmocka_unit_test(a_command_reads_writes_and_ends_with_its_code),
         cmocka_unit_test(a_terminal_has_a_size_and_hears_a_new_one),
         cmocka_unit_test(a_command_whose_visitor_left_is_hung_up_and_then_killed),
         cmocka_unit_test(commands_end_with_the_agent),
         cmocka_unit_test(a_visit_ends_with_its_replica),
         cmocka_unit_test(files_are_read_before_and_after_the_removal_and_behind_a_cut),
         cmocka_unit_test(a_folder_that_is_read_is_not_moved_before_its_end),
         cmocka_unit_test(a_folder_that_is_read_is_not_moved_when_output_is_given_up),
         cmocka_unit_test(a_visitor_that_leaves_lets_the_folder_go),
         cmocka_unit_test(what_tar_says_does_not_hold_up_what_is_passed_over),
         cmocka_unit_test(a_sweep_removes_many_folders_that_hold_little),
         cmocka_unit_test(kept_folders_that_hold_little_leave_nothing_to_be_swept),
         cmocka_unit_test(an_agent_that_joins_elsewhere_forgets_what_is_kept),
         cmocka_unit_test(a_path_that_leads_out_of_the_files_is_refused),
         cmocka_unit_test(what_cannot_be_entered_is_refused),
         cmocka_unit_test(a_connection_that_nobody_takes_is_refused_by_name),
         cmocka_unit_test(input_goes_out_once_a_slow_connection_is_made),
         cmocka_unit_test(a_connection_carries_bytes_and_both_ends))
