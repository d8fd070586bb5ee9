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
#include "agent/process/process_visit.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

enum {
    LOOK_MS = 100,     /* after a directory could not be read */
    BY_TIME_MS = 1000, /* between two looks at a replica without news */
    CLEAR_LOOKS = 2,   /* so many looks in a row must find no process */
    CLEAR_MS_MIN = 5,
    CLEAR_MS_MAX = 500,
    LOCK_MS = 5,
};

static void log_replica(enum fl_log_level level, const char *event,
                        const struct process_replica *replica, const char *what)
{
    fl_log(level, "process", event, FL_LOG_S("replica", replica->name), FL_LOG_S("why", what));
}

/* FL_OK: the block was read.  FL_ABSENT; FL_TORN: it has another length; FL_IO: look again. */
static enum fl_code read_block(int dir, const char *name, uint8_t ret_block[LAYOUT_RECORD_BYTES])
{
    struct fl_err err = {0};
    enum fl_code code = FL_TORN;
    struct fl_buf buf;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    if (!layout_read(dir, name, &buf, &err)) {
        code = err.code == FL_TOO_LARGE ? FL_TORN : err.code;
    } else if (buf.len == LAYOUT_RECORD_BYTES) {
        memcpy(ret_block, buf.at, LAYOUT_RECORD_BYTES);
        code = FL_OK;
    }
    fl_buf_fini(&buf);
    return code;
}

enum replica_gate replica_read_gate(int dir, struct layout_gate *ret_gate)
{
    uint8_t block[LAYOUT_RECORD_BYTES];
    enum fl_code code = read_block(dir, LAYOUT_GATE, block);

    *ret_gate = (struct layout_gate){.is_open = true};
    if (code == FL_ABSENT) return REPLICA_GATE_ABSENT;
    if (code == FL_IO) return REPLICA_GATE_UNREADABLE;
    if (code == FL_OK &&
        layout_gate_decode((struct fl_str){(const char *)block, sizeof(block)}, ret_gate) &&
        !ret_gate->is_open) {
        return REPLICA_GATE_SHUT;
    }
    return REPLICA_GATE_OPEN;
}

static enum fl_code read_exit(int dir, struct layout_exit *ret_end)
{
    uint8_t block[LAYOUT_RECORD_BYTES];
    enum fl_code code = read_block(dir, LAYOUT_EXIT, block);

    if (code != FL_OK) return code;
    return layout_exit_decode((struct fl_str){(const char *)block, sizeof(block)}, ret_end)
               ? FL_OK
               : FL_TORN;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void end(struct process_replica *replica, enum fl_replica_state state,
                enum agent_cause cause)
{
    fl_timer_off(&replica->timer);
    process_visits_end(replica);
    if (replica->dir >= 0) given_up_read(replica);
    if (replica->dir >= 0) close(replica->dir);
    replica->dir = -1;
    replica->phase = PROCESS_ENDED;
    replica->state = state;
    replica->cause = cause;
    if (replica->cgroup) cgroup_remove(replica->cgroup);
    /* A replica that is removed behind its gate just goes. */
    if (!(replica->is_removing && state == FL_REPLICA_refused)) process_events_state(replica);
    if (state != FL_REPLICA_refused) process_events_output(replica);
    replica_removal_settle(replica);
}

static void end_exited(struct process_replica *replica, const struct layout_exit *how)
{
    replica->exit_code = how->code;
    replica->usage = how->usage;
    if (how->line[0]) replica->words = fl_str_dup(fl_str_c(how->line));
    replica->end =
        (struct output_end){.is_known = true, .bytes = how->output_bytes, .at = how->ended_at};
    end(replica, FL_REPLICA_exited,
        how->is_out_of_memory                ? AGENT_CAUSE_out_of_memory
        : how->code == 0 && !how->is_stopped ? AGENT_CAUSE_finished
                                             : AGENT_CAUSE_none);
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
        if (buf.len > 0 && buf.at[buf.len - 1] == '\n') buf.len--;
        replica->words = fl_str_dup((struct fl_str){(const char *)buf.at, buf.len});
        fl_log(FL_LOG_WARN, "process", "not_started", FL_LOG_S("replica", replica->name),
               FL_LOG_S("why", replica->words));
    }
    fl_buf_fini(&buf);
    end(replica, FL_REPLICA_refused, AGENT_CAUSE_runtime);
}

/* ---- killing the job of a supervisor that died ----------------------------------------------- */

static size_t kill_rest(struct process_replica *replica)
{
    size_t living = proc_signal_run(replica->run, replica->session, SIGKILL);

    if (!replica->cgroup) return living;
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

/* False: it cannot be read now. */
static bool read_boot(const struct process_replica *replica, int dir, bool *ret_is_other)
{
    struct fl_arena arena = {0};
    struct layout_spec spec;
    struct fl_err err = {0};
    struct fl_buf buf;

    *ret_is_other = false;
    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    if (layout_read(dir, LAYOUT_SPEC, &buf, &err) &&
        layout_spec_decode((struct fl_str){(const char *)buf.at, buf.len}, &arena, &spec, &err)) {
        *ret_is_other = strcmp(spec.boot, replica->process->boot) != 0;
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
    return err.code != FL_IO;
}

bool replica_orphaned(struct process_replica *replica, int dir)
{
    bool is_other_boot = false;
    struct layout_exit how;
    struct layout_gate gate;
    enum fl_code ended = read_exit(dir, &how);
    enum replica_gate is_open = replica_read_gate(dir, &gate);

    if (ended == FL_IO || (ended != FL_OK && is_open == REPLICA_GATE_UNREADABLE)) return false;
    if (ended != FL_OK && is_open == REPLICA_GATE_OPEN &&
        !read_boot(replica, dir, &is_other_boot)) {
        return false;
    }
    replica->dir = dir;
    if (ended == FL_OK) {
        end_exited(replica, &how);
    } else if (is_open != REPLICA_GATE_OPEN) {
        end_refused(replica);
    } else if (is_other_boot) {
        end_lost(replica, AGENT_CAUSE_node_lost);
    } else {
        replica->session = gate.session;
        begin_clearing(replica);
    }
    return true;
}

/* ---- the news -------------------------------------------------------------------------------- */

static void call_in(struct process_replica *replica, void (*fn)(void *ctx), fl_ms in_ms)
{
    fl_timer_off(&replica->timer);
    fl_timer_init(&replica->timer, replica->process->loop, fn, replica);
    fl_timer_in(&replica->timer, in_ms);
}

/* Something else removed the directory, and with it all records. */
static void vanish(struct process_replica *replica)
{
    struct process *process = replica->process;
    struct fl_attempt attempt = replica->attempt;
    uint32_t number = replica->replica;

    proc_signal_run(replica->run, 0, SIGKILL);
    process_table_remove(replica);
    process_events_gone(process, attempt, number);
}

enum outcome {
    OUTCOME_LIVES, /* its supervisor does */
    OUTCOME_KNOWN, /* how it ended; it may be gone */
    OUTCOME_UNREADABLE,
};

static enum outcome try_to_take_over(struct process_replica *replica)
{
    struct process *process = replica->process;
    int dir = openat(process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0) {
        if (errno != ENOENT && errno != ENOTDIR) return OUTCOME_UNREADABLE;
        vanish(replica);
        return OUTCOME_KNOWN;
    }
    if (flock(dir, LOCK_EX | LOCK_NB) != 0) {
        close(dir);
        return OUTCOME_LIVES;
    }
    replica_pipes_close(replica);
    if (replica->supervisor) process_sweeper_reap(process, replica->supervisor);
    replica->supervisor = 0;
    if (replica_orphaned(replica, dir)) return OUTCOME_KNOWN; /* and it may be freed */
    close(dir);
    return OUTCOME_UNREADABLE;
}

/* The news have ended.  For an instant a child between fork and exec may still hold the lock. */
static void take_over(void *ctx)
{
    struct process_replica *replica = ctx;
    enum outcome outcome;

    fl_timer_off(&replica->timer);
    outcome = try_to_take_over(replica);
    if (outcome == OUTCOME_LIVES) call_in(replica, take_over, LOCK_MS);
    if (outcome == OUTCOME_UNREADABLE) call_in(replica, take_over, LOOK_MS);
}

static void pass_gate(struct process_replica *replica)
{
    fl_timer_off(&replica->timer);
    replica->phase = PROCESS_RUNNING;
    replica->is_removing = false; /* GO came before the removal, which is declined */
    process_events_state(replica);
    /* The news of the first output may have been read together with this. */
    process_events_output(replica);
}

static void stand_behind_gate(struct process_replica *replica)
{
    replica->phase = PROCESS_GATED;
    process_events_state(replica);
    /* There is no output yet; but the listener must know of its source before the job can end. */
    process_events_output(replica);
    if (replica->is_removing) replica_removal_settle(replica);
}

/* A byte came, or it is time: the change stands in the directory. */
static void look(void *ctx)
{
    struct process_replica *replica = ctx;
    struct layout_gate gate;
    int dir;

    if (replica->phase >= PROCESS_RUNNING) {
        process_events_output(replica);
        return;
    }
    dir = openat(replica->process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    switch (dir < 0 ? REPLICA_GATE_UNREADABLE : replica_read_gate(dir, &gate)) {
    case REPLICA_GATE_UNREADABLE:
        call_in(replica, look, LOOK_MS);
        break;
    case REPLICA_GATE_ABSENT:
        break;
    case REPLICA_GATE_SHUT:
        if (replica->phase == PROCESS_BEGINNING) stand_behind_gate(replica);
        break;
    case REPLICA_GATE_OPEN:
        pass_gate(replica);
        break;
    }
    if (dir >= 0) close(dir);
}

/* It has no news: no descriptor was left for them. */
static void look_by_time(void *ctx)
{
    struct process_replica *replica = ctx;
    bool is_watched = replica->news >= 0;
    enum outcome outcome;
    struct fl_err err = {0};

    /* An end after this is heard, an earlier one shows in the lock. */
    if (!is_watched) is_watched = replica_watch(replica, &err);
    outcome = try_to_take_over(replica);
    if (outcome == OUTCOME_KNOWN) return;
    if (outcome == OUTCOME_LIVES) look(replica);
    if (!is_watched || outcome == OUTCOME_UNREADABLE) call_in(replica, look_by_time, BY_TIME_MS);
}

void replica_watch_by_time(struct process_replica *replica)
{
    call_in(replica, look_by_time, BY_TIME_MS);
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
