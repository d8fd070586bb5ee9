#include "agent/process/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/str.h"

enum {
    TEXT_MAX = 4096,
    FILE_PATH_MAX = CGROUP_PATH_MAX + 64,
    CPU_PERIOD_US = 100000,
    CPU_QUOTA_US_MIN = 1000,
};

#define MOUNT_POINT "/sys/fs/cgroup"
#define AGENT_GROUP "/agent"

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const char *text)
{
    char path[FILE_PATH_MAX];
    ssize_t len;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    len = write(fd, text, strlen(text));
    close(fd);
    return len == (ssize_t)strlen(text);
}

static bool read_path(const char *path, char ret_text[TEXT_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0) return false;
    len = read(fd, ret_text, TEXT_MAX - 1);
    close(fd);
    if (len < 0) return false;
    ret_text[len] = 0;
    return true;
}

static bool read_file(const char *folder, const char *name, char ret_text[TEXT_MAX])
{
    char path[FILE_PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return read_path(path, ret_text);
}

/* The number behind "key " at the beginning of a line; 0 when there is none. */
static uint64_t keyed_number(const char *text, const char *key)
{
    size_t key_len = strlen(key);

    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        struct fl_str digits;
        uint64_t n = 0;

        if (*line == '\n') line++;
        if (strncmp(line, key, key_len) != 0 || line[key_len] != ' ') continue;
        digits.at = line + key_len + 1;
        digits.len = strcspn(digits.at, "\n");
        return fl_str_parse_u64(digits, &n) ? n : 0;
    }
    return 0;
}

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

bool cgroup_find_root(char ret_root[CGROUP_PATH_MAX], struct fl_err *err)
{
    char text[TEXT_MAX];
    char *own;
    size_t len;

    if (!read_path("/proc/self/cgroup", text) || !(own = strstr(text, "0::/"))) {
        return fl_fail(err, FL_ABSENT, "this host has no control groups of version 2");
    }
    own += strlen("0::");
    len = strcspn(own, "\n");
    if (len < strlen(AGENT_GROUP) ||
        memcmp(own + len - strlen(AGENT_GROUP), AGENT_GROUP, strlen(AGENT_GROUP)) != 0) {
        return fl_fail(err, FL_ABSENT, "no control group was delegated to this agent");
    }
    own[len - strlen(AGENT_GROUP)] = 0;
    if (snprintf(ret_root, CGROUP_PATH_MAX, MOUNT_POINT "%s", own) >= CGROUP_PATH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "the path of the own control group is too long");
    }
    return true;
}

bool cgroup_prepare(const char *root, struct fl_err *err)
{
    char text[TEXT_MAX];

    if (!read_file(root, "cgroup.controllers", text)) {
        return fl_fail(err, FL_UNSUPPORTED, "%s is no control group of version 2", root);
    }
    if (!has_word(text, "cpu") || !has_word(text, "memory")) {
        return fl_fail(err, FL_UNSUPPORTED, "%s offers no limits of cpu and memory", root);
    }
    /* io has no limit here; it is metered. */
    if (has_word(text, "io") && write_file(root, "cgroup.subtree_control", "+cpu +memory +io")) {
        return true;
    }
    if (!write_file(root, "cgroup.subtree_control", "+cpu +memory")) {
        return fl_fail(err, FL_UNSUPPORTED, "may not set limits below %s: %s", root,
                       strerror(errno));
    }
    return true;
}

bool cgroup_create(const char *root, const char *name, struct fl_resources limits,
                   char ret_path[CGROUP_PATH_MAX], struct fl_err *err)
{
    char text[64];

    if (snprintf(ret_path, CGROUP_PATH_MAX, "%s/%s", root, name) >= CGROUP_PATH_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "the path of a control group is too long");
    }
    if (mkdir(ret_path, 0755) != 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "cannot make %s: %s", ret_path, strerror(errno));
    }
    snprintf(text, sizeof(text), "%" PRIu64, limits.memory_bytes);
    if (limits.memory_bytes > 0 && !write_file(ret_path, "memory.max", text)) {
        return fl_fail(err, FL_IO, "cannot limit memory in %s: %s", ret_path, strerror(errno));
    }
    /* When memory runs out, the whole group dies at once: half a training run is useless. */
    if (limits.memory_bytes > 0) write_file(ret_path, "memory.oom.group", "1");
    if (limits.cpu_milli > 0) {
        uint64_t quota_us = (uint64_t)limits.cpu_milli * CPU_PERIOD_US / 1000;

        if (quota_us < CPU_QUOTA_US_MIN) quota_us = CPU_QUOTA_US_MIN;
        snprintf(text, sizeof(text), "%" PRIu64 " %d", quota_us, CPU_PERIOD_US);
        if (!write_file(ret_path, "cpu.max", text)) {
            return fl_fail(err, FL_IO, "cannot limit cpu in %s: %s", ret_path, strerror(errno));
        }
    }
    return true;
}

/* ---- one group ------------------------------------------------------------------------------- */

bool cgroup_join(const char *path)
{
    return write_file(path, "cgroup.procs", "0");
}

void cgroup_kill(const char *path)
{
    write_file(path, "cgroup.kill", "1");
}

bool cgroup_is_populated(const char *path)
{
    char text[TEXT_MAX];

    return read_file(path, "cgroup.events", text) && keyed_number(text, "populated") > 0;
}

uint64_t cgroup_oom_kills(const char *path)
{
    char text[TEXT_MAX];

    return read_file(path, "memory.events", text) ? keyed_number(text, "oom_kill") : 0;
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
    char peak[TEXT_MAX], cpu[TEXT_MAX], io[TEXT_MAX];
    struct fl_usage seen = *usage;

    if (!read_file(path, "memory.peak", peak) || !read_file(path, "cpu.stat", cpu)) return false;
    seen.meter = FL_METER_group;
    seen.replicas = 1;
    seen.cpu_us = keyed_number(cpu, "usage_usec");
    if (!fl_str_parse_u64((struct fl_str){peak, strcspn(peak, "\n")}, &seen.memory_bytes)) {
        return false;
    }
    if (read_file(path, "io.stat", io) && strlen(io) < TEXT_MAX - 1) {
        seen.read_bytes = sum_of(io, " rbytes=");
        seen.written_bytes = sum_of(io, " wbytes=");
    }
    *usage = seen;
    return true;
}

void cgroup_remove(const char *path)
{
    rmdir(path);
}
