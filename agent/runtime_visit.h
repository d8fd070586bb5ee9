/* runtime_visit.h - the port for visits: a shell, a command or a connection to a port, in a replica
 * that runs.  A runtime that has none leaves runtime_ops.visit NULL.  The contract:
 *   - 'visit' begins one, or refuses it.  It runs with the replica's limits, environment, working
 *     directory and user, and ends with the replica at the latest.
 *   - Nothing is queued here: 'read' gives the bytes that are there now, 'write' takes those that
 *     there is room for now, and 'changed' says that either may give more.  It is never called
 *     from within a function of the visit.
 *   - The last that 'read' gives is RUNTIME_VISIT_OVER.
 *   - 'destroy' ends what still runs, as a hangup does, and may be called at any time, but not
 *     within 'changed' of another visit's.
 * Uses shared code only.  One thread: the agent's loop. */
#pragma once

#include "shared/wire/visit.h"

struct runtime_visit_port {
    void *ctx;
    void (*changed)(void *ctx);
};

enum runtime_visit_word {
    RUNTIME_VISIT_NOTHING, /* now */
    RUNTIME_VISIT_BYTES,   /* 'len' bytes of 'channel' */
    RUNTIME_VISIT_CLOSED,  /* no more comes on 'channel' */
    RUNTIME_VISIT_OVER,    /* it is over, and 'status' says how */
};

struct runtime_visit_read {
    enum runtime_visit_word word;
    enum fl_visit_channel channel;
    size_t len;
    struct fl_visit_status status; /* its text is the visit's */
};

struct runtime_visit_ops {
    /* At most bytes_max bytes go to 'at'. */
    struct runtime_visit_read (*read)(void *self, uint8_t *at, size_t bytes_max);
    /* How many it took.  Input that has no reader any more is taken, and dropped. */
    size_t (*write)(void *self, struct fl_str bytes);
    /* After the last write; a terminal's again and again, since it is a key that may be lost. */
    void (*end_input)(void *self);
    void (*resize)(void *self, struct fl_visit_size size);
    void (*destroy)(void *self);
};

struct runtime_visit {
    const struct runtime_visit_ops *ops;
    void *self;
};
