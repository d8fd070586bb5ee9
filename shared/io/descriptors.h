/* descriptors.h - how many descriptors this process may open.  A shell's soft limit is small, for
 * programs that use select; ours use none, so each raises its own and gives its children the old
 * one.  Uses libc only. */
#pragma once

#include <stdint.h>

enum { FL_DESCRIPTORS_MAX = 1 << 18 }; /* no more are asked for: libraries make tables of so many */

/* Raises the soft limit to the hard one, or to FL_DESCRIPTORS_MAX; returns what it was. */
uint64_t fl_descriptors_raise(void);

/* Sets the soft limit, to what 'raise' returned or back; returns what it was.  Descriptors that are
 * open stay open. */
uint64_t fl_descriptors_set(uint64_t soft);

uint64_t fl_descriptors_limit(void);
