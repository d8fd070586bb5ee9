/* GET /v1/audit: changes, refusals and their actors, the newest first. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/v1/audit_filter.h"
#include "controlplane/api/v1/event_json.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/time_text.h"

enum { PAGE = 100, PAGE_MAX = READ_AUDIT_MAX, LOOKS_MAX = 100 /* at a page of rows each */ };

struct asked {
    struct audit_filter filter;
    uint64_t limit;
    size_t looks;
};

static void put_row(struct fl_json_out *json, const struct read_audit_row *row)
{
    char place[EVENT_PLACE_TEXT_MAX];

    event_place_print((struct event_place){row->batch, row->n}, place);
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "id", place);
    fl_json_put_time(json, "at", row->at);
    fl_json_put_str(json, "actor", row->audit.actor);
    fl_json_put_str(json, "what", row->audit.body);
    fl_json_put_str(json, "action", audit_action(row));
    fl_json_put_str(json, "object", audit_object(row));
    fl_json_put_str(json, "outcome", audit_outcome(row));
    if (row->audit.peer.len > 0) fl_json_put_str(json, "peer", row->audit.peer);
    if (row->audit.trace.len > 0) fl_json_put_str(json, "traceId", row->audit.trace);
    fl_json_close(json, '}');
}

static void listed(struct api_call *call, const struct read_audit *audit)
{
    struct asked *asked = call->state;
    struct event_place last = {audit->batch, audit->n};
    struct fl_json_out *json = api_json(call);
    bool has_more = audit->has_more, is_older = false;
    char place[EVENT_PLACE_TEXT_MAX];
    uint64_t given = 0;

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "audit", '[');
    for (size_t i = 0; i < audit->len && !is_older && given < asked->limit; i++) {
        const struct read_audit_row *row = &audit->at[i];

        is_older = row->at < asked->filter.since;
        if (!audit_filter_takes(&asked->filter, row)) continue;
        put_row(json, row);
        if (++given < asked->limit) continue;
        has_more = has_more || i + 1 < audit->len;
        if (i + 1 < audit->len) last = (struct event_place){row->batch, row->n};
    }
    fl_json_close(json, ']');
    has_more = has_more && !is_older;
    if (given == 0 && has_more && ++asked->looks < LOOKS_MAX) { /* an empty page is no answer */
        call_reads_audit(call, last.batch, last.row, READ_AUDIT_MAX, listed);
        return;
    }
    if (has_more) {
        event_place_print(last, place);
        fl_json_put_cstr(json, "cursor", place);
    }
    fl_json_close(json, '}');
    api_answer(call);
}

static bool read_time(struct api_call *call, const char *name, fl_ms *ret_at)
{
    if (!api_query_has(call, name)) return true;
    if (fl_time_parse(api_query(call, name), ret_at)) return true;
    api_fail_parameter(call, name, "not a time", api_query(call, name), "2026-01-31T09:00:00Z");
    return false;
}

/* With a filter a page looks at more rows than it gives, and on until it has one to give. */
static void list_audit(struct api_call *call)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);
    struct event_place before = {0};
    struct fl_str cursor = api_query(call, "cursor");

    if (cursor.len > 0 && !event_place_parse(cursor, &before)) {
        api_fail_parameter(call, "cursor", "not a cursor of the audit", cursor,
                           "'cursor' of the page before");
        return;
    }
    asked->limit = api_query_u64(call, "limit");
    asked->filter.subject = api_query(call, "subject");
    asked->filter.action = api_query(call, "action");
    asked->filter.object = api_query(call, "object");
    asked->filter.outcome = api_query(call, "outcome");
    if (!read_time(call, "since", &asked->filter.since) ||
        !read_time(call, "until", &asked->filter.until)) {
        return;
    }
    call->state = asked;
    call_reads_audit(call, before.batch, before.row,
                     audit_filter_is_empty(&asked->filter) ? asked->limit : READ_AUDIT_MAX, listed);
}

#define OUTCOMES "done, unauthenticated, denied, hidden"

static const struct api_field page_query[] = {
    API_MAY("cursor", "string",
            "where the page begins: 'cursor' of the page before; empty: at the first"),
    API_MAY("limit", "integer", "the most of one page", .min = 1, .max = PAGE_MAX, .preset = PAGE),
    API_MAY("subject", "string", "only of this actor: all of it, its 'token:ID', or the ID"),
    API_MAY("action", "string", "only this action"),
    API_MAY("object", "string", "only on this object"),
    API_MAY("outcome", "string", "only with this outcome", .words = OUTCOMES),
    API_MAY("since", "string", "only from this time on", .format = API_FORMAT_time),
    API_MAY("until", "string", "only before this time", .format = API_FORMAT_time),
    {0},
};

static const struct api_field record_fields[] = {
    API_MUST("id", "string", "its place: batch and row"),
    API_MUST("at", "string", "when", .format = API_FORMAT_time),
    API_MUST("actor", "string",
             "the token that asked, as 'token:ID NAME', or a part of Fairlead; in a refusal also "
             "'unproved:ID' (its secret is wrong, or it counts no more) and 'stranger'"),
    API_MUST("what", "string", "the action, its object, and more"),
    API_MUST("action", "string", "its first word; in a refusal the operation, or the method"),
    API_MUST("object", "string", "its second word; in a refusal the path"),
    API_MUST("outcome", "string",
             "done; unauthenticated (401), denied (403), hidden: the object is another queue's",
             .words = OUTCOMES),
    API_MAY("peer", "string", "the address that the request came from"),
    API_MAY("traceId", "string",
            "a refusal's is in its answer and the log; a deed has the one of its traceparent"),
    {0},
};

const struct api_object audit_record_object = {
    .name = "AuditRecord",
    .text = "One thing that was done, or refused.",
    .fields = record_fields,
    .example = "{\"id\":\"17.2\",\"at\":\"2026-01-31T09:00:00.000Z\","
               "\"actor\":\"token:3k9d first-admin\",\"what\":\"cancel job-7\","
               "\"action\":\"cancel\",\"object\":\"job-7\",\"outcome\":\"done\","
               "\"peer\":\"10.0.0.9:40112\",\"traceId\":\"4bf92f3577b34da6\"}"};

static const struct api_field page_fields[] = {
    API_MUST("audit", "array of AuditRecord", "the newest first"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object audit_page_object = {
    .name = "AuditPage", .text = "A page of the audit.", .fields = page_fields};

const struct api_route audit_routes[] = {
    API_ROUTE(API_GET, "/v1/audit", API_NEED_fleet, list_audit, "listAudit",
              "lists who did what and was refused what, the newest first", .query = page_query,
              .answer = "AuditPage"),
    {0},
};
