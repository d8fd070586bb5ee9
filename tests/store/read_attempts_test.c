/* Attempts, ends of elements, events and audit, read from a real Postgres. */
#include "controlplane/store/read_attempts.h"
#include "controlplane/store/read_audit.h"
#include "controlplane/store/read_elements.h"
#include "controlplane/store/read_events.h"
#include "controlplane/store/read_failures.h"
#include "controlplane/store/read_job_queues.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/store/read_help.h"

static void on_attempts(void *ctx, const struct read_attempts *attempts)
{
    struct read_world *world = ctx;

    world->answers++;
    world->has_more = attempts->has_more;
    world->behind_element = attempts->element;
    world->behind_n = attempts->n;
    for (size_t i = 0; i < attempts->len; i++) {
        const struct read_attempt *at = &attempts->at[i];

        read_tell(world, "%u#%u cluster=%u nodes=" FL_STR_FMT " from %" PRId64, at->attempt.element,
                  at->attempt.n, at->cluster.n, FL_STR_ARG(at->nodes), at->began_at);
        if (at->is_ended) {
            read_tell(world, " to %" PRId64 " %s exit=%d%s", at->ended_at, reason_name(at->reason),
                      at->exit_code, at->is_last ? " last" : "");
            if (at->usage.meter != FL_METER_none) {
                read_tell(world, " used %" PRIu64 " us, %" PRIu64 " bytes of %u", at->usage.cpu_us,
                          at->usage.memory_bytes, at->usage.replicas);
            }
        }
        read_tell(world, "\n");
    }
}

static uint64_t ask_attempts(struct read_world *world, struct read_attempts_query query)
{
    struct fl_err err = {0};

    return read_attempts(world->reader, &query, on_attempts, world, &err);
}

static void attempts_come_in_order_with_their_ends(void **state)
{
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    assert_string_equal(
        read_heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {2}})),
        "0#1 cluster=3 nodes=n1 from 1000 to 2000 ReplicaFailed exit=3 used 700 us, 7340032 bytes "
        "of 2\n"
        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_false(world.has_more);
    assert_string_equal(read_heard(&world, ask_attempts(&world,
                                                        (struct read_attempts_query){
                                                            .job = {2}, .n = 1, .len_max = 1})),
                        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_true(world.has_more);
    assert_string_equal(
        read_heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {3}})),
        "0#1 cluster=3 nodes=n1 from 1000\n");
    read_teardown(&world);
}

static void sql_reads_the_numbers_of_a_usage(void **state)
{
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    help_run(world.conninfo,
             "do $$ begin"
             " if (select array[get_byte(usage, 0), usage_number(usage, 2, 4),"
             " usage_number(usage, 6, 8), usage_number(usage, 14, 8), usage_number(usage, 22, 8),"
             " usage_number(usage, 30, 8)] from attempt_end where job = 2)"
             " is distinct from array[2, 2, 700, 7 << 20, 8, 9]::bigint[]"
             " or usage_number(null, 6, 8) is not null"
             " or usage_number('\\x7fffffffffffffff', 1, 8) <> 9223372036854775807"
             " then raise exception 'it reads other numbers'; end if; end $$");
    read_teardown(&world);
}

static const char *next_in_state(struct read_world *world, struct read_attempts_query query)
{
    query.element = world->behind_element;
    query.n = world->behind_n;
    return read_heard(world, ask_attempts(world, query));
}

/* One answer looks at 100,000 ends; an array has two more. */
static void attempts_that_ended_in_a_state_are_found_among_many(void **state)
{
    struct read_attempts_query failed = {.job = {7}, .state = JOB_failed};
    struct read_attempts_query first = {.job = {7}, .state = JOB_failed, .len_max = 1};
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    help_run(
        world.conninfo,
        "insert into element_end(job, batch, element, n, exit_code, first_replica, state, reason)"
        " select 7, 1, i, 1, 3, 0, case when i in (0, 50000, 100001) then 17 else 16 end, 1"
        " from generate_series(0, 100001) i;"
        "insert into attempt(job, batch, element, n, prev, incarnation, cluster, nodes)"
        " select 7, 1, i, 1, 0, 1, 3, '' from unnest(array[0, 1, 50000, 100001]) i");
    (void)read_heard(&world, ask_attempts(&world, failed));
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

    assert_string_equal(read_heard(&world, ask_attempts(&world,
                                                        (struct read_attempts_query){
                                                            .job = {7}, .state = JOB_cancelled})),
                        "");
    assert_true(world.has_more); /* there are ends that were not looked at */
    assert_string_equal(
        read_heard(&world, ask_attempts(&world, (struct read_attempts_query){.job = {2},
                                                                             .state = JOB_failed})),
        "0#2 cluster=4 nodes= from 2000 to 3000 RetriesSpent exit=9 last\n");
    assert_false(world.has_more);
    read_teardown(&world);
}

static void on_failures(void *ctx, const struct read_failures *failures)
{
    struct read_world *world = ctx;

    world->answers++;
    world->has_more = failures->has_more;
    world->behind_element = failures->next;
    if (failures->err) read_tell(world, "%s\n", failures->err->text);
    for (size_t i = 0; i < failures->len && i < 10; i++) {
        const struct read_failure *at = &failures->at[i];

        read_tell(world, "%u#%u %s exit=%d first=%u " FL_STR_FMT "\n", at->element, at->attempt,
                  reason_name(at->reason), at->exit_code, at->first_replica, FL_STR_ARG(at->words));
    }
    read_tell(world, "%zu\n", failures->len);
}

static const char *failures_from(struct read_world *world, uint64_t job, uint32_t from)
{
    struct fl_err err = {0};

    return read_heard(
        world, read_failures(world->reader, (struct fl_job){job}, from, on_failures, world, &err));
}

static void failures_come_with_what_they_said_page_by_page(void **state)
{
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    assert_string_equal(failures_from(&world, 2, 0), "0#2 RetriesSpent exit=9 first=0 \n1\n");
    assert_false(world.has_more);
    assert_string_equal(failures_from(&world, 3, 0), "0\n");
    /* One failed far behind, then more in a row than one answer has. */
    help_run(
        world.conninfo,
        "insert into element_end(job, batch, element, n, exit_code, first_replica, state, reason)"
        " select 7, 1, i, 2, 3, 1, case when i = 1 or i >= 10000 then 17 else 16 end, 33"
        " from generate_series(0, 10501) i;"
        "insert into attempt_words(job, batch, element, n, words) values"
        " (7, 1, 1, 1, 'of an earlier attempt'), (7, 1, 1, 2, 'Error: no lr')");
    assert_string_equal(failures_from(&world, 7, 0),
                        "1#2 ReplicaFailed exit=3 first=1 Error: no lr\n1\n");
    assert_true(world.has_more);
    assert_int_equal(world.behind_element, READ_FAILURE_ENDS_MAX);
    assert_non_null(strstr(failures_from(&world, 7, world.behind_element), "\n500\n"));
    assert_true(world.has_more);
    assert_int_equal(world.behind_element, 10500);
    assert_non_null(strstr(failures_from(&world, 7, world.behind_element), "10501#2"));
    assert_non_null(strstr(world.told, "\n2\n"));
    assert_false(world.has_more);
    read_teardown(&world);
}

static void on_counts(void *ctx, const struct read_element_counts *counts)
{
    struct read_world *world = ctx;

    world->answers++;
    if (counts->err) read_tell(world, "%s\n", counts->err->text);
    for (size_t i = 0; i < counts->len; i++) {
        const struct read_element_count *at = &counts->at[i];

        read_tell(world, "%" PRIu64 ": %u %u %u\n", at->job.n, at->succeeded, at->failed,
                  at->cancelled);
    }
}

static void ends_of_elements_are_counted_by_state(void **state)
{
    const struct fl_job jobs[] = {{2}, {3}, {7}};
    struct fl_err err = {0};
    struct core_batch *batch;
    struct read_world world;
    const char *told;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    batch = read_batch(&world);
    help_row(batch, ROW(job_new, .job = 7, .tenant = 1, .queue = 1, .shape = 1, .elements = 9,
                        .spec = {{7}}, .name = FL_STR("n"), .labels = FL_STR(""),
                        .params = FL_STR("{}"), .picked = FL_STR("")));
    for (uint32_t i = 0; i < 6; i++) {
        help_row(batch, ROW(element_end, .job = 7, .element = i, .n = 1,
                            .state = i < 3   ? JOB_succeeded
                                     : i < 5 ? JOB_failed
                                             : JOB_cancelled));
    }
    read_commit(&world, batch);
    told = read_heard(&world, read_element_counts(world.reader, jobs, 3, on_counts, &world, &err));
    assert_non_null(strstr(told, "2: 0 1 0\n"));
    assert_non_null(strstr(told, "3: 0 0 0\n")); /* it is open */
    assert_non_null(strstr(told, "7: 3 2 1\n"));
    read_teardown(&world);
}

static void events_of_a_job_are_found_in_the_journal(void **state)
{
    static const char of_two[] =
        "1.1 job_new\n1.8 attempt_new\n2.0 replica_phase\n2.4 attempt_end\n"
        "2.5 attempt_new\n3.0 element_end\n3.1 job_end\n";
    struct fl_err err = {0};
    struct read_world world;
    uint64_t batch;
    size_t events = 0;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    for (uint64_t i = 0; i < 40; i++) { /* batches without the job */
        struct core_batch *other = read_batch(&world);

        help_row(other, ROW(cluster_phase, .cluster = 1));
        read_commit(&world, other);
    }
    assert_string_equal(read_heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 0,
                                                              0, read_tell_events, &world, &err)),
                        of_two);
    assert_int_equal(world.next, 3);
    assert_false(world.has_more);
    assert_string_equal(read_heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 2,
                                                              0, read_tell_events, &world, &err)),
                        "3.0 element_end\n3.1 job_end\n");
    assert_string_equal(read_heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 3,
                                                              0, read_tell_events, &world, &err)),
                        "");
    assert_string_equal(read_heard(&world, read_events_since(world.reader, 0, 0, (struct fl_job){2},
                                                             read_tell_events, &world, &err)),
                        of_two);
    assert_int_equal(world.next, READ_EVENTS_BATCHES_MAX);
    assert_true(world.has_more);
    for (batch = 3; events == 0 || world.has_more; batch = world.next) {
        const char *told =
            read_heard(&world, read_events_since(world.reader, batch, 0, (struct fl_job){0},
                                                 read_tell_events, &world, &err));

        for (; (told = strchr(told, '\n')); told++) {
            events++;
        }
    }
    assert_int_equal(events, 40);
    assert_int_equal(world.next, 43);
    (void)read_heard(&world, read_events_newest(world.reader, read_tell_events, &world, &err));
    assert_int_equal(world.next, 43);
    read_teardown(&world);
}

static void on_queues(void *ctx, const struct read_job_queues *queues)
{
    struct read_world *world = ctx;

    world->answers++;
    for (size_t i = 0; i < queues->len; i++) {
        read_tell(world, "%" PRIu64 " queue=%u\n", queues->at[i].job.n, queues->at[i].queue.n);
    }
}

static const char *queues_before(struct read_world *world, uint64_t batch)
{
    static const uint64_t jobs[] = {20, 21, 22};
    struct fl_err err = {0};

    return read_heard(world,
                      read_job_queues(world->reader, jobs, 3, batch, on_queues, world, &err));
}

/* Jobs 20 and 21 come in batch 4, are moved in 5, and 20 again in 6.  An older program moved 21. */
static void fill_moves(struct read_world *world)
{
    struct core_batch *batch = read_batch(world);

    for (uint64_t job = 20; job <= 21; job++) {
        help_row(batch, ROW(job_new, .job = job, .tenant = 1, .queue = 1, .shape = 1, .elements = 1,
                            .spec = {{7}}));
    }
    read_commit(world, batch);
    batch = read_batch(world);
    help_row(batch, ROW(job_edit, .job = 20, .revision = 1, .queue = 2, .queue_was = 1));
    help_row(batch, ROW(job_edit, .job = 21, .revision = 1, .queue = 2));
    read_commit(world, batch);
    batch = read_batch(world);
    help_row(batch, ROW(job_edit, .job = 20, .revision = 2, .queue = 3, .queue_was = 2));
    help_row(batch, ROW(mark_set, .job = 20, .kind = CORE_MARK_edited, .value = 2));
    read_commit(world, batch);
}

static void the_queue_of_a_job_is_told_as_it_was_before_a_batch(void **state)
{
    struct fl_err err = {0};
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    fill_moves(&world);
    assert_string_equal(queues_before(&world, 5), "20 queue=1\n21 queue=0\n");
    assert_string_equal(queues_before(&world, 6), "20 queue=2\n21 queue=2\n");
    assert_string_equal(queues_before(&world, 7), "20 queue=3\n21 queue=2\n");
    assert_string_equal(read_heard(&world, read_events_since(world.reader, 5, 1, (struct fl_job){0},
                                                             read_tell_events, &world, &err)),
                        "before: 20 queue=3\n6.1 mark_set\n");
    read_teardown(&world);
}

/* A hold has no row in the tables of its job; the audit names its batch. */
static void a_hold_that_was_committed_alone_is_found_by_the_audit(void **state)
{
    struct fl_err err = {0};
    struct core_batch *batch;
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    batch = read_batch(&world);
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("hold job-2")));
    help_row(batch, ROW(mark_set, .job = 2, .kind = CORE_MARK_held, .value = 1));
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"), .body = FL_STR("hold job-20")));
    read_commit(&world, batch);
    batch = read_batch(&world);
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("eve"), .body = FL_STR("hold job-2"),
                        .outcome = FL_STR("denied")));
    read_commit(&world, batch);
    batch = read_batch(&world);
    help_row(batch, ROW(audit, .tenant = 1, .actor = FL_STR("ann"),
                        .body = FL_STR("edit job-2 released")));
    help_row(batch, ROW(mark_clear, .job = 2, .kind = CORE_MARK_held));
    read_commit(&world, batch);
    assert_string_equal(read_heard(&world, read_events_of_job(world.reader, (struct fl_job){2}, 3,
                                                              0, read_tell_events, &world, &err)),
                        "4.0 audit\n4.1 mark_set\n6.0 audit\n6.1 mark_clear\n");
    assert_string_equal(read_heard(&world, read_events_since(world.reader, 5, 1, (struct fl_job){2},
                                                             read_tell_events, &world, &err)),
                        "before: by ann\n6.1 mark_clear\n");
    assert_string_equal(
        read_heard(&world, read_events_since(world.reader, 5, 1, (struct fl_job){20},
                                             read_tell_events, &world, &err)),
        "");
    read_teardown(&world);
}

/* So no answer is long work for the front that asked. */
static void a_large_batch_comes_in_several_answers(void **state)
{
    enum { ROWS = 2 * READ_EVENTS_MAX + 500 };
    struct fl_err err = {0};
    struct read_world world;
    struct core_batch *large;
    size_t events = 0, answers = 0;
    const char *told = NULL;
    char text[32];

    (void)state;
    read_setup(&world);
    read_fill(&world);
    large = read_batch(&world);
    for (uint32_t i = 0; i < ROWS; i++) {
        help_row(large, ROW(cluster_phase, .cluster = 1));
    }
    read_commit(&world, large); /* the fourth */
    world.next = 3;
    world.row = 0;
    do {
        told = read_heard(&world,
                          read_events_since(world.reader, world.next, world.row, (struct fl_job){0},
                                            read_tell_events, &world, &err));
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
    read_teardown(&world);
}

static void on_audit(void *ctx, const struct read_audit *audit)
{
    struct read_world *world = ctx;

    world->answers++;
    world->next = audit->batch;
    world->next_n = audit->n;
    world->has_more = audit->has_more;
    for (size_t i = 0; i < audit->len; i++) {
        read_tell(world, "%" PRId64 " " FL_STR_FMT " " FL_STR_FMT "\n", audit->at[i].at,
                  FL_STR_ARG(audit->at[i].audit.actor), FL_STR_ARG(audit->at[i].audit.body));
    }
}

static void audit_rows_come_newest_first(void **state)
{
    const struct fl_tenant tenant = {1};
    struct fl_err err = {0};
    struct read_world world;

    (void)state;
    read_setup(&world);
    read_fill(&world);
    assert_string_equal(
        read_heard(&world, read_audit(world.reader, tenant, 0, 0, 0, on_audit, &world, &err)),
        "3000 ann cancel\n2000 agent refused\n1000 ann submit\n");
    assert_false(world.has_more);
    (void)read_heard(&world, read_audit(world.reader, tenant, 0, 0, 3, on_audit, &world, &err));
    assert_true(world.has_more);
    assert_string_equal(read_heard(&world, read_audit(world.reader, tenant, world.next,
                                                      world.next_n, 3, on_audit, &world, &err)),
                        "1000 ann submit\n");
    read_teardown(&world);
}

FL_TESTS(cmocka_unit_test(attempts_come_in_order_with_their_ends),
         cmocka_unit_test(sql_reads_the_numbers_of_a_usage),
         cmocka_unit_test(attempts_that_ended_in_a_state_are_found_among_many),
         cmocka_unit_test(failures_come_with_what_they_said_page_by_page),
         cmocka_unit_test(ends_of_elements_are_counted_by_state),
         cmocka_unit_test(events_of_a_job_are_found_in_the_journal),
         cmocka_unit_test(the_queue_of_a_job_is_told_as_it_was_before_a_batch),
         cmocka_unit_test(a_hold_that_was_committed_alone_is_found_by_the_audit),
         cmocka_unit_test(a_large_batch_comes_in_several_answers),
         cmocka_unit_test(audit_rows_come_newest_first))
