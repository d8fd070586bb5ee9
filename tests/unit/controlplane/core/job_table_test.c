#include "controlplane/core/job_table.h"

#include "tests/fl_test.h"

static void jobs_are_found_by_id_and_walked_in_its_order(void **state)
{
    static const uint64_t ids[] = {300, 1, 70000, 2, 299};
    static const uint64_t sorted[] = {1, 2, 299, 300, 70000};
    struct job_table table;
    uint64_t from = 0;

    (void)state;
    job_table_init(&table, 5);
    for (size_t i = 0; i < 5; i++) {
        struct job_slot slot = job_table_add(&table, (struct fl_job){ids[i]});

        assert_int_equal(job_table_find(&table, (struct fl_job){ids[i]}).n, slot.n);
        assert_int_equal(job_table_at(&table, slot)->id, ids[i]);
    }
    for (size_t i = 0; i < 5; i++) {
        struct job_slot slot = job_table_next(&table, from);

        assert_int_equal(job_table_at(&table, slot)->id, sorted[i]);
        from = sorted[i] + 1;
    }
    assert_int_equal(job_table_next(&table, from).n, 0);
    for (size_t i = 5; i-- > 0;) {
        struct job_slot slot = job_table_prev(&table, from);

        assert_int_equal(job_table_at(&table, slot)->id, sorted[i]);
        from = sorted[i];
    }
    assert_int_equal(job_table_prev(&table, from).n, 0);
    assert_int_equal(job_table_find(&table, (struct fl_job){3}).n, 0);
    job_table_fini(&table);
}

static void at_jobs_max_there_is_no_slot_until_one_goes(void **state)
{
    struct job_table table;
    struct job_slot first;

    (void)state;
    job_table_init(&table, 2);
    first = job_table_add(&table, (struct fl_job){1});
    assert_int_not_equal(job_table_add(&table, (struct fl_job){2}).n, 0);
    assert_int_equal(job_table_add(&table, (struct fl_job){3}).n, 0);
    assert_int_equal(job_table_find(&table, (struct fl_job){3}).n, 0);
    job_table_remove(&table, first);
    assert_int_equal(job_table_find(&table, (struct fl_job){1}).n, 0);
    assert_int_not_equal(job_table_add(&table, (struct fl_job){3}).n, 0);
    job_table_fini(&table);
}

static void a_plain_job_has_one_element(void **state)
{
    struct job_table table;
    struct job *job;
    uint32_t number = 9;

    (void)state;
    job_table_init(&table, 4);
    job = job_table_at(&table, job_table_add(&table, (struct fl_job){1}));
    job->elements = 1;
    assert_int_equal(job_table_element(&table, job, 0).n, 0);
    assert_int_equal(job_table_next_element(&table, job, 0, &number).n, 0);
    job_table_put_element(&table, job, 0, (struct element_slot){77});
    assert_int_equal(job_table_element(&table, job, 0).n, 77);
    assert_int_equal(job_table_element(&table, job, 1).n, 0);
    assert_int_equal(job_table_next_element(&table, job, 0, &number).n, 77);
    assert_int_equal(number, 0);
    assert_int_equal(job_table_next_element(&table, job, 1, &number).n, 0);
    job_table_remove_element(&table, job, 0);
    assert_int_equal(job_table_element(&table, job, 0).n, 0);
    job_table_fini(&table);
}

static void an_arrays_elements_are_walked_in_their_order(void **state)
{
    struct job_table table;
    struct job *job;
    uint32_t number = 0;

    (void)state;
    job_table_init(&table, 4);
    job = job_table_at(&table, job_table_add(&table, (struct fl_job){1}));
    job->elements = 1000;
    job_table_put_element(&table, job, 999, (struct element_slot){3});
    job_table_put_element(&table, job, 0, (struct element_slot){1});
    job_table_put_element(&table, job, 257, (struct element_slot){2});
    assert_int_equal(job_table_next_element(&table, job, 0, &number).n, 1);
    assert_int_equal(number, 0);
    assert_int_equal(job_table_next_element(&table, job, 1, &number).n, 2);
    assert_int_equal(number, 257);
    assert_int_equal(job_table_next_element(&table, job, 258, &number).n, 3);
    assert_int_equal(number, 999);
    assert_int_equal(job_table_next_element(&table, job, 1000, &number).n, 0);
    job_table_remove_element(&table, job, 257);
    assert_int_equal(job_table_element(&table, job, 257).n, 0);
    assert_int_equal(job_table_element(&table, job, 1000).n, 0);
    job_table_fini(&table); /* frees what an array holds */
}

/* Issue 3, section 2: at most 96 bytes of memory for each queued job. */
static void a_million_queued_jobs_take_at_most_96_bytes_each(void **state)
{
    enum { JOBS = 1000000 };
    struct job_table table;

    (void)state;
    job_table_init(&table, 20000000);
    for (uint64_t id = 1; id <= JOBS; id++) {
        assert_int_not_equal(job_table_add(&table, (struct fl_job){id}).n, 0);
    }
    print_message("%.1f bytes for each of a million jobs\n",
                  (double)job_table_hot_bytes(&table) / JOBS);
    assert_true(job_table_hot_bytes(&table) >= JOBS * sizeof(struct job));
    assert_true(job_table_hot_bytes(&table) <= (size_t)96 * JOBS);
    job_table_fini(&table);
}

/* A job without a deadline costs nothing for those that have one, and one with it four bytes. */
static void a_deadline_goes_with_its_job(void **state)
{
    enum { JOBS = 100000 };
    struct job_table table;
    struct job *first, *job;
    size_t bytes;

    (void)state;
    job_table_init(&table, JOBS);
    for (uint64_t id = 1; id <= JOBS; id++) {
        assert_true(job_table_add(&table, (struct fl_job){id}).n);
    }
    first = job_table_at(&table, job_table_find(&table, (struct fl_job){1}));
    job_table_put_deadline(&table, first, 0);
    bytes = job_table_hot_bytes(&table);
    for (uint64_t id = 2; id <= JOBS; id++) {
        job = job_table_at(&table, job_table_find(&table, (struct fl_job){id}));
        job_table_put_deadline(&table, job, (uint32_t)id);
        assert_int_equal(job_table_deadline_s(&table, job), id);
    }
    print_message("%.1f bytes for each of %d deadlines\n",
                  (double)(job_table_hot_bytes(&table) - bytes) / JOBS, JOBS);
    assert_true(job_table_hot_bytes(&table) - bytes <= (size_t)5 * JOBS);
    assert_int_equal(job_table_deadline_s(&table, first), 0);
    for (uint64_t id = 2; id <= JOBS; id++) {
        job_table_remove(&table, job_table_find(&table, (struct fl_job){id}));
    }
    assert_int_equal(table.deadlines.bytes, 0);
    job_table_put_deadline(&table, first, 5);
    job_table_fini(&table); /* frees those that are left */
}

static void a_parallelism_bounds_what_may_start_of_an_array(void **state)
{
    struct job_table table;
    struct job *array, *plain;

    (void)state;
    job_table_init(&table, 8);
    array = job_table_at(&table, job_table_add(&table, (struct fl_job){1}));
    plain = job_table_at(&table, job_table_add(&table, (struct fl_job){2}));
    array->elements = 100;
    plain->elements = 1;
    assert_int_equal(job_table_starts_left(&table, array), UINT32_MAX);
    job_table_put_parallelism(&table, array, 8);
    job_table_put_parallelism(&table, plain, 8);
    assert_int_equal(job_table_parallelism(&table, array), 8);
    assert_int_equal(job_table_starts_left(&table, array), 8);
    job_table_need_run(&table, array)->live = 7;
    job_table_need_run(&table, plain)->live = 1;
    assert_int_equal(job_table_starts_left(&table, array), 1);
    assert_int_equal(job_table_starts_left(&table, plain), UINT32_MAX);
    job_table_run(&table, array)->live = 8;
    assert_int_equal(job_table_starts_left(&table, array), 0);
    job_table_put_parallelism(&table, array, 3); /* lowered below what is live */
    assert_int_equal(job_table_starts_left(&table, array), 0);
    job_table_put_parallelism(&table, array, 0);
    assert_int_equal(job_table_starts_left(&table, array), UINT32_MAX);
    job_table_put_parallelism(&table, array, 5);
    job_table_remove(&table, job_table_find(&table, (struct fl_job){1}));
    array = job_table_at(&table, job_table_add(&table, (struct fl_job){1}));
    assert_int_equal(job_table_parallelism(&table, array), 0);
    job_table_fini(&table); /* frees that of the plain job */
}

FL_TESTS(cmocka_unit_test(jobs_are_found_by_id_and_walked_in_its_order),
         cmocka_unit_test(at_jobs_max_there_is_no_slot_until_one_goes),
         cmocka_unit_test(a_plain_job_has_one_element),
         cmocka_unit_test(an_arrays_elements_are_walked_in_their_order),
         cmocka_unit_test(a_deadline_goes_with_its_job),
         cmocka_unit_test(a_parallelism_bounds_what_may_start_of_an_array),
         cmocka_unit_test(a_million_queued_jobs_take_at_most_96_bytes_each))
