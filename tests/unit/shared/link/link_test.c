/* The link is tested by scripts: events in plain words in, the story with its times out.
 *
 *     agent SEED | hub      begin, at time 0
 *     wait SECONDS          time goes on; ticks come exactly at the deadlines
 *     until STATE           the same, until the link is in that state
 *     late SECONDS          time goes on, but no tick comes: the process was paused
 *     EVENT [N [N]]         an event of link.h, with its numbers
 *
 * A line of the story: time, event, state, what to do, until when; and why, when a connection has
 * ended.  A tick that changes nothing is not told. */
#include "shared/link/link.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tests/fl_test.h"

struct play {
    struct fl_link link;
    fl_ms now;
    char story[16384];
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

static void tell_time(struct play *play, fl_ms at)
{
    if (at == FL_LINK_NEVER) {
        tell(play, "ever");
    } else {
        tell(play, "%" PRId64 ".%03" PRId64, at / 1000, at % 1000);
    }
}

static void step(struct play *play, struct fl_link_event ev)
{
    enum fl_link_state before = play->link.state;
    enum fl_link_answer answer;

    ev.now = play->now;
    answer = fl_link_step(&play->link, ev);
    if (ev.kind == FL_LINK_EV_tick) {
        assert_true(play->link.deadline > play->now);
        if (answer == FL_LINK_DO_WAIT && before == play->link.state) return;
    }
    tell_time(play, play->now);
    tell(play, " %s: %s %s until ", fl_link_event_name(ev.kind),
         fl_link_state_name(play->link.state), fl_link_answer_name(answer));
    tell_time(play, play->link.deadline);
    if (before != play->link.state &&
        (play->link.state == FL_LINK_DOWN || play->link.state == FL_LINK_CLOSED)) {
        tell(play, " (%s)", fl_link_why_name(play->link.why));
    }
    tell(play, "\n");
}

static void run(struct play *play, fl_ms until)
{
    while (play->link.deadline <= until) {
        if (play->link.deadline > play->now) play->now = play->link.deadline;
        step(play, (struct fl_link_event){.kind = FL_LINK_EV_tick});
    }
    play->now = until;
}

static void perform(struct play *play, const char *line)
{
    char word[32] = "", state[32] = "";
    double seconds = 0;
    uint64_t a = 0, b = 0;

    if (sscanf(line, "%31s %31s", word, state) < 1) return;
    sscanf(line, "%*s %lf", &seconds);
    sscanf(line, "%*s %" SCNu64 " %" SCNu64, &a, &b);
    if (strcmp(word, "agent") == 0) {
        fl_link_init_agent(&play->link, a, 0);
        run(play, 0);
    } else if (strcmp(word, "hub") == 0) {
        fl_link_init_hub(&play->link, FL_LINK_PING_MS, FL_LINK_DEAD_MS, 0);
    } else if (strcmp(word, "wait") == 0) {
        run(play, play->now + (fl_ms)(seconds * 1000 + 0.5));
    } else if (strcmp(word, "until") == 0) {
        while (strcmp(state, fl_link_state_name(play->link.state)) != 0) {
            run(play, play->link.deadline);
        }
    } else if (strcmp(word, "late") == 0) {
        play->now += (fl_ms)(seconds * 1000 + 0.5);
    } else {
        int kind = 0;

        while (kind < FL_LINK_EVENTS_LEN &&
               strcmp(word, fl_link_event_name((enum fl_link_event_kind)kind)) != 0) {
            kind++;
        }
        if (kind == FL_LINK_EVENTS_LEN) fail_msg("the script says '%s'", line);
        step(play, (struct fl_link_event){.kind = (enum fl_link_event_kind)kind,
                                          .nonce = a,
                                          .retry_after_ms = (uint32_t)a,
                                          .ping_ms = (uint32_t)a,
                                          .dead_ms = (uint32_t)b});
    }
}

static struct play perform_all(const char *script)
{
    struct play play = {0};
    char line[128];

    while (*script) {
        size_t len = strcspn(script, "\n;");

        assert_true(len < sizeof line);
        memcpy(line, script, len);
        line[len] = 0;
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

/* ---- agent ----------------------------------------------------------------------------------- */

static void an_agent_dials_greets_and_is_up(void **state)
{
    (void)state;
    expect("agent 1; wait 0.2; opened; wait 0.1; welcome 10000 30000; wait 5; message; ping 77; "
           "wait 6; pong 1",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.200 opened: GREETING HELLO until 30.200\n"
           "0.300 welcome: UP BEGIN until 10.300\n"
           "5.300 message: UP WAIT until 10.300\n"
           "5.300 ping: UP PONG until 10.300\n"
           "10.300 tick: UP PING until 20.300\n"
           "11.300 pong: UP WAIT until 20.300\n");
}

static void an_agent_comes_back_later_and_later_but_within_a_minute(void **state)
{
    (void)state;
    expect("agent 1; lost; until DIALING; lost; until DIALING; lost; until DIALING; lost;"
           "until DIALING; lost; until DIALING; lost; until DIALING; lost; until DIALING; lost;"
           "until DIALING; lost; until DIALING; lost",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 lost: DOWN CLOSE until 0.852 (lost)\n"
           "0.852 tick: DIALING DIAL until 20.852\n"
           "0.852 lost: DOWN CLOSE until 2.133 (lost)\n"
           "2.133 tick: DIALING DIAL until 22.133\n"
           "2.133 lost: DOWN CLOSE until 4.642 (lost)\n"
           "4.642 tick: DIALING DIAL until 24.642\n"
           "4.642 lost: DOWN CLOSE until 8.077 (lost)\n"
           "8.077 tick: DIALING DIAL until 28.077\n"
           "8.077 lost: DOWN CLOSE until 19.383 (lost)\n"
           "19.383 tick: DIALING DIAL until 39.383\n"
           "19.383 lost: DOWN CLOSE until 24.405 (lost)\n"
           "24.405 tick: DIALING DIAL until 44.405\n"
           "24.405 lost: DOWN CLOSE until 29.132 (lost)\n"
           "29.132 tick: DIALING DIAL until 49.132\n"
           "29.132 lost: DOWN CLOSE until 52.312 (lost)\n"
           "52.312 tick: DIALING DIAL until 72.312\n"
           "52.312 lost: DOWN CLOSE until 104.408 (lost)\n"
           "104.408 tick: DIALING DIAL until 124.408\n"
           "104.408 lost: DOWN CLOSE until 137.735 (lost)\n");
}

static void a_dial_that_hangs_is_given_up(void **state)
{
    (void)state;
    expect("agent 3; wait 25", "0.000 tick: DIALING DIAL until 20.000\n"
                               "20.000 tick: DOWN CLOSE until 20.846 (dial_late)\n"
                               "20.846 tick: DIALING DIAL until 40.846\n");
}

static void a_hub_that_does_not_welcome_is_left(void **state)
{
    (void)state;
    expect("agent 4; opened; wait 10; ping 5; wait 15; bytes; wait 8",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "10.000 ping: GREETING PONG until 30.000\n"
           "25.000 bytes: GREETING WAIT until 30.000\n"
           "30.000 tick: DOWN CLOSE until 30.631 (welcome_late)\n"
           "30.631 tick: DIALING DIAL until 50.631\n");
}

static void a_silent_hub_is_dead_after_thirty_seconds(void **state)
{
    (void)state;
    expect("agent 5; opened; welcome 10000 30000; wait 12; bytes; wait 35",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "10.000 tick: UP PING until 20.000\n"
           "12.000 bytes: UP WAIT until 20.000\n"
           "20.000 tick: UP PING until 30.000\n"
           "30.000 tick: UP PING until 40.000\n"
           "40.000 tick: UP PING until 42.000\n"
           "42.000 tick: DOWN CLOSE until 42.644 (silent)\n"
           "42.644 tick: DIALING DIAL until 62.644\n");
}

static void a_single_byte_keeps_the_hub_alive(void **state)
{
    (void)state;
    expect("agent 5; opened; welcome 10000 30000; wait 29.999; bytes; wait 29.999; bytes; wait 0.5",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "10.000 tick: UP PING until 20.000\n"
           "20.000 tick: UP PING until 30.000\n"
           "29.999 bytes: UP WAIT until 30.000\n"
           "30.000 tick: UP PING until 40.000\n"
           "40.000 tick: UP PING until 50.000\n"
           "50.000 tick: UP PING until 59.999\n"
           "59.998 bytes: UP WAIT until 60.000\n"
           "60.000 tick: UP PING until 70.000\n");
}

static void the_hub_says_how_often_to_ping_within_limits(void **state)
{
    (void)state;
    expect("agent 6; opened; welcome 2000 6000; wait 7",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 2.000\n"
           "2.000 tick: UP PING until 4.000\n"
           "4.000 tick: UP PING until 6.000\n"
           "6.000 tick: DOWN CLOSE until 6.884 (silent)\n"
           "6.884 tick: DIALING DIAL until 26.884\n");
    expect("agent 6; opened; welcome 0 0; wait 3", "0.000 tick: DIALING DIAL until 20.000\n"
                                                   "0.000 opened: GREETING HELLO until 30.000\n"
                                                   "0.000 welcome: UP BEGIN until 1.000\n"
                                                   "1.000 tick: UP PING until 2.000\n"
                                                   "2.000 tick: DOWN CLOSE until 2.884 (silent)\n"
                                                   "2.884 tick: DIALING DIAL until 22.884\n");
    expect("agent 6; opened; welcome 4000000000 4000000000; wait 601",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 60.000\n"
           "60.000 tick: UP PING until 120.000\n"
           "120.000 tick: UP PING until 180.000\n"
           "180.000 tick: UP PING until 240.000\n"
           "240.000 tick: UP PING until 300.000\n"
           "300.000 tick: UP PING until 360.000\n"
           "360.000 tick: UP PING until 420.000\n"
           "420.000 tick: UP PING until 480.000\n"
           "480.000 tick: UP PING until 540.000\n"
           "540.000 tick: UP PING until 600.000\n"
           "600.000 tick: DOWN CLOSE until 600.884 (silent)\n"
           "600.884 tick: DIALING DIAL until 620.884\n");
}

static void a_bye_says_when_to_come_back(void **state)
{
    (void)state;
    expect("agent 7; opened; welcome 10000 30000; bye 5000; wait 7",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "0.000 bye: DOWN CLOSE until 5.850 (sent_away)\n"
           "5.850 tick: DIALING DIAL until 25.850\n");
    expect("agent 7; opened; bye 4000000000; wait 602",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 bye: DOWN CLOSE until 600.850 (sent_away)\n"
           "600.850 tick: DIALING DIAL until 620.850\n");
    expect("agent 7; opened; bye; wait 2", "0.000 tick: DIALING DIAL until 20.000\n"
                                           "0.000 opened: GREETING HELLO until 30.000\n"
                                           "0.000 bye: DOWN CLOSE until 0.850 (sent_away)\n"
                                           "0.850 tick: DIALING DIAL until 20.850\n");
}

static void the_backoff_starts_anew_only_after_a_minute_up(void **state)
{
    (void)state;
    expect("agent 8; lost; wait 2; lost; wait 5; lost; wait 9; opened; welcome 30000 90000; wait "
           "59; bytes;"
           "lost; wait 9",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 lost: DOWN CLOSE until 0.911 (lost)\n"
           "0.911 tick: DIALING DIAL until 20.911\n"
           "2.000 lost: DOWN CLOSE until 3.407 (lost)\n"
           "3.407 tick: DIALING DIAL until 23.407\n"
           "7.000 lost: DOWN CLOSE until 9.594 (lost)\n"
           "9.594 tick: DIALING DIAL until 29.594\n"
           "16.000 opened: GREETING HELLO until 46.000\n"
           "16.000 welcome: UP BEGIN until 46.000\n"
           "46.000 tick: UP PING until 76.000\n"
           "75.000 bytes: UP WAIT until 76.000\n"
           "75.000 lost: DOWN CLOSE until 82.577 (lost)\n"
           "82.577 tick: DIALING DIAL until 102.577\n");
    expect("agent 8; lost; wait 2; lost; wait 5; lost; wait 9; opened; welcome 60000 120000; wait "
           "59; bytes;"
           "wait 2; lost; wait 1",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 lost: DOWN CLOSE until 0.911 (lost)\n"
           "0.911 tick: DIALING DIAL until 20.911\n"
           "2.000 lost: DOWN CLOSE until 3.407 (lost)\n"
           "3.407 tick: DIALING DIAL until 23.407\n"
           "7.000 lost: DOWN CLOSE until 9.594 (lost)\n"
           "9.594 tick: DIALING DIAL until 29.594\n"
           "16.000 opened: GREETING HELLO until 46.000\n"
           "16.000 welcome: UP BEGIN until 76.000\n"
           "75.000 bytes: UP WAIT until 76.000\n"
           "76.000 tick: UP PING until 136.000\n"
           "77.000 lost: DOWN CLOSE until 77.972 (lost)\n"
           "77.972 tick: DIALING DIAL until 97.972\n");
}

static void what_is_left_over_from_the_last_connection_is_ignored(void **state)
{
    (void)state;
    expect("agent 9; lost; opened; bytes; welcome 1 1; lost; bye; pong; message; wait 1; bytes; "
           "hello; bye; message",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 lost: DOWN CLOSE until 0.501 (lost)\n"
           "0.000 opened: DOWN WAIT until 0.501\n"
           "0.000 bytes: DOWN WAIT until 0.501\n"
           "0.000 welcome: DOWN WAIT until 0.501\n"
           "0.000 lost: DOWN WAIT until 0.501\n"
           "0.000 bye: DOWN WAIT until 0.501\n"
           "0.000 pong: DOWN WAIT until 0.501\n"
           "0.000 message: DOWN WAIT until 0.501\n"
           "0.501 tick: DIALING DIAL until 20.501\n"
           "1.000 bytes: DIALING WAIT until 20.501\n"
           "1.000 hello: DIALING WAIT until 20.501\n"
           "1.000 bye: DIALING WAIT until 20.501\n"
           "1.000 message: DIALING WAIT until 20.501\n");
}

static void an_agent_does_not_hear_messages_before_welcome_nor_two_welcomes(void **state)
{
    (void)state;
    expect("agent 9; opened; message", "0.000 tick: DIALING DIAL until 20.000\n"
                                       "0.000 opened: GREETING HELLO until 30.000\n"
                                       "0.000 message: DOWN CLOSE until 0.501 (broke_a_rule)\n");
    expect("agent 9; opened; welcome 10000 30000; welcome 10000 30000",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "0.000 welcome: DOWN CLOSE until 0.501 (broke_a_rule)\n");
    expect("agent 9; opened; welcome 10000 30000; broken",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "0.000 broken: DOWN CLOSE until 0.501 (broke_a_rule)\n");
}

static void an_agent_that_is_stopped_stays_so(void **state)
{
    (void)state;
    expect("agent 1; opened; welcome 10000 30000; stop; wait 100; opened; stop; tick",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "0.000 stop: CLOSED CLOSE until ever (stopped)\n"
           "100.000 opened: CLOSED WAIT until ever\n"
           "100.000 stop: CLOSED WAIT until ever\n");
    expect("agent 1; lost; stop", "0.000 tick: DIALING DIAL until 20.000\n"
                                  "0.000 lost: DOWN CLOSE until 0.852 (lost)\n"
                                  "0.000 stop: CLOSED WAIT until ever (stopped)\n");
    expect("agent 1; stop", "0.000 tick: DIALING DIAL until 20.000\n"
                            "0.000 stop: CLOSED CLOSE until ever (stopped)\n");
}

static void refusing_and_superseding_is_not_for_agents(void **state)
{
    (void)state;
    expect("agent 1; opened; welcome 10000 30000; refuse; supersede",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "0.000 refuse: UP WAIT until 10.000\n"
           "0.000 supersede: UP WAIT until 10.000\n");
}

static void a_paused_agent_that_reads_first_does_not_take_the_hub_for_dead(void **state)
{
    (void)state;
    expect("agent 2; opened; welcome 10000 30000; late 45; bytes; wait 1",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "45.000 bytes: UP WAIT until 10.000\n"
           "45.000 tick: UP PING until 55.000\n");
    expect("agent 2; opened; welcome 10000 30000; late 45; wait 0",
           "0.000 tick: DIALING DIAL until 20.000\n"
           "0.000 opened: GREETING HELLO until 30.000\n"
           "0.000 welcome: UP BEGIN until 10.000\n"
           "45.000 tick: DOWN CLOSE until 45.551 (silent)\n");
}

/* ---- hub ------------------------------------------------------------------------------------- */

static void a_hub_waits_for_hello_and_for_the_commit_of_the_welcome(void **state)
{
    (void)state;
    expect("hub; wait 1; hello; wait 15; ping 3; welcome; message; wait 4; pong 1; wait 5",
           "1.000 hello: GREETED GREET until 11.000\n"
           "11.000 tick: GREETED PING until 21.000\n"
           "16.000 ping: GREETED PONG until 21.000\n"
           "16.000 welcome: UP WAIT until 21.000\n"
           "16.000 message: UP WAIT until 21.000\n"
           "20.000 pong: UP WAIT until 21.000\n"
           "21.000 tick: UP PING until 50.000\n");
}

static void a_hello_must_come_within_ten_seconds_whatever_trickles_in(void **state)
{
    (void)state;
    expect("hub; wait 9; bytes; wait 2", "9.000 bytes: ACCEPTED WAIT until 10.000\n"
                                         "10.000 tick: CLOSED BYE until ever (hello_late)\n");
}

static void a_silent_agent_is_dead_after_thirty_seconds(void **state)
{
    (void)state;
    expect("hub; hello; welcome; wait 31", "0.000 hello: GREETED GREET until 10.000\n"
                                           "0.000 welcome: UP WAIT until 10.000\n"
                                           "10.000 tick: UP PING until 30.000\n"
                                           "30.000 tick: CLOSED CLOSE until ever (silent)\n");
    expect("hub; hello; wait 31", "0.000 hello: GREETED GREET until 10.000\n"
                                  "10.000 tick: GREETED PING until 20.000\n"
                                  "20.000 tick: GREETED PING until 30.000\n"
                                  "30.000 tick: CLOSED CLOSE until ever (silent)\n");
}

static void a_hub_says_bye_to_who_breaks_a_rule(void **state)
{
    (void)state;
    expect("hub; message", "0.000 message: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; ping 1", "0.000 ping: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; hello; message", "0.000 hello: GREETED GREET until 10.000\n"
                                  "0.000 message: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; hello; hello", "0.000 hello: GREETED GREET until 10.000\n"
                                "0.000 hello: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; hello; welcome; hello", "0.000 hello: GREETED GREET until 10.000\n"
                                         "0.000 welcome: UP WAIT until 10.000\n"
                                         "0.000 hello: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; hello; welcome; bye", "0.000 hello: GREETED GREET until 10.000\n"
                                       "0.000 welcome: UP WAIT until 10.000\n"
                                       "0.000 bye: CLOSED BYE until ever (broke_a_rule)\n");
    expect("hub; broken", "0.000 broken: CLOSED BYE until ever (broke_a_rule)\n");
}

static void a_hub_says_bye_to_who_is_refused_or_superseded_and_at_its_own_end(void **state)
{
    (void)state;
    expect("hub; hello; refuse; welcome; wait 100",
           "0.000 hello: GREETED GREET until 10.000\n"
           "0.000 refuse: CLOSED BYE until ever (refused)\n"
           "0.000 welcome: CLOSED WAIT until ever\n");
    expect("hub; hello; welcome; supersede; lost",
           "0.000 hello: GREETED GREET until 10.000\n"
           "0.000 welcome: UP WAIT until 10.000\n"
           "0.000 supersede: CLOSED BYE until ever (superseded)\n"
           "0.000 lost: CLOSED WAIT until ever\n");
    expect("hub; hello; welcome; stop; stop", "0.000 hello: GREETED GREET until 10.000\n"
                                              "0.000 welcome: UP WAIT until 10.000\n"
                                              "0.000 stop: CLOSED BYE until ever (stopped)\n"
                                              "0.000 stop: CLOSED WAIT until ever\n");
    expect("hub; hello; welcome; lost", "0.000 hello: GREETED GREET until 10.000\n"
                                        "0.000 welcome: UP WAIT until 10.000\n"
                                        "0.000 lost: CLOSED CLOSE until ever (lost)\n");
}

/* ---- beside the stories ---------------------------------------------------------------------- */

static void a_clock_that_goes_back_stands_still(void **state)
{
    struct fl_link link;

    (void)state;
    fl_link_init_agent(&link, 1, 1000000);
    fl_link_step(&link, (struct fl_link_event){FL_LINK_EV_tick, 1000000, 0, 0, 0, 0});
    fl_link_step(&link, (struct fl_link_event){FL_LINK_EV_opened, 5, 0, 0, 0, 0});
    assert_int_equal(link.now, 1000000);
    assert_int_equal(link.deadline, 1000000 + FL_LINK_WELCOME_MS);
}

static void the_round_trip_is_measured_and_smoothed(void **state)
{
    struct play play =
        perform_all("agent 1; opened; welcome 10000 30000; wait 10; wait 0.08; pong 1");

    (void)state;
    assert_int_equal(play.link.rtt_ms, 80);
    perform(&play, "wait 10");
    perform(&play, "pong 1"); /* late, of the first PING: says nothing */
    assert_int_equal(play.link.rtt_ms, 80);
    perform(&play, "pong 2");
    assert_int_equal(play.link.rtt_ms, (7 * 80 + 80) / 8);
    perform(&play, "wait 9.92");
    perform(&play, "wait 0.16");
    perform(&play, "pong 3");
    assert_int_equal(play.link.rtt_ms, (7 * 80 + 160) / 8);
    perform(&play, "pong 3"); /* twice */
    assert_int_equal(play.link.rtt_ms, (7 * 80 + 160) / 8);
}

static void control_frames_are_counted_from_one_in_each_connection(void **state)
{
    struct play play = perform_all("agent 1; opened");

    (void)state;
    assert_int_equal(fl_link_sequence(&play.link), 1);
    assert_int_equal(fl_link_sequence(&play.link), 2);
    perform(&play, "lost");
    perform(&play, "wait 1");
    perform(&play, "opened");
    assert_int_equal(fl_link_sequence(&play.link), 1);
}

static void renewals_do_not_add_up_to_a_long_wait(void **state)
{
    struct fl_link link;
    fl_ms now = 0;

    (void)state;
    fl_link_init_agent(&link, 7, now);
    for (int i = 0; i < 20; i++) { /* each session is shorter than what counts as steady */
        fl_link_step(&link, (struct fl_link_event){.kind = FL_LINK_EV_tick, .now = now});
        fl_link_step(&link, (struct fl_link_event){.kind = FL_LINK_EV_opened, .now = now});
        fl_link_step(&link, (struct fl_link_event){.kind = FL_LINK_EV_welcome,
                                                   .now = now,
                                                   .ping_ms = FL_LINK_PING_MS,
                                                   .dead_ms = FL_LINK_DEAD_MS});
        assert_int_equal(link.state, FL_LINK_UP);
        now += 9000;
        assert_int_equal(
            fl_link_step(&link, (struct fl_link_event){.kind = FL_LINK_EV_renewed, .now = now}),
            FL_LINK_DO_CLOSE);
        assert_int_equal(link.why, FL_LINK_WHY_renewed);
        assert_in_range(link.deadline - now, 500, 1000);
        now = link.deadline;
    }
}

static void a_thousand_agents_do_not_come_back_at_once(void **state)
{
    enum { AGENTS = 1000, SLOTS = 10 };
    int per_slot[SLOTS] = {0};

    (void)state;
    for (uint64_t i = 0; i < AGENTS; i++) {
        struct fl_link link;

        fl_link_init_agent(&link, i, 0);
        fl_link_step(&link, (struct fl_link_event){FL_LINK_EV_tick, 0, 0, 0, 0, 0});
        fl_link_step(&link, (struct fl_link_event){FL_LINK_EV_lost, 0, 0, 0, 0, 0});
        assert_in_range(link.deadline, 500, 1000);
        per_slot[(link.deadline - 500) * (SLOTS - 1) / 500]++;
    }
    for (int i = 0; i < SLOTS - 1; i++) {
        assert_in_range(per_slot[i], AGENTS / 18, AGENTS / 6);
    }
}

FL_TESTS(cmocka_unit_test(an_agent_dials_greets_and_is_up),
         cmocka_unit_test(an_agent_comes_back_later_and_later_but_within_a_minute),
         cmocka_unit_test(a_dial_that_hangs_is_given_up),
         cmocka_unit_test(a_hub_that_does_not_welcome_is_left),
         cmocka_unit_test(a_silent_hub_is_dead_after_thirty_seconds),
         cmocka_unit_test(a_single_byte_keeps_the_hub_alive),
         cmocka_unit_test(the_hub_says_how_often_to_ping_within_limits),
         cmocka_unit_test(a_bye_says_when_to_come_back),
         cmocka_unit_test(the_backoff_starts_anew_only_after_a_minute_up),
         cmocka_unit_test(what_is_left_over_from_the_last_connection_is_ignored),
         cmocka_unit_test(an_agent_does_not_hear_messages_before_welcome_nor_two_welcomes),
         cmocka_unit_test(an_agent_that_is_stopped_stays_so),
         cmocka_unit_test(refusing_and_superseding_is_not_for_agents),
         cmocka_unit_test(a_paused_agent_that_reads_first_does_not_take_the_hub_for_dead),
         cmocka_unit_test(a_hub_waits_for_hello_and_for_the_commit_of_the_welcome),
         cmocka_unit_test(a_hello_must_come_within_ten_seconds_whatever_trickles_in),
         cmocka_unit_test(a_silent_agent_is_dead_after_thirty_seconds),
         cmocka_unit_test(a_hub_says_bye_to_who_breaks_a_rule),
         cmocka_unit_test(a_hub_says_bye_to_who_is_refused_or_superseded_and_at_its_own_end),
         cmocka_unit_test(a_clock_that_goes_back_stands_still),
         cmocka_unit_test(the_round_trip_is_measured_and_smoothed),
         cmocka_unit_test(control_frames_are_counted_from_one_in_each_connection),
         cmocka_unit_test(renewals_do_not_add_up_to_a_long_wait),
         cmocka_unit_test(a_thousand_agents_do_not_come_back_at_once))
