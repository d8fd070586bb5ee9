#include "agent/kube/kube_retry.h"

#include "shared/base/prng.h"

enum { FIRST_MS = 250, DOUBLINGS_MAX = 5, UNNAMED_MS = 1000 };

static fl_ms with_jitter(fl_ms wait, struct fl_prng *prng)
{
    return wait + fl_prng_between(prng, 0, wait / 2);
}

fl_ms kube_retry_backoff(unsigned retries, struct fl_prng *prng)
{
    return with_jitter((fl_ms)FIRST_MS << (retries < DOUBLINGS_MAX ? retries : DOUBLINGS_MAX),
                       prng);
}

fl_ms kube_retry_wait(const struct kube_failure *failure, bool is_read, unsigned retries,
                      struct fl_prng *prng)
{
    unsigned status = failure->status;
    fl_ms named = failure->retry_after_ms;

    if (retries >= KUBE_RETRIES_MAX || named > KUBE_RETRY_WAIT_MS_MAX) return -1;
    if (status == 429) return with_jitter(named >= 0 ? named : UNNAMED_MS, prng);
    if (status < 500 || status > 599) return -1;
    if (named >= 0) return with_jitter(named, prng);
    if (!is_read || status == 501 || status > 504) return -1;
    return kube_retry_backoff(retries, prng);
}
