/* notify.h - tells systemd how we are (sd_notify), without its library: a datagram to
 * NOTIFY_SOCKET.  Without that variable all of this does nothing.  fl_notify_take reads and removes
 * the variables, so that no child sends in our name; call it once, before threads. */
#pragma once

#include "shared/base/err.h"
#include "shared/io/loop.h"

struct fl_notify;

struct fl_notify *fl_notify_take(void);           /* never NULL */
void fl_notify_destroy(struct fl_notify *notify); /* NULL is fine */

bool fl_notify_is_on(const struct fl_notify *notify);
void fl_notify_ready(struct fl_notify *notify);
void fl_notify_stopping(struct fl_notify *notify);
void fl_notify_status(struct fl_notify *notify, const char *text); /* one line, cut at 200 bytes */

/* Keeps the watchdog fed, at half of its time (WATCHDOG_USEC; nothing without it), for as long as
 * is_well says so: a program that hangs is then started again. */
void fl_notify_watch(struct fl_notify *notify, struct fl_loop *loop, bool (*is_well)(void *ctx),
                     void *ctx);
