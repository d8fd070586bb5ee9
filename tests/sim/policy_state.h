/* policy_state.h - what the policy model knows, for the files that make it up. policy_model.c
 * makes it and takes in batches; policy_rows.c folds their rows into it, policy_reports.c what
 * agents report; policy_judge.c judges starts against it, policy_ends.c ends and policy_runs.c
 * repetitions; policy_wait.c measures how long work waits; policy_room.c says what fits where. */
#pragma once

#include "controlplane/core/shape.h"
#include "shared/base/vec.h"
#include "tests/sim/policy_model.h"
#include "tests/sim/sim_amounts.h"

enum {
    POLICY_NODES_MAX = 16,
    POLICY_CLUSTERS_MAX = 256,
    POLICY_NAME_MAX = 64,
    POLICY_BATCHES_BACK = 4,  /* a timer that was due so many batches ago has fired, ... */
    POLICY_BATCHES_MAX = 200, /* ... and if they fire in slices of a few, so many */
    POLICY_SLICE_SMALL = 100,
    POLICY_CLAIMS_BACK =
        128, /* a claim needed so many batches ago has ended, also a paused queue's */
    POLICY_CLUSTER_ENROLLED = 1,
};

/* ---- reports of agents ----------------------------------------------------------------------- */

/* One report of one node. */
struct policy_report {
    uint64_t seq, mark;
    fl_ms at; /* true time */
    bool is_ready;
    struct sim_amounts total, free;
    char labels[POLICY_NAME_MAX], taints[POLICY_NAME_MAX];
};

/* A node by its name; reports of the cluster's newest session, oldest first.  The first may be
 * acknowledged, the others are not yet. */
struct policy_node {
    char name[POLICY_NAME_MAX];
    FL_VEC(struct policy_report) reports;
    uint64_t gpus_term; /* a leader of that epoch has heard of its GPUs, at gpus_at */
    fl_ms gpus_at;
};

/* A live attempt, from its cluster's list. */
struct policy_live {
    uint64_t job;
    uint32_t place; /* in job->begun */
};

/* A replica that its agent says has ended: its room is free again though no node report says so. */
struct policy_given {
    uint64_t job;
    uint32_t element, replica, node;
    uint16_t n;
    bool is_durable; /* a phase row says it too */
    uint64_t seq, start_seq;
    struct sim_amounts each;
};

/* Room that the leader does not count on, until a report of the node comes. */
struct policy_ghost {
    uint32_t node;
    struct sim_amounts each;
    fl_ms at;
};

struct policy_cluster {
    bool is_known;
    /* by its newest row */
    uint8_t state, access;
    bool is_cordoned, is_draining;
    fl_ms changed_at; /* the core's time */
    char name[POLICY_NAME_MAX];
    uint64_t session;
    uint64_t session_term; /* the epoch that began it */
    uint64_t silent_term;  /* a leader of that epoch says that it is silent; 0: it is not */
    /* by what its agent said in that session */
    uint64_t opened_connection; /* the newest HELLO's */
    bool is_closed;             /* by the control plane: locked or revoked */
    bool is_lost;               /* its connection is gone */
    bool is_listed;             /* its inventory was whole, at listed_at */
    fl_ms listed_at;
    fl_ms unlisted_ms; /* steady time since it was there without an inventory */
    /* The core may yet look so often until all that lives there, and all that waits before it for a
     * slice, is compared with the inventory. */
    uint64_t looks_left;
    uint64_t acked;       /* the newest report that the leader acknowledged */
    uint64_t shrunk_term; /* a node went without its GPUs under this leader; 0: none did */
    fl_ms nodes_ended_at; /* its agent said that it had reported each node; 0: not yet */
    struct policy_node nodes[POLICY_NODES_MAX];
    uint32_t nodes_len;
    FL_VEC(struct policy_given) given;
    FL_VEC(struct policy_ghost) ghosts;
    FL_VEC(struct policy_live) live;
    struct sim_amounts room[POLICY_NODES_MAX]; /* at least free, each node; as 'room_at' has it */
    uint64_t room_at;
    uint32_t claimable;                          /* so many of its nodes may be claimed */
    uint32_t claimable_back[POLICY_CLAIMS_BACK]; /* likewise as of the newest durable batches */
};

/* ---- rows ------------------------------------------------------------------------------------ */

struct policy_replica {
    uint32_t node;
    bool is_ended;
    /* by its newest phase row, which a leader of that epoch wrote; 0: none */
    uint8_t phase;
    int32_t exit_code;
    uint64_t phase_term;
    uint16_t causes; /* its agent gave these in this session: a bit for an enum fl_cause */
    bool has_words, was_wordless; /* told of its end with the runtime's words, without */
};

struct policy_element {
    uint32_t element;
    uint16_t n; /* its newest attempt */
    bool is_live, is_ended;
    bool did_run;         /* that attempt, by a phase row */
    uint32_t node_losses; /* since it failed by itself */
    uint32_t cluster;
    uint64_t serial; /* its newest attempt's number among all attempts */
    fl_ms durable_at;
    uint64_t start_session, start_seq; /* its newest START; 0: none was let out */
    fl_ms formed_at;                   /* true time: the batch with its attempt was made up */
    fl_ms start_sent_at;               /* true time: the newest START was let out; 0: none was */
    /* policy_overdue.c: in steady time, since START and since STOP */
    fl_ms start_waits_ms, stop_waits_ms, stop_sent_at;
    uint64_t repeated_term;           /* its STOP was repeated under that leader */
    uint64_t stop_session, stop_term; /* its newest STOP; 0: none was let out */
    bool was_told;                    /* some agent of its cluster spoke of it */
    uint64_t told_session, told_seq;  /* the first time in its newest session; seq 0: inventory */
    /* policy_ends.c */
    bool was_drained;        /* its cluster is drained: STOP was sent */
    uint64_t held_back_term; /* the leader that sent STOP since its job was held; 0: none */
    bool was_told_absent;    /* its agent said that it knows nothing of it */
    bool is_first_doubtful, is_first_stored, has_words;
    uint32_t first; /* its replica that failed first */
    int32_t first_exit;
    uint64_t first_reasons; /* its possible reasons, a bit each; 0: none failed */
    uint64_t phase_term;    /* the newest phase row's */
    uint32_t failures, misses;
    /* since that attempt ended, in the core's time: not before, not after; and the pause then due
     * */
    fl_ms ended_from, ended_to, pause_ms;
    uint64_t ended_term;
    FL_VEC(struct policy_replica) replicas;
};

/* An attempt that ended unconfirmed: its STOP is due. */
struct policy_must_stop {
    uint64_t job;
    uint32_t element, cluster;
    uint16_t n;
    uint64_t session, term;
    fl_ms waits_ms;
};

struct policy_job {
    uint32_t tenant;
    fl_ms held_changed_at;   /* the core's time */
    uint64_t held_batch;     /* while is_held */
    uint64_t released_batch; /* the newest one in which a hold ended; 0: none */
    bool is_open, is_held, is_stopped;
    bool was_cancelled; /* on request */
    enum reason stop;
    uint16_t element_reason; /* the newest end of an element has it */
    uint32_t queue, shape;
    uint32_t deadline_s, retries_max; /* 0: none */
    uint32_t parallelism;             /* 0: all */
    int32_t priority;
    uint64_t name, labels, owner; /* by their hashes */
    uint32_t revision;            /* its edits */
    fl_ms edited_at;              /* the core's time of the newest */
    uint32_t elements, started, live, running, succeeded, failed, cancelled;
    uint32_t unplaced;      /* ended without an attempt; they count as started here */
    fl_ms first_start;      /* 0: none */
    fl_ms first_start_true; /* true time: not before */
    bool must_have_first_start;
    FL_VEC(struct fl_dependency) after;
    uint32_t after_marked; /* so many of these are in its mark */
    uint8_t end_state;     /* 0: it is open */
    uint64_t each;         /* its elements wait for those of this job; 0: they do not */
    uint64_t numbers;      /* its elements, a bit each */
    bool is_each_marked;
    FL_VEC(uint8_t) ends;                /* its elements' states, by number; 0: not ended */
    FL_VEC(struct policy_element) begun; /* in the order of their first attempts */
    FL_VEC(uint32_t) places;             /* in 'begun', by number, from 1; 0: not begun */
};

struct policy_shape {
    bool is_known;
    char *bytes;
    uint64_t hash; /* over the bytes, see policy_requests.c */
    struct shape shape;
    uint32_t replicas;
    struct sim_amounts largest; /* the most that one replica wants, by resource */
    bool does_fit;              /* as of claims_at: it surely fits beside all claims */
};

/* Some clusters, a bit for each id. */
struct policy_cluster_set {
    uint64_t at[POLICY_CLUSTERS_MAX / 64];
};

/* The jobs of one queue, priority and shape: they start one after the other. */
struct policy_bucket {
    uint32_t queue, shape;
    int32_t priority;
    uint64_t pass;   /* the newest pass that met it */
    uint64_t head;   /* its first job then */
    bool is_waiting; /* that could start and did not, under the leader of that epoch */
    uint64_t term;
    fl_ms waited_ms; /* ... for so long */
    /* The first of its queue that fits nowhere beside claims, and would fit if others ended. */
    bool is_blocked;
    uint64_t blocked_job, blocked_term, turn_from;
    struct policy_cluster_set blocked_on; /* that could hold it */
    uint32_t turns, rivals;
    bool was_kept_off; /* it fitted in what was free, and only claims were in its way */
};

struct policy_queue {
    uint32_t tenant;
    char name[POLICY_NAME_MAX];
    bool is_paused;
    fl_ms changed_at;       /* the core's time */
    FL_VEC(uint64_t) open;  /* highest priority first, then by age */
    FL_VEC(uint32_t) unfit; /* shapes of these that may not fit, as of claims_at */
};

struct policy_requests;
struct policy_access;

struct policy_time {
    bool has_begun, do_hubs_differ;
    fl_ms set_at;        /* true time: a clock was set then; 0: none was */
    fl_ms formed_at, at; /* the batch before: true time, the core's */
    uint64_t epoch;
    fl_ms ahead_least; /* the core's time against the fastest clock there is */
};

/* An open job that runs alone; texts by their hashes. */
struct policy_singleton {
    uint64_t job, owner, name;
    uint32_t tenant;
    bool is_marked, has_waited;
};

struct policy {
    struct sim *sim;
    struct policy_requests *requests;
    struct policy_access *access;
    struct policy_config config;
    uint64_t epoch;   /* the newest batch's */
    uint64_t taken;   /* the newest leader's, who may have no batch yet */
    uint64_t batch;   /* its number */
    fl_ms at, at_old; /* the core's time of it, and of one so long ago that its timers have fired */
    fl_ms at_before;  /* the one before */
    fl_ms ats[POLICY_BATCHES_MAX + 1]; /* ring of them */
    fl_ms term_at;                     /* the first batch of this epoch */
    struct policy_time time;           /* policy_time.c */
    fl_ms turn_stopped_at;             /* true time: a hub went on with a turn */
    fl_ms formed_at;                   /* true time: when the newest batch was made up */
    fl_ms known_at;                    /* the leader had heard nothing that came after it */
    bool is_walking;                   /* the core may not be through with its work */
    uint64_t serial;                   /* attempts so far */
    uint64_t pass;
    uint64_t claims_at;                 /* the batch and pass for which claims were looked for */
    uint64_t state;                     /* grows with each row, report and frame */
    FL_VEC(struct policy_job) jobs;     /* by id */
    FL_VEC(struct policy_queue) queues; /* by id */
    FL_VEC(struct policy_shape) shapes; /* by id */
    FL_VEC(struct policy_cluster) clusters; /* by id */
    FL_VEC(struct policy_bucket) buckets;
    FL_VEC(uint64_t) must_have_first_start; /* jobs, in this batch */
    FL_VEC(struct policy_must_stop) must_stop;
    FL_VEC(struct policy_live) must_be_over;    /* replicas of them ended in this batch */
    FL_VEC(struct policy_singleton) singletons; /* open ones, by id */
};

/* ---- policy_model.c -------------------------------------------------------------------------- */
struct policy_job *policy_job(struct policy *policy, uint64_t id); /* asserts that it is known */
struct policy_queue *policy_queue(struct policy *policy, uint32_t id);
struct policy_shape *policy_shape(const struct policy *policy, uint32_t id);
struct policy_cluster *policy_cluster(struct policy *policy, uint32_t id);
struct policy_element *policy_element(struct policy_job *job, uint32_t element); /* NULL: none */
struct policy_element *policy_begin(struct policy_job *job, const struct policy_element *element);
/* 0: it is empty. */
uint64_t policy_hash(struct fl_str text);
/* It comes before the other in its queue: priority, then age. */
bool policy_is_before(const struct policy_job *job, uint64_t id, const struct policy_job *other,
                      uint64_t other_id);
void policy_copy_name(char out[POLICY_NAME_MAX], struct fl_str name);
/* Its place among the cluster's nodes; a new one when the name is new. */
uint32_t policy_need_node(struct policy_cluster *cluster, struct fl_str name);

/* ---- policy_rows.c --------------------------------------------------------------------------- */
void policy_fold_row(struct policy *policy, const struct row *row);

/* ---- policy_room.c --------------------------------------------------------------------------- */
/* Whether the job's own lists allow the cluster. */
bool policy_names_allow(const struct policy_shape *shape, const struct policy_cluster *cluster);
/* So much may have been free on the node, which was ready, had the labels and no taint that the
 * role does not tolerate, as far as the leader knew. */
bool policy_may_fit(struct policy *policy, const struct policy_cluster *cluster, uint32_t node,
                    const struct policy_shape *shape, const struct shape_role *role,
                    const struct sim_amounts *want);
/* The leader knows of a cluster that takes work and has room for all replicas. */
bool policy_does_fit(struct policy *policy, const struct policy_shape *shape);
/* The same, although blocked heads may have claimed the best nodes of each. */
bool policy_does_fit_beside_claims(struct policy *policy, const struct policy_shape *shape);
/* And although heads that fit no longer, since others were started in this batch, have claimed too.
 */
bool policy_does_fit_beside_newest_claims(struct policy *policy, const struct policy_shape *shape);
/* The most replicas that one job of the queue may have claimed a node for, there; as of the newest
 * look at what fits beside claims. */
uint32_t policy_queue_claims(struct policy *policy, const struct policy_queue *queue,
                             const struct policy_cluster *cluster);
/* A batch is durable: the claims as of it bind the next one's decisions. */
void policy_note_claims(struct policy *policy);
/* How many of its replicas the cluster would have room for if nothing of ours ran there. */
uint32_t policy_empty_slots(struct policy *policy, const struct policy_cluster *cluster,
                            const struct policy_shape *shape);
/* The clusters that take work and would have room if nothing of ours ran there.  False: none. */
bool policy_fits_empty(struct policy *policy, const struct policy_shape *shape,
                       struct policy_cluster_set *ret_clusters);
bool policy_set_has(const struct policy_cluster_set *set, size_t cluster);
/* How many of its attempts are not confirmed by its agent, as the leader knows it: at least, at
 * most. */
uint32_t policy_unconfirmed_least(const struct policy *policy,
                                  const struct policy_cluster *cluster);
uint32_t policy_unconfirmed_most(const struct policy *policy, const struct policy_cluster *cluster);

/* The leader knows that the cluster takes work; and that it has room there beside all claims. */
bool policy_takes_work(const struct policy *policy, const struct policy_cluster *cluster);
bool policy_fits_there(struct policy *policy, const struct policy_cluster *cluster,
                       const struct policy_shape *shape);

/* ---- policy_wait.c --------------------------------------------------------------------------- */
/* An attempt of the job was started there. */
void policy_wait_started(struct policy *policy, const struct policy_job *job, uint64_t id,
                         uint32_t cluster);

/* ---- policy_judge.c: before the row is folded ------------------------------------------------ */
void policy_judge_start(struct policy *policy, const struct row_attempt_new *row);
