#include "agent/supervise/visitor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/supervise/child_setup.h"
#include "shared/base/alloc.h"

enum { TERM_TEXT_MAX = 128 };

static const char *find_env(const struct layout_spec *spec, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < spec->env.len; i++) {
        if (strncmp(spec->env.at[i], name, len) == 0 && spec->env.at[i][len] == '=') {
            return spec->env.at[i] + len + 1;
        }
    }
    return NULL;
}

/* The job's environment, with the terminal's TERM in place of its own. */
static char **make_env(const struct layout_spec *spec, const char *term)
{
    static char line[TERM_TEXT_MAX];
    char **env = fl_new_array(char *, spec->env.len + 2);
    size_t len = 0;

    for (size_t i = 0; i < spec->env.len; i++) {
        if (*term && strncmp(spec->env.at[i], "TERM=", 5) == 0) continue;
        env[len++] = spec->env.at[i];
    }
    if (*term) {
        snprintf(line, sizeof line, "TERM=%s", term);
        env[len++] = line;
    }
    return env;
}

void visitor_become(const struct layout_spec *spec, int dir, const char *term, char *const *words)
{
    const char *shell = find_env(spec, "SHELL");
    char *plain[] = {(char *)(shell && *shell ? shell : "/bin/sh"), NULL};
    char *const *argv = words[0] ? words : plain;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the agent's: without it we have no reader */
    if (*term) ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    child_plain_signals();
    child_take_path(spec);
    child_enter(spec, dir);
    execvpe(argv[0], argv, make_env(spec, term));
    child_give_up("run", argv[0]);
}
