#include "controlplane/api/v1/event_page.h"

#include "tests/fl_test.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})
#define HELD(job_) ROW(mark_set, .job = (job_), .kind = CORE_MARK_held)

static void jobs_whose_rows_tell_no_queue_are_unknown_once(void **state)
{
    struct read_event events[] = {
        {4, 0, 1, HELD(7)}, {4, 1, 1, ROW(job_new, .job = 8, .queue = 2)},
        {4, 2, 1, HELD(8)}, {4, 3, 1, ROW(spec_new, .job = 9)}, /* no event */
        {5, 0, 2, HELD(7)}, {5, 1, 2, ROW(cluster_put, .name = FL_STR("east"))},
    };
    struct read_events answer = {.at = events, .len = 6, .batch = 5};
    struct event_page page;

    (void)state;
    event_page_init(&page);
    event_page_take(&page, &answer);
    assert_int_equal(page.unknown.len, 1);
    assert_int_equal(page.unknown.at[0], 7);
    assert_int_equal(page.jobs.len, 2);
    assert_int_equal(page.first, 4);
    assert_int_equal(page.rows.len, 5);
    event_page_fini(&page);
}

static void rows_come_with_the_queue_just_before_them(void **state)
{
    struct read_event events[] = {
        {4, 0, 1, HELD(7)},
        {4, 1, 1, ROW(job_edit, .job = 7, .queue = 3, .queue_was = 2)},
        {4, 2, 1, HELD(7)},
        {4, 3, 1, HELD(6)}, /* it is not found */
        {5, 0, 1, ROW(job_new, .job = 8, .queue = 4, .name = FL_STR("train"))},
        {5, 1, 1, ROW(job_end, .job = 8)},
        {5, 2, 1, {.kind = ROW_unknown, .unknown = {.number = 200}}},
    };
    static const uint32_t queues[] = {2, 2, 3, 0, 4, 4, 0};
    struct read_events answer = {.at = events, .len = 7, .batch = 5};
    const struct event_page_row *row;
    struct event_page page;

    (void)state;
    event_page_init(&page);
    event_page_take(&page, &answer);
    event_page_learn(&page, 7, 2);
    for (size_t i = 0; i < 7; i++) {
        row = event_page_next(&page);
        assert_non_null(row);
        assert_int_equal(row->queue, queues[i]);
        assert_int_equal(row->n, events[i].n);
        assert_int_equal(row->row.kind, events[i].row.kind);
        if (i == 4) assert_true(fl_str_eq(row->row.job_new.name, FL_STR("train")));
    }
    assert_null(event_page_next(&page));
    assert_int_equal(event_page_queue(&page, 7), 3);
    assert_int_equal(event_page_queue(&page, 8), 0); /* it has ended */
    event_page_fini(&page);
}

static void an_edit_before_the_first_row_of_the_page_counts(void **state)
{
    struct row_job_edit edit = {.job = 7, .queue = 3, .queue_was = 2};
    struct read_event events[] = {{4, 5, 1, HELD(7)}};
    struct read_events answer = {
        .at = events, .len = 1, .batch = 4, .edits = &edit, .edits_len = 1};
    struct event_page page;

    (void)state;
    event_page_init(&page);
    event_page_take(&page, &answer);
    assert_int_equal(page.unknown.len, 0);
    assert_int_equal(event_page_next(&page)->queue, 3);
    event_page_fini(&page);
}

static void what_has_no_room_is_left_to_the_next_page(void **state)
{
    static char nodes[250000];
    struct read_event events[20];
    struct read_events answer = {.at = events, .len = 20, .batch = 4};
    struct event_page page;

    (void)state;
    memset(nodes, 'n', sizeof nodes);
    for (uint32_t i = 0; i < 20; i++) {
        events[i] = (struct read_event){
            4, i, 1, ROW(attempt_new, .job = i + 1, .nodes = {nodes, sizeof nodes})};
    }
    event_page_init(&page);
    event_page_take(&page, &answer);
    assert_int_equal(page.rows.len, EVENT_PAGE_BYTES_MAX / sizeof nodes);
    assert_int_equal(page.batch, 3);
    assert_int_equal(page.row, page.rows.len);
    event_page_fini(&page);
}

FL_TESTS(cmocka_unit_test(jobs_whose_rows_tell_no_queue_are_unknown_once),
         cmocka_unit_test(rows_come_with_the_queue_just_before_them),
         cmocka_unit_test(an_edit_before_the_first_row_of_the_page_counts),
         cmocka_unit_test(what_has_no_room_is_left_to_the_next_page))
