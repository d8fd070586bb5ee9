/* auth.h - may this caller use this route, and see that object?
 * Deny by default: a route without a need that this knows is refused, and no text of a token but
 * one that parses, is known, has the right secret and has not expired is a caller at all.
 * Pure. */
#pragma once

#include "controlplane/api/route.h"
#include "controlplane/core/core_event.h"
#include "controlplane/views/token_table.h"

enum api_verdict {
    API_MAY,
    API_WHO,    /* 401: no caller */
    API_MAY_NOT /* 403: a caller without that right */
};

/* 'token' NULL: there is none that counts. */
enum api_verdict api_may(const struct api_route *route, const struct token_grant *token, fl_ms now);

/* Is that queue within the token's limit?  If not, the answer is as if it were absent. */
bool api_may_see_queue(const struct token_grant *token, struct fl_str queue);

/* The figures of the whole fleet tell of every queue's work: for readers of all queues. */
bool api_may_see_figures(const struct token_grant *token);
/* Jobs, and the clusters with their nodes. */
bool api_may_read(const struct token_grant *token);

/* May it act for others?  See api_owner. */
bool api_may_delegate(const struct token_grant *token);

/* A token gives away no more than it has. */
bool api_may_grant(const struct token_grant *token, uint8_t scopes, struct fl_str queue);

/* How long a token that it makes may count; 0: no limit by it.  Nothing outlives its maker, unless
 * that has the scope to say so. */
fl_ms api_may_grant_until(const struct token_grant *token);

/* "Bearer fl_..." -> "fl_..."; the scheme in any case, one space.  False for all else. */
bool api_bearer(struct fl_str header, struct fl_str *ret_token);

/* "read" is CORE_SCOPE_read; false for every other word than a scope's name. */
bool api_scope_parse(struct fl_str word, uint8_t *ret_scope);
