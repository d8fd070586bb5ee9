/* A log against a server that answers as the script says; the story is what the spool then has.
 * tests/kube/log_test.py does the same against a real kubelet. */
#include "agent/kube/kube_log.h"

#include <stdlib.h>

#include "agent/kube/log_spool.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
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
#define AT(time) "2026-01-02T03:04:" time "Z "
#define LINE(time, text) AT(time) text "\n"
#define WAITING "{\"kind\":\"Status\",\"reason\":\"BadRequest\",\"message\":\"waiting to start\"}"

static void serve(struct hostile_server *server)
{
    const struct kube_trial *trial = server->script;
    const struct answer *answers = trial->answers;
    char head[256];
    unsigned i;

    while (kube_trial_read(server, &i)) {
        const char *body = answers[i].body;

        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n",
                 answers[i].status);
        if (!hostile_say(server, head)) return;
        if (*body) {
            snprintf(head, sizeof head, "%zx\r\n", strlen(body));
            if (!hostile_say(server, head) || !hostile_say(server, body)) return;
            if (answers[i].ending == CUT) return;
            if (!hostile_say(server, "\r\n")) return;
        }
        if (answers[i].ending == HUNG) {
            hostile_hold(server);
            return;
        }
        if (!hostile_say(server, "0\r\n\r\n")) return;
    }
}

struct play {
    struct kube_trial trial;
    char path[64];
    struct log_spools *spools;
    struct log_spool *spool;
    struct kube_log *log;
    struct kube_log_config config;
    char problems[1024];
    unsigned outputs;
};

static void on_output(void *ctx)
{
    struct play *play = ctx;

    play->outputs++;
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    struct play *play = ctx;
    size_t len = strlen(play->problems);

    snprintf(play->problems + len, sizeof play->problems - len, "%s\n", failure->err.text);
}

static void open_log(struct play *play)
{
    play->log = kube_log_open(play->trial.client, play->spool, &play->config,
                              &(struct kube_log_port){play, on_output, on_problem});
}

static void begin(struct play *play, const struct answer *answers, size_t len)
{
    struct log_spools_config config = {play->path, 1 << 20, 1 << 20};
    struct fl_err err = {0};

    memset(play, 0, sizeof *play);
    snprintf(play->path, sizeof play->path, "/tmp/fl-log-XXXXXX");
    fl_assert(mkdtemp(play->path));
    fl_assert(log_spools_create(&config, &play->spools, &err));
    fl_assert(log_spool_open(play->spools, "one", &play->spool, &err));
    kube_trial_init(&play->trial, answers, len);
    kube_trial_begin(&play->trial, serve, NULL);
    play->config = (struct kube_log_config){
        .namespace = FL_STR("n"), .pod = FL_STR("p"), .uid = FL_STR("u"), .container = FL_STR("c")};
    open_log(play);
}

static void end(struct play *play)
{
    struct fl_err err = {0};

    kube_log_close(play->log);
    kube_trial_end(&play->trial);
    log_spool_close(play->spool);
    fl_assert(log_spool_remove(play->spools, "one", &err));
    log_spools_destroy(play->spools);
    rmdir(play->path);
}

/* All of the spool; a gap as "<kind>". */
static void read_spool(struct play *play, char *ret_text, size_t max)
{
    struct runtime_output output;
    struct fl_log_record record;
    struct fl_err err = {0};
    struct fl_buf out;
    struct fl_str rest;

    fl_buf_init(&out, 1 << 20);
    fl_assert(log_spool_read(play->spool, 0, 1 << 19, &out, &output, &err));
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

/* Runs until so many answers were asked for and the spool has the story. */
static void expect(struct play *play, unsigned answers, const char *story)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;
    char text[1024] = "";

    do {
        fl_loop_turn(play->trial.loop, 50);
        read_spool(play, text, sizeof text - 8);
    } while (fl_clock_mono() < until &&
             (strcmp(text, story) != 0 || atomic_load(&play->trial.server.requests) < answers));
    assert_string_equal(text, story);
    assert_int_equal(atomic_load(&play->trial.server.requests), answers);
}

#define ANSWERS(...)                                                                               \
    static struct play play;                                                                       \
    static const struct answer answers[] = {__VA_ARGS__};                                          \
    (void)state;                                                                                   \
    begin(&play, answers, sizeof answers / sizeof *answers)

#define LATER "2096-01-02T03:04:05Z later\n" /* behind the beginning of any answer */
#define BOTH LINE("05.1", "one") LINE("06", "two")

static void a_log_ends_when_an_answer_brings_nothing_new(void **state)
{
    ANSWERS({OK, BOTH, WHOLE}, {OK, BOTH, WHOLE});

    kube_log_container_ended(play.log);
    expect(&play, 2, "one\ntwo\n<end>");
    assert_non_null(strstr(play.trial.heads[0], "GET /api/v1/namespaces/n/pods/p/log?container=c&"
                                                "follow=true&timestamps=true HTTP"));
    assert_non_null(strstr(play.trial.heads[1], "&sinceTime=2026-01-02T03:04:01.000Z HTTP"));
    assert_true(kube_log_is_ended(play.log));
    assert_string_equal(play.problems, "");
    kube_log_close(play.log); /* and stays so */
    open_log(&play);
    assert_true(kube_log_is_ended(play.log));
    end(&play);
}

static void a_log_without_a_line_ends_too(void **state)
{
    ANSWERS({OK, "", WHOLE});

    kube_log_container_ended(play.log);
    expect(&play, 1, "<end>");
    end(&play);
}

static void a_cut_in_a_line_repeats_nothing(void **state)
{
    ANSWERS({OK, LINE("05.1", "one") AT("06") "t", CUT}, {OK, BOTH, CUT}, {OK, BOTH, WHOLE});

    expect(&play, 2, "one\ntwo\n");
    kube_log_container_ended(play.log);
    expect(&play, 3, "one\ntwo\n<end>");
    assert_int_equal(kube_log_counts(play.log).failures, 2);
    assert_non_null(strstr(play.problems, "cut off"));
    end(&play);
}

static void a_new_object_goes_on_where_the_spool_is(void **state)
{
    ANSWERS({OK, LINE("05.1", "one") AT("06") "t", HUNG}, {OK, BOTH, HUNG});

    expect(&play, 1, "one\nt");
    kube_log_close(play.log);
    open_log(&play);
    expect(&play, 2, "one\ntwo\n");
    assert_int_equal(kube_log_counts(play.log).gaps, 0);
    end(&play);
}

static void lines_that_were_rotated_away_are_a_gap(void **state)
{
    ANSWERS({OK, BOTH, CUT}, {OK, LINE("16", "ten"), WHOLE}, {OK, LINE("16", "ten"), WHOLE});

    kube_log_container_ended(play.log);
    expect(&play, 3, "one\ntwo\n<unknown>ten\n<end>");
    end(&play);
}

/* It has not started, or its log is gone: in both cases later is better than never. */
static void a_kubelet_that_has_no_log_is_asked_again(void **state)
{
    ANSWERS({"400 Bad Request", WAITING, WHOLE},
            {OK, "unable to retrieve container logs for containerd://1", WHOLE}, {OK, BOTH, WHOLE},
            {OK, BOTH, WHOLE});

    kube_log_container_ended(play.log);
    expect(&play, 4, "one\ntwo\n<end>");
    assert_string_equal(play.problems,
                        "the API server answers 400 BadRequest: waiting to start\n"
                        "the kubelet says: unable to retrieve container logs for containerd://1\n");
    end(&play);
}

/* The file is empty: it was rotated behind the last line, or further on. */
static void a_last_line_that_never_comes_again_is_a_gap(void **state)
{
    ANSWERS({OK, BOTH, WHOLE}, {OK, "", WHOLE}, {OK, "", WHOLE}, {OK, "", WHOLE});

    kube_log_container_ended(play.log);
    expect(&play, 4, "one\ntwo\n<unknown><end>");
    end(&play);
}

static void a_log_may_be_given_up(void **state)
{
    ANSWERS({OK, BOTH, HUNG});

    expect(&play, 1, "one\ntwo\n");
    kube_log_give_up(play.log);
    kube_log_give_up(play.log);
    expect(&play, 1, "one\ntwo\n<unknown><end>");
    end(&play);
}

static void behind_late_lines_a_pause_asks_again(void **state)
{
    ANSWERS({OK, BOTH, HUNG}, {OK, BOTH LINE("07", "three"), HUNG},
            {OK, BOTH LINE("07", "three"), HUNG});

    expect(&play, 3, "one\ntwo\nthree\n");
    assert_int_equal(kube_log_counts(play.log).pauses, 2);
    assert_int_equal(kube_log_counts(play.log).quiets, 0);
    end(&play);
}

/* The kubelet may have passed over a file before the line of 2096, and has not, at first. */
static void behind_a_doubtful_pause_it_is_asked_again(void **state)
{
    ANSWERS({OK, BOTH LATER, HUNG}, {OK, BOTH LATER, HUNG}, {OK, LATER, HUNG});

    expect(&play, 2, "one\ntwo\nlater\n");
    assert_int_equal(kube_log_counts(play.log).pauses, 1);
    assert_int_equal(kube_log_counts(play.log).gaps, 0);
    end(&play);
}

static void silence_asks_again(void **state)
{
    ANSWERS({OK, "", HUNG}, {OK, LINE("05", "one"), HUNG});

    kube_log_close(play.log);
    play.config.quiet_ms = 20;
    open_log(&play);
    expect(&play, 2, "one\n");
    assert_int_equal(kube_log_counts(play.log).quiets, 1);
    end(&play);
}

static void another_pod_begins_behind_a_gap(void **state)
{
    ANSWERS({OK, BOTH, HUNG}, {OK, LINE("05.1", "ONE"), HUNG});

    expect(&play, 1, "one\ntwo\n");
    kube_log_close(play.log);
    play.config.uid = FL_STR("v");
    open_log(&play);
    expect(&play, 2, "one\ntwo\n<unknown>ONE\n");
    assert_null(strstr(play.trial.heads[1], "sinceTime"));
    end(&play);
}

FL_TESTS(cmocka_unit_test(a_log_ends_when_an_answer_brings_nothing_new),
         cmocka_unit_test(a_log_without_a_line_ends_too),
         cmocka_unit_test(a_cut_in_a_line_repeats_nothing),
         cmocka_unit_test(a_new_object_goes_on_where_the_spool_is),
         cmocka_unit_test(lines_that_were_rotated_away_are_a_gap),
         cmocka_unit_test(a_kubelet_that_has_no_log_is_asked_again),
         cmocka_unit_test(a_last_line_that_never_comes_again_is_a_gap),
         cmocka_unit_test(a_log_may_be_given_up),
         cmocka_unit_test(behind_late_lines_a_pause_asks_again),
         cmocka_unit_test(behind_a_doubtful_pause_it_is_asked_again),
         cmocka_unit_test(silence_asks_again), cmocka_unit_test(another_pod_begins_behind_a_gap))
