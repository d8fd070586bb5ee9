/* policy_access.h - access: agents that join, renew and connect: a part of the policy model (I30).
 * A join token lets one cluster in, once, with one key, until it expires; its holder may ask again
 * with that key.  A cluster's certificates carry its generation: it grows by an enrolment or a
 * renewal, and an older one than has come opens no session.  A locked or revoked cluster speaks
 * again only once a person unlocked it, or it has joined anew; a removed one never does.  Tokens
 * go when they expire; a token's holder gets a new secret for one that counts, and the one before
 * it counts for a while (docs/security.md, docs/operations.md). */
#pragma once

#include "tests/sim/policy_state.h"

struct policy_access;

struct policy_access *policy_access_create(void);
void policy_access_destroy(struct policy_access *access); /* NULL is fine */

void policy_access_heard(struct policy *policy, const struct core_event *event);
/* Before the row is folded. */
void policy_access_row(struct policy *policy, const struct row *row);
void policy_access_batch(struct policy *policy);
void policy_access_sent(struct policy *policy, const struct core_send *send, bool is_current);
void policy_access_answered(struct policy *policy, const struct core_answer *answer);
