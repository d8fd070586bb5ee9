#include "shared/link/link.h"

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

#define PING_MS_MIN FL_SECOND_MS
#define PING_MS_MAX FL_MINUTE_MS
#define DEAD_MS_MAX (10 * FL_MINUTE_MS)
#define TRIES_MAX 6 /* 1 s << 6 is past the longest wait */

#define BIT(state) (1u << FL_LINK_##state)

/* From each state, the states that may follow. */
static const uint32_t may_enter[FL_LINK_STATES_LEN] = {
    [FL_LINK_DOWN] = BIT(DIALING) | BIT(CLOSED),
    [FL_LINK_DIALING] = BIT(GREETING) | BIT(DOWN) | BIT(CLOSED),
    [FL_LINK_GREETING] = BIT(UP) | BIT(DOWN) | BIT(CLOSED),
    [FL_LINK_ACCEPTED] = BIT(GREETED) | BIT(CLOSED),
    [FL_LINK_GREETED] = BIT(UP) | BIT(CLOSED),
    [FL_LINK_UP] = BIT(DOWN) | BIT(CLOSED),
    [FL_LINK_CLOSED] = 0,
};

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

static fl_ms within(fl_ms v, fl_ms min, fl_ms max)
{
    return v < min ? min : earlier(v, max);
}

/* ---- moving ---------------------------------------------------------------------------------- */

static enum fl_link_answer enter(struct fl_link *link, enum fl_link_state state, fl_ms deadline,
                                 enum fl_link_answer answer)
{
    fl_assert(may_enter[link->state] & 1u << state);
    link->state = state;
    link->deadline = deadline;
    return answer;
}

/* In GREETED and UP: when the next PING is due, or when the peer counts as dead. */
static fl_ms alive_until(const struct fl_link *link)
{
    return earlier(link->ping_at, link->heard_at + link->dead_ms);
}

static enum fl_link_answer stay(struct fl_link *link, enum fl_link_answer answer)
{
    link->deadline = alive_until(link);
    return answer;
}

static fl_ms draw_backoff(struct fl_link *link)
{
    fl_ms ceiling = earlier(FL_SECOND_MS << link->tries, FL_LINK_BACKOFF_MAX_MS);

    if (link->tries < TRIES_MAX) link->tries++;
    return fl_prng_between(&link->prng, FL_LINK_BACKOFF_MIN_MS, ceiling);
}

/* After any end of the connection an agent comes back later, and a hub waits for it. */
static enum fl_link_answer leave(struct fl_link *link, enum fl_link_why why,
                                 uint32_t retry_after_ms)
{
    fl_ms away_ms = earlier(retry_after_ms, FL_LINK_RETRY_AFTER_MAX_MS);
    bool is_deaf =
        why == FL_LINK_WHY_lost || why == FL_LINK_WHY_silent; /* a BYE would not arrive */

    link->why = why;
    if (link->side == FL_LINK_HUB) {
        return enter(link, FL_LINK_CLOSED, FL_LINK_NEVER,
                     is_deaf ? FL_LINK_DO_CLOSE : FL_LINK_DO_BYE);
    }
    /* A renewal is no failure: were it one, short certificates would expire in the backoff. */
    if (why == FL_LINK_WHY_renewed ||
        (link->state == FL_LINK_UP && link->now - link->up_at >= FL_LINK_STEADY_MS)) {
        link->tries = 0;
    }
    return enter(link, FL_LINK_DOWN, link->now + away_ms + draw_backoff(link), FL_LINK_DO_CLOSE);
}

static enum fl_link_answer close_for_good(struct fl_link *link)
{
    enum fl_link_answer answer = link->side == FL_LINK_HUB     ? FL_LINK_DO_BYE
                                 : link->state == FL_LINK_DOWN ? FL_LINK_DO_WAIT
                                                               : FL_LINK_DO_CLOSE;

    link->why = FL_LINK_WHY_stopped;
    return enter(link, FL_LINK_CLOSED, FL_LINK_NEVER, answer);
}

static enum fl_link_answer greet(struct fl_link *link)
{
    link->control_sequence = 0;
    link->rtt_ms = 0;
    link->is_pong_due = false;
    link->heard_at = link->now;
    return enter(link, FL_LINK_GREETING, link->now + FL_LINK_WELCOME_MS, FL_LINK_DO_HELLO);
}

static enum fl_link_answer rise(struct fl_link *link, struct fl_link_event ev)
{
    link->up_at = link->now;
    if (link->side == FL_LINK_HUB) {
        return enter(link, FL_LINK_UP, alive_until(link), FL_LINK_DO_WAIT);
    }
    link->ping_ms = within(ev.ping_ms, PING_MS_MIN, PING_MS_MAX);
    link->dead_ms = within(ev.dead_ms, 2 * link->ping_ms, DEAD_MS_MAX);
    link->ping_at = link->now + link->ping_ms;
    return enter(link, FL_LINK_UP, alive_until(link), FL_LINK_DO_BEGIN);
}

/* ---- staying alive --------------------------------------------------------------------------- */

static bool comes_from_peer(const struct fl_link *link, enum fl_link_event_kind kind)
{
    switch (kind) {
    case FL_LINK_EV_bytes:
    case FL_LINK_EV_ping:
    case FL_LINK_EV_pong:
    case FL_LINK_EV_message:
    case FL_LINK_EV_hello:
    case FL_LINK_EV_bye:
        return true;
    case FL_LINK_EV_welcome:
        return link->side == FL_LINK_AGENT;
    default:
        return false;
    }
}

static enum fl_link_answer answer_ping(struct fl_link *link, uint64_t nonce)
{
    link->pong_nonce = nonce;
    return FL_LINK_DO_PONG;
}

static void take_pong(struct fl_link *link, uint64_t nonce)
{
    fl_ms sample = link->now - link->ping_sent_at;

    if (!link->is_pong_due || nonce != link->ping_nonce) {
        return; /* it answers an earlier PING, whose time is not known any more */
    }
    link->is_pong_due = false;
    link->rtt_ms = link->rtt_ms ? (7 * link->rtt_ms + sample) / 8 : sample;
}

/* In GREETED and UP: answers the peer's PING, sends our own, or finds the peer dead. */
static enum fl_link_answer keep_alive(struct fl_link *link, struct fl_link_event ev)
{
    bool is_up_hub = link->side == FL_LINK_HUB && link->state == FL_LINK_UP;

    switch (ev.kind) {
    case FL_LINK_EV_ping:
        return stay(link, answer_ping(link, ev.nonce));
    case FL_LINK_EV_pong:
        take_pong(link, ev.nonce);
        return stay(link, FL_LINK_DO_WAIT);
    case FL_LINK_EV_tick:
        if (link->now >= link->heard_at + link->dead_ms) return leave(link, FL_LINK_WHY_silent, 0);
        if (link->now < link->ping_at) return stay(link, FL_LINK_DO_WAIT);
        link->ping_at = link->now + link->ping_ms * (is_up_hub ? FL_LINK_HUB_PINGS_EACH : 1);
        link->ping_sent_at = link->now;
        link->ping_nonce++;
        link->is_pong_due = true;
        return stay(link, FL_LINK_DO_PING);
    default:
        return stay(link, FL_LINK_DO_WAIT);
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Why this event ends a connection in any state; FL_LINK_WHY_none: the connection goes on. */
static enum fl_link_why end_of(const struct fl_link *link, enum fl_link_event_kind kind)
{
    bool is_hub = link->side == FL_LINK_HUB;

    switch (kind) {
    case FL_LINK_EV_lost:
        return FL_LINK_WHY_lost;
    case FL_LINK_EV_broken:
        return FL_LINK_WHY_broke_a_rule;
    case FL_LINK_EV_renewed:
        return is_hub ? FL_LINK_WHY_none : FL_LINK_WHY_renewed;
    case FL_LINK_EV_bye:
        return is_hub ? FL_LINK_WHY_broke_a_rule : FL_LINK_WHY_sent_away;
    case FL_LINK_EV_refuse:
        return is_hub ? FL_LINK_WHY_refused : FL_LINK_WHY_none;
    case FL_LINK_EV_supersede:
        return is_hub ? FL_LINK_WHY_superseded : FL_LINK_WHY_none;
    default:
        return FL_LINK_WHY_none;
    }
}

/* The peer sent a message that its state does not allow. */
static bool breaks_a_rule(const struct fl_link *link, enum fl_link_event_kind kind)
{
    if (!comes_from_peer(link, kind)) return false;
    switch (link->state) {
    case FL_LINK_ACCEPTED:
        return kind != FL_LINK_EV_bytes && kind != FL_LINK_EV_hello;
    case FL_LINK_GREETING:
        return kind == FL_LINK_EV_hello || kind == FL_LINK_EV_message;
    case FL_LINK_GREETED:
        return kind == FL_LINK_EV_hello || kind == FL_LINK_EV_message;
    default:
        return kind == FL_LINK_EV_hello || kind == FL_LINK_EV_welcome;
    }
}

enum fl_link_answer fl_link_step(struct fl_link *link, struct fl_link_event ev)
{
    bool is_late;

    if (ev.now > link->now) link->now = ev.now;
    is_late = link->now >= link->deadline;
    if (ev.kind == FL_LINK_EV_stop && link->state != FL_LINK_CLOSED) return close_for_good(link);
    if (fl_link_is_connected(link)) {
        enum fl_link_why why = end_of(link, ev.kind);

        if (comes_from_peer(link, ev.kind)) link->heard_at = link->now;
        if (why != FL_LINK_WHY_none) {
            return leave(link, why, ev.kind == FL_LINK_EV_bye ? ev.retry_after_ms : 0);
        }
        if (breaks_a_rule(link, ev.kind)) return leave(link, FL_LINK_WHY_broke_a_rule, 0);
    }
    switch (link->state) {
    case FL_LINK_DOWN:
        if (!is_late) return FL_LINK_DO_WAIT;
        return enter(link, FL_LINK_DIALING, link->now + FL_LINK_DIAL_MS, FL_LINK_DO_DIAL);

    case FL_LINK_DIALING:
        if (ev.kind == FL_LINK_EV_opened) return greet(link);
        if (ev.kind == FL_LINK_EV_lost) return leave(link, FL_LINK_WHY_lost, 0);
        return is_late ? leave(link, FL_LINK_WHY_dial_late, 0) : FL_LINK_DO_WAIT;

    case FL_LINK_GREETING: /* bytes alone buy no time, here and in ACCEPTED */
        if (ev.kind == FL_LINK_EV_welcome) return rise(link, ev);
        if (is_late) return leave(link, FL_LINK_WHY_welcome_late, 0);
        return ev.kind == FL_LINK_EV_ping ? answer_ping(link, ev.nonce) : FL_LINK_DO_WAIT;

    case FL_LINK_ACCEPTED:
        if (ev.kind != FL_LINK_EV_hello) {
            return is_late ? leave(link, FL_LINK_WHY_hello_late, 0) : FL_LINK_DO_WAIT;
        }
        link->ping_at = link->now + link->ping_ms;
        return enter(link, FL_LINK_GREETED, alive_until(link), FL_LINK_DO_GREET);

    case FL_LINK_GREETED:
        return ev.kind == FL_LINK_EV_welcome ? rise(link, ev) : keep_alive(link, ev);

    case FL_LINK_UP:
        return keep_alive(link, ev);

    case FL_LINK_CLOSED:
        return FL_LINK_DO_WAIT;

    case FL_LINK_STATES_LEN:
        break;
    }
    fl_unreachable("every state is above");
}

/* ---- the rest -------------------------------------------------------------------------------- */

void fl_link_init_agent(struct fl_link *link, uint64_t seed, fl_ms now)
{
    *link = (struct fl_link){
        .side = FL_LINK_AGENT,
        .state = FL_LINK_DOWN,
        .deadline = now,
        .now = now,
    };
    fl_prng_seed(&link->prng, seed);
}

void fl_link_init_hub(struct fl_link *link, fl_ms ping_ms, fl_ms dead_ms, fl_ms now)
{
    fl_assert(ping_ms >= PING_MS_MIN && ping_ms <= PING_MS_MAX);
    fl_assert(dead_ms >= 2 * ping_ms && dead_ms <= DEAD_MS_MAX);
    *link = (struct fl_link){
        .side = FL_LINK_HUB,
        .state = FL_LINK_ACCEPTED,
        .deadline = now + FL_LINK_HELLO_MS,
        .now = now,
        .heard_at = now,
        .ping_ms = ping_ms,
        .dead_ms = dead_ms,
    };
}

bool fl_link_is_connected(const struct fl_link *link)
{
    switch (link->state) {
    case FL_LINK_GREETING:
    case FL_LINK_ACCEPTED:
    case FL_LINK_GREETED:
    case FL_LINK_UP:
        return true;
    default:
        return false;
    }
}

uint32_t fl_link_sequence(struct fl_link *link)
{
    return ++link->control_sequence;
}

FL_ENUM_NAMES(fl_link_state_name, enum fl_link_state, FL_LINK_STATES(FL_NAME))

FL_ENUM_NAMES(fl_link_event_name, enum fl_link_event_kind, FL_LINK_EVENTS(FL_NAME))

FL_ENUM_NAMES(fl_link_answer_name, enum fl_link_answer, FL_LINK_ANSWERS(FL_NAME))

FL_ENUM_NAMES(fl_link_why_name, enum fl_link_why, FL_LINK_WHYS(FL_NAME))
