/* Clears a namespace of a server that answers as the script says; the story is what it was asked
 * and what 'done' said.  tests/kube/chart_test.py does the same on a real cluster. */
#include "agent/kube/kube_clear.h"

#include "agent/kube/pod_identity.h"
#include "tests/unit/agent/kube/kube_trial.h"

struct answer {
    const char *status, *body;
};

#define OK "200 OK"
#define LIST(more, items)                                                                          \
    "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"" more           \
    "\"},\"items\":[" items "]}"
#define LABELS                                                                                     \
    "\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\",\"fairlead.dev/job\":\"job-7\","    \
    "\"fairlead.dev/element\":\"0\",\"fairlead.dev/attempt\":\"1\","                               \
    "\"fairlead.dev/incarnation\":\"3\",\"fairlead.dev/role\":\"main\","                           \
    "\"fairlead.dev/replica\":\"0\"}"
#define META(name, more)                                                                           \
    "{\"metadata\":{\"namespace\":\"n\",\"name\":\"" name                                          \
    "\",\"uid\":\"u1\",\"resourceVersion\":\"5\"," more "}}"
#define HELD ",\"finalizers\":[\"a.test/b\",\"" POD_FINALIZER "\"]"
#define DELETING ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""
#define OURS(more) META("fl-7-0-1-main-0", LABELS more)
#define ANOTHERS META("other", "\"labels\":{\"app.kubernetes.io/managed-by\":\"fairlead\"}")
#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"" message "\"" \
    "}"

#define POD "/api/v1/namespaces/n/pods/fl-7-0-1-main-0\n"
#define FIRST                                                                                      \
    "GET /api/v1/namespaces/n/"                                                                    \
    "pods?limit=100&labelSelector=app.kubernetes.io%2Fmanaged-by%3Dfairlead\n"

static void serve(struct hostile_server *server)
{
    const struct kube_trial *trial = server->script;
    const struct answer *answers = trial->answers;
    char head[256];
    unsigned i;

    while (kube_trial_read(server, &i)) {
        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n", answers[i].status,
                 strlen(answers[i].body));
        if (!hostile_say(server, head) || !hostile_say(server, answers[i].body)) return;
    }
}

struct play {
    struct kube_trial trial;
    bool is_done, is_good;
    struct fl_err err;
};

static void on_done(void *ctx, const struct fl_err *why_not)
{
    struct play *play = ctx;

    assert_false(play->is_done);
    play->is_done = true;
    play->is_good = !why_not;
    if (why_not) play->err = *why_not;
}

/* Runs to the end; 'asked' is a line for each request. */
static void run(struct play *play, const struct answer *answers, size_t len, fl_ms give_up_ms,
                const char *asked)
{
    struct kube_clear_config config = {
        .namespace = FL_STR("n"), .give_up_ms = give_up_ms, .rest_ms = 5};
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;
    struct kube_clear *clear;
    char story[8192] = "";

    memset(play, 0, sizeof *play);
    kube_trial_init(&play->trial, answers, len);
    kube_trial_begin(&play->trial, serve, NULL);
    config.kube = &play->trial.kube;
    assert_true(kube_clear_start(play->trial.loop, &config,
                                 &(struct kube_clear_port){play, on_done}, &clear, &play->err));
    while (!play->is_done && fl_clock_mono() < until) {
        fl_loop_turn(play->trial.loop, 50);
    }
    assert_true(play->is_done);
    for (unsigned i = 0; i < atomic_load(&play->trial.server.requests); i++) {
        const char *head = play->trial.heads[i];

        snprintf(story + strlen(story), sizeof story - strlen(story), "%.*s\n",
                 (int)(strstr(head, " HTTP/") - head), head);
    }
    assert_string_equal(story, asked);
    kube_clear_destroy(clear);
    kube_trial_end(&play->trial);
}

#define RUN(answers, give_up_ms, asked)                                                            \
    run(&play, answers, sizeof answers / sizeof *answers, give_up_ms, asked)

static void a_pod_is_deleted_then_freed_and_awaited(void **state)
{
    static const struct answer answers[] = {{OK, LIST("next/=", OURS(HELD))},
                                            {OK, "{}"},
                                            {OK, LIST("", ANOTHERS)},
                                            {OK, LIST("", OURS(HELD DELETING))},
                                            {OK, "{}"},
                                            {OK, LIST("", OURS(DELETING))},
                                            {OK, LIST("", ANOTHERS)}};
    static struct play play;

    (void)state;
    RUN(answers, 60000,
        FIRST "DELETE " POD "GET /api/v1/namespaces/n/pods?limit=100&labelSelector="
              "app.kubernetes.io%2Fmanaged-by%3Dfairlead&continue=next%2F%3D\n" FIRST
              "PATCH " POD FIRST FIRST);
    assert_true(play.is_good);
}

static void a_pod_that_only_the_finalizer_marks_as_ours_is_freed(void **state)
{
    static const struct answer answers[] = {
        {OK, LIST("", META("odd", "\"labels\":{}" HELD DELETING))}, {OK, "{}"}, {OK, LIST("", "")}};
    static struct play play;

    (void)state;
    RUN(answers, 60000, FIRST "PATCH /api/v1/namespaces/n/pods/odd\n" FIRST);
    assert_true(play.is_good);
}

static void what_fails_or_has_gone_meanwhile_is_looked_at_again(void **state)
{
    static const struct answer answers[] = {
        {OK, LIST("next", OURS())},
        {"404 Not Found", STATUS("404", "NotFound", "gone")},
        {"410 Gone", STATUS("410", "Expired", "the list is too old")},
        {OK, "[1]"},
        {OK, LIST("", "")}};
    static struct play play;

    (void)state;
    RUN(answers, 60000,
        FIRST "DELETE " POD "GET /api/v1/namespaces/n/pods?limit=100&labelSelector="
              "app.kubernetes.io%2Fmanaged-by%3Dfairlead&continue=next\n" FIRST FIRST);
    assert_true(play.is_good);
}

static void a_server_that_forbids_it_ends_it_with_its_words(void **state)
{
    static const struct answer answers[] = {
        {"403 Forbidden", STATUS("403", "Forbidden", "pods is forbidden: you may not list")}};
    static const struct answer later[] = {
        {OK, LIST("", OURS())},
        {"403 Forbidden", STATUS("403", "Forbidden", "you may not delete")}};
    static struct play play;

    (void)state;
    RUN(answers, 60000, FIRST);
    assert_int_equal(play.err.code, FL_DENIED);
    assert_non_null(strstr(play.err.text, "you may not list"));
    RUN(later, 60000, FIRST "DELETE " POD);
    assert_int_equal(play.err.code, FL_DENIED);
    assert_non_null(strstr(play.err.text, "you may not delete"));
}

static void in_the_end_it_gives_up_and_names_a_pod(void **state)
{
    static const struct answer answers[] = {{OK, LIST("", OURS(DELETING))}};
    static struct play play;

    (void)state;
    RUN(answers, 0, FIRST);
    assert_int_equal(play.err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(play.err.text, "namespace n still has 1 pods"));
    assert_non_null(strstr(play.err.text, "fl-7-0-1-main-0"));
}

FL_TESTS(cmocka_unit_test(a_pod_is_deleted_then_freed_and_awaited),
         cmocka_unit_test(a_pod_that_only_the_finalizer_marks_as_ours_is_freed),
         cmocka_unit_test(what_fails_or_has_gone_meanwhile_is_looked_at_again),
         cmocka_unit_test(a_server_that_forbids_it_ends_it_with_its_words),
         cmocka_unit_test(in_the_end_it_gives_up_and_names_a_pod))
