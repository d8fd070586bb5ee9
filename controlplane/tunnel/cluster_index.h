/* cluster_index.h - which connections of a front speak for a cluster: a WELCOME looks at these, not
 * at all.  The link lives in the connection.  Uses shared/base only.  Not thread-safe. */
#pragma once

#include "shared/base/map.h"
#include "shared/base/types.h"

struct cluster_link {
    struct fl_cluster cluster; /* 0: in no index */
    struct cluster_link *next, *prev;
};

struct cluster_index { /* {0} is empty */
    struct fl_map first;
};

void cluster_index_fini(struct cluster_index *index); /* the links stay as they are */

/* Under this cluster, and under no other any more. */
void cluster_index_put(struct cluster_index *index, struct cluster_link *link,
                       struct fl_cluster cluster);
void cluster_index_remove(struct cluster_index *index, struct cluster_link *link); /* none: fine */

/* Then by 'next'; NULL: none.  Newest first. */
struct cluster_link *cluster_index_first(const struct cluster_index *index,
                                         struct fl_cluster cluster);
