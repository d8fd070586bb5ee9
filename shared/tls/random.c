#include "shared/tls/random.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

#include "shared/base/assert.h"

void fl_random(void *ptr, size_t len)
{
    uint8_t *at = ptr;

    while (len > 0) {
        ssize_t got = getrandom(at, len, 0);

        if (got < 0) {
            fl_assert(errno == EINTR);
            continue;
        }
        at += got;
        len -= (size_t)got;
    }
}

uint64_t fl_random_u64(void)
{
    uint64_t n;

    fl_random(&n, sizeof n);
    return n;
}

struct fl_uuid fl_random_uuid(void)
{
    struct fl_uuid uuid;

    fl_random(uuid.at, sizeof uuid.at);
    uuid.at[6] = (uint8_t)((uuid.at[6] & 0x0f) | 0x40);
    uuid.at[8] = (uint8_t)((uuid.at[8] & 0x3f) | 0x80);
    return uuid;
}
