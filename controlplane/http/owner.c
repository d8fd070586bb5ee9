#include "controlplane/http/owner.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { SECOND_NS = 1000000000 };

static struct http_owner *find(const struct http_owners *owners, uint64_t id)
{
    uint64_t found;

    if (!fl_map_find(&owners->by_id, &id, sizeof id, &found)) return NULL;
    return (struct http_owner *)(uintptr_t)found; /* NOLINT(performance-no-int-to-ptr) */
}

/* ---- those without a connection -------------------------------------------------------------- */

static void put_last(struct http_owners *owners, struct http_owner *owner)
{
    owner->older = owners->newest;
    if (owners->newest) owners->newest->newer = owner;
    if (!owners->oldest) owners->oldest = owner;
    owners->newest = owner;
}

static void take_out(struct http_owners *owners, struct http_owner *owner)
{
    if (owner->older) owner->older->newer = owner->newer;
    if (owner->newer) owner->newer->older = owner->older;
    if (owners->oldest == owner) owners->oldest = owner->newer;
    if (owners->newest == owner) owners->newest = owner->older;
    owner->older = owner->newer = NULL;
}

static void forget(struct http_owners *owners, struct http_owner *owner)
{
    take_out(owners, owner);
    fl_map_remove(&owners->by_id, &owner->id, sizeof owner->id);
    fl_free(owner);
}

/* An owner whose requests are all due is as good as a new one. */
static void forget_the_old(struct http_owners *owners, int64_t now_us)
{
    while (owners->oldest && owners->oldest->due_ns <= now_us * 1000) {
        forget(owners, owners->oldest);
    }
}

void http_owners_fini(struct http_owners *owners)
{
    while (owners->oldest) {
        forget(owners, owners->oldest);
    }
    fl_assert(owners->by_id.len == 0 && owners->unsent_bytes == 0);
    fl_map_fini(&owners->by_id);
}

/* ---- the limits ------------------------------------------------------------------------------ */

static uint64_t share_of(const struct http_owners *owners, size_t all)
{
    return (uint64_t)all * owners->limits->token_percent / 100;
}

bool http_owner_has_room(const struct http_owners *owners, const struct http_owner *owner,
                         size_t bytes)
{
    size_t unsent_bytes_max = owners->limits->unsent_bytes_max;

    if (!owner || owner->unsent_bytes == 0) return true;
    return owner->unsent_bytes + bytes <= share_of(owners, unsent_bytes_max) &&
           owners->unsent_bytes + bytes <= unsent_bytes_max;
}

/* A second's requests may come at once. */
static bool is_in_time(const struct http_owners *owners, const struct http_owner *owner,
                       int64_t now_us, int64_t *ret_due_ns)
{
    int64_t now_ns = now_us * 1000, step_ns = SECOND_NS / (int64_t)owners->limits->token_rate;
    int64_t due_ns = owner && owner->due_ns > now_ns ? owner->due_ns : now_ns;

    *ret_due_ns = due_ns + step_ns;
    return *ret_due_ns <= now_ns + SECOND_NS;
}

enum http_claim http_owner_claim(struct http_owners *owners, uint64_t id,
                                 struct http_owner *current, int64_t now_us,
                                 struct http_owner **ret_owner)
{
    struct http_owner *owner = current && current->id == id ? current : find(owners, id);
    int64_t due_ns;

    fl_assert(id != 0);
    if (!is_in_time(owners, owner, now_us, &due_ns)) return HTTP_CLAIM_RATE;
    if (owner && owner != current && owner->connections > 0 &&
        owner->connections >= share_of(owners, owners->limits->connections_max)) {
        return HTTP_CLAIM_CONNECTIONS;
    }
    if (!http_owner_has_room(owners, owner, 1)) return HTTP_CLAIM_UNSENT;
    if (!owner) {
        forget_the_old(owners, now_us);
        owner = fl_new(struct http_owner);
        owner->id = id;
        fl_map_put(&owners->by_id, &id, sizeof id, (uint64_t)(uintptr_t)owner);
    } else if (owner->connections == 0) {
        take_out(owners, owner);
    }
    owner->due_ns = due_ns;
    if (owner != current) {
        owner->connections++;
        http_owner_leave(owners, current, now_us);
    }
    *ret_owner = owner;
    return HTTP_CLAIMED;
}

void http_owner_leave(struct http_owners *owners, struct http_owner *owner, int64_t now_us)
{
    if (!owner) return;
    fl_assert(owner->connections > 0);
    if (--owner->connections > 0) return;
    fl_assert(owner->unsent_bytes == 0);
    put_last(owners, owner);
    forget_the_old(owners, now_us);
}

void http_owner_count(struct http_owners *owners, struct http_owner *owner, size_t before,
                      size_t after)
{
    owners->unsent_bytes = owners->unsent_bytes - before + after;
    if (owner) owner->unsent_bytes = owner->unsent_bytes - before + after;
}
