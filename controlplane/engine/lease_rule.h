/* lease_rule.h - when a leader renews its lease, and when it stops relying on it.
 *
 *   asked                      renewed                         ttl: another may take it
 *     |---- 1/3: ask again ----->|---- 2/3: stop issuing ------->|   (Postgres's time)
 *     0 ms                     2000                4000        6000
 *
 * The lease row's time is Postgres's, so no two clocks have to agree.  The holder relies on less:
 * two thirds of the time to live, counted on its own monotonic clock from when it *asked* for what
 * succeeded last.  A holder that stood still finds that over when it goes on.
 * Pure: 'now' is an argument, and asking is the owner's business (store/lease.c over libpq, and the
 * simulator).  Not thread-safe. */
#pragma once

#include "shared/base/types.h"

enum lease_state {
    LEASE_NONE,
    LEASE_HELD,
    LEASE_RELEASING, /* wait for LEASE_NONE, or do not */
};

enum lease_question { LEASE_ASK_NOTHING, LEASE_ASK_RENEWAL, LEASE_ASK_RELEASE };

enum lease_answer {
    LEASE_DONE,      /* the row was ours, and is changed */
    LEASE_ANOTHERS,  /* the row is not ours any more */
    LEASE_NO_ANSWER, /* refused, or the connection went away: ask again */
};

enum { LEASE_RETRY_MS = 500, LEASE_RELEASE_MS = 2000 };

struct lease_rule {
    uint32_t ttl_ms;
    enum lease_state state;
    enum lease_question asking; /* without an answer yet; nothing while NONE */
    fl_ms held_at;              /* the newest takeover was asked for then */
    fl_ms asked_at, ask_at;     /* the question on its way; the next one is due */
    fl_ms good_until;           /* while HELD */
    fl_ms release_by;           /* while RELEASING */
};

/* A takeover that was asked for at 'asked_at' took it. */
void lease_rule_hold(struct lease_rule *rule, fl_ms asked_at);

/* Gives it up, so that another need not wait. */
void lease_rule_release(struct lease_rule *rule, fl_ms now);

/* May the holder still issue? */
bool lease_rule_is_good(const struct lease_rule *rule, fl_ms now);

/* To be called first in each turn.  True, once: it is too old to rely on, and LEASE_NONE now.  A
 * release that takes too long ends here too, and is not reported. */
bool lease_rule_expires(struct lease_rule *rule, fl_ms now);

/* The question that is due; the owner asks it and calls lease_rule_asked. */
enum lease_question lease_rule_next(const struct lease_rule *rule, fl_ms now);
void lease_rule_asked(struct lease_rule *rule, enum lease_question question, fl_ms now);

/* True: the lease is lost to another, and LEASE_NONE now.  Without a question it is ignored. */
bool lease_rule_answered(struct lease_rule *rule, enum lease_answer answer, fl_ms now);

/* When lease_rule_expires or, if it can ask, lease_rule_next has something new to say. */
fl_ms lease_rule_deadline(const struct lease_rule *rule, bool can_ask);
