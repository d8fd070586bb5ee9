#include "controlplane/api/call_reads.h"

#include "controlplane/api/api_state.h"

struct reading {
    struct api_call *call;
    union {
        call_reads_job_then *job;
        call_reads_jobs_then *jobs;
        call_reads_attempts_then *attempts;
        call_reads_failures_then *failures;
        call_reads_counts_then *counts;
        call_reads_audit_then *audit;
        call_reads_usage_then *usage;
        call_reads_throughput_then *throughput;
        call_reads_spec_then *spec;
        call_reads_specs_then *specs;
    } then;
};

static struct reading *begin(struct api_call *call)
{
    struct reading *reading = fl_arena_new(&call->arena, struct reading);

    reading->call = call;
    api_hold(call);
    return reading;
}

/* 'ask' is what the reader gave; 0: it took no more. */
static void asked(struct api_call *call, uint64_t ask, const struct fl_err *err)
{
    call->parts->asked(call->parts->asked_ctx);
    if (ask != 0) return;
    if (api_drop(call)) api_fail(call, err->code, "%s", err->text);
}

/* False: the client is gone, or got the answer that the read failed.  The call stays until
 * 'leave', so that a handler may answer and still look at it. */
static bool arrives(struct api_call *call, const struct fl_err *err)
{
    if (call->request && err) api_fail(call, err->code, "%s", err->text);
    return call->request && !err;
}

static void leave(struct api_call *call)
{
    FL_IGNORE(api_drop(call));
}

static void on_job(void *ctx, const struct read_jobs *jobs)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, jobs->err)) reading->then.job(call, jobs->len == 1 ? &jobs->at[0] : NULL);
    leave(call);
}

static void on_jobs(void *ctx, const struct read_jobs *jobs)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, jobs->err)) reading->then.jobs(call, jobs);
    leave(call);
}

static void on_attempts(void *ctx, const struct read_attempts *attempts)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, attempts->err)) reading->then.attempts(call, attempts);
    leave(call);
}

static void on_failures(void *ctx, const struct read_failures *failures)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, failures->err)) reading->then.failures(call, failures);
    leave(call);
}

static void on_counts(void *ctx, const struct read_element_counts *counts)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, counts->err)) reading->then.counts(call, counts);
    leave(call);
}

static void on_audit(void *ctx, const struct read_audit *audit)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, audit->err)) reading->then.audit(call, audit);
    leave(call);
}

static void on_usage(void *ctx, const struct read_usage *usage)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, usage->err)) reading->then.usage(call, usage);
    leave(call);
}

static void on_throughput(void *ctx, const struct read_throughput *throughput)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, throughput->err)) reading->then.throughput(call, throughput);
    leave(call);
}

static void on_spec(void *ctx, const struct read_specs *specs)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, specs->err)) {
        reading->then.spec(call, specs->len == 1 ? specs->bodies[0] : (struct fl_str){0});
    }
    leave(call);
}

static void on_specs(void *ctx, const struct read_specs *specs)
{
    struct reading *reading = ctx;
    struct api_call *call = reading->call;

    if (arrives(call, specs->err)) reading->then.specs(call, specs);
    leave(call);
}

void call_reads_job(struct api_call *call, struct fl_job job, call_reads_job_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.job = then;
    asked(call,
          read_jobs_by_id(call->parts->reader, call->token.tenant, &job, 1, on_job, reading, &err),
          &err);
}

void call_reads_jobs(struct api_call *call, const struct fl_job *jobs, size_t len,
                     call_reads_jobs_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.jobs = then;
    asked(
        call,
        read_jobs_by_id(call->parts->reader, call->token.tenant, jobs, len, on_jobs, reading, &err),
        &err);
}

void call_reads_page(struct api_call *call, const struct read_jobs_query *query,
                     call_reads_jobs_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.jobs = then;
    asked(call, read_jobs_page(call->parts->reader, query, on_jobs, reading, &err), &err);
}

void call_reads_attempts(struct api_call *call, const struct read_attempts_query *query,
                         call_reads_attempts_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.attempts = then;
    asked(call, read_attempts(call->parts->reader, query, on_attempts, reading, &err), &err);
}

void call_reads_failures(struct api_call *call, struct fl_job job, uint32_t from,
                         call_reads_failures_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.failures = then;
    asked(call, read_failures(call->parts->reader, job, from, on_failures, reading, &err), &err);
}

void call_reads_counts(struct api_call *call, const struct fl_job *jobs, size_t len,
                       call_reads_counts_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.counts = then;
    asked(call, read_element_counts(call->parts->reader, jobs, len, on_counts, reading, &err),
          &err);
}

void call_reads_audit(struct api_call *call, uint64_t batch, uint32_t n, size_t len_max,
                      call_reads_audit_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.audit = then;
    asked(call,
          read_audit(call->parts->reader, call->token.tenant, batch, n, len_max, on_audit, reading,
                     &err),
          &err);
}

void call_reads_usage(struct api_call *call, const struct read_usage_query *query,
                      call_reads_usage_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.usage = then;
    asked(call, read_usage(call->parts->reader, query, on_usage, reading, &err), &err);
}

void call_reads_throughput(struct api_call *call, const struct read_throughput_query *query,
                           call_reads_throughput_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.throughput = then;
    asked(call, read_throughput(call->parts->reader, query, on_throughput, reading, &err), &err);
}

void call_reads_spec(struct api_call *call, struct fl_job job, struct fl_digest digest,
                     call_reads_spec_then *then)
{
    struct reading *reading = begin(call);
    struct read_spec spec = {job, digest};
    struct fl_err err = {0};

    reading->then.spec = then;
    asked(call, read_specs(call->parts->reader, &spec, 1, on_spec, reading, &err), &err);
}

void call_reads_specs(struct api_call *call, const struct read_spec *specs, size_t len,
                      call_reads_specs_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.specs = then;
    asked(call, read_specs(call->parts->reader, specs, len, on_specs, reading, &err), &err);
}

void call_reads_specs_of_newest(struct api_call *call, struct fl_queue_id queue,
                                const struct fl_digest *digests, size_t len,
                                call_reads_specs_then *then)
{
    struct reading *reading = begin(call);
    struct fl_err err = {0};

    reading->then.specs = then;
    asked(call,
          read_specs_of_newest(call->parts->reader, call->token.tenant, queue, digests, len,
                               on_specs, reading, &err),
          &err);
}
