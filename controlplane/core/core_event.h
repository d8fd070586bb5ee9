/* core_event.h - everything that can happen to the core.
 * An event is borrowed for the step: nothing in it needs to outlive core_step.  Time rides in it and
 * never goes back within the life of a core; strings are not terminated.
 * 'request' names who waits for an answer; 0: nobody.  Each event with a request is answered exactly
 * once, in the batch that it is stepped into.
 * Uses shared/base only. */
#pragma once

#include "shared/base/replica.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define CORE_EVENTS(X)                                                                             \
    X(begin, "the core is loaded and starts to decide")                                            \
    X(tick, "time has passed")                                                                     \
    X(room, "how far ids may go: partitions exist below")                                          \
    X(db_away, "Postgres does not answer: loss timers freeze")                                     \
    X(db_back, "Postgres answers again: loss timers restart in full")                              \
    X(submit, "one request with 1..1000 jobs")                                                     \
    X(cancel, "a job shall end")                                                                   \
    X(hold, "a job shall start nothing more")                                                      \
    X(release, "a held job may start")                                                             \
    X(queue_put, "a queue is made, paused or resumed")                                             \
    X(cluster_put, "a cluster is enrolled")                                                        \
    X(cluster_cordon, "a cluster shall take no new work, or shall again")                          \
    X(cluster_forget, "a person says that a silent cluster is gone for good")                      \
    X(read_job, "the live state of one job")                                                       \
    X(list_jobs, "a page of open jobs")                                                            \
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

enum {
    CORE_SUBMIT_MAX = 1000, /* jobs in one request */
    CORE_ELEMENTS_MAX = 1 << 24,
    CORE_PAGE_MAX = 1000,      /* jobs in one page of a list */
    CORE_INVENTORY_MAX = 4096, /* items in one event */
    CORE_NODES_MAX = 1024,     /* nodes in one event */
};

struct core_submit_item {
    struct fl_str queue; /* by name */
    struct fl_str shape; /* canonical bytes, see shape.h */
    struct fl_str
        spec; /* the stored document; may be empty when the front knows the digest is stored */
    struct fl_digest spec_digest;
    int32_t priority;
    uint32_t elements;
    bool is_held;
    struct fl_str name, labels, params; /* opaque here; stored */
    struct fl_job retry_of;             /* an ended job; none: a new one */
    struct fl_str picked;               /* with retry_of: which elements, opaque here */
};

struct core_inventory_item {
    struct fl_attempt attempt;
    uint32_t replica;
    enum fl_replica_state state;
    int32_t exit_code;
};

struct core_node_report {
    uint32_t number; /* the agent's own, good for one session; below 65,536 */
    bool is_ready;
    struct fl_str name;
    struct fl_str labels; /* "key=value\n" lines, sorted by key */
    struct fl_resources total, free;
};

struct core_event {
    enum core_event_kind kind;
    fl_ms now;
    uint64_t request;
    struct fl_tenant tenant; /* of a request */
    struct fl_str actor;     /* who asked, for the audit; at most 128 bytes */
    struct fl_str key;       /* Idempotency-Key, already looked up by the engine; empty: none */
    struct fl_digest body_sha;
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
            const struct core_submit_item *at;
            size_t len;
        } submit;
        struct {
            struct fl_job job;
        } job; /* cancel, hold, release, read_job, explain */
        struct {
            struct fl_str queue; /* empty: all */
            uint64_t from;       /* smallest id of the page */
            size_t len_max;
        } list_jobs;
        struct {
            struct fl_str name;
            bool is_paused;
        } queue_put;
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
        } cluster_forget;
        struct {
            struct fl_cluster cluster;
            uint64_t connection; /* the tunnel's own handle, given back in every frame */
            uint32_t incarnation_highest;
            uint64_t job_highest;
            bool is_resync; /* the connection outlived a core: RESYNC instead of WELCOME */
            bool has_images;
        } session_open;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch; /* 0: it has not been told one; then by connection */
            uint64_t connection;
        } session_lost;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            const struct core_inventory_item *at;
            size_t len;
            bool is_end;
            uint32_t count;  /* with is_end: items of the whole inventory */
            uint64_t digest; /* with is_end: over all of them, see fl_inventory_digest */
        } inventory;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            uint64_t report_seq;
            struct fl_attempt attempt;
            uint32_t replica; /* UINT32_MAX with state absent: the whole attempt */
            enum fl_replica_state state;
            int32_t exit_code;
        } replica;
        struct {
            struct fl_cluster cluster;
            uint64_t session_epoch;
            uint64_t report_seq; /* of the last of them */
            uint64_t mark;       /* highest control_seq these numbers include */
            const struct core_node_report *at;
            size_t len;
        } nodes;
    };
};

const char *core_event_name(enum core_event_kind kind);
