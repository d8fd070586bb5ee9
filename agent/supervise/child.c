#include "agent/supervise/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "agent/supervise/child_setup.h"

void child_plain_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &plain, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn void child_give_up(const char *what, const char *name)
{
    int why = errno;

    dprintf(STDERR_FILENO, "fairlead: cannot %s %s: %s\n", what, name, strerror(why));
    _exit(why == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_RUNNABLE);
}

void child_enter(const struct layout_spec *spec, int dir)
{
    const char *name = spec->working_dir.len > 0 ? spec->working_dir.at : LAYOUT_FILES;

    if (spec->cgroup.len > 0 && !cgroup_join(spec->cgroup.at)) {
        child_give_up("enter", spec->cgroup.at);
    }
    if (fchdir(dir) != 0 || chdir(name) != 0) child_give_up("enter", name);
    close(dir);
}

/* In the child.  Descriptors that are not for the job, the lock above all, close on exec. */
_Noreturn static void become_job(const struct layout_spec *spec, int dir, int output,
                                 pid_t supervisor)
{
    int null;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) { /* it died before the prctl took effect */
        _exit(CHILD_NOT_RUNNABLE);
    }
    setpgid(0, 0);
    null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0) {
        _exit(CHILD_NOT_RUNNABLE);
    }
    child_plain_signals();
    child_enter(spec, dir);
    execvpe(spec->argv.at[0], spec->argv.at, spec->env.at);
    child_give_up("run", spec->argv.at[0]);
}

void child_take_path(const struct layout_spec *spec)
{
    for (size_t i = 0; i < spec->env.len; i++) {
        if (strncmp(spec->env.at[i], "PATH=", 5) == 0) {
            setenv("PATH", spec->env.at[i] + 5, 1);
            return;
        }
    }
}

bool child_start(const struct layout_spec *spec, int dir, pid_t *ret_pid, int *ret_output,
                 struct fl_err *err)
{
    pid_t supervisor = getpid();
    int output[2];
    pid_t pid;

    child_take_path(spec);
    if (pipe2(output, O_CLOEXEC) != 0) {
        return fl_fail(err, FL_IO, "cannot make a pipe: %s", strerror(errno));
    }
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    pid = fork();
    if (pid < 0) {
        fl_fail(err, FL_IO, "cannot fork: %s", strerror(errno));
        close(output[0]);
        close(output[1]);
        return false;
    }
    if (pid == 0) become_job(spec, dir, output[1], supervisor);
    setpgid(pid, pid); /* both processes do it: the first one wins */
    close(output[1]);
    *ret_pid = pid;
    *ret_output = output[0];
    return true;
}
