/* token_table.h - the valid tokens of the API, for every front of this process.
 * It is the fold of the core's rows: it applies the rows of committed batches, and is read anew
 * from the store when a term begins, since a batch whose fate was unknown gives no notice.  A
 * revoked token is refused as soon as its row is applied.  The time of a token's last use is only
 * kept here and lost with the process.  Thread-safe: look-ups hold a mutex, for which the engine
 * thread never waits (view_feed.h). */
#pragma once

#include "controlplane/core/row.h"

struct token_grant {
    char id[33];
    char name[64];
    char queue[64];           /* "": all */
    char maker[33];           /* the id of the token that made it; "": the control plane did */
    char owner[64];           /* for people; "": not said */
    struct fl_digest mac;     /* its secret's */
    struct fl_digest old_mac; /* the secret's before, which counts until old_until; 0: none */
    struct fl_digest shown;   /* a caller's: that of the secret with which it came */
    struct fl_tenant tenant;
    uint8_t scopes; /* bits of enum core_scope */
    fl_ms made_at, expires_at, used_at, old_until, rotated_at;
};

/* Whether it is the token's secret at 'at', or the one before while that counts. */
bool token_grant_has(const struct token_grant *token, const struct fl_digest *mac, fl_ms at);

/* A stream or a visit outlives its request, and keeps this of its token. */
struct token_hold {
    char id[33];
    struct fl_digest shown;
    fl_ms expires_at; /* 0: never */
};

struct token_hold token_hold_of(const struct token_grant *caller);

enum token_fate { TOKEN_COUNTS, TOKEN_EXPIRED, TOKEN_REVOKED, TOKEN_ROTATED };

struct token_table;

struct token_table *token_table_create(void);
void token_table_destroy(struct token_table *table); /* NULL is fine */

/* Applies ROW_token_put and ROW_token_drop; ignores other rows. */
void token_table_apply(struct token_table *table, const struct row *row);

/* A refill replaces all tokens, but for the rows that were applied while it ran. */
void token_table_refill_begin(struct token_table *table);
void token_table_refill_row(struct token_table *table, const struct row *row);
void token_table_refill_end(struct token_table *table);
bool token_table_is_loaded(struct token_table *table); /* a refill has ended */
/* Whether a valid token may be missing here: before the first refill has ended, or while one
 * runs. */
bool token_table_may_lack(struct token_table *table);

/* Tokens expire in the core's time: since the newest term began it is so far ahead of the loops'
 * clock, which is one for all threads. */
void token_table_set_time(struct token_table *table, fl_ms core_ahead_ms);
fl_ms token_table_time(const struct token_table *table, fl_ms now);

/* A copy, whether expired or not. */
bool token_table_find(struct token_table *table, struct fl_str id, struct token_grant *ret_token);
enum token_fate token_table_fate(struct token_table *table, const struct token_hold *hold,
                                 fl_ms at);
void token_table_use(struct token_table *table, struct fl_str id, fl_ms at);

/* Copies up to 'max' tokens whose ids come after 'after', by id, and returns how many: those for
 * 'queue' alone, unless it is empty. */
size_t token_table_page(struct token_table *table, struct fl_str after, struct fl_str queue,
                        struct token_grant *ret, size_t max);
/* The tokens that 'id' made, and those that these made, and so on, by id: as many as there are, of
 * which up to 'max' are copied. */
size_t token_table_made(struct token_table *table, struct fl_str id, struct token_grant *ret,
                        size_t max);
size_t token_table_len(struct token_table *table);
/* Whether a token is valid at 'at', in the core's time, and admin of all queues. */
bool token_table_has_admin(struct token_table *table, fl_ms at);
