#include "agent/supervise/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "agent/process/proc.h"
#include "agent/supervise/child.h"
#include "agent/supervise/meter.h"
#include "agent/supervise/sink.h"
#include "agent/supervise/tail.h"
#include "shared/base/assert.h"
#include "shared/wire/log_record.h"

enum {
    SIGTERM_GRACE_MS = 10000,
    NEWS_MS = 20, /* the shortest time between two reports of new output */
    HUNT_MS_MIN = 2,
    HUNT_MS_MAX = 200,
    START_TRIES_MAX = 20,
    START_PAUSE_MS = 100,
    READS_MAX = 16, /* so many reads of output, then other events get their turn */
};

#define NEVER INT64_MAX

enum state {
    GATED,    /* nothing has run */
    RUNNING,  /* the job's own process lives */
    HUNTING,  /* the job's own process has ended; its descendants are being killed */
    FINISHED, /* no process of the job is left */
    LEFT,     /* LEAVE came behind the gate: nothing ran */
};

struct supervisor {
    const struct supervisor_config *config;
    enum state state;
    struct sink sink;
    struct tail tail;
    int control, news, output; /* -1: closed */
    int gate, exit_tmp;
    pid_t job;
    int status;       /* how the job's own process ended, as waitpid gave it */
    bool is_stopped;  /* the job got SIGTERM from us */
    bool is_killed;   /* the job got SIGKILL from us */
    fl_ms kill_at;    /* monotonic; NEVER: no STOP came */
    fl_ms hunt_at;    /* the next look for descendants */
    fl_ms hunt_ms;    /* the pause after that look */
    fl_ms told_at;    /* when the agent last got a byte for new output */
    bool has_news;    /* there is output that the agent does not know of */
    fl_ms started_at; /* wall */
    uint64_t oom_kills;
};

static fl_ms now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A full pipe needs no further byte: the agent will look. */
static void tell(struct supervisor *supervisor)
{
    FL_IGNORE(write(supervisor->news, "!", 1));
}

/* ---- the records ----------------------------------------------------------------------------- */

static bool make_record(int dir, const char *name, const uint8_t block[LAYOUT_RECORD_BYTES],
                        int *ret_fd, struct fl_err *err)
{
    int fd = openat(dir, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || !layout_write_at(fd, block, LAYOUT_RECORD_BYTES, 0)) {
        fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "cannot write %s: %s", name,
                strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    /* Allocates the file's blocks now, so that a sync after an overwrite needs no commit of the
     * file system's journal. */
    FL_IGNORE(sync_file_range(fd, 0, LAYOUT_RECORD_BYTES, SYNC_FILE_RANGE_WRITE));
    *ret_fd = fd;
    return true;
}

/* Never overwrites a gate that is there: it tells what an earlier supervisor did. */
static bool shut_gate(struct supervisor *supervisor, struct fl_err *err)
{
    struct layout_gate gate = {.session = getsid(0), .at = layout_now()};
    uint8_t block[LAYOUT_RECORD_BYTES];
    int dir = supervisor->config->dir;

    if (faccessat(dir, LAYOUT_GATE, F_OK, 0) == 0 || faccessat(dir, LAYOUT_EXIT, F_OK, 0) == 0) {
        return fl_fail(err, FL_CONFLICT, "it had a supervisor before, and may have run");
    }
    memset(block, 0, sizeof(block));
    if (!make_record(dir, LAYOUT_EXIT_TMP, block, &supervisor->exit_tmp, err)) return false;
    layout_gate_encode(&gate, block);
    return make_record(dir, LAYOUT_GATE, block, &supervisor->gate, err);
}

static bool open_gate(struct supervisor *supervisor)
{
    struct layout_gate gate = {.is_open = true, .session = getsid(0), .at = layout_now()};
    uint8_t block[LAYOUT_RECORD_BYTES];

    layout_gate_encode(&gate, block);
    return layout_write_at(supervisor->gate, block, sizeof(block), 0) &&
           fdatasync(supervisor->gate) == 0;
}

static bool write_exit(struct supervisor *supervisor, struct fl_err *err)
{
    const struct layout_spec *spec = supervisor->config->spec;
    int status = supervisor->status;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    struct layout_exit end = {
        .code = signal ? 128 + signal : WEXITSTATUS(status),
        .signal = signal,
        .is_stopped = supervisor->is_stopped,
        .output_bytes = supervisor->sink.offset,
        .dropped_bytes = supervisor->sink.dropped_bytes,
        .started_at = supervisor->started_at,
        .ended_at = layout_now(),
        .usage = meter_read(spec),
    };
    uint8_t block[LAYOUT_RECORD_BYTES];
    int dir = supervisor->config->dir;

    if (spec->cgroup.len > 0 && !supervisor->is_killed && end.code == 128 + SIGKILL) {
        end.is_out_of_memory = cgroup_oom_kills(spec->cgroup.at) > supervisor->oom_kills;
    }
    if (end.code != 0) (void)tail_line(&supervisor->tail, end.line);
    layout_exit_encode(&end, block);
    if (!layout_write_at(supervisor->exit_tmp, block, sizeof(block), 0) ||
        fdatasync(supervisor->exit_tmp) != 0 ||
        renameat(dir, LAYOUT_EXIT_TMP, dir, LAYOUT_EXIT) != 0) {
        return fl_fail(err, FL_IO, "cannot write how it ended: %s", strerror(errno));
    }
    return true;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void keep_output(struct supervisor *supervisor, const char *bytes, size_t len)
{
    sink_put(&supervisor->sink, layout_now(), bytes, len);
    tail_put(&supervisor->tail, bytes, len);
}

/* False: there is no more now, or the output is closed. */
static bool read_output(struct supervisor *supervisor)
{
    char bytes[FL_LOG_RECORD_DATA_MAX];
    ssize_t len = read(supervisor->output, bytes, sizeof(bytes));

    if (len > 0) {
        keep_output(supervisor, bytes, (size_t)len);
        supervisor->has_news = true;
        return true;
    }
    if (len < 0 && errno == EINTR) return true;
    if (len < 0 && errno == EAGAIN) return false;
    close(supervisor->output);
    supervisor->output = -1;
    return false;
}

/* Reads the bytes that are in the pipe now, and no more even if a process still writes to it. */
static void drain(struct supervisor *supervisor)
{
    uint64_t from = supervisor->sink.offset;
    int left = 0;

    if (supervisor->output < 0 || ioctl(supervisor->output, FIONREAD, &left) != 0) return;
    while (supervisor->sink.offset - from < (uint64_t)left && read_output(supervisor)) {
    }
}

static void tell_output(struct supervisor *supervisor)
{
    fl_ms now = now_ms();

    if (!supervisor->has_news || now - supervisor->told_at < NEWS_MS) return;
    supervisor->has_news = false;
    supervisor->told_at = now;
    tell(supervisor);
}

/* ---- starting and ending --------------------------------------------------------------------- */

/* A machine without room for another process may have it a moment later. */
static bool start_job(struct supervisor *supervisor, struct fl_err *err)
{
    struct timespec pause = {.tv_nsec = START_PAUSE_MS * 1000000L};

    for (int tries = 1;; tries++) {
        if (child_start(supervisor->config->spec, supervisor->config->dir, &supervisor->job,
                        &supervisor->output, err)) {
            return true;
        }
        if (tries == START_TRIES_MAX) return false;
        nanosleep(&pause, NULL);
    }
}

/* Nothing ran, and the job ends as if its program could not be run: with a reason that its owner
 * reads, and charged, so that this does not go on for ever. */
static void end_unstarted(struct supervisor *supervisor, const struct fl_err *why)
{
    char text[sizeof(why->text) + 64];
    int len = snprintf(text, sizeof(text), "fairlead: cannot start the job: %s\n", why->text);

    keep_output(supervisor, text, (size_t)len);
    supervisor->status = W_EXITCODE(CHILD_NOT_RUNNABLE, 0);
    supervisor->state = FINISHED;
}

static bool release(struct supervisor *supervisor, struct fl_err *err)
{
    const struct layout_spec *spec = supervisor->config->spec;
    struct fl_err why = {0};

    if (spec->cgroup.len > 0) supervisor->oom_kills = cgroup_oom_kills(spec->cgroup.at);
    if (!open_gate(supervisor)) {
        return fl_fail(err, FL_IO, "cannot record the GO: %s", strerror(errno));
    }
    supervisor->started_at = layout_now();
    if (start_job(supervisor, &why)) {
        supervisor->state = RUNNING;
    } else {
        end_unstarted(supervisor, &why);
    }
    tell(supervisor);
    return true;
}

static void kill_all(struct supervisor *supervisor)
{
    supervisor->is_killed = true;
    supervisor->kill_at = NEVER;
    if (supervisor->config->spec->cgroup.len > 0) {
        cgroup_kill(supervisor->config->spec->cgroup.at);
    }
    kill(-supervisor->job, SIGKILL);
    proc_signal_below(getpid(), SIGKILL);
}

static void stop(struct supervisor *supervisor, fl_ms grace_ms)
{
    fl_ms kill_at = now_ms() + grace_ms;

    if (supervisor->state == GATED) {
        supervisor->state = LEFT;
        return;
    }
    if (supervisor->state != RUNNING) return;
    if (!supervisor->is_stopped) {
        supervisor->is_stopped = true;
        kill(-supervisor->job, SIGTERM);
        kill(-supervisor->job, SIGCONT); /* so that suspended processes end, too */
    }
    if (!supervisor->is_killed && kill_at < supervisor->kill_at) supervisor->kill_at = kill_at;
}

/* Waits for all children that have ended: the job's own process, and orphans, whose sub-reaper we
 * are. */
static void reap(struct supervisor *supervisor)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != supervisor->job) continue;
        supervisor->status = status;
        supervisor->state = HUNTING;
        supervisor->hunt_at = now_ms();
        supervisor->hunt_ms = HUNT_MS_MIN;
        supervisor->kill_at = NEVER;
    }
    if (pid < 0 && errno == ECHILD && supervisor->state == HUNTING) supervisor->state = FINISHED;
}

/* Kills the descendants it finds; processes forked meanwhile are found the next time. */
static void hunt(struct supervisor *supervisor)
{
    fl_ms now = now_ms();

    if (supervisor->state == RUNNING && now >= supervisor->kill_at) kill_all(supervisor);
    if (supervisor->state != HUNTING || now < supervisor->hunt_at) return;
    if (supervisor->config->spec->cgroup.len > 0) {
        cgroup_kill(supervisor->config->spec->cgroup.at);
    }
    proc_signal_below(getpid(), SIGKILL);
    supervisor->hunt_at = now + supervisor->hunt_ms;
    supervisor->hunt_ms *= 2;
    if (supervisor->hunt_ms > HUNT_MS_MAX) supervisor->hunt_ms = HUNT_MS_MAX;
}

/* ---- input ----------------------------------------------------------------------------------- */

static bool hear_command(struct supervisor *supervisor, struct fl_err *err)
{
    uint32_t own_grace_ms = supervisor->config->spec->grace_ms;
    uint8_t bytes[LAYOUT_COMMAND_BYTES];
    struct layout_command command;

    /* Commands are written whole, being shorter than PIPE_BUF. */
    if (read(supervisor->control, bytes, sizeof(bytes)) != sizeof(bytes)) return true;
    if (!layout_command_decode(bytes, &command)) return true;
    switch (command.kind) {
    case LAYOUT_GO:
        return supervisor->state != GATED || release(supervisor, err);
    case LAYOUT_STOP:
        stop(supervisor, own_grace_ms > 0 ? own_grace_ms : command.grace_ms);
        return true;
    case LAYOUT_LEAVE:
        if (supervisor->state == GATED) supervisor->state = LEFT;
        return true;
    }
    fl_unreachable("decoding lets no other kind pass");
}

static void hear_signal(struct supervisor *supervisor)
{
    struct signalfd_siginfo info;

    while (read(supervisor->config->signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGTERM) stop(supervisor, SIGTERM_GRACE_MS);
    }
    reap(supervisor);
}

static int wait_ms(const struct supervisor *supervisor)
{
    fl_ms until = supervisor->kill_at;
    fl_ms now = now_ms();

    if (supervisor->state == HUNTING && supervisor->hunt_at < until) until = supervisor->hunt_at;
    if (supervisor->has_news && supervisor->told_at + NEWS_MS < until) {
        until = supervisor->told_at + NEWS_MS;
    }
    if (until == NEVER) return -1;
    if (until <= now) return 0;
    return until - now > FL_MINUTE_MS ? (int)FL_MINUTE_MS : (int)(until - now);
}

static bool turn(struct supervisor *supervisor, int *lifeline, struct fl_err *err)
{
    struct pollfd fds[] = {
        {.fd = supervisor->control, .events = POLLIN},
        {.fd = supervisor->config->signals, .events = POLLIN},
        {.fd = supervisor->output, .events = POLLIN},
        {.fd = *lifeline, .events = POLLIN},
    };

    if (poll(fds, sizeof(fds) / sizeof(*fds), wait_ms(supervisor)) < 0 && errno != EINTR) {
        return fl_fail(err, FL_IO, "cannot poll: %s", strerror(errno));
    }
    for (int i = 0; i < READS_MAX && fds[2].revents && read_output(supervisor); i++) {
    }
    if (fds[0].revents && !hear_command(supervisor, err)) return false;
    if (fds[1].revents) hear_signal(supervisor);
    if (fds[3].revents) {
        *lifeline = -1;
        stop(supervisor, 0);
    }
    hunt(supervisor);
    tell_output(supervisor);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool open_pipes(struct supervisor *supervisor, struct fl_err *err)
{
    int dir = supervisor->config->dir;

    /* We hold both ends of each: so there is no hang-up without an agent, and no SIGPIPE. */
    supervisor->control = openat(dir, LAYOUT_CONTROL, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    supervisor->news = openat(dir, LAYOUT_NEWS, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (supervisor->control >= 0 && supervisor->news >= 0) return true;
    return fl_fail(err, FL_IO, "cannot open the pipes: %s", strerror(errno));
}

static bool live(struct supervisor *supervisor, struct fl_err *err)
{
    const struct layout_spec *spec = supervisor->config->spec;
    int lifeline = supervisor->config->lifeline;

    if (!open_pipes(supervisor, err) || !shut_gate(supervisor, err)) return false;
    tell(supervisor);
    while (supervisor->state != FINISHED && supervisor->state != LEFT) {
        if (!turn(supervisor, &lifeline, err)) return false;
    }
    if (supervisor->state != LEFT) {
        drain(supervisor);
        sink_end(&supervisor->sink, layout_now());
        if (!write_exit(supervisor, err)) return false;
    }
    /* Without the lifeline no agent comes that would. */
    if (supervisor->config->lifeline >= 0 && lifeline < 0 && spec->cgroup.len > 0) {
        cgroup_remove(spec->cgroup.at);
    }
    return true;
}

bool supervisor_run(const struct supervisor_config *config, struct fl_err *err)
{
    struct supervisor supervisor = {
        .config = config,
        .control = -1,
        .news = -1,
        .output = -1,
        .gate = -1,
        .exit_tmp = -1,
        .kill_at = NEVER,
    };
    bool is_well;

    sink_init(&supervisor.sink, config->dir, config->spec->head_bytes, config->spec->tail_bytes);
    is_well = live(&supervisor, err);
    sink_fini(&supervisor.sink);
    /* The process's end closes the rest by number: the lock goes before 'news'. */
    return is_well;
}
