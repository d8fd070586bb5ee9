#include "agent/process/cgroup_v1.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/cgroup_file.h"
#include "shared/base/str.h"

enum {
    MEMORY,
    CPU,
    CPUACCT,
    BLKIO,
    TREES,
    NEEDED = CPU + 1, /* so many of them; a host need not have the others */
    KILL_PASSES = 20, /* a process may fork while the list is read */
};

static const char *const controllers[TREES] = {"memory", "cpu", "cpuacct", "blkio"};

/* ---- paths ----------------------------------------------------------------------------------- */

/* The folder in one tree; empty: the group has none there. */
static void folder_of(const char *path, int tree, char ret_folder[CGROUP_PATH_MAX])
{
    const char *at = path;
    size_t len;

    for (int i = 0; i < tree && at; i++) {
        at = strchr(at, ':');
        at = at ? at + 1 : NULL;
    }
    len = at ? strcspn(at, ":") : 0;
    if (len >= CGROUP_PATH_MAX) len = 0;
    if (len > 0) memcpy(ret_folder, at, len);
    ret_folder[len] = 0;
}

static bool append(char path[CGROUP_PATH_MAX], int tree, const char *folder, const char *name)
{
    size_t len = strlen(path);
    int more = snprintf(path + len, CGROUP_PATH_MAX - len, "%s%s%s%s", tree > 0 ? ":" : "", folder,
                        folder[0] && name[0] ? "/" : "", folder[0] ? name : "");

    return more >= 0 && (size_t)more < CGROUP_PATH_MAX - len;
}

/* Our own group in a tree, as /proc/self/cgroup tells: "4:memory:/path", "1:cpu,cpuacct:/path". */
static size_t own_group(const char *own, const char *controller, const char **ret_at)
{
    size_t name_len = strlen(controller);

    for (const char *line = own; line && *line; line = strchr(line, '\n')) {
        const char *at, *end;

        if (*line == '\n') line++;
        at = strchr(line, ':');
        end = at ? strchr(at + 1, ':') : NULL;
        while (at && end && at < end) {
            const char *word = at + 1;
            size_t len = strcspn(word, ",:\n");

            if (len == name_len && memcmp(word, controller, len) == 0) {
                *ret_at = end + 1;
                return strcspn(end + 1, "\n");
            }
            at = word + len;
        }
    }
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat stat_;

    return stat(path, &stat_) == 0 && S_ISDIR(stat_.st_mode);
}

/* In a container the tree's root may be our own group, whose name is that of the host. */
static bool find_folder(const char *mounts, const char *own, int tree,
                        char ret_folder[CGROUP_PATH_MAX])
{
    const char *at = "";
    size_t len = own_group(own, controllers[tree], &at);
    int bytes;

    /* "/..": it is not below what we see; ':' is our own separator. */
    if (len == 0 || memchr(at, ':', len) || (len >= 3 && memcmp(at, "/..", 3) == 0)) return false;
    if (len == 1) len = 0; /* "/" */
    bytes =
        snprintf(ret_folder, CGROUP_PATH_MAX, "%s/%s%.*s", mounts, controllers[tree], (int)len, at);
    if (bytes > 0 && bytes < CGROUP_PATH_MAX && is_folder(ret_folder)) return true;
    bytes = snprintf(ret_folder, CGROUP_PATH_MAX, "%s/%s", mounts, controllers[tree]);
    return bytes > 0 && bytes < CGROUP_PATH_MAX && is_folder(ret_folder);
}

bool cgroup_v1_find_root(const char *mounts, const char *own, char ret_root[CGROUP_PATH_MAX],
                         struct fl_err *err)
{
    char folder[CGROUP_PATH_MAX];

    ret_root[0] = 0;
    for (int tree = 0; tree < TREES; tree++) {
        bool is_found = find_folder(mounts, own, tree, folder);

        if (tree < NEEDED && !is_found) {
            return fl_fail(err, FL_UNSUPPORTED, "this host has no control groups that limit %s",
                           controllers[tree]);
        }
        if (tree < NEEDED && access(folder, W_OK) != 0) {
            return fl_fail(err, FL_UNSUPPORTED, "may not make control groups in %s: %s", folder,
                           strerror(errno));
        }
        if (!append(ret_root, tree, is_found ? folder : "", "")) {
            return fl_fail(err, FL_TOO_LARGE, "the path of the own control group is too long");
        }
    }
    return true;
}

/* ---- making one ------------------------------------------------------------------------------ */

static bool write_number(const char *folder, const char *name, uint64_t number, struct fl_err *err)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    return cgroup_write(folder, name, text) ||
           fl_fail(err, FL_IO, "cannot write %s in %s: %s", name, folder, strerror(errno));
}

static bool limit(const char *path, struct fl_resources limits, struct fl_err *err)
{
    char folder[CGROUP_PATH_MAX];
    uint64_t swap;

    folder_of(path, MEMORY, folder);
    if (limits.memory_bytes > 0) {
        if (!write_number(folder, "memory.limit_in_bytes", limits.memory_bytes, err)) return false;
        /* Else what is over the limit goes to swap; a host without swap may not count it. */
        if (cgroup_read_number(folder, "memory.memsw.limit_in_bytes", &swap) &&
            !write_number(folder, "memory.memsw.limit_in_bytes", limits.memory_bytes, err)) {
            return false;
        }
    }
    folder_of(path, CPU, folder);
    if (limits.cpu_milli == 0) return true;
    if (!write_number(folder, "cpu.cfs_period_us", CGROUP_CPU_PERIOD_US, err)) return false;
    if (write_number(folder, "cpu.cfs_quota_us", cgroup_cpu_quota_us(limits.cpu_milli), err)) {
        return true;
    }
    if (errno != EINVAL) return false;
    *err = (struct fl_err){0}; /* a group above has less: that holds here too */
    return true;
}

bool cgroup_v1_create(const char *root, const char *name, struct fl_resources limits,
                      char ret_path[CGROUP_PATH_MAX], struct fl_err *err)
{
    char folder[CGROUP_PATH_MAX];

    ret_path[0] = 0;
    for (int tree = 0; tree < TREES; tree++) {
        folder_of(root, tree, folder);
        if (!append(ret_path, tree, folder, name)) {
            return fl_fail(err, FL_TOO_LARGE, "the path of a control group is too long");
        }
    }
    for (int tree = 0; tree < TREES; tree++) {
        folder_of(ret_path, tree, folder);
        if (folder[0] && mkdir(folder, 0755) != 0 && errno != EEXIST) {
            int why = errno;

            cgroup_v1_remove(ret_path);
            return fl_fail(err, FL_IO, "cannot make %s: %s", folder, strerror(why));
        }
    }
    if (limit(ret_path, limits, err)) return true;
    cgroup_v1_remove(ret_path);
    return false;
}

/* ---- one group ------------------------------------------------------------------------------- */

bool cgroup_v1_join(const char *path)
{
    char folder[CGROUP_PATH_MAX];

    for (int tree = 0; tree < TREES; tree++) {
        folder_of(path, tree, folder);
        if (folder[0] && !cgroup_write(folder, "cgroup.procs", "0")) return false;
    }
    return true;
}

/* True: there was one. */
static bool kill_some(const char *folder)
{
    char text[CGROUP_TEXT_MAX];
    bool is_any = false;

    if (!cgroup_read(folder, "cgroup.procs", text)) return false;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        uint64_t pid;

        /* A number that is cut off at the end of the text would be another process's. */
        if (at[len] == 0) break;
        if (fl_str_parse_u64((struct fl_str){at, len}, &pid) && pid > 1) {
            (void)kill((pid_t)pid, SIGKILL);
            is_any = true;
        }
        at += len + 1;
    }
    return is_any;
}

void cgroup_v1_kill(const char *path)
{
    char folder[CGROUP_PATH_MAX];

    folder_of(path, MEMORY, folder);
    for (int pass = 0; pass < KILL_PASSES && kill_some(folder); pass++) {
    }
}

bool cgroup_v1_is_populated(const char *path)
{
    char folder[CGROUP_PATH_MAX], text[CGROUP_TEXT_MAX];

    folder_of(path, MEMORY, folder);
    return cgroup_read(folder, "cgroup.procs", text) && text[0] != 0;
}

uint64_t cgroup_v1_oom_kills(const char *path)
{
    char folder[CGROUP_PATH_MAX], text[CGROUP_TEXT_MAX];

    folder_of(path, MEMORY, folder);
    return cgroup_read(folder, "memory.oom_control", text) ? cgroup_keyed_number(text, "oom_kill")
                                                           : 0;
}

/* A sum over the lines of blkio, one a device and direction: "8:0 Read 4096". */
static uint64_t sum_of(const char *text, const char *word)
{
    uint64_t sum = 0, n;

    for (const char *at = text; (at = strstr(at, word));) {
        struct fl_str digits = {.at = at + strlen(word)};

        digits.len = strspn(digits.at, "0123456789");
        if (fl_str_parse_u64(digits, &n)) sum += n;
        at = digits.at + digits.len;
    }
    return sum;
}

bool cgroup_v1_meter(const char *path, struct fl_usage *usage)
{
    char memory[CGROUP_PATH_MAX], cpu[CGROUP_PATH_MAX], io[CGROUP_PATH_MAX];
    char text[CGROUP_TEXT_MAX];
    struct fl_usage seen = *usage;
    uint64_t cpu_ns;

    folder_of(path, MEMORY, memory);
    folder_of(path, CPUACCT, cpu);
    folder_of(path, BLKIO, io);
    if (!cpu[0] || !cgroup_read_number(cpu, "cpuacct.usage", &cpu_ns) ||
        !cgroup_read_number(memory, "memory.max_usage_in_bytes", &seen.memory_bytes)) {
        return false;
    }
    seen.meter = FL_METER_group;
    seen.replicas = 1;
    seen.cpu_us = cpu_ns / 1000;
    if (io[0] && cgroup_read(io, "blkio.throttle.io_service_bytes_recursive", text) &&
        strlen(text) < CGROUP_TEXT_MAX - 1) {
        seen.read_bytes = sum_of(text, " Read ");
        seen.written_bytes = sum_of(text, " Write ");
    }
    *usage = seen;
    return true;
}

void cgroup_v1_remove(const char *path)
{
    char folder[CGROUP_PATH_MAX];

    for (int tree = 0; tree < TREES; tree++) {
        folder_of(path, tree, folder);
        if (folder[0]) rmdir(folder);
    }
}
