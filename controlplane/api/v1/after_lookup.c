#include "controlplane/api/v1/after_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "controlplane/api/auth.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/views/directory.h"
#include "shared/base/vec.h"
#include "shared/spec/job_spec.h"
#include "shared/tls/digest.h"

struct named {
    uint64_t job;
    struct core_dependency *one;
    const struct core_submit_item *item; /* that is to run after it */
    bool is_pair;                        /* the item's elements wait for this job's */
    struct fl_digest spec;               /* the job's, once it was seen */
};

struct lookup {
    void *state; /* the handler's */
    void (*on_end)(struct api_call *call);
    void (*then)(struct api_call *call);
    struct {
        struct named *at;
        size_t len, cap;
    } named;         /* by job; then those alone that wait for a spec, by its digest */
    size_t from;     /* those before it were looked up */
    size_t compared; /* those before it were compared with their specs */
};

static int by_job(const void *a, const void *b)
{
    const struct named *left = a, *right = b;

    return (left->job > right->job) - (left->job < right->job);
}

static int by_spec(const void *a, const void *b)
{
    const struct named *left = a, *right = b;

    return memcmp(left->spec.at, right->spec.at, sizeof left->spec.at);
}

static void compare_indexes(const struct core_submit_item *item, struct core_dependency *one,
                            struct fl_str of_target)
{
    if (fl_str_eq(fl_job_spec_indexes(item->spec), fl_job_spec_indexes(of_target))) return;
    one->ended = CORE_OTHER_INDEXES;
}

/* Jobs of one spec have the same indexes. */
static bool needs_spec(const struct named *named)
{
    return named->is_pair && named->one->ended == 0 &&
           !fl_digest_eq(named->spec, named->item->spec_digest);
}

/* An item waits element by element for one job: the core refuses a second. */
static void collect(struct api_call *call, struct lookup *lookup,
                    const struct core_submit_item *items, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool has_pair = false;

        for (size_t k = 0; k < items[i].after_len; k++) {
            struct core_dependency *one = &items[i].after[k];
            bool is_pair = one->after.on == FL_ON_each && !has_pair;
            struct named named = {
                .job = one->after.job.n, .one = one, .item = &items[i], .is_pair = is_pair};

            has_pair |= is_pair;
            if (named.job) {
                fl_arena_push(&call->arena, &lookup->named, named);
            } else if (is_pair && one->after.line <= i) {
                const struct core_submit_item *target = &items[one->after.line - 1];

                if (fl_digest_eq(target->spec_digest, items[i].spec_digest)) continue;
                compare_indexes(&items[i], one, target->spec);
            }
        }
    }
    if (lookup->named.len > 1) {
        qsort(lookup->named.at, lookup->named.len, sizeof *lookup->named.at, by_job);
    }
}

static bool may_see(struct api_call *call, const struct read_job *job)
{
    char queue[64];

    if (call->token.queue[0] == '\0') return true;
    return directory_queue_name(call->parts->directory, job->queue, queue) &&
           api_may_see_queue(&call->token, fl_str_c(queue));
}

static void look(struct api_call *call);

static void on_jobs(struct api_call *call, const struct read_jobs *jobs)
{
    struct lookup *lookup = call->state;

    for (size_t i = 0; i < jobs->len; i++) {
        const struct read_job *job = &jobs->at[i];

        if (!may_see(call, job)) continue;
        for (size_t k = fl_vec_lower_bound(&lookup->named, job, job->job.n);
             k < lookup->named.len && lookup->named.at[k].job == job->job.n; k++) {
            lookup->named.at[k].one->ended = job->is_ended ? (uint8_t)job->state : 0;
            lookup->named.at[k].spec = job->row.spec;
        }
    }
    look(call);
}

/* ---- indexes --------------------------------------------------------------------------------- */

static void compare(struct api_call *call);

static bool is_of_next_spec(const struct lookup *lookup, size_t i, size_t from)
{
    return i > from && !fl_digest_eq(lookup->named.at[i].spec, lookup->named.at[i - 1].spec);
}

static void on_specs(struct api_call *call, const struct read_specs *specs)
{
    struct lookup *lookup = call->state;
    size_t from = lookup->compared, which = 0;

    for (; lookup->compared < lookup->named.len; lookup->compared++) {
        const struct named *named = &lookup->named.at[lookup->compared];

        if (is_of_next_spec(lookup, lookup->compared, from) && ++which == specs->len) break;
        if (specs->bodies[which].len == 0) continue;
        compare_indexes(named->item, named->one, specs->bodies[which]);
    }
    compare(call);
}

/* Reads the next so many specs; none is left: goes on. */
static void compare(struct api_call *call)
{
    struct lookup *lookup = call->state;
    struct read_spec specs[READ_SPECS_MAX];
    size_t len = 0;

    for (size_t i = lookup->compared; i < lookup->named.len; i++) {
        const struct named *named = &lookup->named.at[i];

        if (len > 0 && !is_of_next_spec(lookup, i, lookup->compared)) continue;
        if (len == READ_SPECS_MAX) break;
        specs[len++] = (struct read_spec){{named->job}, named->spec};
    }
    if (len > 0) {
        call_reads_specs(call, specs, len, on_specs);
        return;
    }
    call->state = lookup->state;
    call->on_end = lookup->on_end;
    lookup->then(call);
}

static void start_compare(struct api_call *call)
{
    struct lookup *lookup = call->state;
    size_t len = 0;

    for (size_t i = 0; i < lookup->named.len; i++) {
        if (needs_spec(&lookup->named.at[i])) lookup->named.at[len++] = lookup->named.at[i];
    }
    lookup->named.len = len;
    if (len > 1) qsort(lookup->named.at, len, sizeof *lookup->named.at, by_spec);
    compare(call);
}

/* ---- states ---------------------------------------------------------------------------------- */

/* The next so many different ones; none is left: goes on. */
static void look(struct api_call *call)
{
    struct lookup *lookup = call->state;
    struct fl_job jobs[READ_JOBS_IDS_MAX];
    size_t len = 0;

    for (; lookup->from < lookup->named.len; lookup->from++) {
        const struct named *named = &lookup->named.at[lookup->from];

        named->one->ended = CORE_NO_JOB;
        if (len > 0 && jobs[len - 1].n == named->job) continue;
        if (len == READ_JOBS_IDS_MAX) break;
        jobs[len++].n = named->job;
    }
    if (len > 0) {
        call_reads_jobs(call, jobs, len, on_jobs);
        return;
    }
    start_compare(call);
}

static void on_end(struct api_call *call)
{
    struct lookup *lookup = call->state;

    call->state = lookup->state;
    if (lookup->on_end) lookup->on_end(call);
}

void after_lookup(struct api_call *call, struct core_submit_item *items, size_t len,
                  void (*then)(struct api_call *call))
{
    struct lookup lookup = {.state = call->state, .on_end = call->on_end, .then = then};

    collect(call, &lookup, items, len);
    if (lookup.named.len == 0) { /* nearly all jobs */
        then(call);
        return;
    }
    call->state = fl_arena_copy(&call->arena, &lookup, sizeof lookup);
    call->on_end = on_end;
    look(call);
}
