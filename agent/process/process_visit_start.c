/* How a visit begins: a command with pipes or a terminal, a connection, or files that are read. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/process_visit.h"
#include "shared/base/alloc.h"
#include "shared/io/descriptors.h"

enum { VISITS_MAX = 256, ARGUMENTS_MAX = FL_VISIT_WORDS_MAX + 8 };

static struct process_visit *add_visit(struct process *process, struct process_replica *replica,
                                       const struct runtime_visit_port *port)
{
    struct process_visit *visit = fl_new(struct process_visit);

    visit->process = process;
    visit->replica = replica;
    visit->port = *port;
    visit->pidfd = -1;
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        visit->at[i].fd = -1;
    }
    visit->next = process->visits;
    if (visit->next) visit->next->prev = visit;
    process->visits = visit;
    return visit;
}

/* ---- a command ------------------------------------------------------------------------------- */

/* The command's own ends of its pipes, or of its terminal three times. */
struct ends {
    int at[PROCESS_VISIT_FDS];
};

static void close_ends(struct ends *ends)
{
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        if (ends->at[i] >= 0) close(ends->at[i]);
    }
}

static bool make_pipes(struct process_visit *visit, struct ends *ends, struct fl_err *err)
{
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        int fds[2];
        bool is_input = i == PROCESS_VISIT_IN;

        if (pipe2(fds, O_CLOEXEC) != 0) {
            return fl_fail(err, FL_IO, "cannot make a pipe: %s", strerror(errno));
        }
        visit->at[i].fd = fds[is_input];
        ends->at[i] = fds[!is_input];
    }
    return true;
}

static bool make_terminal(struct process_visit *visit, struct ends *ends, struct fl_visit_size size,
                          struct fl_err *err)
{
    struct winsize window = {.ws_row = size.rows, .ws_col = size.columns};
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];

    visit->at[PROCESS_VISIT_OUT].fd = master;
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, name, sizeof name) != 0) {
        return fl_fail(err, FL_IO, "cannot make a terminal: %s", strerror(errno));
    }
    ioctl(master, TIOCSWINSZ, &window);
    visit->at[PROCESS_VISIT_IN].fd = fcntl(master, F_DUPFD_CLOEXEC, 3);
    ends->at[0] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (visit->at[PROCESS_VISIT_IN].fd < 0 || ends->at[0] < 0) {
        return fl_fail(err, FL_IO, "cannot open a terminal: %s", strerror(errno));
    }
    return true;
}

/* A program without a '/' is looked up in our own PATH.  'folder' is where it starts; -1: here. */
struct command {
    char *const *argv, *const *env;
    int folder;
};

static bool spawn_command(struct process_visit *visit, const struct command *command,
                          const struct ends *ends, struct fl_err *err)
{
    struct process *process = visit->process;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t signals;
    uint64_t descriptors = 0;
    int why;

    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        posix_spawn_file_actions_adddup2(&actions, ends->at[i] >= 0 ? ends->at[i] : ends->at[0], i);
    }
    if (command->folder >= 0) {
        posix_spawn_file_actions_addfchdir_np(&actions, command->folder);
    }
    posix_spawnattr_init(&attr);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attr, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attr, &signals);
    posix_spawnattr_setflags(&attr,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    if (process->config.descriptors) descriptors = fl_descriptors_set(process->config.descriptors);
    why = posix_spawnp(&visit->pid, command->argv[0], &actions, &attr, command->argv, command->env);
    if (descriptors) (void)fl_descriptors_set(descriptors);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0) {
        visit->pid = 0;
        return fl_fail(err, FL_IO, "cannot start %s: %s", command->argv[0], strerror(why));
    }
    visit->pidfd = pidfd_open(visit->pid, 0);
    if (visit->pidfd >= 0) return true;
    fl_fail(err, FL_IO, "cannot watch a process: %s", strerror(errno));
    kill(-visit->pid, SIGKILL);
    (void)waitpid(visit->pid, NULL, 0);
    visit->pid = 0;
    return false;
}

/* "fairlead-supervise --visit TERM DIR [WORD...]" */
static size_t fill_argv(struct process_visit *visit, const struct fl_visit_open *open,
                        struct fl_arena *arena, char *argv[ARGUMENTS_MAX])
{
    const struct process *process = visit->process;
    size_t len = 0;

    argv[len++] = (char *)process->config.supervisor;
    argv[len++] = "--visit";
    argv[len++] = fl_arena_copy(arena, open->has_tty ? open->term.at : "",
                                open->has_tty ? open->term.len : 0);
    argv[len++] = fl_arena_printf(arena, "%s/%s", process->config.dir, visit->replica->name);
    for (size_t i = 0; i < open->words_len; i++) {
        argv[len++] = fl_arena_copy(arena, open->words[i].at, open->words[i].len);
    }
    argv[len] = NULL;
    return len;
}

static bool start_command(struct process_visit *visit, const struct fl_visit_open *open,
                          struct fl_err *err)
{
    struct ends ends = {{-1, -1, -1}};
    char *argv[ARGUMENTS_MAX], *empty[] = {NULL};
    struct fl_arena arena = {0};
    bool is_started;

    visit->has_tty = open->has_tty;
    is_started = visit->has_tty ? make_terminal(visit, &ends, open->size, err)
                                : make_pipes(visit, &ends, err);
    if (is_started) {
        (void)fill_argv(visit, open, &arena, argv);
        is_started = spawn_command(visit, &(struct command){argv, empty, -1}, &ends, err);
    }
    close_ends(&ends);
    fl_arena_fini(&arena);
    visit->replica->was_visited |= is_started;
    return is_started;
}

/* ---- files of a replica that has ended ------------------------------------------------------- */

/* Our own 'tar', and nothing of the job's, in the folder that has the files.  It has no input. */
static bool run_tar(struct process_visit *visit, const struct fl_visit_open *open, int folder,
                    const char *name, struct fl_err *err)
{
    char *archive[] = {"tar", "-cf", "-", (char *)name, NULL};
    char *list[] = {"tar", "-cvvf", "/dev/null", (char *)name, NULL};
    char *env[] = {"LC_ALL=C.UTF-8", NULL};
    struct command command = {open->is_list ? list : archive, env, folder};
    struct ends ends = {{-1, -1, -1}};
    bool is_started = make_pipes(visit, &ends, err) && spawn_command(visit, &command, &ends, err);

    close_ends(&ends);
    visit->skip_bytes = is_started ? open->offset : 0;
    visit->skip_crc = open->crc;
    return is_started;
}

static bool start_files(struct process_visit *visit, const struct fl_visit_open *open,
                        struct fl_err *err)
{
    struct fl_arena arena = {0};
    const char *name;
    int folder = process_files_open(visit->process, open, &arena, &name, err);
    bool is_started = folder >= 0 && run_tar(visit, open, folder, name, err);

    visit->is_files = true;
    if (is_started) {
        visit->read = process_table_find(visit->process, open->attempt, open->replica);
        if (visit->read) visit->read->readers++;
    }
    if (folder >= 0) close(folder);
    fl_arena_fini(&arena);
    return is_started;
}

/* ---- a connection ---------------------------------------------------------------------------- */

static bool start_connection(struct process_visit *visit, uint16_t port, struct fl_err *err)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    visit->tcp_port = port;
    visit->at[PROCESS_VISIT_OUT].fd = fd;
    if (fd < 0) return fl_fail(err, FL_IO, "cannot make a socket: %s", strerror(errno));
    visit->at[PROCESS_VISIT_IN].fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (visit->at[PROCESS_VISIT_IN].fd < 0) {
        return fl_fail(err, FL_IO, "cannot copy a descriptor: %s", strerror(errno));
    }
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return true;
    if (errno != EINPROGRESS) {
        return fl_fail(err, FL_UNAVAILABLE, "cannot connect to port %u of the replica: %s", port,
                       strerror(errno));
    }
    visit->is_connecting = true;
    return true;
}

/* ---- either ---------------------------------------------------------------------------------- */

static size_t visits_len(const struct process *process)
{
    size_t len = 0;

    for (const struct process_visit *visit = process->visits; visit; visit = visit->next) {
        len++;
    }
    return len;
}

static bool find_running(const struct process *process, const struct fl_visit_open *open,
                         struct process_replica **ret_replica, struct fl_err *err)
{
    *ret_replica = process_table_find(process, open->attempt, open->replica);
    if (!*ret_replica) return fl_fail(err, FL_ABSENT, "this agent does not have this replica");
    return (*ret_replica)->phase == PROCESS_RUNNING ||
           fl_fail(err, FL_CONFLICT, "the replica does not run now");
}

bool process_visit_start(struct process *process, const struct fl_visit_open *open,
                         const struct runtime_visit_port *port, struct runtime_visit *ret_visit,
                         struct fl_err *err)
{
    struct process_replica *replica = NULL;
    struct process_visit *visit;
    bool is_started;

    if (!open->is_files && !find_running(process, open, &replica, err)) return false;
    if (visits_len(process) >= VISITS_MAX) {
        return fl_fail(err, FL_FULL, "%d visits are open in this cluster, the most there can be",
                       VISITS_MAX);
    }
    visit = add_visit(process, replica, port);
    is_started = open->is_files    ? start_files(visit, open, err)
                 : open->port != 0 ? start_connection(visit, open->port, err)
                                   : start_command(visit, open, err);
    process_visit_watch(visit);
    *ret_visit = (struct runtime_visit){&process_visit_ops, visit};
    if (!is_started) process_visit_ops.destroy(visit);
    return is_started;
}
