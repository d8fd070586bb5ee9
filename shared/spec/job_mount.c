#include "shared/spec/job_mount.h"

#include <stdio.h>
#include <string.h>

#define NOTHING ((struct fl_str){0})

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool fl_job_is_object_name(struct fl_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        bool is_end = i == 0 || i + 1 == name.len || name.at[i - 1] == '.' || name.at[i + 1] == '.';

        if (is_lower_or_digit(name.at[i])) continue;
        if (is_end || (name.at[i] != '-' && name.at[i] != '.')) return false;
    }
    return name.len > 0;
}

/* No part of it is empty, "." or "..". */
static bool is_plain_path(struct fl_str path)
{
    if (path.len == 0 || path.at[path.len - 1] == '/') return false;
    while (path.len > 0) {
        struct fl_str part = fl_str_cut(&path, '/');

        if (part.len == 0 || fl_str_eq(part, FL_STR(".")) || fl_str_eq(part, FL_STR(".."))) {
            return false;
        }
    }
    return true;
}

static bool is_absolute(struct fl_str path)
{
    return path.len > 1 && path.at[0] == '/' && !memchr(path.at, ':', path.len) &&
           is_plain_path((struct fl_str){path.at + 1, path.len - 1});
}

/* The name of its claim, ConfigMap or Secret; empty: it has none. */
static struct fl_str name_of(const struct fl_job_mount *one)
{
    if (one->claim.len > 0) return one->claim;
    return one->config_map.len > 0 ? one->config_map : one->secret;
}

static void check_source(const struct fl_job_check *check, const struct fl_path *path,
                         const struct fl_json *item, const struct fl_job_mount *one)
{
    int sources = (one->claim.len > 0) + (one->config_map.len > 0) + (one->secret.len > 0) +
                  (one->empty.len > 0);

    if (sources != 1) {
        fl_job_wrong(check, path, item, FL_STR("path: /data, claim: datasets"),
                     "a mount has one source: claim, configMap, secret or empty");
    } else if (one->empty.len == 0 && !fl_job_is_object_name(name_of(one))) {
        fl_job_wrong(check, path, item,
                     FL_STR("a-z, 0-9, '-' and '.', a letter or digit at each end"),
                     "\"" FL_STR_FMT "\" is no name of an object", FL_STR_ARG(name_of(one)));
    } else if (one->empty.len > 0 && !fl_str_eq(one->empty, FL_STR("disk")) &&
               !fl_str_eq(one->empty, FL_STR("memory"))) {
        fl_job_wrong(check, path, item, FL_STR("disk or memory"),
                     "an empty directory is on disk or in memory");
    }
}

static void check_mount(const struct fl_job_check *check, const struct fl_path *path,
                        const struct fl_json *item, const struct fl_job_mount *one)
{
    check_source(check, path, item, one);
    if (!is_absolute(one->path)) {
        fl_job_wrong(check, path, item, FL_STR("/data"),
                     "the path is absolute, not the root, and without '.', '..', ':' and a '/' too "
                     "many");
    }
    if (one->sub_path.len > 0 && !is_plain_path(one->sub_path)) {
        fl_job_wrong(check, path, item, FL_STR("train/images"),
                     "subPath is relative, and without '.', '..' and a '/' too many");
    }
    if (one->empty.len > 0 && (one->sub_path.len > 0 || one->is_read_only)) {
        fl_job_wrong(check, path, item, NOTHING,
                     "an empty directory has no subPath, and must be written to: leave subPath and "
                     "readOnly out");
    } else if (one->empty.len == 0 && one->size_bytes > 0) {
        fl_job_wrong(check, path, item, NOTHING,
                     "only an empty directory has a size: a claim has its own");
    }
}

void fl_job_mount_put(const struct fl_job_check *check, const struct fl_path *path,
                      const struct fl_json *item, const struct fl_job_mount *one,
                      struct fl_job_mounts *to)
{
    size_t at = to->len;

    check_mount(check, path, item, one);
    while (at > 0 && fl_str_cmp(one->path, to->at[at - 1].path) < 0) {
        at--;
    }
    if (at > 0 && fl_str_eq(one->path, to->at[at - 1].path)) {
        fl_job_wrong(check, path, item, NOTHING, "there is another mount at this path");
        return;
    }
    for (size_t i = to->len++; i > at; i--) {
        to->at[i] = to->at[i - 1];
    }
    to->at[at] = *one;
}

void fl_job_mount_source(const struct fl_job_mount *mount, char ret_text[FL_JOB_MOUNT_SOURCE_MAX])
{
    const char *kind = mount->empty.len > 0        ? "empty"
                       : mount->claim.len > 0      ? "claim"
                       : mount->config_map.len > 0 ? "configMap"
                                                   : "secret";
    struct fl_str name = mount->empty.len > 0 ? mount->empty : name_of(mount);

    snprintf(ret_text, FL_JOB_MOUNT_SOURCE_MAX, "%s/" FL_STR_FMT, kind, FL_STR_ARG(name));
}
