#include "controlplane/api/v1/submit_item.h"

#include "controlplane/api/auth.h"
#include "controlplane/api/v1/default_cpu.h"
#include "controlplane/core/shape.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/node_label.h"
#include "shared/spec/job_params.h"
#include "shared/tls/digest.h"

static void take_kinds(const struct fl_job_spec *spec, struct fl_arena *arena, struct shape *shape)
{
    struct fl_amounts kinds = fl_job_spec_named(spec, arena);

    shape->kinds_len = (uint32_t)kinds.len;
    for (size_t k = 0; k < kinds.len; k++) {
        shape->kinds[k] = kinds.at[k].name;
        for (size_t i = 0; i < spec->roles.len; i++) {
            shape->roles[i].named[k] =
                fl_amounts_of(&spec->roles.at[i].request.named, kinds.at[k].name);
        }
    }
}

/* Labels are in the order of their keys. */
static void take_labels(const struct fl_job_spec *spec, struct shape *shape)
{
    const struct fl_text_map *labels = &spec->roles.at[0].node_selector; /* the same in all roles */
    struct shape_label limits = {FL_STR(FL_NODE_LIMITS_KEY), FL_STR(FL_NODE_LIMITS_VALUE)};
    bool is_due = spec->requires_limits;

    for (size_t i = 0; i < labels->len; i++) {
        struct shape_label label = {labels->at[i].key, labels->at[i].value};
        int order = fl_str_cmp(label.key, limits.key);

        if (is_due && order >= 0) {
            shape->node_labels[shape->node_labels_len++] = limits;
            is_due = false;
        }
        if (order != 0 || !spec->requires_limits) {
            shape->node_labels[shape->node_labels_len++] = label;
        }
    }
    if (is_due) shape->node_labels[shape->node_labels_len++] = limits;
}

static void shape_of(const struct fl_job_spec *spec, struct fl_arena *arena, struct shape *shape)
{
    *shape = (struct shape){
        .roles_len = (uint32_t)spec->roles.len,
        .clusters_len = (uint32_t)spec->clusters.len,
        .not_clusters_len = (uint32_t)spec->not_clusters.len,
        .affinity = spec->roles.at[0].affinity, /* the same in all roles */
        .tolerations = fl_job_spec_tolerations(spec, arena),
        .has_image = spec->has_image,
    };
    for (size_t i = 0; i < spec->roles.len; i++) {
        shape->roles[i] = (struct shape_role){
            .replicas = spec->roles.at[i].replicas,
            .replicas_min = spec->roles.at[i].replicas_min,
            .each = spec->roles.at[i].request.usual,
        };
    }
    take_kinds(spec, arena, shape);
    take_labels(spec, shape);
    for (size_t i = 0; i < spec->clusters.len; i++) {
        shape->clusters[i] = spec->clusters.at[i];
    }
    for (size_t i = 0; i < spec->not_clusters.len; i++) {
        shape->not_clusters[i] = spec->not_clusters.at[i];
    }
}

/* The spec as it was asked, before roles got the default CPU. */
static struct fl_job_spec copy_roles(const struct fl_job_spec *spec, struct fl_arena *arena)
{
    struct fl_job_spec copy = *spec;

    copy.roles.at = fl_arena_copy(arena, spec->roles.at, spec->roles.len * sizeof *spec->roles.at);
    return copy;
}

static struct fl_digest digest_without(struct fl_str text, const struct fl_job_additions *additions)
{
    struct fl_sha256_stream *stream = fl_sha256_create();
    size_t at = 0;

    for (size_t i = 0; i < additions->len; i++) {
        fl_sha256_put(stream, text.at + at, additions->at[i].at - at);
        at = additions->at[i].end;
    }
    fl_sha256_put(stream, text.at + at, text.len - at);
    return fl_sha256_end(stream);
}

/* The text is written once, as it is stored; the digest of what was asked is of the same bytes
 * without those that the default CPU has added. */
static bool write_spec(const struct fl_job_spec *spec, const struct fl_job_spec *asked,
                       struct fl_arena *arena, struct submit_spec *to, struct fl_err *err)
{
    struct fl_job_additions additions;
    struct fl_buf buf;

    fl_buf_init_in(&buf, FL_JOB_SPEC_BYTES_MAX, arena);
    if (!fl_job_spec_canonical_over(&buf, spec, asked, &additions)) {
        return fl_fail(
            err, FL_TOO_LARGE,
            "the spec has over " FL_QUOTE(FL_JOB_SPEC_BYTES_MAX) " bytes once it is written out");
    }
    to->canonical = fl_buf_take(&buf);
    to->digest = fl_sha256(to->canonical.at, to->canonical.len);
    to->asked = additions.len > 0 ? digest_without(to->canonical, &additions) : to->digest;
    return true;
}

bool submit_spec_make(struct fl_job_spec *spec, uint32_t default_cpu_milli, struct fl_arena *arena,
                      struct submit_spec *ret, struct fl_err *err)
{
    struct fl_job_spec before;
    const struct fl_job_spec *asked = spec;
    struct submit_spec made;
    struct shape shape;
    struct fl_buf buf;

    if (default_cpu_milli > 0 && default_cpu_is_due(spec)) {
        before = copy_roles(spec, arena);
        asked = &before;
        default_cpu_give(spec, default_cpu_milli);
    }
    if (!write_spec(spec, asked, arena, &made, err)) return false;
    shape_of(spec, arena, &shape);
    fl_buf_init_in(&buf, FL_JOB_SHAPE_BYTES_MAX, arena);
    if (!shape_encode(&buf, &shape)) {
        return fl_fail(err, FL_TOO_LARGE,
                       "its roles, resources, clusters, node labels, affinity and tolerations have "
                       "over " FL_QUOTE(FL_JOB_SHAPE_BYTES_MAX) " bytes together");
    }
    made.shape = fl_buf_take(&buf);
    *ret = made;
    return true;
}

static void take_after(const struct fl_dependencies *after, struct fl_arena *arena,
                       struct core_submit_item *item)
{
    item->after = fl_arena_array(arena, struct core_dependency, after->len);
    item->after_len = after->len;
    for (size_t i = 0; i < after->len; i++) {
        item->after[i].after = after->at[i];
    }
}

struct fl_str submit_queue(const struct fl_job_spec *spec, bool has_queue,
                           const struct token_grant *token)
{
    return !has_queue && token->queue[0] ? fl_str_c(token->queue) : spec->queue;
}

bool submit_labels(const struct fl_text_map *labels, struct fl_arena *arena,
                   struct fl_str *ret_labels, struct fl_err *err)
{
    struct fl_buf buf;

    fl_buf_init_in(&buf, FL_JOB_LABELS_BYTES_MAX, arena);
    fl_text_map_lines(&buf, labels);
    if (buf.is_over || !fl_str_is_text((struct fl_str){(const char *)buf.at, buf.len})) {
        return fl_fail(err, FL_TOO_LARGE, "its labels are too long");
    }
    *ret_labels = fl_buf_take(&buf);
    return true;
}

bool submit_item_make(const struct fl_job_spec *spec, bool has_queue,
                      const struct submit_spec *shared, const struct token_grant *token,
                      struct fl_arena *arena, struct core_submit_item *ret_item, struct fl_err *err)
{
    struct fl_str queue = submit_queue(spec, has_queue, token);
    struct core_submit_item item;
    struct fl_buf buf;

    if (!api_may_see_queue(token, queue)) {
        return fl_fail(err, FL_ABSENT,
                       "queue \"" FL_STR_FMT "\" does not exist, or not for this "
                       "token; its queue is \"%s\"",
                       FL_STR_ARG(queue), token->queue);
    }
    item = (struct core_submit_item){
        .queue = fl_arena_str(arena, queue),
        .shape = shared->shape,
        .spec = shared->canonical,
        .spec_digest = shared->digest,
        .asked = shared->asked,
        .priority = spec->priority,
        .elements = spec->elements,
        .deadline_s = spec->deadline_s,
        .retries_max = spec->retries,
        .is_held = spec->is_held,
        .is_singleton = spec->is_singleton,
        .parallelism = spec->parallelism,
        .name = fl_arena_str(arena, spec->name),
    };
    take_after(&spec->after, arena, &item);
    if (!submit_labels(&spec->labels, arena, &item.labels, err)) return false;
    fl_buf_init_in(&buf, FL_JOB_PARAMS_BYTES_MAX, arena);
    if (!fl_job_params_canonical(&buf, &spec->params)) {
        return fl_fail(err, FL_TOO_LARGE,
                       "its parameters have over " FL_QUOTE(FL_JOB_PARAMS_BYTES_MAX) " bytes");
    }
    item.params = fl_buf_take(&buf);
    *ret_item = item;
    return true;
}
