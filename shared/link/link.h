/* link.h - the life of one tunnel as seen from one end: dial, greet, stay alive, come back.
 * A struct, a named state, one step.  It touches no socket and reads no clock: the shell (or the
 * simulator) tells it what happened and when, does what the answer says, and wakes it with 'tick'
 * at 'deadline':
 *
 *     agent:  DOWN -> DIALING -> GREETING -> UP, and from each of these back to DOWN, to dial again
 *     hub:    ACCEPTED -> GREETED -> UP, and from each of these to CLOSED, for good
 *
 * - An agent dials at once, then after a wait drawn between 0.5 s and a ceiling that doubles from
 *   1 s to 60 s with every try.  The ceiling falls back only after a connection was UP for a minute
 *   or ended for a renewal, so that a hub that accepts and drops is not hammered.  A BYE may add a
 *   time to stay away, 10 minutes at most.
 * - In GREETED the core has the HELLO and WELCOME is not sent yet (its batch must commit first).
 * - An agent sends PING every ping_ms.  A hub does so until the tunnel is UP, then every sixth
 *   ping_ms: it hears the agents' PINGs anyway, and with ten thousand tunnels each PING costs.
 *   Either end takes the other for dead after dead_ms without a single byte.
 *   HELLO must come within 10 s, WELCOME within 30 s, and a dial succeeds within 20 s.
 * - Times are those of a clock that does not go back (if it does, it stands still here).  Feed what
 *   the socket had before a tick of the same turn: a paused process must not take its peer for
 *   dead.
 * - It counts frames of the control stream (fl_link_sequence) and knows nothing of jobs.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/prng.h"
#include "shared/base/types.h"

#define FL_LINK_NEVER INT64_MAX /* a deadline that does not come */

#define FL_LINK_PING_MS (10 * FL_SECOND_MS) /* a hub's preset in WELCOME */
#define FL_LINK_DEAD_MS (30 * FL_SECOND_MS)
#define FL_LINK_HUB_PINGS_EACH 6 /* ping_ms, to measure the round trip */

#define FL_LINK_DIAL_MS (20 * FL_SECOND_MS)
#define FL_LINK_HELLO_MS (10 * FL_SECOND_MS)
#define FL_LINK_WELCOME_MS (30 * FL_SECOND_MS)
#define FL_LINK_BACKOFF_MIN_MS ((fl_ms)500)
#define FL_LINK_BACKOFF_MAX_MS (60 * FL_SECOND_MS)
#define FL_LINK_STEADY_MS (60 * FL_SECOND_MS) /* UP for so long: the next backoff starts anew */
#define FL_LINK_RETRY_AFTER_MAX_MS (10 * FL_MINUTE_MS)

/* name, meaning */
#define FL_LINK_STATES(X)                                                                          \
    X(DOWN, "agent: no connection; dials at the deadline")                                         \
    X(DIALING, "agent: a connection is being made")                                                \
    X(GREETING, "agent: HELLO is sent, WELCOME is due")                                            \
    X(ACCEPTED, "hub: connected, HELLO is due")                                                    \
    X(GREETED, "hub: HELLO is with the core")                                                      \
    X(UP, "WELCOME came, or went out")                                                             \
    X(CLOSED, "over; nothing brings it back")

enum fl_link_state {
#define FL_LINK_STATE(name, meaning) FL_LINK_##name,
    FL_LINK_STATES(FL_LINK_STATE)
#undef FL_LINK_STATE
        FL_LINK_STATES_LEN
};

/* name, what happened.  An event that means nothing in a state is ignored there, unless the peer
 * sent it and breaks the protocol. */
#define FL_LINK_EVENTS(X)                                                                          \
    X(tick, "time went on")                                                                        \
    X(opened, "agent: the connection is made, TLS and WebSocket included")                         \
    X(lost, "it could not be made, or is gone")                                                    \
    X(bytes, "something came in, whole messages or not")                                           \
    X(hello, "hub: HELLO came")                                                                    \
    X(welcome, "agent: WELCOME came; hub: it goes out now, its batch is committed")                \
    X(ping, "PING came, with its nonce")                                                           \
    X(pong, "PONG came, with its nonce")                                                           \
    X(bye, "agent: BYE came, with its retry_after_ms")                                             \
    X(message, "another control message came")                                                     \
    X(broken, "the peer broke a rule of frames, messages or credits")                              \
    X(refuse, "hub: the core does not want this agent now")                                        \
    X(supersede, "hub: a newer connection speaks for this cluster")                                \
    X(stop, "this process ends")                                                                   \
    X(renewed, "agent: it leaves a good session, to come back at once with its new certificate")

enum fl_link_event_kind {
#define FL_LINK_EVENT(name, meaning) FL_LINK_EV_##name,
    FL_LINK_EVENTS(FL_LINK_EVENT)
#undef FL_LINK_EVENT
        FL_LINK_EVENTS_LEN
};

struct fl_link_event {
    enum fl_link_event_kind kind;
    fl_ms now;
    uint64_t nonce;            /* ping, pong */
    uint32_t retry_after_ms;   /* bye */
    uint32_t ping_ms, dead_ms; /* welcome, at an agent: the hub's values, clamped to our limits */
};

/* name, what to do.  Every DIAL, and every connection of a hub, ends with exactly one CLOSE or
 * BYE. */
#define FL_LINK_ANSWERS(X)                                                                         \
    X(WAIT, "nothing")                                                                             \
    X(DIAL, "begin to connect; tell 'opened' or 'lost'")                                           \
    X(HELLO, "send HELLO")                                                                         \
    X(GREET, "hub: give the HELLO to the core; tell 'welcome' or 'refuse'")                        \
    X(BEGIN, "agent: the session is there; send the inventory")                                    \
    X(PING, "send PING with ping_nonce")                                                           \
    X(PONG, "send PONG with pong_nonce")                                                           \
    X(BYE, "hub: send BYE, then as CLOSE")                                                         \
    X(CLOSE, "drop the connection, if there still is one, and all that came with it")

enum fl_link_answer {
#define FL_LINK_ANSWER(name, meaning) FL_LINK_DO_##name,
    FL_LINK_ANSWERS(FL_LINK_ANSWER)
#undef FL_LINK_ANSWER
        FL_LINK_ANSWERS_LEN
};

/* name, why the last connection ended */
#define FL_LINK_WHYS(X)                                                                            \
    X(none, "none has, yet")                                                                       \
    X(dial_late, "no connection in time")                                                          \
    X(hello_late, "no HELLO in time")                                                              \
    X(welcome_late, "no WELCOME in time")                                                          \
    X(silent, "not a byte for dead_ms")                                                            \
    X(lost, "the network, or the peer's process")                                                  \
    X(broke_a_rule, "the peer did")                                                                \
    X(sent_away, "the hub said BYE")                                                               \
    X(refused, "the core did not want it")                                                         \
    X(superseded, "by a newer connection")                                                         \
    X(stopped, "by our own process")                                                               \
    X(renewed, "by the agent, which comes back with its new certificate")

enum fl_link_why {
#define FL_LINK_WHY(name, meaning) FL_LINK_WHY_##name,
    FL_LINK_WHYS(FL_LINK_WHY)
#undef FL_LINK_WHY
        FL_LINK_WHYS_LEN
};

enum fl_link_side { FL_LINK_AGENT, FL_LINK_HUB };

/* Read it; only fl_link_* write it. */
struct fl_link {
    enum fl_link_side side;
    enum fl_link_state state;
    enum fl_link_why why;
    /* When to tick; FL_LINK_NEVER once CLOSED.  If it is past, tick until it is not. */
    fl_ms deadline;
    uint64_t ping_nonce, pong_nonce;
    fl_ms rtt_ms; /* smoothed; 0: not measured yet, or under 1 ms */

    fl_ms now;
    fl_ms up_at;    /* valid while UP */
    fl_ms heard_at; /* the last byte */
    fl_ms ping_at;  /* the next PING */
    fl_ms ping_sent_at;
    bool is_pong_due;
    fl_ms ping_ms, dead_ms;
    uint32_t tries; /* waits since the last steady connection */
    uint32_t control_sequence;
    struct fl_prng prng;
};

/* DOWN, and due to dial at once.  Agents draw their waits from 'seed': give each its own. */
void fl_link_init_agent(struct fl_link *link, uint64_t seed, fl_ms now);

/* ACCEPTED: a connection has come in.  ping_ms and dead_ms are what its WELCOME will announce: 1 s
 * to 60 s, and twice that to 10 min. */
void fl_link_init_hub(struct fl_link *link, fl_ms ping_ms, fl_ms dead_ms, fl_ms now);

enum fl_link_answer fl_link_step(struct fl_link *link, struct fl_link_event ev);

/* The sequence of the next frame on stream 0 of this connection; 1 is the first. */
uint32_t fl_link_sequence(struct fl_link *link);

/* There is a connection, on which bytes come and go. */
bool fl_link_is_connected(const struct fl_link *link);

const char *fl_link_state_name(enum fl_link_state state);
const char *fl_link_event_name(enum fl_link_event_kind kind);
const char *fl_link_answer_name(enum fl_link_answer answer);
const char *fl_link_why_name(enum fl_link_why why);
