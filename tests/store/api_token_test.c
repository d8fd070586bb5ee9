/* Tokens over the REST API: the calls that they open, the jobs that they hide, their rotation and
 * their end; and the join token, which lets an agent enrol. */
#include <errno.h>
#include <libpq-fe.h>

#include "shared/json/json_out.h"
#include "shared/tls/base64.h"
#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "shared/tls/join_token.h"
#include "shared/tls/key.h"
#include "tests/store/api_calls.h"
#include "tests/store/store_help.h"

static int status_with(const char *token, const char *method, const char *at, const char *body)
{
    return help_call(hub, &arena, token, method, at, NULL, body, NULL).status;
}

static void a_token_opens_what_it_says_and_nothing_once_it_is_revoked(void **state)
{
    const char *other = submit("{\"command\":[\"true\"]}"), *reader, *own, *id;
    struct help_reply reply;

    (void)state;
    expect(call("POST", "/v1/queues", "{\"name\":\"ml\"}"), 201);
    reader = make_token("{\"name\":\"r\",\"scopes\":[\"read\"]}");
    own =
        make_token("{\"name\":\"m\",\"scopes\":[\"read\",\"submit\",\"cancel\"],\"queue\":\"ml\"}");
    assert_int_equal(status_with(NULL, "GET", "/v1/jobs", NULL), 401);
    assert_int_equal(status_with("fl_x", "GET", "/v1/jobs", NULL), 401);
    assert_int_equal(status_with(NULL, "GET", "/livez", NULL), 200);
    reply = help_call(hub, &arena, NULL, "GET", "/readyz?verbose=true", NULL, NULL, NULL);
    assert_int_equal(reply.status, 200);
    assert_false(has(reply.body, "database"));
    assert_true(has(call("GET", "/readyz?verbose=true", NULL).body, "database"));
    assert_int_equal(status_with("fl_x", "GET", "/readyz", NULL), 401);
    assert_int_equal(status_with(reader, "GET", path(other, ""), NULL), 200);
    assert_int_equal(status_with(reader, "POST", "/v1/jobs", "{\"command\":[\"a\"]}"), 403);
    assert_int_equal(status_with(reader, "POST", path(other, ":cancel"), NULL), 403);
    assert_int_equal(status_with(own, "GET", path(other, ""), NULL), 404);
    assert_int_equal(status_with(own, "POST", path(other, ":cancel"), NULL), 404);
    assert_int_equal(status_with(own, "GET", "/v1/queues/default", NULL), 404);
    assert_int_equal(status_with(own, "GET", "/v1/audit", NULL), 403);
    assert_int_equal(
        status_with(own, "POST", "/v1/jobs", "{\"command\":[\"a\"],\"queue\":\"default\"}"), 422);
    reply = help_call(hub, &arena, own, "POST", "/v1/jobs", NULL, "{\"command\":[\"a\"]}", NULL);
    expect(reply, 201);
    assert_true(fl_str_eq(help_text(reply.json, "queue"), FL_STR("ml")));
    reply = help_call(hub, &arena, reader, "GET", "/v1/whoami", NULL, NULL, NULL);
    id = cstr(help_text(reply.json, "id"));
    expect(call("DELETE", fl_arena_printf(&arena, "/v1/tokens/%s", id), NULL), 200);
    assert_int_equal(status_with(reader, "GET", "/v1/whoami", NULL), 401);
    assert_false(has(call("GET", "/v1/tokens", NULL).body, "\"token\""));
}

static const char *rotate(const char *by, const char *id, const char *body)
{
    struct help_reply reply =
        help_call(hub, &arena, by, "POST", fl_arena_printf(&arena, "/v1/tokens/%s:rotate", id),
                  NULL, body, NULL);

    expect(reply, 200);
    return cstr(help_text(reply.json, "token"));
}

static int rotate_status(const char *by, const char *id, const char *body)
{
    return status_with(by, "POST", fl_arena_printf(&arena, "/v1/tokens/%s:rotate", id), body);
}

static bool counts(const char *token)
{
    return status_with(token, "GET", "/v1/whoami", NULL) == 200;
}

static const char *id_of(const char *token)
{
    return cstr(
        help_text(help_call(hub, &arena, token, "GET", "/v1/whoami", NULL, NULL, NULL).json, "id"));
}

static void a_token_gets_a_new_secret_and_the_old_one_counts_for_a_while(void **state)
{
    const char *first = make_token("{\"name\":\"turn\",\"scopes\":[\"read\"]}"), *id = id_of(first);
    const char *boss = make_token("{\"name\":\"boss\",\"scopes\":[\"admin\"],\"ttlSeconds\":600}");
    const char *long_lived = make_token("{\"name\":\"long\",\"scopes\":[\"read\"]}");
    const char *of_queue = make_token("{\"name\":\"q\",\"scopes\":[\"admin\"],\"queue\":\"ml\"}");
    const char *second, *third;
    struct help_reply reply;

    (void)state;
    second = rotate(first, id, "{}");
    assert_true(counts(first) && counts(second));
    assert_string_equal(id_of(second), id);
    /* The answer with the second was lost: the first asks again. */
    third = rotate(first, id, NULL);
    assert_true(counts(first) && counts(third) && !counts(second));
    second = rotate(third, id, "{\"graceSeconds\":0}");
    assert_true(counts(second) && !counts(first) && !counts(third));
    assert_int_equal(rotate_status(first, id, NULL), 401);
    reply = help_call(hub, &arena, second, "GET", "/v1/whoami", NULL, NULL, NULL);
    assert_true(has(reply.body, "\"rotatedAt\":\"2"));
    assert_true(has(reply.body, "\"previousUntil\":null"));

    assert_int_equal(rotate_status(second, id_of(boss), NULL), 403); /* a reader and another */
    assert_int_equal(rotate_status(boss, "zzzz", NULL), 404);
    assert_int_equal(rotate_status(of_queue, id, NULL), 404); /* it sees those of its queue */
    assert_int_equal(rotate_status(boss, id_of(help_hub_admin(hub)), NULL), 403);
    assert_int_equal(rotate_status(boss, id_of(long_lived), NULL), 403); /* it would outlive it */
    assert_int_equal(rotate_status(boss, id_of(long_lived), "{\"ttlSeconds\":60}"), 200);
    assert_true(counts(long_lived));
    assert_int_equal(rotate_status(boss, id, "{\"graceSeconds\":-1}"), 422);
    assert_int_equal(rotate_status(boss, id, "{\"graceSeconds\":604801}"), 422);
    assert_int_equal(rotate_status(boss, id, "{\"grace\":1}"), 422);
    assert_true(counts(second));
}

static void a_queues_token_learns_from_no_list_how_much_is_hidden(void **state)
{
    const char *own = make_token("{\"name\":\"l\",\"scopes\":[\"admin\"],\"queue\":\"ml\"}");
    static const char *const lists[] = {"/v1/tokens?limit=1", "/v1/queues?limit=1"};
    struct help_reply reply;

    (void)state;
    expect(call("POST", "/v1/queues", "{\"name\":\"behind\"}"), 201);
    make_token("{\"name\":\"other\",\"scopes\":[\"read\"],\"queue\":\"behind\"}");
    for (size_t i = 0; i < 2; i++) {
        size_t pages = 0, found = 0;
        const char *at = lists[i];

        do {
            reply = help_call(hub, &arena, own, "GET", at, NULL, NULL, NULL);
            expect(reply, 200);
            found = found + reply.json->first->len;
            assert_int_equal(reply.json->first->len, 1); /* no page is empty */
            if (!fl_json_member(reply.json, FL_STR("cursor"))) break;
            at = fl_arena_printf(&arena, "%s&cursor=%s", lists[i],
                                 cstr(help_text(reply.json, "cursor")));
        } while (++pages < 100);
        assert_true(found >= 1 && pages < 100);
    }
    reply = help_call(hub, &arena, own, "GET", "/readyz?verbose", NULL, NULL, NULL);
    assert_string_equal(cstr(reply.body), "{\"ready\":true}");
    assert_true(has(call("GET", "/readyz?verbose", NULL).body, "\"eventsWaiting\""));
}

/* With the table locked, a look into Postgres waits.  A foreign job that is refused without that
 * look is known from an absent one by the time it takes. */
static void a_foreign_job_is_looked_for_as_an_absent_one_is(void **state)
{
    static const char waiting[] = "select count(*) from pg_locks where not granted and"
                                  " mode = 'AccessShareLock' and relation = 'job'::regclass";
    const char *jobs[] = {submit("{\"command\":[\"true\"],\"hold\":true}"), "job-zzzz"};
    const char *own = make_token("{\"name\":\"f\",\"scopes\":[\"read\"],\"queue\":\"ml\"}");
    PGconn *locker = help_connect(help_hub_conninfo(hub));

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct listener one = {own, path(jobs[i], ""), {0}, {0}, 0};

        PQclear(PQexec(locker, "begin"));
        PQclear(PQexec(locker, "lock table job in access exclusive mode"));
        assert_int_equal(pthread_create(&one.thread, NULL, listen_until_closed, &one), 0);
        while (help_number(help_hub_conninfo(hub), waiting) == 0) {
            assert_int_equal(pthread_tryjoin_np(one.thread, NULL), EBUSY);
        }
        PQclear(PQexec(locker, "rollback"));
        assert_int_equal(pthread_join(one.thread, NULL), 0);
        expect(one.reply, 404);
        fl_arena_fini(&one.arena);
    }
    PQfinish(locker);
}

static void streams_end_with_a_word_when_their_token_does(void **state)
{
    const char *job = submit("{\"command\":[\"true\"]}");
    const char *revoked = make_token("{\"name\":\"v\",\"scopes\":[\"read\"]}");
    const char *brief = make_token("{\"name\":\"b\",\"scopes\":[\"read\"],\"ttlSeconds\":3}");
    const char *rotated = make_token("{\"name\":\"r\",\"scopes\":[\"read\"]}");
    static const char *const reasons[] = {"TokenRevoked", "TokenRevoked", "TokenRevoked",
                                          "TokenExpired", "TokenExpired", "TokenRotated"};
    struct listener listeners[] = {
        {revoked, "/v1/events", {0}, {0}, 0},
        {revoked, path(job, "/events"), {0}, {0}, 0},
        {revoked, path(job, "/logs/stream"), {0}, {0}, 0},
        {brief, "/v1/events", {0}, {0}, 0},
        {brief, path(job, "/logs/stream"), {0}, {0}, 0},
        {rotated, "/v1/events", {0}, {0}, 0},
    };
    struct help_reply reply =
        help_call(hub, &arena, revoked, "GET", "/v1/whoami", NULL, NULL, NULL);
    const char *id = cstr(help_text(reply.json, "id"));
    fl_ms revoked_at;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(
            pthread_create(&listeners[i].thread, NULL, listen_until_closed, &listeners[i]), 0);
    }
    usleep(500000); /* all are open; one that is not yet is refused with 401 */
    expect(call("DELETE", fl_arena_printf(&arena, "/v1/tokens/%s", id), NULL), 200);
    assert_int_equal(rotate_status(rotated, id_of(rotated), "{\"graceSeconds\":0}"), 200);
    revoked_at = help_now();
    for (size_t i = 0; i < 6; i++) {
        struct fl_str body;

        assert_int_equal(pthread_join(listeners[i].thread, NULL), 0);
        body = listeners[i].reply.body;
        assert_int_equal(listeners[i].reply.status, 200);
        assert_true(has(body, "event: closed\n"));
        assert_true(has(body, fl_arena_printf(&arena, "\"reason\":\"%s\"", reasons[i])));
        fl_arena_fini(&listeners[i].arena);
    }
    assert_true(help_now() - revoked_at < 8000); /* 5 s and the brief token's time */
}

/* As a JSON string. */
static char *quoted_csr(const struct fl_key *key, struct fl_uuid cluster)
{
    struct fl_err err = {0};
    struct fl_buf csr, quoted;
    char *text;

    fl_buf_init(&csr, FL_CSR_BYTES_MAX);
    fl_buf_init(&quoted, 2 * FL_CSR_BYTES_MAX);
    assert_true(fl_csr_write(key, cluster, &csr, &err));
    fl_json_quote(&quoted, (struct fl_str){(const char *)csr.at, csr.len});
    text = fl_arena_copy(&arena, quoted.at, quoted.len);
    fl_buf_fini(&csr);
    fl_buf_fini(&quoted);
    return text;
}

static void a_join_token_lets_one_agent_enrol_once(void **state)
{
    struct help_reply reply = call("POST", "/v1/clusters/east/join-tokens", "{\"ttlSeconds\":60}");
    struct fl_key *key = fl_key_create();
    struct fl_join_token token;
    struct fl_cert cert;
    struct fl_err err = {0};
    char secret[FL_BASE64_LEN(32) + 1], unknown[FL_BASE64_LEN(32) + 1], *body, *csr_text;

    (void)state;
    expect(reply, 201);
    assert_true(fl_join_token_parse(help_text(reply.json, "token"), &token, &err));
    assert_true(fl_digest_eq(token.ca_sha256, help_hub_ca(hub)));
    fl_base64_print(token.secret, sizeof token.secret, secret);
    fl_base64_print((const uint8_t[32]){1}, 32, unknown);
    csr_text = quoted_csr(key, (struct fl_uuid){{0}});
    /* The token comes before the request's signature, and a wrong request does not spend it. */
    body = fl_arena_printf(&arena, "{\"token\":\"%s\",\"uid\":\"host-1\",\"csr\":\"no\"}", unknown);
    expect(help_call(hub, &arena, NULL, "POST", "/v1/enrol", NULL, body, NULL), 403);
    body = fl_arena_printf(&arena, "{\"token\":\"%s\",\"uid\":\"host-1\",\"csr\":\"no\"}", secret);
    expect(help_call(hub, &arena, NULL, "POST", "/v1/enrol", NULL, body, NULL), 422);
    body = fl_arena_printf(&arena, "{\"token\":\"%s\",\"uid\":\"host-1\",\"csr\":%s}", secret,
                           quoted_csr(key, (struct fl_uuid){{1}}));
    reply = help_call(hub, &arena, NULL, "POST", "/v1/enrol", NULL, body, NULL);
    expect(reply, 422);
    assert_true(has(reply.body, "the request names a cluster"));
    body = fl_arena_printf(&arena, "{\"token\":\"%s\",\"uid\":\"host-1\",\"csr\":%s}", secret,
                           csr_text);
    reply = help_call(hub, &arena, NULL, "POST", "/v1/enrol", NULL, body, NULL);
    expect(reply, 201);
    assert_true(fl_cert_read(help_text(reply.json, "certificate"), &cert, &err));
    assert_int_equal(cert.generation, 1);
    assert_true(has(call("GET", "/v1/clusters/east", NULL).body, "\"uid\":\"host-1\""));
    /* Again with another key: the token is spent. */
    fl_key_destroy(key);
    key = fl_key_create();
    csr_text = quoted_csr(key, (struct fl_uuid){{0}});
    body = fl_arena_printf(&arena, "{\"token\":\"%s\",\"uid\":\"host-2\",\"csr\":%s}", secret,
                           csr_text);
    reply = help_call(hub, &arena, NULL, "POST", "/v1/enrol", NULL, body, NULL);
    assert_true(reply.status >= 400 && reply.status < 500);
    fl_key_destroy(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_opens_what_it_says_and_nothing_once_it_is_revoked),
        cmocka_unit_test(a_token_gets_a_new_secret_and_the_old_one_counts_for_a_while),
        cmocka_unit_test(a_queues_token_learns_from_no_list_how_much_is_hidden),
        cmocka_unit_test(a_foreign_job_is_looked_for_as_an_absent_one_is),
        cmocka_unit_test(streams_end_with_a_word_when_their_token_does),
        cmocka_unit_test(a_join_token_lets_one_agent_enrol_once),
    };

    return cmocka_run_group_tests(tests, start, stop) != 0;
}
