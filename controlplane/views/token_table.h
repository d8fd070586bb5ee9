/* token_table.h - the tokens of the API that count now, for every front of this process.
 * The core decides which exist; this is their fold, filled from the rows of committed batches as
 * they are noticed, and read anew from the store when a term begins, since a batch whose fate was
 * unknown is not noticed.  When a token was last used is kept here alone: it is lost with the
 * process.  Thread-safe: a look-up at a time holds a mutex, for which
 * the engine thread never waits (view_feed.h).  A token that the core has revoked is
 * refused from the notice on. */
#pragma once

#include "controlplane/core/row.h"

struct token_grant {
    char id[33];
    char name[64];
    char queue[64]; /* "": all */
    struct fl_digest mac;
    struct fl_tenant tenant;
    uint8_t scopes; /* bits of enum core_scope */
    fl_ms made_at, expires_at, used_at;
};

struct token_table;

struct token_table *token_table_create(void);
void token_table_destroy(struct token_table *table); /* NULL is fine */

/* ROW_token_put and ROW_token_drop; others are ignored. */
void token_table_apply(struct token_table *table, const struct row *row);

/* A refill replaces all but what was applied while it ran. */
void token_table_refill_begin(struct token_table *table);
void token_table_refill_row(struct token_table *table, const struct row *row);
void token_table_refill_end(struct token_table *table);
bool token_table_is_loaded(struct token_table *table); /* at least once */
/* May there be a token that is not found here?  While none was read yet, or they are read anew. */
bool token_table_may_lack(struct token_table *table);

/* A copy, whether expired or not. */
bool token_table_find(struct token_table *table, struct fl_str id, struct token_grant *ret_token);
void token_table_use(struct token_table *table, struct fl_str id, fl_ms now);

/* Copies of up to 'max' whose id comes after 'after', by id; how many. */
size_t token_table_page(struct token_table *table, struct fl_str after, struct token_grant *ret,
                        size_t max);
size_t token_table_len(struct token_table *table);
/* Is there one that is admin of everything and counts at 'now'? */
bool token_table_has_admin(struct token_table *table, fl_ms now);
