/* manifest_mounts.h - the volumes of a pod and the mounts of its container, as 'mounts' of a role.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include "shared/spec/manifest_read.h"

/* Appends the mounts of the container that was read last, if it has any. */
void fl_manifest_put_mounts(struct fl_reading *reading, const struct fl_built *roles,
                            struct fl_built *container);
