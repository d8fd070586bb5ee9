/* takeover.h - becoming the leader: one transaction on the new writer connection.
 * It takes the lease row (no row: another leads, and nothing is changed), ends the backend of the
 * old writer where it still lives, and raises the epoch; only then it reads the newest key, since
 * after that nothing of an older epoch can land.  All is sent at once: a program that is stopped in
 * the middle of it holds no lock for longer than the server needs.
 * Uses pg_conn.  Not thread-safe. */
#pragma once

#include "controlplane/engine/engine_port.h" /* struct engine_taken */
#include "controlplane/store/pg_conn.h"

struct takeover_request {
    const char *holder; /* this very leader-to-be: no other ever has this name */
    /* the locked state directory's id: it takes over from itself at once; not "" */
    const char *instance;
    uint32_t ttl_ms;
    uint64_t batch_from; /* keys from here on are reported; 0: none */
};

enum takeover_state {
    TAKEOVER_WAIT,
    TAKEOVER_DONE, /* this one leads */
    TAKEOVER_FAILED,
};

struct takeover {
    int step;
    bool is_failed, has_lease;
    enum fl_code code;
    struct engine_taken taken;
};

/* On a READY writer connection.  False: it is LOST. */
FL_CHECK bool takeover_send(struct pg_conn *conn, const struct takeover_request *request);

/* Reads what there is.  With TAKEOVER_FAILED the code is FL_DEPOSED, FL_NO_SPACE or
 * FL_UNAVAILABLE. */
enum takeover_state takeover_read(struct takeover *take, struct pg_conn *conn);
