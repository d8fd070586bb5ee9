/* takeover.h - becomes the leader, by one transaction on the new writer connection.
 * It takes the lease row (no row: another process leads, and nothing is changed), ends the old
 * writer's backend if that still lives, and raises the epoch.  Only then does it write what
 * open_job lacks (apply.h), and read the newest batch and keys, since no batch of an older epoch
 * can be committed any more.  All statements are sent at once: a program that is stopped in between
 * holds no lock for longer than the server needs.
 *   takeover_send .. TAKEOVER_DONE .. takeover_send_mark .. TAKEOVER_MARKED
 * The mark of time is in the row before the term does anything (time_rule.h).  Uses pg_conn.  Not
 * thread-safe. */
#pragma once

#include "controlplane/engine/engine_port.h" /* struct engine_taken */
#include "controlplane/engine/time_rule.h"
#include "controlplane/store/pg_conn.h"

struct takeover_request {
    const char *holder; /* the new leader's name, which no other ever has */
    /* the state directory's id: it takes over from itself without a wait; not "" */
    const char *instance;
    uint32_t ttl_ms;
    uint64_t epoch_above; /* the new epoch is greater, too */
    uint32_t late_jobs;   /* so many of the newest jobs may lack their rows in open_job */
    uint64_t batch_from;  /* keys from here on are reported; 0: none */
};

enum takeover_state {
    TAKEOVER_WAIT,
    TAKEOVER_DONE,   /* the holder has the lease and the epoch ... */
    TAKEOVER_MARKED, /* ... and the lease's row has its mark: it leads */
    TAKEOVER_FAILED,
};

struct takeover {
    int step;
    bool is_failed, has_lease, is_marking;
    enum fl_code code;
    struct time_mark mark;     /* the lease's row as it was found */
    fl_ms postgres;            /* Postgres's clock; valid with TAKEOVER_DONE */
    uint64_t job_newest;       /* 0: there is none */
    struct engine_taken taken; /* all but 'at', which its caller knows */
};

/* On a READY writer connection.  False: it is LOST. */
FL_CHECK bool takeover_send(struct pg_conn *conn, const struct takeover_request *request);

/* After TAKEOVER_DONE.  False: the connection is LOST. */
FL_CHECK bool takeover_send_mark(struct takeover *take, struct pg_conn *conn, const char *holder,
                                 const struct time_mark *mark);

/* Reads the answers that came.  With TAKEOVER_FAILED take->code is FL_DEPOSED, FL_NO_SPACE or
 * FL_UNAVAILABLE. */
enum takeover_state takeover_read(struct takeover *take, struct pg_conn *conn);
