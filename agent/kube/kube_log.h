/* kube_log.h - follows the log of one container into a spool, over cuts, until all of it was read.
 *
 *     RESTING ──> READING ──the answer ended, failed or was silent──> RESTING ...
 *                    └── the container has ended, and an answer that was asked for since then
 *                        has ended and brought nothing new ──> ENDED
 *
 * - Each answer goes on where the cursor stands (kube_log_cursor.h), which the spool keeps as its
 *   mark together with the bytes.  So a new object on the same spool, in this process or the next,
 *   loses nothing and repeats nothing; where the kubelet has removed bytes there is a gap of the
 *   kind 'unknown', one byte long, that ends at its own time and begins at that of the record
 *   before it.
 * - Reading never waits for the hub: the kubelet would rotate away what is not read.  The spool is
 *   bounded, and drops with a mark what does not fit.
 * - Silence.  A kubelet that rotates a log before it has reached the end of the old file for the
 *   first time follows the old file for ever, so an answer whose lines came late is asked for again
 *   at its next pause.  Any other silence ends it after quiet_ms, which doubles each time that a
 * new
 *   answer brings nothing: the connection may be dead, the container may be quiet.
 * - After a failure it rests, longer each time, with jitter.
 *
 * One container is one log.  In this step that is the job's own; the output of init containers is
 * not part of it.
 * Calls back from a turn of the loop only, never from within.  Not thread-safe. */
#pragma once

#include "agent/kube/kube_client.h"
#include "agent/kube/kube_status.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

struct log_spool;
struct kube_log; /* opaque */

enum { KUBE_LOG_QUIET_MS = 30000, KUBE_LOG_QUIET_MS_MAX = 300000 };

struct kube_log_config { /* strings are copied */
    struct fl_str namespace, pod, uid, container;
    fl_ms started_at; /* the container did; 0: not known */
    fl_ms quiet_ms;   /* 0: KUBE_LOG_QUIET_MS */
    uint64_t seed;    /* for the jitter of waits */
};

/* They may call kube_log_container_ended, and nothing else here. */
struct kube_log_port {
    void *ctx;
    /* The spool has more, or the log has ended. */
    void (*output)(void *ctx);
    void (*problem)(void *ctx, const struct kube_failure *failure); /* NULL is fine */
};

/* The spool is borrowed, and this its only writer.  If it has ended, so has the log. */
struct kube_log *kube_log_open(struct kube_client *client, struct log_spool *spool,
                               const struct kube_log_config *config,
                               const struct kube_log_port *port);
void kube_log_close(struct kube_log *log); /* NULL is fine */

/* The container has ended: read to the end of its log, then end. */
void kube_log_container_ended(struct kube_log *log);

/* Its log can no longer be read, or its reader has no use for it: end with a gap, unless it has
 * ended. */
void kube_log_give_up(struct kube_log *log);

bool kube_log_is_ended(const struct kube_log *log);

struct kube_log_counts {
    uint64_t answers, failures, gaps;
    uint64_t pauses; /* answers asked for again at a pause, behind late lines or many */
    uint64_t quiets; /* at another silence */
};
struct kube_log_counts kube_log_counts(const struct kube_log *log);
