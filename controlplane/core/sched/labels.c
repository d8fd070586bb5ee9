#include "controlplane/core/sched/labels.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/node_affinity.h"

bool labels_are_asked_for(const struct shape *shape)
{
    return shape->node_labels_len > 0 || shape->affinity.len > 0;
}

bool labels_carry(const struct node *node, const struct shape_label *label)
{
    struct fl_str labels = node->labels;

    while (labels.len > 0) {
        const char *end = memchr(labels.at, '\n', labels.len);
        size_t len = end ? (size_t)(end - labels.at) : labels.len;

        if (len == label->key.len + 1 + label->value.len &&
            memcmp(labels.at, label->key.at, label->key.len) == 0 &&
            labels.at[label->key.len] == '=' &&
            (label->value.len == 0 ||
             memcmp(labels.at + label->key.len + 1, label->value.at, label->value.len) == 0)) {
            return true;
        }
        len += end ? 1 : 0;
        labels.at += len;
        labels.len -= len;
    }
    return false;
}

bool labels_match_affinity(const struct node *node, const struct shape *shape)
{
    return fl_node_affinity_matches(shape->affinity, node->labels);
}

bool labels_match(const struct node *node, const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        if (!labels_carry(node, &shape->node_labels[i])) return false;
    }
    return shape->affinity.len == 0 || labels_match_affinity(node, shape);
}

uint64_t labels_looks(const struct node *node)
{
    return 1 + node->labels.len / 512;
}

uint64_t labels_affinity_looks(const struct node *node, const struct shape *shape)
{
    if (shape->affinity.len == 0) return 0;
    return 1 + shape->affinity.len * (64 + node->labels.len) / 4096;
}

void labels_affinity_words(const struct shape *shape, char ret_text[LABELS_WORDS_MAX])
{
    struct fl_str terms = shape->affinity;
    const char *between = "";
    int len = 0;

    ret_text[0] = '\0';
    while (terms.len > 0 && len < LABELS_WORDS_MAX) {
        struct fl_str term = fl_str_cut(&terms, '\n');

        len += snprintf(ret_text + len, (size_t)(LABELS_WORDS_MAX - len), "%s" FL_STR_FMT, between,
                        FL_STR_ARG(term));
        between = " or ";
    }
    if (len >= LABELS_WORDS_MAX) {
        memcpy(ret_text + LABELS_WORDS_MAX - sizeof "...", "...", sizeof "...");
    }
}
