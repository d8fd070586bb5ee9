#include "agent/kube/kube_pace.h"

#include "shared/base/assert.h"

enum { TOKEN = 1000 };

void kube_pace_init(struct kube_pace *pace, unsigned per_second, unsigned burst,
                    unsigned at_once_max, fl_ms now)
{
    fl_assert(per_second > 0 && burst > 0 && at_once_max > 0);
    *pace = (struct kube_pace){
        .per_second = per_second,
        .burst = burst,
        .at_once_max = at_once_max,
        .tokens = (int64_t)burst * TOKEN,
        .filled_at = now,
    };
}

static void fill(struct kube_pace *pace, fl_ms now)
{
    int64_t full = (int64_t)pace->burst * TOKEN;
    fl_ms passed = now - pace->filled_at;

    if (passed <= 0) return;
    pace->filled_at = now;
    /* Each millisecond brings per_second thousandths; a long sleep must not overflow. */
    if (passed > full / pace->per_second) {
        pace->tokens = full;
        return;
    }
    pace->tokens += passed * pace->per_second;
    if (pace->tokens > full) pace->tokens = full;
}

fl_ms kube_pace_ready_at(struct kube_pace *pace, bool is_stream, fl_ms now)
{
    fl_ms at = now;

    fill(pace, now);
    if (!is_stream && pace->running == pace->at_once_max) return KUBE_PACE_NEVER;
    if (pace->tokens < TOKEN) {
        at = now + (TOKEN - pace->tokens + pace->per_second - 1) / pace->per_second;
    }
    return at > pace->paused_until ? at : pace->paused_until;
}

void kube_pace_start(struct kube_pace *pace, bool is_stream, fl_ms now)
{
    fl_assert(kube_pace_ready_at(pace, is_stream, now) <= now);
    pace->tokens -= TOKEN;
    if (!is_stream) pace->running++;
}

void kube_pace_end(struct kube_pace *pace, bool is_stream)
{
    if (is_stream) return;
    fl_assert(pace->running > 0);
    pace->running--;
}

void kube_pace_pause(struct kube_pace *pace, fl_ms until)
{
    if (until > pace->paused_until) pace->paused_until = until;
}
