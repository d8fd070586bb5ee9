#include "agent/kube/pod_call.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void expect(enum pod_request_kind kind, const char *method, const char *path,
                   const char *content_type, const char *body)
{
    struct pod_request request = {
        .kind = kind,
        .name = FL_STR("fl-2d-0-1-main-0"),
        .uid = FL_STR("u1"),
        .version = FL_STR("5"),
        .body = FL_STR("{pod}"),
        .identity = {{.job = {77}, .element = 3, .n = 2, .incarnation = 1}, 0, FL_STR("main")}};
    struct fl_arena arena = {0};
    struct kube_request call;

    pod_call_write(&request, "ns", &arena, &call);
    assert_string_equal(call.method, method);
    assert_string_equal(call.path, path);
    assert_true(fl_str_eq(call.body, fl_str_c(body)));
    if (content_type) {
        assert_string_equal(call.content_type, content_type);
    } else {
        assert_null(call.content_type);
    }
    assert_false(call.is_stream);
    fl_arena_fini(&arena);
}

#define PATH "/api/v1/namespaces/ns/pods/fl-2d-0-1-main-0"
#define MERGE "application/strategic-merge-patch+json"

static void requests_are_written_as_the_api_server_wants_them(void **state)
{
    (void)state;
    expect(POD_REQUEST_create, "POST", "/api/v1/namespaces/ns/pods", NULL, "{pod}");
    expect(POD_REQUEST_read, "GET", PATH, NULL, "");
    expect(POD_REQUEST_release, "PATCH", PATH, MERGE,
           "{\"metadata\":{\"uid\":\"u1\"},\"spec\":{\"schedulingGates\":[{\"$patch\":\"delete\","
           "\"name\":\"fairlead.dev/go\"}]}}");
    expect(POD_REQUEST_withdraw, "DELETE", PATH, NULL,
           "{\"preconditions\":{\"uid\":\"u1\",\"resourceVersion\":\"5\"}}");
    expect(POD_REQUEST_delete, "DELETE", PATH, NULL, "{\"preconditions\":{\"uid\":\"u1\"}}");
    expect(POD_REQUEST_free, "PATCH", PATH, MERGE,
           "{\"metadata\":{\"uid\":\"u1\",\"$deleteFromPrimitiveList/finalizers\":"
           "[\"fairlead.dev/report\"]}}");
}

#define ATTEMPT                                                                                    \
    "{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/job\":\"job-2d\","              \
    "\"fairlead.dev/element\":\"3\",\"fairlead.dev/attempt\":\"2\","                               \
    "\"fairlead.dev/incarnation\":\"1\"}"

static void a_gang_has_a_service_without_an_address_that_goes_with_its_first_pod(void **state)
{
    (void)state;
    expect(POD_REQUEST_serve, "POST", "/api/v1/namespaces/ns/services", NULL,
           "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"fl-2d-3-2\","
           "\"labels\":" ATTEMPT ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
           "\"name\":\"fl-2d-0-1-main-0\",\"uid\":\"u1\"}]},\"spec\":{\"clusterIP\":\"None\","
           "\"publishNotReadyAddresses\":true,\"selector\":" ATTEMPT "}}");
    expect(POD_REQUEST_serve_read, "GET", "/api/v1/namespaces/ns/services/fl-2d-3-2", NULL, "");
}

FL_TESTS(cmocka_unit_test(a_gang_has_a_service_without_an_address_that_goes_with_its_first_pod),
         cmocka_unit_test(requests_are_written_as_the_api_server_wants_them))
