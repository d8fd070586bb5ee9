/* resource_name.h - what a resource may be called, beside cpu, memory and gpus.
 * As in Kubernetes: letters, digits, '-', '_' and '.', a letter or digit at both ends, at most 63;
 * before it, if any, a DNS name of at most 253 and '/'.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"

enum { FL_RESOURCE_NAME_BYTES_MAX = 317 };

/* False for cpu, memory and gpus too: they have fields of their own. */
bool fl_is_resource_name(struct fl_str text);

/* May a job ask for it?  It has a '/', or is one of those that count bytes. */
bool fl_is_job_resource(struct fl_str name);

/* Does it count GPUs or the like, as nvidia.com/gpu and amd.com/gpu do? */
bool fl_is_accelerator_resource(struct fl_str name);

/* The unit of 'name' counts bytes (ephemeral-storage, hugepages-2Mi); the others count devices. */
bool fl_is_bytes_resource(struct fl_str name);

/* The bytes of one page of hugepages-2Mi or hugepages-1Gi; 0: it is another resource. */
uint64_t fl_resource_page_bytes(struct fl_str name);
