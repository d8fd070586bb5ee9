/* A person says that a restored database is the one to go on with. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/resources.h"

static void accepted(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    (void)answer;
    fl_json_open(json, NULL, '{');
    fl_json_put_bool(json, "accepted", true);
    fl_json_close(json, '}');
    api_answer(call);
}

static void accept_restore(struct api_call *call)
{
    api_ask(call, api_event(call, CORE_EV_accept_restore), accepted);
}

static const struct api_field accepted_fields[] = {
    API_MUST("accepted", "boolean", "jobs are accepted and started again"),
    {0},
};

const struct api_object restore_accepted_object = {
    .name = "RestoreAccepted", .text = "A restored database goes on.", .fields = accepted_fields};

const struct api_route restore_routes[] = {
    API_ROUTE(API_POST, "/v1/restore:accept", API_NEED_fleet, accept_restore, "acceptRestore",
              "goes on with a database that agents know to be older than one they have worked for",
              .answer = "RestoreAccepted", .may_conflict = true),
    {0},
};
