/* auth.h - may this caller use this route, and see that object?
 * Deny by default: a route without a need that this knows is refused, and no text of a token but one that
 * parses, is known, has the right secret and has not expired is a caller at all.
 * Pure. */
#pragma once

#include "controlplane/api/route.h"
#include "controlplane/api/token_table.h"

enum api_verdict {
    API_MAY,
    API_WHO,    /* 401: no caller */
    API_MAY_NOT /* 403: a caller without that right */
};

/* 'token' NULL: there is none that counts. */
enum api_verdict api_may(const struct api_route *route, const struct token_grant *token, fl_ms now);

/* Is that queue within what the token is for?  What is not, is answered as if it were absent. */
bool api_may_see_queue(const struct token_grant *token, struct fl_str queue);

/* Nobody gives away more than he has. */
bool api_may_grant(const struct token_grant *token, uint8_t scopes, struct fl_str queue);

/* "Bearer fl_..." -> "fl_..."; the scheme in any case, one space.  False for all else. */
bool api_bearer(struct fl_str header, struct fl_str *ret_token);

/* "read,cancel" and back; false when a word is none of them or comes twice. */
bool api_scopes_parse(struct fl_str words, uint8_t *ret_scopes);
const char *api_scope_name(enum api_scope scope);
