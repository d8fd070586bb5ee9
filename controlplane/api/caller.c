#include "controlplane/api/caller.h"

#include <string.h>

#include "controlplane/api/auth.h"
#include "shared/base/hash.h"
#include "shared/tls/digest.h"
#include "shared/wire/http_head.h"

enum { TEXT_LEN = API_TOKEN_TEXT_MAX - 1 };

/* Callers whose texts share a place take it from each other, which costs them the MAC. */
static struct api_caller *place(struct api_callers *callers, struct fl_str text)
{
    return &callers->known[fl_hash64(0, text.at, text.len) % API_CALLERS_KNOWN];
}

static bool read_text(struct fl_str text, struct fl_str pepper, struct api_caller *ret_caller)
{
    struct api_token token;
    struct fl_err err = {0};

    if (!api_token_parse(text, &token, &err)) return false;
    memcpy(ret_caller->text, text.at, TEXT_LEN);
    ret_caller->text[TEXT_LEN] = '\0';
    api_token_id_print(token.id, ret_caller->id);
    /* The MAC is made whether the id is known or not: so that its time does not tell which. */
    ret_caller->mac = api_token_mac(&token, pepper);
    fl_secret_wipe(&token, sizeof token);
    return true;
}

static bool counts(const char *id, const struct fl_digest *mac, struct token_table *tokens,
                   fl_ms at, struct token_grant *ret_token)
{
    struct token_grant grant;

    if (!token_table_find(tokens, fl_str_c(id), &grant)) return false;
    if (!token_grant_has(&grant, mac, at)) return false;
    *ret_token = grant;
    ret_token->shown = *mac;
    return true;
}

bool api_caller_again(const struct token_hold *hold, struct token_table *tokens, fl_ms at,
                      struct token_grant *ret_token)
{
    return counts(hold->id, &hold->shown, tokens, at, ret_token);
}

bool api_caller(const struct fl_http_head *head, struct api_callers *callers,
                struct token_table *tokens, struct fl_str pepper, fl_ms at,
                struct token_grant *ret_token)
{
    const struct fl_http_field *field = fl_http_head_find(head, FL_STR("authorization"));
    struct fl_str text;

    return field && api_bearer(field->value, &text) &&
           api_caller_of(text, callers, tokens, pepper, at, ret_token);
}

bool api_caller_of(struct fl_str text, struct api_callers *callers, struct token_table *tokens,
                   struct fl_str pepper, fl_ms at, struct token_grant *ret_token)
{
    struct api_caller *known, caller;
    bool is_good;

    if (text.len != TEXT_LEN) return false;
    known = place(callers, text);
    if (fl_secret_eq(known->text, text.at, TEXT_LEN)) {
        return counts(known->id, &known->mac, tokens, at, ret_token);
    }
    if (!read_text(text, pepper, &caller)) return false;
    is_good = counts(caller.id, &caller.mac, tokens, at, ret_token);
    if (is_good) *known = caller;
    fl_secret_wipe(&caller, sizeof caller);
    return is_good;
}

void api_callers_wipe(struct api_callers *callers)
{
    fl_secret_wipe(callers, sizeof *callers);
}
