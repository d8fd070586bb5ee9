/* job_mount.h - the parts of a replica's file system that come from elsewhere.
 * A text says one, for people and for those who grant them:
 *
 *   claim/NAME   configMap/NAME   secret/NAME   empty/disk   empty/memory
 *
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/job_check.h"
#include "shared/spec/job_spec.h"

enum { FL_JOB_MOUNT_SOURCE_MAX = FL_JOB_MOUNT_NAME_BYTES_MAX + 16 };

/* Checks what was read, and puts it in its place among those that are sorted. */
void fl_job_mount_put(const struct fl_job_check *check, const struct fl_path *path,
                      const struct fl_json *item, const struct fl_job_mount *one,
                      struct fl_job_mounts *to);

/* A name of objects in Kubernetes: labels of DNS with dots between them. */
bool fl_job_is_object_name(struct fl_str name);

void fl_job_mount_source(const struct fl_job_mount *mount, char ret_text[FL_JOB_MOUNT_SOURCE_MAX]);
