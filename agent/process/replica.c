/* One replica: the news of its supervisor, the state in its directory, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "agent/process/proc.h"
#include "agent/process/process_state.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

enum {
    CLEAR_LOOKS = 2, /* so many looks in a row must find no process */
    CLEAR_MS_MIN = 5,
    CLEAR_MS_MAX = 500,
    LOCK_MS = 5,
};

static void log_replica(enum fl_log_level level, const char *event,
                        const struct process_replica *replica, const char *what)
{
    fl_log(level, "process", event, FL_LOG_S("replica", replica->name), FL_LOG_S("why", what));
}

static bool read_block(int dir, const char *name, uint8_t ret_block[LAYOUT_RECORD_BYTES],
                       bool *ret_is_there)
{
    struct fl_err err = {0};
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    is_read = layout_read(dir, name, &buf, &err);
    *ret_is_there = is_read || err.code != FL_ABSENT;
    is_read = is_read && buf.len == LAYOUT_RECORD_BYTES;
    if (is_read) memcpy(ret_block, buf.at, LAYOUT_RECORD_BYTES);
    fl_buf_fini(&buf);
    return is_read;
}

bool replica_read_gate(int dir, struct layout_gate *ret_gate)
{
    uint8_t block[LAYOUT_RECORD_BYTES];
    bool is_there;

    if (read_block(dir, LAYOUT_GATE, block, &is_there) &&
        layout_gate_decode((struct fl_str){(const char *)block, sizeof(block)}, ret_gate)) {
        return true;
    }
    *ret_gate = (struct layout_gate){.is_open = true};
    return is_there;
}

static bool read_exit(int dir, struct layout_exit *ret_end)
{
    uint8_t block[LAYOUT_RECORD_BYTES];
    bool is_there;

    return read_block(dir, LAYOUT_EXIT, block, &is_there) &&
           layout_exit_decode((struct fl_str){(const char *)block, sizeof(block)}, ret_end);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void end(struct process_replica *replica, enum fl_replica_state state,
                enum agent_cause cause)
{
    fl_timer_off(&replica->timer);
    if (replica->dir >= 0) given_up_read(replica);
    if (replica->dir >= 0) close(replica->dir);
    replica->dir = -1;
    replica->phase = PROCESS_ENDED;
    replica->state = state;
    replica->cause = cause;
    if (replica->cgroup[0]) cgroup_remove(replica->cgroup);
    /* A replica that is removed behind its gate just goes. */
    if (!(replica->is_removing && state == FL_REPLICA_refused)) process_events_state(replica);
    if (state != FL_REPLICA_refused) process_events_output(replica);
    replica_removal_settle(replica);
}

static void end_exited(struct process_replica *replica, const struct layout_exit *how)
{
    replica->exit_code = how->code;
    replica->end =
        (struct output_end){.is_known = true, .bytes = how->output_bytes, .at = how->ended_at};
    end(replica, FL_REPLICA_exited,
        how->is_out_of_memory ? AGENT_CAUSE_out_of_memory : AGENT_CAUSE_none);
}

static void end_lost(struct process_replica *replica, enum agent_cause cause)
{
    replica->end = (struct output_end){.bytes = output_bytes(replica->dir)};
    end(replica, FL_REPLICA_lost, cause);
}

static void end_refused(struct process_replica *replica)
{
    struct fl_err err = {0};
    struct fl_buf buf;

    fl_buf_init(&buf, 512);
    if (layout_read(replica->dir, LAYOUT_TROUBLE, &buf, &err)) {
        fl_log(FL_LOG_WARN, "process", "not_started", FL_LOG_S("replica", replica->name),
               FL_LOG_STR("why", ((struct fl_str){(const char *)buf.at, buf.len})));
    }
    fl_buf_fini(&buf);
    end(replica, FL_REPLICA_refused, AGENT_CAUSE_runtime);
}

/* ---- killing the job of a supervisor that died ----------------------------------------------- */

static size_t kill_rest(struct process_replica *replica)
{
    size_t living = proc_signal_run(replica->run, replica->session, SIGKILL);

    if (!replica->cgroup[0]) return living;
    cgroup_kill(replica->cgroup);
    return living + cgroup_is_populated(replica->cgroup);
}

/* Ends when two looks in a row found nothing: the second sees children forked during the first. */
static void clear_up(void *ctx)
{
    struct process_replica *replica = ctx;

    if (kill_rest(replica) > 0) {
        replica->clear_looks = 0;
    } else if (++replica->clear_looks == CLEAR_LOOKS) {
        end_lost(replica, AGENT_CAUSE_vanished);
        return;
    }
    fl_timer_in(&replica->timer, replica->clear_ms);
    replica->clear_ms *= 2;
    if (replica->clear_ms > CLEAR_MS_MAX) replica->clear_ms = CLEAR_MS_MAX;
}

static void begin_clearing(struct process_replica *replica)
{
    log_replica(FL_LOG_WARN, "supervisor_died", replica, "its remains are ended");
    replica->phase = PROCESS_CLEARING;
    replica->clear_looks = 0;
    replica->clear_ms = CLEAR_MS_MIN;
    fl_timer_init(&replica->timer, replica->process->loop, clear_up, replica);
    fl_timer_in(&replica->timer, 0);
}

static bool is_other_boot(const struct process_replica *replica)
{
    struct fl_arena arena = {0};
    struct layout_spec spec;
    struct fl_err err = {0};
    struct fl_buf buf;
    bool is_other = false;

    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    if (layout_read(replica->dir, LAYOUT_SPEC, &buf, &err) &&
        layout_spec_decode((struct fl_str){(const char *)buf.at, buf.len}, &arena, &spec, &err)) {
        is_other = strcmp(spec.boot, replica->process->boot) != 0;
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
    return is_other;
}

void replica_orphaned(struct process_replica *replica, int dir)
{
    struct layout_exit how;
    struct layout_gate gate;

    replica->dir = dir;
    if (read_exit(dir, &how)) {
        end_exited(replica, &how);
        return;
    }
    if (!replica_read_gate(dir, &gate) || !gate.is_open) {
        end_refused(replica);
        return;
    }
    if (is_other_boot(replica)) {
        end_lost(replica, AGENT_CAUSE_node_lost);
        return;
    }
    replica->session = gate.session;
    begin_clearing(replica);
}

/* ---- the news -------------------------------------------------------------------------------- */

/* The news have ended.  For an instant a child between fork and exec may still hold the lock. */
static void take_over(void *ctx)
{
    struct process_replica *replica = ctx;
    struct process *process = replica->process;
    int dir = openat(process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0) { /* something else removed the directory, and with it all records */
        struct fl_attempt attempt = replica->attempt;
        uint32_t number = replica->replica;

        proc_signal_run(replica->run, 0, SIGKILL);
        process_table_remove(replica);
        process_events_gone(process, attempt, number);
        return;
    }
    if (flock(dir, LOCK_EX | LOCK_NB) != 0) {
        close(dir);
        fl_timer_init(&replica->timer, process->loop, take_over, replica);
        fl_timer_in(&replica->timer, LOCK_MS);
        return;
    }
    if (replica->supervisor) process_sweeper_reap(process, replica->supervisor);
    replica->supervisor = 0;
    replica_orphaned(replica, dir);
}

/* A byte came: the change stands in the directory. */
static void look(struct process_replica *replica)
{
    struct process *process = replica->process;

    if (replica->phase < PROCESS_RUNNING) {
        int dir = openat(process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct layout_gate gate;
        bool is_there = dir >= 0 && replica_read_gate(dir, &gate);

        if (dir >= 0) close(dir);
        if (!is_there) return;
        if (gate.is_open) {
            replica->phase = PROCESS_RUNNING;
            replica->is_removing = false; /* GO came before the removal, which is declined */
            process_events_state(replica);
            /* The news of the first output may have been read together with this. */
            process_events_output(replica);
        } else if (replica->phase == PROCESS_BEGINNING) {
            replica->phase = PROCESS_GATED;
            process_events_state(replica);
            /* There is no output yet; but the listener must know of its source before the job can
             * end. */
            process_events_output(replica);
            if (replica->is_removing) replica_removal_settle(replica);
        }
    } else {
        process_events_output(replica);
    }
}

static void on_news(void *ctx, unsigned events)
{
    struct process_replica *replica = ctx;
    char bytes[256];
    ssize_t len = read(replica->news, bytes, sizeof(bytes));

    (void)events;
    if (len < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (len > 0) {
        look(replica);
        return;
    }
    replica_pipes_close(replica);
    take_over(replica);
}

bool replica_watch(struct process_replica *replica, struct fl_err *err)
{
    return replica_pipes_open(replica, on_news, err);
}
