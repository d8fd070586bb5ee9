#include "cli/editor.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name_of_editor(void)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

    if (visual && *visual) return visual;
    return editor && *editor ? editor : "vi";
}

/* By the shell, since the variable may hold flags; the path is a word of its own. */
bool cli_editor_run(const char *path, struct fl_err *err)
{
    const char *editor = name_of_editor();
    char command[1024];
    char *words[] = {(char *)"sh", (char *)"-c", command, (char *)"sh", (char *)path, NULL};
    int status = 0, why;
    pid_t pid, ended;

    if (snprintf(command, sizeof command, "%s \"$1\"", editor) >= (int)sizeof command) {
        return fl_fail(err, FL_INVALID, "EDITOR: it is too long");
    }
    why = posix_spawnp(&pid, "sh", NULL, NULL, words, environ);
    if (why) return fl_fail(err, FL_IO, "sh: %s", strerror(why));
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return fl_fail(err, FL_ABSENT, "the editor '%s' is not there; EDITOR names another",
                       editor);
    }
    return fl_fail(err, FL_IO, "the editor '%s' did not end well; nothing is edited", editor);
}
