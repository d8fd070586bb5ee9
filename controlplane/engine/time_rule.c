#include "controlplane/engine/time_rule.h"

#include <inttypes.h>
#include <stdio.h>

/* The time that each clock has counted since the mark. */
struct elapsed {
    fl_ms postgres, hub, uptime;
    bool has_uptime;
};

static struct elapsed since(const struct time_mark *mark, const struct time_reading *now)
{
    return (struct elapsed){
        .postgres = now->postgres - mark->clocks.postgres,
        .hub = now->hub - mark->clocks.hub,
        .uptime = now->uptime - mark->clocks.uptime,
        .has_uptime = now->boot != 0 && now->boot == mark->clocks.boot,
    };
}

static fl_ms smallest(const struct elapsed *elapsed)
{
    fl_ms least = elapsed->postgres < elapsed->hub ? elapsed->postgres : elapsed->hub;

    if (elapsed->has_uptime && elapsed->uptime < least) least = elapsed->uptime;
    return least > 0 ? least : 0;
}

static fl_ms largest(const struct elapsed *elapsed)
{
    fl_ms most = elapsed->postgres > elapsed->hub ? elapsed->postgres : elapsed->hub;

    return elapsed->has_uptime && elapsed->uptime > most ? elapsed->uptime : most;
}

fl_ms time_rule_resume(const struct time_mark *mark, const struct time_reading *now,
                       fl_ms at_newest)
{
    struct elapsed elapsed = since(mark, now);
    fl_ms at = mark->at > 0 ? mark->at + smallest(&elapsed) : now->postgres;

    return at > at_newest ? at : at_newest;
}

static bool is_far(fl_ms a, fl_ms b)
{
    return a - b > TIME_SKEW_MS || b - a > TIME_SKEW_MS;
}

bool time_rule_is_set(const struct time_mark *mark, const struct time_reading *now, fl_ms at,
                      char ret_text[TIME_TEXT_MAX])
{
    struct elapsed elapsed = since(mark, now);
    char uptime[64] = "";

    if (mark->at <= 0) return false;
    if (!is_far(elapsed.postgres, elapsed.hub) && !is_far(largest(&elapsed), smallest(&elapsed))) {
        return false;
    }
    if (elapsed.has_uptime) {
        snprintf(uptime, sizeof uptime, ", its uptime by %" PRId64 " ms", elapsed.uptime);
    }
    snprintf(ret_text, TIME_TEXT_MAX,
             "a clock was set: since the lease was last renewed Postgres's moved by %" PRId64
             " ms, this host's by %" PRId64 " ms%s; deadlines and expiries went on by %" PRId64
             " ms, the rest is left out",
             elapsed.postgres, elapsed.hub, uptime, at - mark->at);
    return true;
}

bool time_rule_differ(const struct time_reading *now, fl_ms at, char ret_text[TIME_TEXT_MAX])
{
    if (!is_far(now->postgres, now->hub) && !is_far(now->postgres, at)) return false;
    snprintf(ret_text, TIME_TEXT_MAX,
             "clocks differ: from Postgres's, this host's by %+" PRId64
             " ms, and the hub's time, in which deadlines and expiries count, by %+" PRId64
             " ms; set the hosts' clocks right, by NTP",
             now->hub - now->postgres, at - now->postgres);
    return true;
}
