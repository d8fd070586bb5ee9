/* lease.h - keeps the lease while its owner leads, on a connection of its own.
 * The lease row's time is Postgres's, so that nobody's clock has to agree with another's.  What the holder
 * itself may rely on is shorter: two thirds of the time to live after it *asked* for the renewal that
 * succeeded last, on its own monotonic clock.  A holder that was stopped finds that over when it goes on.
 * Uses pg_conn.  Not thread-safe. */
#pragma once

#include "shared/base/types.h"

struct lease;

enum lease_state {
    LEASE_NONE,
    LEASE_HELD,
    LEASE_RELEASING, /* wait for LEASE_NONE, or do not */
};

struct lease *lease_create(const char *conninfo, const char *holder, uint32_t ttl_ms);
void lease_destroy(struct lease *lease); /* NULL is fine; the row stays as it is */

/* A takeover that was sent at 'asked_at' took it. */
void lease_hold(struct lease *lease, fl_ms asked_at, fl_ms now);

/* Gives it up, so that another need not wait. */
void lease_release(struct lease *lease, fl_ms now);

enum lease_state lease_state(const struct lease *lease);

int lease_fd(const struct lease *lease);
short lease_events(const struct lease *lease);
fl_ms lease_deadline(const struct lease *lease);

/* True, once: the lease is lost, or too old to rely on; it is LEASE_NONE now. */
bool lease_turn(struct lease *lease, fl_ms now);

/* May the holder still issue?  False as soon as two thirds are over, even before a turn has seen it. */
bool lease_is_good(const struct lease *lease, fl_ms now);
