#include "controlplane/views/directory.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/views/view_feed.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { CLUSTER_REMOVED_STATE = 2 }; /* CLUSTER_REMOVED of core/cluster.h, as rows have it */

struct queue {
    uint32_t id;
    bool is_removed, is_paused, has_default_cpu;
    uint32_t default_cpu_milli;
    char name[64];
};

struct directory {
    struct view_feed feed;
    FL_VEC(struct queue) queues;                             /* sorted by id */
    FL_VEC(struct directory_cluster) clusters;               /* sorted by id */
    struct fl_map queue_names, cluster_names, cluster_uuids; /* to the id */
};

void directory_destroy(struct directory *directory)
{
    if (!directory) return;
    fl_vec_fini(&directory->queues);
    fl_vec_fini(&directory->clusters);
    fl_map_fini(&directory->queue_names);
    fl_map_fini(&directory->cluster_names);
    fl_map_fini(&directory->cluster_uuids);
    view_feed_fini(&directory->feed);
    fl_free(directory);
}

static struct queue *find_queue(struct directory *directory, uint32_t id)
{
    size_t i = fl_vec_lower_bound(&directory->queues, id, id);

    return i < directory->queues.len && directory->queues.at[i].id == id ? &directory->queues.at[i]
                                                                         : NULL;
}

static void put_queue(struct directory *directory, const struct row_queue_put *put)
{
    struct queue *known = find_queue(directory, put->queue);
    struct queue queue = {.id = put->queue,
                          .is_removed = put->is_removed,
                          .is_paused = put->is_paused,
                          .has_default_cpu = put->has_default_cpu,
                          .default_cpu_milli = put->default_cpu_milli};

    if (known) { /* its name stays */
        memcpy(queue.name, known->name, sizeof queue.name);
        *known = queue;
        return;
    }
    snprintf(queue.name, sizeof queue.name, FL_STR_FMT, FL_STR_ARG(put->name));
    fl_vec_insert(&directory->queues, fl_vec_lower_bound(&directory->queues, id, queue.id), queue);
    fl_map_put(&directory->queue_names, put->name.at, put->name.len, queue.id);
}

static void forget_names(struct directory *directory, const struct directory_cluster *cluster)
{
    struct fl_str name = fl_str_c(cluster->name), uuid = fl_str_c(cluster->uuid);
    uint64_t id;

    if (fl_map_find(&directory->cluster_names, name.at, name.len, &id) &&
        id == cluster->cluster.n) {
        fl_map_remove(&directory->cluster_names, name.at, name.len);
    }
    if (fl_map_find(&directory->cluster_uuids, uuid.at, uuid.len, &id) &&
        id == cluster->cluster.n) {
        fl_map_remove(&directory->cluster_uuids, uuid.at, uuid.len);
    }
}

static void put_cluster(struct directory *directory, const struct row_cluster_put *put)
{
    struct fl_cluster id = {put->cluster};
    struct fl_str name = put->name, uuid = put->uuid, uid = put->uid;
    size_t i = fl_vec_lower_bound(&directory->clusters, cluster.n, id.n);
    bool is_removed = put->state == CLUSTER_REMOVED_STATE;
    struct directory_cluster cluster = {.cluster = id,
                                        .access = is_removed ? CORE_ACCESS_revoked : put->access,
                                        .is_removed = is_removed};

    snprintf(cluster.name, sizeof cluster.name, FL_STR_FMT, FL_STR_ARG(name));
    snprintf(cluster.uuid, sizeof cluster.uuid, FL_STR_FMT, FL_STR_ARG(uuid));
    snprintf(cluster.uid, sizeof cluster.uid, FL_STR_FMT, FL_STR_ARG(uid));
    if (i < directory->clusters.len && directory->clusters.at[i].cluster.n == id.n) {
        forget_names(directory, &directory->clusters.at[i]);
        directory->clusters.at[i] = cluster;
    } else {
        fl_vec_insert(&directory->clusters, i, cluster);
    }
    fl_map_put(&directory->cluster_names, name.at, name.len, id.n);
    if (uuid.len > 0) fl_map_put(&directory->cluster_uuids, uuid.at, uuid.len, id.n);
}

static void fold(void *view, const struct row *row)
{
    struct directory *directory = view;
    const struct row_cluster_put *put = &row->cluster_put;

    if (row->kind == ROW_queue_put) {
        put_queue(directory, &row->queue_put);
    } else if (row->kind == ROW_cluster_put) {
        put_cluster(directory, put);
    }
}

struct directory *directory_create(void)
{
    struct directory *directory = fl_new(struct directory);

    view_feed_init(&directory->feed, fold, directory);
    return directory;
}

void directory_apply(struct directory *directory, const struct row *row)
{
    if (row->kind != ROW_queue_put && row->kind != ROW_cluster_put) return;
    view_feed_push(&directory->feed, row);
}

/* No queue or cluster is ever forgotten: the store's rows only add to it. */
void directory_refill_begin(struct directory *directory)
{
    (void)directory;
}

void directory_refill_row(struct directory *directory, const struct row *row)
{
    view_feed_lock(&directory->feed);
    fold(directory, row);
    view_feed_unlock(&directory->feed);
}

void directory_refill_end(struct directory *directory)
{
    (void)directory;
}

bool directory_queue_name(struct directory *directory, struct fl_queue_id queue, char ret_name[64])
{
    const struct queue *known;

    view_feed_lock(&directory->feed);
    known = find_queue(directory, queue.n);
    if (known) memcpy(ret_name, known->name, sizeof known->name);
    view_feed_unlock(&directory->feed);
    return known != NULL;
}

bool directory_queue_is_removed(struct directory *directory, struct fl_queue_id queue)
{
    const struct queue *known;
    bool is_removed;

    view_feed_lock(&directory->feed);
    known = find_queue(directory, queue.n);
    is_removed = known && known->is_removed;
    view_feed_unlock(&directory->feed);
    return is_removed;
}

bool directory_queue_is_paused(struct directory *directory, struct fl_queue_id queue)
{
    const struct queue *known;
    bool is_paused;

    view_feed_lock(&directory->feed);
    known = find_queue(directory, queue.n);
    is_paused = known && known->is_paused;
    view_feed_unlock(&directory->feed);
    return is_paused;
}

bool directory_queue_default_cpu(struct directory *directory, struct fl_queue_id queue,
                                 uint32_t *ret_milli)
{
    const struct queue *known;
    bool has_one;

    view_feed_lock(&directory->feed);
    known = find_queue(directory, queue.n);
    has_one = known && known->has_default_cpu;
    if (has_one) *ret_milli = known->default_cpu_milli;
    view_feed_unlock(&directory->feed);
    return has_one;
}

bool directory_queue_id(struct directory *directory, struct fl_str name,
                        struct fl_queue_id *ret_queue)
{
    uint64_t id = 0;
    bool is_known;

    view_feed_lock(&directory->feed);
    is_known = fl_map_find(&directory->queue_names, name.at, name.len, &id);
    view_feed_unlock(&directory->feed);
    if (is_known) ret_queue->n = (uint32_t)id;
    return is_known;
}

static bool copy_cluster(const struct directory *directory, uint64_t id,
                         struct directory_cluster *ret_cluster)
{
    size_t i = fl_vec_lower_bound(&directory->clusters, cluster.n, (uint32_t)id);

    if (i == directory->clusters.len || directory->clusters.at[i].cluster.n != id) return false;
    *ret_cluster = directory->clusters.at[i];
    return true;
}

bool directory_cluster(struct directory *directory, struct fl_cluster cluster,
                       struct directory_cluster *ret_cluster)
{
    bool is_known;

    view_feed_lock(&directory->feed);
    is_known = copy_cluster(directory, cluster.n, ret_cluster);
    view_feed_unlock(&directory->feed);
    return is_known;
}

static bool find_cluster(struct directory *directory, const struct fl_map *map, struct fl_str key,
                         struct directory_cluster *ret_cluster)
{
    uint64_t id;
    bool is_known;

    view_feed_lock(&directory->feed);
    is_known = fl_map_find(map, key.at, key.len, &id) && copy_cluster(directory, id, ret_cluster);
    view_feed_unlock(&directory->feed);
    return is_known;
}

bool directory_cluster_named(struct directory *directory, struct fl_str name,
                             struct directory_cluster *ret_cluster)
{
    return find_cluster(directory, &directory->cluster_names, name, ret_cluster);
}

bool directory_cluster_uuid(struct directory *directory, struct fl_str uuid,
                            struct directory_cluster *ret_cluster)
{
    return find_cluster(directory, &directory->cluster_uuids, uuid, ret_cluster);
}
