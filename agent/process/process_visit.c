/* Visits of replicas: commands beside the job, and connections to its ports.  Both are three
 * descriptors, input, output and errors, of pipes, a terminal or a socket; a command has a process
 * besides.  process_visit_start.c begins them. */
#include "agent/process/process_visit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/proc.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/io/clock.h"

enum { HANGUP_MS = 3000, KILLED_MS = 1000, SKIP_READS_MAX = 64, END_OF_TRANSMISSION = 4 };

static void on_watch(void *ctx, unsigned events)
{
    struct process_visit *visit = ctx;

    (void)events;
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        fl_watch_set(&visit->at[i].watch, 0);
    }
    visit->port.changed(visit->port.ctx);
}

/* Waits for one descriptor: the others are looked at by then, too. */
static void await(struct process_visit *visit, enum process_visit_fd i)
{
    fl_watch_set(&visit->at[i].watch, i == PROCESS_VISIT_IN ? FL_WATCH_WRITE : FL_WATCH_READ);
}

static void close_fd(struct process_visit *visit, enum process_visit_fd i)
{
    if (visit->at[i].fd < 0) return;
    fl_watch_off(&visit->at[i].watch);
    close(visit->at[i].fd);
    visit->at[i].fd = -1;
}

/* ---- its life -------------------------------------------------------------------------------- */

static void free_visit(struct process_visit *visit)
{
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        close_fd(visit, (enum process_visit_fd)i);
    }
    fl_watch_off(&visit->pid_watch);
    if (visit->pidfd >= 0) close(visit->pidfd);
    fl_timer_off(&visit->kill);
    if (visit->next) visit->next->prev = visit->prev;
    if (visit->prev) {
        visit->prev->next = visit->next;
    } else {
        visit->process->visits = visit->next;
    }
    fl_free(visit);
}

static void signal_all(const struct process_visit *visit, int number)
{
    if (visit->pid > 0 && !visit->has_exited) kill(-visit->pid, number);
}

/* Its files may move again. */
static void end_reading(struct process_visit *visit)
{
    struct process_replica *replica = visit->read;

    if (!replica) return;
    visit->read = NULL;
    replica->readers--;
    replica_removal_settle(replica);
}

static void on_kill(void *ctx)
{
    signal_all(ctx, SIGKILL);
}

static void on_exit(void *ctx, unsigned events)
{
    struct process_visit *visit = ctx;
    int how;

    (void)events;
    if (waitpid(visit->pid, &how, WNOHANG) != visit->pid) return;
    fl_watch_off(&visit->pid_watch);
    fl_timer_off(&visit->kill);
    visit->has_exited = true;
    end_reading(visit);
    visit->exit_code = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    if (visit->is_left) {
        free_visit(visit);
    } else {
        visit->port.changed(visit->port.ctx);
    }
}

/* A command that still runs hears a hangup, and is killed when it does not end from that. */
static void hang_up(struct process_visit *visit)
{
    signal_all(visit, SIGHUP);
    signal_all(visit, SIGCONT);
    fl_timer_in(&visit->kill, HANGUP_MS);
}

static void do_destroy(void *self)
{
    struct process_visit *visit = self;

    visit->is_left = true;
    end_reading(visit);
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        close_fd(visit, (enum process_visit_fd)i);
    }
    if (visit->pid == 0 || visit->has_exited) {
        free_visit(visit);
    } else {
        hang_up(visit);
    }
}

void process_visit_watch(struct process_visit *visit)
{
    struct fl_loop *loop = visit->process->loop;

    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        if (visit->at[i].fd < 0) continue;
        fcntl(visit->at[i].fd, F_SETFL, fcntl(visit->at[i].fd, F_GETFL) | O_NONBLOCK);
        fl_watch_init(&visit->at[i].watch, loop, visit->at[i].fd, on_watch, visit);
    }
    fl_timer_init(&visit->kill, loop, on_kill, visit);
    if (visit->pidfd < 0) return;
    fl_watch_init(&visit->pid_watch, loop, visit->pidfd, on_exit, visit);
    fl_watch_set(&visit->pid_watch, FL_WATCH_READ);
}

void process_visits_end(struct process_replica *replica)
{
    for (struct process_visit *visit = replica->process->visits; visit; visit = visit->next) {
        if (visit->replica != replica) continue;
        visit->replica = NULL;
        signal_all(visit, SIGKILL);
        if (visit->pid == 0 && visit->at[PROCESS_VISIT_IN].fd >= 0) { /* a connection */
            shutdown(visit->at[PROCESS_VISIT_IN].fd, SHUT_RDWR);
            await(visit, PROCESS_VISIT_IN); /* so that it is looked at */
        }
    }
    /* A process that a visitor left in the background has the run's number, too. */
    if (replica->was_visited) proc_signal_run(replica->run, 0, SIGKILL);
    replica->was_visited = false;
}

/* It was killed.  One that the kernel holds, as on a dead disk, is not waited for. */
static void reap(const struct process_visit *visit, fl_ms until)
{
    struct pollfd ended = {.fd = visit->pidfd, .events = POLLIN};
    fl_ms now = fl_clock_mono();

    (void)poll(&ended, 1, until > now ? (int)(until - now) : 0);
    (void)waitpid(visit->pid, NULL, WNOHANG);
}

void process_visits_fini(struct process *process)
{
    fl_ms until = fl_clock_mono() + KILLED_MS;

    for (const struct process_visit *visit = process->visits; visit; visit = visit->next) {
        signal_all(visit, SIGKILL);
    }
    while (process->visits) {
        struct process_visit *visit = process->visits;

        if (visit->pid > 0 && !visit->has_exited) reap(visit, until);
        free_visit(visit);
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

static struct runtime_visit_read over(struct process_visit *visit)
{
    struct fl_visit_status status = {.exit_code = visit->exit_code};

    if (!visit->replica && !visit->is_files) {
        status.code = FL_UNAVAILABLE;
        status.text = FL_STR("the replica has ended, and with it what ran here");
    } else if (visit->failed.code != FL_OK) {
        status.code = visit->failed.code;
        status.text = fl_str_c(visit->failed.text);
    }
    return (struct runtime_visit_read){.word = RUNTIME_VISIT_OVER, .status = status};
}

static bool is_over(const struct process_visit *visit)
{
    if (visit->at[PROCESS_VISIT_OUT].fd >= 0 || visit->at[PROCESS_VISIT_ERR].fd >= 0) return false;
    if (visit->pid > 0) return visit->has_exited;
    return !visit->replica || visit->at[PROCESS_VISIT_IN].fd < 0 || visit->is_input_ended;
}

/* The end of a connection's making.  False: it goes on. */
static bool has_connected(struct process_visit *visit)
{
    struct pollfd look = {.fd = visit->at[PROCESS_VISIT_IN].fd, .events = POLLOUT};
    int why = 0;
    socklen_t len = sizeof why;

    if (poll(&look, 1, 0) <= 0) {
        await(visit, PROCESS_VISIT_IN);
        return false;
    }
    visit->is_connecting = false;
    getsockopt(visit->at[PROCESS_VISIT_OUT].fd, SOL_SOCKET, SO_ERROR, &why, &len);
    if (why == 0) {
        await(visit, PROCESS_VISIT_IN); /* input may wait for this */
        return true;
    }
    fl_fail(&visit->failed, FL_UNAVAILABLE, "cannot connect to port %u of the replica: %s",
            visit->tcp_port, strerror(why));
    for (int i = 0; i < PROCESS_VISIT_FDS; i++) {
        close_fd(visit, (enum process_visit_fd)i);
    }
    return true;
}

/* Passes over the bytes that the reader has already.  False: there are more of them to come. */
static bool has_skipped(struct process_visit *visit)
{
    uint8_t piece[16384];
    ssize_t n = 1;

    for (int i = 0; i < SKIP_READS_MAX && visit->skip_bytes > 0 && n > 0; i++) {
        size_t max = visit->skip_bytes < sizeof piece ? visit->skip_bytes : sizeof piece;

        n = read(visit->at[PROCESS_VISIT_OUT].fd, piece, max);
        if (n <= 0) break;
        visit->crc = fl_crc32c(visit->crc, piece, (size_t)n);
        visit->skip_bytes -= (uint64_t)n;
    }
    if (visit->skip_bytes > 0 && (n > 0 || (n < 0 && errno == EAGAIN && !visit->has_exited))) {
        await(visit, PROCESS_VISIT_OUT);
        return false;
    }
    if (visit->skip_bytes == 0 && visit->crc == visit->skip_crc) return true;
    visit->skip_bytes = 0;
    fl_fail(&visit->failed, FL_CONFLICT,
            "the files are not those of which a part was copied before: copy them again");
    signal_all(visit, SIGKILL);
    close_fd(visit, PROCESS_VISIT_OUT);
    return true;
}

/* True: *ret is something to tell. */
static bool read_one(struct process_visit *visit, enum process_visit_fd i, uint8_t *at,
                     size_t bytes_max, struct runtime_visit_read *ret)
{
    enum fl_visit_channel channel = i == PROCESS_VISIT_OUT ? FL_VISIT_STDOUT : FL_VISIT_STDERR;
    ssize_t n;

    if (visit->at[i].fd < 0) return false;
    do {
        n = read(visit->at[i].fd, at, bytes_max);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        *ret = (struct runtime_visit_read){
            .word = RUNTIME_VISIT_BYTES, .channel = channel, .len = (size_t)n};
        return true;
    }
    /* Behind the command's end nothing is waited for: a process in the background may hold its
     * output open for ever. */
    if (n < 0 && errno == EAGAIN && !visit->has_exited) {
        await(visit, i);
        return false;
    }
    close_fd(visit, i); /* the end of a terminal is EIO */
    *ret = (struct runtime_visit_read){.word = RUNTIME_VISIT_CLOSED, .channel = channel};
    return true;
}

static struct runtime_visit_read do_read(void *self, uint8_t *at, size_t bytes_max)
{
    struct runtime_visit_read read = {.word = RUNTIME_VISIT_NOTHING};
    struct process_visit *visit = self;

    if (visit->is_connecting && !has_connected(visit)) return read;
    /* Errors are read meanwhile: 'tar' waits for room to say them. */
    if ((visit->skip_bytes == 0 || has_skipped(visit)) &&
        read_one(visit, PROCESS_VISIT_OUT, at, bytes_max, &read)) {
        return read;
    }
    if (read_one(visit, PROCESS_VISIT_ERR, at, bytes_max, &read)) return read;
    return is_over(visit) ? over(visit) : read;
}

/* ---- input ----------------------------------------------------------------------------------- */

static size_t do_write(void *self, struct fl_str bytes)
{
    struct process_visit *visit = self;
    ssize_t n;

    if (visit->is_connecting) return 0;
    if (visit->at[PROCESS_VISIT_IN].fd < 0) return bytes.len;
    do {
        n = write(visit->at[PROCESS_VISIT_IN].fd, bytes.at, bytes.len);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN) {
        close_fd(visit, PROCESS_VISIT_IN);
        return bytes.len;
    }
    if (n < 0 || (size_t)n < bytes.len) await(visit, PROCESS_VISIT_IN);
    return n < 0 ? 0 : (size_t)n;
}

static void do_end_input(void *self)
{
    static const char end = END_OF_TRANSMISSION;
    struct process_visit *visit = self;
    int fd = visit->at[PROCESS_VISIT_IN].fd;

    visit->is_input_ended = true;
    if (fd < 0) return;
    if (visit->pid == 0) {
        shutdown(fd, SHUT_WR);
        /* Perhaps the other side has ended already, and this was the last that was waited for. */
        await(visit, PROCESS_VISIT_IN);
    } else if (visit->has_tty) {
        if (write(fd, &end, 1) != 1) return; /* a terminal whose input is full has no end to read */
    } else {
        close_fd(visit, PROCESS_VISIT_IN);
    }
}

static void do_resize(void *self, struct fl_visit_size size)
{
    struct process_visit *visit = self;
    struct winsize window = {.ws_row = size.rows, .ws_col = size.columns};

    if (visit->has_tty && visit->at[PROCESS_VISIT_IN].fd >= 0) {
        ioctl(visit->at[PROCESS_VISIT_IN].fd, TIOCSWINSZ, &window);
    }
}

const struct runtime_visit_ops process_visit_ops = {
    .read = do_read,
    .write = do_write,
    .end_input = do_end_input,
    .resize = do_resize,
    .destroy = do_destroy,
};
