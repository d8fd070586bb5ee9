/* migrations.h - the files of schema/, copied in when this binary was built.
 * Uses libc only. */
#pragma once

#include <stddef.h>

struct migration {
    int version;
    const char *name; /* "0001_init" */
    const char *sql;
};

extern const struct migration migrations[]; /* oldest first, numbered from 1 without a gap */
extern const size_t migrations_len;
