/* Outputs against a server that answers one request after the other as the script says; the story
 * is what a reader then gets. */
#include "agent/kube/kube_output.h"

#include <dirent.h>
#include <stdlib.h>

#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/wire/log_record.h"
#include "tests/unit/agent/kube/kube_trial.h"

struct answer {
    const char *status, *body;
};

#define OK "200 OK"
#define GONE "404 Not Found"
#define ONE "2026-01-02T03:04:05.1Z one\n"
#define NO_LOG "unable to retrieve container logs for containerd://1"

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
    char path[64];
    struct kube_outputs *outputs;
    struct kube_output_pod pod;
    unsigned told;
};

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct play *play = ctx;

    assert_true(fl_attempt_is_same(attempt, play->pod.identity.attempt));
    assert_int_equal(replica, 2);
    play->told++;
}

static void open_outputs(struct play *play)
{
    struct kube_outputs_config config = {.path = play->path,
                                         .namespace = FL_STR("n"),
                                         .each_bytes_max = 1 << 20,
                                         .all_bytes_max = 1 << 20};
    struct fl_err err = {0};

    if (!kube_outputs_create(play->trial.client, &config,
                             &(struct kube_outputs_port){play, on_output}, &play->outputs, &err)) {
        fail_msg("%s", err.text);
    }
}

static void begin(struct play *play, const struct answer *answers, size_t len)
{
    memset(play, 0, sizeof *play);
    snprintf(play->path, sizeof play->path, "/tmp/fl-output-XXXXXX");
    fl_assert(mkdtemp(play->path));
    kube_trial_init(&play->trial, answers, len);
    kube_trial_begin(&play->trial, serve, NULL);
    play->pod = (struct kube_output_pod){
        .identity = {.attempt = {.job.n = 7, .n = 1}, .replica = 2, .role = FL_STR("main")},
        .name = FL_STR("p"),
        .uid = FL_STR("u")};
    open_outputs(play);
}

static void restart(struct play *play)
{
    kube_outputs_destroy(play->outputs);
    open_outputs(play);
}

static void drop(struct play *play)
{
    kube_outputs_drop(play->outputs, play->pod.identity.attempt, 2);
}

static void deleted(struct play *play)
{
    kube_outputs_deleted(play->outputs, play->pod.identity.attempt, 2);
}

/* Nothing may be left in the folder. */
static void end(struct play *play)
{
    drop(play);
    kube_outputs_destroy(play->outputs);
    kube_trial_end(&play->trial);
    assert_int_equal(rmdir(play->path), 0);
}

/* All that there is; a gap as "<kind>". */
static void read_all(struct play *play, char *ret_text, size_t max)
{
    struct runtime_output output;
    struct fl_log_record record;
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_str rest;

    fl_buf_init(&out, 1 << 20);
    if (!kube_outputs_read(play->outputs, play->pod.identity.attempt, 2, 0, 1 << 19, &out, &output,
                           &err)) {
        fail_msg("%s", err.text);
    }
    rest = (struct fl_str){(const char *)out.at, out.len};
    ret_text[0] = 0;
    while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
        size_t len = strlen(ret_text);

        if (record.gap) {
            snprintf(ret_text + len, max - len, "<%s>", fl_log_gap_name(record.gap));
        } else {
            snprintf(ret_text + len, max - len, FL_STR_FMT, FL_STR_ARG(record.bytes));
        }
    }
    if (output.is_ended) strcat(ret_text, "<end>");
    fl_buf_fini(&out);
}

/* Runs until so many answers were asked for and the reader gets the story. */
static void expect(struct play *play, unsigned answers, const char *story)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;
    char text[256] = "";

    do {
        fl_loop_turn(play->trial.loop, 50);
        read_all(play, text, sizeof text - 8);
    } while (fl_clock_mono() < until &&
             (strcmp(text, story) != 0 || atomic_load(&play->trial.server.requests) < answers));
    assert_string_equal(text, story);
    assert_int_equal(atomic_load(&play->trial.server.requests), answers);
}

static bool has_spool(const struct play *play)
{
    DIR *folder = opendir(play->path);
    const struct dirent *entry;
    bool has_one = false;

    fl_assert(folder);
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] != '.') has_one = true;
    }
    closedir(folder);
    return has_one;
}

#define ANSWERS(...)                                                                               \
    static struct play play;                                                                       \
    static const struct answer answers[] = {__VA_ARGS__};                                          \
    (void)state;                                                                                   \
    begin(&play, answers, sizeof answers / sizeof *answers)

static void a_log_is_followed_to_its_end(void **state)
{
    ANSWERS({OK, ONE}, {OK, ONE});

    expect(&play, 0, ""); /* no container, no output */
    kube_outputs_follow(play.outputs, &play.pod);
    kube_outputs_follow(play.outputs, &play.pod);
    kube_outputs_end(play.outputs, &play.pod, true);
    expect(&play, 2, "one\n<end>");
    assert_non_null(strstr(play.trial.heads[0], "/namespaces/n/pods/p/log?container=main&"));
    assert_true(play.told >= 2); /* the line, the end */
    assert_true(has_spool(&play));
    end(&play);
}

static void a_replica_that_cannot_have_a_log_ends_with_a_gap(void **state)
{
    ANSWERS({OK, ""});

    kube_outputs_end(play.outputs, &play.pod, false);
    expect(&play, 0, "<unknown><end>");
    assert_int_equal(play.told, 1);
    end(&play);
}

static void the_log_of_a_deleted_pod_is_given_up_in_the_end(void **state)
{
    ANSWERS({OK, ONE}, {OK, NO_LOG}, {GONE, "{}"}, {GONE, "{}"});

    deleted(&play); /* nothing is known of it yet */
    kube_outputs_follow(play.outputs, &play.pod);
    kube_outputs_end(play.outputs, &play.pod, true);
    deleted(&play);
    deleted(&play);
    expect(&play, 1 + KUBE_OUTPUT_TRIES, "one\n<unknown><end>");
    end(&play);
}

static void any_other_log_is_asked_for_on_and_on(void **state)
{
    ANSWERS({GONE, "{}"}, {OK, NO_LOG}, {GONE, "{}"}, {GONE, "{}"}, {OK, ONE}, {OK, ONE});

    kube_outputs_end(play.outputs, &play.pod, true);
    expect(&play, 6, "one\n<end>");
    end(&play);
}

static void a_new_agent_goes_on_with_what_was_read(void **state)
{
    ANSWERS({OK, ONE}, {OK, ONE});

    kube_outputs_end(play.outputs, &play.pod, true);
    expect(&play, 2, "one\n<end>");
    restart(&play);
    expect(&play, 2, ""); /* until its pod is seen */
    kube_outputs_follow(play.outputs, &play.pod);
    kube_outputs_sweep(play.outputs);
    expect(&play, 2, "one\n<end>");
    end(&play);
}

static void a_spool_goes_with_its_replica(void **state)
{
    ANSWERS({OK, ONE}, {OK, ONE});

    kube_outputs_end(play.outputs, &play.pod, true);
    expect(&play, 2, "one\n<end>");
    drop(&play);
    drop(&play);
    assert_false(has_spool(&play));
    end(&play);
}

static void a_spool_whose_replica_went_meanwhile_is_swept(void **state)
{
    ANSWERS({OK, ONE}, {OK, ONE});

    kube_outputs_end(play.outputs, &play.pod, true);
    expect(&play, 2, "one\n<end>");
    restart(&play);
    assert_true(has_spool(&play));
    kube_outputs_sweep(play.outputs);
    assert_false(has_spool(&play));
    end(&play);
}

FL_TESTS(cmocka_unit_test(a_log_is_followed_to_its_end),
         cmocka_unit_test(a_replica_that_cannot_have_a_log_ends_with_a_gap),
         cmocka_unit_test(the_log_of_a_deleted_pod_is_given_up_in_the_end),
         cmocka_unit_test(any_other_log_is_asked_for_on_and_on),
         cmocka_unit_test(a_new_agent_goes_on_with_what_was_read),
         cmocka_unit_test(a_spool_goes_with_its_replica),
         cmocka_unit_test(a_spool_whose_replica_went_meanwhile_is_swept))
