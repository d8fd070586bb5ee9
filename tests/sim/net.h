/* net.h - connections between agents and hubs, and what networks do to them.
 * A connection carries bytes both ways, in order, late, cut anywhere.  Connections know nothing of
 * each other: the bytes of an old one may arrive after the bytes of a newer one.  A direction that
 * is dead keeps its bytes and delivers them when it is alive again, as TCP does; a half-open
 * connection swallows them.  Single-threaded, in the sim's time. */
#pragma once

#include "shared/base/str.h"
#include "tests/sim/sim.h"

struct net;

enum net_end { NET_HUB, NET_AGENT }; /* which end of a connection */
enum { NET_HUBS_MAX = 4 };

/* Called in the sim's time, never from inside a net_* call. */
struct net_ports {
    void *ctx;
    void (*opened)(void *ctx, enum net_end end, uint32_t host, uint64_t connection);
    void (*bytes)(void *ctx, enum net_end end, uint32_t host, uint64_t connection,
                  struct fl_str bytes);
    void (*closed)(void *ctx, enum net_end end, uint32_t host, uint64_t connection);
};

/* Agents are numbered below 'agents'. */
struct net *net_create(struct sim *sim, const struct net_ports *ports, uint32_t agents,
                       fl_ms delay_ms_max);
void net_destroy(struct net *net);

/* Both ends hear 'opened'; or, when a direction is dead or the agent gives up first, neither. */
uint64_t net_dial(struct net *net, uint32_t agent, uint32_t hub);
/* Bytes for a connection that is closed at this end are dropped. */
void net_send(struct net *net, enum net_end end, uint64_t connection, struct fl_str bytes);
/* The bytes that this end sent and that are not delivered yet; bytes swallowed by a half-open
 * connection never are. */
size_t net_waiting(const struct net *net, enum net_end end, uint64_t connection);
/* This end is done with it; the other learns that behind the bytes on their way. */
void net_close(struct net *net, enum net_end end, uint64_t connection);
/* A host's process is gone; with 'is_silent' the machine is, and the other ends are not told. */
void net_host_gone(struct net *net, enum net_end end, uint32_t host, bool is_silent);
/* A host stands still: it takes nothing in before then, and then in the order in which it came. */
void net_pause_host(struct net *net, enum net_end end, uint32_t host, fl_ms until);
uint32_t net_agent_of(const struct net *net, uint64_t connection);

/* ---- faults ---------------------------------------------------------------------------------- */
void net_block(struct net *net, uint32_t agent, uint32_t hub, bool is_to_hub, bool is_to_agent,
               fl_ms until);
void net_slow(struct net *net, uint32_t agent, uint32_t hub, fl_ms delay_ms, fl_ms until);
/* An open connection is lost, if there is one: both ends learn it, or just one. */
bool net_reset_one(struct net *net, bool is_half_open);
/* An open connection is lost at the agent's end; its bytes arrive at the hub, but not before
 * then. */
bool net_linger_one(struct net *net, fl_ms until);
void net_heal(struct net *net); /* no direction is dead or slow any more */
