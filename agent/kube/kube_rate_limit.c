#include "agent/kube/kube_rate_limit.h"

#include "shared/base/assert.h"

enum { TOKEN = 1000 };

void kube_rate_limit_init(struct kube_rate_limit *limit, unsigned per_second, unsigned burst,
                          unsigned at_once_max, fl_ms now)
{
    fl_assert(per_second > 0 && burst > 0 && at_once_max > 0);
    *limit = (struct kube_rate_limit){
        .per_second = per_second,
        .burst = burst,
        .at_once_max = at_once_max,
        .tokens = (int64_t)burst * TOKEN,
        .filled_at = now,
    };
}

static void fill(struct kube_rate_limit *limit, fl_ms now)
{
    int64_t full = (int64_t)limit->burst * TOKEN;
    fl_ms passed = now - limit->filled_at;

    if (passed <= 0) return;
    limit->filled_at = now;
    /* Each millisecond brings per_second thousandths; a long sleep must not overflow. */
    if (passed > full / limit->per_second) {
        limit->tokens = full;
        return;
    }
    limit->tokens += passed * limit->per_second;
    if (limit->tokens > full) limit->tokens = full;
}

fl_ms kube_rate_limit_ready_at(struct kube_rate_limit *limit, bool is_stream, fl_ms now)
{
    fl_ms at = now;

    fill(limit, now);
    if (!is_stream && limit->running == limit->at_once_max) return KUBE_RATE_LIMIT_NEVER;
    if (limit->tokens < TOKEN) {
        at = now + (TOKEN - limit->tokens + limit->per_second - 1) / limit->per_second;
    }
    return at > limit->paused_until ? at : limit->paused_until;
}

void kube_rate_limit_start(struct kube_rate_limit *limit, bool is_stream, fl_ms now)
{
    fl_assert(kube_rate_limit_ready_at(limit, is_stream, now) <= now);
    limit->tokens -= TOKEN;
    if (!is_stream) limit->running++;
}

void kube_rate_limit_end(struct kube_rate_limit *limit, bool is_stream)
{
    if (is_stream) return;
    fl_assert(limit->running > 0);
    limit->running--;
}

void kube_rate_limit_pause(struct kube_rate_limit *limit, fl_ms until)
{
    if (until > limit->paused_until) limit->paused_until = until;
}
