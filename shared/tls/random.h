/* random.h - unpredictable bytes, from the kernel.
 * Thread-safe; never fails: a kernel without randomness aborts us. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/uuid.h"

void fl_random(void *ptr, size_t len);
uint64_t fl_random_u64(void);
struct fl_uuid fl_random_uuid(void); /* version 4 */
