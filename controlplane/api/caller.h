/* caller.h - the one way from what a request shows to a token that counts.
 * A caller whose token counted is known by its text from then on, as long as no other takes its
 * place: it is compared, where it would be parsed and its MAC made.  Whether the token still counts
 * is looked up each time.  Not thread-safe. */
#pragma once

#include "controlplane/identity/api_token.h"
#include "controlplane/views/token_table.h"

struct fl_http_head;

enum { API_CALLERS_KNOWN = 64 };

struct api_callers {
    struct api_caller {
        char text[API_TOKEN_TEXT_MAX]; /* "": none */
        char id[API_TOKEN_ID_TEXT_MAX];
        struct fl_digest mac;
    } known[API_CALLERS_KNOWN];
};

/* False: there is no token, or none that has this secret at 'at'.  Whether it has expired is
 * api_may's. */
bool api_caller(const struct fl_http_head *head, struct api_callers *callers,
                struct token_table *tokens, struct fl_str pepper, fl_ms at,
                struct token_grant *ret_token);

/* The same for a token's text that came in another way. */
bool api_caller_of(struct fl_str text, struct api_callers *callers, struct token_table *tokens,
                   struct fl_str pepper, fl_ms at, struct token_grant *ret_token);

/* The same for a caller that was let in before, with the secret that it showed then. */
bool api_caller_again(const struct token_hold *hold, struct token_table *tokens, fl_ms at,
                      struct token_grant *ret_token);

void api_callers_wipe(struct api_callers *callers);
