/* core_event.h - everything that can happen to the core.
 * An event is borrowed for the step: nothing in it needs to outlive core_step.  Time rides in it
 * and never goes back within the life of a core; strings are not terminated.
 * 'request' is the number under which a request waits for its answer; 0: nothing waits.  Each event
 * with a request is answered exactly once, in the batch that it is stepped into.
 * Uses shared/base only. */
#pragma once

#include "shared/base/api_limits.h"
#include "shared/base/dependency.h"
#include "shared/base/element_set.h"
#include "shared/base/job_limits.h"
#include "shared/base/replica.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

#define CORE_EVENTS(X)                                                                             \
    X(begin, "the core is loaded and starts to decide")                                            \
    X(tick, "time has passed")                                                                     \
    X(room, "how far ids may go: partitions exist below")                                          \
    X(history, "the takeover was compared with what is known outside of the database")             \
    X(db_away, "Postgres does not answer: loss timers freeze")                                     \
    X(db_back, "Postgres answers again: loss timers restart in full")                              \
    X(submit, "one request with 1.." FL_QUOTE(CORE_SUBMIT_MAX) " jobs")                            \
    X(bound, "which number the next job gets; under a key, which it was to get")                   \
    X(cancel, "a job shall end")                                                                   \
    X(hold, "a job shall start nothing more")                                                      \
    X(release, "a held job may start")                                                             \
    X(edit, "an open job gets another queue, priority, deadline, name or labels")                  \
    X(queue_put, "a queue is made or changed")                                                     \
    X(queue_remove, "an empty queue shall go")                                                     \
    X(cluster_put, "a cluster is enrolled")                                                        \
    X(cluster_cordon, "a cluster shall take no new work, or shall again")                          \
    X(cluster_forget, "a person says that a silent cluster is gone for good")                      \
    X(cluster_drain, "a cluster shall take no new work and, if so wished, give back what runs")    \
    X(cluster_revoke, "a cluster's certificates count no more; it may join again")                 \
    X(cluster_unlock, "a person says that a locked cluster may speak again")                       \
    X(join_put, "a token with which one cluster may enrol once")                                   \
    X(join_revoke, "that token counts no more")                                                    \
    X(enrol, "an agent shows a join token and its new key")                                        \
    X(renew, "an agent shows its certificate's generation and its next key")                       \
    X(token_put, "a token for the API is made")                                                    \
    X(token_revoke, "that token counts no more")                                                   \
    X(token_rotate, "that token gets a new secret")                                                \
    X(denied, "the API refused a request, or so many")                                             \
    X(visit, "somebody enters a running replica, or has left it")                                  \
    X(accept_restore, "a person says that a restored database is the one to go on with")           \
    X(read_job, "the live state of one job")                                                       \
    X(list_jobs, "a page of open jobs")                                                            \
    X(list_clusters, "a page of clusters")                                                         \
    X(list_nodes, "a page of one cluster's nodes")                                                 \
    X(list_queues, "a page of queues")                                                             \
    X(explain, "why one job is where it is")                                                       \
    X(session_open, "an agent said HELLO")                                                         \
    X(session_lost, "an agent's connection is gone")                                               \
    X(inventory, "some, or the last, of what an agent holds")                                      \
    X(replica, "an agent reports the state of one replica")                                        \
    X(nodes, "an agent reports nodes and what is free on them")

enum core_event_kind {
#define CORE_EVENT_ENUM(name, meaning) CORE_EV_##name,
    CORE_EVENTS(CORE_EVENT_ENUM)
#undef CORE_EVENT_ENUM
        CORE_EVENTS_LEN
};

#define CORE_SUBMIT_MAX 1000         /* jobs in one request */
#define CORE_PAGE_MAX 1000           /* jobs in one page of a list */
#define CORE_VERDICTS_MAX 100        /* clusters of which a dry run says what each says ... */
#define CORE_VERDICT_NODES_MAX 20000 /* ... as long as those before had at most so many nodes */
#define CORE_TOKEN_ID_MAX 32         /* bytes */
#define CORE_ANSWER_BYTES_MAX 65536  /* a key keeps so long an answer */
#define CORE_REASON_BYTES_MAX 253    /* why a cluster is cordoned or drained */

enum {
    CORE_INVENTORY_MAX = 4096, /* items in one event */
    CORE_NODES_MAX = 1024,     /* nodes in one event */
    CORE_JOINS_MAX = 1000,     /* join tokens that are not used and not expired */
    CORE_JOIN_TTL_MS = FL_JOIN_TTL_HOURS_MAX * 60 * 60 * 1000, /* at most, from join_put on */
    CORE_TOKENS_MAX = 10000, /* tokens of the API that are not expired */
    CORE_GRACE_MS = FL_TOKEN_GRACE_DAYS_MAX * 24 * 60 * 60 *
                    1000, /* an old secret counts beside a new one, at most */
    CORE_UUID_BYTES = 36,
};

/* A token of the API has a set of these bits, one for each thing that it allows. */
#define CORE_SCOPES(X)                                                                             \
    X(read, 1, "see jobs, logs, queues and clusters")                                              \
    X(submit, 2, "submit jobs, and retry")                                                         \
    X(cancel, 4, "cancel, hold, release and edit jobs")                                            \
    X(admin, 8, "everything: it includes the others before it")                                    \
    X(outlive, 16, "make tokens that count longer than it does")                                   \
    X(exec, 32, "run commands in jobs that run, and connect to their ports; it is in admin, too")  \
    X(delegate, 64, "act for other people, who own what it submits; it is in admin, too")

enum core_scope {
#define CORE_SCOPE_ENUM(name, bit, meaning) CORE_SCOPE_##name = (bit),
    CORE_SCOPES(CORE_SCOPE_ENUM)
#undef CORE_SCOPE_ENUM
    /* the scopes that admin includes beside itself */
    CORE_SCOPES_OF_ADMIN = CORE_SCOPE_read | CORE_SCOPE_submit | CORE_SCOPE_cancel |
                           CORE_SCOPE_exec | CORE_SCOPE_delegate,
    CORE_SCOPES_ALL = 127,
};

struct core_outcome;

/* A job that another one is to run after.  The core knows open jobs only; the front says how one
 * that is over has ended. */
struct core_dependency {
    struct fl_dependency after; /* 'line' counts the items of the event */
    /* enum job_state, a last one; 0: not known to have ended; or one of the words below */
    uint8_t ended;
};

enum {
    CORE_OTHER_INDEXES = 254, /* its elements go by other numbers, and are waited for one by one */
    CORE_NO_JOB = 255,        /* there is none, for the one who asks */
};

struct core_submit_item {
    struct fl_str queue; /* by name */
    struct fl_str shape; /* canonical bytes, see shape.h */
    /* the stored document; may be empty when the front knows the digest is stored */
    struct fl_str spec;
    struct fl_digest spec_digest;
    /* the digest before the default CPU came in, which is part of the meaning of a key */
    struct fl_digest asked;
    int32_t priority;
    uint32_t elements;
    uint32_t deadline_s; /* from its first start; 0: none */
    uint32_t retries_max;
    bool is_held;
    struct fl_str name, labels, params; /* opaque here; stored */
    struct fl_job retry_of;             /* an ended job; none: a new one */
    /* see element_set.h: only these elements run, under these numbers, and 'elements' says how many
     * they are; empty: 0 .. elements - 1 */
    struct fl_str picked;
    struct core_dependency *after;
    size_t after_len;
    bool is_singleton;    /* it runs alone under its name and owner */
    uint32_t parallelism; /* so many of its elements at the same time; 0: all */
};

/* An agent tells the state of one replica. */
struct core_replica_told {
    struct fl_attempt attempt;
    uint32_t replica; /* UINT32_MAX with state absent: the whole attempt */
    enum fl_replica_state state;
    int32_t exit_code;
    enum fl_cause cause;
    struct fl_str words;   /* the cluster explains an end by these; may be empty */
    struct fl_usage usage; /* with an end */
};

enum { CORE_NODE_NAMED_MAX = 16 }; /* resources with a name that one node may offer */

struct core_node_offer {
    struct fl_str name;
    uint64_t total, free;
};

struct core_node_report {
    uint32_t number; /* the agent's own, good for one session; below 65,536 */
    bool is_ready;
    struct fl_str name;
    struct fl_str labels; /* "key=value\n" lines, sorted by key */
    struct fl_str taints; /* the hard ones, as lines of taint.h */
    struct fl_resources total, free;
    const struct core_node_offer *named; /* each name once */
    size_t named_len;
};

/* How far the database of an earlier session was, by the hub's own seal, which no agent can make.
 * All 0: the agent has none. */
struct core_seen {
    uint32_t incarnation;
    uint64_t batch;     /* was committed */
    uint64_t job_below; /* ids below it may have been given out */
};

struct core_event {
    enum core_event_kind kind;
    fl_ms now;
    uint64_t request;
    struct fl_tenant tenant;   /* with a request: its tenant */
    struct fl_str actor;       /* the user or agent that asks, for the audit; ROW_ACTOR_BYTES_MAX */
    struct fl_str peer;        /* with a request: its address, for the audit; ROW_PEER_BYTES_MAX */
    struct fl_str trace;       /* the same: names it in the log; ROW_TRACE_BYTES_MAX */
    struct fl_str owner;       /* the same: the jobs that it brings are theirs; FL_NAME_BYTES_MAX */
    struct fl_str key;         /* Idempotency-Key, already looked up by the engine; empty: none */
    struct fl_digest body_sha; /* with a key: the meaning, see api/idempotency.h */
    union {
        struct {
            uint64_t seed;
            uint32_t incarnation;
            uint64_t epoch;
            uint64_t batch; /* the number of the first batch this core fills */
        } begin;
        struct {
            uint64_t job_below;
        } room;
        struct {
            bool is_lost;         /* the database is older than what was once committed */
            bool is_raised;       /* attempt numbers may have been given out that it lacks */
            uint32_t incarnation; /* with is_raised: the highest that was known */
            uint64_t job_from;    /* no id from here on was given out */
            uint64_t jobs;        /* so many jobs were accepted, ever ... */
            uint64_t jobs_unsure; /* ... and perhaps so many more */
            uint64_t batch_known; /* with is_lost: the highest that was ever committed */
            uint64_t batches;     /* so many are lost, at least */
        } history;
        struct {
            const struct core_submit_item *at;
            size_t len;
            /* The outcomes that an earlier request with its key had, one an item; NULL: there was
             * none.  Those that are final stay, the others are decided anew. */
            const struct core_outcome *kept;
            /* Each is judged as if it came now and alone: lines are passed over, nothing is made,
             * and no outcome has a job. */
            bool is_dry;
            bool wants_verdicts;    /* those of the clusters on one job, in a dry run */
            bool waits_for_cluster; /* a job that no cluster could ever run is accepted, too */
        } submit;
        struct {
            struct fl_job job;
            uint32_t element_from; /* read_job: the first element to tell of */
        } job;                     /* cancel, hold, release, read_job, explain */
        struct {
            struct fl_job job;
            uint32_t revision; /* name and labels were read of this one: else FL_CHANGED */
            bool sets_queue, sets_priority, sets_deadline, sets_parallelism, sets_held;
            bool sets_words; /* name or labels are others than before */
            struct fl_str queue;
            int32_t priority;
            uint32_t deadline_s;  /* 0: none */
            uint32_t parallelism; /* 0: no limit */
            bool is_held;
            struct fl_str name, labels; /* in any case */
        } edit;
        struct {
            struct fl_str queue; /* empty: all */
            uint64_t before;     /* ids below this, the newest first; 0: from the newest on */
            size_t len_max;
        } list_jobs;
        struct {
            struct fl_str name;
            bool is_paused;
            bool is_change;        /* the queue must be there; else it is made */
            bool keeps_paused;     /* one that is there stays as it is; is_paused is a new one's */
            bool sets_default_cpu; /* also when the queue is there */
            bool has_default_cpu;
            uint32_t default_cpu_milli;
        } queue_put;
        struct {
            struct fl_str name;
        } queue_remove;
        struct {
            struct fl_str name, uid;
        } cluster_put;
        struct {
            struct fl_cluster cluster;
            bool is_on;
            struct fl_str why;
        } cluster_cordon;
        struct {
            struct fl_cluster cluster;
        } cluster_forget; /* cluster_revoke and cluster_unlock too */
        struct {
            struct fl_cluster cluster;
            bool is_stop; /* the core stops running work and queues it again, uncharged; else the
                             work may run to its end */
            struct fl_str why;
        } cluster_drain;
        struct {
            struct fl_str name;     /* the cluster joins under it */
            struct fl_digest token; /* SHA-256 of the secret: the core never sees it */
            fl_ms ttl_ms;           /* from now on, by the core's time; at most CORE_JOIN_TTL_MS */
        } join_put;
        struct {
            struct fl_digest token;
        } join_revoke;
        struct {
            struct fl_digest token;
            struct fl_str uid;    /* the agent's cluster or host has it */
            struct fl_str uuid;   /* a fresh one; taken when the cluster is new */
            struct fl_digest key; /* SHA-256 of the public key to be certified */
        } enrol;
        struct {
            struct fl_cluster cluster;
            uint64_t generation;  /* the agent's certificate carries it */
            struct fl_digest key; /* SHA-256 of the next public key; the same again when the agent
                                     did not get the answer */
        } renew;
        struct {
            struct fl_str id;
            struct fl_digest mac;
            struct fl_str name;
            struct fl_str queue; /* it counts in this queue only; empty: in all */
            uint8_t scopes;      /* enum core_scope */
            fl_ms ttl_ms;        /* from now on, by the core's time; 0: for ever */
            struct fl_str maker; /* the token that makes it, whose rights bound its own; empty: the
                                    control plane does */
            struct fl_str owner; /* for people */
        } token_put;
        struct {
            struct fl_str id;
            bool has_made; /* and all tokens that it made, and those made by these */
        } token_revoke;
        struct {
            struct fl_str id;
            struct fl_digest mac;   /* its new secret's */
            struct fl_str by;       /* the token that asks, whose rights bound it; perhaps itself */
            struct fl_digest shown; /* with which secret 'by' asks */
            fl_ms grace_ms; /* for so long the secret before it counts; at most CORE_GRACE_MS */
            bool has_ttl;   /* else it ends when it would have */
            fl_ms ttl_ms;   /* from now on, by the core's time; 0: for ever */
        } token_rotate;
        struct {
            struct fl_str what;    /* the action and its object */
            struct fl_str outcome; /* at most ROW_OUTCOME_BYTES_MAX */
            uint64_t unwritten;    /* not 0: so many were refused and have no row; no 'what' */
        } denied;
        struct {
            struct fl_str what; /* the action and its object: "exec job-7 ..." */
        } visit;
        struct {
            uint32_t from; /* smallest number of the page */
            size_t len_max;
        } list; /* list_clusters, list_queues */
        struct {
            struct fl_cluster cluster;
            uint32_t from; /* index */
            size_t len_max;
        } list_nodes;
        struct {
            struct fl_cluster cluster;
            uint64_t connection;   /* the tunnel's own handle, given back in every frame */
            struct core_seen seen; /* a seal of the hub's that the agent has given back */
            bool is_resync;        /* the connection outlived a core: RESYNC instead of WELCOME */
            bool has_images;
            uint64_t generation; /* the certificate carries it; 0: it carries none */
            bool ends_nodes;     /* it says when it has reported each node once (nodes.is_end) */
            uint64_t age_ms;     /* so long ago the connection was made and its certificate good */
            uint64_t boot;       /* names one life of the agent; 0: the agent gave none */
            uint64_t expired_ms; /* so long the certificate had expired then; 0: it was good */
        } session_open;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch; /* 0: no WELCOME went to it; 'connection' names the session */
            uint64_t connection;
        } session_lost;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            const struct core_replica_told *at;
            size_t len;
            bool is_end;
            uint32_t count;  /* with is_end: items of the whole inventory */
            uint64_t digest; /* with is_end: over all of them, see fl_inventory_digest */
        } inventory;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            uint64_t report_seq;
            struct core_replica_told told;
        } replica;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            uint64_t report_seq; /* the last report's number; 0: it has none */
            uint64_t mark;       /* highest control_seq these numbers include */
            const struct core_node_report *at;
            size_t len;
            bool is_end;   /* the session has reported each of its nodes once */
            bool is_whole; /* with is_end: the agent has left out none */
        } nodes;
    };
};

const char *core_event_name(enum core_event_kind kind);
