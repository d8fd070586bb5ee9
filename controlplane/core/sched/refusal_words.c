#include "controlplane/core/sched/refusal_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/resource_table.h"
#include "controlplane/core/sched/labels.h"
#include "controlplane/core/sched/tolerance.h"
#include "shared/base/resource_name.h"

enum {
    CPU,
    MEMORY,
    GPUS,
    NAMED, /* and the resources with names, in the shape's order */
    DIMENSIONS_MAX = NAMED + SHAPE_KINDS_MAX,
    NAMES_MAX = 3, /* clusters, or amounts, that one sentence names */
    PIECE_MAX = 160,
    TAINT_PIECE_MAX = 64,
};

/* The most that a node has of something, and its cluster. */
struct most {
    uint64_t amount;
    const struct cluster *cluster;
};

/* All that was seen of the clusters. */
struct seen {
    const struct shape *shape;
    const struct resource_table *resources;
    uint32_t enrolled, allowed, with_images; /* each counts among those before it */
    bool has_node;                           /* one that carries all its labels and matches */
    bool has_labelled;                       /* one that carries all its labels */
    bool labels[SHAPE_NODE_LABELS_MAX];      /* some node carries it */
    const struct cluster *tainted;           /* taints alone keep it off there; NULL: nowhere */
    struct judge_kept_off off;               /* ... and these do */
    struct most most[DIMENSIONS_MAX];
    struct most at_once; /* replicas of the first role, which is the only one */
    const struct cluster *names[NAMES_MAX];
    bool offered[RESOURCES_MAX + 1]; /* by number: some node has it, by its name only */
};

/* A text that is filled from its front and ends where there is no room. */
struct text {
    char *at;
    size_t len;
};

FL_PRINTF(2, 3) static void add(struct text *text, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text->at + text->len, REFUSAL_WORDS_MAX - text->len, fmt, args);
    va_end(args);
    if (len > 0) text->len += (size_t)len;
    if (text->len >= REFUSAL_WORDS_MAX) text->len = REFUSAL_WORDS_MAX - 1;
}

/* ---- looking --------------------------------------------------------------------------------- */

static uint64_t amount_of(const struct shape_role *role, uint32_t d)
{
    if (d == CPU) return role->each.cpu_milli;
    if (d == MEMORY) return role->each.memory_bytes;
    return d == GPUS ? role->each.gpus : role->named[d - NAMED];
}

static uint64_t has_of(const struct shape *shape, const struct node *node, uint32_t d)
{
    const struct named_resource *resource;

    if (d == CPU) return node->total.cpu_milli;
    if (d == MEMORY) return node->total.memory_bytes;
    if (d == GPUS) return node->total.gpus;
    resource = named_resources_find(&node->named, shape->kind_numbers[d - NAMED]);
    return resource ? resource->total : 0;
}

static uint32_t dimensions_of(const struct shape *shape)
{
    return NAMED + shape->kinds_len;
}

/* Whether it carries all and matches; those that some node carries are noted on the way. */
static bool see_labels(struct seen *seen, struct room *room, const struct node *node)
{
    bool has_all = true;

    for (uint32_t i = 0; i < seen->shape->node_labels_len; i++) {
        bool has;

        if (!has_all && seen->labels[i]) continue;
        room->looked += labels_looks(node);
        has = labels_carry(node, &seen->shape->node_labels[i]);
        has_all = has_all && has;
        if (has) seen->labels[i] = true;
    }
    seen->has_labelled = seen->has_labelled || has_all;
    if (!has_all || seen->shape->affinity.len == 0) return has_all;
    room->looked += labels_affinity_looks(node, seen->shape);
    return labels_match_affinity(node, seen->shape);
}

static void see_named(struct seen *seen, const struct node *node)
{
    for (uint8_t e = 0; e < node->named.len; e++) {
        const struct named_resource *resource = &node->named.at[e];

        if (resource->total > 0 && resource->number <= RESOURCES_MAX) {
            seen->offered[resource->number] = true;
        }
    }
}

/* How many replicas of the role the node holds when empty. */
static uint64_t slots_of(const struct shape *shape, const struct node *node)
{
    const struct shape_role *role = &shape->roles[0];
    uint64_t count = role->replicas;

    for (uint32_t d = 0; d < dimensions_of(shape); d++) {
        uint64_t wants = amount_of(role, d), fits;

        if (wants == 0) continue;
        fits = has_of(shape, node, d) / wants;
        if (fits < count) count = fits;
    }
    return count;
}

/* Whether taints let some replica in. */
static bool see_taints(struct tolerance *tolerance, struct room *room, const struct node *node)
{
    if (node->taints.len == 0) return true;
    room->looked += tolerance->shape->roles_len * tolerance_looks(node, tolerance->shape);
    return tolerance_has_any(tolerance, node);
}

static void raise(struct most *most, uint64_t amount, const struct cluster *cluster)
{
    if (most->cluster && amount <= most->amount) return;
    *most = (struct most){amount, cluster};
}

/* False: cut.  A look is a node, and each label of it that is compared. */
static bool see_nodes(struct seen *seen, struct room *room, const struct cluster *cluster,
                      uint64_t looks_max)
{
    struct tolerance tolerance;
    uint64_t slots = 0;

    tolerance_init(&tolerance, seen->shape);
    for (uint32_t i = 0; i < cluster->nodes.len; i++) {
        const struct node *node = &cluster->nodes.at[i];

        if (room->looked >= looks_max) return false;
        room->looked++;
        if (node->name.len == 0 || !see_labels(seen, room, node)) continue;
        seen->has_node = true;
        if (!see_taints(&tolerance, room, node)) continue;
        for (uint32_t d = 0; d < dimensions_of(seen->shape); d++) {
            raise(&seen->most[d], has_of(seen->shape, node, d), cluster);
        }
        see_named(seen, node);
        slots += slots_of(seen->shape, node);
    }
    raise(&seen->at_once, slots, cluster);
    return true;
}

static bool may_hold(const struct cluster *cluster, const struct shape *shape)
{
    return cluster->state == CLUSTER_ENROLLED && judge_allows(cluster, shape);
}

/* Without their nodes.  False: cut. */
static bool see_clusters(struct seen *seen, struct room *room, uint64_t looks_max)
{
    const struct cluster_table *clusters = room->clusters;

    for (struct fl_cluster id = {1}; id.n <= clusters->clusters.len; id.n++) {
        const struct cluster *cluster = cluster_table_at(clusters, id);

        if (room->looked >= looks_max) return false;
        room->looked += judge_cluster_looks(seen->shape);
        if (cluster->state != CLUSTER_ENROLLED) continue;
        if (seen->enrolled < NAMES_MAX) seen->names[seen->enrolled] = cluster;
        seen->enrolled++;
        if (judge_is_excluded(cluster, seen->shape)) continue;
        seen->allowed++;
        seen->with_images += cluster->has_images || !seen->shape->has_image;
    }
    return true;
}

static bool see_all_nodes(struct seen *seen, struct room *room, uint64_t looks_max)
{
    const struct cluster_table *clusters = room->clusters;

    for (struct fl_cluster id = {1}; id.n <= clusters->clusters.len; id.n++) {
        const struct cluster *cluster = cluster_table_at(clusters, id);

        if (room->looked >= looks_max) return false;
        room->looked += judge_cluster_looks(seen->shape);
        if (!may_hold(cluster, seen->shape)) continue;
        if (!see_nodes(seen, room, cluster, looks_max)) return false;
        if (seen->tainted) continue;
        if (judge_keeps_off(room, id, seen->shape, &seen->off)) seen->tainted = cluster;
    }
    return true;
}

/* ---- saying ---------------------------------------------------------------------------------- */

/* A wish is rounded up, and an amount that is there down. */
static void add_amount(struct text *text, const struct shape *shape, uint32_t d, uint64_t amount,
                       bool is_up)
{
    bool is_bytes = d == MEMORY || (d >= NAMED && fl_is_bytes_resource(shape->kinds[d - NAMED]));

    if (d == CPU && amount % 1000 == 0) {
        add(text, "%" PRIu64, amount / 1000);
    } else if (d == CPU) {
        add(text, "%" PRIu64 ".%03" PRIu64, amount / 1000, amount % 1000);
    } else if (is_bytes) {
        add(text, "%" PRIu64 " MiB",
            (amount >> 20) + (is_up && (amount & ((1U << 20) - 1)) != 0 ? 1 : 0));
    } else {
        add(text, "%" PRIu64, amount);
    }
}

static void add_unit(struct text *text, const struct shape *shape, uint32_t d)
{
    static const char *const units[] = {[CPU] = " CPUs", [MEMORY] = " memory", [GPUS] = " GPUs"};

    if (d < NAMED) {
        add(text, "%s", units[d]);
    } else {
        add(text, " " FL_STR_FMT, FL_STR_ARG(shape->kinds[d - NAMED]));
    }
}

/* The largest replica's part of it. */
static uint64_t wanted_of(const struct shape *shape, uint32_t d)
{
    uint64_t most = 0;

    for (uint32_t r = 0; r < shape->roles_len; r++) {
        uint64_t amount = amount_of(&shape->roles[r], d);

        if (amount > most) most = amount;
    }
    return most;
}

/* The amounts that no node has, the first few of them; 0: there is none. */
static uint32_t find_too_large(const struct seen *seen, uint32_t ret[NAMES_MAX])
{
    uint32_t len = 0;

    for (uint32_t d = 0; d < dimensions_of(seen->shape) && len < NAMES_MAX; d++) {
        if (wanted_of(seen->shape, d) > seen->most[d].amount) ret[len++] = d;
    }
    return len;
}

/* Other nodes were not looked at. */
static const char *scope_of(const struct shape *shape)
{
    if (labels_are_asked_for(shape)) return " with its labels";
    if (shape->clusters_len + shape->not_clusters_len > 0 || shape->has_image) {
        return " that it may go to";
    }
    return "";
}

bool refusal_words_accelerators(const struct resource_table *resources,
                                const bool offered[RESOURCES_MAX + 1],
                                char ret_text[REFUSAL_WORDS_MAX])
{
    struct text text = {.at = ret_text};
    const char *between = "accelerators are there by name only (";
    uint32_t len = 0;

    for (uint32_t number = 1; number <= RESOURCES_MAX && len < NAMES_MAX; number++) {
        struct fl_str name;

        if (!offered[number]) continue;
        name = resource_table_name(resources, (uint8_t)number);
        if (!fl_is_accelerator_resource(name)) continue;
        add(&text, "%s" FL_STR_FMT, between, FL_STR_ARG(name));
        between = ", ";
        len++;
    }
    add(&text,
        "): ask for one of these, or let the agent's kube_accelerator say which of them gpus "
        "are");
    return len > 0;
}

static void say_amounts(const struct seen *seen, const uint32_t *large, uint32_t len,
                        struct text *text)
{
    const struct shape *shape = seen->shape;
    const char *begin = "a replica asks for ", *scope = scope_of(shape);
    const char *less = "; ask for at most", *out = "; leave out";
    char accelerators[REFUSAL_WORDS_MAX];

    for (uint32_t i = 0; i < len; i++) {
        uint32_t d = large[i];

        add(text, "%s", begin);
        add_amount(text, shape, d, wanted_of(shape, d), true);
        add_unit(text, shape, d);
        if (seen->most[d].amount == 0) {
            add(text, ", and no node%s has any", scope);
        } else {
            add(text, ", and the largest node%s (%s) has ", scope, seen->most[d].cluster->name);
            add_amount(text, shape, d, seen->most[d].amount, false);
        }
        begin = "; for ";
    }
    for (uint32_t i = 0; i < len; i++) {
        if (seen->most[large[i]].amount == 0) continue;
        add(text, "%s ", less);
        add_amount(text, shape, large[i], seen->most[large[i]].amount, false);
        add_unit(text, shape, large[i]);
        less = ",";
    }
    for (uint32_t i = 0; i < len; i++) {
        if (seen->most[large[i]].amount != 0) continue;
        if (large[i] == GPUS &&
            refusal_words_accelerators(seen->resources, seen->offered, accelerators)) {
            add(text, "; %s", accelerators);
            continue;
        }
        add(text, "%s", out);
        add_unit(text, shape, large[i]);
        out = ",";
    }
}

static void say_gang(const struct seen *seen, struct text *text)
{
    const struct shape *shape = seen->shape;

    if (shape->roles_len > 1) {
        add(text,
            "its %" PRIu32 " replicas start together, and no cluster holds all of them at "
            "once; ask for fewer, or for smaller ones",
            shape_replicas(shape));
    } else if (seen->at_once.amount == 0) {
        add(text, "no node%s has all that a replica asks for at once; ask for less of something",
            scope_of(shape));
    } else {
        add(text,
            "its %" PRIu32 " replicas start together, and the cluster with most room (%s) holds "
            "%" PRIu64 " of them at once; ask for at most %" PRIu64,
            shape->roles[0].replicas, seen->at_once.cluster->name, seen->at_once.amount,
            seen->at_once.amount);
    }
}

static void say_labels(const struct seen *seen, struct text *text)
{
    const struct shape *shape = seen->shape;
    bool is_some = seen->allowed < seen->enrolled || seen->with_images < seen->allowed;
    const char *scope = is_some ? " of those that it may go to" : "";
    char affinity[LABELS_WORDS_MAX];

    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        const struct shape_label *label = &shape->node_labels[i];

        if (seen->labels[i]) continue;
        add(text, "it asks for nodes with %.*s=%.*s, and none%s carries that; leave it out",
            (int)(label->key.len < PIECE_MAX ? label->key.len : PIECE_MAX), label->key.at,
            (int)(label->value.len < PIECE_MAX ? label->value.len : PIECE_MAX), label->value.at,
            scope);
        return;
    }
    if (seen->has_labelled || shape->node_labels_len == 0) {
        labels_affinity_words(shape, affinity);
        add(text,
            "its affinity asks for nodes with %s, and none%s matches; change it, or leave it out",
            affinity, shape->node_labels_len > 0 ? " that carries its other labels" : scope);
        return;
    }
    add(text,
        "it asks for nodes with %" PRIu32 " labels, and none%s carries all of them; leave "
        "some out",
        shape->node_labels_len, scope);
}

/* Without the node: a token that may only submit is shown no nodes. */
static void say_taints(const struct seen *seen, struct text *text)
{
    const struct judge_kept_off *off = &seen->off;
    bool is_one = off->taints_len == 1 && !off->has_more;

    add(text, "%s could hold it if it tolerated the %s ", seen->tainted->name,
        is_one ? "taint" : "taints");
    for (uint32_t i = 0; i < off->taints_len; i++) {
        char taint[FL_TAINT_TEXT_BYTES_MAX];
        int len = (int)fl_taint_write(&off->taints[i], taint);

        add(text, "%s%.*s", i > 0 ? " and " : "", len < TAINT_PIECE_MAX ? len : TAINT_PIECE_MAX,
            taint);
    }
    add(text, "%s of its nodes; add %s to its tolerations (--tolerate)",
        off->has_more ? " and others" : "", is_one ? "that" : "them");
}

static void say_excluded(const struct seen *seen, struct text *text)
{
    add(text, "its lists of clusters leave none of those enrolled, which are ");
    for (uint32_t i = 0; i < seen->enrolled && i < NAMES_MAX; i++) {
        add(text, "%s%s", i > 0 ? ", " : "", seen->names[i]->name);
    }
    if (seen->enrolled > NAMES_MAX) add(text, " and %" PRIu32 " more", seen->enrolled - NAMES_MAX);
    add(text, "; name another one");
}

bool refusal_words_write(struct room *room, const struct shape *shape,
                         const struct resource_table *resources, uint64_t looks_max,
                         char ret_text[REFUSAL_WORDS_MAX])
{
    struct seen seen = {.shape = shape, .resources = resources};
    struct text text = {.at = ret_text};
    bool has_clusters = see_clusters(&seen, room, looks_max), is_whole = has_clusters;
    uint32_t large[NAMES_MAX], large_len;

    if (seen.with_images > 0) is_whole = has_clusters && see_all_nodes(&seen, room, looks_max);
    large_len = find_too_large(&seen, large);
    add(&text, "no enrolled cluster can ever run this: ");
    if (has_clusters && seen.allowed == 0) {
        say_excluded(&seen, &text);
    } else if (has_clusters && seen.with_images == 0) {
        add(&text,
            "it has an image or mounts, and those that it may go to run processes; leave it out");
    } else if (!is_whole) {
        add(&text, "none of them holds all that it asks for; the fleet is too large to say here "
                   "what is nearest; with --dry-run --wait-for-cluster each says what it has");
    } else if (!seen.has_node && labels_are_asked_for(shape)) {
        say_labels(&seen, &text);
    } else if (seen.tainted) {
        say_taints(&seen, &text);
    } else if (large_len > 0) {
        say_amounts(&seen, large, large_len, &text);
    } else {
        say_gang(&seen, &text);
    }
    add(&text, ", or wait for a cluster that could (waitForCluster, --wait-for-cluster)");
    return is_whole;
}
