/* On a plain tree of folders: the files and their contents, and which processes are killed.
 * Enforcing limits is the kernel's business: tests/e2e/job_ends_test.py. */
#include "agent/process/cgroup_v1.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/cgroup_file.h"
#include "agent/process/remove_tree.h"
#include "tests/fl_test.h"

#define OWN "4:memory:/agents/one\n3:cpuset:/\n2:cpuacct,cpu:/agents/one\n0::/\n"

static char mounts[64];

static const char *in(const char *name)
{
    static char path[CGROUP_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", mounts, name);
    return path;
}

static int make_mounts(void **state)
{
    (void)state;
    snprintf(mounts, sizeof mounts, "/tmp/fl-cgroup-XXXXXX");
    return mkdtemp(mounts) ? 0 : -1;
}

static int remove_mounts(void **state)
{
    (void)state;
    return remove_tree_some(AT_FDCWD, mounts, 1000) ? 0 : -1;
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in(name), 0755), 0);
}

static void make_trees(void)
{
    make_folder("memory");
    make_folder("memory/agents");
    make_folder("memory/agents/one");
    make_folder("cpu");
    make_folder("cpuacct");
}

static void assert_text(const char *folder, const char *name, const char *want)
{
    char text[CGROUP_TEXT_MAX];

    assert_true(cgroup_read(in(folder), name, text));
    assert_string_equal(text, want);
}

static void make_group(struct fl_resources limits, char ret_path[CGROUP_PATH_MAX])
{
    char root[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    make_trees();
    assert_true(cgroup_v1_find_root(mounts, OWN, root, &err));
    assert_true(cgroup_v1_create(root, "job-1", limits, ret_path, &err));
}

static void a_group_stands_in_our_own_one_or_at_the_root_of_its_tree(void **state)
{
    char root[CGROUP_PATH_MAX], want[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    make_trees();
    assert_true(cgroup_v1_find_root(mounts, OWN, root, &err));
    snprintf(want, sizeof want, "%s/memory/agents/one:%s/cpu:%s/cpuacct:", mounts, mounts, mounts);
    assert_string_equal(root, want);
}

static void a_host_that_cannot_limit_both_has_no_limits(void **state)
{
    char root[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    make_folder("memory");
    assert_false(cgroup_v1_find_root(mounts, OWN, root, &err)); /* no folder of cpu */
    assert_int_equal(err.code, FL_UNSUPPORTED);
    make_folder("cpu");
    assert_false(cgroup_v1_find_root(mounts, "4:memory:/\n3:cpuset:/\n", root, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    assert_true(cgroup_v1_find_root(mounts, "4:memory:/\n3:cpu:/\n", root, &err));
}

static void limits_are_written_as_the_kernel_reads_them(void **state)
{
    struct fl_resources limits = {.memory_bytes = 1 << 20, .cpu_milli = 2500};
    char path[CGROUP_PATH_MAX];

    (void)state;
    make_group(limits, path);
    assert_text("memory/agents/one/job-1", "memory.limit_in_bytes", "1048576");
    assert_text("cpu/job-1", "cpu.cfs_period_us", "100000");
    assert_text("cpu/job-1", "cpu.cfs_quota_us", "250000");
    assert_true(cgroup_v1_join(path));
    assert_text("memory/agents/one/job-1", "cgroup.procs", "0");
    assert_text("cpu/job-1", "cgroup.procs", "0");
    assert_text("cpuacct/job-1", "cgroup.procs", "0");
}

/* A host without swap, or that does not count it, has no file for it. */
static void swap_is_limited_where_the_host_counts_it(void **state)
{
    struct fl_resources limits = {.memory_bytes = 1 << 20};
    char path[CGROUP_PATH_MAX], root[CGROUP_PATH_MAX], text[CGROUP_TEXT_MAX];
    struct fl_err err = {0};

    (void)state;
    make_group(limits, path);
    assert_false(cgroup_read(in("memory/agents/one/job-1"), "memory.memsw.limit_in_bytes", text));
    assert_true(
        cgroup_write(in("memory/agents/one/job-1"), "memory.memsw.limit_in_bytes", "999999999\n"));
    assert_true(cgroup_v1_find_root(mounts, OWN, root, &err));
    assert_true(cgroup_v1_create(root, "job-1", limits, path, &err)); /* again is fine */
    assert_true(cgroup_read(in("memory/agents/one/job-1"), "memory.memsw.limit_in_bytes", text));
    assert_memory_equal(text, "1048576", 7);
}

static void put_pid(pid_t pid, const char *rest)
{
    char text[64];

    snprintf(text, sizeof text, "%d\n%s", pid, rest);
    assert_true(cgroup_write(in("memory/agents/one/job-1"), "cgroup.procs", text));
}

static void all_that_is_in_it_is_killed_and_nothing_else(void **state)
{
    char path[CGROUP_PATH_MAX];
    pid_t inside, outside;
    int status;

    (void)state;
    make_group((struct fl_resources){0}, path);
    inside = fork();
    if (inside == 0) pause();
    outside = fork();
    if (outside == 0) pause();
    put_pid(inside, "0\n1\nnonsense\n");
    assert_true(cgroup_v1_is_populated(path));
    cgroup_v1_kill(path);
    assert_int_equal(waitpid(inside, &status, 0), inside);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(waitpid(outside, &status, WNOHANG), 0);
    kill(outside, SIGKILL);
    assert_int_equal(waitpid(outside, &status, 0), outside);
}

static void what_happened_and_what_was_used_is_read(void **state)
{
    struct fl_usage usage = {.meter = FL_METER_processes, .read_bytes = 3, .written_bytes = 4};
    char path[CGROUP_PATH_MAX];

    (void)state;
    make_group((struct fl_resources){0}, path);
    assert_int_equal(cgroup_v1_oom_kills(path), 0);
    assert_true(cgroup_write(in("memory/agents/one/job-1"), "memory.oom_control",
                             "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"));
    assert_int_equal(cgroup_v1_oom_kills(path), 3);

    assert_false(cgroup_v1_meter(path, &usage)); /* no time of CPU */
    assert_true(cgroup_write(in("cpuacct/job-1"), "cpuacct.usage", "1234567890\n"));
    assert_false(cgroup_v1_meter(path, &usage)); /* no memory */
    assert_int_equal(usage.meter, FL_METER_processes);
    assert_true(
        cgroup_write(in("memory/agents/one/job-1"), "memory.max_usage_in_bytes", "67108864\n"));
    assert_true(cgroup_v1_meter(path, &usage));
    assert_int_equal(usage.meter, FL_METER_group);
    assert_int_equal(usage.cpu_us, 1234567);
    assert_int_equal(usage.memory_bytes, 64 << 20);
    assert_int_equal(usage.read_bytes, 3); /* no blkio: the numbers of the processes stay */
}

static void bytes_of_all_devices_are_added_up(void **state)
{
    struct fl_usage usage = {0};
    char path[CGROUP_PATH_MAX], root[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    make_trees();
    make_folder("blkio");
    assert_true(cgroup_v1_find_root(mounts, OWN "1:blkio:/\n", root, &err));
    assert_true(cgroup_v1_create(root, "job-1", (struct fl_resources){0}, path, &err));
    assert_true(cgroup_write(in("cpuacct/job-1"), "cpuacct.usage", "1000\n"));
    assert_true(cgroup_write(in("memory/agents/one/job-1"), "memory.max_usage_in_bytes", "1\n"));
    assert_true(cgroup_write(in("blkio/job-1"), "blkio.throttle.io_service_bytes_recursive",
                             "8:0 Read 4096\n8:0 Write 20\n8:0 Total 4116\n"
                             "8:16 Read 4\n8:16 Write 1\n8:16 Total 5\nTotal 4121\n"));
    assert_true(cgroup_v1_meter(path, &usage));
    assert_int_equal(usage.read_bytes, 4100);
    assert_int_equal(usage.written_bytes, 21);
}

static void an_empty_group_goes_from_all_trees(void **state)
{
    char path[CGROUP_PATH_MAX], root[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    make_trees();
    assert_true(cgroup_v1_find_root(mounts, OWN, root, &err));
    assert_int_equal(mkdir(in("cpuacct/job-1"), 0755), 0);
    assert_int_equal(rmdir(in("cpuacct/job-1")), 0);
    assert_int_equal(mkdir(in("memory/agents/one/job-1"), 0755), 0);
    assert_true(cgroup_v1_create(root, "job-1", (struct fl_resources){0}, path, &err));
    cgroup_v1_remove(path);
    assert_int_equal(access(in("memory/agents/one/job-1"), F_OK), -1);
    assert_int_equal(access(in("cpu/job-1"), F_OK), -1);
    assert_int_equal(access(in("cpuacct/job-1"), F_OK), -1);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_mounts, remove_mounts)

FL_TESTS(IN_A_TREE(a_group_stands_in_our_own_one_or_at_the_root_of_its_tree),
         IN_A_TREE(a_host_that_cannot_limit_both_has_no_limits),
         IN_A_TREE(limits_are_written_as_the_kernel_reads_them),
         IN_A_TREE(swap_is_limited_where_the_host_counts_it),
         IN_A_TREE(all_that_is_in_it_is_killed_and_nothing_else),
         IN_A_TREE(what_happened_and_what_was_used_is_read),
         IN_A_TREE(bytes_of_all_devices_are_added_up),
         IN_A_TREE(an_empty_group_goes_from_all_trees))
