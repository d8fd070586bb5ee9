/* output_name.h - the names of output files: out.N, N the offset of the first byte, as 16 hex
 * digits, so that names sort as offsets do.  Uses shared/base only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"

enum { OUTPUT_NAME_MAX = 24 }; /* with the final zero */

void output_name(uint64_t offset, char ret_name[OUTPUT_NAME_MAX]);
FL_CHECK bool output_name_parse(const char *name, uint64_t *ret_offset);
