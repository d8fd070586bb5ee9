#include "controlplane/core/shape.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/node_affinity.h"
#include "shared/base/resource_name.h"
#include "shared/base/taint.h"

enum {
    LABEL_KEY_MAX = 317,
    LABEL_VALUE_MAX = 63,
};

static bool check_role(const struct shape_role *role, uint32_t i, uint32_t *replicas_sum,
                       struct fl_err *err)
{
    if (role->replicas == 0) return fl_fail(err, FL_INVALID, "roles[%u].replicas is 0", i);
    if (role->replicas > FL_JOB_REPLICAS_MAX - *replicas_sum) {
        return fl_fail(err, FL_TOO_LARGE, "over %d replicas in all roles together",
                       FL_JOB_REPLICAS_MAX);
    }
    *replicas_sum += role->replicas;
    if (role->replicas_min > role->replicas) {
        return fl_fail(err, FL_INVALID, "roles[%u].min %u is over its replicas %u", i,
                       role->replicas_min, role->replicas);
    }
    if (role->each.memory_bytes > FL_AMOUNT_MAX || role->each.cpu_milli > FL_JOB_CPU_MILLI_MAX ||
        role->each.gpus > FL_JOB_GPUS_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "roles[%u] asks for more than any machine has", i);
    }
    return true;
}

/* Each name is asked for, or it would not be there. */
static bool check_kinds(const struct shape *shape, struct fl_err *err)
{
    if (shape->kinds_len > SHAPE_KINDS_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a job asks for at most %d resources by name",
                       SHAPE_KINDS_MAX);
    }
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        bool is_wanted = false;

        if (!fl_is_resource_name(shape->kinds[k])) {
            return fl_fail(err, FL_INVALID, "resources[%u] is not a resource's name", k);
        }
        if (k > 0 && fl_str_cmp(shape->kinds[k - 1], shape->kinds[k]) >= 0) {
            return fl_fail(err, FL_INVALID, "resources are not sorted, or repeat a name");
        }
        for (uint32_t i = 0; i < shape->roles_len; i++) {
            if (shape->roles[i].named[k] > NAMED_AMOUNT_MAX) {
                return fl_fail(err, FL_TOO_LARGE,
                               "roles[%u] asks for more " FL_STR_FMT " than any machine has", i,
                               FL_STR_ARG(shape->kinds[k]));
            }
            is_wanted = is_wanted || shape->roles[i].named[k] > 0;
        }
        if (!is_wanted) return fl_fail(err, FL_INVALID, "no role asks for resources[%u]", k);
    }
    return true;
}

/* Sorted without repetition is the only order that is canonical. */
static bool check_names(const struct fl_str *names, uint32_t len, const char *what,
                        struct fl_err *err)
{
    for (uint32_t i = 0; i < len; i++) {
        if (!fl_str_is_name(names[i])) {
            return fl_fail(err, FL_INVALID, "%s[%u] is not a cluster's name", what, i);
        }
        if (i > 0 && fl_str_cmp(names[i - 1], names[i]) >= 0) {
            return fl_fail(err, FL_INVALID, "%s is not sorted, or repeats a name", what);
        }
    }
    return true;
}

static bool check_labels(const struct shape *shape, struct fl_err *err)
{
    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        const struct shape_label *label = &shape->node_labels[i];

        if (label->key.len == 0 || label->key.len > LABEL_KEY_MAX ||
            label->value.len > LABEL_VALUE_MAX || memchr(label->key.at, '=', label->key.len) ||
            memchr(label->key.at, '\n', label->key.len) ||
            (label->value.len > 0 && memchr(label->value.at, '\n', label->value.len))) {
            return fl_fail(err, FL_INVALID, "nodeSelector[%u] is no label", i);
        }
        if (i > 0 && fl_str_cmp(shape->node_labels[i - 1].key, label->key) >= 0) {
            return fl_fail(err, FL_INVALID, "nodeSelector is not sorted, or repeats a key");
        }
    }
    return true;
}

static bool check(const struct shape *shape, struct fl_err *err)
{
    uint32_t replicas = 0;

    if (shape->roles_len == 0 || shape->roles_len > FL_JOB_ROLES_MAX ||
        shape->node_labels_len > SHAPE_NODE_LABELS_MAX ||
        shape->clusters_len > FL_JOB_CLUSTERS_MAX ||
        shape->not_clusters_len > FL_JOB_CLUSTERS_MAX) {
        return fl_fail(err, FL_INVALID,
                       "a job has 1 to %d roles, at most %d node labels, %d clusters",
                       FL_JOB_ROLES_MAX, SHAPE_NODE_LABELS_MAX, FL_JOB_CLUSTERS_MAX);
    }
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        if (!check_role(&shape->roles[i], i, &replicas, err)) return false;
    }
    if (!fl_tolerations_are_list(shape->tolerations, FL_JOB_TOLERATIONS_MAX)) {
        return fl_fail(err, FL_INVALID, "tolerations are at most %d, sorted, none twice",
                       FL_JOB_TOLERATIONS_MAX);
    }
    if (shape->affinity.len > 0 && !fl_node_affinity_is(shape->affinity)) {
        return fl_fail(err, FL_INVALID,
                       "the affinity is 1 to %d terms of %d requirements, sorted, none twice",
                       FL_JOB_NODE_TERMS_MAX, FL_JOB_NODE_REQUIREMENTS_MAX);
    }
    return check_kinds(shape, err) && check_labels(shape, err) &&
           check_names(shape->clusters, shape->clusters_len, "clusters", err) &&
           check_names(shape->not_clusters, shape->not_clusters_len, "notClusters", err);
}

static void put_names(struct fl_buf *out, const struct fl_str *names, uint32_t len)
{
    fl_buf_put_var(out, len);
    for (uint32_t i = 0; i < len; i++) {
        fl_buf_put_str(out, names[i]);
    }
}

static void put_kinds(struct fl_buf *out, const struct shape *shape)
{
    put_names(out, shape->kinds, shape->kinds_len);
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        for (uint32_t k = 0; k < shape->kinds_len; k++) {
            fl_buf_put_var(out, shape->roles[i].named[k]);
        }
    }
}

/* Each shape has one layout, the oldest that can hold it. */
static uint8_t format_of(const struct shape *shape)
{
    if (shape->affinity.len > 0) return SHAPE_FORMAT_affinity;
    if (shape->tolerations.len > 0) return SHAPE_FORMAT_tolerations;
    return shape->kinds_len > 0 ? SHAPE_FORMAT_kinds : SHAPE_FORMAT_plain;
}

bool shape_encode(struct fl_buf *out, const struct shape *shape)
{
    uint8_t format = format_of(shape);
    struct fl_err err;
    size_t start = out->len;

    if (!check(shape, &err)) return false;
    fl_buf_put_u8(out, format);
    fl_buf_put_var(out, shape->roles_len);
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        const struct shape_role *role = &shape->roles[i];

        fl_buf_put_var(out, role->replicas);
        fl_buf_put_var(out, role->replicas_min);
        fl_buf_put_var(out, role->each.cpu_milli);
        fl_buf_put_var(out, role->each.memory_bytes);
        fl_buf_put_var(out, role->each.gpus);
    }
    fl_buf_put_var(out, shape->node_labels_len);
    for (uint32_t i = 0; i < shape->node_labels_len; i++) {
        fl_buf_put_str(out, shape->node_labels[i].key);
        fl_buf_put_str(out, shape->node_labels[i].value);
    }
    put_names(out, shape->clusters, shape->clusters_len);
    put_names(out, shape->not_clusters, shape->not_clusters_len);
    fl_buf_put_u8(out, shape->has_image);
    if (format >= SHAPE_FORMAT_kinds) put_kinds(out, shape);
    if (format >= SHAPE_FORMAT_tolerations) fl_buf_put_str(out, shape->tolerations);
    if (format == SHAPE_FORMAT_affinity) fl_buf_put_str(out, shape->affinity);
    return !out->is_over && out->len - start <= FL_JOB_SHAPE_BYTES_MAX;
}

/* A length that is over 'max' makes the whole shape bad, and reads nothing. */
static uint32_t read_len(struct fl_reader *reader, uint32_t max)
{
    uint64_t len = fl_read_var(reader);

    if (len > max) reader->is_bad = true;
    return reader->is_bad ? 0 : (uint32_t)len;
}

static uint32_t read_u32_var(struct fl_reader *reader)
{
    return read_len(reader, UINT32_MAX);
}

static void read_kinds(struct fl_reader *reader, struct shape *shape)
{
    shape->kinds_len = read_len(reader, SHAPE_KINDS_MAX);
    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        shape->kinds[k] = fl_read_bytes(reader, FL_RESOURCE_NAME_BYTES_MAX);
    }
    for (uint32_t i = 0; i < shape->roles_len; i++) {
        for (uint32_t k = 0; k < shape->kinds_len; k++) {
            shape->roles[i].named[k] = fl_read_var(reader);
        }
    }
}

/* The part of a shape of SHAPE_FORMAT_old that its jobs have now. */
struct old {
    uint32_t deadline_s, retries_max;
};

static bool decode(struct fl_str bytes, struct shape *ret_shape, struct old *ret_old,
                   struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct shape shape;
    struct old old = {0};
    uint8_t format = fl_read_u8(&reader);
    uint8_t has_image;

    memset(&shape, 0, sizeof shape);
    shape.roles_len = read_len(&reader, FL_JOB_ROLES_MAX);
    for (uint32_t i = 0; i < shape.roles_len; i++) {
        shape.roles[i].replicas = read_u32_var(&reader);
        shape.roles[i].replicas_min = read_u32_var(&reader);
        shape.roles[i].each.cpu_milli = read_u32_var(&reader);
        shape.roles[i].each.memory_bytes = fl_read_var(&reader);
        shape.roles[i].each.gpus = read_u32_var(&reader);
    }
    shape.node_labels_len = read_len(&reader, SHAPE_NODE_LABELS_MAX);
    for (uint32_t i = 0; i < shape.node_labels_len; i++) {
        shape.node_labels[i].key = fl_read_bytes(&reader, LABEL_KEY_MAX);
        shape.node_labels[i].value = fl_read_bytes(&reader, LABEL_VALUE_MAX);
    }
    shape.clusters_len = read_len(&reader, FL_JOB_CLUSTERS_MAX);
    for (uint32_t i = 0; i < shape.clusters_len; i++) {
        shape.clusters[i] = fl_read_bytes(&reader, FL_NAME_BYTES_MAX);
    }
    shape.not_clusters_len = read_len(&reader, FL_JOB_CLUSTERS_MAX);
    for (uint32_t i = 0; i < shape.not_clusters_len; i++) {
        shape.not_clusters[i] = fl_read_bytes(&reader, FL_NAME_BYTES_MAX);
    }
    if (format == SHAPE_FORMAT_old) {
        old.deadline_s = read_u32_var(&reader);
        old.retries_max = read_len(&reader, FL_JOB_RETRIES_MAX);
    }
    has_image = fl_read_u8(&reader);
    shape.has_image = has_image == 1;
    if (format >= SHAPE_FORMAT_kinds) read_kinds(&reader, &shape);
    if (format >= SHAPE_FORMAT_tolerations) {
        shape.tolerations = fl_read_bytes(&reader, FL_JOB_SHAPE_BYTES_MAX);
    }
    if (format == SHAPE_FORMAT_affinity) {
        shape.affinity = fl_read_bytes(&reader, FL_JOB_AFFINITY_BYTES_MAX);
    }
    if (!fl_reader_is_done(&reader) || format == 0 || format > SHAPE_FORMAT_affinity ||
        (format != SHAPE_FORMAT_old && format != format_of(&shape)) || has_image > 1 ||
        bytes.len > FL_JOB_SHAPE_BYTES_MAX) {
        return fl_fail(err, FL_INVALID, "the shape's %zu bytes are not what shape_encode writes",
                       bytes.len);
    }
    if (!check(&shape, err)) return false;
    *ret_shape = shape;
    *ret_old = old;
    return true;
}

bool shape_decode(struct fl_str bytes, struct shape *ret_shape, struct fl_err *err)
{
    struct old old;

    return decode(bytes, ret_shape, &old, err);
}

bool shape_is_old(struct fl_str bytes)
{
    return bytes.len > 0 && bytes.at[0] == SHAPE_FORMAT_old;
}

void shape_read_old(struct fl_str bytes, uint32_t *ret_deadline_s, uint32_t *ret_retries_max)
{
    struct old old = {0};
    struct shape shape;
    struct fl_err err;

    fl_assert(shape_is_old(bytes) && decode(bytes, &shape, &old, &err));
    *ret_deadline_s = old.deadline_s;
    *ret_retries_max = old.retries_max;
}

uint32_t shape_replicas(const struct shape *shape)
{
    uint32_t replicas = 0;

    for (uint32_t i = 0; i < shape->roles_len; i++) {
        replicas += shape->roles[i].replicas;
    }
    return replicas;
}

const struct shape_role *shape_role_of(const struct shape *shape, uint32_t replica)
{
    uint32_t i = 0;

    while (i + 1 < shape->roles_len && replica >= shape->roles[i].replicas) {
        replica -= shape->roles[i].replicas;
        i++;
    }
    return &shape->roles[i];
}
