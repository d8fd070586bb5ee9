#include "controlplane/tunnel/cluster_index.h"

void cluster_index_fini(struct cluster_index *index)
{
    fl_map_fini(&index->first);
}

struct cluster_link *cluster_index_first(const struct cluster_index *index,
                                         struct fl_cluster cluster)
{
    uint64_t found = 0;

    return fl_map_find(&index->first, &cluster.n, sizeof cluster.n, &found)
               ? (struct cluster_link *)(uintptr_t)found
               : NULL;
}

static void set_first(struct cluster_index *index, struct fl_cluster cluster,
                      struct cluster_link *link)
{
    if (link) {
        fl_map_put(&index->first, &cluster.n, sizeof cluster.n, (uint64_t)(uintptr_t)link);
    } else {
        (void)fl_map_remove(&index->first, &cluster.n, sizeof cluster.n);
    }
}

void cluster_index_remove(struct cluster_index *index, struct cluster_link *link)
{
    if (link->cluster.n == 0) return;
    if (link->prev) {
        link->prev->next = link->next;
    } else {
        set_first(index, link->cluster, link->next);
    }
    if (link->next) link->next->prev = link->prev;
    *link = (struct cluster_link){0};
}

void cluster_index_put(struct cluster_index *index, struct cluster_link *link,
                       struct fl_cluster cluster)
{
    if (link->cluster.n == cluster.n) return;
    cluster_index_remove(index, link);
    if (cluster.n == 0) return;
    link->cluster = cluster;
    link->next = cluster_index_first(index, cluster);
    if (link->next) link->next->prev = link;
    set_first(index, cluster, link);
}
