/* pod_rule.h - the replicas that are wanted against the pods that are there: which request comes
 * next, and which news the agent's core gets.  No I/O: the caller brings commands, pods and answers
 * with the time, and takes out requests and news.
 *
 *     create ──201──> gated ──release──> waiting ──> running ──> ended ──remove──> gone
 *        │ 409: read it                                stop: delete ┘   delete, then free
 *
 * - A replica has at most one request under way.  One that failed, or whose answer was lost, is
 *   decided again from what is then known, after a wait that grows.  Each changes only the pod of
 *   the uid that was seen; repeating one changes nothing.
 * - The pod is the truth: labels say which replica it is, its gate whether it may run, its
 *   deletion that it shall end, its finalizer that its end is not acknowledged yet.  A pod that no
 *   command here has made is adopted.  Nothing but these is remembered over a restart.
 * - A name that is taken (409) is read: the same replica made from the same spec is adopted, else
 *   the replica is refused.
 * - A gated pod is removed in the version that was seen, so that one whose gate was opened
 *   meanwhile is not.
 * - Replicas that are several find each other by a Service, which goes with the pod of the first of
 *   them.  That one counts as created when the Service is there, so it is before any gate opens;
 *   where an earlier agent may have told already, its own gate waits.
 *   A Service of that name which belongs to another pod is waited out.
 * - The end.  With an exit code of its container: exited.  Where another hand deleted or evicted it
 *   first, or its code is not known: lost.  Where it never ran: refused.  The first end stays.
 * - A waiting pod in trouble (pod_status.h) is given up after that trouble's time: deleted, and
 *   then refused with the cause, or lost if it ran after all.
 * - Removal of an ended pod waits until its output is taken, at most output_ms.
 *
 * Uses shared/base and the types of agent/core.  Pure; not thread-safe. */
#pragma once

#include "agent/core/agent_event.h"
#include "agent/kube/kube_status.h"
#include "agent/kube/pod_status.h"

struct fl_prng;
struct pod_rule; /* opaque */

struct pod_times {
    fl_ms trouble_ms[POD_TROUBLES_LEN]; /* how long each is borne; that of 'none' counts not */
    fl_ms output_ms;
};

extern const struct pod_times pod_times_default;

struct pod_rule *pod_rule_create(const struct pod_times *times, uint64_t seed);
void pod_rule_destroy(struct pod_rule *rule); /* NULL is fine */

/* ---- commands, as agent/runtime.h has them --------------------------------------------------- */

struct pod_plan {
    struct pod_identity identity;
    uint32_t node;
    struct kube_share resources; /* copied */
    struct fl_str body;          /* as pod_make writes it; copied */
    uint64_t hash;
};

void pod_rule_create_pod(struct pod_rule *rule, const struct pod_plan *plan, fl_ms now);
/* The same for a replica of which no pod can be made: it is refused.  'body' is not looked at. */
void pod_rule_refuse(struct pod_rule *rule, const struct pod_plan *plan, const struct fl_err *why,
                     fl_ms now);
void pod_rule_release(struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica,
                      fl_ms now);
void pod_rule_stop(struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica, fl_ms now);
void pod_rule_remove(struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica, fl_ms now);
void pod_rule_output_taken(struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica,
                           fl_ms now);

/* ---- the cluster ----------------------------------------------------------------------------- */

/* The pod as a watch shows it; 'node' is the number of seen->node. */
void pod_rule_see(struct pod_rule *rule, const struct pod_status *seen, uint32_t node, fl_ms now);
/* The watch says that the pod has gone.  Others' pods are fine. */
void pod_rule_lose(struct pod_rule *rule, struct fl_str name, struct fl_str uid);

void pod_rule_tick(struct pod_rule *rule, fl_ms now);
fl_ms pod_rule_deadline(const struct pod_rule *rule); /* when to tick; INT64_MAX: never */

/* ---- requests -------------------------------------------------------------------------------- */

#define POD_REQUESTS(X)                                                                            \
    X(none, "")                                                                                    \
    X(create, "make the pod of 'body'")                                                            \
    X(read, "see which pod has that name")                                                         \
    X(serve, "make the Service of its attempt")                                                    \
    X(serve_read, "see whose Service has that name")                                               \
    X(release, "take its gate away")                                                               \
    X(withdraw, "delete it in just this version")                                                  \
    X(delete, "delete it, with its own grace")                                                     \
    X(free, "take our finalizer away")

enum pod_request_kind {
#define POD_REQUEST_ENUM(name, meaning) POD_REQUEST_##name,
    POD_REQUESTS(POD_REQUEST_ENUM)
#undef POD_REQUEST_ENUM
};

/* Texts live until the next call of the rule. */
struct pod_request {
    enum pod_request_kind kind;
    uint32_t slot;
    uint64_t ticket; /* with 'slot': names the request */
    struct fl_str name;
    struct fl_str uid, version; /* empty in create and read */
    struct fl_str body;         /* create */
    struct pod_identity identity;
};

/* False: there is none. */
bool pod_rule_take_request(struct pod_rule *rule, struct pod_request *ret_request);

/* The request has ended; failure is NULL for a 2xx.  'seen' is the pod that came with the answer;
 * NULL: no pod of ours did.  A request whose replica has gone meanwhile is passed over. */
void pod_rule_answer(struct pod_rule *rule, uint32_t slot, uint64_t ticket,
                     const struct kube_failure *failure, const struct pod_status *seen, fl_ms now);

/* The same for a request about a Service; 'owner' is the uid of the pod that it goes with. */
void pod_rule_answer_service(struct pod_rule *rule, uint32_t slot, uint64_t ticket,
                             const struct kube_failure *failure, struct fl_str owner, fl_ms now);

/* ---- news ------------------------------------------------------------------------------------ */

struct pod_news {
    bool is_output; /* there is output of event.replica_seen's replica; false: it is the event */
    /* replica_seen or replica_gone; the resources of a replica are what pod_rule_find says */
    struct agent_event event;
    char name[POD_NAME_BYTES_MAX + 1];
    char why[256]; /* with an end: the cluster's words; else empty */
};

size_t pod_rule_news_len(const struct pod_rule *rule);                     /* how many wait */
bool pod_rule_take_news(struct pod_rule *rule, struct pod_news *ret_news); /* false: none */

/* Texts live until the next call of the rule. */
struct pod_look {
    struct fl_str uid, role; /* uid: empty, there is no pod */
    bool is_running, is_ended, is_deleting;
    bool has_log;                /* its container was started, as far as is known */
    struct kube_share resources; /* reserved for it */
};

/* False: unknown. */
bool pod_rule_find(const struct pod_rule *rule, struct fl_attempt attempt, uint32_t replica,
                   struct pod_look *ret_look);

size_t pod_rule_len(const struct pod_rule *rule);

bool pod_request_is_of_service(enum pod_request_kind kind);
const char *pod_request_name(enum pod_request_kind kind);
