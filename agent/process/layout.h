/* layout.h - the directory of one replica, shared by its supervisor and any agent, this one or the
 * next.
 *
 *   spec       what to run, written by the agent before the supervisor starts, never changed
 *   control    FIFO, commands of LAYOUT_COMMAND_BYTES to the supervisor
 *   news       FIFO to the agent; a byte says "look again", its end "the supervisor is gone"
 *   gate       written when the supervisor is ready; overwritten and synced before it forks the job
 *   exit.tmp   zeros, so that its blocks are allocated; overwritten, synced, and renamed to...
 *   exit       ...how the job ended
 *   out.N      output as records (log_record.h); agent/output/output_name.h has the names
 *   given-up   how many bytes of output there were when they were given up; decimal
 *   trouble    a line of text: why the supervisor could not even begin
 *   files/     where the job starts
 *
 * The lock is flock on the directory itself, held by the supervisor as long as it lives.  The
 * process that gets it finds the truth in the files.  'exit' says how the job ended.  Without it, a
 * gate that is absent or shut means that the job never ran; else it may have run, and must not run
 * again.
 * Encoding is pure; the file helpers at the end are for both sides.  Uses shared/base. */
#pragma once

#include <sys/types.h>

#include "shared/base/amounts.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/replica.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

#define LAYOUT_SPEC "spec"
#define LAYOUT_CONTROL "control"
#define LAYOUT_NEWS "news"
#define LAYOUT_GATE "gate"
#define LAYOUT_EXIT_TMP "exit.tmp"
#define LAYOUT_EXIT "exit"
#define LAYOUT_GIVEN_UP "given-up"
#define LAYOUT_TROUBLE "trouble"
#define LAYOUT_FILES "files"

enum {
    LAYOUT_NAME_MAX = 80, /* a directory's name, with the final zero */
    LAYOUT_SPEC_BYTES_MAX = 4 << 20,
    LAYOUT_RECORD_BYTES = 4096, /* gate and exit: a block each */
    LAYOUT_NAMED_MAX = 64,      /* resources with a name */
    LAYOUT_STRINGS_MAX = 65536, /* arguments, and as many variables */
    LAYOUT_BOOT_MAX = 40,       /* boot id, with the final zero */
    LAYOUT_RUN_MAX = 33,        /* run id, with the final zero */
    LAYOUT_COMMAND_BYTES = 8,
};

/* ---- names ----------------------------------------------------------------------------------- */

/* "job-7k-0-1-1-3": job, element, attempt, incarnation, replica. */
void layout_name(struct fl_attempt attempt, uint32_t replica, char ret_name[LAYOUT_NAME_MAX]);
FL_CHECK bool layout_parse_name(const char *name, struct fl_attempt *ret_attempt,
                                uint32_t *ret_replica);

/* ---- the spec file --------------------------------------------------------------------------- */

struct layout_strings { /* C strings */
    char **at;          /* followed by NULL once decoded */
    size_t len, cap;
};

struct layout_spec {
    struct fl_attempt attempt;
    uint32_t replica;
    uint32_t node;
    struct fl_resources resources;
    uint32_t grace_ms;               /* the role's own; 0: STOP's counts */
    uint64_t head_bytes, tail_bytes; /* how much output to keep from its beginning and its end */
    char run[LAYOUT_RUN_MAX];   /* FAIRLEAD_RUN_ID in its environment; each replica has another */
    char boot[LAYOUT_BOOT_MAX]; /* the host's boot id when this was written */
    struct fl_str cgroup;       /* a folder; empty: none.  A C string once decoded */
    struct fl_str working_dir;  /* empty: LAYOUT_FILES.  A C string once decoded */
    struct layout_strings argv, env; /* env: NAME=value */
    struct fl_amounts named;         /* beside 'resources'; in the file only where there are any */
};

bool layout_spec_encode(const struct layout_spec *spec, struct fl_buf *buf); /* false: too large */
FL_CHECK bool layout_spec_decode(struct fl_str bytes, struct fl_arena *arena,
                                 struct layout_spec *ret_spec, struct fl_err *err);

/* ---- gate and exit: blocks of LAYOUT_RECORD_BYTES -------------------------------------------- */

struct layout_gate {
    bool is_open;  /* the supervisor read GO: the job may have run */
    pid_t session; /* the supervisor's, and the job's unless it left it */
    fl_ms at;
};

struct layout_exit {
    int32_t code;   /* 128 + signal, when one ended it */
    int32_t signal; /* 0: none */
    bool is_out_of_memory;
    bool is_stopped;        /* it was asked to stop before it ended */
    uint64_t output_bytes;  /* all that it wrote */
    uint64_t dropped_bytes; /* the part of output_bytes that a full disk did not take */
    fl_ms started_at, ended_at;
    struct fl_usage usage;
    char line[FL_WORDS_BYTES_MAX + 1]; /* the last error line of its output; empty: none */
};

void layout_gate_encode(const struct layout_gate *gate, uint8_t ret_block[LAYOUT_RECORD_BYTES]);
FL_CHECK bool layout_gate_decode(struct fl_str bytes, struct layout_gate *ret_gate);
void layout_exit_encode(const struct layout_exit *end, uint8_t ret_block[LAYOUT_RECORD_BYTES]);
FL_CHECK bool layout_exit_decode(struct fl_str bytes, struct layout_exit *ret_end);

/* ---- commands -------------------------------------------------------------------------------- */

enum layout_command_kind {
    LAYOUT_GO = 'G',
    LAYOUT_STOP = 'S',
    LAYOUT_LEAVE = 'L', /* behind the gate: end without running the job */
};

struct layout_command {
    enum layout_command_kind kind;
    uint32_t grace_ms; /* with STOP */
};

void layout_command_encode(struct layout_command command, uint8_t ret_bytes[LAYOUT_COMMAND_BYTES]);
FL_CHECK bool layout_command_decode(const uint8_t bytes[LAYOUT_COMMAND_BYTES],
                                    struct layout_command *ret_command);

/* ---- files ----------------------------------------------------------------------------------- */

/* Appends the whole file to 'buf'; FL_ABSENT if there is none, FL_TOO_LARGE if it does not fit. */
FL_CHECK bool layout_read(int dir, const char *name, struct fl_buf *buf, struct fl_err *err);

/* Writes all 'len' bytes at offset 'at'.  False: errno says why. */
FL_CHECK bool layout_write_at(int fd, const void *ptr, size_t len, off_t at);

/* The host's boot id; "unknown" when there is none to be read. */
void layout_boot_id(char ret_boot[LAYOUT_BOOT_MAX]);

fl_ms layout_now(void); /* wall clock */
