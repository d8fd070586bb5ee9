/* time_rule.h - how the core's time goes on from one leader to the next.
 *
 * The leader's own steady clock moves it while it leads, so no step of a clock is seen then.  Each
 * renewal of the lease keeps in its row what it was, and what the clocks said:
 *
 *   Postgres's clock    may be set, or the server moved to a host with another
 *   the hub's clock     the same, and the next leader may be another host
 *   the hub's uptime    is never set, but counts on one host and until its next boot only
 *
 * A new leader asks the same clocks again, and goes on by the smallest time that any of them has
 * counted since, never by less than 0: a deadline ends nothing early unless all of them are wrong
 * together.  The rest is absorbed, which the log names; so a deadline is late by at most the time
 * between the last renewal and the take.  Decision 70.
 *
 * A take keeps its mark before the term begins.  Else the leader after a short term would count
 * from an older one, and regain what that term had absorbed.
 * Pure.  Uses shared/base. */
#pragma once

#include "shared/base/types.h"

/* The clocks of one instant, in ms; 'boot' names the host's boot, 0: not known. */
struct time_reading {
    fl_ms postgres, hub, uptime;
    uint64_t boot;
};

/* The lease's row has it; at 0: nothing was kept yet. */
struct time_mark {
    fl_ms at; /* the core's time */
    struct time_reading clocks;
};

/* The core's time of a leader that takes over now, and no less than 'at_newest', the newest
 * batch's.  Without a mark Postgres's clock decides. */
fl_ms time_rule_resume(const struct time_mark *mark, const struct time_reading *now,
                       fl_ms at_newest);

/* For the log, with the core's time 'at' now, if it is more than TIME_SKEW_MS.  True: a clock was
 * set since the mark; and in the second one, the clocks differ. */
enum { TIME_SKEW_MS = 5000, TIME_TEXT_MAX = 320 };
bool time_rule_is_set(const struct time_mark *mark, const struct time_reading *now, fl_ms at,
                      char ret_text[TIME_TEXT_MAX]);
bool time_rule_differ(const struct time_reading *now, fl_ms at, char ret_text[TIME_TEXT_MAX]);
