#include "agent/kube/kube_watch_rule.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

enum { GONE = 410, NAMED_REST_MS_MAX = 60000 };

const struct kube_watch_times kube_watch_times_default = {
    .page_ms = 60000,
    .watch_ms = 240000,
    .grace_ms = 15000,
    .rest_ms_min = 500,
    .rest_ms_max = 30000,
    .stale_ms = 300000,
};

#define STATE_NAME(constant, name) #name,
FL_ENUM_NAMES(kube_watch_state_name, enum kube_watch_state, KUBE_WATCH_STATES(STATE_NAME))
FL_ENUM_NAMES(kube_watch_order_name, enum kube_watch_order, KUBE_WATCH_ORDERS(STATE_NAME))

void kube_watch_rule_init(struct kube_watch_rule *rule, const struct kube_watch_times *times,
                          uint64_t seed, fl_ms now)
{
    *rule = (struct kube_watch_rule){
        .times = times ? *times : kube_watch_times_default,
        .state = KUBE_WATCH_RESTING,
        .deadline = now,
        .entered_at = now,
        .stale_since = -1,
    };
    fl_prng_seed(&rule->prng, seed);
}

/* 0: it is no number, and has no age. */
static uint64_t number_of(struct fl_str version)
{
    uint64_t n;

    return fl_str_parse_u64(version, &n) ? n : 0;
}

static bool is_older(const struct kube_watch_rule *rule, struct fl_str version)
{
    uint64_t n = number_of(version);

    return n > 0 && n < rule->newest;
}

static void keep_version(char to[KUBE_VERSION_BYTES_MAX + 1], struct fl_str version)
{
    fl_assert(version.len > 0 && version.len <= KUBE_VERSION_BYTES_MAX);
    memcpy(to, version.at, version.len);
    to[version.len] = 0;
}

/* The only writer of 'state'. */
static enum kube_watch_order enter(struct kube_watch_rule *rule, enum kube_watch_state state,
                                   fl_ms now, fl_ms deadline, enum kube_watch_order order)
{
    rule->state = state;
    rule->entered_at = now;
    rule->deadline = deadline;
    return order;
}

static enum kube_watch_order list(struct kube_watch_rule *rule, fl_ms now)
{
    rule->is_listed = false;
    return enter(rule, KUBE_WATCH_LISTING, now, now + rule->times.page_ms, KUBE_WATCH_DO_LIST);
}

static enum kube_watch_order watch(struct kube_watch_rule *rule, fl_ms now,
                                   enum kube_watch_order order)
{
    fl_ms ms = rule->times.watch_ms + fl_prng_between(&rule->prng, 0, rule->times.watch_ms / 2);

    rule->watch_s = (unsigned)((ms + 999) / 1000);
    return enter(rule, KUBE_WATCH_WATCHING, now,
                 now + (fl_ms)rule->watch_s * 1000 + rule->times.grace_ms, order);
}

/* Longer after each failure: half of the wait is fixed, half is by chance. */
static enum kube_watch_order rest(struct kube_watch_rule *rule, fl_ms now, fl_ms named_ms,
                                  enum kube_watch_order order)
{
    fl_ms wait = rule->times.rest_ms_min;

    for (unsigned i = 0; i < rule->failures && wait < rule->times.rest_ms_max; i++) {
        wait *= 2;
    }
    if (wait > rule->times.rest_ms_max) wait = rule->times.rest_ms_max;
    wait = wait / 2 + fl_prng_between(&rule->prng, 0, wait / 2);
    if (named_ms > NAMED_REST_MS_MAX) named_ms = NAMED_REST_MS_MAX;
    if (named_ms > wait) wait = named_ms;
    rule->failures++;
    return enter(rule, KUBE_WATCH_RESTING, now, now + wait, order);
}

/* ---- listing --------------------------------------------------------------------------------- */

static enum kube_watch_order begin_list(struct kube_watch_rule *rule,
                                        const struct kube_watch_event_in *event)
{
    if (is_older(rule, event->version)) {
        if (rule->stale_since < 0) rule->stale_since = event->now;
        if (event->now - rule->stale_since < rule->times.stale_ms) {
            return rest(rule, event->now, 0, KUBE_WATCH_DO_DROP);
        }
        rule->newest = 0;
        rule->is_restored = true;
    }
    rule->stale_since = -1;
    keep_version(rule->list_version, event->version);
    return KUBE_WATCH_DO_WAIT;
}

static enum kube_watch_order end_page(struct kube_watch_rule *rule,
                                      const struct kube_watch_event_in *event)
{
    struct fl_str version = fl_str_c(rule->list_version);

    if (event->has_more) {
        return enter(rule, KUBE_WATCH_LISTING, event->now, event->now + rule->times.page_ms,
                     KUBE_WATCH_DO_NEXT_PAGE);
    }
    keep_version(rule->version, version);
    if (number_of(version) > rule->newest) rule->newest = number_of(version);
    rule->is_listed = true;
    return watch(rule, event->now, KUBE_WATCH_DO_SYNC);
}

static enum kube_watch_order step_listing(struct kube_watch_rule *rule,
                                          const struct kube_watch_event_in *event)
{
    switch (event->kind) {
    case KUBE_WATCH_EV_TICK:
        if (event->now < rule->deadline) return KUBE_WATCH_DO_WAIT;
        return rest(rule, event->now, 0, KUBE_WATCH_DO_HANG_UP);
    case KUBE_WATCH_EV_LIST:
        return begin_list(rule, event);
    case KUBE_WATCH_EV_PAGE:
        return end_page(rule, event);
    case KUBE_WATCH_EV_FAILED:
        return rest(rule, event->now, event->retry_after_ms, KUBE_WATCH_DO_WAIT);
    default:
        return KUBE_WATCH_DO_WAIT;
    }
}

/* ---- watching -------------------------------------------------------------------------------- */

static bool has_lived(const struct kube_watch_rule *rule, fl_ms now)
{
    return now - rule->entered_at >= KUBE_WATCH_MIN_MS;
}

static void go_on_to(struct kube_watch_rule *rule, struct fl_str version)
{
    keep_version(rule->version, version);
    if (number_of(version) > rule->newest) rule->newest = number_of(version);
    rule->failures = 0;
}

static enum kube_watch_order step_watching(struct kube_watch_rule *rule,
                                           const struct kube_watch_event_in *event)
{
    fl_ms now = event->now;

    switch (event->kind) {
    case KUBE_WATCH_EV_TICK:
        if (now < rule->deadline) return KUBE_WATCH_DO_WAIT;
        return rest(rule, now, 0, KUBE_WATCH_DO_HANG_UP);
    case KUBE_WATCH_EV_CHANGED:
        if (kube_watch_rule_takes(rule, event->version)) go_on_to(rule, event->version);
        return KUBE_WATCH_DO_WAIT;
    case KUBE_WATCH_EV_BOOKMARK:
        if (is_older(rule, event->version)) {
            rule->is_listed = false;
            return rest(rule, now, 0, KUBE_WATCH_DO_DROP);
        }
        go_on_to(rule, event->version);
        return KUBE_WATCH_DO_WAIT;
    case KUBE_WATCH_EV_ENDED:
        if (has_lived(rule, now)) rule->failures = 0;
        return has_lived(rule, now) ? watch(rule, now, KUBE_WATCH_DO_WATCH)
                                    : rest(rule, now, 0, KUBE_WATCH_DO_WAIT);
    case KUBE_WATCH_EV_FAILED:
        if (has_lived(rule, now)) rule->failures = 0;
        if (event->status == GONE) rule->is_listed = false;
        if (event->status == GONE && rule->failures == 0) {
            rule->failures++;
            return list(rule, now);
        }
        return rest(rule, now, event->retry_after_ms, KUBE_WATCH_DO_WAIT);
    default:
        return KUBE_WATCH_DO_WAIT;
    }
}

enum kube_watch_order kube_watch_rule_step(struct kube_watch_rule *rule,
                                           const struct kube_watch_event_in *event)
{
    switch (rule->state) {
    case KUBE_WATCH_RESTING:
        if (event->kind != KUBE_WATCH_EV_TICK || event->now < rule->deadline) {
            return KUBE_WATCH_DO_WAIT;
        }
        return rule->is_listed ? watch(rule, event->now, KUBE_WATCH_DO_WATCH)
                               : list(rule, event->now);
    case KUBE_WATCH_LISTING:
        return step_listing(rule, event);
    case KUBE_WATCH_WATCHING:
        return step_watching(rule, event);
    }
    fl_unreachable("all states are listed");
}

bool kube_watch_rule_takes(const struct kube_watch_rule *rule, struct fl_str version)
{
    uint64_t n = number_of(version);

    return n == 0 || n > rule->newest;
}
