/* handshakes.h - the connections of one TLS listener until their handshake is over.
 * It keeps a new socket until the peer's first message is whole, and hands it on when
 * handshake_queue.h lets its handshake begin.  Nothing is read from the socket before, so the
 * receiver finds all of it.  It tells when a handshake takes too long to make room for others; the
 * deadline of one that has begun is the receiver's.
 * Handshakes of one turn of the loop take a few milliseconds at most, so that all others have
 * theirs.  Not thread-safe: its loop's thread calls it. */
#pragma once

#include "controlplane/handshakes/handshake_queue.h"
#include "shared/base/str.h"
#include "shared/io/net.h"

struct fl_loop;
struct handshakes; /* opaque */
struct known_addresses;

struct handshakes_port {
    void *ctx;
    /* Takes over the descriptor; its handshake begins now.  Answered with handshakes_own within
     * the call, and with handshakes_end when the handshake is over, perhaps within the call. */
    void (*begin)(void *ctx, int fd, const struct fl_net_address *address, uint32_t number);
    /* Drop the connection: others need its place.  handshakes_end is not called any more. */
    void (*drop)(void *ctx, void *owner);
    /* Whether it is a ticket that this listener gave.  NULL: it gives none. */
    bool (*is_ticket)(void *ctx, struct fl_str ticket);
};

struct handshakes_config {
    struct handshake_limits limits;
    /* A handshake costs so many times the CPU of 'begin'.  0: its receiver charges all of it. */
    uint32_t begin_costs;
    /* After a connection with a higher descriptor came, each takes the place of another for a
     * while, beyond crowded_max: see handshakes_share. */
    int fd_max;
    uint32_t crowded_max;
};

struct handshakes_config handshakes_config_default(void);

/* This listener's share of the process's descriptors.  Those over a half are for connections whose
 * handshake is over, but for an eighth, which the listeners share: so strangers at one keep none
 * out at another. */
void handshakes_share(struct handshakes_config *config, uint64_t descriptors, uint32_t listeners);

struct handshakes *handshakes_create(struct fl_loop *loop, const struct handshakes_config *config,
                                     const struct handshakes_port *port,
                                     struct known_addresses *known); /* NULL: none is known */

/* Closes the sockets whose handshake has not begun.  More may be added. */
void handshakes_stop(struct handshakes *handshakes);

/* The same, and frees it; no handshake is under way.  NULL is fine. */
void handshakes_destroy(struct handshakes *handshakes);

/* Takes over an accepted descriptor.  It calls the port from the loop only, and its 'drop' also
 * within this call. */
void handshakes_add(struct handshakes *handshakes, int fd, const struct fl_net_address *address);

/* Ends the connection that has been silent for longest, or one that waits: another needs its
 * descriptor.  False: there is none.  May be called within 'begin'. */
FL_CHECK bool handshakes_make_room(struct handshakes *handshakes);

void handshakes_own(struct handshakes *handshakes, uint32_t number, void *owner);
void handshakes_charge(struct handshakes *handshakes, uint32_t number, int64_t cpu_us);

/* 'is_member': its certificate is good, so its address is known from now on. */
void handshakes_end(struct handshakes *handshakes, uint32_t number, bool is_member);

struct handshakes_counts {
    uint64_t now;     /* connections whose handshake has not ended */
    uint64_t dropped; /* to make room, since the start */
    uint64_t late;    /* silent, or without a turn, for too long */
    uint64_t tickets; /* shown and ours */
};
struct handshakes_counts handshakes_counts(const struct handshakes *handshakes);
