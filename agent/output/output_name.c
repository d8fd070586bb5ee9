#include "agent/output/output_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "out."

void output_name(uint64_t offset, char ret_name[OUTPUT_NAME_MAX])
{
    snprintf(ret_name, OUTPUT_NAME_MAX, PREFIX "%016" PRIx64, offset);
}

bool output_name_parse(const char *name, uint64_t *ret_offset)
{
    const size_t prefix_len = sizeof(PREFIX) - 1;
    uint64_t offset = 0;

    if (strncmp(name, PREFIX, prefix_len) != 0) return false;
    if (strlen(name + prefix_len) != 16) return false;
    for (const char *at = name + prefix_len; *at; at++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, *at);

        if (!digit) return false;
        offset = offset << 4 | (uint64_t)(digit - digits);
    }
    *ret_offset = offset;
    return true;
}
