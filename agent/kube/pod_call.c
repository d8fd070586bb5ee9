#include "agent/kube/pod_call.h"

#include "agent/kube/kube_stream.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/json/json_out.h"

enum { BODY_BYTES_MAX = 4096 };

/* Lists with a merge key, as both are here, lose just the named item. */
#define MERGE "application/strategic-merge-patch+json"

static void put_preconditions(const struct pod_request *request, struct fl_json_out *json)
{
    fl_json_open(json, "preconditions", '{');
    fl_json_put_str(json, "uid", request->uid);
    if (request->kind == POD_REQUEST_withdraw) {
        fl_json_put_str(json, "resourceVersion", request->version);
    }
    fl_json_close(json, '}');
}

static void put_gate(struct fl_json_out *json)
{
    fl_json_open(json, "spec", '{');
    fl_json_open(json, "schedulingGates", '[');
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "$patch", "delete");
    fl_json_put_cstr(json, "name", POD_GATE);
    fl_json_close(json, '}');
    fl_json_close(json, ']');
    fl_json_close(json, '}');
}

static void put_patch(const struct pod_request *request, struct fl_json_out *json)
{
    fl_json_open(json, "metadata", '{');
    fl_json_put_str(json, "uid", request->uid);
    if (request->kind == POD_REQUEST_free) {
        fl_json_open(json, "$deleteFromPrimitiveList/finalizers", '[');
        fl_json_put_cstr(json, NULL, POD_FINALIZER);
        fl_json_close(json, ']');
    }
    fl_json_close(json, '}');
    if (request->kind == POD_REQUEST_release) put_gate(json);
}

static struct fl_str body_of(const struct pod_request *request, struct fl_arena *arena)
{
    struct fl_json_out json;
    struct fl_buf body;

    fl_buf_init_in(&body, BODY_BYTES_MAX, arena);
    json = fl_json_out(&body);
    fl_json_open(&json, NULL, '{');
    if (request->kind == POD_REQUEST_release || request->kind == POD_REQUEST_free) {
        put_patch(request, &json);
    } else {
        put_preconditions(request, &json);
    }
    fl_json_close(&json, '}');
    fl_assert(!body.is_over);
    return fl_buf_take(&body);
}

/* ---- the Service ----------------------------------------------------------------------------- */

static void put_owner(const struct pod_request *request, struct fl_json_out *json)
{
    fl_json_open(json, "ownerReferences", '[');
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "apiVersion", "v1");
    fl_json_put_cstr(json, "kind", "Pod");
    fl_json_put_str(json, "name", request->name);
    fl_json_put_str(json, "uid", request->uid);
    fl_json_close(json, '}');
    fl_json_close(json, ']');
}

static void put_service_metadata(const struct pod_request *request, const char *name,
                                 struct fl_json_out *json)
{
    fl_json_open(json, "metadata", '{');
    fl_json_put_cstr(json, "name", name);
    fl_json_open(json, "labels", '{');
    pod_identity_put_attempt(&request->identity, json);
    fl_json_close(json, '}');
    put_owner(request, json);
    fl_json_close(json, '}');
}

static struct fl_str service_of(const struct pod_request *request, const char *name,
                                struct fl_arena *arena)
{
    struct fl_json_out json;
    struct fl_buf body;

    fl_buf_init_in(&body, BODY_BYTES_MAX, arena);
    json = fl_json_out(&body);
    fl_json_open(&json, NULL, '{');
    fl_json_put_cstr(&json, "apiVersion", "v1");
    fl_json_put_cstr(&json, "kind", "Service");
    put_service_metadata(request, name, &json);
    fl_json_open(&json, "spec", '{');
    fl_json_put_cstr(&json, "clusterIP", "None");
    fl_json_put_bool(&json, "publishNotReadyAddresses", true);
    fl_json_open(&json, "selector", '{');
    pod_identity_put_attempt(&request->identity, &json);
    fl_json_close(&json, '}');
    fl_json_close(&json, '}');
    fl_json_close(&json, '}');
    fl_assert(!body.is_over);
    return fl_buf_take(&body);
}

static void write_service(const struct pod_request *request, const char *namespace,
                          struct fl_arena *arena, struct kube_request *call)
{
    char name[POD_NAME_BYTES_MAX + 1];

    pod_identity_service(&request->identity, name);
    if (request->kind == POD_REQUEST_serve_read) {
        call->method = "GET";
        call->path = fl_arena_printf(arena, "/api/v1/namespaces/%s/services/%s", namespace, name);
    } else {
        call->method = "POST";
        call->path = fl_arena_printf(arena, "/api/v1/namespaces/%s/services", namespace);
        call->body = service_of(request, name, arena);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void pod_call_write(const struct pod_request *request, const char *namespace,
                    struct fl_arena *arena, struct kube_request *ret_call)
{
    struct kube_request call = {.body_bytes_max = KUBE_STREAM_OBJECT_BYTES_MAX};

    call.path = fl_arena_printf(arena, "/api/v1/namespaces/%s/pods/" FL_STR_FMT, namespace,
                                FL_STR_ARG(request->name));
    switch (request->kind) {
    case POD_REQUEST_create:
        call.method = "POST";
        call.path = fl_arena_printf(arena, "/api/v1/namespaces/%s/pods", namespace);
        call.body = request->body;
        break;
    case POD_REQUEST_read:
        call.method = "GET";
        break;
    case POD_REQUEST_release:
    case POD_REQUEST_free:
        call.method = "PATCH";
        call.content_type = MERGE;
        call.body = body_of(request, arena);
        break;
    case POD_REQUEST_withdraw:
    case POD_REQUEST_delete:
        call.method = "DELETE";
        call.body = body_of(request, arena);
        break;
    case POD_REQUEST_serve:
    case POD_REQUEST_serve_read:
        write_service(request, namespace, arena, &call);
        break;
    case POD_REQUEST_none:
        fl_unreachable("no request of that kind is given out");
    }
    *ret_call = call;
}
