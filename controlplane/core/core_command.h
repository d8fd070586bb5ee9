/* core_command.h - what the core wants done: effects, and the batch that holds them with their
 * rows.  A batch is filled by core_step and core_settle, committed as one transaction, and only
 * then are its effects carried out, in order.  Everything in it lives in its arena.
 * Uses shared/base and the core's own types only. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/row.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/resources.h"
#include "shared/base/vec.h"

enum core_effect_kind {
    CORE_ANSWER, /* to a request */
    CORE_SEND,   /* a frame to an agent */
};

/* One outcome per job of a submit, in its order. */
struct core_outcome {
    enum fl_code code;
    struct fl_job job; /* with FL_OK */
    const char *text;  /* else; why and what to do */
    uint32_t after;    /* with FL_ABSENT: this one of the item's 'after', from 1; 0: its queue */
};

/* One open job, as read_job, list_jobs and explain show it. */
struct core_job_view {
    struct fl_job job;
    struct fl_tenant tenant;
    struct fl_queue_id queue;
    int32_t priority;
    enum job_state state;
    enum reason reason; /* why it waits, is unknown or is being stopped; none while it runs */
    uint32_t elements, elements_started, elements_live, elements_running, elements_succeeded,
        elements_failed, elements_cancelled, elements_unknown;
    struct fl_cluster cluster; /* the first element's live attempt is there; 0: it has none */
    uint16_t attempt;          /* that attempt's number */
    /* Since when that attempt is unknown, so far as this core knows; 0: it is not.  In read_job and
     * explain another attempt counts where the first element's is not unknown. */
    fl_ms unknown_at;
    fl_ms first_start; /* the job has a deadline and first started then; 0: not yet */
    bool is_picked;    /* it runs chosen elements only */
    uint32_t revision; /* how many times it was edited */
    uint32_t deadline_s;
    uint32_t parallelism; /* 0: no limit */
};

enum { CORE_ELEMENT_VIEWS_MAX = 100 };

/* read_job: one element that has started and not ended, by number. */
struct core_element_view {
    uint32_t element;
    uint16_t attempt; /* the newest */
    uint32_t incarnation;
    enum attempt_state state; /* ended: it waits for its next attempt */
    enum reason reason;       /* why it is being stopped; while it waits: BackoffUntil or none */
    struct fl_cluster cluster;
    uint16_t failures; /* attempts that count against its retries */
    fl_ms wait_until;  /* while it waits; else 0 */
    fl_ms unknown_at;  /* while it is unknown: since when, so far as this core knows; else 0 */
    const char *nodes; /* names, a line each, one a replica; "" where not known */
    uint8_t *replicas; /* enum fl_replica_state of each */
    size_t replicas_len;
};

struct core_resource_view { /* one with a name */
    const char *name;
    uint64_t total, free;
};

struct core_cluster_view {
    struct fl_cluster cluster;
    const char *name, *uid, *uuid, *cordon;
    uint8_t state;  /* enum cluster_state */
    uint8_t access; /* enum core_access */
    bool is_draining;
    bool is_connected, is_reconciled, is_silent, has_images;
    uint64_t generation, session_epoch;
    uint32_t attempts; /* live ones */
    uint32_t attempts_unconfirmed;
    uint32_t nodes, nodes_ready;         /* nodes that this session reported */
    uint32_t nodes_limited;              /* ready ones that have limits */
    struct fl_resources_sum total, free; /* over its ready nodes */
    struct core_resource_view *named;    /* likewise, by number */
    size_t named_len;
};

struct core_node_view {
    const char *name, *labels; /* "key=value\n" lines */
    const char *taints;        /* lines of taint.h */
    uint32_t number;
    bool is_ready;
    struct fl_resources total, free;
    struct core_resource_view *named;
    size_t named_len;
};

struct core_queue_view {
    struct fl_queue_id queue;
    const char *name;
    bool is_paused;
    bool has_default_cpu;
    uint32_t default_cpu_milli;
    uint64_t jobs;                              /* open */
    uint32_t in_state[JOB_OPEN_STATES_LEN + 1]; /* so many of them, by enum job_state */
};

/* Whether a cluster's certificates count. */
enum core_access {
    CORE_ACCESS_open = 0,
    CORE_ACCESS_locked = 1,  /* an old generation came back: a person decides */
    CORE_ACCESS_revoked = 2, /* until it joins again */
};

/* One line of explain: whether one cluster could take this job now. */
struct core_verdict {
    struct fl_cluster cluster;
    enum reason reason; /* Fits, or why not */
    const char *text;   /* one sentence with numbers */
};

struct core_answer {
    uint64_t request;
    enum fl_code code;
    const char *text; /* with another code than FL_OK */
    /* When a token was made or rotated, as its row has it; in other answers the engine sets it to
     * their batch's time, which their rows have.  0: it comes with no batch. */
    fl_ms at;
    bool is_replay; /* the engine sets it: the Idempotency-Key was used before */
    /* The queue or cluster that was put, enrolled or renewed; join_put, token_put: when the token
     * expires, 0: never; token_revoke: how many tokens went; token_rotate: when it expires. */
    uint64_t id;
    /* enrol, renew: the certificate carries it; token_rotate: until when the old secret counts */
    uint64_t generation;
    const char *uuid; /* enrol, renew: the cluster's, for the certificate's name */
    const char *name; /* enrol, renew: the cluster's */
    struct core_outcome *outcomes;
    size_t outcomes_len;
    struct core_job_view *jobs;
    size_t jobs_len;
    uint64_t next; /* lists, elements of read_job: where the next page starts; 0: no more */
    struct core_element_view *elements;
    size_t elements_len;
    struct core_cluster_view *clusters;
    size_t clusters_len;
    struct core_node_view *nodes;
    size_t nodes_len;
    struct core_queue_view *queues;
    size_t queues_len;
    struct core_verdict *verdicts; /* explain, and a dry run of one job that wants them */
    size_t verdicts_len;
    size_t enrolled;      /* a dry run that wants them: so many clusters are enrolled */
    bool is_possible;     /* a dry run: some cluster could ever run it, or may once it is known */
    bool is_as_before;    /* edit: the job had all these values already */
    const char *sentence; /* explain: its reason in words; read_job: only that of ClusterSilent,
                              WaitsForJobs, WaitsForTurn and ArrayThrottle */
};

#define CORE_SENDS(X)                                                                              \
    X(welcome) /* session_epoch */                                                                 \
    X(resync)  /* session_epoch */                                                                 \
    X(start)   /* control_seq, attempt, spec, nodes */                                             \
    X(go)      /* control_seq, attempt */                                                          \
    X(stop)    /* control_seq, attempt, reason */                                                  \
    X(ack)     /* report_seq */                                                                    \
    X(bye)     /* code, text: the connection is closed */

enum core_send_kind {
#define CORE_SEND_ENUM(name) CORE_SEND_##name,
    CORE_SENDS(CORE_SEND_ENUM)
#undef CORE_SEND_ENUM
};

struct core_send {
    enum core_send_kind kind;
    struct fl_cluster cluster;
    uint64_t connection;
    uint64_t session_epoch;
    uint64_t control_seq;
    uint64_t report_seq;
    struct fl_attempt attempt;
    uint32_t *nodes; /* START: the node's number for each replica */
    size_t nodes_len;
    enum reason reason;
    enum fl_code code;
    const char *text;
};

struct core_effect {
    enum core_effect_kind kind;
    union {
        struct core_answer answer;
        struct core_send send;
    };
};

struct core_batch {
    uint64_t number; /* the journal's key */
    fl_ms at;        /* time of its newest event */
    struct fl_arena arena;
    FL_VEC(struct row) rows; /* in the order decided; their strings are in 'body' */
    FL_VEC(struct core_effect) effects;
    struct fl_buf body; /* the rows, as the journal has them */
    size_t jobs;        /* accepted in it */
    bool has_ends;      /* an attempt may have ended in it */
};

#define CORE_BATCH_BYTES_MAX ((size_t)12 << 20)

struct core_batch *core_batch_create(uint64_t number);
void core_batch_destroy(struct core_batch *batch);

/* Its bytes in memory; each slice of the core's own work keeps a batch below
 * CORE_BATCH_BYTES_MAX. */
size_t core_batch_bytes(const struct core_batch *batch);

/* Writes the row into the body; its strings in 'rows' point there. */
void core_batch_row(struct core_batch *batch, const struct row *row);
/* Copies what the effect points to into the batch's arena. */
void core_batch_effect(struct core_batch *batch, const struct core_effect *effect);

/* Accepted, or refused for what the item itself says: asking again changes nothing. */
bool core_outcome_is_final(const struct core_outcome *outcome);

/* The stored answer to a repeated Idempotency-Key: its code, text and id, and each outcome's code,
 * job and text. */
FL_CHECK bool core_answer_encode(struct fl_buf *out, const struct core_answer *answer);
FL_CHECK bool core_answer_decode(struct fl_str bytes, struct fl_arena *arena,
                                 struct core_answer *ret_answer, struct fl_err *err);

const char *core_send_name(enum core_send_kind kind);
