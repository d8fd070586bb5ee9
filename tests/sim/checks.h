/* checks.h - what must never be otherwise: the invariants of the promises, by their numbers.
 * The checker reads the journal batch by batch as it becomes durable, hears what hubs let out and
 * what runtimes do, and holds one against the other.  It believes no part of the system: the
 * journal is what is durable, the runtimes' ledger is what is true.
 *   I1  acknowledged is stored           I2  one terminal state, for ever
 *   I3  one live attempt                 I4  runs only what is durable
 *   I5  no write of an older epoch       I6  a superseded session is not heard
 *   I7  no gap in the journal, fold=rows I9  a command takes effect once
 *   I10 no node is asked for too much    I11 queues are bounded
 *   I12 one actor, one deadline          I13 no start after a cancel
 *   I14 no gate is left                  I15 one key, one job
 *   I16 only a culprit is quarantined    I17 no attempt number twice
 *   I18 downtime is not silence          I19 rows = the runtimes' truth
 *   I20 everything settles               I21 one audit row a mutation
 *   I22 same seed, same trace            I23 an agent speaks of its own
 *   I24 nothing makes a core fail        I40 no output ends early or never
 * fake_runtime checks I9, main I22, and each assertion I24.  The policy model checks I25 to I36,
 * I38, I39, and how long work waits (I20): see policy_model.h.  client_possible checks I37: no job
 * is refused that some cluster could run.
 * A broken one ends the process through sim_broken. */
#pragma once

#include "controlplane/engine/engine.h"
#include "tests/sim/checks_history.h"
#include "tests/sim/checks_log.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/fake_runtime.h"
#include "tests/sim/policy_model.h"
#include "tests/sim/sim.h"

struct checks;

/* Exit codes that only liars report: none may ever reach a row. */
enum { CHECKS_LIE_OLD_SESSION = 77006, CHECKS_LIE_FOREIGN = 77023 };

struct checks *checks_create(struct sim *sim, const struct fake_pg *pg,
                             const struct core_config *config);
void checks_destroy(struct checks *checks);

/* Their ledgers are the truth; they live as long as the checks. */
void checks_set_runtimes(struct checks *checks, struct fake_runtime *const *runtimes,
                         size_t runtimes_len);

/* From now on only the rules of checks_history.h hold, and those that an engine and a core hold
 * themselves: the others cannot follow a database that goes back. */
void checks_retire(struct checks *checks);
/* The database was restored. */
void checks_restored(struct checks *checks);
struct checks_history *checks_history(struct checks *checks);

/* A hub goes on with its turn, inside of which it stood still. */
void checks_turn_stopped(struct checks *checks);

/* ---- as things happen ------------------------------------------------------------------------ */
void checks_term(struct checks *checks, uint64_t epoch); /* a takeover succeeded */
void checks_db_back(struct checks *checks); /* a commit that took too long came through */
/* A wall clock was set. */
void checks_clock_set(struct checks *checks, bool do_hubs_differ);
/* A batch became durable; its rows were decided between these two times. */
void checks_committed(struct checks *checks, fl_ms opened_at, fl_ms formed_at);
/* A hub lets this out, now; 'epoch' is its term's.  'is_current': the answer was made of the state
 * that is durable now, and of all of it. */
/* See policy_all_told. */
bool checks_all_told(const struct checks *checks);
/* See policy_knows_gpus. */
bool checks_knows_gpus(const struct checks *checks, struct fl_cluster cluster, const char *node);
void checks_answer(struct checks *checks, const struct core_answer *answer, bool is_current);
void checks_send(struct checks *checks, const struct core_send *send, uint64_t epoch);
/* A hub acknowledges an agent's report that something ended. */
void checks_acked_end(struct checks *checks, struct fl_cluster cluster, struct fl_attempt attempt,
                      uint32_t replica);
void checks_cancel_acked(struct checks *checks, struct fl_job job, uint64_t epoch);
/* A read said that this job is not open. */
void checks_said_ended(struct checks *checks, struct fl_job job);
void checks_quarantine(struct checks *checks, const struct core_event *event, const char *why);
/* A hub takes in what a tunnel or a client brought. */
void checks_heard(struct checks *checks, const struct core_event *event);
/* So much time has passed; 'is_steady': a hub led and Postgres worked well for all of it. */
void checks_passed(struct checks *checks, fl_ms for_ms, bool is_steady);
/* A runtime's instant; for its hooks. */
void checks_created(struct checks *checks, struct fl_cluster cluster,
                    const struct fake_replica *replica, const struct fake_runtime *runtime);
void checks_runs(struct checks *checks, struct fl_cluster cluster,
                 const struct fake_replica *replica);
void checks_ended(struct checks *checks, const struct fake_replica *replica);
/* An engine, between turns. */
void checks_engine(struct checks *checks, const struct engine *engine,
                   const struct engine_config *config);
/* The core of a leader with nothing in flight, against a core loaded from the rows. */
void checks_reload(struct checks *checks, const struct core *core);

/* ---- at the end ------------------------------------------------------------------------------ */
bool checks_all_settled(const struct checks *checks);
/* Names what is not. */
void checks_tell_unsettled(struct checks *checks);
void checks_end(struct checks *checks);
/* I40: readers of output waited for all that came, and for nothing else. */
void checks_output_end(const struct checks *checks, const struct checks_log *logs);

/* The journal's word, for the parts that choose a victim. */
bool checks_has_live(const struct checks *checks, struct fl_cluster not_on, struct fl_attempt *ret);
struct fl_cluster checks_cluster_of(const struct checks *checks, struct fl_attempt attempt);
size_t checks_elements_ended(const struct checks *checks);
size_t checks_jobs(const struct checks *checks);
