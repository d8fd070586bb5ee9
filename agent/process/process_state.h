/* process_state.h - what the files of the process runtime share; nobody else includes it.
 *   process.c   the port: commands, what is told, removal
 *   replica.c   one replica: its pipes, what its directory says, the end of its supervisor
 *   spawn.c     making a directory and starting a supervisor in it
 *   adopt.c     the directories that were there before
 *   given_up.c  output that nobody took in time */
#pragma once

#include "agent/process/layout.h"
#include "agent/process/output.h"
#include "agent/process/process.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

#define PROCESS_GONE ".gone-" /* so begin the names of directories that are on their way out */

enum process_phase {
    PROCESS_BEGINNING, /* its supervisor was started and is not ready */
    PROCESS_GATED,
    PROCESS_RUNNING,  /* past its gate */
    PROCESS_CLEARING, /* its supervisor is gone, and what it left is being ended */
    PROCESS_ENDED,
};

struct process_replica {
    struct process *process;
    struct fl_attempt attempt;
    uint32_t replica;
    char name[LAYOUT_NAME_MAX];
    uint32_t node;
    struct fl_resources resources;
    char run[LAYOUT_RUN_MAX];
    char cgroup[512]; /* empty: none */
    enum process_phase phase;
    pid_t supervisor; /* of our own children; 0: somebody else's */
    pid_t session;    /* with CLEARING */
    int dir;          /* open, and locked by us, while CLEARING; else -1 */
    int news;         /* -1: closed */
    struct fl_watch watch;
    struct fl_timer timer; /* CLEARING: the next look; ENDED and is_removing: the log grace */
    unsigned clear_looks;  /* in a row that found nothing */
    fl_ms clear_ms;        /* pause between looks */
    bool is_removing;      /* asked for */
    bool is_output_taken;
    /* with PROCESS_ENDED */
    enum fl_replica_state state;
    enum agent_cause cause;
    int32_t exit_code;
    struct output_end end;
    struct output_place place; /* where output was read last */
};

/* What the listener will hear at the end of the turn. */
struct process_note {
    bool is_output; /* of event.replica_seen's replica; else the event itself */
    struct agent_event event;
};

struct process {
    struct fl_loop *loop;
    struct process_config config;
    struct runtime_listener listener;
    int dir;
    char boot[LAYOUT_BOOT_MAX];
    uint64_t runs; /* for run ids: how many this object made */
    uint64_t seed;
    FL_VEC(struct process_replica *) replicas;
    struct fl_map index; /* name to place in 'replicas', plus 1 */
    FL_VEC(struct process_note) notes;
    struct fl_after tell;
    FL_VEC(pid_t) dead;    /* supervisors to be waited for */
    FL_VEC(char *) doomed; /* directories on their way out */
    struct fl_timer sweep;
    FL_VEC(char *) names; /* of the nodes */
    struct fl_resources each;
    bool is_pretended;
};

/* --- process.c --- */
struct process_replica *process_find(const struct process *process, struct fl_attempt attempt,
                                     uint32_t replica);
struct process_replica *process_add(struct process *process, struct fl_attempt attempt,
                                    uint32_t replica);
void process_forget(struct process_replica *replica); /* and its pipes; the directory stays */
void process_tell_state(struct process_replica *replica);
void process_tell_output(struct process_replica *replica);
void process_tell_gone(struct process *process, struct fl_attempt attempt, uint32_t replica);
void process_doom(struct process *process, const char *name); /* the directory goes, bit by bit */
void process_condemn(struct process *process, const char *name); /* it is renamed already */
void process_bury(struct process *process, pid_t supervisor);    /* waits for it without waiting */
void process_settle_removal(struct process_replica *replica);

/* --- replica.c --- */
FL_CHECK bool replica_watch(struct process_replica *replica,
                            struct fl_err *err); /* opens the news */
bool replica_command(struct process_replica *replica, struct layout_command command);
void replica_close(struct process_replica *replica);

/* What the gate of this directory says; one that cannot be read may have been open.  False: none. */
bool replica_read_gate(int dir, struct layout_gate *ret_gate);

/* Reads the directory, whose supervisor is gone: 'dir' is locked, and taken. */
void replica_orphaned(struct process_replica *replica, int dir);

/* --- spawn.c --- */
FL_CHECK bool spawn_replica(struct process_replica *replica, const struct runtime_order *order,
                            struct fl_err *err);

/* --- given_up.c --- */
void given_up_make(struct process_replica *replica); /* one that has ended */
void given_up_read(
    struct process_replica *replica); /* whether an agent before us did; by its dir */

/* --- adopt.c --- */
void adopt_all(struct process *process);
