/* attempt_owner_cache.h - the owner of each attempt whose output an agent sends.
 * An attempt is one cluster's for ever, and its row is committed before its START goes out.  So a
 * START that goes out here names the owner, and for an attempt that is not remembered (its agent
 * dialled another front, the control plane was started again) the row is read.  While the
 * database cannot be asked, it is asked again; no source is refused for that.
 * At most ATTEMPT_OWNER_CACHE_MAX are remembered, the newest ones.
 * Not thread-safe: its front's loop calls it, and is called back from there. */
#pragma once

#include "controlplane/logs/log_front.h"
#include "shared/base/types.h"

enum { ATTEMPT_OWNER_CACHE_MAX = 65536 };

struct fl_loop;
struct attempt_owner_cache; /* opaque */
struct front_reader;

/* Once for each attempt_owner_cache_find that was false, as the loop goes; not from within the
 * call. */
typedef void attempt_owner_cache_fn(void *ctx, uint64_t ticket, const struct log_owner *owner);

/* 'reader' is borrowed, and destroyed first. */
struct attempt_owner_cache *attempt_owner_cache_create(struct fl_loop *loop,
                                                       struct front_reader *reader,
                                                       attempt_owner_cache_fn *tell, void *ctx);
void attempt_owner_cache_destroy(struct attempt_owner_cache *owners); /* NULL is fine */

/* A START goes out. */
void attempt_owner_cache_started(struct attempt_owner_cache *owners, struct fl_attempt attempt,
                                 struct fl_cluster cluster);

/* As log_front_ports.owner. */
bool attempt_owner_cache_find(struct attempt_owner_cache *owners, uint64_t ticket,
                              struct fl_attempt attempt, struct log_owner *ret_owner);
