/* policy_requests.h - who asked for it: a part of the policy model (I29).
 * Each change on request is what some request asked for: its audit row names the very actor, tenant
 * and object; a job is accepted as it was submitted; a mark is set for a job of the asker's own
 * tenant.  An answer tells a tenant of its own jobs and queues only, and a job is promised to who
 * submitted it, or to the same tenant's repetition with the same key and body.  An order that was
 * answered is in the rows.
 * In the simulator each request has an actor of its own, "user-N", so a row names one request.
 * Rows are judged before they are folded, but for what an audit row says of those before it. */
#pragma once

#include "tests/sim/policy_state.h"

struct policy_requests;

struct policy_requests *policy_requests_create(void);
void policy_requests_destroy(struct policy_requests *asked); /* NULL is fine */

/* A hub takes in a request; its repetitions change nothing. */
void policy_requests_heard(struct policy *policy, const struct core_event *event);
void policy_requests_row(struct policy *policy, const struct row *row);
void policy_requests_batch(struct policy *policy);
/* The question behind an answer. */
struct policy_question {
    enum core_event_kind kind; /* CORE_EVENTS_LEN: it is not known */
    uint32_t tenant;
    uint64_t before; /* list_jobs */
};
struct policy_question policy_requests_question(const struct policy *policy,
                                                const struct core_answer *answer);

void policy_requests_answered(struct policy *policy, const struct core_answer *answer);
