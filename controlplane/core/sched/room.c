#include "controlplane/core/sched/room.h"

void room_fini(struct room *room)
{
    for (size_t i = 0; i < room->at.len; i++) {
        struct room_cluster *cluster = &room->at.at[i];

        for (size_t n = 0; n < cluster->nodes.len; n++) {
            named_resources_fini(&cluster->nodes.at[n].named);
        }
        fl_vec_fini(&cluster->nodes);
        named_resources_fini(&cluster->named);
    }
    fl_vec_fini(&room->at);
    fl_vec_fini(&room->found);
    fl_vec_fini(&room->left);
    fl_vec_fini(&room->left_named);
}

void room_begin(struct room *room, const struct cluster_table *clusters)
{
    room->clusters = clusters;
    room->round++;
    room->looked = 0;
    while (room->at.len < clusters->clusters.len) {
        fl_vec_push(&room->at, (struct room_cluster){0});
    }
}

static struct room_cluster *change(struct room *room, struct fl_cluster id)
{
    struct room_cluster *changed = &room->at.at[id.n - 1];
    const struct cluster *cluster = cluster_table_at(room->clusters, id);

    if (changed->round == room->round) return changed;
    changed->round = room->round;
    changed->free_sum = cluster->free_sum;
    changed->claimed_sum = cluster->claimed_sum;
    named_resources_copy(&changed->named, &cluster->named);
    changed->claims_len = cluster->claims_len;
    changed->unconfirmed = cluster->unconfirmed;
    changed->cursor = cluster->node_cursor;
    while (changed->nodes.len < cluster->nodes.len) {
        fl_vec_push(&changed->nodes, (struct room_node){0});
    }
    return changed;
}

static struct room_node *change_node(struct room *room, struct fl_cluster id, uint32_t i)
{
    struct room_node *changed = &change(room, id)->nodes.at[i];
    const struct node *node = &cluster_table_at(room->clusters, id)->nodes.at[i];

    if (changed->round == room->round) return changed;
    changed->round = room->round;
    changed->free = node->free;
    changed->held = node->held;
    changed->guests = node->guests;
    changed->claimed = node->claimed;
    named_resources_copy(&changed->named, &node->named);
    return changed;
}

struct fl_resources room_empty(const struct room_node *changed, const struct node *node,
                               bool is_bare)
{
    struct fl_resources_sum claimed = changed ? changed->claimed : node->claimed;
    struct fl_resources_sum guests = changed ? changed->guests : node->guests;
    struct fl_resources_sum held = changed ? changed->held : node->held;
    struct fl_resources left;

    fl_resources_sum_add(&held, room_free(changed, node));
    left = fl_resources_sum_least(held, node->total);
    if (is_bare || fl_resources_sum_is_zero(claimed)) return left;
    fl_resources_take_most(&left, fl_resources_sum_least(guests, node->total));
    fl_resources_take_most(&left, fl_resources_sum_least(claimed, node->total));
    return left;
}

static bool is_claimed(const struct room_node *node)
{
    return !fl_resources_sum_is_zero(node->claimed) || named_resources_are_claimed(&node->named);
}

void room_take(struct room *room, struct fl_cluster id, uint32_t i, struct fl_resources each)
{
    const struct node *was = &cluster_table_at(room->clusters, id)->nodes.at[i];
    struct room_cluster *cluster = change(room, id);
    struct room_node *node = change_node(room, id, i);

    fl_resources_sum_take_most(&cluster->free_sum, fl_resources_least(each, node->free));
    fl_resources_take_most(&node->free, each);
    fl_resources_sum_add(&node->held, each);
    if (is_claimed(node) || cluster_node_is_claimed(was)) {
        fl_resources_sum_add(&node->guests, each);
    }
}

void room_take_named(struct room *room, struct fl_cluster id, uint32_t i,
                     struct named_requests wants)
{
    const struct node *was;
    struct room_cluster *cluster;
    struct room_node *node;

    if (wants.len == 0) return;
    was = &cluster_table_at(room->clusters, id)->nodes.at[i];
    cluster = change(room, id);
    node = change_node(room, id, i);
    for (uint32_t k = 0; k < wants.len; k++) {
        struct named_resource *resource, *sum;
        uint64_t taken;

        if (wants.amounts[k] == 0) continue;
        resource = named_resources_need(&node->named, wants.numbers[k]);
        sum = named_resources_need(&cluster->named, wants.numbers[k]);
        taken = named_resource_least(wants.amounts[k], resource->free);
        sum->free -= named_resource_least(taken, sum->free);
        resource->free -= taken;
        resource->held += wants.amounts[k];
        if (is_claimed(node) || cluster_node_is_claimed(was)) resource->guests += wants.amounts[k];
    }
}

void room_start(struct room *room, struct fl_cluster id, uint32_t cursor)
{
    struct room_cluster *cluster = change(room, id);

    cluster->unconfirmed++;
    cluster->cursor = cursor;
}

static void clear_guests(struct room_node *node)
{
    node->guests = (struct fl_resources_sum){0};
    for (uint8_t e = 0; e < node->named.len; e++) {
        node->named.at[e].guests = 0;
    }
}

void room_claim(struct room *room, struct fl_cluster id, const struct claim_part *parts,
                size_t parts_len, bool is_new)
{
    struct room_cluster *cluster = change(room, id);

    cluster->claims_len++;
    for (size_t i = 0; i < parts_len; i++) {
        struct room_node *node = change_node(room, id, parts[i].node);

        if (is_new && !is_claimed(node)) clear_guests(node);
        fl_resources_sum_add(&node->claimed, parts[i].room);
        fl_resources_sum_add(&cluster->claimed_sum, parts[i].room);
        for (uint32_t k = 0; k < parts[i].kinds_len; k++) {
            uint8_t number = parts[i].kind_numbers[k];

            if (parts[i].named[k] == 0) continue;
            named_resources_need(&node->named, number)->claimed += parts[i].named[k];
            named_resources_need(&cluster->named, number)->claimed += parts[i].named[k];
        }
    }
    room->looked += parts_len;
}

void room_unclaim(struct room *room, struct fl_cluster id, const struct claim_part *parts,
                  size_t parts_len)
{
    struct room_cluster *cluster = change(room, id);

    cluster->claims_len--;
    for (size_t i = 0; i < parts_len; i++) {
        struct room_node *node = change_node(room, id, parts[i].node);

        fl_resources_sum_take(&node->claimed, parts[i].room);
        fl_resources_sum_take(&cluster->claimed_sum, parts[i].room);
        for (uint32_t k = 0; k < parts[i].kinds_len; k++) {
            uint8_t number = parts[i].kind_numbers[k];

            if (parts[i].named[k] == 0) continue;
            named_resources_need(&node->named, number)->claimed -= parts[i].named[k];
            named_resources_need(&cluster->named, number)->claimed -= parts[i].named[k];
        }
    }
    room->looked += parts_len;
}
