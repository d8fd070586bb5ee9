/* cluster_index.h - the connections of a front by cluster, so that a WELCOME looks only at those of
 * its own.  The link is a field of the connection.  Uses shared/base only.  Not thread-safe. */
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

void cluster_index_fini(struct cluster_index *index); /* does not touch the links */

/* Puts the link under this cluster and takes it off any other. */
void cluster_index_put(struct cluster_index *index, struct cluster_link *link,
                       struct fl_cluster cluster);
/* Fine if the link is in no index. */
void cluster_index_remove(struct cluster_index *index, struct cluster_link *link);

/* The cluster's newest connection; older ones follow by 'next'.  NULL: it has none. */
struct cluster_link *cluster_index_first(const struct cluster_index *index,
                                         struct fl_cluster cluster);
