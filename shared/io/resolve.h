/* resolve.h - names of hosts to addresses, without the loop waiting for a name server.
 * A call of the C library's resolver may take minutes and cannot be cancelled.  So a helper thread
 * makes it, and its answer comes to the loop as a letter.  A resolver has at most one helper
 * thread: a name asked while it still waits for an older name is looked up after it.
 *
 * - Each ask gets one answer, unless another ask, fl_resolver_forget or fl_resolver_destroy comes
 *   before it; it never comes from within the ask.
 * - Without an answer within timeout_ms the ask ends with FL_UNAVAILABLE.  The helper goes on; its
 *   late answer serves the next ask for the same name.
 * - Numeric addresses need no helper.
 * - A resolver can be destroyed at any time, but not from 'fn': a helper that still waits then
 *   frees its own memory.
 * Not thread-safe: its loop's thread calls it, and from there it calls 'fn', which may call back,
 * but may not destroy it. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/io/net.h"

struct fl_loop;
struct fl_resolver; /* opaque */

/* 'found' is NULL when there is no address; then 'err' says why.  Both are borrowed. */
typedef void (*fl_resolver_fn)(void *ctx, const struct fl_net_addresses *found,
                               const struct fl_err *err);

struct fl_resolver *fl_resolver_create(struct fl_loop *loop, fl_ms timeout_ms, fl_resolver_fn fn,
                                       void *ctx);
void fl_resolver_destroy(struct fl_resolver *resolver); /* NULL is fine */

/* 'text' is "host:port", as fl_net_split takes it. */
void fl_resolver_ask(struct fl_resolver *resolver, struct fl_str text);
void fl_resolver_forget(struct fl_resolver *resolver); /* no answer is wanted any more */
