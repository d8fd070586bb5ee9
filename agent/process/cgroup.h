/* cgroup.h - limits for a replica by a control group, where the host lets us.
 * 'root' is where groups are made.  In version 2 it is a folder that was delegated to us and holds
 * no process of its own: the agent never moves itself, systemd's DelegateSubgroup=agent does.  In
 * version 1 (cgroup_v1.h) root needs no delegation, and any folder will do.  Without it there are
 * no limits, which the runtime says once.  Everything is plain files and folders, so that a plain
 * tree shows what is written.
 * Uses shared/base. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/resources.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

enum { CGROUP_PATH_MAX = 1024, CGROUP_NAME_MAX = 100 };

/* Finds the group that systemd delegates to us: the parent of our own group, if that is named
 * 'agent'; FL_ABSENT otherwise.  In version 1 our own group; FL_UNSUPPORTED: it is not ours to
 * divide. */
FL_CHECK bool cgroup_find_root(char ret_root[CGROUP_PATH_MAX], struct fl_err *err);

/* Lets groups below have limits of cpu and memory.  FL_UNSUPPORTED: the host does not offer them
 * here. */
FL_CHECK bool cgroup_prepare(const char *root, struct fl_err *err);

/* A group below root with these limits; 0: no limit.  If it is there already, sets its limits. */
FL_CHECK bool cgroup_create(const char *root, const char *name, struct fl_resources limits,
                            char ret_path[CGROUP_PATH_MAX], struct fl_err *err);

/* ---- a group, by its path -------------------------------------------------------------------- */

FL_CHECK bool cgroup_join(const char *path); /* the calling process; between fork and exec */
void cgroup_kill(const char *path);          /* all that is in it */
bool cgroup_is_populated(const char *path);  /* false also when it is gone */
uint64_t cgroup_oom_kills(const char *path); /* 0 also when it is not known */
/* The CPU, memory and I/O of all processes that were ever in it, together.  False: this host does
 * not count them by groups (kernels before 5.19 have no memory.peak), and 'usage' is unchanged; so
 * are its bytes read and written where the group does not count these. */
bool cgroup_meter(const char *path, struct fl_usage *usage);
void cgroup_remove(const char *path); /* once nothing is in it */
