#include "controlplane/api/v1/event_json.h"

#include "controlplane/api/v1/resources.h"
#include "shared/base/buf.h"
#include "tests/fl_test.h"

static const struct event_filter fleet = {.jobs = true, .queues = true, .clusters = true};
static const struct event_place place = {17, 3};

/* The event of 'row' for that filter; "" when there is none. */
static struct fl_str event(struct fl_buf *buf, const struct row *row,
                           const struct event_filter *filter)
{
    fl_buf_clear(buf);
    if (!event_write(buf, place, 951782400000, row, filter, NULL)) return FL_STR("");
    return (struct fl_str){(const char *)buf->at, buf->len};
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

FL_TESTS(cmocka_unit_test(each_kind_of_event_is_described_as_one),
         cmocka_unit_test(an_event_has_its_place_its_type_and_its_data),
         cmocka_unit_test(a_row_of_a_newer_program_is_shown_to_the_fleet_but_not_to_one_job))
