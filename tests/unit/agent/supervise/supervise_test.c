/* The supervisor, as a real process with real jobs. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/process/proc.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"

enum { EXIT_LOCKED = 3, EXIT_TROUBLE = 4 };

static struct layout_exit run_script(const char *script)
{
    struct replica_dir replica;
    struct layout_exit end;

    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, script);
    end = replica_dir_run(&replica);
    replica_dir_fini(&replica);
    return end;
}

static struct fl_buf output_of(struct replica_dir *replica, const struct layout_exit *end,
                               uint64_t *ret_missing, char ret_gaps[256])
{
    struct output_end known = {true, end->output_bytes, end->ended_at};
    struct fl_buf bytes;

    fl_buf_init(&bytes, 64 << 20);
    *ret_missing = replica_dir_output(replica, &known, &bytes, ret_gaps);
    assert_int_equal(bytes.len + *ret_missing, end->output_bytes);
    return bytes;
}

static size_t lines_of(struct replica_dir *replica, const char *name)
{
    struct fl_err err = {0};
    struct fl_buf buf;
    size_t lines = 0;

    fl_buf_init(&buf, 1 << 16);
    if (layout_read(replica->fd, name, &buf, &err)) {
        for (size_t i = 0; i < buf.len; i++) {
            lines += buf.at[i] == '\n';
        }
    }
    fl_buf_fini(&buf);
    return lines;
}

static void exit_codes_and_signals_are_recorded(void **state)
{
    struct layout_exit end;

    (void)state;
    end = run_script("exit 0");
    assert_int_equal(end.code, 0);
    assert_int_equal(end.signal, 0);
    assert_false(end.is_stopped);
    assert_true(end.started_at > 0 && end.ended_at >= end.started_at);
    end = run_script("exit 7");
    assert_int_equal(end.code, 7);
    end = run_script("kill -9 $$");
    assert_int_equal(end.code, 137);
    assert_int_equal(end.signal, SIGKILL);
    assert_false(end.is_out_of_memory);
    end = run_script("kill -TERM $$");
    assert_int_equal(end.code, 143);
}

static void what_cannot_be_run_ends_as_a_shell_would_say(void **state)
{
    char *argv[] = {"no-such-program", NULL};
    struct replica_dir replica;
    struct layout_exit end;
    uint64_t missing;
    char gaps[256];
    struct fl_buf bytes;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica.spec.argv = (struct layout_strings){argv, 1, 1};
    replica_dir_write(&replica, "");
    end = replica_dir_run(&replica);
    assert_int_equal(end.code, 127);
    bytes = output_of(&replica, &end, &missing, gaps);
    assert_non_null(memmem(bytes.at, bytes.len, "no-such-program", 15));
    fl_buf_fini(&bytes);
    replica_dir_fini(&replica);
}

static void what_the_job_used_is_recorded(void **state)
{
    struct layout_exit end = run_script("sleep 0.1");

    (void)state;
    assert_int_equal(end.usage.meter, FL_METER_processes);
    assert_int_equal(end.usage.replicas, 1);
    assert_true(end.usage.memory_bytes > 100000 && end.usage.memory_bytes < 50 << 20);
    assert_true(end.usage.cpu_us < 100000); /* it waited */
    /* A child's memory, and its time. */
    end = run_script("(dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null); exit 3");
    assert_int_equal(end.code, 3);
    assert_true(end.usage.memory_bytes >= 64 << 20 && end.usage.memory_bytes < 256 << 20);
    assert_true(end.usage.cpu_us > 0);
    /* A process that leaves its parent, and that we kill. */
    end = run_script("setsid sh -c 'while :; do :; done' & sleep 1");
    assert_int_equal(end.code, 0);
    assert_true(end.usage.cpu_us > 50000);
}

/* With four it has none for a pipe; with fewer, poll of its four would fail.  As root, tests cannot
 * lack processes. */
static void set_descriptors(const struct replica_dir *replica, rlim_t soft)
{
    struct rlimit limit;

    assert_int_equal(prlimit(replica->supervisor, RLIMIT_NOFILE, NULL, &limit), 0);
    limit.rlim_cur = soft;
    assert_int_equal(prlimit(replica->supervisor, RLIMIT_NOFILE, &limit, NULL), 0);
}

static void what_cannot_be_started_for_long_has_failed_and_was_not_lost(void **state)
{
    struct replica_dir replica;
    struct layout_exit end;

    const char *options = getenv("ASAN_OPTIONS");
    char saved[512], without_leaks[540];

    (void)state;
    /* The search for leaks needs descriptors, too, and the supervisor ends without any. */
    snprintf(saved, sizeof saved, "%s", options ? options : "");
    snprintf(without_leaks, sizeof without_leaks, "%s:detect_leaks=0", saved);
    setenv("ASAN_OPTIONS", without_leaks, 1);
    for (int passes = 0; passes < 2; passes++) {
        replica_dir_init(&replica, NULL);
        replica_dir_write(&replica, "exit 5");
        replica_dir_start(&replica);
        replica_dir_wait_gate(&replica, false);
        set_descriptors(&replica, 4);
        replica_dir_command(&replica, LAYOUT_GO, 0);
        replica_dir_wait_gate(&replica, true);
        if (passes) set_descriptors(&replica, 256);
        assert_int_equal(replica_dir_finish(&replica), 0);
        assert_true(replica_dir_exit(&replica, &end));
        assert_int_equal(end.code, passes ? 5 : 126);
        if (!passes) assert_true(end.output_bytes > 0); /* the reason */
        assert_int_equal(end.usage.meter, passes ? FL_METER_processes : FL_METER_none);
        replica_dir_fini(&replica);
    }
    if (options) {
        setenv("ASAN_OPTIONS", saved, 1);
    } else {
        unsetenv("ASAN_OPTIONS");
    }
}

static void output_is_kept_byte_for_byte(void **state)
{
    /* A line of 1 MiB, zero bytes, bad UTF-8, no last newline; stdout and stderr are one. */
    const char *script = "head -c 1048576 /dev/zero | tr '\\0' x; printf 'a\\0b\\377\\n';"
                         "printf err >&2; printf end";
    struct replica_dir replica;
    struct layout_exit end;
    uint64_t missing;
    char gaps[256];
    struct fl_buf bytes;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica.spec.head_bytes = 8 << 20;
    replica_dir_write(&replica, script);
    end = replica_dir_run(&replica);
    bytes = output_of(&replica, &end, &missing, gaps);
    assert_int_equal(missing, 0);
    assert_int_equal(bytes.len, (1 << 20) + 11);
    for (size_t i = 0; i < 1 << 20; i++) {
        if (bytes.at[i] != 'x') fail_msg("byte %zu is another", i);
    }
    assert_memory_equal(bytes.at + (1 << 20), "a\0b\377\nerrend", 11);
    fl_buf_fini(&bytes);
    replica_dir_fini(&replica);
}

static void the_middle_of_a_long_output_is_a_marked_gap(void **state)
{
    struct replica_dir replica;
    struct layout_exit end;
    uint64_t missing;
    char gaps[256];
    char line[32];
    struct fl_buf bytes;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica.spec.head_bytes = replica.spec.tail_bytes = 65536;
    replica_dir_write(&replica, "seq -w 0 199999"); /* 200,000 lines of 7 bytes */
    end = replica_dir_run(&replica);
    assert_int_equal(end.output_bytes, 1400000);
    assert_int_equal(end.dropped_bytes, 0);
    bytes = output_of(&replica, &end, &missing, gaps);
    assert_string_equal(gaps, "limit ");
    assert_true(missing > 1000000);
    assert_true(bytes.len >= 2 * 65536);
    for (size_t i = 0; i < 65536; i++) { /* the head, wherever a line stands in it */
        snprintf(line, sizeof(line), "%06zu\n", i / 7);
        assert_int_equal(bytes.at[i], line[i % 7]);
    }
    for (size_t i = 1; i <= 65536; i++) { /* and the tail, from its end */
        size_t at = 1400000 - i;

        snprintf(line, sizeof(line), "%06zu\n", at / 7);
        assert_int_equal(bytes.at[bytes.len - i], line[at % 7]);
    }
    fl_buf_fini(&bytes);
    replica_dir_fini(&replica);
}

static void nothing_runs_before_the_go(void **state)
{
    struct replica_dir replica;
    struct layout_exit end;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, "echo ran >>../ledger");
    replica_dir_start(&replica);
    replica_dir_wait_gate(&replica, false);
    replica_dir_command(&replica, LAYOUT_LEAVE, 0);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_false(replica_dir_exit(&replica, &end));
    assert_int_equal(lines_of(&replica, "ledger"), 0);
    replica_dir_fini(&replica);
}

static void a_stop_asks_first(void **state)
{
    struct replica_dir replica;
    struct layout_exit end = {0};

    (void)state;
    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.02; done");
    replica_dir_start(&replica);
    replica_dir_command(&replica, LAYOUT_GO, 0);
    replica_dir_wait_output(&replica, "ready");
    replica_dir_command(&replica, LAYOUT_STOP, 3600000);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_true(replica_dir_exit(&replica, &end));
    assert_int_equal(end.code, 3);
    assert_true(end.is_stopped);
    replica_dir_fini(&replica);
}

static void who_does_not_listen_is_killed_after_the_grace(void **state)
{
    struct replica_dir replica;
    struct layout_exit end = {0};

    (void)state;
    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    replica_dir_start(&replica);
    replica_dir_command(&replica, LAYOUT_GO, 0);
    replica_dir_wait_output(&replica, "ready");
    replica_dir_command(&replica, LAYOUT_STOP, 100);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_true(replica_dir_exit(&replica, &end));
    assert_int_equal(end.code, 137);
    assert_true(end.is_stopped);
    replica_dir_fini(&replica);
}

static void the_grace_of_the_job_is_worth_more_than_that_of_the_stop(void **state)
{
    struct replica_dir replica;
    struct layout_exit end = {0};

    (void)state;
    replica_dir_init(&replica, NULL);
    replica.spec.grace_ms = 100;
    replica_dir_write(&replica, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    replica_dir_start(&replica);
    replica_dir_command(&replica, LAYOUT_GO, 0);
    replica_dir_wait_output(&replica, "ready");
    replica_dir_command(&replica, LAYOUT_STOP, 3600000);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_true(replica_dir_exit(&replica, &end));
    assert_int_equal(end.code, 137);
    assert_true(end.is_stopped);
    replica_dir_fini(&replica);
}

static void descendants_end_with_the_job(void **state)
{
    struct replica_dir replica;
    struct layout_exit end;

    (void)state;
    replica_dir_init(&replica, NULL);
    /* One in a session of its own without our variable, one orphaned twice over, one that ignores
     * all. */
    replica_dir_write(&replica,
                      "setsid env -i /bin/sh -c 'echo >>../started; exec /bin/sleep 1000' & "
                      "(setsid sh -c 'sleep 1000 & echo >>../started; sleep 1000' &) ; "
                      "(trap '' TERM HUP; echo >>../started; sleep 1000) & "
                      "until [ \"$(wc -l <../started)\" -ge 3 ]; do sleep 0.02; done; exit 5");
    end = replica_dir_run(&replica);
    assert_int_equal(end.code, 5);
    assert_int_equal(proc_signal_run(replica.spec.run, 0, 0), 0);
    replica_dir_fini(&replica);
}

static void a_directory_has_one_supervisor(void **state)
{
    struct replica_dir replica;
    int status;
    pid_t first;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, "echo ran >>../ledger");
    replica_dir_start(&replica);
    replica_dir_wait_gate(&replica, false);
    first = replica.supervisor;
    replica.supervisor = 0;
    replica_dir_start(&replica);
    status = replica_dir_finish(&replica);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LOCKED);
    replica.supervisor = first;
    replica_dir_command(&replica, LAYOUT_GO, 0);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_int_equal(lines_of(&replica, "ledger"), 1);
    replica_dir_fini(&replica);
}

/* It may die at any instant: another supervisor never runs the job a second time, and says so. */
static void nothing_runs_twice_however_the_supervisor_dies(void **state)
{
    (void)state;
    for (long i = 0; i < 30; i++) {
        struct replica_dir replica;
        struct layout_exit end;
        bool has_ended;
        int status;

        replica_dir_init(&replica, NULL);
        replica_dir_write(&replica, "echo ran >>../ledger; sleep 1000");
        replica_dir_start(&replica);
        if (i % 3 != 0) replica_dir_wait_gate(&replica, false);
        if (i % 3 == 2) {
            replica_dir_command(&replica, LAYOUT_GO, 0);
            nanosleep(&(struct timespec){.tv_nsec = i * i * 10000}, NULL);
        }
        replica_dir_kill(&replica);
        while (proc_signal_run(replica.spec.run, 0, SIGKILL) > 0) {
            replica_dir_sleep();
        }
        /* A child between fork and exec bears no mark yet, dies by itself, and has the lock. */
        while (flock(replica.fd, LOCK_EX | LOCK_NB) != 0) {
            replica_dir_sleep();
        }
        flock(replica.fd, LOCK_UN);
        has_ended = replica_dir_exit(&replica, &end);
        assert_false(has_ended);
        if (faccessat(replica.fd, LAYOUT_GATE, F_OK, 0) == 0) {
            replica_dir_start(&replica);
            replica_dir_command(&replica, LAYOUT_GO, 0);
            if (replica.supervisor) {
                status = replica_dir_finish(&replica);
                assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_TROUBLE);
            }
        }
        assert_true(lines_of(&replica, "ledger") <= 1);
        replica_dir_fini(&replica);
    }
}

static void the_jobs_own_process_dies_with_its_supervisor(void **state)
{
    struct replica_dir replica;

    (void)state;
    replica_dir_init(&replica, NULL);
    replica_dir_write(&replica, "echo ready; exec sleep 1000");
    replica_dir_start(&replica);
    replica_dir_command(&replica, LAYOUT_GO, 0);
    replica_dir_wait_output(&replica, "ready");
    replica_dir_kill(&replica);
    for (int i = 0; proc_signal_run(replica.spec.run, 0, 0) > 0; i++) {
        assert_true(i < 30000);
        replica_dir_sleep();
    }
    replica_dir_fini(&replica);
}

static void a_cut_lifeline_ends_the_job_at_once(void **state)
{
    struct replica_dir replica;
    struct layout_exit end = {0};
    int lifeline[2];

    (void)state;
    assert_int_equal(pipe(lifeline), 0);
    fcntl(lifeline[1], F_SETFD, FD_CLOEXEC);
    replica_dir_init(&replica, NULL);
    replica.lifeline = lifeline[0];
    replica_dir_write(&replica, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    replica_dir_start(&replica);
    replica_dir_command(&replica, LAYOUT_GO, 0);
    replica_dir_wait_output(&replica, "ready");
    close(lifeline[1]);
    assert_int_equal(replica_dir_finish(&replica), 0);
    assert_true(replica_dir_exit(&replica, &end));
    assert_int_equal(end.code, 137);
    close(lifeline[0]);
    replica_dir_fini(&replica);
}

static void out_of_memory_is_told_from_another_kill(void **state)
{
    struct replica_dir replica;
    struct layout_exit end;
    char group[300];
    char script[700];

    (void)state;
    replica_dir_init(&replica, NULL);
    /* A plain folder stands in for the control group, and the job for the kernel. */
    snprintf(group, sizeof(group), "%s/group", replica.path);
    assert_int_equal(mkdir(group, 0700), 0);
    snprintf(script, sizeof(script), "echo 'oom 1\noom_kill 1' >%s/memory.events; kill -9 $$",
             group);
    replica.spec.cgroup = fl_str_c(group);
    replica_dir_write(&replica, script);
    end = replica_dir_run(&replica);
    assert_int_equal(end.code, 137);
    assert_true(end.is_out_of_memory);
    replica_dir_fini(&replica);
}

static void a_failed_job_leaves_its_last_error_line(void **state)
{
    (void)state;
    assert_string_equal(run_script("echo 'ValueError: no lr'; echo bye; exit 3").line,
                        "ValueError: no lr");
    assert_string_equal(run_script("echo epoch 3 >&2; kill -9 $$").line, "epoch 3");
    assert_string_equal(run_script("exit 3").line, "");
    assert_string_equal(run_script("echo 'error: none of it'").line, "");
    /* Only the newest bytes are kept, and these begin within a line. */
    assert_string_equal(run_script("echo 'error: far back'; head -c 5000 /dev/zero | tr '\\0' x; "
                                   "echo; echo plain; exit 1")
                            .line,
                        "plain");
    assert_string_equal(run_script("head -c 4090 /dev/zero | tr '\\0' x; sleep 0.1; "
                                   "echo; echo 'error: over the edge'; echo bye; exit 1")
                            .line,
                        "error: over the edge");
}

/* On a file system of 512 KiB, in a mount namespace of the child's own. */
static void fill_a_disk(void *arg)
{
    const char *mount_point = arg;
    struct replica_dir replica;
    struct layout_exit end;
    uint64_t missing;
    char gaps[256];
    struct fl_buf bytes;

    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", mount_point, "tmpfs", 0, "size=512k") != 0) {
        _exit(77);
    }
    replica_dir_init(&replica, mount_point);
    replica.spec.head_bytes = 64 << 20;
    /* Output that fits, output that does not, and, once room is made, output that fits again. */
    replica_dir_write(&replica, "head -c 400000 /dev/zero >filler; head -c 1000000 /dev/zero; "
                                "echo full >&2; rm filler; sleep 0.1; echo last; exit 5");
    end = replica_dir_run(&replica);
    if (end.code != 5 || end.output_bytes != 1000010 || end.dropped_bytes == 0) _exit(1);
    bytes = output_of(&replica, &end, &missing, gaps);
    if (missing != end.dropped_bytes || strncmp(gaps, "disk_full ", 10) != 0) _exit(2);
    if (memcmp(bytes.at + bytes.len - 5, "last\n", 5) != 0) _exit(3);
    fl_buf_fini(&bytes);
    replica_dir_fini(&replica);
    umount(mount_point);
}

static void a_full_disk_drops_output_and_never_the_exit(void **state)
{
    char mount_point[] = "/tmp/fl-small-XXXXXX";
    int status;

    (void)state;
    assert_non_null(mkdtemp(mount_point));
    status = fl_test_child(fill_a_disk, mount_point);
    rmdir(mount_point);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip(); /* may not mount */
    assert_int_equal(WEXITSTATUS(status), 0);
}

FL_TESTS(cmocka_unit_test(exit_codes_and_signals_are_recorded),
         cmocka_unit_test(what_the_job_used_is_recorded),
         cmocka_unit_test(what_cannot_be_run_ends_as_a_shell_would_say),
         cmocka_unit_test(what_cannot_be_started_for_long_has_failed_and_was_not_lost),
         cmocka_unit_test(output_is_kept_byte_for_byte),
         cmocka_unit_test(the_middle_of_a_long_output_is_a_marked_gap),
         cmocka_unit_test(nothing_runs_before_the_go), cmocka_unit_test(a_stop_asks_first),
         cmocka_unit_test(who_does_not_listen_is_killed_after_the_grace),
         cmocka_unit_test(the_grace_of_the_job_is_worth_more_than_that_of_the_stop),
         cmocka_unit_test(descendants_end_with_the_job),
         cmocka_unit_test(a_directory_has_one_supervisor),
         cmocka_unit_test(nothing_runs_twice_however_the_supervisor_dies),
         cmocka_unit_test(the_jobs_own_process_dies_with_its_supervisor),
         cmocka_unit_test(a_cut_lifeline_ends_the_job_at_once),
         cmocka_unit_test(out_of_memory_is_told_from_another_kill),
         cmocka_unit_test(a_failed_job_leaves_its_last_error_line),
         cmocka_unit_test(a_full_disk_drops_output_and_never_the_exit))
