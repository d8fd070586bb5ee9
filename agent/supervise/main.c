/* fairlead-supervise: one process beside each replica, that outlives agents.  See supervisor.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/process/layout.h"
#include "agent/supervise/child.h"
#include "agent/supervise/supervisor.h"
#include "agent/supervise/visitor.h"
#include "shared/base/arena.h"

enum { EXIT_WELL = 0, EXIT_USAGE = 2, EXIT_LOCKED = 3, EXIT_TROUBLE = 4 };

#define CLOSE_RANGE_CLOEXEC_FLAG 4U

static const char usage[] =
    "usage: fairlead-supervise [--lifeline FD] DIR\n"
    "       fairlead-supervise --visit TERM DIR [WORD...]\n"
    "Runs the replica of DIR once fairlead-agent sends GO; fairlead-agent starts it.\n"
    "With --visit it becomes a command, or a shell, beside the job of DIR.\n"
    "docs/supervisor.md says what is in the directory.\n";

/* Our stderr has no reader, so the reason goes to a file that the agent reads. */
static int trouble(int dir, const struct fl_err *err)
{
    int fd = openat(dir, LAYOUT_TROUBLE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0) return EXIT_TROUBLE;
    dprintf(fd, "%s\n", err->text);
    close(fd);
    return EXIT_TROUBLE;
}

static bool read_spec(int dir, struct fl_arena *arena, struct layout_spec *ret_spec,
                      struct fl_err *err)
{
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    is_read =
        layout_read(dir, LAYOUT_SPEC, &buf, err) &&
        layout_spec_decode((struct fl_str){(const char *)buf.at, buf.len}, arena, ret_spec, err);
    fl_buf_fini(&buf);
    return is_read;
}

static int open_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* if ignored, the kernel would reap and drop the exit codes */
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigprocmask(SIG_SETMASK, &set, NULL);
    /* These stay blocked: keys typed at the agent's terminal are for the agent. */
    sigdelset(&set, SIGINT);
    sigdelset(&set, SIGHUP);
    sigdelset(&set, SIGQUIT);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool parse(int argc, char **argv, int *ret_lifeline, const char **ret_dir)
{
    *ret_lifeline = -1;
    if (argc == 4 && strcmp(argv[1], "--lifeline") == 0) {
        char *end;
        long fd = strtol(argv[2], &end, 10);

        if (*end || fd < 3 || fd > 65535 || fcntl((int)fd, F_GETFD) < 0) return false;
        *ret_lifeline = (int)fd;
        *ret_dir = argv[3];
        return true;
    }
    *ret_dir = argv[argc - 1];
    return argc == 2 && argv[1][0] != '-';
}

static int visit(const char *term, const char *path, char *const *words)
{
    struct layout_spec spec;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC_FLAG);
    if (dir < 0) {
        fprintf(stderr, "fairlead: %s: %s\n", path, strerror(errno));
    } else if (!read_spec(dir, &arena, &spec, &err)) {
        fprintf(stderr, "fairlead: %s\n", err.text);
    } else {
        visitor_become(&spec, dir, term, words);
    }
    return CHILD_NOT_RUNNABLE;
}

int main(int argc, char **argv)
{
    struct supervisor_config config = {0};
    struct layout_spec spec;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    const char *path;
    bool is_well;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout) < 0;
    if (argc >= 4 && strcmp(argv[1], "--visit") == 0) return visit(argv[2], argv[3], argv + 4);
    if (!parse(argc, argv, &config.lifeline, &path)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    /* It fails for the leader of a process group, which has a session already. */
    setsid();
    /* Inherited descriptors stay open here, so that the holders of the other ends notice when this
     * process is gone; the job does not get them. */
    syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC_FLAG);
    config.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (config.dir < 0) {
        fprintf(stderr, "fairlead-supervise: %s: %s\n", path, strerror(errno));
        return EXIT_USAGE;
    }
    if (flock(config.dir, LOCK_EX | LOCK_NB) != 0) return EXIT_LOCKED;
    config.signals = open_signals();
    config.spec = &spec;
    is_well = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 || fl_fail(&err, FL_UNSUPPORTED, "no reaper");
    is_well =
        is_well && read_spec(config.dir, &arena, &spec, &err) && supervisor_run(&config, &err);
    fl_arena_fini(&arena);
    return is_well ? EXIT_WELL : trouble(config.dir, &err);
}
