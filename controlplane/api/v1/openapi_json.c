/* The description of this API, for those who make clients. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/openapi.h"
#include "controlplane/api/v1/resources.h"

static void get_openapi(struct api_call *call)
{
    struct fl_buf *text = &call->api->openapi;

    if (text->len == 0) {
        fl_buf_init(text, API_ANSWER_BYTES_MAX);
        api_openapi_write(text, call->parts->tables);
    }
    api_json(call);
    fl_buf_put(&call->out, text->at, text->len); /* too much: api_answer looks */
    api_answer(call);
}

const struct api_route openapi_routes[] = {
    API_ROUTE(API_GET, "/v1/openapi.json", API_NEED_token, get_openapi, "getOpenapi",
              "this API as OpenAPI 3.1", .answer = "object"),
    {0},
};
