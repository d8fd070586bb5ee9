#include "controlplane/views/join_view.h"

#include "controlplane/views/view_feed.h"
#include "shared/base/alloc.h"
#include "shared/base/map.h"

enum { GONE = 0, HERE = 1 };

struct join_view {
    struct view_feed feed;
    struct fl_map joins; /* digest -> HERE */
    struct fl_map next;  /* while a refill runs: its rows, and those applied meanwhile */
    bool is_loading, is_loaded;
};

void join_view_destroy(struct join_view *view)
{
    if (!view) return;
    fl_map_fini(&view->joins);
    fl_map_fini(&view->next);
    view_feed_fini(&view->feed);
    fl_free(view);
}

static void set(struct join_view *view, const struct fl_digest *token, uint64_t value)
{
    if (value == HERE) {
        fl_map_put(&view->joins, token, sizeof *token, value);
    } else {
        fl_map_remove(&view->joins, token, sizeof *token);
    }
    if (view->is_loading) fl_map_put(&view->next, token, sizeof *token, value);
}

static void fold(void *ctx, const struct row *row)
{
    if (row->kind == ROW_join_put) set(ctx, &row->join_put.token, HERE);
    if (row->kind == ROW_join_drop) set(ctx, &row->join_drop.token, GONE);
}

struct join_view *join_view_create(void)
{
    struct join_view *view = fl_new(struct join_view);

    view_feed_init(&view->feed, fold, view);
    return view;
}

void join_view_apply(struct join_view *view, const struct row *row)
{
    if (row->kind != ROW_join_put && row->kind != ROW_join_drop) return;
    view_feed_push(&view->feed, row);
}

void join_view_refill_begin(struct join_view *view)
{
    view_feed_lock(&view->feed);
    fl_map_fini(&view->next);
    view->is_loading = true;
    view_feed_unlock(&view->feed);
}

void join_view_refill_row(struct join_view *view, const struct row *row)
{
    const struct fl_digest *token = &row->join_put.token;

    if (row->kind != ROW_join_put) return;
    view_feed_lock(&view->feed);
    if (!fl_map_find(&view->next, token, sizeof *token, NULL)) {
        fl_map_put(&view->next, token, sizeof *token, HERE);
    }
    view_feed_unlock(&view->feed);
}

void join_view_refill_end(struct join_view *view)
{
    view_feed_lock(&view->feed);
    fl_map_fini(&view->joins);
    view->joins = view->next;
    view->next = (struct fl_map){0};
    view->is_loading = false;
    view->is_loaded = true;
    view_feed_unlock(&view->feed);
}

enum join_known join_view_find(struct join_view *view, const struct fl_digest *token)
{
    uint64_t value = GONE;
    bool may_lack;

    view_feed_lock(&view->feed);
    FL_IGNORE(fl_map_find(&view->joins, token, sizeof *token, &value));
    may_lack = view->is_loading || !view->is_loaded;
    view_feed_unlock(&view->feed);
    if (value == HERE) return JOIN_KNOWN;
    return may_lack ? JOIN_NOT_READ : JOIN_UNKNOWN;
}
