#include "shared/spec/manifest_mounts.h"

#include "shared/base/arena.h"
#include "shared/base/job_limits.h"

#define NOTHING ((struct fl_str){0})
#define MOUNTS "/template/spec/containers/0/mounts"

/* A volume, as the mounts that name it need it. */
struct volume {
    struct fl_taken name, claim, config_map, secret, is_read_only, size;
    struct fl_str empty; /* "disk" or "memory"; empty: it is another kind */
};

struct volumes {
    struct volume at[FL_JOB_MOUNTS_MAX];
    size_t len;
};

static void forget(struct fl_reading *reading, int from, int to)
{
    for (int i = from; i <= to; i++) {
        reading->taken[i] = (struct fl_taken){0};
    }
}

/* False: there are none, or it was refused. */
static bool is_list(const struct fl_reading *reading, const struct fl_taken *taken)
{
    if (!taken->node || fl_manifest_is_empty(taken->node)) return false;
    if (taken->node->kind == FL_JSON_LIST && taken->node->len <= FL_JOB_MOUNTS_MAX) return true;
    fl_job_wrong(reading->check, taken->path, taken->node, FL_STR("a list"),
                 "a replica has at most " FL_QUOTE(FL_JOB_MOUNTS_MAX) " of them, in a list");
    return false;
}

static struct fl_str read_empty(struct fl_reading *reading)
{
    struct fl_taken empty = *FL_TAKE(reading, volume_empty);
    const struct fl_taken *medium = FL_TAKE(reading, volume_medium);

    if (!empty.node) return NOTHING;
    fl_manifest_read_object(reading, FL_MANIFEST_OBJECT_empty_dir, empty.path, empty.node);
    if (!medium->node || fl_manifest_is_empty(medium->node)) return FL_STR("disk");
    if (!fl_str_eq(medium->node->text, FL_STR("Memory"))) {
        fl_manifest_wrong(reading, medium,
                          "an empty directory is on the node's disk, or has medium: Memory");
    }
    return FL_STR("memory");
}

static void read_volume(struct fl_reading *reading, const struct fl_path *path,
                        const struct fl_json *item, struct volume *volume)
{
    forget(reading, FL_MANIFEST_TAKE_volume_name, FL_MANIFEST_TAKE_volume_size);
    fl_manifest_read_object(reading, FL_MANIFEST_OBJECT_volume, path, item);
    volume->empty = read_empty(reading);
    volume->name = *FL_TAKE(reading, volume_name);
    volume->claim = *FL_TAKE(reading, volume_claim);
    volume->config_map = *FL_TAKE(reading, volume_config_map);
    volume->secret = *FL_TAKE(reading, volume_secret);
    volume->is_read_only = *FL_TAKE(reading, volume_read_only);
    volume->size = *FL_TAKE(reading, volume_size);
}

static void read_volumes(struct fl_reading *reading, struct volumes *volumes)
{
    const struct fl_taken list = *FL_TAKE(reading, volumes);
    struct fl_path here = {.up = list.path};

    if (!is_list(reading, &list)) return;
    FL_JSON_EACH (item, list.node) {
        read_volume(reading, &here, item, &volumes->at[volumes->len++]);
        here.index++;
    }
}

static const struct volume *find_volume(const struct volumes *volumes, const struct fl_taken *name)
{
    for (size_t i = 0; name->node && i < volumes->len; i++) {
        const struct fl_json *node = volumes->at[i].name.node;

        if (node && node->text.len > 0 && fl_str_eq(node->text, name->node->text)) {
            return &volumes->at[i];
        }
    }
    return NULL;
}

static void append_taken(const struct fl_reading *reading, struct fl_built *to, const char *key,
                         const struct fl_taken *taken)
{
    if (!taken->node || fl_manifest_is_empty(taken->node)) return;
    fl_manifest_append(reading, to, fl_str_c(key), taken->node);
}

static struct fl_built make_mount(struct fl_reading *reading, const struct volume *volume)
{
    const struct fl_taken *mounted = FL_TAKE(reading, mount_read_only);
    struct fl_built mount = fl_manifest_begin(reading, FL_JSON_OBJECT);
    struct fl_json empty = {.kind = FL_JSON_STRING, .text = volume->empty};
    bool is_read_only = mounted->node && mounted->node->kind == FL_JSON_BOOL && mounted->node->n;

    append_taken(reading, &mount, "path", FL_TAKE(reading, mount_path));
    append_taken(reading, &mount, "claim", &volume->claim);
    append_taken(reading, &mount, "configMap", &volume->config_map);
    append_taken(reading, &mount, "secret", &volume->secret);
    if (empty.text.len > 0) fl_manifest_append(reading, &mount, FL_STR("empty"), &empty);
    append_taken(reading, &mount, "size", &volume->size);
    append_taken(reading, &mount, "subPath", FL_TAKE(reading, mount_sub_path));
    append_taken(reading, &mount, "readOnly", is_read_only ? mounted : &volume->is_read_only);
    return mount;
}

static void read_mount(struct fl_reading *reading, const struct fl_path *path,
                       const struct fl_json *item, const struct volumes *volumes,
                       struct fl_built *mounts)
{
    const struct fl_taken *name = FL_TAKE(reading, mount_name);
    const struct volume *volume;

    forget(reading, FL_MANIFEST_TAKE_mount_name, FL_MANIFEST_TAKE_mount_read_only);
    fl_manifest_read_object(reading, FL_MANIFEST_OBJECT_volume_mount, path, item);
    volume = find_volume(volumes, name);
    if (!volume) {
        fl_job_wrong(reading->check, path, item, NOTHING, "no volume of the pod has its name");
        return;
    }
    fl_manifest_append(reading, mounts, NOTHING, make_mount(reading, volume).node);
}

void fl_manifest_put_mounts(struct fl_reading *reading, const struct fl_built *roles,
                            struct fl_built *container)
{
    const struct fl_taken list = *FL_TAKE(reading, volume_mounts);
    struct fl_built mounts = fl_manifest_begin(reading, FL_JSON_LIST);
    struct fl_path here = {.up = list.path};
    struct volumes volumes = {0};

    read_volumes(reading, &volumes);
    if (!is_list(reading, &list)) return;
    mounts.node->at = list.node->at;
    fl_manifest_moved(reading, fl_str_c(fl_manifest_in_role(reading, roles, MOUNTS)), list.pointer);
    FL_JSON_EACH (item, list.node) {
        read_mount(reading, &here, item, &volumes, &mounts);
        here.index++;
    }
    if (mounts.last) fl_manifest_append(reading, container, FL_STR("mounts"), mounts.node);
}
