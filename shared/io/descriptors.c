#include "shared/io/descriptors.h"

#include <sys/resource.h>

static struct rlimit limit(void)
{
    struct rlimit now = {0};

    (void)getrlimit(RLIMIT_NOFILE, &now); /* it cannot fail for our own process */
    return now;
}

uint64_t fl_descriptors_set(uint64_t soft)
{
    struct rlimit now = limit();
    uint64_t was = now.rlim_cur;

    now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
    if (now.rlim_cur != was) (void)setrlimit(RLIMIT_NOFILE, &now); /* a refusal leaves it */
    return was;
}

uint64_t fl_descriptors_raise(void)
{
    uint64_t was = limit().rlim_cur;

    if (was < FL_DESCRIPTORS_MAX) (void)fl_descriptors_set(FL_DESCRIPTORS_MAX);
    return was;
}

uint64_t fl_descriptors_limit(void)
{
    return limit().rlim_cur;
}
