/* Groups of failures over the whole API: their bounds, and which elements a retry of one runs.  The
 * ends are written straight into the tables, since no agent is here. */
#include <inttypes.h>

#include "controlplane/api/failure_groups.h"
#include "shared/base/job_name.h"
#include "tests/fl_test.h"
#include "tests/store/api_help.h"
#include "tests/store/store_help.h"

static struct help_hub *hub;
static struct fl_arena arena;

static struct help_reply call(const char *method, const char *path, const char *body, int status)
{
    struct help_reply reply =
        help_call(hub, &arena, help_hub_admin(hub), method, path, NULL, body, NULL);

    if (reply.status != status) {
        fail_msg("%d instead of %d: " FL_STR_FMT, reply.status, status, FL_STR_ARG(reply.body));
    }
    return reply;
}

static const char *path(struct fl_str job, const char *rest)
{
    return fl_arena_printf(&arena, "/v1/jobs/" FL_STR_FMT "%s", FL_STR_ARG(job), rest);
}

static int64_t number(const struct fl_json *object, const char *key)
{
    return fl_json_member(object, fl_str_c(key))->n;
}

/* An array that was cancelled, of which all elements below 'failed' had failed: each with the line
 * that this SQL makes of i. */
static struct fl_str failed_array(int failed, const char *line)
{
    struct help_reply reply =
        call("POST", "/v1/jobs", "{\"command\":[\"true\"],\"array\":2000,\"hold\":true}", 201);
    struct fl_str id = help_text(reply.json, "id");
    struct fl_err err = {0};
    struct fl_job job;

    assert_true(fl_job_parse(id, &job, &err));
    call("POST", path(id, ":cancel"), NULL, 200);
    help_run(help_hub_conninfo(hub),
             fl_arena_printf(
                 &arena,
                 "insert into element_end(job, batch, element, n, exit_code, first_replica, state,"
                 " reason) select %" PRIu64 ", 1, i, 1, 3, 0, 17, 33 from generate_series(0, %d) i;"
                 "insert into attempt_words(job, batch, element, n, words)"
                 " select %" PRIu64 ", 1, i, 1, %s from generate_series(0, %d) i",
                 job.n, failed - 1, job.n, line, failed - 1));
    return id;
}

static void a_retry_of_a_group_runs_its_elements_alone(void **state)
{
    struct fl_str job =
        failed_array(1200, "case when i % 4 = 0 then 'bad row ' || i else 'no lr' end");
    struct help_reply reply = call("GET", path(job, "/failures"), NULL, 200);
    const struct fl_json *groups = fl_json_member(reply.json, FL_STR("groups")), *few;
    const char *body;

    (void)state;
    assert_int_equal(number(reply.json, "failed"), 1200); /* three pages */
    assert_int_equal(number(reply.json, "isWhole"), 1);
    assert_int_equal(groups->len, 2);
    few = groups->first->next;
    assert_int_equal(number(few, "count"), 300);
    assert_true(fl_str_eq(help_text(few, "pattern"), FL_STR("bad row <n>")));
    body = fl_arena_printf(&arena, "{\"failure\":\"" FL_STR_FMT "\"}",
                           FL_STR_ARG(help_text(few, "id")));
    reply = call("POST", path(job, ":retry"), body, 201);
    assert_int_equal(number(fl_json_member(reply.json, FL_STR("elements")), "total"), 300);
    call("POST", path(job, ":retry"), "{\"failure\":\"0123456789ab\"}", 409);
}

static void further_groups_are_only_counted(void **state)
{
    struct fl_str job = failed_array(
        FAILURE_GROUPS_MAX + 100,
        "case when i > 1090 then 'most' else translate(i::text, '0123456789', 'ghijklmnop') end");
    struct help_reply reply = call("GET", path(job, "/failures"), NULL, 200);
    const struct fl_json *groups = fl_json_member(reply.json, FL_STR("groups"));

    (void)state;
    assert_int_equal(groups->len, 200);
    assert_int_equal(number(reply.json, "failed"), FAILURE_GROUPS_MAX + 100);
    assert_int_equal(number(reply.json, "others"), FAILURE_GROUPS_MAX + 100 - 200);
    assert_int_equal(number(reply.json, "isWhole"), 0);
}

static int start(void **state)
{
    (void)state;
    hub = help_hub_start();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    help_hub_stop(hub);
    fl_arena_fini(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_retry_of_a_group_runs_its_elements_alone),
        cmocka_unit_test(further_groups_are_only_counted),
    };

    return cmocka_run_group_tests(tests, start, stop) != 0;
}
