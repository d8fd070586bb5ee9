/* cgroup_v1.h - cgroup.h on a host whose control groups are of version 1.
 * There a group is a folder in each of several trees.  Its path names them in this order, with ':'
 * between: memory, cpu and, where the host counts these, cpuacct and blkio.  Only root may make one
 * without more ado; memory has no kill of the whole group: the rest is killed when the job's own
 * process is gone.
 * Uses cgroup_file.h. */
#pragma once

#include "agent/process/cgroup.h"

#define CGROUP_V1 "v1:" /* marks these paths in cgroup.h; it is cut off here */

/* Finds our own groups below 'mounts', each in its tree; else the tree's root.  FL_UNSUPPORTED: no
 * group can be made there. */
FL_CHECK bool cgroup_v1_find_root(const char *mounts, const char *own,
                                  char ret_root[CGROUP_PATH_MAX], struct fl_err *err);

FL_CHECK bool cgroup_v1_create(const char *root, const char *name, struct fl_resources limits,
                               char ret_path[CGROUP_PATH_MAX], struct fl_err *err);
FL_CHECK bool cgroup_v1_join(const char *path);
void cgroup_v1_kill(const char *path);
bool cgroup_v1_is_populated(const char *path);
uint64_t cgroup_v1_oom_kills(const char *path);
bool cgroup_v1_meter(const char *path, struct fl_usage *usage);
void cgroup_v1_remove(const char *path);
