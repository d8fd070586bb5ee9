#include "agent/kube/kube_clear.h"

#include <stdio.h>

#include "agent/kube/kube_client.h"
#include "agent/kube/kube_json.h"
#include "agent/kube/kube_object.h"
#include "agent/kube/kube_query.h"
#include "agent/kube/kube_stream.h"
#include "agent/kube/pod_call.h"
#include "agent/kube/pod_identity.h"
#include "agent/kube/pod_rule.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

enum { PAGE_PODS = 100, REST_MS = 1000 };

#define OURS "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dfairlead"

/* A request to one pod of the page. */
struct sending {
    struct kube_clear *clear;
    struct kube_call *call;
    struct pod_request request;
};

struct kube_clear {
    struct fl_loop *loop;
    struct kube_clear_port port;
    struct fl_arena texts; /* the namespace */
    const char *namespace;
    fl_ms give_up_at, rest_ms;
    struct kube_client *client;
    struct fl_timer timer; /* the next pass */

    struct kube_call *list; /* NULL: no page is under way */
    struct kube_stream stream;
    struct fl_buf page_at;  /* where the next page begins; empty: this is the last */
    struct fl_arena object; /* the item that is read */
    struct fl_arena page;   /* the names of this page */
    struct sending sendings[PAGE_PODS];
    unsigned sendings_len, under_way;

    size_t left, sent;                 /* pods of ours in this pass; those that got a request */
    struct fl_err problem;             /* the last of this pass; text "" */
    char one[KUBE_NAME_BYTES_MAX + 1]; /* the last pod of ours */
    bool is_done;
};

static void list_page(struct kube_clear *clear, bool is_first);

static void finish(struct kube_clear *clear, const struct fl_err *why_not)
{
    clear->is_done = true;
    fl_timer_off(&clear->timer);
    clear->port.done(clear->port.ctx, why_not);
}

static void note_problem(struct kube_clear *clear, const struct fl_err *err, const char *what)
{
    clear->problem = *err;
    fl_log(FL_LOG_WARN, "kube", "clear_problem", FL_LOG_S("request", what), FL_LOG_ERR(err));
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void end_pass(struct kube_clear *clear)
{
    struct fl_err err = {0};

    if (clear->left == 0 && !clear->problem.text[0]) {
        finish(clear, NULL);
    } else if (clear->problem.code == FL_DENIED) {
        finish(clear, &clear->problem);
    } else if (fl_loop_now(clear->loop) >= clear->give_up_at) {
        if (clear->problem.text[0]) {
            err = clear->problem;
            fl_err_wrap(&err, "namespace %s is not clear", clear->namespace);
        } else {
            FL_IGNORE(
                fl_fail(&err, FL_UNAVAILABLE,
                        "namespace %s still has %zu pods of ours, among them %s: see 'kubectl "
                        "describe pod', then repeat this",
                        clear->namespace, clear->left, clear->one));
        }
        finish(clear, &err);
    } else {
        bool is_moving = clear->sent > 0 && !clear->problem.text[0];

        fl_timer_in(&clear->timer, is_moving ? 0 : clear->rest_ms);
    }
}

static void begin_pass(void *ctx)
{
    struct kube_clear *clear = ctx;

    clear->left = clear->sent = 0;
    clear->problem = (struct fl_err){0};
    list_page(clear, true);
}

static void end_page(struct kube_clear *clear)
{
    if (clear->page_at.len > 0 && !clear->problem.text[0]) {
        list_page(clear, false);
    } else {
        end_pass(clear);
    }
}

/* ---- requests to pods ------------------------------------------------------------------------ */

static void on_sent_body(void *ctx, struct fl_str bytes)
{
    (void)ctx;
    (void)bytes; /* the next list tells */
}

static void on_sent(void *ctx, const struct kube_failure *failure)
{
    struct sending *sending = ctx;
    struct kube_clear *clear = sending->clear;

    kube_call_destroy(sending->call);
    sending->call = NULL;
    /* Gone, or another by now: the next list shows it. */
    if (failure && failure->status != 404 && failure->status != 409) {
        note_problem(clear, &failure->err, pod_request_name(sending->request.kind));
    }
    if (--clear->under_way == 0) end_page(clear);
}

static void send_page(struct kube_clear *clear)
{
    struct fl_arena arena = {0};

    clear->sent += clear->sendings_len;
    clear->under_way = clear->sendings_len;
    for (unsigned i = 0; i < clear->sendings_len; i++) {
        struct sending *sending = &clear->sendings[i];
        struct kube_request call;

        pod_call_write(&sending->request, clear->namespace, &arena, &call);
        sending->call = kube_call_start(clear->client, &call,
                                        &(struct kube_port){sending, on_sent_body, on_sent});
    }
    fl_arena_fini(&arena);
    if (clear->sendings_len == 0) end_page(clear);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool has_finalizer(const struct fl_json *metadata)
{
    const struct fl_json *list = kube_json_list(metadata, "finalizers");

    if (!list) return false;
    FL_JSON_EACH (one, list) {
        if (fl_str_eq(one->text, FL_STR(POD_FINALIZER))) return true;
    }
    return false;
}

/* The one request that comes next for this pod. */
static enum pod_request_kind next_of(const struct fl_json *metadata)
{
    if (kube_json_string(metadata, "deletionTimestamp").len == 0) return POD_REQUEST_delete;
    return has_finalizer(metadata) ? POD_REQUEST_free : POD_REQUEST_none;
}

static void take_pod(struct kube_clear *clear, const struct fl_json *object)
{
    const struct fl_json *metadata = kube_json_at(object, "metadata");
    struct pod_identity identity;
    struct kube_meta meta;
    struct fl_err err = {0};
    enum pod_request_kind next;

    if (!pod_identity_read(metadata, &identity) && !has_finalizer(metadata)) return;
    if (!kube_object_meta(object, &meta, &err)) {
        note_problem(clear, &err, "list");
        return;
    }
    clear->left++;
    snprintf(clear->one, sizeof clear->one, FL_STR_FMT, FL_STR_ARG(meta.name));
    next = next_of(metadata);
    if (next == POD_REQUEST_none || clear->sendings_len == PAGE_PODS) return;
    clear->sendings[clear->sendings_len++] =
        (struct sending){.clear = clear,
                         .request = {.kind = next,
                                     .name = fl_arena_str(&clear->page, meta.name),
                                     .uid = fl_arena_str(&clear->page, meta.uid)}};
}

static void take_piece(struct kube_clear *clear, const struct kube_piece *piece)
{
    const struct fl_json *root;
    struct kube_list_head head;
    struct fl_err err = {0};

    if (piece->kind != KUBE_PIECE_HEAD && piece->kind != KUBE_PIECE_OBJECT) return;
    if (!fl_json_parse(piece->text, &clear->object, &root, NULL, &err)) {
        note_problem(clear, &err, "list");
    } else if (piece->kind == KUBE_PIECE_OBJECT) {
        take_pod(clear, root);
    } else if (!kube_object_list(root, &head, &err) ||
               !fl_buf_put(&clear->page_at, head.continue_at.at, head.continue_at.len)) {
        note_problem(clear, &err, "list");
    }
    fl_arena_reset(&clear->object);
}

static void on_list_body(void *ctx, struct fl_str bytes)
{
    struct kube_clear *clear = ctx;
    struct kube_piece piece;
    struct fl_err err = {0};

    while (!clear->problem.text[0]) {
        if (!kube_stream_next(&clear->stream, &bytes, &piece, &err)) {
            note_problem(clear, &err, "list");
        } else if (piece.kind == KUBE_PIECE_NONE) {
            return;
        } else {
            take_piece(clear, &piece);
        }
    }
}

static void drop_list(struct kube_clear *clear)
{
    if (!clear->list) return;
    kube_call_destroy(clear->list);
    clear->list = NULL;
    kube_stream_fini(&clear->stream);
}

static void on_list_done(void *ctx, const struct kube_failure *failure)
{
    struct kube_clear *clear = ctx;
    struct fl_err err = {0};

    if (failure) {
        note_problem(clear, &failure->err, "list");
    } else if (!clear->problem.text[0] && !kube_stream_end(&clear->stream, &err)) {
        note_problem(clear, &err, "list");
    }
    drop_list(clear);
    if (clear->problem.text[0]) {
        end_pass(clear);
    } else {
        send_page(clear);
    }
}

static void list_page(struct kube_clear *clear, bool is_first)
{
    struct fl_arena arena = {0};
    struct fl_str page_at = {(const char *)clear->page_at.at, is_first ? 0 : clear->page_at.len};
    struct kube_request request = {.method = "GET", .body_bytes_max = UINT64_MAX};

    request.path = fl_arena_printf(
        &arena, "/api/v1/namespaces/%s/pods?limit=%d&%s%s%s", clear->namespace, PAGE_PODS, OURS,
        is_first ? "" : "&continue=", kube_query_escape(page_at, &arena));
    clear->sendings_len = 0;
    fl_arena_reset(&clear->page);
    fl_buf_clear(&clear->page_at);
    kube_stream_init(&clear->stream, KUBE_STREAM_LIST, 0);
    clear->list = kube_call_start(clear->client, &request,
                                  &(struct kube_port){clear, on_list_body, on_list_done});
    fl_arena_fini(&arena);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool kube_clear_start(struct fl_loop *loop, const struct kube_clear_config *config,
                      const struct kube_clear_port *port, struct kube_clear **ret_clear,
                      struct fl_err *err)
{
    struct kube_client_config client = {.kube = config->kube, .seed = config->seed};
    struct kube_clear *clear = fl_new(struct kube_clear);

    clear->loop = loop;
    clear->port = *port;
    clear->namespace = fl_arena_str(&clear->texts, config->namespace).at;
    clear->give_up_at = fl_loop_now(loop) + config->give_up_ms;
    clear->rest_ms = config->rest_ms ? config->rest_ms : REST_MS;
    fl_buf_init(&clear->page_at, KUBE_CONTINUE_BYTES_MAX);
    fl_timer_init(&clear->timer, loop, begin_pass, clear);
    if (!kube_client_create(loop, &client, &clear->client, err)) {
        kube_clear_destroy(clear);
        return false;
    }
    fl_timer_in(&clear->timer, 0);
    *ret_clear = clear;
    return true;
}

void kube_clear_destroy(struct kube_clear *clear)
{
    if (!clear) return;
    fl_timer_off(&clear->timer);
    drop_list(clear);
    for (unsigned i = 0; i < clear->sendings_len; i++) {
        kube_call_destroy(clear->sendings[i].call);
    }
    kube_client_destroy(clear->client);
    fl_buf_fini(&clear->page_at);
    fl_arena_fini(&clear->object);
    fl_arena_fini(&clear->page);
    fl_arena_fini(&clear->texts);
    fl_free(clear);
}
