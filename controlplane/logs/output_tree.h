/* output_tree.h - outputs in the order of their keys, so that those of a job, an element or an
 * attempt stand together.  A treap: each node's rank is a hash of its key, so its depth is that of
 * a random tree, and it needs no balancing.  Nodes are fields of their owners.
 * Not thread-safe: the index's lock guards it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controlplane/logs/key.h"

struct log_output_node {
    struct log_key key;
    uint64_t rank;
    struct log_output_node *less, *more;
};

struct log_output_tree {
    struct log_output_node *root;
};

/* node->key is set, and not in the tree. */
void log_output_tree_add(struct log_output_tree *tree, struct log_output_node *node);
void log_output_tree_remove(struct log_output_tree *tree, const struct log_output_node *node);

/* The first node whose key is not less; with 'is_behind' the first whose key is greater.  NULL: all
 * are before it. */
struct log_output_node *log_output_tree_from(const struct log_output_tree *tree,
                                             const struct log_key *key, bool is_behind);
