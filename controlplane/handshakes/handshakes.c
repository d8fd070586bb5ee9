#include "controlplane/handshakes/handshakes.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "controlplane/handshakes/known_addresses.h"
#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/tls/client_hello.h"

enum {
    SLICE_US = 4000, /* CPU for the handshakes that one turn begins */
    BEGIN_US_MIN = 20,
    LOOKS_MAX = 8, /* for a silent one to drop */
};

/* A connection whose handshake has not begun. */
struct pending {
    struct handshakes *handshakes;
    struct pending *prev, *next;
    struct fl_watch watch;
    struct fl_net_address address;
    int fd;
    uint32_t number;
};

struct handshakes {
    struct fl_loop *loop;
    struct handshakes_config config;
    struct handshakes_port port;
    struct known_addresses *known;
    struct handshake_queue *queue;
    struct pending *first;
    struct fl_timer timer;
    struct fl_after after; /* begins handshakes, after all that this turn brought */
    struct handshakes_counts counts;
    uint32_t len_max;    /* the queue's, while it is crowded */
    fl_ms crowded_until; /* in the past: the queue's own limits bind alone */
};

struct handshakes_config handshakes_config_default(void)
{
    return (struct handshakes_config){
        .limits = {.silent_max = 512,
                   .waiting_max = 256,
                   .begun_max = 256,
                   .cpu_percent = 25,
                   .ticket_cpu_percent = 75,
                   .silent_ms = 5000},
        .begin_costs = 1,
        .fd_max = INT_MAX,
    };
}

void handshakes_share(struct handshakes_config *config, uint64_t descriptors, uint32_t listeners)
{
    uint64_t half = descriptors / 2, share = descriptors / 8 / listeners;

    config->fd_max = half < INT_MAX ? (int)half : INT_MAX;
    config->crowded_max = share < 1 ? 1 : share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

/* ---- one connection -------------------------------------------------------------------------- */

/* Forgets it; the descriptor is open still. */
static int release(struct pending *pending)
{
    int fd = pending->fd;

    fl_watch_off(&pending->watch);
    if (pending->prev) pending->prev->next = pending->next;
    if (pending->next) pending->next->prev = pending->prev;
    if (pending->handshakes->first == pending) pending->handshakes->first = pending->next;
    fl_free(pending);
    return fd;
}

static void lose(struct pending *pending)
{
    handshake_queue_remove(pending->handshakes->queue, pending->number);
    close(release(pending));
}

/* Its place is another's. */
static void drop_pending(struct handshakes *handshakes, void *owner)
{
    if (!owner) return;
    handshakes->counts.dropped++;
    close(release(owner));
}

static void set_low_water(const struct pending *pending, size_t bytes)
{
    int low_water = (int)bytes;

    /* Without it a peer that sends its first message in pieces wakes us for each turn. */
    (void)setsockopt(pending->fd, SOL_SOCKET, SO_RCVLOWAT, &low_water, sizeof low_water);
}

static bool is_ticket(struct handshakes *handshakes, struct fl_str ticket)
{
    const struct handshakes_port *port = &handshakes->port;

    return ticket.len > 0 && port->is_ticket && port->is_ticket(port->ctx, ticket);
}

/* False: it is silent still. */
static bool hear(struct pending *pending)
{
    struct handshakes *handshakes = pending->handshakes;
    char bytes[FL_CLIENT_HELLO_BYTES_MAX];
    ssize_t len = recv(pending->fd, bytes, sizeof bytes, MSG_PEEK);
    struct fl_str ticket;
    size_t needed;
    void *dropped;
    bool has_ticket;

    if (len < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (len <= 0) {
        lose(pending);
        return true;
    }
    if (fl_client_hello_read((struct fl_str){bytes, (size_t)len}, &needed, &ticket) ==
        FL_CLIENT_HELLO_MORE) {
        set_low_water(pending, needed);
        return false;
    }
    fl_watch_set(&pending->watch, 0); /* while it waits, its end is not looked for */
    set_low_water(pending, 1);
    has_ticket = is_ticket(handshakes, ticket);
    handshakes->counts.tickets += has_ticket;
    handshake_queue_said_hello(handshakes->queue, pending->number, has_ticket,
                               fl_loop_now(handshakes->loop), &dropped);
    drop_pending(handshakes, dropped);
    fl_after_put(&handshakes->after);
    return true;
}

static void on_readable(void *ctx, unsigned events)
{
    (void)events;
    (void)hear(ctx);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void set_timer(struct handshakes *handshakes)
{
    fl_ms due = handshake_queue_due(handshakes->queue);

    if (due == INT64_MAX) return;
    if (!fl_timer_is_on(&handshakes->timer) || due < handshakes->timer.at) {
        fl_timer_at(&handshakes->timer, due);
    }
}

/* False: no handshake may begin now. */
static bool begin_next(struct handshakes *handshakes, int64_t *spent_us)
{
    const struct handshakes_port *port = &handshakes->port;
    struct fl_net_address address;
    uint32_t number;
    void *dropped;
    struct pending *pending =
        handshake_queue_next(handshakes->queue, fl_loop_now(handshakes->loop), &number, &dropped);
    int64_t began_us, took_us;
    bool has_ticket;
    int fd;

    if (dropped) {
        handshakes->counts.dropped++;
        port->drop(port->ctx, dropped);
    }
    if (!pending) return false;
    address = pending->address;
    fd = release(pending);
    handshake_queue_own(handshakes->queue, number, NULL);
    has_ticket = handshake_queue_has_ticket(handshakes->queue, number);
    began_us = fl_clock_thread_us();
    port->begin(port->ctx, fd, &address, number);
    took_us = fl_clock_thread_us() - began_us;
    if (took_us < BEGIN_US_MIN) took_us = BEGIN_US_MIN;
    handshake_queue_charge(handshakes->queue, has_ticket, took_us * handshakes->config.begin_costs);
    *spent_us += took_us;
    return true;
}

static void begin_some(void *ctx)
{
    struct handshakes *handshakes = ctx;
    int64_t spent_us = 0;

    while (spent_us < SLICE_US) {
        if (begin_next(handshakes, &spent_us)) continue;
        set_timer(handshakes);
        return;
    }
    fl_after_put(&handshakes->after); /* the next turn comes at once */
}

static void on_timer(void *ctx)
{
    struct handshakes *handshakes = ctx;
    struct pending *pending;

    while ((pending = handshake_queue_late(handshakes->queue, fl_loop_now(handshakes->loop)))) {
        handshakes->counts.late++;
        close(release(pending));
    }
    begin_some(handshakes);
}

/* ---- in and out ------------------------------------------------------------------------------ */

/* One turn may bring more connections than there are places: the message of one that came in it
 * counts before the connection makes room.  True: some had ended, which makes room, too. */
static bool hear_longest(struct handshakes *handshakes)
{
    size_t before = handshake_queue_len(handshakes->queue);
    struct pending *pending;

    for (int i = 0; i < LOOKS_MAX; i++) {
        pending = handshake_queue_longest(handshakes->queue);
        if (!pending || !hear(pending)) break;
    }
    return handshake_queue_len(handshakes->queue) < before;
}

bool handshakes_make_room(struct handshakes *handshakes)
{
    void *pending;

    if (hear_longest(handshakes)) return true;
    pending = handshake_queue_make_room(handshakes->queue, NULL);
    drop_pending(handshakes, pending);
    return pending != NULL;
}

/* A high descriptor tells that it is crowded now; a low one tells nothing, since it may be that of
 * one who just made room. */
static bool is_crowded(struct handshakes *handshakes, int fd, fl_ms now)
{
    const struct handshakes_config *config = &handshakes->config;
    uint32_t len = (uint32_t)handshake_queue_len(handshakes->queue);

    if (fd > config->fd_max) {
        handshakes->len_max = len > config->crowded_max ? len : config->crowded_max;
        handshakes->crowded_until = now + config->limits.silent_ms;
    }
    return now < handshakes->crowded_until && len >= handshakes->len_max;
}

/* Whether a connection with this descriptor leaves enough to others of the process; perhaps another
 * ends for it. */
static bool has_descriptor(struct handshakes *handshakes, int fd, fl_ms now)
{
    const struct handshakes_port *port = &handshakes->port;
    bool has_begun;
    void *owner;

    if (!is_crowded(handshakes, fd, now)) return true;
    if (hear_longest(handshakes)) return true;
    owner = handshake_queue_make_room(handshakes->queue, &has_begun);
    if (!owner) return false;
    if (has_begun) {
        handshakes->counts.dropped++;
        port->drop(port->ctx, owner);
    } else {
        drop_pending(handshakes, owner);
    }
    return true;
}

void handshakes_add(struct handshakes *handshakes, int fd, const struct fl_net_address *address)
{
    uint64_t number = known_addresses_number(address);
    fl_ms now = fl_loop_now(handshakes->loop);
    bool is_known = handshakes->known && known_addresses_has(handshakes->known, number, now);
    struct pending *pending;
    void *dropped;

    if (!has_descriptor(handshakes, fd, now)) {
        handshakes->counts.dropped++;
        close(fd);
        return;
    }
    pending = fl_new(struct pending);
    pending->handshakes = handshakes;
    pending->fd = fd;
    pending->address = *address;
    pending->next = handshakes->first;
    if (handshakes->first) handshakes->first->prev = pending;
    handshakes->first = pending;
    fl_watch_init(&pending->watch, handshakes->loop, fd, on_readable, pending);
    fl_watch_set(&pending->watch, FL_WATCH_READ);
    pending->number =
        handshake_queue_add(handshakes->queue, pending, number, is_known, now, &dropped);
    drop_pending(handshakes, dropped);
    set_timer(handshakes);
}

void handshakes_own(struct handshakes *handshakes, uint32_t number, void *owner)
{
    handshake_queue_own(handshakes->queue, number, owner);
}

void handshakes_charge(struct handshakes *handshakes, uint32_t number, int64_t cpu_us)
{
    handshake_queue_charge(handshakes->queue, handshake_queue_has_ticket(handshakes->queue, number),
                           cpu_us);
}

void handshakes_end(struct handshakes *handshakes, uint32_t number, bool is_member)
{
    if (is_member && handshakes->known) {
        known_addresses_put(handshakes->known, handshake_queue_address(handshakes->queue, number),
                            fl_loop_now(handshakes->loop));
    }
    handshake_queue_remove(handshakes->queue, number);
}

struct handshakes_counts handshakes_counts(const struct handshakes *handshakes)
{
    struct handshakes_counts counts = handshakes->counts;

    counts.now = handshake_queue_len(handshakes->queue);
    return counts;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct handshakes *handshakes_create(struct fl_loop *loop, const struct handshakes_config *config,
                                     const struct handshakes_port *port,
                                     struct known_addresses *known)
{
    struct handshakes *handshakes = fl_new(struct handshakes);

    handshakes->loop = loop;
    handshakes->config = *config;
    handshakes->port = *port;
    handshakes->known = known;
    handshakes->queue = handshake_queue_create(&config->limits, fl_loop_now(loop));
    fl_timer_init(&handshakes->timer, loop, on_timer, handshakes);
    fl_after_init(&handshakes->after, loop, begin_some, handshakes);
    return handshakes;
}

void handshakes_stop(struct handshakes *handshakes)
{
    while (handshakes->first) {
        lose(handshakes->first);
    }
}

void handshakes_destroy(struct handshakes *handshakes)
{
    if (!handshakes) return;
    handshakes_stop(handshakes);
    fl_timer_off(&handshakes->timer);
    fl_after_off(&handshakes->after);
    handshake_queue_destroy(handshakes->queue);
    fl_free(handshakes);
}
