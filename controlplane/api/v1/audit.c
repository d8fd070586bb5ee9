/* GET /v1/audit: changes and their actors, the newest first. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/v1/event_json.h"
#include "controlplane/api/v1/resources.h"

enum { PAGE = 100, PAGE_MAX = READ_AUDIT_MAX };

static void listed(struct api_call *call, const struct read_audit *audit)
{
    struct fl_json_out *json = api_json(call);
    char place[EVENT_PLACE_TEXT_MAX];

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "audit", '[');
    for (size_t i = 0; i < audit->len; i++) {
        event_place_print((struct event_place){audit->at[i].batch, audit->at[i].n}, place);
        fl_json_open(json, NULL, '{');
        fl_json_put_cstr(json, "id", place);
        fl_json_put_time(json, "at", audit->at[i].at);
        fl_json_put_str(json, "actor", audit->at[i].actor);
        fl_json_put_str(json, "what", audit->at[i].body);
        fl_json_close(json, '}');
    }
    fl_json_close(json, ']');
    if (audit->has_more) {
        event_place_print((struct event_place){audit->batch, audit->n}, place);
        fl_json_put_cstr(json, "cursor", place);
    }
    fl_json_close(json, '}');
    api_answer(call);
}

static void list_audit(struct api_call *call)
{
    struct event_place before = {0};
    struct fl_str cursor = api_query(call, "cursor");

    if (cursor.len > 0 && !event_place_parse(cursor, &before)) {
        api_fail_at(call, "cursor", "not a cursor of the audit", cursor,
                    "'cursor' of the page before");
        return;
    }
    call_reads_audit(call, before.batch, before.row, api_query_u64(call, "limit"), listed);
}

static const struct api_field page_query[] = {
    API_MAY("cursor", "string",
            "where the page begins: 'cursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = PAGE_MAX, .preset = PAGE),
    {0},
};

static const struct api_field record_fields[] = {
    API_MUST("id", "string", "its place: batch and row"),
    API_MUST("at", "string", "when", .format = API_FORMAT_time),
    API_MUST("actor", "string", "the token that asked, as 'token:ID NAME', or a part of Fairlead"),
    API_MUST("what", "string", "the action and its object"),
    {0},
};

const struct api_object audit_record_object = {
    .name = "AuditRecord",
    .text = "One thing that was done.",
    .fields = record_fields,
    .example = "{\"id\":\"17.2\",\"at\":\"2026-01-31T09:00:00.000Z\","
               "\"actor\":\"token:3k9d first-admin\",\"what\":\"cancel job-7\"}"};

static const struct api_field page_fields[] = {
    API_MUST("audit", "array of AuditRecord", "the newest first"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object audit_page_object = {
    .name = "AuditPage", .text = "A page of the audit.", .fields = page_fields};

const struct api_route audit_routes[] = {
    API_ROUTE(API_GET, "/v1/audit", API_NEED_fleet, list_audit, "listAudit",
              "lists who did what, the newest first", .query = page_query, .answer = "AuditPage"),
    {0},
};
