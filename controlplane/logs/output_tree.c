#include "controlplane/logs/output_tree.h"

#include <stddef.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"

static uint64_t rank_of(const struct log_key *key)
{
    uint8_t bytes[LOG_KEY_BYTES];

    log_key_put(bytes, key);
    return fl_hash64(0, bytes, sizeof(bytes));
}

void log_output_tree_add(struct log_output_tree *tree, struct log_output_node *node)
{
    struct log_output_node **link = &tree->root;
    struct log_output_node **less = &node->less;
    struct log_output_node **more = &node->more;
    struct log_output_node *rest;

    node->rank = rank_of(&node->key);
    while (*link && (*link)->rank > node->rank) {
        link = log_key_cmp(&node->key, &(*link)->key) < 0 ? &(*link)->less : &(*link)->more;
    }
    rest = *link;
    *link = node;
    while (rest) { /* the tree that stood there goes to the node's two sides */
        if (log_key_cmp(&rest->key, &node->key) < 0) {
            *less = rest;
            less = &rest->more;
            rest = rest->more;
        } else {
            *more = rest;
            more = &rest->less;
            rest = rest->less;
        }
    }
    *less = *more = NULL;
}

void log_output_tree_remove(struct log_output_tree *tree, const struct log_output_node *node)
{
    struct log_output_node **link = &tree->root;
    struct log_output_node *less = node->less;
    struct log_output_node *more = node->more;

    while (*link != node) {
        fl_assert(*link); /* the node is in the tree */
        link = log_key_cmp(&node->key, &(*link)->key) < 0 ? &(*link)->less : &(*link)->more;
    }
    while (less && more) { /* the two sides become one tree */
        if (less->rank > more->rank) {
            *link = less;
            link = &less->more;
            less = less->more;
        } else {
            *link = more;
            link = &more->less;
            more = more->less;
        }
    }
    *link = less ? less : more;
}

struct log_output_node *log_output_tree_from(const struct log_output_tree *tree,
                                             const struct log_key *key, bool is_behind)
{
    struct log_output_node *found = NULL;
    struct log_output_node *node = tree->root;

    while (node) {
        int order = log_key_cmp(&node->key, key);

        if (order > 0 || (order == 0 && !is_behind)) {
            found = node;
            node = node->less;
        } else {
            node = node->more;
        }
    }
    return found;
}
