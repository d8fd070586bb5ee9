/* process_visit.h - visits of a host's replicas (agent/runtime_visit.h); for the files of this
 * folder.  A command is run by fairlead-supervise --visit, which enters the replica's control
 * group, working directory and environment, in a session of its own; it has pipes or a terminal.  A
 * connection goes to 127.0.0.1 from the agent itself: replicas here have the host's network.
 * Both end with the replica, and a command gets a hangup when its visitor leaves.
 * Files of a replica that has ended are read by the host's own 'tar', in the folder that they lie
 * in; nothing of the job runs, there is no input, and no symbolic link is followed. */
#pragma once

#include "agent/process/process_state.h"

enum process_visit_fd { PROCESS_VISIT_IN, PROCESS_VISIT_OUT, PROCESS_VISIT_ERR, PROCESS_VISIT_FDS };

struct process_visit {
    struct process *process;
    struct process_replica *replica; /* NULL: it has ended, or had when the visit began */
    struct process_replica *read;    /* its files are read, and it is not removed; NULL: none's */
    struct process_visit *next, *prev;
    struct runtime_visit_port port;
    struct {
        int fd; /* -1: closed, or none */
        struct fl_watch watch;
    } at[PROCESS_VISIT_FDS];
    pid_t pid; /* 0: a connection */
    int pidfd; /* -1: none */
    struct fl_watch pid_watch;
    struct fl_timer kill;
    int exit_code;
    uint16_t tcp_port;
    uint64_t skip_bytes;    /* its reader has so much of the archive ... */
    uint32_t skip_crc, crc; /* ... with this sum; that of those that were passed over */
    bool has_tty;
    bool is_files;       /* those that an ended replica left */
    bool has_exited;     /* the command, and it was waited for */
    bool is_connecting;  /* a connection that is being made */
    bool is_input_ended; /* the visitor sends no more */
    bool is_left;        /* the visitor is gone; it is freed when the command has ended */
    struct fl_err failed;
};

extern const struct runtime_visit_ops process_visit_ops;

/* Its descriptors and its process are there: begins to watch them. */
void process_visit_watch(struct process_visit *visit);

/* process_visit_start.c: as runtime_ops.visit. */
FL_CHECK bool process_visit_start(struct process *process, const struct fl_visit_open *open,
                                  const struct runtime_visit_port *port,
                                  struct runtime_visit *ret_visit, struct fl_err *err);

/* process_files.c: the folder that the wanted files lie in, open, and their name in it; -1: there
 * are none, and 'err' says why. */
int process_files_open(struct process *process, const struct fl_visit_open *open,
                       struct fl_arena *arena, const char **ret_name, struct fl_err *err);

void process_visits_end(struct process_replica *replica); /* the replica has ended */
void process_visits_fini(struct process *process);
