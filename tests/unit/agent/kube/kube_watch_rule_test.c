/* The rule is tested by scripts: events in plain words in, the story with its times out.
 *
 *     wait SECONDS                 time goes on; ticks come exactly at the deadlines
 *     list VERSION                 the first page has begun
 *     page | last                  a page is whole: there are more, or none
 *     changed | bookmark VERSION
 *     ended
 *     failed STATUS [SECONDS]      and the time that the server named
 *
 * A line of the story: time, event, state, order, until when.  A tick or a change that changes
 * nothing is left out.  Times of rest have jitter: seed 7. */
#include "agent/kube/kube_watch_rule.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/fl_test.h"

struct play {
    struct kube_watch_rule rule;
    fl_ms now;
    char story[8192];
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

static void step(struct play *play, const char *what, struct kube_watch_event_in event)
{
    enum kube_watch_state before = play->rule.state;
    enum kube_watch_order order;

    event.now = play->now;
    order = kube_watch_rule_step(&play->rule, &event);
    if (order == KUBE_WATCH_DO_WAIT && before == play->rule.state) return;
    tell(play, "%.3f %s: %s %s until %.3f", (double)play->now / 1000, what,
         kube_watch_state_name(play->rule.state), kube_watch_order_name(order),
         (double)play->rule.deadline / 1000);
    if (play->rule.state == KUBE_WATCH_WATCHING) {
        tell(play, " from %s for %u s", play->rule.version, play->rule.watch_s);
    }
    tell(play, "%s\n", play->rule.is_restored ? ", restored" : "");
    play->rule.is_restored = false;
    assert_true(play->rule.deadline >= play->now);
}

static void run(struct play *play, fl_ms until)
{
    while (play->rule.deadline <= until) {
        if (play->rule.deadline > play->now) play->now = play->rule.deadline;
        step(play, "tick", (struct kube_watch_event_in){.kind = KUBE_WATCH_EV_TICK});
    }
    play->now = until;
}

static void perform(struct play *play, const char *line)
{
    struct kube_watch_event_in event = {0};
    char word[32] = "", version[64] = "";
    double seconds = 0;

    if (sscanf(line, "%31s %63s", word, version) < 1) return;
    event.version = fl_str_c(version);
    if (strcmp(word, "wait") == 0) {
        sscanf(line, "%*s %lf", &seconds);
        run(play, play->now + (fl_ms)(seconds * 1000 + 0.5));
        return;
    }
    if (strcmp(word, "list") == 0) {
        event.kind = KUBE_WATCH_EV_LIST;
    } else if (strcmp(word, "page") == 0 || strcmp(word, "last") == 0) {
        event.kind = KUBE_WATCH_EV_PAGE;
        event.has_more = word[0] == 'p';
    } else if (strcmp(word, "changed") == 0) {
        event.kind = KUBE_WATCH_EV_CHANGED;
    } else if (strcmp(word, "bookmark") == 0) {
        event.kind = KUBE_WATCH_EV_BOOKMARK;
    } else if (strcmp(word, "ended") == 0) {
        event.kind = KUBE_WATCH_EV_ENDED;
    } else if (strcmp(word, "failed") == 0) {
        event.kind = KUBE_WATCH_EV_FAILED;
        sscanf(line, "%*s %u %lf", &event.status, &seconds);
        event.retry_after_ms = seconds > 0 ? (fl_ms)(seconds * 1000) : -1;
    } else {
        fail_msg("the script says '%s'", line);
    }
    step(play, line, event);
}

static struct play perform_all(const char *script)
{
    struct play play = {0};
    char line[128];

    kube_watch_rule_init(&play.rule, NULL, 7, 0);
    run(&play, 0);
    while (*script) {
        size_t len = strcspn(script, ";"), skip = strspn(script, " ");

        assert_true(len < sizeof line && skip <= len);
        snprintf(line, sizeof line, "%.*s", (int)(len - skip), script + skip);
        perform(&play, line);
        script += len + (script[len] != 0);
    }
    return play;
}

static void expect(const char *script, const char *story)
{
    struct play play = perform_all(script);

    assert_string_equal(play.story, story);
}

static void a_list_is_followed_by_watches(void **state)
{
    (void)state;
    expect("wait 1; list 100; page; wait 1; page; last; wait 30; changed 105; bookmark 110; wait "
           "200; ended; wait 250; ended",
           "0.000 tick: listing list until 60.000\n"
           "1.000 page: listing next_page until 61.000\n"
           "2.000 page: listing next_page until 62.000\n"
           "2.000 last: watching sync until 342.000 from 100 for 325 s\n"
           "232.000 ended: watching watch until 521.000 from 110 for 274 s\n"
           "482.000 ended: watching watch until 838.000 from 110 for 341 s\n");
}

static void a_cut_watch_goes_on_where_it_was(void **state)
{
    (void)state;
    expect("list 100; last; wait 20; changed 105; failed 0; wait 1; failed 0; wait 2; failed 0; "
           "wait 3; failed 503 9; wait 10; changed 106; failed 0; wait 1",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "20.000 failed 0: resting wait until 20.319\n"
           "20.319 tick: watching watch until 376.319 from 105 for 341 s\n"
           "21.000 failed 0: resting wait until 21.991\n"
           "21.991 tick: watching watch until 395.991 from 105 for 359 s\n"
           "23.000 failed 0: resting wait until 24.873\n"
           "24.873 tick: watching watch until 287.873 from 105 for 248 s\n"
           "26.000 failed 503 9: resting wait until 35.000\n"
           "35.000 tick: watching watch until 339.000 from 105 for 289 s\n"
           "36.000 failed 0: resting wait until 36.288\n"
           "36.288 tick: watching watch until 356.288 from 106 for 305 s\n");
}

static void waits_grow_up_to_a_limit(void **state)
{
    (void)state;
    expect(
        "failed 0; wait 1; failed 0; wait 2; failed 0; wait 4; failed 500; wait 5; failed 403; "
        "wait 15; failed 0; wait 20; failed 0; wait 40; failed 0; wait 40; failed 429 50; wait 60; "
        "failed 429 5000",
        "0.000 tick: listing list until 60.000\n"
        "0.000 failed 0: resting wait until 0.425\n"
        "0.425 tick: listing list until 60.425\n"
        "1.000 failed 0: resting wait until 1.639\n"
        "1.639 tick: listing list until 61.639\n"
        "3.000 failed 0: resting wait until 4.840\n"
        "4.840 tick: listing list until 64.840\n"
        "7.000 failed 500: resting wait until 10.963\n"
        "10.963 tick: listing list until 70.963\n"
        "12.000 failed 403: resting wait until 19.964\n"
        "19.964 tick: listing list until 79.964\n"
        "27.000 failed 0: resting wait until 41.983\n"
        "41.983 tick: listing list until 101.983\n"
        "47.000 failed 0: resting wait until 62.911\n"
        "62.911 tick: listing list until 122.911\n"
        "87.000 failed 0: resting wait until 103.566\n"
        "103.566 tick: listing list until 163.566\n"
        "127.000 failed 429 50: resting wait until 177.000\n"
        "177.000 tick: listing list until 237.000\n"
        "187.000 failed 429 5000: resting wait until 247.000\n");
}

static void gone_is_listed_anew(void **state)
{
    (void)state;
    /* once at once; then with waits, since the list did not help */
    expect(
        "list 100; last; wait 20; failed 410; list 200; last; failed 410; wait 2; list 300; last; "
        "failed 410; wait 4; list 400; page; failed 410; wait 4; list 500; last; wait 9; failed "
        "410",
        "0.000 tick: listing list until 60.000\n"
        "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
        "20.000 failed 410: listing list until 80.000\n"
        "20.000 last: watching sync until 309.000 from 200 for 274 s\n"
        "20.000 failed 410: resting wait until 20.920\n"
        "20.920 tick: listing list until 80.920\n"
        "22.000 last: watching sync until 395.000 from 300 for 358 s\n"
        "22.000 failed 410: resting wait until 23.991\n"
        "23.991 tick: listing list until 83.991\n"
        "26.000 page: listing next_page until 86.000\n"
        "26.000 failed 410: resting wait until 29.746\n"
        "29.746 tick: listing list until 89.746\n"
        "30.000 last: watching sync until 293.000 from 500 for 248 s\n"
        "39.000 failed 410: listing list until 99.000\n");
}

static void an_old_list_is_not_believed(void **state)
{
    (void)state;
    expect("list 100; last; changed 120; wait 9; failed 410; list 110; wait 2; list 119; wait 2; "
           "list 120; last",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "9.000 failed 410: listing list until 69.000\n"
           "9.000 list 110: resting drop until 9.639\n"
           "9.639 tick: listing list until 69.639\n"
           "11.000 list 119: resting drop until 12.840\n"
           "12.840 tick: listing list until 72.840\n"
           "13.000 last: watching sync until 386.000 from 120 for 358 s\n");
}

static void a_restored_cluster_is_believed_in_the_end(void **state)
{
    (void)state;
    expect("list 100; last; wait 9; failed 410; list 7; wait 290; wait 1; list 8; wait 30; list 8; "
           "last; "
           "changed 9; wait 9; failed 0; wait 1",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "9.000 failed 410: listing list until 69.000\n"
           "9.000 list 7: resting drop until 9.639\n"
           "9.639 tick: listing list until 69.639\n"
           "69.639 tick: resting hang_up until 71.479\n"
           "71.479 tick: listing list until 131.479\n"
           "131.479 tick: resting hang_up until 135.442\n"
           "135.442 tick: listing list until 195.442\n"
           "195.442 tick: resting hang_up until 203.406\n"
           "203.406 tick: listing list until 263.406\n"
           "263.406 tick: resting hang_up until 278.389\n"
           "278.389 tick: listing list until 338.389\n"
           "300.000 list 8: resting drop until 315.911\n"
           "315.911 tick: listing list until 375.911\n"
           "330.000 last: watching sync until 598.000 from 8 for 253 s, restored\n"
           "339.000 failed 0: resting wait until 339.351\n"
           "339.351 tick: watching watch until 613.351 from 9 for 259 s\n");
}

static void an_old_bookmark_is_followed_by_a_list(void **state)
{
    (void)state;
    expect("list 100; last; bookmark 100; bookmark 99; wait 2; list 100; last",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "0.000 bookmark 99: resting drop until 0.319\n"
           "0.319 tick: listing list until 60.319\n"
           "2.000 last: watching sync until 358.000 from 100 for 341 s\n");
}

static void a_hung_call_is_closed(void **state)
{
    (void)state;
    expect("wait 62; list 100; wait 61", "0.000 tick: listing list until 60.000\n"
                                         "60.000 tick: resting hang_up until 60.425\n"
                                         "60.425 tick: listing list until 120.425\n"
                                         "120.425 tick: resting hang_up until 121.064\n"
                                         "121.064 tick: listing list until 181.064\n");
    expect("list 100; last; wait 400",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "340.000 tick: resting hang_up until 340.319\n"
           "340.319 tick: watching watch until 696.319 from 100 for 341 s\n");
}

static void a_watch_that_ends_at_once_is_a_failure(void **state)
{
    (void)state;
    expect("list 100; last; ended; wait 1; ended; wait 2; wait 5; ended",
           "0.000 tick: listing list until 60.000\n"
           "0.000 last: watching sync until 340.000 from 100 for 325 s\n"
           "0.000 ended: resting wait until 0.319\n"
           "0.319 tick: watching watch until 356.319 from 100 for 341 s\n"
           "1.000 ended: resting wait until 1.991\n"
           "1.991 tick: watching watch until 375.991 from 100 for 359 s\n"
           "8.000 ended: watching watch until 368.000 from 100 for 345 s\n");
}

static void late_events_are_not_taken(void **state)
{
    struct play play = perform_all("list 100; last; changed 105; changed 103");

    (void)state;
    assert_string_equal(play.rule.version, "105");
    assert_false(kube_watch_rule_takes(&play.rule, FL_STR("104")));
    assert_false(kube_watch_rule_takes(&play.rule, FL_STR("105")));
    assert_true(kube_watch_rule_takes(&play.rule, FL_STR("106")));
    assert_true(kube_watch_rule_takes(&play.rule, FL_STR("opaque")));
    play = perform_all("list opaque; last; changed other; failed 410; list third; last");
    assert_string_equal(play.rule.version, "third");
}

FL_TESTS(cmocka_unit_test(a_list_is_followed_by_watches),
         cmocka_unit_test(a_cut_watch_goes_on_where_it_was),
         cmocka_unit_test(waits_grow_up_to_a_limit), cmocka_unit_test(gone_is_listed_anew),
         cmocka_unit_test(an_old_list_is_not_believed),
         cmocka_unit_test(a_restored_cluster_is_believed_in_the_end),
         cmocka_unit_test(an_old_bookmark_is_followed_by_a_list),
         cmocka_unit_test(a_hung_call_is_closed),
         cmocka_unit_test(a_watch_that_ends_at_once_is_a_failure),
         cmocka_unit_test(late_events_are_not_taken))
