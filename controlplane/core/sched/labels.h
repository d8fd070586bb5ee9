/* labels.h - whether a node's labels, as its agent reported them, are those that a shape asks for:
 * its node labels, and its affinity beside them.
 * Uses cluster_table and shape_table. */
#pragma once

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/shape_table.h"

bool labels_are_asked_for(const struct shape *shape);

/* Whether the node carries one. */
bool labels_carry(const struct node *node, const struct shape_label *label);
/* Whether it carries all that the shape asks for, and matches its affinity. */
bool labels_match(const struct node *node, const struct shape *shape);
/* Whether it matches the affinity; the shape has one. */
bool labels_match_affinity(const struct node *node, const struct shape *shape);

/* The price, in looks, to compare one label with the node's; and the affinity, which is 0 without
 * one. */
uint64_t labels_looks(const struct node *node);
uint64_t labels_affinity_looks(const struct node *node, const struct shape *shape);

enum { LABELS_WORDS_MAX = 161 }; /* with the zero byte */
/* The affinity as "zone in (a,b) or gpu,!slow"; a longer one ends in dots. */
void labels_affinity_words(const struct shape *shape, char ret_text[LABELS_WORDS_MAX]);
