#include "shared/io/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/str.h"

enum { STATUS_MAX = 200 };

struct fl_notify {
    int fd; /* -1: there is no listener */
    struct sockaddr_un address;
    socklen_t address_len;
    fl_ms watchdog_ms; /* 0: none */
    struct fl_timer timer;
    bool (*is_well)(void *ctx);
    void *ctx;
};

static void take_socket(struct fl_notify *notify, const char *path)
{
    size_t len = strlen(path);

    if ((path[0] != '/' && path[0] != '@') || len >= sizeof notify->address.sun_path) return;
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, path, len);
    if (path[0] == '@') notify->address.sun_path[0] = '\0'; /* the abstract namespace */
    notify->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void take_watchdog(struct fl_notify *notify, const char *micros, const char *pid)
{
    uint64_t us, wanted;

    if (!fl_str_parse_u64(fl_str_c(micros), &us) || us < 2000 || us > INT32_MAX * 1000ull) return;
    if (pid && (!fl_str_parse_u64(fl_str_c(pid), &wanted) || wanted != (uint64_t)getpid())) return;
    notify->watchdog_ms = (fl_ms)(us / 1000);
}

struct fl_notify *fl_notify_take(void)
{
    struct fl_notify *notify = fl_new(struct fl_notify);
    const char *path = getenv("NOTIFY_SOCKET"), *micros = getenv("WATCHDOG_USEC");

    notify->fd = -1;
    if (path) take_socket(notify, path);
    if (micros && notify->fd >= 0) take_watchdog(notify, micros, getenv("WATCHDOG_PID"));
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return notify;
}

void fl_notify_destroy(struct fl_notify *notify)
{
    if (!notify) return;
    if (notify->timer.loop) fl_timer_off(&notify->timer);
    if (notify->fd >= 0) close(notify->fd);
    fl_free(notify);
}

bool fl_notify_is_on(const struct fl_notify *notify)
{
    return notify->fd >= 0;
}

/* A failure is ignored: there is no other way to tell systemd, whose own timeouts notice it. */
static void send_text(struct fl_notify *notify, const char *text)
{
    if (notify->fd < 0) return;
    FL_IGNORE(sendto(notify->fd, text, strlen(text), MSG_NOSIGNAL,
                     (const struct sockaddr *)&notify->address, notify->address_len));
}

void fl_notify_ready(struct fl_notify *notify)
{
    send_text(notify, "READY=1\n");
}

void fl_notify_stopping(struct fl_notify *notify)
{
    send_text(notify, "STOPPING=1\n");
}

void fl_notify_status(struct fl_notify *notify, const char *text)
{
    char line[sizeof "STATUS=" + STATUS_MAX];

    snprintf(line, sizeof line, "STATUS=%.*s", STATUS_MAX, text);
    for (char *at = line; *at; at++) {
        if (*at == '\n') *at = ' '; /* else the rest would be a variable of its own */
    }
    send_text(notify, line);
}

static void on_timer(void *ctx)
{
    struct fl_notify *notify = ctx;

    if (notify->is_well(notify->ctx)) send_text(notify, "WATCHDOG=1\n");
    fl_timer_in(&notify->timer, notify->watchdog_ms / 2);
}

void fl_notify_watch(struct fl_notify *notify, struct fl_loop *loop, bool (*is_well)(void *ctx),
                     void *ctx)
{
    if (notify->watchdog_ms == 0) return;
    notify->is_well = is_well;
    notify->ctx = ctx;
    fl_timer_init(&notify->timer, loop, on_timer, notify);
    fl_timer_in(&notify->timer, 0);
}
