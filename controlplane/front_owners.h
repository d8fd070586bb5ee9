/* front_owners.h - whose the attempts are whose output agents send.
 * An attempt is one cluster's for ever, and its row is committed before its START goes out.  So what a START
 * that went out here says is right at once, and for what is not remembered (an agent that dialled another
 * front, a control plane that was started again) the row is read.  While the database cannot be asked, it is
 * asked again; nobody is refused for that.
 * At most FRONT_OWNERS_MAX are remembered, the newest ones.
 * Not thread-safe: its front's loop calls it, and is called back from there. */
#pragma once

#include "controlplane/logs/log_front.h"
#include "shared/base/types.h"

enum { FRONT_OWNERS_MAX = 65536 };

struct fl_loop;
struct front_owners; /* opaque */
struct front_reader;

/* Once for each front_owners_find that was false, as the loop goes; not from within the call. */
typedef void front_owners_fn(void *ctx, uint64_t ticket, const struct log_owner *owner);

/* 'reader' is borrowed, and destroyed first. */
struct front_owners *front_owners_create(struct fl_loop *loop, struct front_reader *reader,
                                         front_owners_fn *tell, void *ctx);
void front_owners_destroy(struct front_owners *owners); /* NULL is fine */

/* A START goes out. */
void front_owners_started(struct front_owners *owners, struct fl_attempt attempt,
                          struct fl_cluster cluster);

/* As log_front_ports.owner. */
bool front_owners_find(struct front_owners *owners, uint64_t ticket, struct fl_attempt attempt,
                       struct log_owner *ret_owner);
