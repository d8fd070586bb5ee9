/* config_value.h - the text of a setting, read by its kind; for config.c.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/types.h"
#include "shared/io/config.h"

struct fl_config_value {
    char *text;  /* as it was written; the owner frees it; a SECRET has the text of its @PATH */
    int64_t n;   /* INT DURATION BYTES BOOL */
    char *words; /* LIST: each followed by a zero byte */
    const char **list;
    size_t list_len;
};

void fl_config_value_fini(struct fl_config_value *value); /* zeroed is fine */

/* The reason only; the caller adds the place and the key. */
FL_CHECK bool fl_config_value_read(const struct fl_config_setting *setting, struct fl_str text,
                                   struct fl_config_value *ret_value, struct fl_err *err);

/* "30s", "64KiB": the largest unit that divides it; 0 is "0s" and "0". */
#define FL_CONFIG_QUANTITY_MAX 32
void fl_config_print_duration(fl_ms ms, char out[FL_CONFIG_QUANTITY_MAX]);
void fl_config_print_bytes(int64_t bytes, char out[FL_CONFIG_QUANTITY_MAX]);
