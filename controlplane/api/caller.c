#include "controlplane/api/caller.h"

#include "controlplane/api/auth.h"
#include "controlplane/identity/api_token.h"
#include "controlplane/identity/identity.h"
#include "shared/tls/digest.h"
#include "shared/wire/http_head.h"

bool api_caller(const struct fl_http_head *head, struct token_table *tokens,
                const struct identity *identity, struct token_grant *ret_token)
{
    const struct fl_http_field *field = fl_http_head_find(head, FL_STR("authorization"));
    struct api_token token;
    struct token_grant grant;
    struct fl_digest mac;
    struct fl_str text;
    struct fl_err err = {0};
    char id[API_TOKEN_ID_TEXT_MAX];
    bool is_known;

    if (!field || !api_bearer(field->value, &text) || !api_token_parse(text, &token, &err)) {
        return false;
    }
    api_token_id_print(token.id, id);
    /* The MAC is made whether the id is known or not: so that its time does not tell which. */
    mac = api_token_mac(&token, identity_pepper(identity));
    is_known = token_table_find(tokens, fl_str_c(id), &grant) && fl_digest_eq(mac, grant.mac);
    fl_secret_wipe(&token, sizeof token);
    if (is_known) *ret_token = grant;
    return is_known;
}
