/* A watch against a server that misbehaves as the script says; the story is all that the port is
 * given.  tests/kube/watch_test.py does the same against a real API server. */
#include "agent/kube/kube_watch.h"

#include "agent/kube/kube_json.h"
#include "tests/unit/agent/kube/kube_trial.h"

enum ending {
    WHOLE, /* the answer ends as it should */
    CUT,   /* the connection ends first */
    HUNG,  /* nothing more comes */
};

struct answer {
    const char *status, *body;
    enum ending ending;
};

#define OK "200 OK"
#define OBJECT(name, uid, version)                                                                 \
    "{\"metadata\":{\"namespace\":\"n\",\"name\":\"" name "\",\"uid\":\"" uid                      \
    "\",\"resourceVersion\":\"" version "\"},\"spec\":{\"v\":" version "}}"
#define LIST(version, more, items)                                                                 \
    "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"" version "\",\"continue\":\"" more \
    "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define GONE "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}"

static void serve(struct hostile_server *server)
{
    const struct kube_trial *trial = server->script;
    const struct answer *answers = trial->answers;
    char head[256];
    unsigned i;

    while (kube_trial_read(server, &i)) {
        const char *body = answers[i].body;

        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n",
                 answers[i].status, strlen(body));
        if (!hostile_say(server, head) || !hostile_say(server, body)) return;
        if (answers[i].ending == CUT) return;
        if (!hostile_say(server, "\r\n")) return;
        if (answers[i].ending == HUNG) {
            hostile_hold(server);
            return;
        }
        if (!hostile_say(server, "0\r\n\r\n")) return;
    }
}

struct play {
    struct kube_trial trial;
    struct kube_watch *watch;
    char story[4096];
    size_t len;
};

static void __attribute__((format(printf, 2, 3))) tell(struct play *play, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(play->story + play->len, sizeof play->story - play->len, fmt, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof play->story - play->len);
    play->len += (size_t)len;
}

static void on_put(void *ctx, const struct kube_meta *meta, const struct fl_json *object)
{
    const struct fl_json *version = kube_json_at(kube_json_at(object, "spec"), "v");

    tell(ctx, "put " FL_STR_FMT "/" FL_STR_FMT " " FL_STR_FMT " v" FL_STR_FMT "\n",
         FL_STR_ARG(meta->namespace), FL_STR_ARG(meta->name), FL_STR_ARG(meta->uid),
         FL_STR_ARG(version->text));
}

static void on_remove(void *ctx, const struct kube_meta *meta)
{
    tell(ctx, "remove " FL_STR_FMT " " FL_STR_FMT "\n", FL_STR_ARG(meta->name),
         FL_STR_ARG(meta->uid));
}

static void on_synced(void *ctx)
{
    tell(ctx, "synced\n");
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    tell(ctx, "problem: %s\n", failure->err.text);
}

/* Runs until all answers were asked for and the story ends with 'last'. */
static void expect(const struct answer *answers, size_t len, const struct kube_watch_config *config,
                   const char *story, struct play *play)
{
    static const struct kube_watch_times times = {.page_ms = 2000,
                                                  .watch_ms = 1000,
                                                  .grace_ms = 200,
                                                  .rest_ms_min = 20,
                                                  .rest_ms_max = 100,
                                                  .stale_ms = 60000};
    struct kube_watch_config with = config ? *config : (struct kube_watch_config){0};
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;

    memset(play, 0, sizeof *play);
    kube_trial_init(&play->trial, answers, len);
    kube_trial_begin(&play->trial, serve, NULL);
    with.path = "/api/v1/pods";
    if (!with.times) with.times = &times;
    play->watch = kube_watch_create(
        play->trial.client, &with,
        &(struct kube_watch_port){play, on_put, on_remove, on_synced, on_problem});
    while (fl_clock_mono() < until && (atomic_load(&play->trial.server.requests) < len ||
                                       strlen(play->story) < strlen(story))) {
        fl_loop_turn(play->trial.loop, 50);
    }
    assert_string_equal(play->story, story);
    assert_int_equal(atomic_load(&play->trial.server.requests), len);
}

static void end(struct play *play)
{
    kube_watch_destroy(play->watch);
    kube_trial_end(&play->trial);
}

#define ANSWERS(name, ...)                                                                         \
    static struct play play;                                                                       \
    static const struct answer name[] = {__VA_ARGS__};                                             \
    (void)state
#define EXPECT(name, config, story) expect(name, sizeof name / sizeof *name, config, story, &play)

static void pages_are_listed_and_then_watched(void **state)
{
    ANSWERS(answers, {OK, LIST("7", "next/=", OBJECT("a", "1", "3") "," OBJECT("b", "2", "4"))},
            {OK, LIST("7", "", OBJECT("c", "3", "5"))},
            {OK,
             EVENT("ADDED", OBJECT("d", "4", "8")) EVENT("MODIFIED", OBJECT("a", "1", "9"))
                 EVENT("DELETED", OBJECT("b", "2", "10")) BOOKMARK("15"),
             HUNG});

    EXPECT(answers, (&(struct kube_watch_config){.page_objects = 2, .selector = "fieldSelector=x"}),
           "put n/a 1 v3\nput n/b 2 v4\nput n/c 3 v5\nsynced\nput n/d 4 v8\nput n/a 1 v9\n"
           "remove b 2\n");
    assert_non_null(
        strstr(play.trial.heads[0], "GET /api/v1/pods?limit=2&fieldSelector=x HTTP/1.1\r\n"));
    assert_non_null(strstr(play.trial.heads[1],
                           "GET /api/v1/pods?limit=2&continue=next%2F%3D&fieldSelector=x HTTP"));
    assert_non_null(strstr(play.trial.heads[2], "GET /api/v1/pods?watch=1&allowWatchBookmarks=true&"
                                                "resourceVersion=7&timeoutSeconds="));
    assert_int_equal(kube_watch_counts(play.watch).objects, 3);
    assert_true(kube_watch_is_watching(play.watch));
    end(&play);
}

static void after_a_cut_nothing_is_missed_or_repeated(void **state)
{
    ANSWERS(answers, {OK, LIST("7", "", OBJECT("a", "1", "3"))},
            {OK, EVENT("ADDED", OBJECT("b", "2", "8")) "{\"type\":\"ADDED\",\"obj", CUT},
            {OK,
             EVENT("ADDED", OBJECT("b", "2", "8")) EVENT("MODIFIED", OBJECT("a", "1", "6"))
                 EVENT("ADDED", OBJECT("c", "3", "9")),
             HUNG});

    EXPECT(answers, NULL,
           "put n/a 1 v3\nsynced\nput n/b 2 v8\nproblem: the answer was cut off: transfer closed "
           "with outstanding read data remaining\nput n/c 3 v9\n");
    assert_non_null(strstr(play.trial.heads[2], "resourceVersion=8&"));
    assert_int_equal(kube_watch_counts(play.watch).late, 2);
    end(&play);
}

static void an_expired_version_is_listed_anew_and_the_difference_told(void **state)
{
    ANSWERS(answers,
            {OK, LIST("7", "",
                      OBJECT("a", "1", "3") "," OBJECT("b", "2", "4") "," OBJECT("c", "3", "5"))},
            {OK, EVENT("ERROR", GONE)},
            {OK, LIST("20", "",
                      OBJECT("a", "1", "3") "," OBJECT("b", "9", "12") "," OBJECT("d", "4", "5"))},
            {OK, EVENT("ADDED", OBJECT("e", "5", "21")), CUT}, {"410 Gone", GONE},
            {OK, LIST("30", "", OBJECT("e", "5", "21"))}, {OK, "\n", HUNG});

    EXPECT(answers, NULL,
           "put n/a 1 v3\nput n/b 2 v4\nput n/c 3 v5\nsynced\n"
           "problem: the API server answers 410 Expired: too old\n"
           "remove b 2\nput n/b 9 v12\nput n/d 4 v5\nremove c 3\nsynced\nput n/e 5 v21\n"
           "problem: the answer was cut off: transfer closed with outstanding read data "
           "remaining\nproblem: the API server answers 410 Expired: too old\n"
           "remove a 1\nremove d 4\nremove b 9\nsynced\n");
    end(&play);
}

static void a_stale_list_is_not_believed(void **state)
{
    ANSWERS(answers, {OK, LIST("7", "", OBJECT("a", "1", "3"))},
            {OK, EVENT("DELETED", OBJECT("a", "1", "9")) EVENT("ERROR", GONE)},
            {OK, LIST("8", "", OBJECT("a", "1", "3"))}, {OK, LIST("9", "", "")}, {OK, "\n", HUNG});

    EXPECT(answers, NULL,
           "put n/a 1 v3\nsynced\nremove a 1\nproblem: the API server answers 410 Expired: too "
           "old\nproblem: the API server lags behind: it has not what was seen before\nsynced\n");
    assert_int_equal(kube_watch_counts(play.watch).dropped, 1);
    end(&play);
}

static void a_restored_cluster_is_told_anew(void **state)
{
    static const struct kube_watch_times times = {
        .page_ms = 2000, .watch_ms = 1000, .grace_ms = 200, .rest_ms_min = 20, .rest_ms_max = 20};
    ANSWERS(answers, {OK, LIST("7", "", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6"))},
            {OK, EVENT("ERROR", GONE)}, {OK, LIST("4", "", OBJECT("a", "1", "3"))},
            {OK, "\n", HUNG});

    EXPECT(answers, (&(struct kube_watch_config){.times = &times}),
           "put n/a 1 v5\nput n/b 2 v6\nsynced\nproblem: the API server answers 410 Expired: too "
           "old\nput n/a 1 v3\nremove b 2\nsynced\n");
    end(&play);
}

static void a_hung_watch_goes_on_over_a_new_connection(void **state)
{
    ANSWERS(answers, {OK, LIST("7", "", "")}, {OK, BOOKMARK("9"), HUNG},
            {OK, EVENT("ADDED", OBJECT("a", "1", "10")), HUNG});

    EXPECT(answers, NULL,
           "synced\nproblem: the API server did not end its answer in time\nput n/a 1 v10\n");
    assert_int_equal(kube_watch_counts(play.watch).hung, 1);
    assert_int_equal(kube_client_counts(play.trial.client).connections, 2);
    assert_non_null(strstr(play.trial.heads[2], "resourceVersion=9&"));
    end(&play);
}

static void a_failed_list_begins_anew(void **state)
{
    ANSWERS(
        answers, {"403 Forbidden", "{\"kind\":\"Status\",\"reason\":\"Forbidden\"}"},
        {OK, LIST("7", "next", OBJECT("a", "1", "3"))}, {"410 Gone", GONE},
        {OK, LIST("8", "next", OBJECT("a", "1", "3"))},
        {OK, "{\"metadata\":{\"resourceVersion\":\"8\"},\"items\":[" OBJECT("b", "2", "4"), CUT},
        {OK, "[]"}, {OK, "{\"items\":[]}"}, {OK, LIST("9", "", OBJECT("b", "2", "4"))},
        {OK, "\n", HUNG});

    EXPECT(answers, NULL,
           "problem: the API server answers 403 Forbidden\nput n/a 1 v3\n"
           "problem: the API server answers 410 Expired: too old\nput n/b 2 v4\n"
           "problem: the answer was cut off: transfer closed with outstanding read data remaining\n"
           "problem: the answer is no list: it has '[', not an opening brace\n"
           "problem: the list, before its items: it has no resourceVersion\n"
           "remove a 1\nsynced\n");
    end(&play);
}

static void an_object_that_cannot_be_read_is_a_problem_of_its_own(void **state)
{
    ANSWERS(
        answers,
        {OK, LIST("7", "", "{\"metadata\":{}}," OBJECT("a", "1", "3") ",{],{\"a\":\"\\u0000\"}")},
        {OK, "nonsense\n" EVENT("ADDED", "{}") EVENT("ADDED", OBJECT("b", "2", "8")), HUNG});

    EXPECT(answers, (&(struct kube_watch_config){.objects_max = 1}),
           "problem: an item of the list: it has no name\nput n/a 1 v3\n"
           "problem: an item of the list: here goes a key in quotes\n"
           "problem: an item of the list: a string may not hold the character 0\nsynced\n"
           "problem: an event of the watch: a value cannot begin like this\n"
           "problem: an event of the watch: it has no name\n"
           "problem: n/b: all 1 objects of this kind are in use\n");
    end(&play);
}

static void it_may_be_destroyed_at_any_time(void **state)
{
    ANSWERS(answers, {OK, LIST("7", "", "")}, {OK, "\n", HUNG});
    struct kube_watch *watch;
    const struct kube_watch_port port = {&play, on_put, on_remove, on_synced, NULL};

    EXPECT(answers, NULL, "synced\n");
    watch = kube_watch_create(play.trial.client, &(struct kube_watch_config){.path = "/x"}, &port);
    kube_watch_destroy(watch); /* before its first turn */
    watch = kube_watch_create(play.trial.client, &(struct kube_watch_config){.path = "/x"}, &port);
    fl_loop_turn(play.trial.loop, 0);
    kube_watch_destroy(watch); /* its list is on the way */
    end(&play);
}

FL_TESTS(cmocka_unit_test(pages_are_listed_and_then_watched),
         cmocka_unit_test(after_a_cut_nothing_is_missed_or_repeated),
         cmocka_unit_test(an_expired_version_is_listed_anew_and_the_difference_told),
         cmocka_unit_test(a_stale_list_is_not_believed),
         cmocka_unit_test(a_restored_cluster_is_told_anew),
         cmocka_unit_test(a_hung_watch_goes_on_over_a_new_connection),
         cmocka_unit_test(a_failed_list_begins_anew),
         cmocka_unit_test(an_object_that_cannot_be_read_is_a_problem_of_its_own),
         cmocka_unit_test(it_may_be_destroyed_at_any_time))
