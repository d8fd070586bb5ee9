/* engine_term.h - the batches of a term that leads: events go into the open batch, which is sent
 * when it is worth a commit, and its effects go out once it is durable.
 * The engine is the only caller, and it leads; but engine_term_release also serves batches of a
 * term that is over.  All work on the engine's state (engine_state.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/base/types.h"

struct core_event;
struct engine;
struct engine_batch;

/* The core's time. */
fl_ms engine_term_now(const struct engine *engine);

/* Why a request that writes is refused now, in words.  NULL: it is taken. */
const char *engine_term_refusal(const struct engine *engine);

/* Steps the core into the open batch. */
void engine_term_step(struct engine *engine, const struct core_event *event);
void engine_term_room(struct engine *engine); /* tells the core of new job ids */

/* Does what can be done now, within the budget of one turn. */
void engine_term_turn(struct engine *engine);
fl_ms engine_term_deadline(const struct engine *engine); /* INT64_MAX: none */

/* The batch is durable: its effects and its riders' go out, and it is destroyed.  Without
 * 'has_sends' only the answers do, since the agents' sessions belong to a term that is over. */
void engine_term_release(struct engine *engine, struct engine_batch *batch, bool has_sends);
