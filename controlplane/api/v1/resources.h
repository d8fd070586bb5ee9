/* resources.h - all of /v1: the arrays of routes, one a file, and the objects of their answers.
 * The job document is beside them (shared/spec/job_schema.h). */
#pragma once

#include "controlplane/api/route.h"

extern const struct api_tables api_v1;

extern const struct api_route job_submit_routes[], job_batch_routes[], job_list_routes[],
    job_get_routes[], job_edit_routes[], job_action_routes[], job_retry_routes[],
    job_failure_routes[], bulk_routes[], job_count_routes[], explain_routes[], job_log_routes[],
    job_log_search_routes[], job_visit_routes[], job_files_routes[], event_routes[], queue_routes[],
    cluster_routes[], join_token_routes[], token_routes[], session_routes[], audit_routes[],
    enrol_routes[], restore_routes[], usage_routes[], throughput_routes[], health_routes[],
    openapi_routes[];

extern const struct api_object problem_object, problem_error_object, job_object, elements_object,
    after_object, live_element_object, usage_object, attempt_object, job_page_object,
    job_sums_object, label_count_object, job_counts_object, attempt_page_object, failures_object,
    failure_group_object, failed_element_object, dry_run_object, placement_object,
    batch_item_object, batch_definition_object, batch_use_object, batch_use_digest_object,
    job_edit_object, batch_result_object, bulk_count_object, bulk_failure_object,
    explanation_object, verdict_object, log_line_object, log_piece_object, log_end_object,
    log_waiting_object, log_hit_object, log_found_object, log_levels_object, log_search_object,
    closed_event_object, event_object, job_submitted_event_object, job_edited_event_object,
    job_left_event_object, job_held_event_object, job_released_event_object,
    job_stopping_event_object, job_ended_event_object, attempt_assigned_event_object,
    attempt_ended_event_object, attempt_stopping_event_object, element_ended_event_object,
    replica_changed_event_object, queue_changed_event_object, cluster_changed_event_object,
    unknown_event_object, reset_event_object, restore_accepted_object, queue_object,
    queue_states_object, queue_page_object, queue_removed_object, cluster_object,
    cluster_page_object, cluster_forgotten_object, resources_object, node_object, node_page_object,
    join_token_with_secret_object, token_object, token_with_secret_object, token_page_object,
    token_revoked_object, session_object, session_code_object, audit_record_object,
    audit_page_object, usage_held_object, usage_measured_object, usage_group_object,
    usage_report_object, throughput_times_object, throughput_total_object, throughput_counts_object,
    throughput_object, enrolment_object, health_object, database_health_object, disk_health_object,
    history_health_object, version_object;
