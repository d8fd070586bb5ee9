/* caller.h - the one way from a request's Authorization header to a token that counts. */
#pragma once

#include "controlplane/views/token_table.h"

struct fl_http_head;
struct identity;

/* False: there is no token, or none that is known with this secret.  Whether it has expired is
 * api_may's. */
bool api_caller(const struct fl_http_head *head, struct token_table *tokens,
                const struct identity *identity, struct token_grant *ret_token);
