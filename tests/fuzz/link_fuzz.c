/* Any events in any order at any time, at either end of a link.
 * Input: a byte whose lowest bit is the side and whose others are the seed; then three bytes an
 * event: its kind, how much time went on before it (the deadlines within are ticked), a number for
 * it.  Property: the rules of link.h, written down here once more and apart from it: which state
 * may follow which; no UP without a greeting on this very connection; every DIAL, and every
 * connection of a hub, ends with exactly one CLOSE or BYE; after a tick the deadline lies ahead;
 * waits lie within their bounds; no end is UP whose peer was silent for dead_ms; PONG repeats the
 * PING's nonce; CLOSED is for good.
 * The corpus was written by hand: a life of each side, and a file for each way to end.
 * The planted bug (planted/link.patch) lets a hub greet an agent that did not say HELLO.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/link_fuzz -max_total_time=60 DIR tests/fuzz/corpus/link
 *     tests/fuzz/planted.sh link */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/link/link.h"

struct run {
    struct fl_link link;
    fl_ms now;
    bool is_open;     /* there is a connection, or one is being made */
    bool is_greeted;  /* HELLO went out, or came, on it */
    bool is_welcomed; /* and WELCOME */
    fl_ms heard_at;   /* the peer's last sign of life on it */
    fl_ms pinged_at;  /* our last PING on it */
    bool has_pinged;
};

static bool may_follow(enum fl_link_side side, enum fl_link_state from, enum fl_link_state to)
{
    static const char *const agent[] = {
        "DOWN DIALING", "DIALING GREETING", "DIALING DOWN",   "GREETING UP",     "GREETING DOWN",
        "UP DOWN",      "DOWN CLOSED",      "DIALING CLOSED", "GREETING CLOSED", "UP CLOSED"};
    static const char *const hub[] = {"ACCEPTED GREETED", "GREETED UP", "ACCEPTED CLOSED",
                                      "GREETED CLOSED", "UP CLOSED"};
    const char *const *pairs = side == FL_LINK_HUB ? hub : agent;
    size_t len = side == FL_LINK_HUB ? sizeof hub / sizeof *hub : sizeof agent / sizeof *agent;

    for (size_t i = 0; i < len; i++) {
        size_t from_len = strcspn(pairs[i], " ");
        const char *from_name = fl_link_state_name(from);

        if (strlen(from_name) == from_len && strncmp(pairs[i], from_name, from_len) == 0 &&
            strcmp(pairs[i] + from_len + 1, fl_link_state_name(to)) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_from_peer(const struct run *run, enum fl_link_event_kind kind)
{
    return kind == FL_LINK_EV_bytes || kind == FL_LINK_EV_hello || kind == FL_LINK_EV_ping ||
           kind == FL_LINK_EV_pong || kind == FL_LINK_EV_bye || kind == FL_LINK_EV_message ||
           (kind == FL_LINK_EV_welcome && run->link.side == FL_LINK_AGENT);
}

static void check_answer(struct run *run, struct fl_link_event ev, enum fl_link_state before,
                         enum fl_link_answer answer)
{
    bool is_hub = run->link.side == FL_LINK_HUB;

    switch (answer) {
    case FL_LINK_DO_WAIT:
        break;
    case FL_LINK_DO_DIAL:
        fl_assert(!is_hub && !run->is_open);
        run->is_open = true;
        run->is_greeted = run->is_welcomed = false;
        break;
    case FL_LINK_DO_HELLO:
        fl_assert(!is_hub && run->is_open && !run->is_greeted && ev.kind == FL_LINK_EV_opened);
        run->is_greeted = true;
        run->has_pinged = false;
        run->heard_at = run->now;
        break;
    case FL_LINK_DO_GREET:
        fl_assert(is_hub && run->is_open && !run->is_greeted);
        fl_assert(ev.kind == FL_LINK_EV_hello);
        run->is_greeted = true;
        break;
    case FL_LINK_DO_BEGIN:
        fl_assert(!is_hub && before == FL_LINK_GREETING && run->link.state == FL_LINK_UP);
        break;
    case FL_LINK_DO_PING:
        fl_assert(before == run->link.state && (before == FL_LINK_UP || before == FL_LINK_GREETED));
        fl_assert(!run->has_pinged || run->now - run->pinged_at >= FL_SECOND_MS);
        run->has_pinged = true;
        run->pinged_at = run->now;
        break;
    case FL_LINK_DO_PONG:
        fl_assert(run->is_open && ev.kind == FL_LINK_EV_ping && run->link.pong_nonce == ev.nonce);
        break;
    case FL_LINK_DO_BYE:
        fl_assert(is_hub);
        fl_assert(run->is_open);
        run->is_open = false;
        break;
    case FL_LINK_DO_CLOSE:
        fl_assert(run->is_open);
        run->is_open = false;
        break;
    case FL_LINK_ANSWERS_LEN:
        fl_unreachable("no answer");
    }
    if (ev.kind == FL_LINK_EV_welcome && run->is_greeted) run->is_welcomed = true;
}

static void check_state(struct run *run, struct fl_link_event ev, enum fl_link_state before)
{
    const struct fl_link *link = &run->link;

    fl_assert(before == link->state || may_follow(link->side, before, link->state));
    fl_assert(link->now == run->now);
    switch (link->state) {
    case FL_LINK_DOWN:
        fl_assert(!run->is_open);
        if (before == FL_LINK_DOWN) break;
        fl_assert(link->why != FL_LINK_WHY_none);
        fl_assert(link->deadline - run->now >= FL_LINK_BACKOFF_MIN_MS);
        fl_assert(link->deadline - run->now <=
                  FL_LINK_BACKOFF_MAX_MS +
                      (ev.kind == FL_LINK_EV_bye ? FL_LINK_RETRY_AFTER_MAX_MS : 0));
        break;
    case FL_LINK_CLOSED:
        fl_assert(!run->is_open && link->deadline == FL_LINK_NEVER &&
                  link->why != FL_LINK_WHY_none);
        break;
    case FL_LINK_UP:
        fl_assert(run->is_open && run->is_greeted && run->is_welcomed);
        break;
    default:
        fl_assert(run->is_open);
        break;
    }
    if (ev.kind != FL_LINK_EV_tick) return;
    fl_assert(link->deadline > run->now);
    if (link->state == FL_LINK_UP || link->state == FL_LINK_GREETED) {
        fl_assert(run->now - run->heard_at < link->dead_ms);
    }
}

static void step(struct run *run, struct fl_link_event ev)
{
    enum fl_link_state before = run->link.state;
    enum fl_link_answer answer;

    ev.now = run->now;
    if (run->is_open && is_from_peer(run, ev.kind)) run->heard_at = run->now;
    answer = fl_link_step(&run->link, ev);
    check_answer(run, ev, before, answer);
    check_state(run, ev, before);
}

/* Time goes on; now and then no tick comes for a while. */
static void pass(struct run *run, fl_ms ms, bool is_paused)
{
    fl_ms until = run->now + ms;

    while (!is_paused && run->link.deadline <= until) {
        if (run->link.deadline > run->now) run->now = run->link.deadline;
        step(run, (struct fl_link_event){.kind = FL_LINK_EV_tick});
    }
    run->now = until;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run = {.now = 1000};

    if (size < 1) return 0;
    if (data[0] & 1) {
        fl_link_init_hub(&run.link, FL_LINK_PING_MS, FL_LINK_DEAD_MS, run.now);
        run.is_open = true;
        run.heard_at = run.now;
    } else {
        fl_link_init_agent(&run.link, data[0], run.now);
    }
    for (size_t i = 1; i + 3 <= size; i += 3) {
        uint8_t time = data[i + 1];
        uint32_t n = data[i + 2];
        struct fl_link_event ev = {.kind = (enum fl_link_event_kind)(data[i] % FL_LINK_EVENTS_LEN),
                                   .nonce = n,
                                   .retry_after_ms = n * n * n * n,
                                   .ping_ms = n * 100,
                                   .dead_ms = n * n * 10};

        pass(&run, (fl_ms)(time & 63) << (time >> 6) * 4, data[i] & 128);
        step(&run, ev);
    }
    pass(&run, FL_HOUR_MS, false);
    return 0;
}
