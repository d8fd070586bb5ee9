/* The description of this API, for those who make clients. */
#include "controlplane/api/call.h"
#include "controlplane/api/openapi.h"
#include "controlplane/api/v1/resources.h"

static void get_openapi(struct api_call *call)
{
    api_json(call);
    api_openapi_write(&call->out, call->parts->tables);
    api_answer(call);
}

const struct api_route openapi_routes[] = {
    API_ROUTE(API_GET, "/v1/openapi.json", API_NEED_token, get_openapi, "getOpenapi",
              "this API as OpenAPI 3.1", .answer = "object"),
    {0},
};
