/* core_command.h - what the core wants done: effects, and the batch that holds them with their rows.
 * A batch is filled by core_step and core_settle, committed as one transaction, and only then are its
 * effects carried out, in order.  Everything in it lives in its arena.
 * Uses shared/base and the core's own types only. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/row.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

enum core_effect_kind {
    CORE_ANSWER, /* to whoever made the request */
    CORE_SEND,   /* a frame to an agent */
};

/* One outcome per job of a submit, in its order. */
struct core_outcome {
    enum fl_code code;
    struct fl_job job; /* with FL_OK */
    const char *text;  /* else; why and what to do */
};

/* What is known of one open job: read_job, list_jobs and explain. */
struct core_job_view {
    struct fl_job job;
    struct fl_tenant tenant;
    struct fl_queue_id queue;
    int32_t priority;
    enum job_state state;
    enum reason reason; /* why it waits; none while it runs */
    uint32_t elements, elements_started, elements_live, elements_succeeded, elements_failed,
        elements_cancelled;
    struct fl_cluster cluster; /* of element 0's live attempt */
    uint16_t attempt;          /* its number */
};

/* One line of explain: what one cluster says to this job now. */
struct core_verdict {
    struct fl_cluster cluster;
    enum reason reason; /* Fits, or why not */
    const char *text;   /* one sentence with numbers */
};

struct core_answer {
    uint64_t request;
    enum fl_code code;
    const char *text; /* with another code than FL_OK */
    uint64_t id;      /* of a queue or cluster that was put */
    struct core_outcome *outcomes;
    size_t outcomes_len;
    struct core_job_view *jobs;
    size_t jobs_len;
    uint64_t next; /* list_jobs: where the next page starts; 0: no more */
    struct core_verdict *verdicts;
    size_t verdicts_len;
    const char *sentence; /* explain: the dominant reason in words */
};

#define CORE_SENDS(X)                                                                              \
    X(welcome) /* session_epoch, incarnation */                                                    \
    X(resync)  /* session_epoch, incarnation */                                                    \
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
    uint32_t incarnation;
    uint64_t control_seq;
    uint64_t report_seq;
    struct fl_attempt attempt;
    struct fl_shape_id shape; /* of a START: resources and roles, for who resolves its body */
    uint32_t *nodes;          /* of a START: node number of each replica */
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
    FL_VEC(struct row) rows; /* in the order decided */
    FL_VEC(struct core_effect) effects;
    size_t rows_bytes; /* as the journal encodes them */
    size_t jobs;       /* accepted in it */
};

struct core_batch *core_batch_create(uint64_t number);
void core_batch_destroy(struct core_batch *batch);

/* Both copy what the argument points to into the batch's arena. */
void core_batch_row(struct core_batch *batch, const struct row *row);
void core_batch_effect(struct core_batch *batch, const struct core_effect *effect);

/* What a repeated Idempotency-Key is answered with: code and job of each outcome, texts too. */
FL_CHECK bool core_answer_encode(struct fl_buf *out, const struct core_answer *answer);
FL_CHECK bool core_answer_decode(struct fl_str bytes, struct fl_arena *arena,
                                 struct core_answer *ret_answer, struct fl_err *err);

const char *core_send_name(enum core_send_kind kind);
