#include "controlplane/views/token_table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/core_event.h"
#include "controlplane/views/view_feed.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/tls/digest.h"

enum { PASSES_MAX = 100 };

struct kept {
    struct token_grant token;
    uint64_t load; /* the refill that read it, or that ran when it was applied */
};

struct token_table {
    struct view_feed feed;
    _Atomic fl_ms core_ahead_ms;
    FL_VEC(struct kept) tokens;         /* sorted by id */
    FL_VEC(struct token_grant) dropped; /* during a refill, which may have read them before */
    uint64_t load;
    bool is_loading, is_loaded;
};

void token_table_destroy(struct token_table *table)
{
    if (!table) return;
    fl_vec_fini(&table->tokens);
    fl_vec_fini(&table->dropped);
    view_feed_fini(&table->feed);
    fl_free(table);
}

/* The first token whose id is not less. */
static size_t lower_bound(const struct token_table *table, struct fl_str id)
{
    size_t low = 0, high = table->tokens.len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (fl_str_cmp(fl_str_c(table->tokens.at[mid].token.id), id) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static struct kept *find(const struct token_table *table, struct fl_str id)
{
    size_t i = lower_bound(table, id);

    if (i == table->tokens.len) return NULL;
    return fl_str_eq(fl_str_c(table->tokens.at[i].token.id), id) ? &table->tokens.at[i] : NULL;
}

static struct token_grant token_of(const struct row_token_put *row)
{
    struct token_grant token = {
        .mac = row->mac,
        .old_mac = row->old_mac,
        .old_until = row->old_until,
        .rotated_at = row->rotated_at,
        .tenant = {row->tenant},
        .scopes = row->scopes,
        .made_at = row->made_at,
        .expires_at = row->expires_at,
    };

    snprintf(token.id, sizeof token.id, FL_STR_FMT, FL_STR_ARG(row->id));
    snprintf(token.name, sizeof token.name, FL_STR_FMT, FL_STR_ARG(row->name));
    snprintf(token.queue, sizeof token.queue, FL_STR_FMT, FL_STR_ARG(row->queue));
    snprintf(token.maker, sizeof token.maker, FL_STR_FMT, FL_STR_ARG(row->maker));
    snprintf(token.owner, sizeof token.owner, FL_STR_FMT, FL_STR_ARG(row->owner));
    return token;
}

static void put(struct token_table *table, const struct row_token_put *row)
{
    struct token_grant token = token_of(row);
    struct fl_str id = fl_str_c(token.id);
    struct kept *old = find(table, id);
    size_t place;

    fl_assert(table->tokens.at || table->tokens.cap == 0);
    if (old) {
        token.used_at = old->token.used_at;
        *old = (struct kept){token, table->load};
        return;
    }
    place = lower_bound(table, id);
    fl_vec_push(&table->tokens, (struct kept){token, table->load});
    for (size_t i = table->tokens.len - 1; i > place; i--) {
        struct kept moved = table->tokens.at[i - 1];

        table->tokens.at[i - 1] = table->tokens.at[i];
        table->tokens.at[i] = moved;
    }
}

static void drop(struct token_table *table, struct fl_str id)
{
    struct kept *old = find(table, id);
    struct token_grant dropped = {0};

    if (old) fl_vec_remove(&table->tokens, (size_t)(old - table->tokens.at));
    if (!table->is_loading) return;
    snprintf(dropped.id, sizeof dropped.id, FL_STR_FMT, FL_STR_ARG(id));
    fl_vec_push(&table->dropped, dropped);
}

static void fold(void *view, const struct row *row)
{
    struct token_table *table = view;

    if (row->kind == ROW_token_put) put(table, &row->token_put);
    if (row->kind == ROW_token_drop) drop(table, row->token_drop.id);
}

struct token_table *token_table_create(void)
{
    struct token_table *table = fl_new(struct token_table);

    view_feed_init(&table->feed, fold, table);
    return table;
}

void token_table_apply(struct token_table *table, const struct row *row)
{
    if (row->kind != ROW_token_put && row->kind != ROW_token_drop) return;
    view_feed_push(&table->feed, row);
}

void token_table_refill_begin(struct token_table *table)
{
    view_feed_lock(&table->feed);
    table->load++;
    table->is_loading = true;
    fl_vec_clear(&table->dropped);
    view_feed_unlock(&table->feed);
}

void token_table_refill_row(struct token_table *table, const struct row *row)
{
    bool is_dropped = false;
    const struct kept *kept;

    if (row->kind != ROW_token_put) return;
    view_feed_lock(&table->feed);
    for (size_t i = 0; i < table->dropped.len && !is_dropped; i++) {
        is_dropped = fl_str_eq(fl_str_c(table->dropped.at[i].id), row->token_put.id);
    }
    kept = find(table, row->token_put.id);
    /* A row that was applied meanwhile is newer than the one that the refill reads. */
    if (!is_dropped && (!kept || kept->load < table->load)) put(table, &row->token_put);
    view_feed_unlock(&table->feed);
}

void token_table_refill_end(struct token_table *table)
{
    size_t kept = 0;

    view_feed_lock(&table->feed);
    for (size_t i = 0; i < table->tokens.len; i++) {
        if (table->tokens.at[i].load == table->load) table->tokens.at[kept++] = table->tokens.at[i];
    }
    table->tokens.len = kept;
    table->is_loading = false;
    table->is_loaded = true;
    fl_vec_clear(&table->dropped);
    view_feed_unlock(&table->feed);
}

bool token_table_is_loaded(struct token_table *table)
{
    bool is_loaded;

    view_feed_lock(&table->feed);
    is_loaded = table->is_loaded;
    view_feed_unlock(&table->feed);
    return is_loaded;
}

bool token_table_may_lack(struct token_table *table)
{
    bool may_lack;

    view_feed_lock(&table->feed);
    may_lack = !table->is_loaded || table->is_loading;
    view_feed_unlock(&table->feed);
    return may_lack;
}

bool token_table_find(struct token_table *table, struct fl_str id, struct token_grant *ret_token)
{
    const struct kept *kept;

    view_feed_lock(&table->feed);
    kept = find(table, id);
    if (kept) *ret_token = kept->token;
    view_feed_unlock(&table->feed);
    return kept != NULL;
}

bool token_grant_has(const struct token_grant *token, const struct fl_digest *mac, fl_ms at)
{
    return fl_digest_eq(*mac, token->mac) ||
           (token->old_until > at && fl_digest_eq(*mac, token->old_mac));
}

struct token_hold token_hold_of(const struct token_grant *caller)
{
    struct token_hold hold = {.shown = caller->shown, .expires_at = caller->expires_at};

    memcpy(hold.id, caller->id, sizeof hold.id);
    return hold;
}

/* A token that has expired is soon dropped. */
enum token_fate token_table_fate(struct token_table *table, const struct token_hold *hold, fl_ms at)
{
    struct token_grant token;
    bool is_there = token_table_find(table, fl_str_c(hold->id), &token);
    fl_ms expires_at = is_there ? token.expires_at : hold->expires_at;

    if (expires_at != 0 && expires_at <= at) return TOKEN_EXPIRED;
    if (!is_there) return token_table_may_lack(table) ? TOKEN_COUNTS : TOKEN_REVOKED;
    return token_grant_has(&token, &hold->shown, at) ? TOKEN_COUNTS : TOKEN_ROTATED;
}

void token_table_use(struct token_table *table, struct fl_str id, fl_ms at)
{
    struct kept *kept;

    view_feed_lock(&table->feed);
    kept = find(table, id);
    if (kept) kept->token.used_at = at;
    view_feed_unlock(&table->feed);
}

size_t token_table_page(struct token_table *table, struct fl_str after, struct fl_str queue,
                        struct token_grant *ret, size_t max)
{
    size_t i, len = 0;

    view_feed_lock(&table->feed);
    i = lower_bound(table, after);
    if (i < table->tokens.len && fl_str_eq(fl_str_c(table->tokens.at[i].token.id), after)) i++;
    for (; i < table->tokens.len && len < max; i++) {
        const struct token_grant *token = &table->tokens.at[i].token;

        if (queue.len == 0 || fl_str_eq(fl_str_c(token->queue), queue)) ret[len++] = *token;
    }
    view_feed_unlock(&table->feed);
    return len;
}

/* A pass finds a generation at least.  A chain that is longer than PASSES_MAX ends there: it is for
 * people to look at, and the core's own walk is the one that revokes. */
size_t token_table_made(struct token_table *table, struct fl_str id, struct token_grant *ret,
                        size_t max)
{
    struct fl_map made = {0};
    size_t before, len = 0, passes = 0;

    fl_map_put(&made, id.at, id.len, 1);
    view_feed_lock(&table->feed);
    do {
        before = made.len;
        for (size_t i = 0; i < table->tokens.len; i++) {
            const struct token_grant *token = &table->tokens.at[i].token;

            if (!fl_map_find(&made, token->maker, strlen(token->maker), NULL)) continue;
            fl_map_put(&made, token->id, strlen(token->id), 1);
        }
    } while (made.len > before && ++passes < PASSES_MAX);
    for (size_t i = 0; i < table->tokens.len; i++) {
        const struct token_grant *token = &table->tokens.at[i].token;

        if (fl_str_eq(fl_str_c(token->id), id)) continue;
        if (!fl_map_find(&made, token->id, strlen(token->id), NULL)) continue;
        if (len < max) ret[len] = *token;
        len++;
    }
    view_feed_unlock(&table->feed);
    fl_map_fini(&made);
    return len;
}

size_t token_table_len(struct token_table *table)
{
    size_t len;

    view_feed_lock(&table->feed);
    len = table->tokens.len;
    view_feed_unlock(&table->feed);
    return len;
}

void token_table_set_time(struct token_table *table, fl_ms core_ahead_ms)
{
    atomic_store(&table->core_ahead_ms, core_ahead_ms);
}

fl_ms token_table_time(const struct token_table *table, fl_ms now)
{
    return now + atomic_load(&table->core_ahead_ms);
}

bool token_table_has_admin(struct token_table *table, fl_ms at)
{
    bool has_admin = false;

    view_feed_lock(&table->feed);
    for (size_t i = 0; i < table->tokens.len && !has_admin; i++) {
        const struct token_grant *token = &table->tokens.at[i].token;

        has_admin = (token->scopes & CORE_SCOPE_admin) != 0 && token->queue[0] == 0 &&
                    (token->expires_at == 0 || token->expires_at > at);
    }
    view_feed_unlock(&table->feed);
    return has_admin;
}
