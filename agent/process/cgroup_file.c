#include "agent/process/cgroup_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "shared/base/str.h"

enum { FILE_PATH_MAX = CGROUP_PATH_MAX + 64, QUOTA_US_MIN = 1000 };

bool cgroup_write(const char *folder, const char *name, const char *text)
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

bool cgroup_read_path(const char *path, char ret_text[CGROUP_TEXT_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0) return false;
    len = read(fd, ret_text, CGROUP_TEXT_MAX - 1);
    close(fd);
    if (len < 0) return false;
    ret_text[len] = 0;
    return true;
}

bool cgroup_read(const char *folder, const char *name, char ret_text[CGROUP_TEXT_MAX])
{
    char path[FILE_PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return cgroup_read_path(path, ret_text);
}

bool cgroup_read_number(const char *folder, const char *name, uint64_t *ret_number)
{
    char text[CGROUP_TEXT_MAX];

    return cgroup_read(folder, name, text) &&
           fl_str_parse_u64((struct fl_str){text, strcspn(text, "\n")}, ret_number);
}

uint64_t cgroup_keyed_number(const char *text, const char *key)
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

uint64_t cgroup_cpu_quota_us(uint32_t cpu_milli)
{
    uint64_t quota_us = (uint64_t)cpu_milli * CGROUP_CPU_PERIOD_US / 1000;

    return quota_us < QUOTA_US_MIN ? QUOTA_US_MIN : quota_us;
}
