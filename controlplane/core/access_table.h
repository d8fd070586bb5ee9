/* access_table.h - who may come in: join tokens of clusters to be, and tokens of the API.
 * Secrets are not here, only their digests.  A join token is good for one key; used ones are kept
 * until they expire, so that a repeated request finds its answer, and count no more.
 * Uses shared/base and the core's event types.  Not thread-safe: the core owns it and is its only
 * caller. */
#pragma once

#include "controlplane/core/core_event.h"
#include "shared/base/err.h"
#include "shared/base/vec.h"

enum { ACCESS_USED_MAX = 4 * CORE_JOINS_MAX }; /* used tokens; at it the first to expire goes */

struct join {
    struct fl_digest token;
    struct fl_tenant tenant;
    fl_ms expires_at;
    struct fl_cluster cluster; /* none: not used */
    struct fl_digest key;      /* the agent's key that used it */
    char name[FL_NAME_BYTES_MAX + 1];
};

struct token {
    char id[CORE_TOKEN_ID_MAX + 1];
    struct fl_tenant tenant;
    uint8_t scopes;
    fl_ms made_at, expires_at; /* expires_at 0: never */
    struct fl_digest mac;      /* its secret's */
    struct fl_digest old_mac;  /* the secret's before, which counts until old_until; 0: none */
    fl_ms old_until, rotated_at;
    char name[FL_NAME_BYTES_MAX + 1];
    char queue[FL_NAME_BYTES_MAX + 1];
    char maker[CORE_TOKEN_ID_MAX + 1]; /* the token that made it; "": the control plane */
    char owner[FL_NAME_BYTES_MAX + 1];
};

struct access_table {
    FL_VEC(struct join) joins;   /* by token */
    FL_VEC(struct token) tokens; /* by id */
    size_t joins_used;
};

void access_table_fini(struct access_table *table);

/* NULL: not there.  Borrowed until the next change. */
struct join *access_table_join(const struct access_table *table, const struct fl_digest *token);
const struct token *access_table_token(const struct access_table *table, struct fl_str id);

/* FL_EXISTS, FL_FULL, FL_INVALID. */
FL_CHECK bool access_table_add_join(struct access_table *table, const struct join *join,
                                    struct fl_err *err);
FL_CHECK bool access_table_add_token(struct access_table *table, const struct token *token,
                                     struct fl_err *err);

/* It takes the place of the token of its id, which is there. */
void access_table_put_token(struct access_table *table, const struct token *token);

void access_table_use_join(struct access_table *table, struct join *join, struct fl_cluster cluster,
                           const struct fl_digest *key);

void access_table_drop_join(struct access_table *table, const struct fl_digest *token);
void access_table_drop_token(struct access_table *table, struct fl_str id);

/* Drops all that have expired at 'now', in the order of the table; 'gone' hears of each. */
struct access_gone {
    void *ctx;
    void (*join)(void *ctx, const struct join *join);
    void (*token)(void *ctx, const struct token *token);
};

void access_table_expire(struct access_table *table, fl_ms now, struct access_gone gone);

/* Drops the tokens that 'id' made, and those that these made, and so on; 'gone' hears of each.
 * 'id' itself stays.  Returns how many went. */
size_t access_table_drop_made(struct access_table *table, struct fl_str id,
                              struct access_gone gone);

/* True: more than ACCESS_USED_MAX are used; 'ret_join' is the used one that expires first. */
bool access_table_surplus(const struct access_table *table, struct join *ret_join);

/* The time at which the next join token or token expires; INT64_MAX: none does. */
fl_ms access_table_deadline(const struct access_table *table);
