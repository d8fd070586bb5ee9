#include "controlplane/core/access_table.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"

void access_table_fini(struct access_table *table)
{
    fl_vec_fini(&table->joins);
    fl_vec_fini(&table->tokens);
}

static size_t seek_join(const struct access_table *table, const struct fl_digest *token)
{
    size_t low = 0, end = table->joins.len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (memcmp(&table->joins.at[mid].token, token, sizeof *token) < 0) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    return low;
}

struct join *access_table_join(const struct access_table *table, const struct fl_digest *token)
{
    size_t i = seek_join(table, token);

    if (i == table->joins.len) return NULL;
    return memcmp(&table->joins.at[i].token, token, sizeof *token) == 0 ? &table->joins.at[i]
                                                                        : NULL;
}

static size_t seek_token(const struct access_table *table, struct fl_str id)
{
    size_t low = 0, end = table->tokens.len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (fl_str_cmp(fl_str_c(table->tokens.at[mid].id), id) < 0) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    return low;
}

const struct token *access_table_token(const struct access_table *table, struct fl_str id)
{
    size_t i = seek_token(table, id);

    if (i == table->tokens.len) return NULL;
    return fl_str_eq(fl_str_c(table->tokens.at[i].id), id) ? &table->tokens.at[i] : NULL;
}

bool access_table_add_join(struct access_table *table, const struct join *join, struct fl_err *err)
{
    if (!fl_str_is_name(fl_str_c(join->name))) {
        return fl_fail(err, FL_INVALID, "a cluster's name is " FL_NAME_ALLOWED);
    }
    if (access_table_join(table, &join->token)) {
        return fl_fail(err, FL_EXISTS, "this join token is there already");
    }
    if (!join->cluster.n && table->joins.len - table->joins_used >= CORE_JOINS_MAX) {
        return fl_fail(err, FL_FULL,
                       "%d join tokens wait to be used, the most there can be; revoke some",
                       CORE_JOINS_MAX);
    }
    fl_vec_insert(&table->joins, seek_join(table, &join->token), *join);
    if (join->cluster.n) table->joins_used++;
    return true;
}

bool access_table_add_token(struct access_table *table, const struct token *token,
                            struct fl_err *err)
{
    struct fl_str id = fl_str_c(token->id), queue = fl_str_c(token->queue);

    if (id.len == 0 || !fl_str_is_text(id)) {
        return fl_fail(err, FL_INVALID, "a token's id is text of 1 to %d bytes", CORE_TOKEN_ID_MAX);
    }
    if (!fl_str_is_text(fl_str_c(token->name)) || (queue.len > 0 && !fl_str_is_name(queue))) {
        return fl_fail(err, FL_INVALID, "a token's name is text, its queue a queue's name");
    }
    if (token->scopes == 0 || token->scopes > CORE_SCOPES_ALL) {
        return fl_fail(err, FL_INVALID,
                       "a token has some of the scopes read, submit, cancel, exec and "
                       "admin");
    }
    if (access_table_token(table, id)) {
        return fl_fail(err, FL_EXISTS, "token " FL_STR_FMT " is there already", FL_STR_ARG(id));
    }
    if (table->tokens.len >= CORE_TOKENS_MAX) {
        return fl_fail(err, FL_FULL, "there are %d tokens, the most there can be; revoke some",
                       CORE_TOKENS_MAX);
    }
    fl_assert(table->tokens.len <= table->tokens.cap);
    fl_assert(table->tokens.at || table->tokens.cap == 0);
    fl_vec_insert(&table->tokens, seek_token(table, id), *token);
    return true;
}

void access_table_put_token(struct access_table *table, const struct token *token)
{
    size_t i = seek_token(table, fl_str_c(token->id));

    fl_assert(i < table->tokens.len && strcmp(table->tokens.at[i].id, token->id) == 0);
    table->tokens.at[i] = *token;
}

enum { KIN_NOT = 1, KIN = 2 };

/* Walks to the first maker of whom it is known, and back: each token is walked over once. */
static bool is_kin(const struct access_table *table, struct fl_map *known,
                   const struct token *token, size_t *way)
{
    uint64_t kin = KIN_NOT;
    size_t len = 0;

    for (const char *id = token->id; !fl_map_find(known, id, strlen(id), &kin); id = token->maker) {
        token = access_table_token(table, fl_str_c(id));
        if (!token) break;
        way[len++] = (size_t)(token - table->tokens.at);
        /* In a damaged database a maker's own way may lead back here; it ends then. */
        fl_map_put(known, id, strlen(id), KIN_NOT);
    }
    while (len > 0) {
        const char *id = table->tokens.at[way[--len]].id;

        fl_map_put(known, id, strlen(id), kin);
    }
    return kin == KIN;
}

size_t access_table_drop_made(struct access_table *table, struct fl_str id, struct access_gone gone)
{
    size_t *way = fl_new_array(size_t, table->tokens.len + 1);
    bool *is_gone = fl_new_array(bool, table->tokens.len + 1);
    struct fl_map known = {0};
    size_t kept = 0, len = table->tokens.len;

    fl_map_put(&known, id.at, id.len, KIN);
    for (size_t i = 0; i < len; i++) {
        const struct token *token = &table->tokens.at[i];

        is_gone[i] = !fl_str_eq(fl_str_c(token->id), id) && is_kin(table, &known, token, way);
    }
    for (size_t i = 0; i < len; i++) {
        const struct token token = table->tokens.at[i];

        if (is_gone[i]) {
            gone.token(gone.ctx, &token);
        } else {
            table->tokens.at[kept++] = token;
        }
    }
    table->tokens.len = kept;
    fl_map_fini(&known);
    fl_free(is_gone);
    fl_free(way);
    return len - kept;
}

void access_table_use_join(struct access_table *table, struct join *join, struct fl_cluster cluster,
                           const struct fl_digest *key)
{
    if (!join->cluster.n) table->joins_used++;
    join->cluster = cluster;
    join->key = *key;
}

void access_table_drop_join(struct access_table *table, const struct fl_digest *token)
{
    struct join *join = access_table_join(table, token);

    fl_assert(join);
    if (join->cluster.n) table->joins_used--;
    fl_vec_remove(&table->joins, (size_t)(join - table->joins.at));
}

void access_table_drop_token(struct access_table *table, struct fl_str id)
{
    const struct token *token = access_table_token(table, id);

    fl_assert(token);
    fl_vec_remove(&table->tokens, (size_t)(token - table->tokens.at));
}

void access_table_expire(struct access_table *table, fl_ms now, struct access_gone gone)
{
    size_t joins_kept = 0, tokens_kept = 0;

    for (size_t i = 0; i < table->joins.len; i++) {
        const struct join join = table->joins.at[i];

        if (join.expires_at > now) {
            table->joins.at[joins_kept++] = join;
            continue;
        }
        if (join.cluster.n) table->joins_used--;
        gone.join(gone.ctx, &join);
    }
    table->joins.len = joins_kept;
    for (size_t i = 0; i < table->tokens.len; i++) {
        const struct token token = table->tokens.at[i];

        if (token.expires_at == 0 || token.expires_at > now) {
            table->tokens.at[tokens_kept++] = token;
            continue;
        }
        gone.token(gone.ctx, &token);
    }
    table->tokens.len = tokens_kept;
}

bool access_table_surplus(const struct access_table *table, struct join *ret_join)
{
    const struct join *first = NULL;

    if (table->joins_used <= ACCESS_USED_MAX) return false;
    for (size_t i = 0; i < table->joins.len; i++) {
        const struct join *join = &table->joins.at[i];

        if (join->cluster.n && (!first || join->expires_at < first->expires_at)) first = join;
    }
    fl_assert(first);
    *ret_join = *first;
    return true;
}

fl_ms access_table_deadline(const struct access_table *table)
{
    fl_ms due = INT64_MAX;

    for (size_t i = 0; i < table->joins.len; i++) {
        if (table->joins.at[i].expires_at < due) due = table->joins.at[i].expires_at;
    }
    for (size_t i = 0; i < table->tokens.len; i++) {
        fl_ms expires_at = table->tokens.at[i].expires_at;

        if (expires_at && expires_at < due) due = expires_at;
    }
    return due;
}
