/* core_state.h - the core's parts, for the core's own files only.
 * Each file has one part of the core's work; they meet in this struct and in the calls below.
 * Calls go one way: core -> core_load, core_submit, core_control, core_edit, core_overdue,
 * core_session, core_read -> core_access -> core_disconnect, and -> core_round -> core_attempt ->
 * core_element -> core_pair -> core_job, core_reply -> core_share, core_history, core_emit,
 * core_timer, core_walk.
 * Uses shared/base and the core's tables. */
#pragma once

#include "controlplane/core/access_table.h"
#include "controlplane/core/cluster_named_resources.h"
#include "controlplane/core/cluster_table.h"
#include "controlplane/core/core.h"
#include "controlplane/core/dependency_table.h"
#include "controlplane/core/element_table.h"
#include "controlplane/core/job_table.h"
#include "controlplane/core/owner_table.h"
#include "controlplane/core/queue_table.h"
#include "controlplane/core/resource_table.h"
#include "controlplane/core/sched/feasibility.h"
#include "controlplane/core/sched/round.h"
#include "controlplane/core/shape_table.h"
#include "controlplane/core/singleton_table.h"
#include "shared/base/heap.h"
#include "shared/base/prng.h"

/* A stopped job, or a cluster, whose elements are walked in slices. */
struct core_walk {
    bool is_cluster;
    uint64_t id;
};

struct loaded_wait {
    struct element_slot element;
    fl_ms ready_at;
};

/* Counters of core_history.c: see enum core_counter. */
struct core_history {
    uint64_t job_lost_from, job_lost_to; /* ids of a lost history, both included; 0: none */
    uint64_t jobs_skipped, batch_known;
    uint32_t incarnations;
    uint32_t leader_row, leader_incarnation; /* now, and as noted */
    uint32_t incarnation_known;              /* when a person last accepted a restore; 0: never */
    uint32_t incarnation_accepted;           /* the one that began then */
    struct core_seen seen;
    fl_ms strays_until; /* none is stopped before; not stored */
};

struct core {
    struct core_config config;
    bool is_begun;
    bool is_db_away;
    bool is_dirty; /* something may start that could not before */
    fl_ms now;
    fl_ms replies_from; /* limits for answers count from here at the earliest */
    uint32_t incarnation;
    uint64_t job_next; /* the id of the next job */
    struct core_history history;
    uint64_t job_below; /* ids from here on have no partition yet */
    struct fl_prng prng;

    struct shape_table shapes;
    struct queue_table queues;
    struct job_table jobs;
    struct owner_table owners;
    struct dependency_table dependencies;
    struct singleton_table singletons;
    struct pair_table pairs;
    struct element_table elements;
    struct cluster_table clusters;
    struct resource_table resources;
    struct access_table access;
    fl_ms access_at; /* when the timer of its next expiry is due; INT64_MAX: nothing expires */

    struct fl_heap timers;
    uint64_t timers_pushed; /* ties of the heap */
    uint64_t timers_looked; /* places looked at in passing */
    uint32_t deadlines;     /* jobs with a running deadline */

    struct fl_map specs_seen; /* digest -> range of ids in which its spec is stored already */
    struct fl_digest spec_newest;
    uint64_t spec_newest_range; /* spec_newest is stored in this range; UINT64_MAX: none is */

    uint64_t looked;             /* see core_looked */
    uint64_t looked_for_submits; /* so many of them judged submissions since the last settle */
    uint32_t slice_left;         /* looks until the next settle, or of this one */
    bool is_timers_cut;          /* timers are due that did not fit in a slice */
    FL_VEC(struct core_walk) walks;
    size_t walks_at; /* the first that is not done */

    FL_VEC(struct loaded_wait) waits; /* loaded elements that wait for their next attempt ... */
    size_t waits_begun;               /* ... and so many of them have a timer */

    FL_VEC(struct fl_cluster) acks_due; /* clusters whose reports are to be acknowledged */
    struct round round;                 /* its memory; its decisions are carried out at once */
    struct feasibility feasibility;     /* memory about shapes that were submitted */
    struct shape_entry decoded;         /* core_possible_entry's, of a shape that is new */
    struct fl_queue_id queue_served;    /* the queue that was served last */
    struct fl_arena scratch;            /* lives for one step or one start */
    uint64_t starts;
};

/* Shapes that did not fit on this cluster are worth trying again, in the next round.  The tables do
 * their half by themselves where a node's room grows. */
static inline void core_retry_shapes(struct core *core, struct cluster *cluster)
{
    cluster_table_grow(&core->clusters, cluster);
    core->is_dirty = true;
}

/* ---- core_emit.c: rows, answers and frames, in short ----------------------------------------- */

/* The tenant's open job.  None: it is not there, and that is answered. */
struct job_slot core_need_job(struct core *core, const struct core_event *event, struct fl_job job,
                              struct core_batch *batch);

void core_answer_code(struct core_batch *batch, const struct core_event *event, enum fl_code code,
                      const char *text);
/* One row per accepted mutation: the actor and the act, in a few words.  core_keep_answer adds the
 * repeatable answer of a request that has a key. */
void core_audit(struct core_batch *batch, const struct core_event *event, const char *fmt, ...)
    FL_PRINTF(3, 4);
void core_keep_answer(struct core_batch *batch, const struct core_event *event,
                      const struct core_answer *answer);
void core_put_cluster(struct core_batch *batch, const struct cluster *cluster);
void core_put_queue(struct core_batch *batch, const struct queue *queue);
/* A frame to a connected cluster, with session and connection filled in. */
struct core_send core_send_to(const struct cluster *cluster, enum core_send_kind kind);
void core_emit_send(struct core_batch *batch, const struct core_send *send);

/* ---- core_timer.c ---------------------------------------------------------------------------- */

enum timer_kind {
    TIMER_ELEMENT,
    TIMER_DEADLINE,
    TIMER_LOSS,
    TIMER_STRAY,
    TIMER_RESEND,
    TIMER_ACCESS,
    TIMER_STARTS,
    TIMER_STOPS,
    TIMER_INVENTORY
};

void core_timer_arm(struct core *core, enum timer_kind kind, uint64_t value, fl_ms at);
/* Takes the next timer that is due at core->now and still counts, and pays for it; false: none is,
 * or the slice is used up. */
bool core_timer_due(struct core *core, enum timer_kind *ret_kind, uint64_t *ret_value);
/* One is due, perhaps one that counts no more. */
bool core_timer_is_due(const struct core *core);

/* ---- core_walk.c: walks, and their slices ---------------------------------------------------- */

enum { LOOKS_OF_END = 4 }; /* something ends or starts, and has a row; a mere look is one */

/* Counts what was looked at: the engine's budget of a turn is in these. */
void core_look(struct core *core, size_t looks);
/* The same of work in slices; the slice may end a little late. */
void core_spend(struct core *core, uint32_t looks);
/* At the end of the line.  The caller keeps that each job and cluster stands in it once. */
void core_walk_add(struct core *core, struct core_walk walk);
/* False: nothing is left. */
bool core_walk_take(struct core *core, struct core_walk *ret_walk);
size_t core_walk_len(const struct core *core);

/* ---- core_reply.c: the replies that a cluster owes ------------------------------------------- */

/* START or STOP was sent, in this session: at the end of its line, out of the other. */
void core_reply_expect(struct core *core, struct element_slot element, enum element_reply reply);
/* The cluster owes nothing for it any more. */
void core_reply_drop(struct core *core, struct element_slot element);
/* A session begins: nothing is owed but its inventory. */
void core_reply_begin(struct core *core, struct cluster *cluster);
/* The first in line that is overdue; none, and the timer is set: no other is, or the slice is used
 * up.  'is_first': since the timer came up, which has paid for one. */
struct element_slot core_reply_take(struct core *core, struct cluster *cluster,
                                    enum element_reply reply, bool is_first);
/* The inventory is overdue; false: its timer is set anew, or it owes none. */
bool core_reply_inventory(struct core *core, struct cluster *cluster);

/* ---- core_attempt.c: the life of an attempt -------------------------------------------------- */

struct fl_attempt core_attempt_id(const struct core *core, const struct element *element);
const struct shape *core_attempt_shape(const struct core *core, const struct element *element);
/* The element's newest attempt is this one, and lives. */
bool core_attempt_is(const struct core *core, struct element_slot element,
                     struct fl_attempt attempt);
/* The live element of an attempt. */
struct element_slot core_attempt_find(const struct core *core, struct fl_attempt attempt);
void core_attempt_start(struct core *core, struct core_batch *batch, struct job_slot job,
                        const struct placement *placement);
/* Sends, or sends again, the START of an attempt that no agent has reported. */
void core_attempt_send_start(struct core *core, struct core_batch *batch,
                             struct element_slot element);
/* True while the element goes on; false: it, perhaps its job, is gone. */
bool core_attempt_replica(struct core *core, struct core_batch *batch, struct element_slot element,
                          const struct core_replica_told *told);
/* GO, when every replica waits behind its gate and nothing speaks against it. */
void core_attempt_go(struct core *core, struct core_batch *batch, struct element_slot element);
void core_attempt_stop(struct core *core, struct core_batch *batch, struct element_slot element,
                       enum reason reason);
/* STOP again, which had no answer in time. */
void core_attempt_stop_again(struct core *core, struct core_batch *batch,
                             struct element_slot element);
/* The attempt is over although not every replica was reported as ended. */
void core_attempt_end(struct core *core, struct core_batch *batch, struct element_slot element,
                      enum reason reason);
/* Cancel, or the deadline: nothing of the job starts any more, and what lives is stopped. */
void core_job_stop(struct core *core, struct core_batch *batch, struct job_slot job,
                   enum reason reason);
/* The replica holds nothing of its node any more; false: it held nothing before. */
bool core_attempt_unhold(struct core *core, struct element *element, uint32_t replica);
/* Goes on with that; true: all is done, the job may be gone. */
bool core_job_stop_slice(struct core *core, struct core_batch *batch, struct job_slot job);
/* Why the attempt is stopped; its job's stop counts from its mark on, before the STOP is sent. */
enum reason core_attempt_stop_reason(const struct core *core, const struct element *element);
/* Tells the element is live on its cluster, or no longer: lists and counters; used at load too. */
void core_attempt_link(struct core *core, struct element_slot element);
void core_attempt_unlink(struct core *core, struct element_slot element);
/* The attempt is unknown, or no longer, as its cluster is silent or not. */
void core_attempt_note_silence(struct core *core, struct element *element);

/* ---- core_element.c: an element between its attempts, and its end ---------------------------- */

/* Its attempt has ended for this reason: again, or over?  Its slot may be free afterwards. */
void core_element_go_on(struct core *core, struct core_batch *batch, struct element_slot element,
                        enum reason reason);
/* The element is over, and a live attempt with it.  Its slot is free afterwards. */
void core_element_end(struct core *core, struct core_batch *batch, struct element_slot element,
                      enum job_state state, enum reason reason);
/* It waits for its next attempt until then. */
void core_element_wait(struct core *core, struct element_slot element, fl_ms until);
/* Its wait is over. */
void core_element_ready(struct core *core, struct element_slot element);
/* Counts the end of an attempt that is followed by another; true: it counts against the retries. */
bool core_element_count(struct element *element, enum reason reason);

/* ---- core_pair.c: arrays that wait for each other element by element ------------------------- */

/* The arrays that wait for this one and for those, with it, and with those that it waits for. */
uint32_t core_pair_family(const struct core *core, struct job_slot job);
/* Elements of a new job wait for those of 'target'. */
void core_pair_add(struct core *core, struct core_batch *batch, struct job_slot job,
                   struct job_slot target);
/* An element has ended: arrays that wait for it go on, or an element of theirs ends, too. */
void core_pair_tell(struct core *core, struct core_batch *batch, struct job_slot job,
                    uint32_t element, enum job_state state);
/* The job is stopped: its elements that have not begun end; false: some are left. */
bool core_pair_sweep(struct core *core, struct core_batch *batch, struct job_slot job);
FL_CHECK bool core_pair_load(struct core *core, struct job_slot job, int64_t target,
                             struct fl_err *err);
FL_CHECK bool core_pair_load_end(struct core *core, const struct row_pair_end *row,
                                 struct fl_err *err);

/* ---- core_job.c: a job between its attempts, and its end ------------------------------------- */

/* A new job waits for the ends of these, which are open. */
void core_job_wait(struct core *core, struct core_batch *batch, struct job_slot job,
                   const struct fl_dependency *at, size_t len);
/* It waits for no other job any more. */
void core_job_wait_no_more(struct core *core, const struct job *job);
/* A new job, or one that is loaded, runs alone among those of its key: at the end of their line. */
void core_job_queue_up(struct core *core, struct job_slot job, struct fl_str key);
/* Into or out of its bucket, as it has something to start or not. */
void core_job_place(struct core *core, struct job_slot job);
bool core_job_has_work(const struct core *core, const struct job *job);
/* It has something to start, and as many of its elements as its parallelism allows are live. */
bool core_job_is_throttled(const struct core *core, const struct job *job);
/* An attempt of it came or went. */
void core_job_count_live(struct core *core, struct job_slot job);
/* Held, or no longer: its mark, and its place. */
void core_job_hold(struct core *core, struct core_batch *batch, struct job_slot job, bool is_held);
/* Its elements that have had an attempt. */
uint32_t core_job_started(const struct job *job, const struct job_run *run);
/* Its elements that have started and not ended. */
uint32_t core_job_open(const struct job *job, const struct job_run *run);
/* The state in which a job ends that was stopped for this reason. */
enum job_state core_job_stopped_state(enum reason reason);
/* Ends the job if nothing of it is left to start or to end; 'reason' is that of its last
 * element. */
void core_job_end_if_over(struct core *core, struct core_batch *batch, struct job_slot job,
                          enum reason reason);
/* Other arrays wait for its elements, and some of these have not begun: each ends by itself, so
 * that the others hear of it. */
bool core_job_owes_ends(const struct job *job, const struct job_run *run);
/* Ends a job of which nothing has started. */
void core_job_end_unstarted(struct core *core, struct core_batch *batch, struct job_slot job,
                            enum reason reason);

/* ---- core_share.c: one queue and one owner leave room for others ----------------------------- */

/* Its tenant, too. */
static inline struct owner *core_owner(const struct core *core, const struct job *job)
{
    return owner_table_at(&core->owners, job->owner);
}
/* Why the owner may have no more of it; NULL: it may.  No owner: one that has no open job. */
const char *core_owner_no_room(struct core *core, struct owner_slot owner, enum owner_share share,
                               uint32_t more);
/* Why no further job may stand in the queue; NULL: it may. */
const char *core_queue_no_room(struct core *core, struct fl_queue_id queue);
/* The kind of a job that is to come, or is to be moved. */
struct core_kind {
    struct fl_queue_id queue;
    int32_t priority;
    struct shape_slot shape; /* none: one that is new */
    struct owner_slot owner;
    struct bucket_slot was; /* it is there now; none: it is new */
};

/* Why no further kind of job may stand in its queue, or be its owner's; NULL: it may, or the kind
 * is there. */
const char *core_kind_no_room(struct core *core, const struct core_kind *kind);

/* ---- the events, by family ------------------------------------------------------------------- */

void core_submit(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_bound(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_control(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_edit(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_access(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_session(struct core *core, const struct core_event *event, struct core_batch *batch);
void core_read(struct core *core, const struct core_event *event, struct core_batch *batch);
/* Brings everything that lives there to what is known of the cluster: unknown while it is silent,
 * stopped when it is drained, compared with its inventory, started again where a START was lost,
 * ended when it was removed.  In slices; once more from the start, when it is under way already. */
void core_session_sweep(struct core *core, struct core_batch *batch, struct cluster *cluster);
/* Goes on with that; true: all is done. */
bool core_session_slice(struct core *core, struct core_batch *batch, struct cluster *cluster);
/* The same, all of it in later slices. */
void core_session_sweep_later(struct core *core, struct cluster *cluster);
void core_session_expire(struct core *core, struct core_batch *batch, struct cluster *cluster);
void core_session_strays(struct core *core, struct core_batch *batch, struct cluster *cluster);

/* ---- core_overdue.c: a cluster did not answer in time ---------------------------------------- */

/* The attempt whose START was not confirmed ends; its STOP follows, so that a late replica goes. */
void core_overdue_starts(struct core *core, struct core_batch *batch, struct cluster *cluster);
/* A STOP is repeated, and named; it never ends an attempt, which may well be running. */
void core_overdue_stops(struct core *core, struct core_batch *batch, struct cluster *cluster);
/* The session is closed. */
void core_overdue_inventory(struct core *core, struct core_batch *batch, struct cluster *cluster);

/* ---- core_disconnect.c ----------------------------------------------------------------------- */

/* Ends the session, if there is one, and tells the agent why. */
void core_disconnect(struct core *core, struct core_batch *batch, struct cluster *cluster,
                     enum fl_code code, const char *why);
/* The connection is gone already: the session ends and the clock of its silence starts. */
void core_disconnected(struct core *core, struct cluster *cluster);

/* ---- core_access.c --------------------------------------------------------------------------- */

void core_access_begin(struct core *core);
/* Drops the join tokens and tokens that have expired. */
void core_access_expire(struct core *core, struct core_batch *batch);
/* Why no agent may speak for the cluster now; NULL: the holder of its certificate may. */
const char *core_access_refusal(const struct cluster *cluster);
/* A certificate of that generation was taken; the cluster's row is to follow. */
void core_access_seen(const struct core *core, struct cluster *cluster, uint64_t generation);
/* Whether the certificate that a HELLO came with counts; an old one locks the cluster. */
bool core_access_check(struct core *core, const struct core_event *event, struct core_batch *batch,
                       struct cluster *cluster, const char **ret_why);

/* ---- core_read.c ----------------------------------------------------------------------------- */

/* The verdict of each enrolled cluster on the shape now; the room is begun. */
void core_read_verdicts(struct core *core, const struct shape_entry *shape,
                        struct core_answer *answer);
/* The same of the first CORE_VERDICTS_MAX clusters in the order of their names, and of fewer where
 * these have over CORE_VERDICT_NODES_MAX nodes. */
void core_read_some_verdicts(struct core *core, const struct shape_entry *shape,
                             struct core_answer *answer);

/* ---- core_history.c -------------------------------------------------------------------------- */

/* The event of that name: rows for everything the database has lost. */
void core_history(struct core *core, const struct core_event *event, struct core_batch *batch);
/* Whether an agent's seal is of a history that this database does not have. */
bool core_history_is_news(const struct core *core, const struct core_batch *batch,
                          const struct core_seen *seen);
/* Agents know of a newer history: nothing is accepted or started until a person accepts the
 * database. */
void core_history_dispute(struct core *core, const struct core_event *event,
                          struct core_batch *batch, const struct cluster *cluster);
bool core_history_is_disputed(const struct core *core);
/* True: it was disputed until now. */
bool core_history_accept(struct core *core, const struct core_event *event,
                         struct core_batch *batch);
/* False: the counter is unknown, or out of bounds. */
FL_CHECK bool core_history_load(struct core *core, const struct row_counter *row);

/* ---- core_possible.c ------------------------------------------------------------------------- */

/* Why no enrolled cluster could ever run a job of that shape; NULL: some could, none is enrolled,
 * or the looks of the request have ended.  feasibility_begin comes first, once a request. */
const char *core_possible_refusal(struct core *core, const struct shape_entry *entry);
/* The entry of the shape's bytes, which need not be in the table; good until the next call.
 * NULL: the bytes are no shape. */
const struct shape_entry *core_possible_entry(struct core *core, struct fl_str bytes,
                                              struct fl_err *err);

/* ---- core_round.c ---------------------------------------------------------------------------- */

/* True: the budget is used up and more may start. */
bool core_round(struct core *core, struct core_batch *batch);
/* The queue has a claim. */
void core_round_end_claim(struct core *core, struct queue *queue);

/* ---- core_load.c ----------------------------------------------------------------------------- */

/* The clocks start. */
void core_begin(struct core *core);
/* Those of loaded elements that wait, as many as fit in the slice; true: some are left. */
bool core_begin_waits(struct core *core);
