#include "controlplane/api/v1/job_queue_map.h"

#include "shared/base/buf.h"
#include "tests/fl_test.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})
#define HELD(job_) ROW(mark_set, .job = (job_), .kind = CORE_MARK_held)

enum { ROWS_MAX = 8 };

/* The queues that a batch of these rows gives. */
static const uint32_t *notice(struct job_queue_map *map, uint64_t batch, const struct row *rows,
                              size_t len)
{
    static uint32_t queues[ROWS_MAX];
    struct fl_buf buf;

    fl_buf_init(&buf, 65536);
    for (size_t i = 0; i < len; i++) {
        assert_true(row_encode(&buf, &rows[i]));
    }
    job_queue_map_turn(map);
    job_queue_map_notice(map, batch, (struct fl_str){(const char *)buf.at, buf.len}, queues,
                         ROWS_MAX);
    fl_buf_fini(&buf);
    return queues;
}

#define NOTICE(map, batch, ...)                                                                    \
    notice(map, batch, (struct row[]){__VA_ARGS__},                                                \
           sizeof((struct row[]){__VA_ARGS__}) / sizeof(struct row))

static uint32_t queue_of(struct job_queue_map *map, uint64_t batch, uint64_t job)
{
    return NOTICE(map, batch, HELD(job))[0];
}

static void each_row_has_the_queue_in_which_its_job_was_just_before_it(void **state)
{
    struct job_queue_map *map = job_queue_map_create();
    const uint32_t *queues;

    (void)state;
    queues = NOTICE(map, 1, HELD(7), ROW(job_new, .job = 7, .queue = 2), HELD(7),
                    ROW(job_edit, .job = 7, .queue = 3, .queue_was = 2), HELD(7));
    assert_int_equal(queues[0], 0);
    assert_int_equal(queues[1], 2);
    assert_int_equal(queues[2], 2);
    assert_int_equal(queues[3], 2);
    assert_int_equal(queues[4], 3);
    assert_int_equal(queues[5], 0);
    queues = NOTICE(map, 2, HELD(7), ROW(job_end, .job = 7), HELD(7));
    assert_int_equal(queues[0], 3);
    assert_int_equal(queues[1], 3);
    assert_int_equal(queues[2], 0);
    assert_int_equal(job_queue_map_len(map), 0);
    job_queue_map_destroy(map);
}

static void an_edit_tells_the_queue_before_it_of_a_job_that_was_not_known(void **state)
{
    struct job_queue_map *map = job_queue_map_create();

    (void)state;
    assert_int_equal(NOTICE(map, 1, ROW(job_edit, .job = 7, .queue = 3, .queue_was = 2))[0], 2);
    assert_int_equal(queue_of(map, 2, 7), 3);
    job_queue_map_destroy(map);
}

static void a_gap_and_a_batch_without_rows_empty_it(void **state)
{
    struct job_queue_map *map = job_queue_map_create();
    uint32_t queues[1];

    (void)state;
    NOTICE(map, 1, ROW(job_new, .job = 7, .queue = 2));
    assert_int_equal(queue_of(map, 3, 7), 0);
    NOTICE(map, 4, ROW(job_new, .job = 8, .queue = 2));
    assert_int_equal(queue_of(map, 5, 8), 2);
    job_queue_map_notice(map, 6, (struct fl_str){0}, queues, 1);
    assert_int_equal(queue_of(map, 7, 8), 0);
    assert_int_equal(job_queue_map_len(map), 0);
    job_queue_map_destroy(map);
}

/* A page ends with batch 3 or 5, and the notices are at 5. */
static void what_a_page_teaches_counts_only_if_no_edit_can_have_come_since(void **state)
{
    struct job_queue_map *map = job_queue_map_create();

    (void)state;
    job_queue_map_learn(map, (struct fl_job){7}, (struct fl_queue_id){2}, 9);
    assert_int_equal(job_queue_map_len(map), 0); /* nothing was noticed yet */
    for (uint64_t batch = 3; batch <= 5; batch++) {
        NOTICE(map, batch, HELD(1));
    }
    job_queue_map_learn(map, (struct fl_job){7}, (struct fl_queue_id){2}, 1);
    assert_int_equal(job_queue_map_len(map), 0); /* batch 2 is not known */
    job_queue_map_learn(map, (struct fl_job){7}, (struct fl_queue_id){2}, 3);
    assert_int_equal(queue_of(map, 6, 7), 2);
    NOTICE(map, 7, ROW(job_edit, .job = 7, .queue = 4, .queue_was = 2));
    job_queue_map_learn(map, (struct fl_job){7}, (struct fl_queue_id){2}, 6);
    assert_int_equal(queue_of(map, 8, 7), 4);
    job_queue_map_destroy(map);
}

/* All pages end with batch 1; the map is asked after them. */
static void an_edit_of_another_job_hinders_no_page_as_long_as_it_is_remembered(void **state)
{
    struct job_queue_map *map = job_queue_map_create();
    struct fl_queue_id queue = {2};
    uint64_t batch = 2;

    (void)state;
    NOTICE(map, 1, HELD(1));
    NOTICE(map, batch++, ROW(job_edit, .job = 7, .queue = 4, .queue_was = 2));
    for (uint64_t i = 2; i < JOB_QUEUE_MAP_EDITS_MAX; i++) {
        NOTICE(map, batch++, ROW(job_edit, .job = 8, .queue = 4, .queue_was = 4));
    }
    job_queue_map_learn(map, (struct fl_job){7}, queue, 1);
    assert_int_equal(queue_of(map, batch++, 7), 4);
    job_queue_map_learn(map, (struct fl_job){9}, queue, 1);
    assert_int_equal(queue_of(map, batch++, 9), 2);
    NOTICE(map, batch++, ROW(job_edit, .job = 8, .queue = 4, .queue_was = 4));
    job_queue_map_learn(map, (struct fl_job){10}, queue, 1);
    assert_int_equal(queue_of(map, batch++, 10), 0); /* one that is not remembered may be its */
    job_queue_map_learn(map, (struct fl_job){10}, queue, batch - 1);
    assert_int_equal(queue_of(map, batch++, 10), 2);
    job_queue_map_destroy(map);
}

/* The page was read to batch 9, which moved the job to queue 4; the notices come to it later. */
static void a_page_ahead_of_the_notices_counts_from_its_end_on(void **state)
{
    struct job_queue_map *map = job_queue_map_create();

    (void)state;
    NOTICE(map, 6, HELD(1));
    job_queue_map_learn(map, (struct fl_job){7}, (struct fl_queue_id){4}, 9);
    assert_int_equal(queue_of(map, 7, 7), 0);
    assert_int_equal(NOTICE(map, 8, ROW(job_edit, .job = 7, .queue = 3, .queue_was = 2))[0], 2);
    NOTICE(map, 9, ROW(job_edit, .job = 7, .queue = 4, .queue_was = 3));
    assert_int_equal(queue_of(map, 10, 7), 4);
    job_queue_map_destroy(map);
}

static void at_its_limit_the_job_of_a_set_that_came_first_is_forgotten(void **state)
{
    struct job_queue_map *map = job_queue_map_create();
    uint64_t batch = 1, sets = JOB_QUEUE_MAP_MAX / JOB_QUEUE_MAP_WAYS;

    (void)state;
    for (uint64_t job = 1; job <= JOB_QUEUE_MAP_MAX; job++) {
        NOTICE(map, batch++, ROW(job_new, .job = job, .queue = (uint32_t)(1 + job % 3)));
    }
    assert_int_equal(job_queue_map_len(map), JOB_QUEUE_MAP_MAX);
    assert_int_equal(queue_of(map, batch++, 5), 1 + 5 % 3);
    NOTICE(map, batch++, ROW(job_new, .job = 5 + JOB_QUEUE_MAP_MAX, .queue = 9));
    assert_int_equal(job_queue_map_len(map), JOB_QUEUE_MAP_MAX);
    assert_int_equal(queue_of(map, batch++, 5), 0);
    assert_int_equal(queue_of(map, batch++, 5 + JOB_QUEUE_MAP_MAX), 9);
    assert_int_equal(queue_of(map, batch++, 5 + sets), 1 + (5 + sets) % 3);
    assert_int_equal(queue_of(map, batch++, 6), 1 + 6 % 3);
    NOTICE(map, batch++, ROW(job_end, .job = 5 + sets));
    assert_int_equal(queue_of(map, batch++, 5 + 2 * sets), 1 + (5 + 2 * sets) % 3);
    assert_int_equal(job_queue_map_len(map), JOB_QUEUE_MAP_MAX - 1);
    job_queue_map_destroy(map);
}

/* A letter has the notices of many batches, and is one turn. */
static void more_rows_than_a_turn_may_walk_empty_it(void **state)
{
    struct job_queue_map *map = job_queue_map_create();
    uint32_t queues[1];
    struct fl_buf buf;
    struct fl_str half;

    (void)state;
    NOTICE(map, 1, ROW(job_new, .job = 7, .queue = 2));
    fl_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < JOB_QUEUE_MAP_ROWS_MAX / 2; i++) {
        assert_true(row_encode(&buf, &HELD(7)));
    }
    half = (struct fl_str){(const char *)buf.at, buf.len};
    for (uint64_t batch = 2; batch < 6; batch += 2) {
        job_queue_map_turn(map);
        job_queue_map_notice(map, batch, half, queues, 1);
        job_queue_map_notice(map, batch + 1, half, queues, 1);
    }
    assert_int_equal(queues[0], 2);
    job_queue_map_notice(map, 6, half, queues, 1);
    assert_int_equal(queues[0], 0);
    assert_int_equal(queue_of(map, 7, 7), 0);
    NOTICE(map, 8, ROW(job_new, .job = 7, .queue = 2));
    assert_int_equal(queue_of(map, 9, 7), 2);
    fl_buf_fini(&buf);
    job_queue_map_destroy(map);
}

FL_TESTS(cmocka_unit_test(each_row_has_the_queue_in_which_its_job_was_just_before_it),
         cmocka_unit_test(an_edit_tells_the_queue_before_it_of_a_job_that_was_not_known),
         cmocka_unit_test(a_gap_and_a_batch_without_rows_empty_it),
         cmocka_unit_test(what_a_page_teaches_counts_only_if_no_edit_can_have_come_since),
         cmocka_unit_test(an_edit_of_another_job_hinders_no_page_as_long_as_it_is_remembered),
         cmocka_unit_test(a_page_ahead_of_the_notices_counts_from_its_end_on),
         cmocka_unit_test(at_its_limit_the_job_of_a_set_that_came_first_is_forgotten),
         cmocka_unit_test(more_rows_than_a_turn_may_walk_empty_it))
