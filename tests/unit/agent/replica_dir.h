/* replica_dir.h - a directory of one replica, and a real supervisor in it, for tests.
 * All is below a fresh folder of /tmp, which fini removes; supervisors that were started here are
 * ended by their pid.  Waiting is for conditions, with a limit of 60 s. */
#pragma once

#include "agent/output/output.h"
#include "agent/process/layout.h"

enum { REPLICA_DIR_WAIT_MS = 60000 };

struct replica_dir {
    char path[256];
    int fd;
    struct layout_spec spec;
    pid_t supervisor; /* 0: none, or waited for */
    int lifeline;     /* given to supervisors started from here on; -1: none */
};

/* The program beside the tests that run. */
void replica_dir_program(char ret_path[4096]);

/* 'parent' may be NULL: /tmp.  Small outputs: 1 MiB of head and of tail, unless changed before
 * 'write'. */
void replica_dir_init(struct replica_dir *replica, const char *parent);
void replica_dir_fini(struct replica_dir *replica);

/* Fills the directory: runs 'sh -c script'. */
void replica_dir_write(struct replica_dir *replica, const char *script);

void replica_dir_start(struct replica_dir *replica);   /* the supervisor; does not wait */
int replica_dir_finish(struct replica_dir *replica);   /* its wait status */
void replica_dir_kill(struct replica_dir *replica);    /* -9, and waits for it */
bool replica_dir_is_over(struct replica_dir *replica); /* it ended: waited for, without waiting */

void replica_dir_command(struct replica_dir *replica, enum layout_command_kind kind,
                         uint32_t grace_ms);

/* Until the gate is there (shut or open), is open; an output file holds 'text'. */
void replica_dir_wait_gate(struct replica_dir *replica, bool is_open);
void replica_dir_wait_output(struct replica_dir *replica, const char *text);

/* Start, GO, and the exit record in the end. */
struct layout_exit replica_dir_run(struct replica_dir *replica);
bool replica_dir_exit(struct replica_dir *replica, struct layout_exit *ret_end);

/* Its whole output, behind what 'bytes' has; how many bytes were missing, and the kinds of the
 * gaps, as "limit disk_full ".  Checks that it is without a hole. */
uint64_t replica_dir_output(struct replica_dir *replica, const struct output_end *end,
                            struct fl_buf *bytes, char ret_gaps[256]);

void replica_dir_sleep(void); /* a little: between two looks at a condition */
