/* spawn_bench.c - the bare cost of a task that is two processes and one record on disk.
 *
 *   spawn_bench loop [--tasks=2000] [--at-once=2] --dir=DIR
 *               value: tasks a second
 *   spawn_bench task DIR NUMBER
 *               one task: starts "true", waits, notes how it ended
 *
 * The first process stands for the supervisor (fairlead-supervise), the second is the task. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench_help.h"

extern char **environ;

static int run_task(const char *dir, const char *number)
{
    char *words[] = {(char[]){"true"}, NULL};
    char path[512], record[128];
    int status, fd, len;
    pid_t pid;

    if (posix_spawnp(&pid, "true", NULL, NULL, words, environ) != 0) bench_die("true: %m");
    if (waitpid(pid, &status, 0) != pid) bench_die("wait: %m");
    snprintf(path, sizeof path, "%s/%s", dir, number);
    len = snprintf(record, sizeof record, "exit %d\n", status);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, record, (size_t)len) != len || fdatasync(fd) != 0) {
        bench_die("%s: %m", path);
    }
    close(fd);
    (void)unlink(path);
    return 0;
}

int main(int argc, char **argv)
{
    const char *dir = bench_arg(argc, argv, "dir", "/tmp");
    long tasks = (long)bench_arg_number(argc, argv, "tasks", 2000), begun = 0, over = 0;
    long at_once = (long)bench_arg_number(argc, argv, "at-once", 2);
    int64_t from = bench_now_ns();
    char self[512];
    ssize_t len;

    if (argc == 4 && strcmp(argv[1], "task") == 0) return run_task(argv[2], argv[3]);
    if (argc < 2 || strcmp(argv[1], "loop") != 0) bench_die("which case?  loop");
    bench_limit(300);
    len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0) bench_die("who am I: %m");
    self[len] = 0;
    while (over < tasks) {
        char number[32];
        char *words[] = {self, (char[]){"task"}, (char *)(uintptr_t)dir, number, NULL};
        pid_t pid;
        int status;

        snprintf(number, sizeof number, "task-%ld", begun);
        if (begun < tasks && begun - over < at_once) {
            if (posix_spawn(&pid, self, NULL, NULL, words, environ) != 0) bench_die("spawn: %m");
            begun++;
            continue;
        }
        if (wait(&status) < 0 || status != 0) bench_die("a task failed");
        over++;
    }
    printf("{\"case\": \"spawn-loop\"");
    bench_field("value", (double)tasks / ((double)(bench_now_ns() - from) * 1e-9));
    bench_end();
    return 0;
}
