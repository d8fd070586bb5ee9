/* On a plain tree of folders: the files and their contents.  Enforcing them is the kernel's
 * business. */
#include "agent/process/cgroup.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/process/remove_tree.h"
#include "tests/fl_test.h"

static char root[64];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/fl-cgroup-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    return remove_tree_some(AT_FDCWD, root, 1000) ? 0 : -1;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[CGROUP_PATH_MAX + 64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *folder, const char *name, const char *want)
{
    char path[CGROUP_PATH_MAX + 64];
    char text[256] = {0};
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, want);
}

static void limits_are_written_as_the_kernel_reads_them(void **state)
{
    struct fl_resources limits = {.memory_bytes = 1 << 20, .cpu_milli = 2500};
    char path[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    write_text(root, "cgroup.controllers", "cpuset cpu io memory pids\n");
    assert_true(cgroup_prepare(root, &err));
    assert_text(root, "cgroup.subtree_control", "+cpu +memory +io");
    assert_true(cgroup_create(root, "job-1-0-1-1-0", limits, path, &err));
    assert_text(path, "memory.max", "1048576");
    assert_text(path, "memory.oom.group", "1");
    assert_text(path, "cpu.max", "250000 100000");
    assert_true(cgroup_create(root, "job-1-0-1-1-0", limits, path, &err)); /* again is fine */
    assert_true(cgroup_join(path));
    assert_text(path, "cgroup.procs", "0");
    cgroup_kill(path);
    assert_text(path, "cgroup.kill", "1");
}

static void a_group_without_controllers_gives_no_limits(void **state)
{
    struct fl_err err = {0};

    (void)state;
    assert_false(cgroup_prepare(root, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    write_text(root, "cgroup.controllers", "cpuset cpu-like memory\n");
    assert_false(cgroup_prepare(root, &err));
}

/* An agent says that it keeps limits only where it could make a group. */
static void in_version_1_a_group_is_made_to_see(void **state)
{
    char path[CGROUP_PATH_MAX];
    struct fl_err err = {0};

    (void)state;
    snprintf(path, sizeof path, "v1:%s:%s::", root, root);
    assert_true(cgroup_prepare(path, &err));
    snprintf(path, sizeof path, "v1:%s/nowhere:%s::", root, root);
    assert_false(cgroup_prepare(path, &err));
    snprintf(path, sizeof path, "v1:%0*d:%s::", CGROUP_PATH_MAX - CGROUP_NAME_MAX, 0, root);
    assert_false(cgroup_prepare(path, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
}

static void what_happened_is_read_from_the_events(void **state)
{
    (void)state;
    assert_int_equal(cgroup_oom_kills(root), 0);
    assert_false(cgroup_is_populated(root));
    write_text(root, "memory.events",
               "low 0\nhigh 9\nmax 8\noom 7\noom_kill 3\noom_group_kill 1\n");
    assert_int_equal(cgroup_oom_kills(root), 3);
    write_text(root, "memory.events", "oom_kill nonsense\n");
    assert_int_equal(cgroup_oom_kills(root), 0);
    write_text(root, "cgroup.events", "populated 1\nfrozen 0\n");
    assert_true(cgroup_is_populated(root));
    write_text(root, "cgroup.events", "populated 0\nfrozen 0\n");
    assert_false(cgroup_is_populated(root));
}

static void what_was_used_is_read_where_the_host_counts_it(void **state)
{
    struct fl_usage usage = {.meter = FL_METER_processes,
                             .replicas = 1,
                             .cpu_us = 1,
                             .memory_bytes = 2,
                             .read_bytes = 3,
                             .written_bytes = 4};

    (void)state;
    write_text(root, "cpu.stat", "usage_usec 1234567\nuser_usec 1\nsystem_usec 2\n");
    assert_false(cgroup_meter(root, &usage)); /* no memory.peak: an older kernel */
    write_text(root, "memory.peak", "nonsense\n");
    assert_false(cgroup_meter(root, &usage));
    assert_int_equal(usage.meter, FL_METER_processes);
    assert_int_equal(usage.cpu_us, 1);

    write_text(root, "memory.peak", "67108864\n");
    assert_true(cgroup_meter(root, &usage));
    assert_int_equal(usage.meter, FL_METER_group);
    assert_int_equal(usage.replicas, 1);
    assert_int_equal(usage.cpu_us, 1234567);
    assert_int_equal(usage.memory_bytes, 64 << 20);
    assert_int_equal(usage.read_bytes, 3); /* no io.stat: the numbers of the processes stay */

    write_text(root, "io.stat",
               "8:16 rbytes=4096 wbytes=1 rios=5 wios=6 dbytes=7 dios=8\n"
               "8:0 rbytes=100 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n");
    assert_true(cgroup_meter(root, &usage));
    assert_int_equal(usage.read_bytes, 4196);
    assert_int_equal(usage.written_bytes, 21);
}

FL_TESTS(cmocka_unit_test_setup_teardown(limits_are_written_as_the_kernel_reads_them, make_root,
                                         remove_root),
         cmocka_unit_test_setup_teardown(a_group_without_controllers_gives_no_limits, make_root,
                                         remove_root),
         cmocka_unit_test_setup_teardown(in_version_1_a_group_is_made_to_see, make_root,
                                         remove_root),
         cmocka_unit_test_setup_teardown(what_happened_is_read_from_the_events, make_root,
                                         remove_root),
         cmocka_unit_test_setup_teardown(what_was_used_is_read_where_the_host_counts_it, make_root,
                                         remove_root))
