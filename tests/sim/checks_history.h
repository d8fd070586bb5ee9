/* checks_history.h - the rules for a database that goes back to an older state.
 * It remembers every number that was ever durable, also in a history that was lost since, and holds
 * later rows against them:
 *   I17 no job id, no epoch and no (incarnation, job, element, attempt) is given out twice
 *   I1  a loss is noticed before anything is accepted or started, and counted truly
 * A loss of the last moment before a crash cannot be noticed: the state directory learns of batches
 * up to HISTORY_LATE_MS later.  Its numbers are not given out again all the same.
 * A broken invariant ends the process through sim_broken.  Single-threaded, in the sim's time. */
#pragma once

#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"

enum { HISTORY_LATE_MS = 2500 };

struct checks_history;

struct checks_history *checks_history_create(struct sim *sim);
void checks_history_destroy(struct checks_history *history);

/* A takeover succeeded. */
void checks_history_took(struct checks_history *history, uint64_t epoch);
/* A batch is durable now. */
void checks_history_committed(struct checks_history *history, const struct fake_pg_journal *entry);
/* The only hub ended just now. */
void checks_history_down(struct checks_history *history, bool is_clean);
/* The database is what it was when that batch was its newest. */
void checks_history_restored(struct checks_history *history, uint64_t batch);
/* The state directory goes back, too.  From then on numbers may come twice, until an agent has
 * given back a seal of a later batch, which the core notes in the same batch: nothing is accepted
 * or started after it (I1).  Only a person's acceptance ends that, and only a seal that is later
 * than the accepted ones begins it again (I23).  After it ids are not below the sealed limit, and
 * attempts are of a greater incarnation than the seal's (I17). */
void checks_history_blind(struct checks_history *history, bool is_older);
/* True: a seal stops the core: no later acceptance is durable. */
bool checks_history_is_stopped(const struct checks_history *history);
void checks_history_accepted(struct checks_history *history);      /* a person says so, now */
bool checks_history_goes_on(const struct checks_history *history); /* jobs were accepted since */
/* True: a loss that must be noticed was not noticed yet. */
bool checks_history_is_waiting(const struct checks_history *history);
