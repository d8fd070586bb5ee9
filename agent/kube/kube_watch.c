#include "agent/kube/kube_watch.h"

#include "agent/kube/kube_cache.h"
#include "agent/kube/kube_client.h"
#include "agent/kube/kube_json.h"
#include "agent/kube/kube_query.h"
#include "agent/kube/kube_stream.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"

enum { SLACK_MS = 60000 }; /* the rule's deadlines come first */

struct kube_watch {
    struct kube_client *client;
    struct kube_watch_port port;
    struct fl_arena strings; /* path and selector */
    const char *path, *selector;
    unsigned page_objects;
    struct kube_watch_rule rule;
    struct kube_cache *cache;
    struct fl_timer timer;

    struct kube_call *call; /* the one that is under way */
    uint64_t call_number;   /* counts them: a callback sees whether its call is still the one */
    struct kube_stream stream;
    struct fl_buf page_at; /* the continue token of the next page */
    bool is_first_page, is_headed, is_whole;
    struct fl_arena arena; /* the object that is looked at */
    bool is_telling;       /* a callback of the port is running */
    struct kube_watch_counts counts;
};

static void step(struct kube_watch *watch, struct kube_watch_event_in event);

static fl_ms now_of(const struct kube_watch *watch)
{
    return fl_loop_now(kube_client_loop(watch->client));
}

/* ---- the port -------------------------------------------------------------------------------- */

static void tell_removed(void *ctx, const struct kube_meta *meta)
{
    struct kube_watch *watch = ctx;

    watch->counts.removes++;
    watch->is_telling = true;
    watch->port.remove(watch->port.ctx, meta);
    watch->is_telling = false;
}

static void tell_put(struct kube_watch *watch, const struct kube_meta *meta,
                     const struct fl_json *object)
{
    watch->counts.puts++;
    watch->is_telling = true;
    watch->port.put(watch->port.ctx, meta, object);
    watch->is_telling = false;
}

static void tell_problem(struct kube_watch *watch, const struct kube_failure *failure)
{
    if (!watch->port.problem) return;
    watch->is_telling = true;
    watch->port.problem(watch->port.ctx, failure);
    watch->is_telling = false;
}

static void tell_error(struct kube_watch *watch, const struct fl_err *err)
{
    tell_problem(watch, &(struct kube_failure){.err = *err, .retry_after_ms = -1});
}

static void tell_dropped(struct kube_watch *watch)
{
    struct fl_err err;

    watch->counts.dropped++;
    fl_fail(&err, FL_UNAVAILABLE, "the API server lags behind: it has not what was seen before");
    tell_error(watch, &err);
}

static void tell_hung(struct kube_watch *watch)
{
    struct fl_err err;

    watch->counts.hung++;
    fl_fail(&err, FL_UNAVAILABLE, "the API server did not end its answer in time");
    tell_error(watch, &err);
}

static void tell_synced(struct kube_watch *watch)
{
    watch->is_telling = true;
    watch->port.synced(watch->port.ctx);
    watch->is_telling = false;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void put_object(struct kube_watch *watch, const struct kube_meta *meta,
                       const struct fl_json *object)
{
    enum kube_cache_news news;
    struct kube_meta before;
    struct fl_err err = {0};

    if (kube_cache_find(watch->cache, meta->namespace, meta->name, &before) &&
        !fl_str_eq(before.uid, meta->uid)) {
        tell_removed(watch, &before);
        kube_cache_remove(watch->cache, &before);
    }
    if (!kube_cache_put(watch->cache, meta, &news, &err)) {
        fl_err_wrap(&err, FL_STR_FMT "/" FL_STR_FMT, FL_STR_ARG(meta->namespace),
                    FL_STR_ARG(meta->name));
        tell_error(watch, &err);
    } else if (news == KUBE_CACHE_NEW || news == KUBE_CACHE_CHANGED) {
        tell_put(watch, meta, object);
    }
}

static void take_item(struct kube_watch *watch, struct fl_str text)
{
    const struct fl_json *object;
    struct kube_meta meta;
    struct fl_err err = {0};

    if (fl_json_parse(text, &watch->arena, &object, NULL, &err) &&
        kube_object_meta(object, &meta, &err)) {
        put_object(watch, &meta, object);
    } else {
        fl_err_wrap(&err, "an item of the list");
        tell_error(watch, &err);
    }
    fl_arena_reset(&watch->arena);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void fail(struct kube_watch *watch, const struct kube_failure *failure)
{
    watch->counts.failed++;
    tell_problem(watch, failure);
    step(watch, (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_FAILED,
                                             .status = failure->status,
                                             .retry_after_ms = failure->retry_after_ms});
}

static void fail_unreadable(struct kube_watch *watch, const struct fl_err *err)
{
    fail(watch, &(struct kube_failure){.err = *err, .retry_after_ms = -1});
}

static void take_head(struct kube_watch *watch, struct fl_str text)
{
    const struct fl_json *root;
    struct kube_list_head head;
    struct fl_err err = {0};

    if (!fl_json_parse(text, &watch->arena, &root, NULL, &err) ||
        !kube_object_list(root, &head, &err)) {
        fl_arena_reset(&watch->arena);
        fail_unreadable(watch, &err);
        return;
    }
    watch->is_headed = true;
    fl_buf_clear(&watch->page_at);
    fl_assert(fl_buf_put(&watch->page_at, head.continue_at.at, head.continue_at.len));
    if (watch->is_first_page) {
        step(watch,
             (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_LIST, .version = head.version});
    }
    fl_arena_reset(&watch->arena);
}

/* Pieces until there are no more, or until a step has ended this call. */
static void take_bytes(struct kube_watch *watch, struct fl_str bytes,
                       void (*take)(struct kube_watch *watch, const struct kube_piece *piece))
{
    uint64_t call_number = watch->call_number;
    struct kube_piece piece;
    struct fl_err err = {0};

    while (watch->call && watch->call_number == call_number) {
        if (!kube_stream_next(&watch->stream, &bytes, &piece, &err)) {
            fail_unreadable(watch, &err);
            return;
        }
        if (piece.kind == KUBE_PIECE_NONE) return;
        take(watch, &piece);
    }
}

static void take_list_piece(struct kube_watch *watch, const struct kube_piece *piece)
{
    if (piece->kind == KUBE_PIECE_HEAD) take_head(watch, piece->text);
    if (piece->kind == KUBE_PIECE_OBJECT) take_item(watch, piece->text);
    if (piece->kind == KUBE_PIECE_END) watch->is_whole = true;
}

static void on_list_body(void *ctx, struct fl_str bytes)
{
    take_bytes(ctx, bytes, take_list_piece);
}

static void on_list_done(void *ctx, const struct kube_failure *failure)
{
    struct kube_watch *watch = ctx;
    struct fl_err err = {0};

    if (failure) {
        fail(watch, failure);
    } else if (!kube_stream_end(&watch->stream, &err)) {
        fail_unreadable(watch, &err);
    } else {
        fl_assert(watch->is_headed && watch->is_whole);
        step(watch, (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_PAGE,
                                                 .has_more = watch->page_at.len > 0});
    }
}

/* ---- watches --------------------------------------------------------------------------------- */

static void take_change(struct kube_watch *watch, const struct kube_event *event)
{
    struct kube_meta meta;
    struct fl_err err = {0};

    if (!kube_object_meta(event->object, &meta, &err)) {
        fl_err_wrap(&err, "an event of the watch");
        tell_error(watch, &err);
        return;
    }
    if (!kube_watch_rule_takes(&watch->rule, meta.version)) {
        watch->counts.late++;
        return;
    }
    if (event->kind != KUBE_EVENT_DELETED) {
        put_object(watch, &meta, event->object);
    } else if (kube_cache_remove(watch->cache, &meta)) {
        tell_removed(watch, &meta);
    }
    step(watch,
         (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_CHANGED, .version = meta.version});
}

static void take_bookmark(struct kube_watch *watch, const struct fl_json *object)
{
    struct kube_watch_event_in event = {.kind = KUBE_WATCH_EV_BOOKMARK};
    struct fl_err err = {0};

    if (kube_object_version(object, &event.version, &err)) {
        step(watch, event);
    } else {
        tell_error(watch, &err);
    }
}

static void take_event(struct kube_watch *watch, const struct kube_piece *piece)
{
    const struct fl_json *root;
    struct kube_event event;
    struct kube_failure failure;
    struct fl_err err = {0};

    if (!fl_json_parse(piece->text, &watch->arena, &root, NULL, &err) ||
        !kube_object_event(root, &event, &err)) {
        fl_err_wrap(&err, "an event of the watch");
        tell_error(watch, &err);
    } else if (event.kind == KUBE_EVENT_ERROR) {
        kube_status_of(event.object, &failure);
        fail(watch, &failure);
    } else if (event.kind == KUBE_EVENT_BOOKMARK) {
        take_bookmark(watch, event.object);
    } else {
        take_change(watch, &event);
    }
    fl_arena_reset(&watch->arena);
}

static void on_watch_body(void *ctx, struct fl_str bytes)
{
    take_bytes(ctx, bytes, take_event);
}

static void on_watch_done(void *ctx, const struct kube_failure *failure)
{
    struct kube_watch *watch = ctx;
    struct fl_err err = {0};

    if (failure) {
        fail(watch, failure);
    } else if (!kube_stream_end(&watch->stream, &err)) {
        fail_unreadable(watch, &err);
    } else {
        step(watch, (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_ENDED});
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

static void drop_call(struct kube_watch *watch)
{
    if (!watch->call) return;
    kube_call_destroy(watch->call);
    watch->call = NULL;
    kube_stream_fini(&watch->stream);
}

static void start(struct kube_watch *watch, const struct kube_request *request,
                  enum kube_stream_kind kind, const struct kube_port *port)
{
    drop_call(watch);
    kube_stream_init(&watch->stream, kind, 0);
    watch->call_number++;
    watch->call = kube_call_start(watch->client, request, port);
}

static void start_page(struct kube_watch *watch, bool is_first)
{
    struct fl_arena arena = {0};
    struct fl_str page_at = {(const char *)watch->page_at.at, watch->page_at.len};
    struct kube_request request = {
        .method = "GET",
        .is_once = true, /* the rule knows when to ask again */
        .body_bytes_max = UINT64_MAX,
        .whole_ms = watch->rule.times.page_ms + SLACK_MS,
    };

    watch->counts.pages++;
    watch->is_first_page = is_first;
    watch->is_headed = watch->is_whole = false;
    request.path = fl_arena_printf(
        &arena, "%s?limit=%u%s%s%s%s", watch->path, watch->page_objects,
        is_first ? "" : "&continue=", is_first ? "" : kube_query_escape(page_at, &arena),
        watch->selector[0] ? "&" : "", watch->selector);
    start(watch, &request, KUBE_STREAM_LIST,
          &(struct kube_port){watch, on_list_body, on_list_done});
    fl_arena_fini(&arena);
}

static void start_watch(struct kube_watch *watch)
{
    struct fl_arena arena = {0};
    struct kube_request request = {
        .method = "GET",
        .is_stream = true,
        .is_once = true,
        .body_bytes_max = UINT64_MAX,
        .idle_ms = (fl_ms)watch->rule.watch_s * 1000 + watch->rule.times.grace_ms + SLACK_MS,
    };

    watch->counts.watches++;
    request.path = fl_arena_printf(
        &arena, "%s?watch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=%u%s%s",
        watch->path, kube_query_escape(fl_str_c(watch->rule.version), &arena), watch->rule.watch_s,
        watch->selector[0] ? "&" : "", watch->selector);
    start(watch, &request, KUBE_STREAM_WATCH,
          &(struct kube_port){watch, on_watch_body, on_watch_done});
    fl_arena_fini(&arena);
}

static void carry_out(struct kube_watch *watch, enum kube_watch_order order)
{
    switch (order) {
    case KUBE_WATCH_DO_WAIT:
        /* A call that has ended is not looked at again. */
        if (watch->rule.state == KUBE_WATCH_RESTING) drop_call(watch);
        break;
    case KUBE_WATCH_DO_LIST:
        watch->counts.lists++;
        kube_cache_begin(watch->cache);
        start_page(watch, true);
        break;
    case KUBE_WATCH_DO_NEXT_PAGE:
        start_page(watch, false);
        break;
    case KUBE_WATCH_DO_SYNC:
        drop_call(watch);
        kube_cache_sweep(watch->cache, tell_removed, watch);
        tell_synced(watch);
        start_watch(watch);
        break;
    case KUBE_WATCH_DO_WATCH:
        start_watch(watch);
        break;
    case KUBE_WATCH_DO_DROP:
        drop_call(watch);
        tell_dropped(watch);
        break;
    case KUBE_WATCH_DO_HANG_UP:
        drop_call(watch);
        kube_client_renew(watch->client);
        tell_hung(watch);
        break;
    }
}

/* The end of each callback: nothing of it may look at the call afterwards. */
static void step(struct kube_watch *watch, struct kube_watch_event_in event)
{
    enum kube_watch_order order;

    event.now = now_of(watch);
    order = kube_watch_rule_step(&watch->rule, &event);
    if (watch->rule.is_restored) {
        watch->rule.is_restored = false;
        kube_cache_forget_versions(watch->cache);
    }
    carry_out(watch, order);
    fl_timer_at(&watch->timer, watch->rule.deadline);
}

static void on_time(void *ctx)
{
    step(ctx, (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_TICK});
}

/* ---- life ------------------------------------------------------------------------------------ */

struct kube_watch *kube_watch_create(struct kube_client *client,
                                     const struct kube_watch_config *config,
                                     const struct kube_watch_port *port)
{
    struct kube_watch *watch = fl_new(struct kube_watch);

    watch->client = client;
    watch->port = *port;
    watch->path = fl_arena_printf(&watch->strings, "%s", config->path);
    watch->selector =
        fl_arena_printf(&watch->strings, "%s", config->selector ? config->selector : "");
    watch->page_objects = config->page_objects ? config->page_objects : KUBE_WATCH_PAGE_OBJECTS;
    watch->cache =
        kube_cache_create(config->objects_max ? config->objects_max : KUBE_WATCH_OBJECTS_MAX);
    fl_buf_init(&watch->page_at, KUBE_CONTINUE_BYTES_MAX);
    fl_timer_init(&watch->timer, kube_client_loop(client), on_time, watch);
    kube_watch_rule_init(&watch->rule, config->times, config->seed, now_of(watch));
    fl_timer_at(&watch->timer, watch->rule.deadline);
    return watch;
}

void kube_watch_destroy(struct kube_watch *watch)
{
    if (!watch) return;
    fl_assert(!watch->is_telling);
    drop_call(watch);
    fl_timer_off(&watch->timer);
    kube_cache_destroy(watch->cache);
    fl_buf_fini(&watch->page_at);
    fl_arena_fini(&watch->arena);
    fl_arena_fini(&watch->strings);
    fl_free(watch);
}

struct kube_watch_counts kube_watch_counts(const struct kube_watch *watch)
{
    struct kube_watch_counts counts = watch->counts;

    counts.objects = kube_cache_len(watch->cache);
    return counts;
}

bool kube_watch_is_watching(const struct kube_watch *watch)
{
    return watch->rule.state == KUBE_WATCH_WATCHING;
}
