/* fronts.h - all front threads, and the engine thread's ports to them.
 * An effect goes to the front of its request or connection; an effect for all goes to all.  The
 * rows of a committed batch are first put where every front looks (tokens, directory, specs), and
 * only then do letters leave, at the end of the turn: a client that gets a token can use it at once
 * at any front.  create, start, drain and destroy are the main thread's; the ports are the engine
 * thread's. */
#pragma once

#include "controlplane/engine/engine_thread.h"
#include "controlplane/front/front.h"

struct fronts; /* opaque */

struct fronts *fronts_create(const struct front_shared *shared);
void fronts_destroy(struct fronts *fronts); /* after the engine thread has ended; NULL is fine */

/* The ports are good from now on, also before the first front is added. */
struct engine_thread_ports fronts_ports(struct fronts *fronts);

/* Before the engine thread starts.  False: 'err'; those added before stay. */
FL_CHECK bool fronts_add(struct fronts *fronts, const struct front_config *config,
                         struct fl_err *err);
/* The engine is there: their requests have somewhere to go. */
void fronts_start(struct fronts *fronts, struct engine_thread *engine);

void fronts_drain(struct fronts *fronts); /* returns when all their threads have ended */
void fronts_renew(struct fronts *fronts, struct ssl_ctx_st *api_tls);
/* Sums over all fronts, but of turn_longest_cpu_us, of which it is the largest. */
struct front_counts fronts_counts(const struct fronts *fronts);
size_t fronts_len(const struct fronts *fronts);
struct front_counts fronts_counts_of(const struct fronts *fronts, size_t i);
