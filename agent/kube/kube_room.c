#include "agent/kube/kube_room.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/map.h"
#include "shared/base/node_label.h"
#include "shared/base/resource_name.h"
#include "shared/base/slab.h"
#include "shared/base/taint.h"
#include "shared/base/vec.h"
#include "shared/spec/text_map.h"

enum { KEY_BYTES_MAX = KUBE_NAMESPACE_BYTES_MAX + 1 + KUBE_NAME_BYTES_MAX };

struct room_node {
    char *name;
    struct fl_buf labels, taints;
    struct kube_share total; /* its list is a clone */
    struct fl_resources_sum foreign;
    struct fl_amounts foreign_named; /* a sum on the heap */
    bool is_here, is_ready;
    bool is_changed; /* in 'changed' */
};

struct room_pod {
    struct kube_share foreign; /* its list is a clone */
    uint32_t node;
};

struct kube_room {
    FL_VEC(struct room_node) nodes; /* by number */
    struct fl_map numbers;          /* by name */
    struct fl_slab pods;
    struct fl_map pod_places; /* by namespace and name: its slot */
    FL_VEC(uint32_t) changed;
    size_t changed_taken;
    bool is_left_out;     /* a node was, and that is news */
    char *accelerator;    /* NULL: none */
    struct fl_arena news; /* the lists of the one that was taken */
};

/* ---- nodes ----------------------------------------------------------------------------------- */

static void touch(struct kube_room *room, uint32_t number)
{
    if (room->nodes.at[number].is_changed) return;
    room->nodes.at[number].is_changed = true;
    fl_vec_push(&room->changed, number);
}

uint32_t kube_room_number(struct kube_room *room, struct fl_str name)
{
    struct room_node node = {0};
    uint64_t number;

    if (fl_map_find(&room->numbers, name.at, name.len, &number)) return (uint32_t)number;
    if (room->nodes.len == KUBE_ROOM_NODES_MAX) return KUBE_ROOM_NODES_MAX;
    node.name = fl_alloc(name.len + 1);
    if (name.len > 0) memcpy(node.name, name.at, name.len);
    fl_buf_init(&node.labels, KUBE_ROOM_LABELS_BYTES_MAX);
    fl_buf_init(&node.taints, FL_NODE_TAINTS_BYTES_MAX);
    fl_map_put(&room->numbers, name.at, name.len, room->nodes.len);
    fl_vec_push(&room->nodes, node);
    return (uint32_t)(room->nodes.len - 1);
}

struct fl_str kube_room_name(const struct kube_room *room, uint32_t number)
{
    if (number >= room->nodes.len) return (struct fl_str){0};
    return fl_str_c(room->nodes.at[number].name);
}

/* Kubernetes says by taints of these keys that a node is not ready, is short of something, shuts
 * down or is not set up yet. */
static bool is_condition(struct fl_str key)
{
    static const char *const prefixes[] = {"node.kubernetes.io/",
                                           "node.cloudprovider.kubernetes.io/"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct fl_str prefix = fl_str_c(prefixes[i]);

        if (key.len > prefix.len && memcmp(key.at, prefix.at, prefix.len) == 0) return true;
    }
    return false;
}

/* In its place among those that are sorted. */
static void put_text(struct fl_str *texts, size_t len, struct fl_str text)
{
    while (len > 0 && fl_str_cmp(texts[len - 1], text) > 0) {
        texts[len] = texts[len - 1];
        len--;
    }
    texts[len] = text;
}

/* The hard ones that are no conditions, as the list of taint.h.  False: they are too many. */
static bool write_taints(const struct kube_node *node, struct fl_buf *out)
{
    char text[FL_NODE_TAINTS_MAX][FL_TAINT_TEXT_BYTES_MAX];
    struct fl_str texts[FL_NODE_TAINTS_MAX];
    size_t len = 0;

    fl_buf_clear(out);
    for (size_t i = 0; i < node->taints_len; i++) {
        const struct fl_taint *taint = &node->taints[i];

        if (!fl_taint_is_hard(taint) || is_condition(taint->key)) continue;
        if (len == FL_NODE_TAINTS_MAX) return false;
        put_text(texts, len, (struct fl_str){text[len], fl_taint_write(taint, text[len])});
        len++;
    }
    for (size_t i = 0; i < len; i++) {
        fl_buf_put(out, texts[i].at, texts[i].len);
        fl_buf_put_u8(out, '\n');
    }
    return !out->is_over && fl_taints_are_list((struct fl_str){(const char *)out->at, out->len});
}

static bool may_take_pods(const struct kube_node *node)
{
    for (size_t i = 0; i < node->taints_len; i++) {
        const struct fl_taint *taint = &node->taints[i];

        if (fl_taint_is_hard(taint) && is_condition(taint->key)) return false;
    }
    return node->ready == KUBE_NODE_READY && !node->is_unschedulable;
}

/* Those that fit, sorted by key, and ours: a kubelet keeps containers within their limits. */
static void write_labels(const struct kube_node *node, struct fl_buf *out)
{
    struct fl_arena arena = {0};
    struct fl_text_map pairs = fl_text_map_new(node->labels_len + 1, &arena);
    size_t bytes = strlen(FL_NODE_LIMITS);

    pairs.at[pairs.len++] =
        (struct fl_text_map_entry){FL_STR(FL_NODE_LIMITS_KEY), FL_STR(FL_NODE_LIMITS_VALUE)};
    for (size_t i = 0; i < node->labels_len; i++) {
        const struct kube_label *label = &node->labels[i];

        if (fl_str_eq(label->key, FL_STR(FL_NODE_LIMITS_KEY))) continue;
        bytes += label->key.len + label->value.len + strlen("=\n");
        if (bytes > KUBE_ROOM_LABELS_BYTES_MAX) break;
        pairs.at[pairs.len++] = (struct fl_text_map_entry){label->key, label->value};
    }
    fl_text_map_sort(&pairs);
    fl_buf_clear(out);
    fl_text_map_lines(out, &pairs);
    fl_arena_fini(&arena);
}

void kube_room_leave_out(struct kube_room *room)
{
    room->is_left_out = true;
}

void kube_room_put_node(struct kube_room *room, const struct kube_node *seen)
{
    uint32_t number = kube_room_number(room, seen->name);
    struct room_node *node;
    struct fl_arena arena = {0};
    struct kube_share total = {0};
    bool is_judged;

    if (number == KUBE_ROOM_NODES_MAX) {
        kube_room_leave_out(room);
        return;
    }
    node = &room->nodes.at[number];
    is_judged = write_taints(seen, &node->taints);
    if (is_judged) {
        total = kube_share_of(&seen->allocatable, &arena);
    } else {
        fl_buf_clear(&node->taints);
    }
    node->is_here = true;
    node->is_ready = is_judged && may_take_pods(seen);
    fl_amounts_free(&node->total.named);
    node->total = (struct kube_share){total.usual, fl_amounts_clone(&total.named)};
    fl_arena_fini(&arena);
    write_labels(seen, &node->labels);
    touch(room, number);
}

void kube_room_drop_node(struct kube_room *room, struct fl_str name)
{
    uint64_t number;

    if (!fl_map_find(&room->numbers, name.at, name.len, &number)) return;
    if (!room->nodes.at[number].is_here) return;
    room->nodes.at[number].is_here = false;
    touch(room, (uint32_t)number);
}

/* ---- pods ------------------------------------------------------------------------------------ */

static size_t write_key(const struct kube_meta *pod, char key[KEY_BYTES_MAX])
{
    if (pod->namespace.len > 0) memcpy(key, pod->namespace.at, pod->namespace.len);
    key[pod->namespace.len] = '/';
    memcpy(key + pod->namespace.len + 1, pod->name.at, pod->name.len);
    return pod->namespace.len + 1 + pod->name.len;
}

static void count(struct kube_room *room, const struct room_pod *pod, bool is_more)
{
    struct room_node *node = &room->nodes.at[pod->node];
    struct fl_resources one = pod->foreign.usual;

    if (is_more) {
        fl_resources_sum_add(&node->foreign, one);
        fl_amounts_sum_add(&node->foreign_named, &pod->foreign.named);
    } else {
        fl_resources_sum_take(&node->foreign, one);
        fl_amounts_sum_take(&node->foreign_named, &pod->foreign.named);
    }
    if (node->is_here) touch(room, pod->node);
}

void kube_room_drop_pod(struct kube_room *room, const struct kube_meta *pod)
{
    char key[KEY_BYTES_MAX];
    size_t len = write_key(pod, key);
    struct room_pod *old;
    uint64_t slot;

    if (!fl_map_find(&room->pod_places, key, len, &slot)) return;
    old = fl_slab_at(&room->pods, (uint32_t)slot);
    count(room, old, false);
    fl_amounts_free(&old->foreign.named);
    fl_slab_give(&room->pods, (uint32_t)slot);
    fl_map_remove(&room->pod_places, key, len);
}

static bool is_nothing(const struct kube_share *share)
{
    return fl_resources_is_zero(share->usual) && share->named.len == 0;
}

void kube_room_put_pod(struct kube_room *room, const struct kube_meta *pod, struct fl_str node,
                       const struct kube_share *foreign)
{
    char key[KEY_BYTES_MAX];
    size_t len = write_key(pod, key);
    struct room_pod *kept;
    uint32_t number;
    uint64_t slot;

    if (node.len == 0 || is_nothing(foreign)) {
        kube_room_drop_pod(room, pod);
        return;
    }
    number = kube_room_number(room, node);
    if (number == KUBE_ROOM_NODES_MAX) return;
    if (fl_map_find(&room->pod_places, key, len, &slot)) {
        kept = fl_slab_at(&room->pods, (uint32_t)slot);
        if (kept->node == number && kube_share_is_same(&kept->foreign, foreign)) return;
        count(room, kept, false);
        fl_amounts_free(&kept->foreign.named);
    } else {
        slot = fl_slab_take(&room->pods);
        kept = fl_slab_at(&room->pods, (uint32_t)slot);
        fl_map_put(&room->pod_places, key, len, slot);
    }
    *kept = (struct room_pod){
        .foreign = {foreign->usual, fl_amounts_clone(&foreign->named)},
        .node = number,
    };
    count(room, kept, true);
}

/* ---- the accelerator ------------------------------------------------------------------------- */

void kube_room_set_accelerator(struct kube_room *room, struct fl_str name)
{
    fl_free(room->accelerator);
    room->accelerator = NULL;
    if (name.len > 0) room->accelerator = memcpy(fl_alloc(name.len + 1), name.at, name.len);
    for (uint32_t i = 0; i < room->nodes.len; i++) {
        if (room->nodes.at[i].is_here) touch(room, i);
    }
}

struct fl_amounts kube_room_accelerators(const struct kube_room *room, struct fl_arena *arena)
{
    struct fl_amounts found = {0};

    for (size_t i = 0; i < room->nodes.len; i++) {
        const struct fl_amounts *named = &room->nodes.at[i].total.named;

        for (size_t k = 0; room->nodes.at[i].is_here && k < named->len; k++) {
            if (!fl_is_accelerator_resource(named->at[k].name)) continue;
            fl_amounts_set(&found, named->at[k], arena);
        }
    }
    return fl_amounts_copy(&found, arena);
}

/* ---- news ------------------------------------------------------------------------------------ */

static uint32_t narrow(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct kube_share told(struct kube_room *room, const struct kube_share *share)
{
    return kube_share_told(share, fl_str_c(room->accelerator ? room->accelerator : ""),
                           &room->news);
}

/* Pods that ask for gpus tolerate a taint with the accelerator's name, and the control plane takes
 * the name of any accelerator for it.  True: the node has the taint of another one. */
static bool is_kept_for_others(const struct kube_room *room, const struct room_node *node)
{
    struct fl_str lines = {(const char *)node->taints.at, node->taints.len};
    struct fl_taint taint;

    while (fl_taint_take(&lines, &taint)) {
        if (taint.effect == FL_EFFECT_NoSchedule && fl_is_accelerator_resource(taint.key) &&
            !fl_str_eq(taint.key, fl_str_c(room->accelerator ? room->accelerator : ""))) {
            return true;
        }
    }
    return false;
}

static void describe(struct kube_room *room, uint32_t number, struct agent_event *ret_event)
{
    const struct room_node *node = &room->nodes.at[number];
    struct kube_share total, foreign = {.named = node->foreign_named};

    *ret_event = (struct agent_event){.kind = AGENT_EV_node_gone};
    if (!node->is_here) {
        ret_event->node_gone.number = number;
        return;
    }
    foreign.usual = (struct fl_resources){
        .cpu_milli = narrow(node->foreign.cpu_milli),
        .memory_bytes = node->foreign.memory_bytes,
    };
    total = told(room, &node->total);
    foreign = told(room, &foreign);
    if (total.usual.gpus > 0 && is_kept_for_others(room, node)) {
        total.usual.gpus = foreign.usual.gpus = 0;
    }
    if (total.named.len > AGENT_NODE_NAMED_MAX) total.named.len = AGENT_NODE_NAMED_MAX;
    ret_event->kind = AGENT_EV_node_seen;
    ret_event->node_seen.number = number;
    ret_event->node_seen.is_ready = node->is_ready;
    ret_event->node_seen.name = fl_str_c(node->name);
    ret_event->node_seen.labels = (struct fl_str){(const char *)node->labels.at, node->labels.len};
    ret_event->node_seen.taints = (struct fl_str){(const char *)node->taints.at, node->taints.len};
    ret_event->node_seen.total = total.usual;
    ret_event->node_seen.foreign = foreign.usual;
    ret_event->node_seen.named = total.named;
    ret_event->node_seen.foreign_named = foreign.named;
}

bool kube_room_take_news(struct kube_room *room, struct agent_event *ret_event)
{
    fl_arena_reset(&room->news);
    if (room->is_left_out) {
        room->is_left_out = false;
        *ret_event = (struct agent_event){.kind = AGENT_EV_node_left_out};
        return true;
    }
    if (room->changed_taken < room->changed.len) {
        uint32_t number = room->changed.at[room->changed_taken++];

        room->nodes.at[number].is_changed = false;
        describe(room, number, ret_event);
        return true;
    }
    fl_vec_clear(&room->changed);
    room->changed_taken = 0;
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct kube_room *kube_room_create(void)
{
    struct kube_room *room = fl_new(struct kube_room);

    fl_slab_init(&room->pods, sizeof(struct room_pod), UINT32_MAX - 1);
    return room;
}

void kube_room_destroy(struct kube_room *room)
{
    if (!room) return;
    for (size_t i = 0; i < room->nodes.len; i++) {
        fl_free(room->nodes.at[i].name);
        fl_buf_fini(&room->nodes.at[i].labels);
        fl_buf_fini(&room->nodes.at[i].taints);
        fl_amounts_free(&room->nodes.at[i].total.named);
        fl_amounts_free(&room->nodes.at[i].foreign_named);
    }
    for (uint32_t slot = 1; slot <= room->pods.used; slot++) {
        struct room_pod *pod = fl_slab_at(&room->pods, slot);

        if (fl_slab_is_taken(&room->pods, slot)) fl_amounts_free(&pod->foreign.named);
    }
    fl_arena_fini(&room->news);
    fl_free(room->accelerator);
    fl_vec_fini(&room->nodes);
    fl_map_fini(&room->numbers);
    fl_slab_fini(&room->pods);
    fl_map_fini(&room->pod_places);
    fl_vec_fini(&room->changed);
    fl_free(room);
}
