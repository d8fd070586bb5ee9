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
    uint64_t text_at; /* 'text' is as of this stamp; 0: there is none */
    char text[NEAREST_TEXT_MAX];
};

static void forget_all(struct ever *ever)
{
    for (size_t i = 0; i < ever->memos.len; i++) {
        fl_free(ever->memos.at[i]);
    }
    fl_vec_clear(&ever->memos);
    fl_map_fini(&ever->by_bytes);
}

void ever_fini(struct ever *ever)
{
    forget_all(ever);
    fl_vec_fini(&ever->memos);
}

void ever_begin(struct ever *ever, struct room *room, const struct cluster_table *clusters)
{
    room_begin(room, clusters);
    ever->looks_left = EVER_LOOKS_MAX;
}

bool ever_is_told(const struct cluster *cluster, fl_ms now)
{
    return cluster->is_known && (cluster->was_listed || now - cluster->told_at >= NODES_SETTLE_MS);
}

static struct ever_memo *need_memo(struct ever *ever, struct fl_str bytes)
{
    struct ever_memo *memo;
    uint64_t i;

    if (fl_map_find(&ever->by_bytes, bytes.at, bytes.len, &i)) return ever->memos.at[i];
    if (ever->memos.len == EVER_SHAPES_MAX) forget_all(ever);
    memo = fl_new(struct ever_memo);
    fl_map_put(&ever->by_bytes, bytes.at, bytes.len, ever->memos.len);
    fl_vec_push(&ever->memos, memo);
    return memo;
}

/* Its nodes are not all known: nothing but the job's lists can leave it out. */
static bool is_open(const struct cluster *cluster, const struct shape *shape, fl_ms now)
{
    return cluster->state == CLUSTER_ENROLLED && !ever_is_told(cluster, now) &&
           !judge_is_excluded(cluster, shape);
}

/* A cluster that has not told its nodes is asked each time: no stamp says when it has. */
static bool still_could(struct ever_memo *memo, struct room *room, const struct shape_entry *entry,
                        fl_ms now)
{
    const struct cluster *cluster;

    if (!memo->ever.n) return false;
    cluster = cluster_table_at(room->clusters, memo->ever);
    if (memo->ever_at >= cluster->totals_at || is_open(cluster, &entry->shape, now)) return true;
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
        room->looked++;
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

    if (still_could(memo, room, entry, now)) return EVER_COULD;
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

enum ever_verdict ever_judge(struct ever *ever, struct room *room, const struct shape_entry *entry,
                             fl_ms now, const char **ret_text)
{
    struct ever_memo *memo = need_memo(ever, entry->bytes);
    enum ever_verdict verdict = judge_anew(ever, memo, room, entry, now);

    if (verdict == EVER_NEVER && memo->text_at != room->clusters->totals_at) {
        bool is_whole = nearest_say(room, &entry->shape, ever->looks_left, memo->text);

        memo->text_at = is_whole ? room->clusters->totals_at : 0;
    }
    *ret_text = memo->text;
    return verdict;
}
