/* kube_channel.h - a command in a pod, as Kubernetes speaks it: v5.channel.k8s.io.
 * Each message of the WebSocket begins with the number of its channel.  The numbers are those of
 * shared/wire/visit.h; two forms differ, the size of a terminal and the Status, and are here.
 * A shell is the container's $SHELL, or /bin/sh.  Shells, and commands on a terminal, are begun by
 * /bin/sh, which sets TERM and a mark: Kubernetes does not end them when their visitor leaves, and
 * kube_channel_hangup_path finds them by the mark.  Any other command runs as it is, and sees the
 * end of its input.
 * Uses shared/base, shared/json and the types of shared/wire/visit.h.  Pure. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/wire/visit.h"

struct fl_arena;
struct fl_buf;

#define KUBE_CHANNEL_PROTOCOL "v5.channel.k8s.io"
#define KUBE_CHANNEL_SINCE "1.30"

enum {
    KUBE_CHANNEL_SIZE_BYTES_MAX = 64,
    KUBE_CHANNEL_STATUS_BYTES_MAX = 16 << 10, /* a longer Status is not read */
};

struct kube_channel_target {
    const char *namespace, *pod;
    struct fl_str container;
};

/* The path and query of the request, in the arena. */
const char *kube_channel_path(const struct kube_channel_target *target,
                              const struct fl_visit_open *open, const char *mark,
                              struct fl_arena *arena);
bool kube_channel_has_mark(const struct fl_visit_open *open);

/* The same for a command that ends all processes of that mark: by HUP, and 3 s later by KILL. */
const char *kube_channel_hangup_path(const struct kube_channel_target *target, const char *mark,
                                     struct fl_arena *arena);

/* The message of channel 4, without its first byte, of at most KUBE_CHANNEL_SIZE_BYTES_MAX. */
void kube_channel_put_size(struct fl_buf *out, struct fl_visit_size size);

/* The message of channel 3, without its first byte.  False: the command did not run to an end of
 * its own, and 'err' has the cluster's words. */
FL_CHECK bool kube_channel_status(struct fl_str text, int32_t *ret_exit_code, struct fl_err *err);
