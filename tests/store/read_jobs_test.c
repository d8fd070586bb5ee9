/* Jobs and their specs, read from a real Postgres: by id, by digest, in pages by key. */
#include "controlplane/store/read_jobs.h"
#include "controlplane/store/read_specs.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/read_help.h"

static void ended_jobs_come_in_pages_by_queue_state_and_label(void **state)
{
    struct read_jobs_query query = {.walk = 4};
    struct fl_err err = {0};
    char long_filter[READ_JOBS_LABELS_BYTES_MAX + 1] = {0};
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    assert_string_equal(read_page(&world, (struct read_jobs_query){0}),
                        "6 queue=1 succeeded Succeeded\n5 queue=2 cancelled Cancelled\n"
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_int_equal(world.next, 0);
    assert_string_equal(read_page(&world, query),
                        "6 queue=1 succeeded Succeeded\n5 queue=2 cancelled Cancelled\n");
    assert_int_equal(world.next, 3); /* 4 is another tenant's, 3 is open: the page is short */
    query.before = world.next;
    assert_string_equal(read_page(&world, query),
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_int_equal(world.next, 0);
    assert_string_equal(read_page(&world, (struct read_jobs_query){.queue = {1}}),
                        "6 queue=1 succeeded Succeeded\n2 queue=1 failed RetriesSpent\n");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.queue = {1}, .before = 6}),
                        "2 queue=1 failed RetriesSpent\n");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.queue = {3}}), "");
    assert_string_equal(
        read_page(&world, (struct read_jobs_query){.states = 1 << (JOB_failed - JOB_succeeded)}),
        "2 queue=1 failed RetriesSpent\n");
    assert_string_equal(
        read_page(&world, (struct read_jobs_query){.labels = FL_STR("team=x\na=1\n")}),
        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.labels = FL_STR("team=")}), "");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.owner = FL_STR("ann")}),
                        "2 queue=1 failed RetriesSpent\n1 queue=2 succeeded Succeeded\n");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.owner = FL_STR("an")}), "");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.owner = FL_STR("ann"),
                                                                   .labels = FL_STR("team=y\n")}),
                        "");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.name = FL_STR("nam*1")}),
                        "1 queue=2 succeeded Succeeded\n");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.name = FL_STR("name")}), "");
    assert_string_equal(read_page(&world, (struct read_jobs_query){.tenant = {2}}),
                        "4 queue=1 failed ReplicaFailed\n");
    assert_string_equal(
        read_page(&world, (struct read_jobs_query){.with_open = true, .queue = {2}}),
        "5 queue=2 cancelled Cancelled\n3 queue=2\n1 queue=2 succeeded Succeeded\n");
    query.labels = (struct fl_str){long_filter, sizeof long_filter};
    assert_int_equal(read_jobs_page(world.reader, &query, read_tell_jobs, &world, &err), 0);
    assert_int_equal(err.code, FL_INVALID);
    query = (struct read_jobs_query){.owner = {long_filter, sizeof long_filter}};
    assert_int_equal(read_jobs_page(world.reader, &query, read_tell_jobs, &world, &err), 0);
    assert_string_equal(err.text, "an owner has at most 63 bytes");
    query = (struct read_jobs_query){.name = {long_filter, sizeof long_filter}};
    assert_int_equal(read_jobs_page(world.reader, &query, read_tell_jobs, &world, &err), 0);
    assert_string_equal(err.text, "a name has at most 253 bytes");
    read_teardown(&world);
}

static void on_specs(void *ctx, const struct read_specs *specs)
{
    struct read_world *world = ctx;

    world->answers++;
    for (size_t i = 0; i < specs->len; i++) {
        read_tell(world, "%zu: " FL_STR_FMT "\n", i,
                  FL_STR_ARG(specs->bodies[i].at ? specs->bodies[i] : FL_STR("none")));
    }
}

static void documents_come_by_id_and_specs_by_digest(void **state)
{
    const struct fl_job jobs[] = {{2}, {3}, {4}, {5}, {6}, {99}};
    const struct read_spec specs[] = {{{999999}, {{8}}}, {{6}, {{7}}}, {{2000000}, {{7}}}};
    struct fl_err err = {0};
    struct read_world world;
    const char *told;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    told = read_heard(&world, read_jobs_by_id(world.reader, (struct fl_tenant){1}, jobs, 6,
                                              read_tell_jobs, &world, &err));
    assert_non_null(strstr(told,
                           "2 queue=1 failed RetriesSpent n of ann x1 priority=-3 retry_of=0 spec=7"
                           " labels=11 params={} 1000-3000 #2 exit=9\n"));
    assert_non_null(strstr(told,
                           "3 queue=2 n of  x1 priority=-3 retry_of=0 spec=7 labels=7 params={}"
                           " 1000-0 after=9 singleton\n"));
    assert_non_null(strstr(told,
                           "5 queue=2 cancelled Cancelled n of  x2 priority=-3 retry_of=0 spec=7"
                           " labels=7 params={} 1000-3000 parallelism=1\n"));
    assert_non_null(strstr(told,
                           "6 queue=1 succeeded Succeeded n of  x1 priority=-3 retry_of=3 spec=7"
                           " labels=7 params={} 1000-3000 picked=2\n"));
    assert_null(strstr(told, "4 queue")); /* another tenant's */
    assert_string_equal(
        read_heard(&world, read_specs(world.reader, specs, 3, on_specs, &world, &err)),
        "0: none\n1: {\"spec\":1}\n2: none\n");
    read_teardown(&world);
}

static void tell_damaged(void *ctx, const struct read_jobs *jobs)
{
    struct read_world *world = ctx;

    world->answers++;
    if (jobs->err) read_tell(world, "%s\n", jobs->err->text);
    for (size_t i = 0; i < jobs->len; i++) {
        read_tell(world, "job %" PRIu64 "\n", jobs->at[i].job.n);
    }
}

static void a_row_that_cannot_be_read_costs_its_own_job_alone(void **state)
{
    const struct fl_job jobs[] = {{2}, {3}};
    const struct fl_tenant tenant = {1};
    struct fl_err err = {0};
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    help_run(world.conninfo, "update job set spec = '\\x07' where id = 2");
    assert_string_equal(read_heard(&world, read_jobs_by_id(world.reader, tenant, jobs, 2,
                                                           tell_damaged, &world, &err)),
                        "job 3\n");
    assert_int_equal(world.troubles, 1); /* told for the log */
    assert_string_equal(read_heard(&world, read_jobs_by_id(world.reader, tenant, jobs, 1,
                                                           tell_damaged, &world, &err)),
                        "the row of job 2 cannot be read\n");
    read_teardown(&world);
}

static const char *newest(struct read_world *world, uint32_t tenant, uint32_t queue)
{
    static const struct fl_digest digests[] = {{{8}}, {{7}}};
    struct fl_err err = {0};

    return read_heard(world, read_specs_of_newest(world->reader, (struct fl_tenant){tenant},
                                                  (struct fl_queue_id){queue}, digests, 2, on_specs,
                                                  world, &err));
}

static void a_spec_is_found_by_digest_where_a_job_that_has_it_may_be_seen(void **state)
{
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    assert_string_equal(newest(&world, 1, 0), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 1, 2), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 2, 1), "0: none\n1: {\"spec\":1}\n");
    assert_string_equal(newest(&world, 2, 2), "0: none\n1: none\n"); /* its one job is of queue 1 */
    assert_string_equal(newest(&world, 3, 0), "0: none\n1: none\n");
    read_teardown(&world);
}

FL_TESTS(cmocka_unit_test(ended_jobs_come_in_pages_by_queue_state_and_label),
         cmocka_unit_test(documents_come_by_id_and_specs_by_digest),
         cmocka_unit_test(a_row_that_cannot_be_read_costs_its_own_job_alone),
         cmocka_unit_test(a_spec_is_found_by_digest_where_a_job_that_has_it_may_be_seen))
