/* lease.h - keeps the lease while its owner leads, on a connection of its own.
 * The rule says when to ask and what an answer means (engine/lease_rule.h); this asks Postgres.
 * Uses pg_conn.  Not thread-safe. */
#pragma once

#include "controlplane/engine/lease_rule.h"

struct lease;
struct pg_waker;

struct lease *lease_create(const char *conninfo, const char *holder, uint32_t ttl_ms,
                           const struct pg_waker *waker);
void lease_destroy(struct lease *lease); /* NULL is fine; the row stays as it is */

/* A takeover that was sent at 'asked_at' took it. */
void lease_hold(struct lease *lease, fl_ms asked_at);

/* Gives it up, so that another need not wait. */
void lease_release(struct lease *lease, fl_ms now);

enum lease_state lease_state(const struct lease *lease);
fl_ms lease_deadline(const struct lease *lease);

/* True, once: the lease is lost, or too old to rely on; it is LEASE_NONE now. */
bool lease_turn(struct lease *lease, fl_ms now);

/* May the holder still issue?  False as soon as two thirds are over, even before a turn has seen
 * it. */
bool lease_is_good(const struct lease *lease, fl_ms now);
