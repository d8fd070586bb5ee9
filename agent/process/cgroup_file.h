/* cgroup_file.h - the files of a control group: small texts in its folder.
 * For cgroup.c and cgroup_v1.c.  Uses shared/base. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CGROUP_TEXT_MAX = 4096 };

/* Also between fork and exec. */
bool cgroup_write(const char *folder, const char *name, const char *text);

/* The beginning, where the file is longer. */
bool cgroup_read(const char *folder, const char *name, char ret_text[CGROUP_TEXT_MAX]);
bool cgroup_read_path(const char *path, char ret_text[CGROUP_TEXT_MAX]);

/* A file that is one number. */
bool cgroup_read_number(const char *folder, const char *name, uint64_t *ret_number);

/* The number behind "key " at the beginning of a line; 0: there is none. */
uint64_t cgroup_keyed_number(const char *text, const char *key);

/* The quota of CPU time in a period of CGROUP_CPU_PERIOD_US. */
enum { CGROUP_CPU_PERIOD_US = 100000 };
uint64_t cgroup_cpu_quota_us(uint32_t cpu_milli);
