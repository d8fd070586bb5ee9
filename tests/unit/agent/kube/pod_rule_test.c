/* The rule is tested by scripts: plain words in, the story with its times out.
 *
 *     create | release | stop | remove | taken      a command for the one replica
 *     see VERSION STAGE [WORDS]                     the watch shows its pod
 *     answer [VERSION STAGE [WORDS]]                the request has succeeded, with that pod
 *     fail STATUS REASON                            the request has failed; 0: no answer came
 *     served UID                                    the Service goes with the pod of that uid
 *     lose                                          the watch says that the pod is gone
 *     wait SECONDS                                  ticks come exactly at the deadlines
 *
 * A pod is 'gated', 'waiting', 'running' or 'ended'.  WORDS say more: deleting, free (without our
 * finalizer), exit=N, oom, early (it ended before its deletion was asked for), disrupted, nodegone,
 * never (ran), named (the first of several), other (another uid), foreign (another hash), a
 * trouble's name.
 * A line of the story is a request or a piece of news.  Waits have jitter: seed 7. */
#include "agent/kube/pod_rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fl_test.h"

enum { HASH = 77, NODE = 3 };

struct play {
    struct pod_rule *rule;
    fl_ms now;
    struct pod_request asked; /* that has no answer yet; kind none: no request */
    char story[8192];
    size_t len;
};

static const struct fl_attempt attempt = {.job = {77}, .element = 3, .n = 2, .incarnation = 1};

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

static void tell_request(struct play *play)
{
    struct pod_request request;

    if (!pod_rule_take_request(play->rule, &request)) return;
    assert_int_equal(play->asked.kind, POD_REQUEST_none); /* one at a time */
    play->asked = request;
    tell(play, "%.3f ask %s", (double)play->now / 1000, pod_request_name(request.kind));
    if (request.uid.len > 0) tell(play, " of " FL_STR_FMT, FL_STR_ARG(request.uid));
    if (request.kind == POD_REQUEST_withdraw) {
        tell(play, " in " FL_STR_FMT, FL_STR_ARG(request.version));
    }
    tell(play, "\n");
    assert_string_equal(request.name.at, "fl-2d-3-2-main-0");
    if (request.kind == POD_REQUEST_create) assert_memory_equal(request.body.at, "{pod}", 5);
    assert_false(pod_rule_take_request(play->rule, &request));
}

static struct fl_amount hca = {FL_STR("rdma/hca"), 3};

/* Kept for as long as the replica is known, from its order or from its pod. */
static void assert_resources(const struct play *play)
{
    struct pod_look look;

    if (!pod_rule_find(play->rule, attempt, 0, &look)) return;
    assert_int_equal(look.resources.usual.cpu_milli, 100);
    assert_int_equal(fl_amounts_of(&look.resources.named, FL_STR("rdma/hca")), 3);
}

static void tell_news(struct play *play)
{
    struct pod_news news;

    while (pod_rule_take_news(play->rule, &news)) {
        const struct agent_event *event = &news.event;

        tell(play, "%.3f ", (double)play->now / 1000);
        if (news.is_output) {
            tell(play, "output\n");
        } else if (event->kind == AGENT_EV_replica_gone) {
            assert_true(fl_attempt_is_same(event->replica_gone.attempt, attempt));
            tell(play, "gone\n");
        } else {
            assert_int_equal(event->kind, AGENT_EV_replica_seen);
            assert_int_equal(event->replica_seen.node, NODE);
            assert_resources(play);
            tell(play, "%s", fl_replica_state_name(event->replica_seen.state));
            if (event->replica_seen.state == FL_REPLICA_exited) {
                tell(play, " %d", event->replica_seen.exit_code);
            }
            if (event->replica_seen.cause) {
                tell(play, " cause %s", agent_cause_name(event->replica_seen.cause));
            }
            tell(play, "%s%s\n", news.why[0] ? ": " : "", news.why);
        }
    }
}

/* ---- the script ------------------------------------------------------------------------------ */

static bool has(const char *words, const char *word)
{
    const char *found = strstr(words, word);

    return found && (found == words || found[-1] == ' ');
}

static struct pod_status pod_of(const char *version, const char *stage, const char *words)
{
    struct pod_status seen = {
        .identity = {attempt, 0, FL_STR("main")},
        .meta = {FL_STR("ns"), FL_STR("fl-2d-3-2-main-0"), FL_STR("u1"), fl_str_c(version)},
        .hash = has(words, "foreign") ? HASH + 1 : HASH,
        .resources = {.usual = {.cpu_milli = 100}, .named = {&hca, 1, 1}},
        .has_finalizer = !has(words, "free"),
        .is_named = has(words, "named"),
        .is_deleting = has(words, "deleting"),
        .never_ran = has(words, "never"),
        .is_out_of_memory = has(words, "oom"),
        .is_before_delete = has(words, "early"),
        .is_disrupted = has(words, "disrupted") || has(words, "nodegone"),
        .is_node_gone = has(words, "nodegone"),
    };
    const char *code = strstr(words, "exit=");

    if (has(words, "other")) seen.meta.uid = FL_STR("u2");
    if (code) {
        seen.has_exit = true;
        seen.exit_code = (int32_t)strtol(code + strlen("exit="), NULL, 10);
    }
    while (strcmp(stage, pod_stage_name(seen.stage)) != 0) {
        assert_true(seen.stage < POD_STAGE_ended);
        seen.stage++;
    }
    for (int i = 1; i < POD_TROUBLES_LEN; i++) {
        if (!has(words, pod_trouble_name((enum pod_trouble)i))) continue;
        seen.trouble = (enum pod_trouble)i;
        seen.why = FL_STR("Why");
        seen.words = FL_STR("its words");
    }
    return seen;
}

static struct kube_failure failure_of(unsigned status, const char *reason)
{
    struct kube_failure failure = {.retry_after_ms = -1};
    char body[128];

    if (status == 0) {
        fl_fail(&failure.err, FL_UNAVAILABLE, "no answer");
        return failure;
    }
    snprintf(body, sizeof body, "{\"kind\":\"Status\",\"reason\":\"%s\"}", reason);
    kube_status_read(status, fl_str_c(body), &failure);
    return failure;
}

static void command(struct play *play, const char *word)
{
    struct pod_plan plan = {.identity = {attempt, 0, FL_STR("main")},
                            .node = NODE,
                            .resources = {.usual = {.cpu_milli = 100}, .named = {&hca, 1, 1}},
                            .body = FL_STR("{pod}"),
                            .hash = HASH};

    if (strcmp(word, "create") == 0) {
        pod_rule_create_pod(play->rule, &plan, play->now);
    } else if (strcmp(word, "release") == 0) {
        pod_rule_release(play->rule, attempt, 0, play->now);
    } else if (strcmp(word, "stop") == 0) {
        pod_rule_stop(play->rule, attempt, 0, play->now);
    } else if (strcmp(word, "remove") == 0) {
        pod_rule_remove(play->rule, attempt, 0, play->now);
    } else if (strcmp(word, "taken") == 0) {
        pod_rule_output_taken(play->rule, attempt, 0, play->now);
    } else if (strcmp(word, "lose") == 0) {
        pod_rule_lose(play->rule, FL_STR("fl-2d-3-2-main-0"), FL_STR("u1"));
        play->asked = (struct pod_request){0};
    } else {
        fail_msg("the script says '%s'", word);
    }
}

static void answer(struct play *play, const struct kube_failure *failure,
                   const struct pod_status *seen)
{
    struct pod_request asked = play->asked;

    assert_int_not_equal(asked.kind, POD_REQUEST_none);
    play->asked = (struct pod_request){0};
    if (pod_request_is_of_service(asked.kind)) {
        assert_non_null(failure);
        pod_rule_answer_service(play->rule, asked.slot, asked.ticket, failure, (struct fl_str){0},
                                play->now);
    } else {
        pod_rule_answer(play->rule, asked.slot, asked.ticket, failure, seen, play->now);
    }
}

static void answer_service(struct play *play, const char *owner)
{
    struct pod_request asked = play->asked;

    assert_true(pod_request_is_of_service(asked.kind));
    assert_true(fl_attempt_is_same(asked.identity.attempt, attempt));
    play->asked = (struct pod_request){0};
    pod_rule_answer_service(play->rule, asked.slot, asked.ticket, NULL, fl_str_c(owner), play->now);
}

static void look(struct play *play)
{
    tell_request(play);
    tell_news(play);
}

static void run(struct play *play, fl_ms until)
{
    while (pod_rule_deadline(play->rule) <= until) {
        fl_ms deadline = pod_rule_deadline(play->rule);

        if (deadline > play->now) play->now = deadline;
        pod_rule_tick(play->rule, play->now);
        look(play);
    }
    play->now = until;
}

static void perform(struct play *play, const char *line)
{
    char word[16] = "", a[16] = "", b[16] = "", words[64] = "";
    int count = sscanf(line, "%15s %15s %15s %63[^\n]", word, a, b, words);

    if (count < 1) return;
    if (strcmp(word, "wait") == 0) {
        run(play, play->now + (fl_ms)(strtod(a, NULL) * 1000 + 0.5));
    } else if (strcmp(word, "see") == 0) {
        struct pod_status seen = pod_of(a, b, words);

        pod_rule_see(play->rule, &seen, NODE, play->now);
    } else if (strcmp(word, "answer") == 0) {
        struct pod_status seen = pod_of(a, count > 2 ? b : "gated", words);

        answer(play, NULL, count > 2 ? &seen : NULL);
    } else if (strcmp(word, "served") == 0) {
        answer_service(play, a);
    } else if (strcmp(word, "fail") == 0) {
        struct kube_failure failure = failure_of((unsigned)strtoul(a, NULL, 10), b);

        answer(play, &failure, NULL);
    } else {
        command(play, word);
    }
    look(play);
}

static void expect(const char *script, const char *story)
{
    struct pod_times times = pod_times_default;
    struct play play = {.rule = pod_rule_create(&times, 7)};
    char line[128];

    while (*script) {
        size_t len = strcspn(script, ";"), skip = strspn(script, " ");

        assert_true(len < sizeof line && skip <= len);
        snprintf(line, sizeof line, "%.*s", (int)(len - skip), script + skip);
        perform(&play, line);
        script += len + (script[len] != 0);
    }
    assert_string_equal(play.story, story);
    pod_rule_destroy(play.rule);
}

/* ---- replicas that are several --------------------------------------------------------------- */

static void the_first_of_several_is_created_with_its_service(void **state)
{
    (void)state;
    expect("create; answer 5 gated named; see 5 gated named; wait 2; served u1; release; answer 6 "
           "waiting named; see 7 running named",
           "0.000 ask create\n0.000 ask serve of u1\n"
           "2.000 created\n2.000 output\n2.000 ask release of u1\n2.000 pulling\n"
           "2.000 running\n");
    /* Its answer was lost, and it is there. */
    expect("create; answer 5 gated named; fail 0 none; wait 1; fail 409 AlreadyExists; served u1",
           "0.000 ask create\n0.000 ask serve of u1\n0.338 ask serve of u1\n"
           "1.000 ask serve_read of u1\n1.000 created\n1.000 output\n");
}

static void a_service_of_another_pod_is_waited_out(void **state)
{
    (void)state;
    expect("create; answer 5 gated named; fail 409 AlreadyExists; served u0; wait 1; fail 409 "
           "AlreadyExists; fail 404 NotFound; wait 3; served u1",
           "0.000 ask create\n0.000 ask serve of u1\n0.000 ask serve_read of u1\n"
           "0.338 ask serve of u1\n1.000 ask serve_read of u1\n1.569 ask serve of u1\n"
           "4.000 created\n4.000 output\n");
}

static void a_cluster_that_gives_no_service_refuses_the_replica(void **state)
{
    (void)state;
    expect("create; answer 5 gated named; fail 403 Forbidden; answer 6 ended deleting never named",
           "0.000 ask create\n0.000 ask serve of u1\n0.000 ask delete of u1\n"
           "0.000 refused cause runtime: Service: the API server answers 403 Forbidden\n");
}

static void one_that_an_earlier_agent_made_is_told_at_once_and_its_gate_waits(void **state)
{
    (void)state;
    expect("see 5 gated named; release; served u1; answer 6 waiting named",
           "0.000 ask serve of u1\n0.000 created\n0.000 output\n0.000 ask release of u1\n"
           "0.000 pulling\n");
    /* Past its gate it has one. */
    expect("see 5 running named", "0.000 running\n0.000 output\n");
}

static void a_gang_that_is_not_wanted_any_more_gets_no_service(void **state)
{
    (void)state;
    expect("create; remove; answer 5 gated named; answer 6 ended deleting never named; answer 7 "
           "ended deleting never free named; lose",
           "0.000 ask create\n0.000 ask withdraw of u1 in 5\n0.000 ask free of u1\n0.000 gone\n");
    expect("create; stop; answer 5 gated named; answer 6 ended deleting never named",
           "0.000 ask create\n0.000 ask delete of u1\n0.000 created\n0.000 output\n"
           "0.000 refused cause vanished\n");
}

/* ---- a life without trouble ------------------------------------------------------------------ */

static void an_older_version_behind_an_answer_is_passed_over(void **state)
{
    (void)state;
    expect("see 5 ended exit=0; taken; remove; answer 6 ended exit=0 deleting; answer 7 ended "
           "exit=0 deleting free; see 6 ended exit=0 deleting; see 7 ended exit=0 deleting free; "
           "lose",
           "0.000 exited 0 cause finished\n0.000 output\n0.000 ask delete of u1\n"
           "0.000 ask free of u1\n0.000 gone\n");
}

static void a_replica_needs_four_writes(void **state)
{
    (void)state;
    expect("create; answer 5 gated; see 5 gated; wait 1; release; answer 6 waiting; see 7 running; "
           "see 8 ended exit=0; taken; remove; answer 9 ended exit=0 deleting; answer 10 ended "
           "exit=0 deleting free; lose",
           "0.000 ask create\n"
           "0.000 created\n0.000 output\n"
           "1.000 ask release of u1\n"
           "1.000 pulling\n"
           "1.000 running\n"
           "1.000 exited 0 cause finished\n1.000 output\n"
           "1.000 ask delete of u1\n"
           "1.000 ask free of u1\n"
           "1.000 gone\n");
}

static void what_is_gated_is_removed_in_the_version_that_was_seen(void **state)
{
    (void)state;
    expect("create; answer 5 gated; remove; answer 6 ended deleting never; answer 7 ended deleting "
           "never free; lose",
           "0.000 ask create\n0.000 created\n0.000 output\n0.000 ask withdraw of u1 in 5\n"
           "0.000 ask free of u1\n0.000 gone\n");
    /* An earlier agent's GO came first: it runs, and is not removed. */
    expect("see 5 gated; remove; fail 409 Conflict; see 6 waiting; wait 9; see 7 ended exit=3",
           "0.000 created\n0.000 output\n0.000 ask withdraw of u1 in 5\n0.000 pulling\n"
           "9.000 exited 3\n9.000 output\n");
}

static void a_stop_deletes_and_the_exit_code_counts(void **state)
{
    (void)state;
    expect("see 5 running; stop; stop; answer 6 running deleting; wait 30; see 7 ended exit=143 "
           "deleting; stop; taken; remove; answer 8 ended deleting free exit=143; lose",
           "0.000 running\n0.000 output\n0.000 ask delete of u1\n"
           "30.000 exited 143\n30.000 output\n30.000 exited 143\n30.000 ask free of u1\n"
           "30.000 gone\n");
    /* The watch may be before the answer. */
    expect("see 5 running; stop; see 6 running deleting; see 7 ended exit=0 deleting; answer 6 "
           "running deleting",
           "0.000 running\n0.000 output\n0.000 ask delete of u1\n0.000 exited 0\n0.000 output\n");
}

static void a_stop_before_the_gate_opens_leaves_nothing_running(void **state)
{
    (void)state;
    expect("see 5 gated; release; stop; fail 0 none; wait 1; answer 6 ended deleting never",
           "0.000 created\n0.000 output\n0.000 ask release of u1\n0.338 ask delete of u1\n"
           "1.000 refused cause vanished\n");
}

static void what_runs_is_not_removed(void **state)
{
    (void)state;
    expect("see 5 running; remove; release", "0.000 running\n0.000 output\n0.000 running\n"
                                             "0.000 running\n");
}

static void what_is_unknown_is_gone(void **state)
{
    (void)state;
    expect("release; stop; remove; taken", "0.000 gone\n0.000 gone\n0.000 gone\n");
}

static void repeating_a_command_changes_nothing(void **state)
{
    (void)state;
    expect("create; create; answer 5 gated; create; release; release; answer 6 waiting; create; "
           "see 7 ended exit=1; remove; remove; taken",
           "0.000 ask create\n0.000 created\n0.000 output\n0.000 created\n"
           "0.000 ask release of u1\n0.000 pulling\n0.000 pulling\n0.000 exited 1\n0.000 output\n"
           "0.000 ask delete of u1\n");
}

static void removal_waits_for_the_output_an_hour(void **state)
{
    (void)state;
    expect("see 5 ended exit=1; remove; wait 3599; wait 2",
           "0.000 exited 1\n0.000 output\n3600.000 ask delete of u1\n");
}

/* ---- answers that fail or are lost ----------------------------------------------------------- */

static void a_create_whose_answer_was_lost_is_found_by_the_watch(void **state)
{
    (void)state;
    expect("create; see 5 gated; fail 0 none; wait 60",
           "0.000 ask create\n0.000 created\n0.000 output\n");
    expect("create; fail 0 none; wait 0.1; see 5 gated; wait 60",
           "0.000 ask create\n0.100 created\n0.100 output\n");
}

static void a_taken_name_is_read(void **state)
{
    (void)state;
    expect("create; fail 503 none; wait 1; fail 409 AlreadyExists; answer 5 gated",
           "0.000 ask create\n0.338 ask create\n1.000 ask read\n1.000 created\n1.000 output\n");
    expect("create; fail 409 AlreadyExists; fail 404 NotFound; wait 1; answer 6 gated",
           "0.000 ask create\n0.000 ask read\n0.338 ask create\n1.000 created\n1.000 output\n");
}

static void a_strangers_pod_is_left_alone(void **state)
{
    (void)state;
    expect("create; fail 409 AlreadyExists; answer; remove",
           "0.000 ask create\n0.000 ask read\n0.000 refused cause runtime: a pod of this name is "
           "there, and was not made from this job\n0.000 gone\n");
    expect("create; see 5 gated foreign; fail 409 AlreadyExists; answer 5 gated foreign",
           "0.000 ask create\n0.000 ask read\n0.000 refused cause runtime: a pod of this name is "
           "there, and was not made from this job\n");
}

static void a_refused_create_is_told_with_the_servers_words(void **state)
{
    (void)state;
    expect("create; fail 403 Forbidden; remove",
           "0.000 ask create\n0.000 refused cause runtime: the API server answers 403 Forbidden\n"
           "0.000 gone\n");
    expect("create; fail 422 Invalid",
           "0.000 ask create\n0.000 refused cause container: the API server answers 422 Invalid\n");
}

static void a_create_is_tried_until_the_server_is_back(void **state)
{
    (void)state;
    expect("create; fail 0 none; wait 1; fail 503 none; wait 1; fail 500 none; wait 2; "
           "fail 429 none; wait 4; answer 5 gated",
           "0.000 ask create\n0.338 ask create\n1.569 ask create\n3.420 ask create\n"
           "6.982 ask create\n8.000 created\n8.000 output\n");
}

static void a_release_goes_on_until_the_gate_is_gone(void **state)
{
    (void)state;
    expect("see 5 gated; release; fail 0 none; wait 1; fail 409 Conflict; wait 2; see 6 waiting; "
           "fail 404 NotFound; wait 60",
           "0.000 created\n0.000 output\n0.000 ask release of u1\n0.338 ask release of u1\n"
           "1.569 ask release of u1\n3.000 pulling\n");
}

/* ---- other hands ----------------------------------------------------------------------------- */

static void what_another_hand_deletes_is_lost(void **state)
{
    (void)state;
    expect("see 5 running; see 6 running deleting; wait 30; see 7 ended exit=143 deleting; taken; "
           "remove",
           "0.000 running\n0.000 output\n30.000 lost cause vanished\n30.000 output\n"
           "30.000 ask free of u1\n");
    expect("see 5 gated; see 6 ended deleting never",
           "0.000 created\n0.000 output\n0.000 refused cause vanished\n");
    expect("see 5 running; lose", "0.000 running\n0.000 output\n0.000 gone\n");
}

static void what_had_ended_before_it_was_deleted_keeps_its_code(void **state)
{
    (void)state;
    expect("see 7 ended exit=0 deleting early", "0.000 exited 0 cause finished\n0.000 output\n");
    expect("see 7 ended exit=0 deleting", "0.000 lost cause vanished\n0.000 output\n");
}

static void the_cluster_may_end_a_pod(void **state)
{
    (void)state;
    expect("see 5 running; see 6 ended exit=137 disrupted",
           "0.000 running\n0.000 output\n0.000 lost cause vanished\n0.000 output\n");
    expect("see 5 running; see 6 ended nodegone deleting",
           "0.000 running\n0.000 output\n0.000 lost cause node_lost\n0.000 output\n");
    expect("see 5 waiting; see 6 ended disrupted never",
           "0.000 pulling\n0.000 output\n0.000 refused cause runtime\n");
    expect("see 5 running; see 6 ended exit=137 oom",
           "0.000 running\n0.000 output\n0.000 exited 137 cause out_of_memory\n0.000 output\n");
}

static void a_pod_on_a_silent_node_keeps_its_state(void **state)
{
    (void)state;
    expect("see 5 running; see 6 running; see 7 running deleting; wait 3600; see 8 ended deleting "
           "nodegone",
           "0.000 running\n0.000 output\n3600.000 lost cause node_lost\n3600.000 output\n");
}

static void the_first_end_stays(void **state)
{
    (void)state;
    expect("see 5 ended exit=0; see 6 ended exit=0 deleting; see 7 ended exit=9 disrupted",
           "0.000 exited 0 cause finished\n0.000 output\n");
}

/* ---- trouble --------------------------------------------------------------------------------- */

static void an_image_that_cannot_be_had_is_given_up(void **state)
{
    (void)state;
    expect("see 5 waiting; wait 1; see 6 waiting image; wait 60; see 7 waiting image; wait 300; "
           "answer 8 waiting deleting; see 9 ended deleting; remove",
           "0.000 pulling\n0.000 output\n301.000 ask delete of u1\n"
           "361.000 refused cause image: Why: its words\n361.000 ask free of u1\n");
    expect("see 5 waiting bad_image; answer 6 ended deleting",
           "0.000 ask delete of u1\n0.000 pulling\n0.000 output\n"
           "0.000 refused cause image: Why: its words\n");
}

static void trouble_that_passes_is_forgotten(void **state)
{
    (void)state;
    expect("see 5 waiting container; wait 119; see 6 waiting; wait 10; see 7 waiting container; "
           "wait 119; see 8 running; wait 600",
           "0.000 pulling\n0.000 output\n248.000 running\n");
}

static void a_pod_without_room_is_given_up_and_goes_elsewhere(void **state)
{
    (void)state;
    expect("see 5 waiting unscheduled; wait 120; answer 6 ended deleting never",
           "0.000 pulling\n0.000 output\n120.000 ask delete of u1\n"
           "120.000 refused cause unscheduled: Why: its words\n");
}

static void what_ran_after_it_was_given_up_is_lost(void **state)
{
    (void)state;
    expect("see 5 waiting container; wait 120; see 6 running; answer 7 running deleting; see 8 "
           "ended exit=143 deleting",
           "0.000 pulling\n0.000 output\n120.000 ask delete of u1\n120.000 running\n"
           "120.000 lost cause vanished\n120.000 output\n");
}

FL_TESTS(cmocka_unit_test(the_first_of_several_is_created_with_its_service),
         cmocka_unit_test(a_service_of_another_pod_is_waited_out),
         cmocka_unit_test(a_cluster_that_gives_no_service_refuses_the_replica),
         cmocka_unit_test(one_that_an_earlier_agent_made_is_told_at_once_and_its_gate_waits),
         cmocka_unit_test(a_gang_that_is_not_wanted_any_more_gets_no_service),
         cmocka_unit_test(a_replica_needs_four_writes),
         cmocka_unit_test(an_older_version_behind_an_answer_is_passed_over),
         cmocka_unit_test(what_is_gated_is_removed_in_the_version_that_was_seen),
         cmocka_unit_test(a_stop_deletes_and_the_exit_code_counts),
         cmocka_unit_test(a_stop_before_the_gate_opens_leaves_nothing_running),
         cmocka_unit_test(what_runs_is_not_removed), cmocka_unit_test(what_is_unknown_is_gone),
         cmocka_unit_test(repeating_a_command_changes_nothing),
         cmocka_unit_test(removal_waits_for_the_output_an_hour),
         cmocka_unit_test(a_create_whose_answer_was_lost_is_found_by_the_watch),
         cmocka_unit_test(a_taken_name_is_read), cmocka_unit_test(a_strangers_pod_is_left_alone),
         cmocka_unit_test(a_refused_create_is_told_with_the_servers_words),
         cmocka_unit_test(a_create_is_tried_until_the_server_is_back),
         cmocka_unit_test(a_release_goes_on_until_the_gate_is_gone),
         cmocka_unit_test(what_another_hand_deletes_is_lost),
         cmocka_unit_test(what_had_ended_before_it_was_deleted_keeps_its_code),
         cmocka_unit_test(the_cluster_may_end_a_pod),
         cmocka_unit_test(a_pod_on_a_silent_node_keeps_its_state),
         cmocka_unit_test(the_first_end_stays),
         cmocka_unit_test(an_image_that_cannot_be_had_is_given_up),
         cmocka_unit_test(trouble_that_passes_is_forgotten),
         cmocka_unit_test(a_pod_without_room_is_given_up_and_goes_elsewhere),
         cmocka_unit_test(what_ran_after_it_was_given_up_is_lost))
