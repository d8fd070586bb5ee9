/* kube_watch_rule.h - when to list, when to watch, and what not to believe: one resource, no I/O.
 *
 *     RESTING ──> LISTING ──pages──> WATCHING ──> WATCHING ...    each where the last one ended
 *        ^           │ failed, stale     │ failed, hung: rest, then watch on
 *        └───────────┴───────────────────┘ 410 Gone: list anew
 *
 * The caller brings events with the time, carries out the one order that each step answers, and
 * sends a tick when 'deadline' has come.  The call of an order ends with 'ended' or 'failed', or is
 * closed by a later order; there is at most one at a time.
 *
 * - A list whose resourceVersion is smaller than one that was seen comes from a server that lags
 *   behind.  It is not believed, and asked for again.  When all lists say so for stale_ms, the
 *   cluster was restored from a backup: the next list is believed, and is_restored is set.
 * - Each watch asks the server to end it after some minutes (watch_s).  One that goes on for
 *   grace_ms more is hung: its connection is dead, or the server is.
 * - A bookmark that is older than what was seen means the same as an old list.
 * - Failures in a row wait longer each time, with jitter from the seed.  They are over when a watch
 *   has lived for MIN_WATCH_MS or brought a change.
 *
 * Uses shared/base and kube_object.h.  Pure. */
#pragma once

#include "agent/kube/kube_object.h"
#include "shared/base/prng.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define KUBE_WATCH_STATES(X) X(RESTING, resting) X(LISTING, listing) X(WATCHING, watching)

enum kube_watch_state {
#define KUBE_WATCH_STATE(constant, name) KUBE_WATCH_##constant,
    KUBE_WATCH_STATES(KUBE_WATCH_STATE)
#undef KUBE_WATCH_STATE
};

enum kube_watch_event_kind {
    KUBE_WATCH_EV_TICK,
    KUBE_WATCH_EV_LIST,     /* the first page has begun; 'version' is the list's */
    KUBE_WATCH_EV_PAGE,     /* a page is whole; 'has_more' */
    KUBE_WATCH_EV_CHANGED,  /* an object of a watch; 'version' is the object's */
    KUBE_WATCH_EV_BOOKMARK, /* 'version' */
    KUBE_WATCH_EV_ENDED,    /* the watch ended as the server meant it */
    KUBE_WATCH_EV_FAILED,   /* the list or watch failed; 'status', 'retry_after_ms' */
};

struct kube_watch_event_in {
    enum kube_watch_event_kind kind;
    fl_ms now;
    struct fl_str version;
    bool has_more;
    unsigned status;      /* HTTP's, or in a Status; 0: no answer */
    fl_ms retry_after_ms; /* 0 or less: not named */
};

#define KUBE_WATCH_ORDERS(X)                                                                       \
    X(WAIT, wait)           /* nothing to do */                                                    \
    X(LIST, list)           /* the first page */                                                   \
    X(NEXT_PAGE, next_page) /* from where the last one ended */                                    \
    X(SYNC, sync)           /* all that the list lacked is gone; then watch from 'version' */      \
    X(WATCH, watch)         /* from 'version' */                                                   \
    X(DROP, drop)           /* close the call: it is not believed */                               \
    X(HANG_UP, hang_up)     /* close the call, and use its connection no more */

enum kube_watch_order {
#define KUBE_WATCH_ORDER(constant, name) KUBE_WATCH_DO_##constant,
    KUBE_WATCH_ORDERS(KUBE_WATCH_ORDER)
#undef KUBE_WATCH_ORDER
};

struct kube_watch_times {
    fl_ms page_ms;  /* a page of a list */
    fl_ms watch_ms; /* a watch, and up to half as long again */
    fl_ms grace_ms;
    fl_ms rest_ms_min, rest_ms_max;
    fl_ms stale_ms;
};

extern const struct kube_watch_times kube_watch_times_default;

enum { KUBE_WATCH_MIN_MS = 5000 };

struct kube_watch_rule {
    struct kube_watch_times times;
    struct fl_prng prng;
    enum kube_watch_state state;
    fl_ms deadline, entered_at;
    bool is_listed; /* 'version' is where the next watch begins */
    char version[KUBE_VERSION_BYTES_MAX + 1];
    char list_version[KUBE_VERSION_BYTES_MAX + 1]; /* the list under way has it */
    uint64_t newest;                               /* version that was seen; 0: none yet */
    fl_ms stale_since;                             /* -1: the last list was believed */
    bool is_restored;  /* set by a step: versions count anew; the caller clears it */
    unsigned failures; /* in a row */
    unsigned watch_s;  /* the watch that is ordered shall last so long */
};

/* The first tick is due at once. */
void kube_watch_rule_init(struct kube_watch_rule *rule, const struct kube_watch_times *times,
                          uint64_t seed, fl_ms now);

enum kube_watch_order kube_watch_rule_step(struct kube_watch_rule *rule,
                                           const struct kube_watch_event_in *event);

/* False: late or a repetition; the event's object must not be looked at. */
bool kube_watch_rule_takes(const struct kube_watch_rule *rule, struct fl_str version);

const char *kube_watch_state_name(enum kube_watch_state state);
const char *kube_watch_order_name(enum kube_watch_order order);
