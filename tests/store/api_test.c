/* The REST API over loopback TLS, with everything real behind it. */
#include <inttypes.h>
#include <libpq-fe.h>

#include "controlplane/api/route.h"
#include "controlplane/api/v1/resources.h"
#include "shared/base/job_name.h"
#include "tests/store/api_calls.h"
#include "tests/store/store_help.h"

/* 'text' with its "%s", if it has one, as 'name'. */
static const char *with(const char *text, const char *name)
{
    const char *hole = strstr(text, "%s");

    if (!hole) return text;
    return fl_arena_printf(&arena, "%.*s%s%s", (int)(hole - text), text, name, hole + 2);
}

static void a_job_is_accepted_shown_explained_listed_cancelled_and_run_again(void **state)
{
    const char *job =
        submit("{\"command\":[\"true\"],\"name\":\"first\",\"labels\":{\"k\":\"v\"}}");
    struct help_reply reply = call("GET", path(job, ""), NULL);

    (void)state;
    expect(reply, 200);
    assert_true(fl_str_eq(help_text(reply.json, "state"), FL_STR("queued")));
    assert_true(fl_str_eq(help_text(reply.json, "name"), FL_STR("first")));
    assert_non_null(fl_json_member(reply.json, FL_STR("spec")));
    reply = call("GET", path(job, "/explain"), NULL);
    expect(reply, 200);
    assert_true(help_text(reply.json, "sentence").len > 0);
    assert_true(has(call("GET", "/v1/jobs?label=k%3Dv&state=open", NULL).body, job));
    assert_false(has(call("GET", "/v1/jobs?label=k%3Dw&state=open", NULL).body, job));
    expect(call("POST", path(job, ":retry"), "{}"), 409);
    expect(call("POST", path(job, ":hold"), NULL), 200);
    expect(call("POST", path(job, ":release"), NULL), 200);
    expect(call("POST", path(job, ":cancel"), NULL), 200);
    expect(call("POST", path(job, ":cancel"), NULL), 200);
    expect(call("POST", path(job, ":hold"), NULL), 409);
    reply = call("GET", path(job, ""), NULL);
    assert_true(fl_str_eq(help_text(reply.json, "state"), FL_STR("cancelled")));
    assert_true(has(call("GET", "/v1/jobs?state=ended", NULL).body, job));
    reply = call("POST", path(job, ":retry"), "{}");
    expect(reply, 201);
    assert_true(fl_str_eq(help_text(reply.json, "retryOf"), fl_str_c(job)));
    expect(call("POST", path(job, ":retry"), "{\"only\":\"failed\"}"), 409);
    expect(call("GET", path("job-zzzz", ""), NULL), 404);
    expect(call("GET", path("nothing", ""), NULL), 404);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    struct help_reply reply =
        help_call(hub, &arena, help_hub_admin(hub), "POST", "/v1/jobs",
                  "Content-Type: application/yaml\r\n", "command: [a]\nqueu: x\n", NULL);

    (void)state;
    expect(reply, 422);
    assert_true(has(reply.head, "application/problem+json"));
    assert_true(has(reply.body, "\"pointer\":\"/queu\"") && has(reply.body, "\"line\":2"));
    assert_true(has(reply.body, "\"allowed\":\"queue\""));
    expect(call("POST", "/v1/jobs", "{"), 400);
    reply = call("GET", "/v1/jobs?limi=1", NULL);
    assert_true(has(reply.body, "\"parameter\":\"limi\"") && !has(reply.body, "\"pointer\""));
    reply = help_call(hub, &arena, help_hub_admin(hub), "GET", "/v1/events", "Last-Event-ID: x\r\n",
                      NULL, NULL);
    assert_true(has(reply.body, "\"header\":\"Last-Event-ID\""));
    expect(call("GET", "/v1/jobs?limi=1", NULL), 422);
    expect(call("GET", "/v1/jobs?queue=default&queue=other", NULL), 422);
    expect(call("GET", "/v1/jobs?cursor=x", NULL), 422);
    expect(call("PATCH", "/v1/jobs", NULL), 405);
    expect(call("POST", "/v1/queues", "{\"name\":\"a\",\"x\":1}"), 422);
    expect(call("POST", "/v1/jobs?dryRun=true", "{\"command\":[\"a\"]}"), 200);
}

/* In each request that names it, if it does not exist or is not for this token. */
static void a_queue_that_is_not_there_is_one_refusal(void **state)
{
    static const struct {
        const char *method, *path, *body, *place;
    } rows[] = {
        {"POST", "/v1/jobs", "{\"command\":[\"a\"],\"queue\":\"%s\"}", "\"pointer\":\"/queue\""},
        {"POST", "/v1/jobs:batch", "[{\"command\":[\"a\"],\"queue\":\"%s\"}]",
         "\"pointer\":\"/queue\""},
        {"POST", "/v1/jobs:cancel", "{\"queue\":\"%s\"}", "\"pointer\":\"/queue\""},
        {"POST", "/v1/jobs:edit", "{\"queue\":\"%s\",\"edit\":{\"priority\":1}}",
         "\"pointer\":\"/queue\""},
        {"POST", "/v1/jobs:edit", "{\"queue\":\"default\",\"edit\":{\"queue\":\"%s\"}}",
         "\"pointer\":\"/edit/queue\""},
        {"POST", "/v1/jobs:retry", "{\"queue\":\"%s\"}", "\"pointer\":\"/queue\""},
        {"GET", "/v1/jobs?queue=%s", NULL, "\"parameter\":\"queue\""},
    };
    const char *own = make_token("{\"name\":\"o\",\"scopes\":[\"read\",\"submit\",\"cancel\"],"
                                 "\"queue\":\"default\"}");
    const struct {
        const char *token, *queue;
    } asked[] = {{help_hub_admin(hub), "none"}, {own, "none"}, {own, "hidden"}};

    (void)state;
    expect(call("POST", "/v1/queues", "{\"name\":\"hidden\"}"), 201);
    for (size_t i = 0; i < 3 * sizeof rows / sizeof *rows; i++) {
        const char *queue = asked[i % 3].queue, *at = rows[i / 3].path, *body = rows[i / 3].body;
        struct help_reply reply =
            help_call(hub, &arena, asked[i % 3].token, rows[i / 3].method, with(at, queue), NULL,
                      body ? with(body, queue) : NULL, NULL);

        if (!strstr(at, ":batch")) expect(reply, 422);
        assert_true(has(reply.body, "\"status\":422,\"code\":\"absent\""));
        assert_true(has(reply.body, rows[i / 3].place));
    }
    expect(call("POST", "/v1/tokens", "{\"name\":\"n\",\"scopes\":[\"read\"],\"queue\":\"none\"}"),
           422);
    expect(call("GET", "/v1/queues/none", NULL), 404);
}

static void each_line_of_a_batch_has_its_result(void **state)
{
    struct help_reply reply = help_call(
        hub, &arena, help_hub_admin(hub), "POST", "/v1/jobs:batch",
        "Content-Type: application/x-ndjson\r\n",
        "{\"spec\":\"s\",\"job\":{\"command\":[\"true\"],\"labels\":{\"set\":\"batch\"}}}\n"
        "{\"use\":\"s\",\"params\":{\"lr\":\"1\"}}\n{\"use\":\"t\"}\nno json\n{\"use\":\"s\"}\n",
        NULL);

    (void)state;
    expect(reply, 200);
    assert_true(has(reply.body, "{\"line\":1,\"spec\":\"s\"}"));
    assert_true(has(reply.body, "{\"line\":2,\"id\":\"job-"));
    assert_true(has(reply.body, "{\"line\":3,\"problem\":") &&
                has(reply.body, "{\"line\":4,\"problem\":"));
    assert_true(has(reply.body, "{\"line\":5,\"id\":\"job-"));
    reply = call("POST", "/v1/jobs:cancel", "{\"labels\":{\"set\":\"batch\"},\"dryRun\":true}");
    expect(reply, 200);
    assert_true(has(reply.body, "\"matched\":2,\"changed\":0"));
    reply = call("POST", "/v1/jobs:cancel", "{\"labels\":{\"set\":\"batch\"}}");
    assert_true(has(reply.body, "\"matched\":2,\"changed\":2"));
    expect(call("POST", "/v1/jobs:batch", "[{\"command\":[\"true\"]}]"), 200);
}

/* A good job, then so many lines of a kind. */
static struct help_reply post_lines(const char *line, size_t lines)
{
    static const char good[] = "{\"command\":[\"true\"],\"hold\":true,"
                               "\"labels\":{\"set\":\"bounded\"}}\n";
    size_t each = strlen(line);
    char *body = fl_arena_alloc(&arena, sizeof good + lines * each);

    memcpy(body, good, sizeof good);
    for (size_t i = 0; i < lines; i++) {
        memcpy(body + sizeof good - 1 + i * each, line, each + 1);
    }
    return help_call(hub, &arena, help_hub_admin(hub), "POST", "/v1/jobs:batch",
                     "Content-Type: application/x-ndjson\r\n", body, NULL);
}

static void a_batch_over_its_bounds_is_refused_as_a_whole(void **state)
{
    char wide[40000], *at = wide + sprintf(wide, "{\"use\":\"s\",\"params\":[0");

    (void)state;
    expect(post_lines("1\n", 300000), 413); /* its answer would be over the limit, too */
    expect(post_lines("1\n", 2000), 413);
    for (int i = 0; i < 5000; i++) {
        at += sprintf(at, ",%d", i % 10);
    }
    sprintf(at, "]}\n");
    expect(post_lines(wide, 50), 413); /* 250,000 values in 51 lines */
    assert_false(has(call("GET", "/v1/jobs?label=set%3Dbounded", NULL).body, "\"id\":\"job-"));
    expect(post_lines("1\n", 1999), 200);
    assert_true(has(call("GET", "/v1/jobs?label=set%3Dbounded", NULL).body, "\"id\":\"job-"));
}

/* A value of each kind, and the word of JSON Schema for it. */
static const struct {
    const char *type, *text;
} kinds[] = {
    {"null", "null"},       {"boolean", "true"}, {"integer", "1"},        {"number", "1.5"},
    {"string", "\"true\""}, {"array", "[true]"}, {"object", "{\"a\":1}"},
};

/* The path with "east" for each name. */
static const char *any_path(const char *pattern)
{
    char *out = fl_arena_alloc(&arena, 256), *to = out;

    for (const char *at = pattern; *at; at++) {
        if (*at != '{') {
            *to++ = *at;
            continue;
        }
        to += sprintf(to, "east");
        at = strchr(at, '}');
    }
    *to = 0;
    return out;
}

static void every_member_of_every_body_has_the_kind_that_its_table_says(void **state)
{
    size_t asked = 0;

    (void)state;
    for (const struct api_resource *resource = api_v1.resources; resource->name; resource++) {
        for (const struct api_route *route = resource->routes; route->path; route++) {
            for (const struct api_field *field = route->body; field && field->name; field++) {
                for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                    const char *pointer = fl_arena_printf(&arena, "\"pointer\":\"/%s", field->name);
                    const char *body =
                        fl_arena_printf(&arena, "{\"%s\":%s}", field->name, kinds[k].text);
                    struct help_reply reply;

                    if (strstr(field->type, kinds[k].type)) continue;
                    reply = call(api_method_name(route->method), any_path(route->path), body);
                    if (reply.status != 422 || !has(reply.body, pointer)) {
                        fail_msg("%s %s: %d " FL_STR_FMT, route->path, body, reply.status,
                                 FL_STR_ARG(reply.body));
                    }
                    asked++;
                }
            }
        }
    }
    assert_true(asked > 50);
}

static void a_filter_that_was_emptied_is_refused_and_nothing_is_done(void **state)
{
    static const char *const filters[] = {
        "{}",
        "{\"dryRun\":false}",
        "{\"queue\":\"\"}",
        "{\"queue\":{}}",
        "{\"queue\":[\"default\"]}",
        "{\"queue\":null}",
        "{\"queue\":\"default\",\"dryRun\":\"true\"}",
        "{\"queue\":\"default\",\"dryRun\":1}",
        "{\"queue\":\"default\",\"dryRun\":null}",
        "{\"queue\":\"default\",\"state\":[]}",
        "{\"queue\":\"default\",\"state\":\"\"}",
        "{\"queue\":\"default\",\"state\":[\"\"]}",
        "{\"queue\":\"default\",\"state\":[[\"held\"]]}",
        "{\"queue\":\"default\",\"state\":[\"held,queued\"]}",
        "{\"queue\":\"default\",\"labels\":{}}",
        "{\"queue\":\"default\",\"labels\":[\"a=b\"]}",
        "{\"queue\":\"default\",\"labels\":{\"a\":1}}",
        "{\"queue\":\"default\",\"labels\":{\"a\":\"b,c=d\"}}",
        "{\"queue\":\"default\",\"labels\":{\"a=b,c\":\"d\"}}",
    };
    const char *held = submit("{\"command\":[\"true\"],\"hold\":true}");
    const char *ended = submit("{\"command\":[\"true\"],\"hold\":true}");
    struct help_reply before;

    (void)state;
    expect(call("POST", path(ended, ":cancel"), NULL), 200);
    before = call("GET", "/v1/jobs?limit=1000", NULL);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct help_reply cancelled = call("POST", "/v1/jobs:cancel", filters[i]);
        struct help_reply retried = call("POST", "/v1/jobs:retry", filters[i]);

        if (cancelled.status != 422 || retried.status != 422) {
            fail_msg("%s: %d and %d", filters[i], cancelled.status, retried.status);
        }
    }
    /* An open job has not ended, so that this names none. */
    expect(call("POST", "/v1/jobs:retry", "{\"queue\":\"default\",\"state\":[\"held\"]}"), 422);
    assert_true(fl_str_eq(before.body, call("GET", "/v1/jobs?limit=1000", NULL).body));
    expect(call("POST", "/v1/jobs:cancel", "{\"queue\":\"default\",\"state\":\"held\"}"), 200);
    assert_true(
        fl_str_eq(help_text(call("GET", path(held, ""), NULL).json, "state"), FL_STR("cancelled")));
}

enum { KEYED = 100, KEYED_THREADS = 10 };

static void *submit_keyed(void *ctx)
{
    struct help_reply *replies = ctx;
    struct fl_arena own = {0};

    for (int i = 0; i < KEYED / KEYED_THREADS; i++) {
        struct help_reply reply = help_call(hub, &own, help_hub_admin(hub), "POST", "/v1/jobs",
                                            "Idempotency-Key: once\r\n",
                                            "{\"command\":[\"true\"],\"name\":\"keyed\"}", NULL);

        replies[i].status = reply.status;
        if (reply.status == 201) replies[i].body = help_text(reply.json, "id");
        if (reply.status == 201) {
            replies[i].body.at = strndup(replies[i].body.at, replies[i].body.len);
        }
    }
    fl_arena_fini(&own);
    return NULL;
}

static void a_hundred_submits_with_one_key_are_one_job(void **state)
{
    static struct help_reply replies[KEYED_THREADS][KEYED / KEYED_THREADS];
    pthread_t threads[KEYED_THREADS];
    struct fl_str job = {0};
    struct help_reply reply;

    (void)state;
    for (int i = 0; i < KEYED_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, submit_keyed, replies[i]), 0);
    }
    for (int i = 0; i < KEYED_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < KEYED; i++) {
        struct help_reply *one = &replies[i / (KEYED / KEYED_THREADS)][i % (KEYED / KEYED_THREADS)];

        assert_true(one->status == 201 || one->status == 409);
        if (one->status != 201) continue;
        if (job.len == 0) job = fl_str_c(cstr(one->body));
        assert_true(fl_str_eq(job, one->body));
        free((void *)one->body.at);
    }
    assert_true(job.len > 0);
    reply = help_call(hub, &arena, help_hub_admin(hub), "POST", "/v1/jobs",
                      "Idempotency-Key: once\r\n", "{\"command\":[\"false\"]}", NULL);
    expect(reply, 409);
}

static const char *lines_of(const char *line, size_t len)
{
    struct fl_buf lines;

    fl_buf_init_in(&lines, 1 << 20, &arena);
    for (size_t i = 0; i < len; i++) {
        fl_buf_put(&lines, line, strlen(line));
        fl_buf_put_u8(&lines, '\n');
    }
    return cstr(fl_buf_take(&lines));
}

/* The only job that a filter passes is on the first page, however many lie before it. */
static void a_filter_that_passes_little_gives_no_empty_page(void **state)
{
    static const char *const lists[] = {
        "/v1/jobs?state=open&queue=lots&label=rare%3Dyes", "/v1/jobs?queue=lots&label=rare%3Dyes",
        "/v1/jobs?state=ended&label=rare%3Dyes", "/v1/jobs?queue=lots&label=rare%3Dyes&limit=1"};
    const char *rare, *many;

    (void)state;
    expect(call("POST", "/v1/queues", "{\"name\":\"lots\"}"), 201);
    rare = submit(
        "{\"command\":[\"a\"],\"queue\":\"lots\",\"hold\":true,\"labels\":{\"rare\":\"yes\"}}");
    many = lines_of("{\"command\":[\"a\"],\"queue\":\"lots\",\"hold\":true}", 1000);
    for (int i = 0; i < 3; i++) {
        expect(help_call(hub, &arena, help_hub_admin(hub), "POST", "/v1/jobs:batch",
                         "Content-Type: application/x-ndjson\r\n", many, NULL),
               200);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct help_reply reply;

        if (i == 2) expect(call("POST", "/v1/jobs:cancel", "{\"queue\":\"lots\"}"), 200);
        reply = call("GET", lists[i], NULL);
        expect(reply, 200);
        if (!has(reply.body, rare)) fail_msg("%s: " FL_STR_FMT, lists[i], FL_STR_ARG(reply.body));
    }
}

static void events_of_a_job_are_told_from_its_beginning_and_go_on_behind_an_id(void **state)
{
    const char *job = submit("{\"command\":[\"true\"]}"), *first;
    struct help_reply reply;
    const char *id, *end;

    (void)state;
    reply = help_call(hub, &arena, help_hub_admin(hub), "GET", path(job, "/events"), NULL, NULL,
                      "job.submitted");
    assert_true(has(reply.head, "text/event-stream"));
    reply = help_call(hub, &arena, help_hub_admin(hub), "GET", path(job, "/events"), NULL, NULL,
                      "\n:\n"); /* the heartbeat */
    id = memmem(reply.body.at, reply.body.len, "id: ", 4);
    assert_non_null(id);
    end = strchr(id, '\n');
    first = fl_arena_printf(&arena, "Last-Event-ID: %.*s\r\n", (int)(end - id - 4), id + 4);
    expect(call("POST", path(job, ":cancel"), NULL), 200);
    reply =
        help_call(hub, &arena, help_hub_admin(hub), "GET", path(job, "/events"), first, NULL, NULL);
    assert_false(has(reply.body, "job.submitted"));
    assert_true(has(reply.body, "element.ended") && has(reply.body, "job.ended"));
    reply =
        help_call(hub, &arena, help_hub_admin(hub), "GET", path(job, "/events"), NULL, NULL, NULL);
    assert_true(has(reply.body, "job.submitted") && has(reply.body, "job.ended"));
    reply =
        help_call(hub, &arena, help_hub_admin(hub), "GET", "/v1/events", first, NULL, "job.ended");
    assert_true(has(reply.body, job) && !has(reply.body, "event: reset"));
    reply = help_call(hub, &arena, help_hub_admin(hub), "GET", path(job, "/logs/stream"), NULL,
                      NULL, NULL);
    assert_true(has(reply.body, "event: end"));
}

enum { READERS = 8, READS = 25 };

/* Ends a job while somebody begins to follow its output, again and again. */
static void *read_while_it_ends(void *ctx)
{
    struct fl_arena own = {0};
    size_t *told = ctx;

    for (int i = 0; i < READS; i++) {
        struct help_reply made = help_call(hub, &own, help_hub_admin(hub), "POST", "/v1/jobs", NULL,
                                           "{\"command\":[\"true\"]}", NULL);
        struct fl_str id = help_text(made.json, "id");
        struct listener listener = {
            .token = help_hub_admin(hub),
            .path = fl_arena_printf(&own, "/v1/jobs/%.*s/logs/stream", (int)id.len, id.at)};
        char *cancel = fl_arena_printf(&own, "/v1/jobs/%.*s:cancel", (int)id.len, id.at);

        if (pthread_create(&listener.thread, NULL, listen_until_closed, &listener) != 0) break;
        help_call(hub, &own, help_hub_admin(hub), "POST", cancel, NULL, "", NULL);
        pthread_join(listener.thread, NULL);
        *told += has(listener.reply.body, "event: end");
        fl_arena_fini(&listener.arena);
    }
    fl_arena_fini(&own);
    return NULL;
}

static void a_reader_that_comes_while_its_job_ends_is_told_of_the_end(void **state)
{
    pthread_t threads[READERS];
    size_t told[READERS] = {0};

    (void)state;
    for (size_t i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_while_it_ends, &told[i]), 0);
    }
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(told[i], READS);
    }
}

/* Each has something outside of its call's arena by then: LeakSanitizer tells what stays. */
static void a_look_up_that_fails_leaves_nothing_behind(void **state)
{
    const char *job = submit("{\"command\":[\"true\"],\"hold\":true}");
    char *line =
        fl_arena_printf(&arena, "[{\"command\":[\"true\"],\"after\":[{\"job\":\"%s\"}]}]", job);
    PGconn *locker = PQconnectdb(help_hub_conninfo(hub));

    (void)state;
    PQclear(PQexec(locker, "begin; lock table element_end in access exclusive mode"));
    assert_int_equal(PQtransactionStatus(locker), PQTRANS_INTRANS);
    expect(call("POST", "/v1/jobs:batch", line), 503);
    line[strlen(line) - 1] = '\0';
    expect(call("POST", "/v1/jobs", line + 1), 503);
    PQfinish(locker);
    expect(call("POST", "/v1/jobs", line + 1), 201);
}

static void a_job_that_cannot_be_read_is_counted_when_many_are_retried(void **state)
{
    static const char document[] =
        "{\"command\":[\"true\"],\"hold\":true,\"labels\":{\"which\":\"torn\"}}";
    const char *good = submit(document), *bad = submit(document);
    PGconn *owner = PQconnectdb(help_hub_conninfo(hub));
    struct help_reply done;
    struct fl_err err = {0};
    struct fl_job torn;
    PGresult *updated;

    (void)state;
    expect(call("POST", path(good, ":cancel"), NULL), 200);
    expect(call("POST", path(bad, ":cancel"), NULL), 200);
    assert_true(fl_job_parse(fl_str_c(bad), &torn, &err));
    updated =
        PQexec(owner, fl_arena_printf(&arena, "update job set spec = '\\x07' where id = %" PRIu64,
                                      torn.n));
    assert_string_equal(PQcmdTuples(updated), "1");
    PQclear(updated);
    PQfinish(owner);
    done =
        call("POST", "/v1/jobs:retry", "{\"state\":\"cancelled\",\"labels\":{\"which\":\"torn\"}}");
    expect(done, 200);
    assert_true(has(done.body, "\"matched\":2,\"changed\":1,\"failed\":1"));
    assert_true(fl_str_eq(help_text(fl_json_member(done.json, FL_STR("firstFailure")), "job"),
                          fl_str_c(bad)));
}

static void what_the_api_says_of_itself_is_so(void **state)
{
    struct help_reply reply = call("GET", "/v1/openapi.json", NULL);
    const struct fl_json *paths;

    (void)state;
    expect(reply, 200);
    assert_non_null(reply.json);
    paths = fl_json_member(reply.json, FL_STR("paths"));
    assert_true(paths && paths->len > 30);
    FL_JSON_EACH (one, paths) {
        /* A path that is there refuses a method that it lacks, one that is not is a 404. */
        struct help_reply wrong;
        char *at = fl_arena_copy(&arena, one->key.at, one->key.len), *brace;

        while ((brace = strchr(at, '{'))) {
            memmove(brace + 1, strchr(brace, '}') + 1, strlen(strchr(brace, '}') + 1) + 1);
            *brace = 'x';
        }
        wrong = call(fl_json_member(one, FL_STR("patch")) ? "POST" : "PATCH", at, NULL);
        if (wrong.status != 405) fail_msg("%s: %d", at, wrong.status);
    }
    expect(call("PATCH", "/v1/nothing", NULL), 404);
    expect(call("GET", "/readyz?verbose", NULL), 200);
    expect(call("GET", "/version", NULL), 200);
    assert_true(has(call("GET", "/v1/audit?action=queue_put", NULL).body, "queue_put"));
}

/* Under an earlier release, which let it be removed: jobs that name no queue had none then. */
static void a_default_queue_that_was_removed_is_there_again_after_a_start(void **state)
{
    char *conninfo;
    struct help *help;
    struct core_batch *batch;

    (void)state;
    help_hub_stop(hub);
    conninfo = help_database();
    help = help_create(conninfo, "a");
    assert_int_equal(help_take(help, 0), FL_OK);
    batch = help_batch(help->taken.batch_newest + 1);
    help_row(batch, (struct row){.kind = ROW_queue_put,
                                 .queue_put = {.queue = 1,
                                               .tenant = FL_TENANT_ONLY.n,
                                               .name = FL_STR(FL_QUEUE_DEFAULT),
                                               .is_removed = true}});
    assert_int_equal(help_commit(help, batch), ENGINE_COMMITTED);
    core_batch_destroy(batch);
    store_release(help->store, help_now());
    help_until(help, store_is_released(help->store));
    help_destroy(help);
    hub = help_hub_start_on(conninfo);
    expect(call("GET", "/v1/queues/" FL_QUEUE_DEFAULT, NULL), 200);
    submit("{\"command\":[\"true\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_accepted_shown_explained_listed_cancelled_and_run_again),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(a_queue_that_is_not_there_is_one_refusal),
        cmocka_unit_test(each_line_of_a_batch_has_its_result),
        cmocka_unit_test(a_batch_over_its_bounds_is_refused_as_a_whole),
        cmocka_unit_test(every_member_of_every_body_has_the_kind_that_its_table_says),
        cmocka_unit_test(a_filter_that_was_emptied_is_refused_and_nothing_is_done),
        cmocka_unit_test(a_hundred_submits_with_one_key_are_one_job),
        cmocka_unit_test(a_filter_that_passes_little_gives_no_empty_page),
        cmocka_unit_test(events_of_a_job_are_told_from_its_beginning_and_go_on_behind_an_id),
        cmocka_unit_test(a_reader_that_comes_while_its_job_ends_is_told_of_the_end),
        cmocka_unit_test(a_look_up_that_fails_leaves_nothing_behind),
        cmocka_unit_test(a_job_that_cannot_be_read_is_counted_when_many_are_retried),
        cmocka_unit_test(what_the_api_says_of_itself_is_so),
        cmocka_unit_test(a_default_queue_that_was_removed_is_there_again_after_a_start),
    };

    return cmocka_run_group_tests(tests, start, stop) != 0;
}
