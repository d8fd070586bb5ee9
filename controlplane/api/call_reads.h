/* call_reads.h - questions to the store that belong to a call.
 * 'then' is called on the loop unless the peer went away; a read that failed answers the call
 * instead.  The results are borrowed for the callback. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/store/read_attempts.h"
#include "controlplane/store/read_audit.h"
#include "controlplane/store/read_elements.h"
#include "controlplane/store/read_failures.h"
#include "controlplane/store/read_jobs.h"
#include "controlplane/store/read_specs.h"
#include "controlplane/store/read_throughput.h"
#include "controlplane/store/read_usage.h"

/* NULL: the job does not exist. */
typedef void call_reads_job_then(struct api_call *call, const struct read_job *job);
void call_reads_job(struct api_call *call, struct fl_job job, call_reads_job_then *then);

typedef void call_reads_jobs_then(struct api_call *call, const struct read_jobs *jobs);
void call_reads_jobs(struct api_call *call, const struct fl_job *jobs, size_t len,
                     call_reads_jobs_then *then);
void call_reads_page(struct api_call *call, const struct read_jobs_query *query,
                     call_reads_jobs_then *then);

typedef void call_reads_attempts_then(struct api_call *call, const struct read_attempts *attempts);
void call_reads_attempts(struct api_call *call, const struct read_attempts_query *query,
                         call_reads_attempts_then *then);

typedef void call_reads_failures_then(struct api_call *call, const struct read_failures *failures);
/* Those from the element 'from' on. */
void call_reads_failures(struct api_call *call, struct fl_job job, uint32_t from,
                         call_reads_failures_then *then);

typedef void call_reads_counts_then(struct api_call *call,
                                    const struct read_element_counts *counts);
void call_reads_counts(struct api_call *call, const struct fl_job *jobs, size_t len,
                       call_reads_counts_then *then);

typedef void call_reads_audit_then(struct api_call *call, const struct read_audit *audit);
void call_reads_audit(struct api_call *call, uint64_t batch, uint32_t n, size_t len_max,
                      call_reads_audit_then *then);

typedef void call_reads_usage_then(struct api_call *call, const struct read_usage *usage);
void call_reads_usage(struct api_call *call, const struct read_usage_query *query,
                      call_reads_usage_then *then);

typedef void call_reads_throughput_then(struct api_call *call,
                                        const struct read_throughput *throughput);
void call_reads_throughput(struct api_call *call, const struct read_throughput_query *query,
                           call_reads_throughput_then *then);

/* Empty: it is not there. */
typedef void call_reads_spec_then(struct api_call *call, struct fl_str body);
typedef void call_reads_specs_then(struct api_call *call, const struct read_specs *specs);
/* By digest, of jobs that the call's token may see. */
void call_reads_specs_of_newest(struct api_call *call, struct fl_queue_id queue,
                                const struct fl_digest *digests, size_t len,
                                call_reads_specs_then *then);
void call_reads_spec(struct api_call *call, struct fl_job job, struct fl_digest digest,
                     call_reads_spec_then *then);
/* At most READ_SPECS_MAX. */
void call_reads_specs(struct api_call *call, const struct read_spec *specs, size_t len,
                      call_reads_specs_then *then);
