#include "controlplane/core/sched/feasibility.h"

#include <string.h>

#include "controlplane/core/sched/refusal_words.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"

struct feasibility_memo {
    struct fl_cluster able; /* could run it, as of 'able_at'; none: not known */
    uint64_t able_at;       /* a stamp of totals */
    uint64_t never_at;      /* no cluster whose totals have not changed since could */
    /* A search under way: since the stamp 'from_at', those before 'from' were asked. */
    uint32_t from;
    uint64_t from_at;
    uint64_t text_at;      /* 'text' is as of this stamp; 0: there is none */
    uint64_t text_request; /* its search was cut and had little left, in this request; 0: no */
    char text[REFUSAL_WORDS_MAX];
};

/* ---- memory about shapes --------------------------------------------------------------------- */

static void forget(struct feasibility_memos *memos)
{
    for (size_t i = 0; i < memos->at.len; i++) {
        fl_free(memos->at.at[i]);
    }
    fl_vec_fini(&memos->at);
    fl_map_fini(&memos->by_bytes);
    *memos = (struct feasibility_memos){0};
}

void feasibility_fini(struct feasibility *feasibility)
{
    forget(&feasibility->young);
    forget(&feasibility->old);
}

/* The shape's memo among the older ones, now the caller's; a new one if it has none. */
static struct feasibility_memo *take_old(struct feasibility *feasibility, struct fl_str bytes)
{
    struct feasibility_memo *memo;
    uint64_t i;

    if (!fl_map_find(&feasibility->old.by_bytes, bytes.at, bytes.len, &i)) {
        return fl_new(struct feasibility_memo);
    }
    memo = feasibility->old.at.at[i];
    feasibility->old.at.at[i] = NULL;
    (void)fl_map_remove(&feasibility->old.by_bytes, bytes.at, bytes.len);
    return memo;
}

static struct feasibility_memo *need_memo(struct feasibility *feasibility, struct fl_str bytes)
{
    struct feasibility_memo *memo;
    uint64_t i;

    if (fl_map_find(&feasibility->young.by_bytes, bytes.at, bytes.len, &i)) {
        return feasibility->young.at.at[i];
    }
    memo = take_old(feasibility, bytes);
    if (feasibility->young.at.len == FEASIBILITY_SHAPES_MAX / 2) {
        forget(&feasibility->old);
        feasibility->old = feasibility->young;
        feasibility->young = (struct feasibility_memos){0};
    }
    fl_map_put(&feasibility->young.by_bytes, bytes.at, bytes.len, feasibility->young.at.len);
    fl_vec_push(&feasibility->young.at, memo);
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

bool feasibility_is_known(const struct cluster *cluster, fl_ms now)
{
    bool is_quiet = cluster->is_connected && !cluster->ends_nodes && !cluster->is_cut &&
                    cluster->told_len > 0 && now - cluster->told_at >= NODES_SETTLE_MS;

    if (!cluster->is_known || !(cluster->was_listed || is_quiet)) return false;
    if (cluster->has_shrunk && now - cluster->shrunk_at < CLUSTER_SHRUNK_MS) return false;
    return has_nodes(cluster);
}

/* Its room when empty is not known: nothing but the job's lists can leave it out. */
static bool is_open(const struct cluster *cluster, const struct shape *shape, fl_ms now)
{
    return cluster->state == CLUSTER_ENROLLED && !feasibility_is_known(cluster, now) &&
           !judge_is_excluded(cluster, shape);
}

/* ---- the search ------------------------------------------------------------------------------ */

void feasibility_begin(struct feasibility *feasibility, struct room *room,
                       const struct cluster_table *clusters, const struct resource_table *resources)
{
    room_begin(room, clusters);
    feasibility->looks_left = FEASIBILITY_LOOKS_MAX;
    feasibility->resources = resources;
    feasibility->request++;
}

/* A cluster that has not told its nodes is asked each time: no stamp says when it has.  Without
 * looks left the verdict stays what it was, and the next request asks. */
static bool still_could(const struct feasibility *feasibility, struct feasibility_memo *memo,
                        struct room *room, const struct shape_entry *entry, fl_ms now)
{
    const struct cluster *cluster;

    if (!memo->able.n) return false;
    cluster = cluster_table_at(room->clusters, memo->able);
    if (memo->able_at >= cluster->totals_at || is_open(cluster, &entry->shape, now)) return true;
    if (room->looked >= feasibility->looks_left) return true;
    memo->able_at = room->clusters->totals_at;
    if (judge_could_ever(room, memo->able, entry)) return true;
    memo->able.n = 0;
    return false;
}

/* FEASIBILITY_UNJUDGED: it was cut. */
static enum feasibility_verdict search(struct feasibility *feasibility,
                                       struct feasibility_memo *memo, struct room *room,
                                       const struct shape_entry *entry, fl_ms now)
{
    const struct cluster_table *clusters = room->clusters;

    for (; memo->from <= clusters->clusters.len; memo->from++) {
        struct fl_cluster id = {memo->from};
        const struct cluster *cluster = cluster_table_at(clusters, id);

        if (room->looked >= feasibility->looks_left) return FEASIBILITY_UNJUDGED;
        room->looked += judge_cluster_looks(&entry->shape);
        if (cluster->totals_at <= memo->never_at) continue;
        if (is_open(cluster, &entry->shape, now)) {
            memo->able = id;
            memo->able_at = 0;
            return FEASIBILITY_COULD;
        }
        if (!judge_could_ever(room, id, entry)) continue;
        memo->able = id;
        memo->able_at = clusters->totals_at;
        return FEASIBILITY_COULD;
    }
    return FEASIBILITY_NEVER;
}

static enum feasibility_verdict judge_anew(struct feasibility *feasibility,
                                           struct feasibility_memo *memo, struct room *room,
                                           const struct shape_entry *entry, fl_ms now)
{
    enum feasibility_verdict verdict = FEASIBILITY_NEVER;

    if (still_could(feasibility, memo, room, entry, now)) return FEASIBILITY_COULD;
    while (verdict == FEASIBILITY_NEVER && memo->never_at != room->clusters->totals_at) {
        if (memo->from == 0) {
            memo->from = 1;
            memo->from_at = room->clusters->totals_at;
        }
        verdict = search(feasibility, memo, room, entry, now);
        if (verdict == FEASIBILITY_NEVER) memo->never_at = memo->from_at;
        if (verdict != FEASIBILITY_UNJUDGED) memo->from = 0;
    }
    return verdict;
}

/* A search that was cut, although it had all looks, would be cut again: its text is kept as any. */
static void find_text(struct feasibility *feasibility, struct feasibility_memo *memo,
                      struct room *room, const struct shape *shape)
{
    bool is_fresh = room->looked == 0, is_whole;

    if (memo->text_at == room->clusters->totals_at &&
        (memo->text_request == 0 || memo->text_request == feasibility->request)) {
        return;
    }
    is_whole = refusal_words_write(room, shape, feasibility->resources, feasibility->looks_left,
                                   memo->text);
    memo->text_at = room->clusters->totals_at;
    memo->text_request = is_whole || is_fresh ? 0 : feasibility->request;
}

enum feasibility_verdict feasibility_judge(struct feasibility *feasibility, struct room *room,
                                           const struct shape_entry *entry, fl_ms now,
                                           const char **ret_text)
{
    struct feasibility_memo *memo = need_memo(feasibility, entry->bytes);
    enum feasibility_verdict verdict = judge_anew(feasibility, memo, room, entry, now);

    if (verdict == FEASIBILITY_NEVER) find_text(feasibility, memo, room, &entry->shape);
    *ret_text = memo->text;
    return verdict;
}
