#include "controlplane/core/sched/ever.h"

#include <string.h>

#include "controlplane/core/sched/nearest.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"

struct ever_memo {
    struct fl_cluster ever; /* could run it, as of 'ever_at'; none: not known */
    uint64_t ever_at;       /* a stamp of totals */
    uint64_t never_at;      /* no cluster whose totals have not changed since could */
    /* A search under way: since the stamp 'from_at', those before 'from' were asked. */
    uint32_t from;
    uint64_t from_at;
    uint64_t text_at;      /* 'text' is as of this stamp; 0: there is none */
    uint64_t text_request; /* its search was cut and had little left, in this request; 0: no */
    char text[NEAREST_TEXT_MAX];
};

/* ---- memory about shapes --------------------------------------------------------------------- */

static void forget(struct ever_memos *memos)
{
    for (size_t i = 0; i < memos->at.len; i++) {
        fl_free(memos->at.at[i]);
    }
    fl_vec_fini(&memos->at);
    fl_map_fini(&memos->by_bytes);
    *memos = (struct ever_memos){0};
}

void ever_fini(struct ever *ever)
{
    forget(&ever->young);
    forget(&ever->old);
}

/* The shape's memo among the older ones, now the caller's; a new one if it has none. */
static struct ever_memo *take_old(struct ever *ever, struct fl_str bytes)
{
    struct ever_memo *memo;
    uint64_t i;

    if (!fl_map_find(&ever->old.by_bytes, bytes.at, bytes.len, &i)) return fl_new(struct ever_memo);
    memo = ever->old.at.at[i];
    ever->old.at.at[i] = NULL;
    (void)fl_map_remove(&ever->old.by_bytes, bytes.at, bytes.len);
    return memo;
}

static struct ever_memo *need_memo(struct ever *ever, struct fl_str bytes)
{
    struct ever_memo *memo;
    uint64_t i;

    if (fl_map_find(&ever->young.by_bytes, bytes.at, bytes.len, &i)) return ever->young.at.at[i];
    memo = take_old(ever, bytes);
    if (ever->young.at.len == EVER_SHAPES_MAX / 2) {
        forget(&ever->old);
        ever->old = ever->young;
        ever->young = (struct ever_memos){0};
    }
    fl_map_put(&ever->young.by_bytes, bytes.at, bytes.len, ever->young.at.len);
    fl_vec_push(&ever->young.at, memo);
    return memo;
}

/* ---- whether a cluster's nodes are known ----------------------------------------------------- */

/* A node that is gone keeps its name for the live attempts on it, and has nothing. */
static bool has_nodes(const struct cluster *cluster)
{
    if (cluster->nodes.len == cluster->holes.len) return false;
    for (size_t i = 0; i < cluster->nodes.len; i++) {
        if (!fl_resources_is_zero(cluster->nodes.at[i].total)) return true;
    }
    return false;
}

bool ever_is_told(const struct cluster *cluster, fl_ms now)
{
    bool is_quiet =
        cluster->is_connected && cluster->told_len > 0 && now - cluster->told_at >= NODES_SETTLE_MS;

    if (!cluster->is_known || !(cluster->was_listed || is_quiet)) return false;
    if (cluster->has_shrunk && now - cluster->shrunk_at < CLUSTER_SHRUNK_MS) return false;
    return has_nodes(cluster);
}

/* Its room when empty is not known: nothing but the job's lists can leave it out. */
static bool is_open(const struct cluster *cluster, const struct shape *shape, fl_ms now)
{
    return cluster->state == CLUSTER_ENROLLED && !ever_is_told(cluster, now) &&
           !judge_is_excluded(cluster, shape);
}

/* ---- the search ------------------------------------------------------------------------------ */

void ever_begin(struct ever *ever, struct room *room, const struct cluster_table *clusters,
                const struct resource_table *resources)
{
    room_begin(room, clusters);
    ever->looks_left = EVER_LOOKS_MAX;
    ever->resources = resources;
    ever->request++;
}

/* A cluster that has not told its nodes is asked each time: no stamp says when it has.  Without
 * looks left the verdict stays what it was, and the next request asks. */
static bool still_could(const struct ever *ever, struct ever_memo *memo, struct room *room,
                        const struct shape_entry *entry, fl_ms now)
{
    const struct cluster *cluster;

    if (!memo->ever.n) return false;
    cluster = cluster_table_at(room->clusters, memo->ever);
    if (memo->ever_at >= cluster->totals_at || is_open(cluster, &entry->shape, now)) return true;
    if (room->looked >= ever->looks_left) return true;
    memo->ever_at = room->clusters->totals_at;
    if (judge_could_ever(room, memo->ever, entry)) return true;
    memo->ever.n = 0;
    return false;
}

/* EVER_UNJUDGED: it was cut. */
static enum ever_verdict search(struct ever *ever, struct ever_memo *memo, struct room *room,
                                const struct shape_entry *entry, fl_ms now)
{
    const struct cluster_table *clusters = room->clusters;

    for (; memo->from <= clusters->clusters.len; memo->from++) {
        struct fl_cluster id = {memo->from};
        const struct cluster *cluster = cluster_table_at(clusters, id);

        if (room->looked >= ever->looks_left) return EVER_UNJUDGED;
        room->looked += judge_cluster_looks(&entry->shape);
        if (cluster->totals_at <= memo->never_at) continue;
        if (is_open(cluster, &entry->shape, now)) {
            memo->ever = id;
            memo->ever_at = 0;
            return EVER_COULD;
        }
        if (!judge_could_ever(room, id, entry)) continue;
        memo->ever = id;
        memo->ever_at = clusters->totals_at;
        return EVER_COULD;
    }
    return EVER_NEVER;
}

static enum ever_verdict judge_anew(struct ever *ever, struct ever_memo *memo, struct room *room,
                                    const struct shape_entry *entry, fl_ms now)
{
    enum ever_verdict verdict = EVER_NEVER;

    if (still_could(ever, memo, room, entry, now)) return EVER_COULD;
    while (verdict == EVER_NEVER && memo->never_at != room->clusters->totals_at) {
        if (memo->from == 0) {
            memo->from = 1;
            memo->from_at = room->clusters->totals_at;
        }
        verdict = search(ever, memo, room, entry, now);
        if (verdict == EVER_NEVER) memo->never_at = memo->from_at;
        if (verdict != EVER_UNJUDGED) memo->from = 0;
    }
    return verdict;
}

/* A search that was cut, although it had all looks, would be cut again: its text is kept as any. */
static void find_text(struct ever *ever, struct ever_memo *memo, struct room *room,
                      const struct shape *shape)
{
    bool is_fresh = room->looked == 0, is_whole;

    if (memo->text_at == room->clusters->totals_at &&
        (memo->text_request == 0 || memo->text_request == ever->request)) {
        return;
    }
    is_whole = nearest_say(room, shape, ever->resources, ever->looks_left, memo->text);
    memo->text_at = room->clusters->totals_at;
    memo->text_request = is_whole || is_fresh ? 0 : ever->request;
}

enum ever_verdict ever_judge(struct ever *ever, struct room *room, const struct shape_entry *entry,
                             fl_ms now, const char **ret_text)
{
    struct ever_memo *memo = need_memo(ever, entry->bytes);
    enum ever_verdict verdict = judge_anew(ever, memo, room, entry, now);

    if (verdict == EVER_NEVER) find_text(ever, memo, room, &entry->shape);
    *ret_text = memo->text;
    return verdict;
}
