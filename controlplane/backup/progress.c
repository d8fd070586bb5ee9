#include "controlplane/backup/progress.h"

#include <stdio.h>

#include "shared/io/clock.h"

enum { PAUSE_US = 200 * 1000 };

struct progress_size progress_size(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    struct progress_size size;
    double n = (double)bytes;
    unsigned unit = 0;

    while (n >= 1024 && unit < 4) {
        n /= 1024;
        unit++;
    }
    snprintf(size.text, sizeof size.text, unit == 0 ? "%.0f %s" : "%.1f %s", n, units[unit]);
    return size;
}

void progress_show(struct progress *progress, const char *name, uint64_t bytes, uint64_t of)
{
    int64_t now = progress->is_terminal ? fl_clock_mono_us() : 0;

    if (!progress->is_terminal || (progress->is_shown && now - progress->shown_us < PAUSE_US)) {
        return;
    }
    progress->is_shown = true;
    progress->shown_us = now;
    fprintf(stderr, "\r\033[K%-12s%s", name, progress_size(bytes).text);
    if (of > 0) fprintf(stderr, " of %s", progress_size(of).text);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (!progress->is_shown) return;
    progress->is_shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
