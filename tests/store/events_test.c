/* The events of a big array, from a real Postgres through the API: each comes once, in the order of
 * the journal, and a client goes on behind any of them. */
#include <inttypes.h>
#include <stdlib.h>

#include "shared/base/alloc.h"
#include "shared/base/job_name.h"
#include "tests/fl_test.h"
#include "tests/store/api_help.h"
#include "tests/store/store_help.h"

enum { ELEMENTS = 100000, BATCH_ELEMENTS = 1000, JOB = 7 };

static struct help_hub *hub;

/* Elements start, and end a batch later; every third batch in between is other jobs' alone. */
static void write_history(const char *conninfo)
{
    struct help *help = help_create(conninfo, "a");
    uint64_t number, ended = 0;

    assert_int_equal(help_take(help, 0), FL_OK);
    number = help->taken.batch_newest;
    for (uint32_t started = 0; ended < ELEMENTS;) {
        struct core_batch *batch = help_batch(++number);

        batch->at = (fl_ms)number * 1000;
        if (started == 0) help_job(batch, JOB, ELEMENTS);
        if (number % 3 == 0) {
            help_job(batch, JOB + number, 1);
            help_attempt(batch, JOB + number, 0, 1);
            help_end(batch, JOB + number, 0, 1);
            help_job_end(batch, JOB + number, false);
        } else {
            while (ended < started) {
                help_end(batch, JOB, (uint32_t)ended++, 1);
            }
            for (int i = 0; i < BATCH_ELEMENTS && started < ELEMENTS; i++) {
                help_attempt(batch, JOB, started++, 1);
            }
            if (ended == ELEMENTS) help_job_end(batch, JOB, true);
        }
        assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
        core_batch_destroy(batch);
    }
    store_release(help->store, help_now());
    help_until(help, store_is_released(help->store));
    help_destroy(help);
}

/* The events of one stream, counted; in each element, bit 0: assigned, bit 1: ended. */
struct told {
    uint8_t elements[ELEMENTS];
    size_t assigned, ended, others;
    char id_middle[32]; /* some event about halfway */
    size_t events;
};

static uint64_t number_behind(const char *at, const char *end, const char *text)
{
    const char *found = memmem(at, (size_t)(end - at), text, strlen(text));

    assert_non_null(found);
    return strtoull(found + strlen(text), NULL, 10);
}

static void take_event(struct told *told, const char *at, const char *end, uint64_t *batch,
                       uint64_t *row)
{
    const char *id = at + 4, *dot = memchr(id, '.', (size_t)(end - id));
    uint64_t in = strtoull(id, NULL, 10), n = strtoull(dot + 1, NULL, 10), element;
    bool is_assigned = memmem(at, (size_t)(end - at), "attempt.assigned", 16) != NULL;

    assert_memory_equal(at, "id: ", 4);
    assert_true(in > *batch || (in == *batch && n > *row)); /* in order, none twice */
    *batch = in;
    *row = n;
    if (told->events++ == ELEMENTS) {
        snprintf(told->id_middle, sizeof told->id_middle, "%" PRIu64 ".%" PRIu64, in, n);
    }
    if (!is_assigned && !memmem(at, (size_t)(end - at), "element.ended", 13)) {
        told->others++;
        return;
    }
    element = number_behind(at, end, "\"element\":");
    assert_true(element < ELEMENTS);
    assert_false(told->elements[element] & (is_assigned ? 1 : 2));
    told->elements[element] |= is_assigned ? 1 : 2;
    told->assigned += is_assigned;
    told->ended += !is_assigned;
}

static void follow(struct told *told, const char *from)
{
    struct fl_arena arena = {0};
    char text[FL_JOB_NAME_MAX], path[64], header[64] = "";
    struct help_reply reply;
    uint64_t batch = 0, row = 0;
    const char *at, *end;

    *told = (struct told){0};
    fl_job_name((struct fl_job){JOB}, text);
    snprintf(path, sizeof path, "/v1/jobs/%s/events", text);
    if (from) snprintf(header, sizeof header, "Last-Event-ID: %s\r\n", from);
    reply = help_call(hub, &arena, help_hub_admin(hub), "GET", path, header, NULL, NULL);
    assert_int_equal(reply.status, 200);
    for (at = reply.body.at; at < reply.body.at + reply.body.len; at = end + 2) {
        end = memmem(at, (size_t)(reply.body.at + reply.body.len - at), "\n\n", 2);
        assert_non_null(end); /* the stream ends behind an event */
        if (*at != ':') take_event(told, at, end, &batch, &row);
    }
    fl_arena_fini(&arena);
}

static void a_hundred_thousand_elements_are_told_whole_and_in_order(void **state)
{
    struct told *all = fl_new(struct told), *rest = fl_new(struct told);

    (void)state;
    follow(all, NULL);
    assert_int_equal(all->assigned, ELEMENTS);
    assert_int_equal(all->ended, ELEMENTS);
    assert_int_equal(all->others, 2); /* job.submitted and job.ended */
    follow(rest, all->id_middle);
    assert_int_equal(rest->events, all->events - ELEMENTS - 1);
    assert_int_equal(rest->others, 1);
    fl_free(all);
    fl_free(rest);
}

static int start(void **state)
{
    char *conninfo = help_database();

    (void)state;
    write_history(conninfo);
    hub = help_hub_start_on(conninfo);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    help_hub_stop(hub);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_elements_are_told_whole_and_in_order),
    };

    return cmocka_run_group_tests(tests, start, stop) != 0;
}
