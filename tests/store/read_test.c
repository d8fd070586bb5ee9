/* The reads of fronts, from a real Postgres: committed rows come back, in pages, by key. */
#include "controlplane/store/read_attempts.h"
#include "controlplane/store/read_audit.h"
#include "controlplane/store/read_elements.h"
#include "controlplane/store/read_events.h"
#include "controlplane/store/read_identity.h"
#include "controlplane/store/read_jobs.h"
#include "controlplane/store/read_specs.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})

struct world {
    char *conninfo;
    struct help *help;
    struct reader *reader;
    uint64_t batch;
    int answers;
    size_t troubles;
    char told[65536]; /* the answers in words */
    size_t told_len;
    uint64_t next;
    uint32_t row;
    uint32_t next_n;
    bool has_more;
    uint32_t behind_element; /* a further page of attempts begins here */
    uint16_t behind_n;
};

static void FL_PRINTF(2, 3) tell(struct world *world, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    world->told_len += (size_t)vsnprintf(world->told + world->told_len,
                                         sizeof world->told - world->told_len, fmt, args);
    va_end(args);
    assert_true(world->told_len < sizeof world->told);
}

static void on_trouble(void *ctx, const char *text)
{
    struct world *world = ctx;

    (void)text;
    world->troubles++;
}

static void turn(struct world *world)
{
    fl_ms now = help_now(), due = reader_deadline(world->reader, now);

    help_wait(due <= now ? 0 : due - now < 20 ? due - now : 20);
    reader_turn(world->reader, help_now());
}

/* One answer more. */
static const char *heard(struct world *world, uint64_t ask)
{
    fl_ms end = help_now() + HELP_WAIT_MS;
    int answers = world->answers;

    assert_true(ask > 0);
    world->told_len = 0;
    world->told[0] = '\0';
    while (world->answers == answers) {
        if (help_now() > end) fail_msg("no answer");
        turn(world);
    }
    return world->told;
}

static void setup(struct world *world)
{
    *world = (struct world){.conninfo = help_database()};
    world->help = help_create(world->conninfo, "a");
    assert_int_equal(help_take(world->help, 0), FL_OK);
    world->batch = world->help->taken.batch_newest;
    world->reader = reader_create(world->conninfo, help_waker(), on_trouble, world);
}

static void teardown(struct world *world)
{
    reader_destroy(world->reader);
    help_destroy(world->help);
    fl_free(world->conninfo);
}

static struct core_batch *next_batch(struct world *world)
{
    struct core_batch *batch = help_batch(++world->batch);

    batch->at = (fl_ms)world->batch * 1000;
    return batch;
}

static void commit(struct world *world, struct core_batch *batch)
{
    assert_int_equal(help_commit(world->help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void on_jobs(void *ctx, const struct read_jobs *jobs)
{
    struct world *world = ctx;

    world->answers++;
    world->next = jobs->next;
    if (jobs->err) tell(world, "%s: %s\n", fl_code_name(jobs->err->code), jobs->err->text);
    for (size_t i = 0; i < jobs->len; i++) {
        const struct read_job *job = &jobs->at[i];

        tell(world, "%" PRIu64 " queue=%u", job->job.n, job->queue.n);
        if (job->is_ended) {
            tell(world, " %s %s", job_state_name(job->state), reason_name(job->reason));
        }
        if (job->name.len > 0) {
            tell(world,
                 " " FL_STR_FMT " of " FL_STR_FMT " x%u priority=%d retry_of=%" PRIu64
                 " spec=%u labels=%zu",
                 FL_STR_ARG(job->name), FL_STR_ARG(job->owner), job->elements, job->priority,
                 job->retry_of.n, job->spec.at[0], job->labels.len);
            tell(world, " params=" FL_STR_FMT " %" PRId64 "-%" PRId64, FL_STR_ARG(job->params),
                 job->accepted_at, job->ended_at);
            if (job->has_exit) tell(world, " #%u exit=%d", job->attempt, job->exit_code);
            if (job->is_picked) tell(world, " picked=%zu", job->picked.len);
        }
        tell(world, "\n");
    }
}

static struct fl_str used(uint64_t cpu_us)
{
    static uint8_t bytes[FL_USAGE_BYTES];

    return fl_usage_write(&(struct fl_usage){FL_METER_group, 2, cpu_us, 7 << 20, 8, 9}, bytes);
}

/* Six jobs: plain ones of two queues that ended, one that is open, an array, one of chosen
 * elements. */
static void fill(struct world *world)
{
    struct core_batch *batch = next_batch(world);
    struct fl_digest digest = {{7}};

    for (uint64_t job = 1; job <= 6; job++) {
        help_row(batch,
                 ROW(job_new, .job = job, .tenant = job == 4 ? 2 : 1, .queue = 1 + job % 2,
                     .shape = 1, .priority = -3, .elements = job == 5 ? 2 : 1, .spec = digest,
                     .retry_of = job == 6 ? 3 : 0, .name = FL_STR("n"),
                     .owner = job < 3 ? FL_STR("ann") : FL_STR(""),
                     .labels = job < 3 ? FL_STR("a=1\nteam=x\n") : FL_STR("team=y\n"),
                     .params = FL_STR("{}"), .picked = job == 6 ? FL_STR("\2\0") : FL_STR("")));
    }
    help_row(batch, ROW(spec_new, .job = 0, .digest = digest, .body = FL_STR("{\"spec\":1}")));
    for (uint64_t job = 1; job <= 5; job++) {
        help_row(batch, ROW(attempt_new, .job = job, .n = 1, .incarnation = 1, .cluster = 3,
                            .nodes = FL_STR("n1")));
    }
    help_row(batch, ROW(attempt_new, .job = 6, .element = 2, .n = 1, .incarnation = 1, .cluster = 3,
                        .nodes = FL_STR("n1")));
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("submit")));
    help_row(batch, ROW(audit, .tenant = 2, .actor = FL_STR("eve"), .body = FL_STR("submit")));
    commit(world, batch);
    batch = next_batch(world);
    help_row(batch,
             ROW(replica_phase, .job = 2, .n = 1, .state = FL_REPLICA_exited, .exit_code = 3));
    help_row(batch, ROW(replica_phase, .job = 1, .n = 1, .state = FL_REPLICA_exited));
    help_row(batch, ROW(element_end, .job = 1, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded, .first_replica = UINT32_MAX));
    help_row(batch, ROW(job_end, .job = 1, .state = JOB_succeeded, .reason = REASON_Succeeded));
    help_row(batch, ROW(attempt_end, .job = 2, .n = 1, .reason = REASON_ReplicaFailed,
                        .exit_code = 3, .usage = used(700)));
    help_row(batch, ROW(attempt_new, .job = 2, .n = 2, .incarnation = 1, .cluster = 4));
    help_row(batch, ROW(element_end, .job = 4, .n = 1, .state = JOB_failed,
                        .reason = REASON_ReplicaFailed, .exit_code = 1));
    help_row(batch, ROW(job_end, .job = 4, .state = JOB_failed, .reason = REASON_ReplicaFailed));
    help_row(batch, ROW(element_end, .job = 5, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded));
    help_row(batch, ROW(audit, .tenant = 0, .actor = FL_STR("agent"), .body = FL_STR("refused")));
    commit(world, batch);
    batch = next_batch(world);
    help_row(batch, ROW(element_end, .job = 2, .n = 2, .state = JOB_failed,
                        .reason = REASON_RetriesSpent, .exit_code = 9));
    help_row(batch, ROW(job_end, .job = 2, .state = JOB_failed, .reason = REASON_RetriesSpent));
    help_row(batch, ROW(job_end, .job = 5, .state = JOB_cancelled, .reason = REASON_Cancelled,
                        .is_array = 1));
    help_row(batch, ROW(element_end, .job = 6, .element = 2, .n = 1, .state = JOB_succeeded,
                        .reason = REASON_Succeeded));
    help_row(batch, ROW(job_end, .job = 6, .state = JOB_succeeded, .reason = REASON_Succeeded,
                        .is_array = 1));
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("cancel")));
    commit(world, batch);
}

static const char *page(struct world *world, struct read_jobs_query query)
{
    struct fl_err err = {0};

    query.tenant.n = query.tenant.n ? query.tenant.n : 1;
    return heard(world, read_jobs_page(world->reader, &query, on_jobs, world, &err));
}

static void ended_jobs_come_in_pages_by_queue_state_and_label(void **state)
{
    struct read_jobs_query query = {.walk = 4};
    struct fl_err err = {0};
    char long_filter[READ_JOBS_LABELS_BYTES_MAX + 1] = {0};
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    assert_string_equal(page(&world, (struct read_jobs_query){0}),
                        "6 queue=1 succeeded Succeeded\n5 queue=2 cancelled Cancelled\n"
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_int_equal(world.next, 0);
    assert_string_equal(page(&world, query),
                        "6 queue=1 succeeded Succeeded\n5 queue=2 cancelled Cancelled\n");
    assert_int_equal(world.next, 3); /* 4 is another tenant's, 3 is open: the page is short */
    query.before = world.next;
    assert_string_equal(page(&world, query),
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_int_equal(world.next, 0);
    assert_string_equal(page(&world, (struct read_jobs_query){.queue = {1}}),
                        "6 queue=1 succeeded Succeeded\n2 queue=1 failed RetriesSpent\n");
    assert_string_equal(page(&world, (struct read_jobs_query){.queue = {1}, .before = 6}),
                        "2 queue=1 failed RetriesSpent\n");
    assert_string_equal(page(&world, (struct read_jobs_query){.queue = {3}}), "");
    assert_string_equal(
        page(&world, (struct read_jobs_query){.states = 1 << (JOB_failed - JOB_succeeded)}),
        "2 queue=1 failed RetriesSpent\n");
    assert_string_equal(page(&world, (struct read_jobs_query){.labels = FL_STR("team=x\na=1\n")}),
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_string_equal(page(&world, (struct read_jobs_query){.labels = FL_STR("team=")}), "");
    assert_string_equal(page(&world, (struct read_jobs_query){.owner = FL_STR("ann")}),
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_string_equal(page(&world, (struct read_jobs_query){.owner = FL_STR("an")}), "");
    assert_string_equal(page(&world, (struct read_jobs_query){.owner = FL_STR("ann"),
                                                              .labels = FL_STR("team=y\n")}),
                        "");
    assert_string_equal(page(&world, (struct read_jobs_query){.tenant = {2}}),
                        "4 queue=1 failed ReplicaFailed\n");
    query.labels = (struct fl_str){long_filter, sizeof long_filter};
    assert_int_equal(read_jobs_page(world.reader, &query, on_jobs, &world, &err), 0);
    assert_int_equal(err.code, FL_INVALID);
    query = (struct read_jobs_query){.owner = {long_filter, sizeof long_filter}};
    assert_int_equal(read_jobs_page(world.reader, &query, on_jobs, &world, &err), 0);
    assert_string_equal(err.text, "an owner has at most 63 bytes");
    teardown(&world);
}

static void on_specs(void *ctx, const struct read_specs *specs)
{
    struct world *world = ctx;

    world->answers++;
    for (size_t i = 0; i < specs->len; i++) {
        tell(world, "%zu: " FL_STR_FMT "\n", i,
             FL_STR_ARG(specs->bodies[i].at ? specs->bodies[i] : FL_STR("none")));
    }
}

static void documents_come_by_id_and_specs_by_digest(void **state)
{
    const struct fl_job jobs[] = {{2}, {3}, {4}, {5}, {6}, {99}};
    const struct read_spec specs[] = {{{999999}, {{8}}}, {{6}, {{7}}}, {{2000000}, {{7}}}};
    struct fl_err err = {0};
    struct world world;
    const char *told;

    (void)state;
    setup(&world);
    fill(&world);
    told = heard(&world, read_jobs_by_id(world.reader, (struct fl_tenant){1}, jobs, 6, on_jobs,
                                         &world, &err));
    assert_non_null(strstr(told,
                           "2 queue=1 failed RetriesSpent n of ann x1 priority=-3 retry_of=0 spec=7"
                           " labels=11 params={} 1000-3000 #2 exit=9\n"));
    assert_non_null(strstr(told,
                           "3 queue=2 n of  x1 priority=-3 retry_of=0 spec=7 labels=7 params={}"
                           " 1000-0\n"));
    assert_non_null(strstr(told,
                           "5 queue=2 cancelled Cancelled n of  x2 priority=-3 retry_of=0 spec=7"
                           " labels=7 params={} 1000-3000\n"));
    assert_non_null(strstr(told,
                           "6 queue=1 succeeded Succeeded n of  x1 priority=-3 retry_of=3 spec=7"
                           " labels=7 params={} 1000-3000 picked=2\n"));
    assert_null(strstr(told, "4 queue")); /* another tenant's */
    assert_string_equal(heard(&world, read_specs(world.reader, specs, 3, on_specs, &world, &err)),
                        "0: none\n1: {\"spec\":1}\n2: none\n");
    teardown(&world);
}

static const char *newest(struct world *world, uint32_t tenant, uint32_t queue)
{
    static const struct fl_digest digests[] = {{{8}}, {{7}}};
    struct fl_err err = {0};

    return heard(world, read_specs_of_newest(world->reader, (struct fl_tenant){tenant},
                                             (struct fl_queue_id){queue}, digests, 2, on_specs,
                                             world, &err));
}

static void a_spec_is_found_by_digest_where_a_job_that_has_it_may_be_seen(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    assert_string_equal(newest(&world, 1, 0), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 1, 2), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 2, 1), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 2, 2), "0: none\n1: none\n"); /* its one job is of queue 1 */
    assert_string_equal(newest(&world, 3, 0), "0: none\n1: none\n");
    teardown(&world);
}

/* ---- attempts, events, audit ----------------------------------------------------------------- */

static void on_attempts(void *ctx, const struct read_attempts *attempts)
{
    struct world *world = ctx;

    world->answers++;
    world->has_more = attempts->has_more;
    world->behind_element = attempts->element;
    world->behind_n = attempts->n;
    for (size_t i = 0; i < attempts->len; i++) {
        const struct read_attempt *at = &attempts->at[i];

        tell(world, "%u#%u cluster=%u nodes=" FL_STR_FMT " from %" PRId64, at->attempt.element,
             at->attempt.n, at->cluster.n, FL_STR_ARG(at->nodes), at->began_at);
        if (at->is_ended) {
            tell(world, " to %" PRId64 " %s exit=%d%s", at->ended_at, reason_name(at->reason),
                 at->exit_code, at->is_last ? " last" : "");
            if (at->usage.meter != FL_METER_none) {
                tell(world, " used %" PRIu64 " us, %" PRIu64 " bytes of %u", at->usage.cpu_us,
                     at->usage.memory_bytes, at->usage.replicas);
            }
        }
        tell(world, "\n");
    }
}

static uint64_t ask_attempts(struct world *world, struct read_attempts_query query)
{
    struct fl_err err = {0};

    return read_attempts(world->reader, &query, on_attempts, world, &err);
}

static void attempts_come_in_order_with_their_ends(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    assert_string_equal(
        heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {2}})),
        "0#1 cluster=3 nodes=n1 from 1000 to 2000 ReplicaFailed exit=3 used 700 us, 7340032 bytes "
        "of 2\n"
        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_false(world.has_more);
    assert_string_equal(
        heard(&world,
              ask_attempts(&world, (struct read_attempts_query){.job = {2}, .n = 1, .len_max = 1})),
        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_true(world.has_more);
    assert_string_equal(
        heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {3}})),
        "0#1 cluster=3 nodes=n1 from 1000\n");
    teardown(&world);
}

static void sql_reads_the_numbers_of_a_usage(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    help_run(world.conninfo,
             "do $$ begin"
             " if (select array[get_byte(usage, 0), usage_number(usage, 2, 4),"
             " usage_number(usage, 6, 8), usage_number(usage, 14, 8), usage_number(usage, 22, 8),"
             " usage_number(usage, 30, 8)] from attempt_end where job = 2)"
             " is distinct from array[2, 2, 700, 7 << 20, 8, 9]::bigint[]"
             " or usage_number(null, 6, 8) is not null"
             " or usage_number('\\x7fffffffffffffff', 1, 8) <> 9223372036854775807"
             " then raise exception 'it reads other numbers'; end if; end $$");
    teardown(&world);
}

static const char *next_in_state(struct world *world, struct read_attempts_query query)
{
    query.element = world->behind_element;
    query.n = world->behind_n;
    return heard(world, ask_attempts(world, query));
}

/* One answer looks at 100,000 ends; an array has two more. */
static void attempts_that_ended_in_a_state_are_found_among_many(void **state)
{
    struct read_attempts_query failed = {.job = {7}, .state = JOB_failed};
    struct read_attempts_query first = {.job = {7}, .state = JOB_failed, .len_max = 1};
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    help_run(
        world.conninfo,
        "insert into element_end(job, batch, element, n, exit_code, first_replica, state, reason)"
        " select 7, 1, i, 1, 3, 0, case when i in (0, 50000, 100001) then 17 else 16 end, 1"
        " from generate_series(0, 100001) i;"
        "insert into attempt(job, batch, element, n, prev, incarnation, cluster, nodes)"
        " select 7, 1, i, 1, 0, 1, 3, '' from unnest(array[0, 1, 50000, 100001]) i");
    (void)heard(&world, ask_attempts(&world, failed));
    assert_non_null(strstr(world.told, "0#1 cluster=3"));
    assert_non_null(strstr(world.told, "50000#1 cluster=3"));
    assert_null(strstr(world.told, "100001#1"));
    assert_true(world.has_more);
    (void)next_in_state(&world, failed);
    assert_non_null(strstr(world.told, "100001#1 cluster=3"));
    assert_null(strstr(world.told, "50000#1"));
    assert_false(world.has_more);

    world.behind_element = world.behind_n = 0; /* one at a time */
    for (int i = 0; i < 3; i++) {
        static const char *const want[] = {"0#1 ", "50000#1 ", "100001#1 "};

        assert_memory_equal(next_in_state(&world, first), want[i], strlen(want[i]));
        assert_true(world.has_more);
    }
    assert_string_equal(next_in_state(&world, first), "");
    assert_false(world.has_more);

    assert_string_equal(
        heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {7},
                                                                        .state = JOB_cancelled})),
        "");
    assert_true(world.has_more); /* there are ends that were not looked at */
    assert_string_equal(
        heard(&world,
              ask_attempts(&world, (struct read_attempts_query){.job = {2}, .state = JOB_failed})),
        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_false(world.has_more);
    teardown(&world);
}

static void on_counts(void *ctx, const struct read_element_counts *counts)
{
    struct world *world = ctx;

    world->answers++;
    if (counts->err) tell(world, "%s\n", counts->err->text);
    for (size_t i = 0; i < counts->len; i++) {
        const struct read_element_count *at = &counts->at[i];

        tell(world, "%" PRIu64 ": %u %u %u\n", at->job.n, at->succeeded, at->failed, at->cancelled);
    }
}

static void ends_of_elements_are_counted_by_state(void **state)
{
    const struct fl_job jobs[] = {{2}, {3}, {7}};
    struct fl_err err = {0};
    struct core_batch *batch;
    struct world world;
    const char *told;

    (void)state;
    setup(&world);
    fill(&world);
    batch = next_batch(&world);
    help_row(batch, ROW(job_new, .job = 7, .tenant = 1, .queue = 1, .shape = 1, .elements = 9,
                        .spec = {{7}}, .name = FL_STR("n"), .labels = FL_STR(""),
                        .params = FL_STR("{}"), .picked = FL_STR("")));
    for (uint32_t i = 0; i < 6; i++) {
        help_row(batch, ROW(element_end, .job = 7, .element = i, .n = 1,
                            .state = i < 3   ? JOB_succeeded
                                     : i < 5 ? JOB_failed
                                             : JOB_cancelled));
    }
    commit(&world, batch);
    told = heard(&world, read_element_counts(world.reader, jobs, 3, on_counts, &world, &err));
    assert_non_null(strstr(told, "2: 0 1 0\n"));
    assert_non_null(strstr(told, "3: 0 0 0\n")); /* it is open */
    assert_non_null(strstr(told, "7: 3 2 1\n"));
    teardown(&world);
}

static void on_events(void *ctx, const struct read_events *events)
{
    struct world *world = ctx;

    world->answers++;
    world->next = events->batch;
    world->row = events->row;
    world->has_more = events->has_more;
    if (events->err) tell(world, "%s: %s\n", fl_code_name(events->err->code), events->err->text);
    for (size_t i = 0; i < events->len; i++) {
        tell(world, "%" PRIu64 ".%u %s\n", events->at[i].batch, events->at[i].n,
             row_kind_name(events->at[i].row.kind));
    }
}

static void events_of_a_job_are_found_in_the_journal(void **state)
{
    static const char of_two[] =
        "1.1 job_new\n1.8 attempt_new\n2.0 replica_phase\n2.4 attempt_end\n"
        "2.5 attempt_new\n3.0 element_end\n3.1 job_end\n";
    struct fl_err err = {0};
    struct world world;
    uint64_t batch;
    size_t events = 0;

    (void)state;
    setup(&world);
    fill(&world);
    for (uint64_t i = 0; i < 40; i++) { /* batches without the job */
        struct core_batch *other = next_batch(&world);

        help_row(other, ROW(cluster_phase, .cluster = 1));
        commit(&world, other);
    }
    assert_string_equal(heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 0, 0,
                                                         on_events, &world, &err)),
                        of_two);
    assert_int_equal(world.next, 3);
    assert_false(world.has_more);
    assert_string_equal(heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 2, 0,
                                                         on_events, &world, &err)),
                        "3.0 element_end\n3.1 job_end\n");
    assert_string_equal(heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 3, 0,
                                                         on_events, &world, &err)),
                        "");
    assert_string_equal(heard(&world, read_events_since(world.reader, 0, 0, (struct fl_job){2},
                                                        on_events, &world, &err)),
                        of_two);
    assert_int_equal(world.next, READ_EVENTS_BATCHES_MAX);
    assert_true(world.has_more);
    for (batch = 3; events == 0 || world.has_more; batch = world.next) {
        const char *told =
            heard(&world, read_events_since(world.reader, batch, 0, (struct fl_job){0}, on_events,
                                            &world, &err));

        for (; (told = strchr(told, '\n')); told++) {
            events++;
        }
    }
    assert_int_equal(events, 40);
    assert_int_equal(world.next, 43);
    (void)heard(&world, read_events_newest(world.reader, on_events, &world, &err));
    assert_int_equal(world.next, 43);
    teardown(&world);
}

/* So no answer is long work for the front that asked. */
static void a_large_batch_comes_in_several_answers(void **state)
{
    enum { ROWS = 2 * READ_EVENTS_MAX + 500 };
    struct fl_err err = {0};
    struct world world;
    struct core_batch *large;
    size_t events = 0, answers = 0;
    const char *told = NULL;
    char text[32];

    (void)state;
    setup(&world);
    fill(&world);
    large = next_batch(&world);
    for (uint32_t i = 0; i < ROWS; i++) {
        help_row(large, ROW(cluster_phase, .cluster = 1));
    }
    commit(&world, large); /* the fourth */
    world.next = 3;
    world.row = 0;
    do {
        told = heard(&world, read_events_since(world.reader, world.next, world.row,
                                               (struct fl_job){0}, on_events, &world, &err));
        snprintf(text, sizeof text, "4.%zu ", events);
        assert_int_equal(strncmp(told, text, strlen(text)), 0);
        for (; (told = strchr(told, '\n')); told++) {
            events++;
        }
        answers++;
    } while (world.has_more);
    assert_int_equal(events, ROWS);
    assert_int_equal(answers, 3);
    assert_int_equal(world.next, 4);
    assert_int_equal(world.row, 0);
    teardown(&world);
}

static void on_audit(void *ctx, const struct read_audit *audit)
{
    struct world *world = ctx;

    world->answers++;
    world->next = audit->batch;
    world->next_n = audit->n;
    world->has_more = audit->has_more;
    for (size_t i = 0; i < audit->len; i++) {
        tell(world, "%" PRId64 " " FL_STR_FMT " " FL_STR_FMT "\n", audit->at[i].at,
             FL_STR_ARG(audit->at[i].actor), FL_STR_ARG(audit->at[i].body));
    }
}

static void audit_rows_come_newest_first(void **state)
{
    const struct fl_tenant tenant = {1};
    struct fl_err err = {0};
    struct world world;

    (void)state;
    setup(&world);
    fill(&world);
    assert_string_equal(
        heard(&world, read_audit(world.reader, tenant, 0, 0, 0, on_audit, &world, &err)),
        "3000 ann cancel\n2000 agent refused\n1000 ann submit\n");
    assert_false(world.has_more);
    (void)heard(&world, read_audit(world.reader, tenant, 0, 0, 3, on_audit, &world, &err));
    assert_true(world.has_more);
    assert_string_equal(heard(&world, read_audit(world.reader, tenant, world.next, world.next_n, 3,
                                                 on_audit, &world, &err)),
                        "1000 ann submit\n");
    teardown(&world);
}

/* ---- identity -------------------------------------------------------------------------------- */

static void on_row(void *ctx, const struct row *row)
{
    struct world *world = ctx;
    char text[512];

    assert_true(read_identity_is(row));
    row_print(row, text, sizeof text);
    tell(world, "%s\n", text);
}

static void on_done(void *ctx, const struct fl_err *err, uint64_t batch)
{
    struct world *world = ctx;

    world->answers++;
    tell(world, "%s %" PRIu64 "\n", err ? fl_code_name(err->code) : "done", batch);
}

static size_t lines_with(const char *text, const char *word)
{
    size_t n = 0;

    for (; (text = strstr(text, word)); text++) {
        n++;
    }
    return n;
}

static void who_may_come_in_is_read_page_by_page(void **state)
{
    struct fl_err err = {0};
    struct core_batch *batch;
    struct world world;

    (void)state;
    setup(&world);
    assert_string_equal(heard(&world, read_identity(world.reader, on_row, on_done, &world, &err)),
                        "done 0\n");
    batch = next_batch(&world);
    help_row(batch, ROW(queue_put, .queue = 1, .tenant = 1, .is_paused = 1, .name = FL_STR("ml")));
    help_row(batch, ROW(cluster_put, .cluster = 1, .state = 1, .access = 2, .session_epoch = 4,
                        .generation = 3, .seen = 2, .key = {{1}}, .name = FL_STR("east"),
                        .uid = FL_STR("u"), .uuid = FL_STR("uuid")));
    help_row(batch,
             ROW(join_put, .token = {{9}}, .tenant = 1, .expires_at = 77, .name = FL_STR("west")));
    help_row(batch, ROW(token_put, .tenant = 1, .scopes = 3, .made_at = 5, .mac = {{2}},
                        .id = FL_STR("t1"), .name = FL_STR("ci"), .queue = FL_STR("ml")));
    commit(&world, batch);
    assert_string_equal(
        heard(&world, read_identity(world.reader, on_row, on_done, &world, &err)),
        "queue_put queue=1 tenant=1 is_paused=1 name=ml is_removed=0\n"
        "cluster_put cluster=1 state=1 access=2 is_draining=0 session_epoch=4 generation=3 seen=2"
        " key=01000000 name=east uid=u uuid=uuid\n"
        "join_put token=09000000 tenant=1 expires_at=77 cluster=0 key=00000000 name=west\n"
        "token_put tenant=1 scopes=3 made_at=5 expires_at=0 mac=02000000 id=t1 name=ci queue=ml\n"
        "done 1\n");
    help_run(world.conninfo,
             "insert into queue select i, 1, false, 'q' || i from generate_series(2, 60) i;"
             "insert into join_token select sha256(i::text::bytea), 1, i, 0, sha256('k'), 'c'"
             " from generate_series(1, 40) i");
    (void)heard(&world, read_identity(world.reader, on_row, on_done, &world, &err));
    assert_int_equal(lines_with(world.told, "queue_put"), 60);
    assert_int_equal(lines_with(world.told, "join_put"), 41);
    teardown(&world);
}

/* ---- the connection -------------------------------------------------------------------------- */

static void end_readers(const struct world *world)
{
    help_run(world->conninfo, "select pg_terminate_backend(pid) from pg_stat_activity"
                              " where application_name = 'fairlead front'");
}

static void a_lost_connection_is_made_again_and_what_was_asked_is_asked_again(void **state)
{
    struct fl_err err = {0};
    struct world world;
    uint64_t last = 0;

    (void)state;
    setup(&world);
    fill(&world);
    (void)page(&world, (struct read_jobs_query){0});
    for (int i = 0; i < 40; i++) {
        last = read_events_newest(world.reader, on_events, &world, &err);
        assert_true(last > 0);
    }
    reader_turn(world.reader, help_now());
    end_readers(&world);
    while (world.answers < 41) {
        (void)heard(&world, last);
        assert_int_equal(world.next, 3);
    }
    end_readers(&world);
    (void)page(&world, (struct read_jobs_query){0});
    assert_true(reader_stats(world.reader).lost > 0 && world.troubles > 0);
    assert_int_equal(reader_stats(world.reader).waiting, 0);
    teardown(&world);
}

static void what_is_forgotten_is_not_answered_and_what_is_too_much_is_refused(void **state)
{
    const struct fl_job job = {2};
    struct fl_err err = {0};
    struct world world;
    uint64_t forgotten;

    (void)state;
    setup(&world);
    fill(&world);
    forgotten = read_events_of_job(world.reader, job, 0, 0, on_events, &world, &err);
    reader_forget(world.reader, forgotten);
    (void)page(&world, (struct read_jobs_query){0});
    assert_int_equal(world.answers, 1);
    for (int i = 0; i < READER_ASKS_MAX; i++) {
        assert_true(read_events_newest(world.reader, on_events, &world, &err) > 0);
    }
    assert_int_equal(read_events_newest(world.reader, on_events, &world, &err), 0);
    assert_int_equal(err.code, FL_FULL);
    while (world.answers < 1 + READER_ASKS_MAX) {
        (void)heard(&world, 1);
    }
    teardown(&world);
}

static void without_a_database_the_answer_is_that_there_is_none(void **state)
{
    struct world world = {0};
    struct fl_err err = {0};
    fl_ms now = 1000;

    (void)state;
    world.reader =
        reader_create("host=/nowhere/at/all user=nobody", help_waker(), on_trouble, &world);
    assert_true(read_events_newest(world.reader, on_events, &world, &err) > 0);
    for (; world.answers == 0 && now < 1000 + 2 * READER_WAIT_MS; now += 50) {
        assert_true(reader_deadline(world.reader, now) <= 1000 + READER_WAIT_MS);
        reader_turn(world.reader, now);
    }
    assert_int_equal(now, 1000 + READER_WAIT_MS + 50);
    assert_string_equal(world.told, "unavailable: the database does not answer\n");
    assert_true(world.troubles > 3 && world.troubles < 12); /* it backs off */
    reader_destroy(world.reader);
}

FL_TESTS(cmocka_unit_test(ended_jobs_come_in_pages_by_queue_state_and_label),
         cmocka_unit_test(documents_come_by_id_and_specs_by_digest),
         cmocka_unit_test(a_spec_is_found_by_digest_where_a_job_that_has_it_may_be_seen),
         cmocka_unit_test(attempts_come_in_order_with_their_ends),
         cmocka_unit_test(sql_reads_the_numbers_of_a_usage),
         cmocka_unit_test(attempts_that_ended_in_a_state_are_found_among_many),
         cmocka_unit_test(ends_of_elements_are_counted_by_state),
         cmocka_unit_test(events_of_a_job_are_found_in_the_journal),
         cmocka_unit_test(a_large_batch_comes_in_several_answers),
         cmocka_unit_test(audit_rows_come_newest_first),
         cmocka_unit_test(who_may_come_in_is_read_page_by_page),
         cmocka_unit_test(a_lost_connection_is_made_again_and_what_was_asked_is_asked_again),
         cmocka_unit_test(what_is_forgotten_is_not_answered_and_what_is_too_much_is_refused),
         cmocka_unit_test(without_a_database_the_answer_is_that_there_is_none))
