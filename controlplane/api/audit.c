/* GET /v1/audit: who did what, the newest first. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/event_json.h"
#include "controlplane/api/reads.h"
#include "controlplane/api/resources.h"

enum { PAGE = 100, PAGE_MAX = READ_AUDIT_MAX };

static void listed(struct api_call *call, const struct read_audit *audit)
{
    struct json *json = api_json(call);
    char place[EVENT_PLACE_TEXT_MAX];

    json_open(json, NULL, '{');
    json_open(json, "audit", '[');
    for (size_t i = 0; i < audit->len; i++) {
        event_place_print((struct event_place){audit->at[i].batch, audit->at[i].n}, place);
        json_open(json, NULL, '{');
        json_cstr(json, "id", place);
        json_time(json, "at", audit->at[i].at);
        json_text(json, "actor", audit->at[i].actor);
        json_text(json, "what", audit->at[i].body);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (audit->has_more) {
        event_place_print((struct event_place){audit->batch, audit->n}, place);
        json_cstr(json, "cursor", place);
    }
    json_close(json, '}');
    api_answer(call);
}

static void list_audit(struct api_call *call)
{
    struct event_place before = {0};
    uint64_t limit;

    if (!api_query_u64(call, "limit", PAGE, 1, PAGE_MAX, &limit)) return;
    if (api_query_has(call, "cursor") && !event_place_parse(api_query(call, "cursor"), &before)) {
        api_fail_at(call, "cursor", "this is no cursor of the audit", api_query(call, "cursor"),
                    "'cursor' of the page before");
        return;
    }
    reads_audit(call, before.batch, before.row, limit, listed);
}

static const struct api_field page_fields[] = {
    {"cursor", "string", "where the page begins: 'cursor' of the page before"},
    {"limit", "integer", "of one page, at most 1000; preset 100"},
    {0},
};

const struct api_route audit_routes[] = {
    API_ROUTE(API_GET, "/v1/audit", API_NEED_fleet, list_audit,
              "lists who did what, the newest first", .query = page_fields),
    {0},
};
