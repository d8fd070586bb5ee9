#include "shared/io/lifeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/str.h"

struct fl_lifeline {
    int fd;
    struct fl_watch watch;
    void (*fn)(void *ctx);
    void *ctx;
};

bool fl_lifeline_pipe(int *ret_ours, int *ret_theirs, struct fl_err *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) return fl_fail(err, FL_IO, "pipe: %s", strerror(errno));
    if (fcntl(ends[0], F_SETFD, 0) != 0) {
        close(ends[0]);
        close(ends[1]);
        return fl_fail(err, FL_IO, "fcntl: %s", strerror(errno));
    }
    *ret_theirs = ends[0];
    *ret_ours = ends[1];
    return true;
}

bool fl_lifeline_take(int *ret_fd, struct fl_err *err)
{
    const char *text = getenv(FL_LIFELINE_VARIABLE);
    struct stat found;
    uint64_t fd;

    if (!text) {
        *ret_fd = -1;
        return true;
    }
    if (!fl_str_parse_u64(fl_str_c(text), &fd) || fd > INT32_MAX || fstat((int)fd, &found) != 0 ||
        !S_ISFIFO(found.st_mode)) {
        return fl_fail(err, FL_INVALID, FL_LIFELINE_VARIABLE "=%.40s names no pipe", text);
    }
    if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl((int)fd, F_SETFL, O_NONBLOCK) != 0) {
        return fl_fail(err, FL_IO, "fcntl: %s", strerror(errno));
    }
    unsetenv(FL_LIFELINE_VARIABLE);
    *ret_fd = (int)fd;
    return true;
}

static void on_readable(void *ctx, unsigned events)
{
    struct fl_lifeline *lifeline = ctx;
    char ignored[256];
    ssize_t got = read(lifeline->fd, ignored, sizeof ignored);

    (void)events;
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
    fl_watch_off(&lifeline->watch);
    lifeline->fn(lifeline->ctx);
}

struct fl_lifeline *fl_lifeline_create(struct fl_loop *loop, int fd, void (*fn)(void *ctx),
                                       void *ctx)
{
    struct fl_lifeline *lifeline = fl_new(struct fl_lifeline);

    lifeline->fd = fd;
    lifeline->fn = fn;
    lifeline->ctx = ctx;
    if (fd >= 0) {
        fl_watch_init(&lifeline->watch, loop, fd, on_readable, lifeline);
        fl_watch_set(&lifeline->watch, FL_WATCH_READ);
    }
    return lifeline;
}

void fl_lifeline_destroy(struct fl_lifeline *lifeline)
{
    if (!lifeline) return;
    fl_watch_off(&lifeline->watch);
    if (lifeline->fd >= 0) close(lifeline->fd);
    fl_free(lifeline);
}
