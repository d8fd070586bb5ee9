#include "controlplane/api/auth.h"

#include <strings.h>

static bool has_scope(const struct token_grant *token, enum core_scope scope)
{
    return (token->scopes & (scope | CORE_SCOPE_admin)) != 0;
}

enum api_verdict api_may(const struct api_route *route, const struct token_grant *token, fl_ms now)
{
    bool may = false;

    if (route->need == API_NEED_nothing) return API_MAY;
    if (!token || (token->expires_at != 0 && token->expires_at <= now)) return API_WHO;
    switch (route->need) {
    case API_NEED_nothing:
    case API_NEEDS_LEN:
        break;
    case API_NEED_token:
        may = true;
        break;
    case API_NEED_read:
        may = has_scope(token, CORE_SCOPE_read);
        break;
    case API_NEED_submit:
        may = has_scope(token, CORE_SCOPE_submit);
        break;
    case API_NEED_cancel:
        may = has_scope(token, CORE_SCOPE_cancel);
        break;
    case API_NEED_exec:
        may = has_scope(token, CORE_SCOPE_exec);
        break;
    case API_NEED_admin:
        may = has_scope(token, CORE_SCOPE_admin);
        break;
    case API_NEED_fleet:
        may = has_scope(token, CORE_SCOPE_admin) && token->queue[0] == 0;
        break;
    }
    return may ? API_MAY : API_MAY_NOT;
}

bool api_may_see_queue(const struct token_grant *token, struct fl_str queue)
{
    return token->queue[0] == 0 || fl_str_eq(fl_str_c(token->queue), queue);
}

bool api_may_see_figures(const struct token_grant *token)
{
    return api_may_read(token) && token->queue[0] == 0;
}

bool api_may_read(const struct token_grant *token)
{
    return has_scope(token, CORE_SCOPE_read);
}

bool api_may_delegate(const struct token_grant *token)
{
    return has_scope(token, CORE_SCOPE_delegate);
}

bool api_may_grant(const struct token_grant *token, uint8_t scopes, struct fl_str queue)
{
    unsigned has = token->scopes;

    if (has & CORE_SCOPE_admin) has |= CORE_SCOPES_OF_ADMIN;
    return api_may_see_queue(token, queue) && (scopes & ~has) == 0;
}

fl_ms api_may_grant_until(const struct token_grant *token)
{
    return token->scopes & CORE_SCOPE_outlive ? 0 : token->expires_at;
}

bool api_bearer(struct fl_str header, struct fl_str *ret_token)
{
    static const struct fl_str scheme = {"bearer ", 7};

    if (header.len <= scheme.len || strncasecmp(header.at, scheme.at, scheme.len) != 0) {
        return false;
    }
    *ret_token = (struct fl_str){header.at + scheme.len, header.len - scheme.len};
    return true;
}

bool api_scope_parse(struct fl_str word, uint8_t *ret_scope)
{
#define SCOPE(name, bit, meaning)                                                                  \
    if (fl_str_eq(word, FL_STR(#name))) {                                                          \
        *ret_scope = (bit);                                                                        \
        return true;                                                                               \
    }
    CORE_SCOPES(SCOPE)
#undef SCOPE
    return false;
}
