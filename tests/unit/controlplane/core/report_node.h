/* report_node.h - the report of a node without resources that have names.
 * Uses cluster_table. */
#pragma once

#include "controlplane/core/cluster_table.h"

FL_CHECK static inline bool cluster_report_node(struct cluster_table *table,
                                                struct cluster *cluster, uint64_t stamp,
                                                uint32_t number, bool is_ready, struct fl_str name,
                                                struct fl_str labels, struct fl_resources total,
                                                struct fl_resources free)
{
    struct cluster_node_report report = {.stamp = stamp,
                                         .number = number,
                                         .is_ready = is_ready,
                                         .name = name,
                                         .labels = labels,
                                         .total = total,
                                         .free = free};

    return cluster_report(table, cluster, &report);
}
