#include "controlplane/handshakes/known_addresses.h"

#include <pthread.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"

#define IPV4_PREFIX ((uint64_t)0xffff << 32) /* no network of IPv6 that is routed begins so */

enum { NETWORK_BYTES = 8 };

struct known_addresses {
    pthread_mutex_t mutex;
    struct fl_map young, old; /* 'old' is forgotten when 'young' takes its place */
    fl_ms young_since;
};

struct known_addresses *known_addresses_create(void)
{
    struct known_addresses *known = fl_new(struct known_addresses);

    pthread_mutex_init(&known->mutex, NULL);
    return known;
}

void known_addresses_destroy(struct known_addresses *known)
{
    if (!known) return;
    fl_map_fini(&known->young);
    fl_map_fini(&known->old);
    pthread_mutex_destroy(&known->mutex);
    fl_free(known);
}

uint64_t known_addresses_number(const struct fl_net_address *address)
{
    uint64_t number = 0;

    if (address->any.sa_family == AF_INET) {
        return IPV4_PREFIX | ntohl(address->v4.sin_addr.s_addr);
    }
    if (IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr)) {
        uint32_t v4;

        memcpy(&v4, &address->v6.sin6_addr.s6_addr[12], sizeof v4);
        return IPV4_PREFIX | ntohl(v4);
    }
    for (size_t i = 0; i < NETWORK_BYTES; i++) {
        number = number << 8 | address->v6.sin6_addr.s6_addr[i];
    }
    return number;
}

static void age(struct known_addresses *known, fl_ms now)
{
    if (known->young.len < KNOWN_ADDRESSES_MAX / 2 &&
        now - known->young_since < KNOWN_ADDRESSES_FRESH_MS) {
        return;
    }
    fl_map_fini(&known->old);
    if (now - known->young_since >= 2 * (fl_ms)KNOWN_ADDRESSES_FRESH_MS) {
        fl_map_fini(&known->young); /* there was no call for so long */
    }
    known->old = known->young;
    known->young = (struct fl_map){0};
    known->young_since = now;
}

void known_addresses_put(struct known_addresses *known, uint64_t address, fl_ms now)
{
    pthread_mutex_lock(&known->mutex);
    age(known, now);
    fl_map_put(&known->young, &address, sizeof address, 1);
    pthread_mutex_unlock(&known->mutex);
}

bool known_addresses_has(struct known_addresses *known, uint64_t address, fl_ms now)
{
    bool has;

    pthread_mutex_lock(&known->mutex);
    age(known, now);
    has = fl_map_find(&known->young, &address, sizeof address, NULL) ||
          fl_map_find(&known->old, &address, sizeof address, NULL);
    pthread_mutex_unlock(&known->mutex);
    return has;
}
