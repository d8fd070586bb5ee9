/* process_state.h - shared by the files of the process runtime; no other file includes it.
 * Calls go one way, from a line to the lines below it:
 *   process.c          the port: commands of the engine, life of the runtime
 *   adopt.c            directories that were there before this process
 *   spawn.c            makes a directory and starts a supervisor in it
 *   replica.c          one replica: news of its supervisor, state in its directory, its end
 *   process_visit_start.c, process_files.c, process_visit.c
 *                      shells, commands and connections into a replica, and files of one that has
 *                      ended (process_visit.h)
 *   replica_removal.c  when a replica is removed
 *   output_expiry.c    output that was not taken in time
 *   process_results.c  files that are kept after a replica's removal
 *   process_events.c, process_sweeper.c, process_table.c
 *                      events for the listener; directories removed bit by bit; replicas by name
 *   replica_pipes.c    news and commands of one supervisor
 * results, layout, cgroup, proc, remove_tree and agent/output stand below all of them and know
 * none. */
#pragma once

#include "agent/core/agent_command.h"
#include "agent/output/output.h"
#include "agent/process/cgroup.h"
#include "agent/process/layout.h"
#include "agent/process/process.h"
#include "agent/process/results.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

#define PROCESS_GONE ".gone-" /* the prefix of directories that are being removed */

enum process_phase {
    PROCESS_BEGINNING, /* its supervisor was started and is not ready */
    PROCESS_GATED,
    PROCESS_RUNNING,  /* past its gate */
    PROCESS_CLEARING, /* its supervisor is gone, and the job's processes are being killed */
    PROCESS_ENDED,
};

struct process_replica {
    struct process *process;
    struct fl_attempt attempt;
    uint32_t replica;
    char name[LAYOUT_NAME_MAX];
    uint32_t node;
    struct fl_resources resources;
    struct fl_amounts named; /* a clone */
    char *words;             /* why it was refused, or its last error line; NULL: none */
    char run[LAYOUT_RUN_MAX];
    char *cgroup; /* its group; NULL: none */
    enum process_phase phase;
    pid_t supervisor; /* our child; 0: an earlier agent started it */
    pid_t session;    /* with CLEARING */
    int dir;          /* open, and locked by us, while CLEARING; else -1 */
    int news;         /* -1: closed, or there was no descriptor for it: it is looked at by time */
    struct fl_watch watch;
    /* CLEARING, and a directory that could not be read: the next look; ENDED and is_removing: the
     * log grace */
    struct fl_timer timer;
    unsigned clear_looks; /* looks in a row that found no process */
    fl_ms clear_ms;       /* pause between looks */
    bool is_removing;     /* the engine asked for its removal */
    bool is_output_taken;
    bool was_visited;   /* by a command: it may have left processes behind */
    bool is_grace_over; /* the log grace was over while its files were read */
    unsigned readers;   /* visits that read its files: until they end, these stay where they are */
    /* with PROCESS_ENDED */
    enum fl_replica_state state;
    enum agent_cause cause;
    int32_t exit_code;
    struct fl_usage usage;
    struct output_end end;
    struct output_place place; /* where output was read last */
};

/* For the listener, at the end of the turn. */
struct process_note {
    bool is_output; /* there is output of event.replica_seen's replica; false: it is the event */
    struct agent_event event;
};

struct process {
    struct fl_loop *loop;
    struct process_config config; /* its strings are in 'texts' */
    struct fl_arena texts;
    struct runtime_listener listener;
    int dir;
    size_t news_len, news_max; /* open ends of news, each a descriptor */
    char boot[LAYOUT_BOOT_MAX];
    uint64_t runs; /* how many run ids this object made */
    uint64_t seed;
    FL_VEC(struct process_replica *) replicas;
    struct fl_map index; /* name to place in 'replicas', plus 1 */
    FL_VEC(struct process_note) notes;
    struct fl_after tell;
    FL_VEC(pid_t) dead;       /* supervisors that still need a waitpid */
    FL_VEC(char *) leftovers; /* directories that are being removed */
    struct fl_timer sweep;
    FL_VEC(char *) unread; /* directories that are still to be adopted */
    struct fl_timer adopt; /* then they are tried again */
    fl_ms adopt_ms;        /* the pause before that */
    bool is_listed;        /* 'unread' was filled */
    FL_VEC(char *) names;  /* the nodes' names */
    struct fl_resources each;
    bool is_pretended;
    char labels[128];             /* each node has these, see process_events.c */
    struct process_visit *visits; /* the newest first */
    struct results *results;      /* NULL: nothing is kept, and never was */
};

/* ---- replica_pipes.c ------------------------------------------------------------------------- */
/* Calls 'on_news' with the replica when a byte came, or the end.  FL_FULL: no descriptor is left
 * but the reserve. */
FL_CHECK bool replica_pipes_open(struct process_replica *replica,
                                 void (*on_news)(void *ctx, unsigned events), struct fl_err *err);
/* False: it was not sent, and does nothing. */
FL_CHECK bool replica_pipes_send(struct process_replica *replica, struct layout_command command);
void replica_pipes_close(struct process_replica *replica);

/* ---- process_table.c ------------------------------------------------------------------------- */
struct process_replica *process_table_find(const struct process *process, struct fl_attempt attempt,
                                           uint32_t replica);
struct process_replica *process_table_add(struct process *process, struct fl_attempt attempt,
                                          uint32_t replica);
void process_table_remove(struct process_replica *replica); /* and its pipes; its directory stays */
void process_table_fini(struct process *process);

/* ---- process_sweeper.c ----------------------------------------------------------------------- */
void process_sweeper_init(struct process *process);
void process_sweeper_fini(struct process *process);
void process_sweeper_remove(struct process *process, const char *name); /* a directory */
/* The same for a directory that has its PROCESS_GONE name already. */
void process_sweeper_remove_later(struct process *process, const char *name);
/* The folder dir/name moves among those that are removed.  False: it cannot, and errno says why. */
bool process_sweeper_adopt(struct process *process, int dir, const char *name);
void process_sweeper_reap(struct process *process, pid_t supervisor); /* waits without blocking */

/* ---- process_results.c ----------------------------------------------------------------------- */
void process_results_init(struct process *process);
/* The replica's own folder leaves its directory and is kept, if it left anything and may be. */
bool process_results_take(struct process_replica *replica);

/* ---- process_events.c ------------------------------------------------------------------------ */
void process_events_init(struct process *process);
void process_events_fini(struct process *process);
void process_events_state(struct process_replica *replica);
void process_events_output(struct process_replica *replica);
void process_events_gone(struct process *process, struct fl_attempt attempt, uint32_t replica);
/* The command never reached the supervisor. */
void process_events_undelivered(struct process_replica *replica, enum agent_command_kind command);
void process_events_nodes(struct process *process);
void process_events_synced(struct process *process);

/* ---- output_expiry.c ------------------------------------------------------------------------- */
/* For an ended replica: removes its output and leaves a note of the size. */
void given_up_write(struct process_replica *replica);
/* Reads the note that an earlier agent left in the directory. */
void given_up_read(struct process_replica *replica);

/* ---- replica_removal.c ----------------------------------------------------------------------- */
/* Removes the replica if that was asked for and it may go now. */
void replica_removal_settle(struct process_replica *replica);

/* ---- replica.c ------------------------------------------------------------------------------- */
FL_CHECK bool replica_watch(struct process_replica *replica, struct fl_err *err); /* its news */
void replica_watch_by_time(
    struct process_replica *replica); /* without news, until there are some */

enum replica_gate {
    REPLICA_GATE_UNREADABLE, /* now: it is neither open nor shut, look again */
    REPLICA_GATE_ABSENT,
    REPLICA_GATE_SHUT,
    REPLICA_GATE_OPEN, /* or damaged: the job may have run */
};
enum replica_gate replica_read_gate(int dir, struct layout_gate *ret_gate);

/* Reads the directory after its supervisor has gone.  Takes over 'dir', which is locked.  False: it
 * cannot be read now; nothing has changed, and 'dir' is still the caller's. */
FL_CHECK bool replica_orphaned(struct process_replica *replica, int dir);

/* ---- spawn.c --------------------------------------------------------------------------------- */
FL_CHECK bool spawn_replica(struct process_replica *replica, const struct runtime_order *order,
                            struct fl_err *err);

/* ---- adopt.c --------------------------------------------------------------------------------- */
/* Ends with process_events_synced, when every directory was read. */
void adopt_all(struct process *process);
void adopt_fini(struct process *process);
