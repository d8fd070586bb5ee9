/* lease.h - keeps the lease while its owner leads, on a connection of its own.
 * engine/lease_rule.h decides when to ask and how to read an answer; this file asks Postgres.
 * Uses pg_conn.  Not thread-safe. */
#pragma once

#include "controlplane/engine/lease_rule.h"
#include "controlplane/engine/time_rule.h"

struct lease;
struct pg_waker;

struct lease *lease_create(const char *conninfo, const char *holder, uint32_t ttl_ms,
                           const struct pg_waker *waker);
void lease_destroy(struct lease *lease); /* NULL is fine; the row stays as it is */

/* A takeover that was sent at 'asked_at' took the lease; the core's time is 'core_ahead_ms' ahead
 * of the times that are passed here.  Each renewal keeps it in the row, with the clocks. */
void lease_hold(struct lease *lease, fl_ms asked_at, fl_ms core_ahead_ms);

/* Gives the lease up, so that another leader need not wait. */
void lease_release(struct lease *lease, fl_ms now);

enum lease_state lease_state(const struct lease *lease);
fl_ms lease_deadline(const struct lease *lease);

/* True, once each: a clock was set since the renewal before the newest; 'ret_text' says how. */
bool lease_saw_clock_set(struct lease *lease, char ret_text[TIME_TEXT_MAX]);

/* True, once: the lease is lost or too old to rely on, and its state is LEASE_NONE now. */
bool lease_turn(struct lease *lease, fl_ms now);

/* Whether the holder may still issue.  False as soon as two thirds of the lease are over, even
 * before a turn has noticed. */
bool lease_is_good(const struct lease *lease, fl_ms now);
