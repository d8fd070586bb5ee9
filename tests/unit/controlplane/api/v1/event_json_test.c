#include "controlplane/api/v1/event_json.h"

#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

static const struct event_filter fleet = {.jobs = true, .queues = true, .clusters = true};
static const struct event_place place = {17, 3};
static struct directory *directory; /* queues a, b, c: 1, 2, 3 */

static struct fl_str by; /* the actor, if it is known */

/* The event of 'row' for that filter, its job in that queue; "" when there is none. */
static struct fl_str event_in(struct fl_buf *buf, const struct row *row,
                              const struct event_filter *filter, uint32_t queue)
{
    struct event_note note = {.queue = {queue}, .by = by};

    fl_buf_clear(buf);
    if (!event_write(buf, place, 951782400000, row, &note, filter, directory)) return FL_STR("");
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static struct fl_str event(struct fl_buf *buf, const struct row *row,
                           const struct event_filter *filter)
{
    return event_in(buf, row, filter, 0);
}

static void an_event_has_its_place_its_type_and_its_data(void **state)
{
    struct row row = {.kind = ROW_mark_clear, .mark_clear = {.job = 7, .kind = CORE_MARK_held}};
    struct event_filter job = {.job = {7}}, other = {.job = {8}};
    struct fl_str wanted = FL_STR("id: 17.3\nevent: job.released\ndata: "
                                  "{\"type\":\"job.released\",\"at\":\"2000-02-29T00:00:00.000Z\","
                                  "\"job\":\"job-7\"}\n\n");
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    assert_true(fl_str_eq(event(&buf, &row, &fleet), wanted));
    assert_true(fl_str_eq(event(&buf, &row, &job), wanted));
    assert_int_equal(event(&buf, &row, &other).len, 0);
    fl_buf_fini(&buf);
}

static void a_row_of_a_newer_program_is_shown_to_the_fleet_but_not_to_one_job(void **state)
{
    struct row row = {.kind = ROW_unknown, .unknown = {.number = 200}};
    struct event_filter job = {.job = {7}}, queues = {.queues = true};
    struct fl_str wanted = FL_STR("id: 17.3\nevent: unknown\ndata: {\"type\":\"unknown\",\"at\":"
                                  "\"2000-02-29T00:00:00.000Z\",\"row\":200}\n\n");
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    assert_true(fl_str_eq(event(&buf, &row, &fleet), wanted));
    assert_true(fl_str_eq(event(&buf, &row, &queues), wanted));
    assert_int_equal(event(&buf, &row, &job).len, 0);
    fl_buf_fini(&buf);
}

static void a_hold_says_who_did_it_if_that_is_known(void **state)
{
    struct row held = {.kind = ROW_mark_set, .mark_set = {.job = 7, .kind = CORE_MARK_held}};
    struct fl_str told;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    by = FL_STR("token:x ann");
    told = event(&buf, &held, &fleet);
    assert_non_null(memmem(told.at, told.len, "\"by\":\"token:x ann\"", 18));
    by = FL_STR("");
    told = event(&buf, &held, &fleet);
    assert_null(memmem(told.at, told.len, "\"by\"", 4));
    fl_buf_fini(&buf);
}

static const struct event_filter of_two = {
    .jobs = true, .queues = true, .clusters = true, .is_limited = true, .queue = {2}};

static void a_token_of_one_queue_is_told_of_its_jobs_its_queue_and_the_clusters(void **state)
{
    struct row held = {.kind = ROW_mark_set, .mark_set = {.job = 7, .kind = CORE_MARK_held}};
    struct row own = {.kind = ROW_queue_put, .queue_put = {.queue = 2, .name = FL_STR("b")}};
    struct row other = {.kind = ROW_queue_put, .queue_put = {.queue = 1, .name = FL_STR("a")}};
    struct row cluster = {.kind = ROW_cluster_put, .cluster_put = {.name = FL_STR("east")}};
    struct row newer = {.kind = ROW_unknown, .unknown = {.number = 200}};
    struct event_filter unknown = of_two;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    assert_true(event_in(&buf, &held, &of_two, 2).len > 0);
    assert_int_equal(event_in(&buf, &held, &of_two, 1).len, 0);
    assert_int_equal(event_in(&buf, &held, &of_two, 0).len, 0);
    assert_true(event(&buf, &own, &of_two).len > 0);
    assert_int_equal(event(&buf, &other, &of_two).len, 0);
    assert_true(event(&buf, &cluster, &of_two).len > 0);
    assert_true(event(&buf, &newer, &of_two).len > 0);
    unknown.queue.n = 0;
    assert_int_equal(event_in(&buf, &held, &unknown, 0).len, 0);
    fl_buf_fini(&buf);
}

/* The actor may have a token of another queue. */
static void a_token_of_one_queue_learns_who_held_a_job_there_but_no_id_of_a_token(void **state)
{
    struct row held = {.kind = ROW_mark_set, .mark_set = {.job = 7, .kind = CORE_MARK_held}};
    struct event_filter past = {.job = {7}, .is_limited = true, .is_past = true, .queue = {2}};
    struct fl_str told;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    by = FL_STR("token:x ann");
    told = event_in(&buf, &held, &of_two, 2);
    assert_non_null(memmem(told.at, told.len, "\"by\":\"ann\"", 10));
    told = event_in(&buf, &held, &past, 2);
    assert_non_null(memmem(told.at, told.len, "\"by\":\"ann\"", 10));
    for (uint32_t queue = 0; queue < 2; queue++) { /* 0: not known */
        told = event_in(&buf, &held, &past, queue);
        assert_true(told.len > 0);
        assert_null(memmem(told.at, told.len, "\"by\"", 4));
    }
    by = FL_STR("token:x as ann");
    told = event_in(&buf, &held, &of_two, 2);
    assert_non_null(memmem(told.at, told.len, "\"by\":\"as ann\"", 13));
    by = FL_STR("deadline");
    told = event_in(&buf, &held, &of_two, 2);
    assert_non_null(memmem(told.at, told.len, "\"by\":\"deadline\"", 15));
    by = FL_STR("");
    fl_buf_fini(&buf);
}

static void a_move_is_told_to_both_queues_and_the_old_one_learns_no_more_than_that(void **state)
{
    struct row move = {.kind = ROW_job_edit,
                       .job_edit = {.job = 7,
                                    .revision = 1,
                                    .queue = 3,
                                    .name = FL_STR("secret"),
                                    .labels = FL_STR("team=c\n")}};
    struct event_filter of_three = of_two, of_four = of_two;
    struct fl_str left = FL_STR("id: 17.3\nevent: job.left\ndata: {\"type\":\"job.left\",\"at\":"
                                "\"2000-02-29T00:00:00.000Z\",\"job\":\"job-7\"}\n\n");
    struct fl_str told;
    struct fl_buf buf;

    (void)state;
    of_three.queue.n = 3;
    of_four.queue.n = 4;
    fl_buf_init(&buf, 4096);
    assert_true(fl_str_eq(event_in(&buf, &move, &of_two, 2), left));
    told = event_in(&buf, &move, &of_three, 2);
    assert_non_null(memmem(told.at, told.len, "\"queue\":\"c\"", 11));
    assert_non_null(memmem(told.at, told.len, "event: job.edited", 17));
    assert_int_equal(event_in(&buf, &move, &of_four, 2).len, 0);
    fl_buf_fini(&buf);
}

static void
a_stream_of_one_job_ends_where_the_job_leaves_the_queue_but_not_in_its_past(void **state)
{
    struct row move = {.kind = ROW_job_edit, .job_edit = {.job = 7, .queue = 3}};
    struct row end = {.kind = ROW_job_end, .job_end = {.job = 7}};
    struct event_filter job = {.job = {7}, .is_limited = true, .queue = {2}};
    struct event_filter past = job, everybody = {.job = {7}}, other = job;

    (void)state;
    past.is_past = true;
    other.job.n = 8;
    assert_true(event_is_end(&move, &job));
    assert_false(event_is_end(&move, &past));
    assert_false(event_is_end(&move, &everybody));
    assert_false(event_is_end(&move, &other));
    assert_true(event_is_end(&end, &job) && event_is_end(&end, &past));
    assert_false(event_is_end(&end, &of_two));
}

static void the_past_of_a_job_does_not_name_another_queue(void **state)
{
    struct row born = {.kind = ROW_job_new, .job_new = {.job = 7, .queue = 1}};
    struct event_filter past = {.job = {7}, .is_limited = true, .is_past = true, .queue = {2}};
    struct event_filter all = {.job = {7}};
    struct fl_str told;
    struct fl_buf buf;

    (void)state;
    fl_buf_init(&buf, 4096);
    told = event(&buf, &born, &past);
    assert_true(told.len > 0);
    assert_null(memmem(told.at, told.len, "\"queue\"", 7));
    told = event(&buf, &born, &all);
    assert_non_null(memmem(told.at, told.len, "\"queue\":\"a\"", 11));
    fl_buf_fini(&buf);
}

static int make_queues(void **state)
{
    (void)state;
    directory = directory_create();
    for (uint32_t i = 1; i <= 3; i++) {
        struct row row = {.kind = ROW_queue_put,
                          .queue_put = {.queue = i, .tenant = 1, .name = {"abc" + i - 1, 1}}};

        directory_apply(directory, &row);
    }
    return 0;
}

static int drop_queues(void **state)
{
    (void)state;
    directory_destroy(directory);
    return 0;
}

/* A generated client knows the kinds that this list names, and no other. */
static void each_kind_of_event_is_described_as_one(void **state)
{
    static const char ending[] = "Event";
    size_t len = sizeof ending - 1, found = 0;

    (void)state;
    for (const struct api_object *const *object = api_v1.objects; *object; object++) {
        const char *name = (*object)->name, *kinds = event_object.one_of;
        size_t name_len = strlen(name);
        struct fl_str kind;
        bool is_there = false;

        if (name_len <= len || strcmp(name + name_len - len, ending) != 0) continue;
        while (api_word_next(&kinds, &kind)) {
            is_there = is_there || fl_str_eq(kind, fl_str_c(name));
        }
        if (!is_there) fail_msg("%s is no kind of Event", name);
        found++;
    }
    assert_true(found > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_event_is_described_as_one),
        cmocka_unit_test(an_event_has_its_place_its_type_and_its_data),
        cmocka_unit_test(a_row_of_a_newer_program_is_shown_to_the_fleet_but_not_to_one_job),
        cmocka_unit_test(a_hold_says_who_did_it_if_that_is_known),
        cmocka_unit_test(a_token_of_one_queue_is_told_of_its_jobs_its_queue_and_the_clusters),
        cmocka_unit_test(a_token_of_one_queue_learns_who_held_a_job_there_but_no_id_of_a_token),
        cmocka_unit_test(a_move_is_told_to_both_queues_and_the_old_one_learns_no_more_than_that),
        cmocka_unit_test(the_past_of_a_job_does_not_name_another_queue),
        cmocka_unit_test(
            a_stream_of_one_job_ends_where_the_job_leaves_the_queue_but_not_in_its_past),
    };

    return cmocka_run_group_tests(tests, make_queues, drop_queues) != 0;
}
