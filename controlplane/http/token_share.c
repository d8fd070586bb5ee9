#include "controlplane/http/token_share.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { SECOND_NS = 1000000000 };

static struct http_share *find(const struct http_shares *shares, uint64_t id)
{
    uint64_t found;

    if (!fl_map_find(&shares->by_id, &id, sizeof id, &found)) return NULL;
    return (struct http_share *)(uintptr_t)found; /* NOLINT(performance-no-int-to-ptr) */
}

/* ---- those without a connection -------------------------------------------------------------- */

static void put_last(struct http_shares *shares, struct http_share *share)
{
    share->older = shares->newest;
    if (shares->newest) shares->newest->newer = share;
    if (!shares->oldest) shares->oldest = share;
    shares->newest = share;
}

static void take_out(struct http_shares *shares, struct http_share *share)
{
    if (share->older) share->older->newer = share->newer;
    if (share->newer) share->newer->older = share->older;
    if (shares->oldest == share) shares->oldest = share->newer;
    if (shares->newest == share) shares->newest = share->older;
    share->older = share->newer = NULL;
}

static void forget(struct http_shares *shares, struct http_share *share)
{
    take_out(shares, share);
    fl_map_remove(&shares->by_id, &share->id, sizeof share->id);
    fl_free(share);
}

/* A token whose requests are all due is as good as a new one. */
static void forget_the_old(struct http_shares *shares, int64_t now_us)
{
    while (shares->oldest && shares->oldest->due_ns <= now_us * 1000) {
        forget(shares, shares->oldest);
    }
}

void http_shares_fini(struct http_shares *shares)
{
    while (shares->oldest) {
        forget(shares, shares->oldest);
    }
    fl_assert(shares->by_id.len == 0 && shares->unsent_bytes == 0);
    fl_map_fini(&shares->by_id);
}

/* ---- the limits ------------------------------------------------------------------------------ */

static uint64_t limit_of(const struct http_limits *limits, size_t all)
{
    return (uint64_t)all * limits->token_percent / 100;
}

bool http_share_has_room(const struct http_shares *shares, const struct http_share *share,
                         size_t bytes)
{
    size_t unsent_bytes_max = shares->limits->unsent_bytes_max;

    if (!share || share->unsent_bytes == 0) return true;
    return share->unsent_bytes + bytes <= limit_of(shares->limits, unsent_bytes_max) &&
           shares->unsent_bytes + bytes <= unsent_bytes_max;
}

bool http_share_may_receive(const struct http_share *share, const struct http_limits *limits,
                            size_t before, size_t after)
{
    size_t others = share ? share->body_bytes - before : 0;

    return others == 0 || others + after <= limit_of(limits, limits->bodies_bytes_max);
}

/* A second's requests may come at once. */
static bool is_in_time(const struct http_shares *shares, const struct http_share *share,
                       int64_t now_us, int64_t *ret_due_ns)
{
    int64_t now_ns = now_us * 1000, step_ns = SECOND_NS / (int64_t)shares->limits->token_rate;
    int64_t due_ns = share && share->due_ns > now_ns ? share->due_ns : now_ns;

    *ret_due_ns = due_ns + step_ns;
    return *ret_due_ns <= now_ns + SECOND_NS;
}

enum http_claim http_share_claim(struct http_shares *shares, uint64_t id,
                                 struct http_share *current, int64_t now_us,
                                 struct http_share **ret_share)
{
    struct http_share *share = current && current->id == id ? current : find(shares, id);
    int64_t due_ns;

    fl_assert(id != 0);
    if (!is_in_time(shares, share, now_us, &due_ns)) return HTTP_CLAIM_RATE;
    if (share && share != current && share->connections > 0 &&
        share->connections >= limit_of(shares->limits, shares->limits->connections_max)) {
        return HTTP_CLAIM_CONNECTIONS;
    }
    if (!http_share_has_room(shares, share, 1)) return HTTP_CLAIM_UNSENT;
    if (!share) {
        forget_the_old(shares, now_us);
        share = fl_new(struct http_share);
        share->id = id;
        fl_map_put(&shares->by_id, &id, sizeof id, (uint64_t)(uintptr_t)share);
    } else if (share->connections == 0) {
        take_out(shares, share);
    }
    share->due_ns = due_ns;
    if (share != current) {
        share->connections++;
        http_share_leave(shares, current, now_us);
    }
    *ret_share = share;
    return HTTP_CLAIMED;
}

void http_share_leave(struct http_shares *shares, struct http_share *share, int64_t now_us)
{
    if (!share) return;
    fl_assert(share->connections > 0);
    if (--share->connections > 0) return;
    fl_assert(share->unsent_bytes == 0 && share->body_bytes == 0);
    put_last(shares, share);
    forget_the_old(shares, now_us);
}

void http_share_count(struct http_shares *shares, struct http_share *share, size_t before,
                      size_t after)
{
    shares->unsent_bytes = shares->unsent_bytes - before + after;
    if (share) share->unsent_bytes = share->unsent_bytes - before + after;
}
