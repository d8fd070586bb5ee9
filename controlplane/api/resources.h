/* resources.h - the arrays of routes, one a file; router.c's list of all is in resources.c. */
#pragma once

#include "controlplane/api/route.h"

extern const struct api_route job_submit_routes[], job_batch_routes[], job_list_routes[],
    job_get_routes[], job_action_routes[], job_retry_routes[], bulk_routes[], explain_routes[],
    job_log_routes[], event_routes[], queue_routes[], cluster_routes[], join_token_routes[],
    token_routes[], whoami_routes[], audit_routes[], enrol_routes[], health_routes[],
    openapi_routes[];
