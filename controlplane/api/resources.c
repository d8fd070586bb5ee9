#include "controlplane/api/resources.h"

const struct api_resource api_resources[] = {
    {"Jobs", job_submit_routes},
    {"Many jobs at once", job_batch_routes},
    {"Lists of jobs", job_list_routes},
    {"One job", job_get_routes},
    {"Job actions", job_action_routes},
    {"Retry", job_retry_routes},
    {"Many jobs by filter", bulk_routes},
    {"Explain", explain_routes},
    {"Logs", job_log_routes},
    {"Events", event_routes},
    {"Queues", queue_routes},
    {"Clusters", cluster_routes},
    {"Join tokens", join_token_routes},
    {"Tokens", token_routes},
    {"Who am I", whoami_routes},
    {"Audit", audit_routes},
    {"Enrolment", enrol_routes},
    {"Health", health_routes},
    {"Description", openapi_routes},
    {0},
};
