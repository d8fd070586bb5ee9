#include "shared/io/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "shared/base/hash.h"

int64_t fl_clock_mono_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t fl_clock_thread_us(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

fl_ms fl_clock_mono(void)
{
    return fl_clock_mono_us() / 1000;
}

fl_ms fl_clock_wall(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

fl_ms fl_clock_uptime(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

uint64_t fl_clock_boot(void)
{
    char text[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);

    if (fd >= 0) close(fd);
    return len <= 0 ? 0 : fl_hash64(0, text, (size_t)len) >> 1;
}

void fl_clock_print(fl_ms wall, char out[FL_CLOCK_TEXT_MAX])
{
    static const fl_ms last = 253402300799999; /* 9999-12-31T23:59:59.999Z */
    char text[64];
    struct tm parts;
    time_t seconds;

    if (wall < 0) wall = 0;
    if (wall > last) wall = last;
    seconds = (time_t)(wall / 1000);
    gmtime_r(&seconds, &parts);
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
             (int)(wall % 1000));
    snprintf(out, FL_CLOCK_TEXT_MAX, "%.24s", text);
}
