#include "agent/process/cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/cgroup_file.h"
#include "agent/process/cgroup_v1.h"
#include "shared/base/str.h"

#define MOUNT_POINT "/sys/fs/cgroup"
#define AGENT_GROUP "/agent"

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += len) {
        bool begins = at == text || at[-1] == ' ';

        if (begins && (at[len] == 0 || at[len] == ' ' || at[len] == '\n')) return true;
    }
    return false;
}

/* ---- finding and making groups --------------------------------------------------------------- */

/* The path behind the mark of version 1; NULL: it is of version 2. */
static const char *of_v1(const char *path)
{
    return strncmp(path, CGROUP_V1, strlen(CGROUP_V1)) == 0 ? path + strlen(CGROUP_V1) : NULL;
}

/* Marks a path that version 1 gave. */
static bool mark_v1(const char *found, char ret_path[CGROUP_PATH_MAX], struct fl_err *err)
{
    return snprintf(ret_path, CGROUP_PATH_MAX, CGROUP_V1 "%s", found) < CGROUP_PATH_MAX ||
           fl_fail(err, FL_TOO_LARGE, "the path of a control group is too long");
}

static bool find_delegated(const char *own, char ret_root[CGROUP_PATH_MAX], struct fl_err *err)
{
    size_t len = strcspn(own, "\n");

    if (len < strlen(AGENT_GROUP) ||
        memcmp(own + len - strlen(AGENT_GROUP), AGENT_GROUP, strlen(AGENT_GROUP)) != 0) {
        return fl_fail(err, FL_ABSENT, "no control group was delegated to this agent");
    }
    len -= strlen(AGENT_GROUP);
    return snprintf(ret_root, CGROUP_PATH_MAX, MOUNT_POINT "%.*s", (int)len, own) <
               CGROUP_PATH_MAX ||
           fl_fail(err, FL_TOO_LARGE, "the path of the own control group is too long");
}

bool cgroup_find_root(char ret_root[CGROUP_PATH_MAX], struct fl_err *err)
{
    char text[CGROUP_TEXT_MAX], found[CGROUP_PATH_MAX];
    const char *own;

    if (!cgroup_read_path("/proc/self/cgroup", text)) {
        return fl_fail(err, FL_ABSENT, "this host has no control groups");
    }
    /* Controllers that version 1 has are not in version 2. */
    if (strstr(text, ":memory:")) {
        return cgroup_v1_find_root(MOUNT_POINT, text, found, err) && mark_v1(found, ret_root, err);
    }
    own = strstr(text, "0::/");
    if (!own) return fl_fail(err, FL_ABSENT, "this host has no control groups of version 2");
    return find_delegated(own + strlen("0::"), ret_root, err);
}

/* Makes a group with the longest name that there may be, and removes it. */
static bool try_v1(const char *root, struct fl_err *err)
{
    struct fl_resources limits = {.memory_bytes = 64 << 20, .cpu_milli = 100};
    char name[CGROUP_NAME_MAX + 1], path[CGROUP_PATH_MAX];

    snprintf(name, sizeof name, "try-%0*d", CGROUP_NAME_MAX - 4, (int)getpid());
    if (!cgroup_create(root, name, limits, path, err)) return false;
    cgroup_remove(path);
    return true;
}

bool cgroup_prepare(const char *root, struct fl_err *err)
{
    char text[CGROUP_TEXT_MAX];

    if (of_v1(root)) return try_v1(root, err);
    if (!cgroup_read(root, "cgroup.controllers", text)) {
        return fl_fail(err, FL_UNSUPPORTED, "%s is no control group of version 2", root);
    }
    if (!has_word(text, "cpu") || !has_word(text, "memory")) {
        return fl_fail(err, FL_UNSUPPORTED, "%s offers no limits of cpu and memory", root);
    }
    /* io has no limit here; it is metered. */
    if (has_word(text, "io") && cgroup_write(root, "cgroup.subtree_control", "+cpu +memory +io")) {
        return true;
    }
    if (!cgroup_write(root, "cgroup.subtree_control", "+cpu +memory")) {
        return fl_fail(err, FL_UNSUPPORTED, "may not set limits below %s: %s", root,
                       strerror(errno));
    }
    return true;
}

bool cgroup_create(const char *root, const char *name, struct fl_resources limits,
                   char ret_path[CGROUP_PATH_MAX], struct fl_err *err)
{
    char text[64], found[CGROUP_PATH_MAX];

    if (of_v1(root)) {
        if (!cgroup_v1_create(of_v1(root), name, limits, found, err)) return false;
        if (mark_v1(found, ret_path, err)) return true;
        cgroup_v1_remove(found);
        return false;
    }
    if (snprintf(ret_path, CGROUP_PATH_MAX, "%s/%s", root, name) >= CGROUP_PATH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "the path of a control group is too long");
    }
    if (mkdir(ret_path, 0755) != 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "cannot make %s: %s", ret_path, strerror(errno));
    }
    snprintf(text, sizeof(text), "%" PRIu64, limits.memory_bytes);
    if (limits.memory_bytes > 0 && !cgroup_write(ret_path, "memory.max", text)) {
        return fl_fail(err, FL_IO, "cannot limit memory in %s: %s", ret_path, strerror(errno));
    }
    /* When memory runs out, the whole group dies at once: half a training run is useless. */
    if (limits.memory_bytes > 0) cgroup_write(ret_path, "memory.oom.group", "1");
    if (limits.cpu_milli > 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " %d", cgroup_cpu_quota_us(limits.cpu_milli),
                 CGROUP_CPU_PERIOD_US);
        if (!cgroup_write(ret_path, "cpu.max", text)) {
            return fl_fail(err, FL_IO, "cannot limit cpu in %s: %s", ret_path, strerror(errno));
        }
    }
    return true;
}

/* ---- one group ------------------------------------------------------------------------------- */

bool cgroup_join(const char *path)
{
    if (of_v1(path)) return cgroup_v1_join(of_v1(path));
    return cgroup_write(path, "cgroup.procs", "0");
}

void cgroup_kill(const char *path)
{
    if (of_v1(path)) {
        cgroup_v1_kill(of_v1(path));
    } else {
        cgroup_write(path, "cgroup.kill", "1");
    }
}

bool cgroup_is_populated(const char *path)
{
    char text[CGROUP_TEXT_MAX];

    if (of_v1(path)) return cgroup_v1_is_populated(of_v1(path));
    return cgroup_read(path, "cgroup.events", text) && cgroup_keyed_number(text, "populated") > 0;
}

uint64_t cgroup_oom_kills(const char *path)
{
    char text[CGROUP_TEXT_MAX];

    if (of_v1(path)) return cgroup_v1_oom_kills(of_v1(path));
    return cgroup_read(path, "memory.events", text) ? cgroup_keyed_number(text, "oom_kill") : 0;
}

/* A sum over the lines of io.stat, one a device: "8:0 rbytes=4096 wbytes=0 ...". */
static uint64_t sum_of(const char *text, const char *key)
{
    uint64_t sum = 0, n;

    for (const char *at = text; (at = strstr(at, key));) {
        struct fl_str digits = {.at = at + strlen(key)};

        digits.len = strspn(digits.at, "0123456789");
        if (fl_str_parse_u64(digits, &n)) sum += n;
        at = digits.at + digits.len;
    }
    return sum;
}

bool cgroup_meter(const char *path, struct fl_usage *usage)
{
    char cpu[CGROUP_TEXT_MAX], io[CGROUP_TEXT_MAX];
    struct fl_usage seen = *usage;

    if (of_v1(path)) return cgroup_v1_meter(of_v1(path), usage);
    if (!cgroup_read_number(path, "memory.peak", &seen.memory_bytes) ||
        !cgroup_read(path, "cpu.stat", cpu)) {
        return false;
    }
    seen.meter = FL_METER_group;
    seen.replicas = 1;
    seen.cpu_us = cgroup_keyed_number(cpu, "usage_usec");
    if (cgroup_read(path, "io.stat", io) && strlen(io) < CGROUP_TEXT_MAX - 1) {
        seen.read_bytes = sum_of(io, " rbytes=");
        seen.written_bytes = sum_of(io, " wbytes=");
    }
    *usage = seen;
    return true;
}

void cgroup_remove(const char *path)
{
    if (of_v1(path)) {
        cgroup_v1_remove(of_v1(path));
    } else {
        rmdir(path);
    }
}
