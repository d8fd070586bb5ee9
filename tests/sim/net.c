#include "tests/sim/net.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

enum { TO_HUB, TO_AGENT, DIRECTIONS };
enum { CUT_PPM = 100000 };

struct segment {
    fl_ms at;
    char *bytes; /* NULL: the end of it */
    size_t len;
};

struct direction {
    FL_VEC(struct segment) queue; /* oldest first */
    size_t taken;                 /* the first so many of the queue are delivered */
    size_t waiting;               /* bytes that were sent and not delivered, swallowed ones too */
    fl_ms newest_at;
    bool is_pumping; /* a pump is planned */
};

struct connection {
    uint64_t id;
    uint32_t agent, hub;
    bool is_open[2];    /* by enum net_end */
    bool is_swallowing; /* half-open: sent bytes go nowhere */
    bool is_dialing;
    struct direction directions[DIRECTIONS];
};

struct path {
    fl_ms blocked_until[DIRECTIONS];
    fl_ms slow_until, slow_ms;
    fl_ms newest_at[DIRECTIONS]; /* over all connections, to see reordering */
    uint64_t newest_connection[DIRECTIONS];
};

struct net {
    struct sim *sim;
    struct net_ports ports;
    fl_ms delay_ms_max;
    FL_VEC(struct connection *) connections; /* by id */
    uint64_t connection_next;
    uint32_t agents;
    struct path (*paths)[NET_HUBS_MAX]; /* by agent */
    fl_ms *paused_until[2];             /* by enum net_end and host */
};

struct net *net_create(struct sim *sim, const struct net_ports *ports, uint32_t agents,
                       fl_ms delay_ms_max)
{
    struct net *net = fl_new(struct net);

    net->sim = sim;
    net->ports = *ports;
    net->delay_ms_max = delay_ms_max;
    net->agents = agents;
    net->paths = fl_alloc_array(agents, sizeof(net->paths[0]));
    net->paused_until[NET_HUB] = fl_new_array(fl_ms, NET_HUBS_MAX);
    net->paused_until[NET_AGENT] = fl_new_array(fl_ms, agents);
    return net;
}

static void empty(struct direction *direction)
{
    for (size_t i = direction->taken; i < direction->queue.len; i++) {
        free(direction->queue.at[i].bytes);
    }
    fl_vec_clear(&direction->queue);
    direction->taken = 0;
    direction->waiting = 0;
}

static void free_connection(struct connection *connection)
{
    for (int i = 0; i < DIRECTIONS; i++) {
        empty(&connection->directions[i]);
        fl_vec_fini(&connection->directions[i].queue);
    }
    fl_free(connection);
}

void net_destroy(struct net *net)
{
    if (!net) return;
    for (size_t i = 0; i < net->connections.len; i++) {
        free_connection(net->connections.at[i]);
    }
    fl_vec_fini(&net->connections);
    fl_free(net->paths);
    fl_free(net->paused_until[NET_HUB]);
    fl_free(net->paused_until[NET_AGENT]);
    fl_free(net);
}

static struct connection *find(const struct net *net, uint64_t id)
{
    size_t low = 0;
    size_t end = net->connections.len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (net->connections.at[mid]->id < id) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    if (low == net->connections.len || net->connections.at[low]->id != id) return NULL;
    return net->connections.at[low];
}

/* It has no holder and no planned event: it can go. */
static void maybe_forget(struct net *net, struct connection *connection)
{
    if (connection->is_open[NET_HUB] || connection->is_open[NET_AGENT] || connection->is_dialing) {
        return;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        if (connection->directions[i].is_pumping) return;
    }
    for (size_t i = 0; i < net->connections.len; i++) {
        if (net->connections.at[i] != connection) continue;
        fl_vec_remove(&net->connections, i);
        break;
    }
    free_connection(connection);
}

static struct path *path_of(struct net *net, const struct connection *connection)
{
    return &net->paths[connection->agent][connection->hub];
}

static fl_ms draw_delay(struct net *net, struct path *path)
{
    fl_ms max = net->delay_ms_max;

    if (path->slow_until > net->sim->now) max += path->slow_ms;
    return sim_between(net->sim, 1, max);
}

/* ---- bytes on their way ---------------------------------------------------------------------- */

static void pump(void *ctx, uint64_t id, uint64_t way);

static void plan_pump(struct net *net, struct connection *connection, int way, fl_ms at)
{
    connection->directions[way].is_pumping = true;
    sim_at(net->sim, at, pump, net, connection->id, (uint64_t)way);
}

static void note_order(struct net *net, struct connection *connection, int way)
{
    struct path *path = path_of(net, connection);

    if (connection->id < path->newest_connection[way]) sim_fault(net->sim, FAULT_net_reorder);
    if (connection->id > path->newest_connection[way]) {
        path->newest_connection[way] = connection->id;
    }
}

/* Hands over what is due, in order; may be called when there is nothing. */
static void pump(void *ctx, uint64_t id, uint64_t way)
{
    struct net *net = ctx;
    struct connection *connection = find(net, id);
    enum net_end end = way == TO_HUB ? NET_HUB : NET_AGENT;
    struct direction *direction;
    struct segment segment;
    fl_ms blocked_until;
    uint32_t host;

    fl_assert(connection);
    direction = &connection->directions[way];
    direction->is_pumping = false;
    host = end == NET_HUB ? connection->hub : connection->agent;
    blocked_until = path_of(net, connection)->blocked_until[way];
    if (blocked_until < net->paused_until[end][host]) blocked_until = net->paused_until[end][host];
    if (!connection->is_open[end]) empty(direction);
    if (direction->taken == direction->queue.len) {
        maybe_forget(net, connection);
        return;
    }
    if (blocked_until > net->sim->now) {
        plan_pump(net, connection, (int)way, blocked_until);
        return;
    }
    segment = direction->queue.at[direction->taken];
    if (segment.at > net->sim->now) {
        plan_pump(net, connection, (int)way, segment.at);
        return;
    }
    direction->taken++;
    if (direction->taken == direction->queue.len) {
        fl_vec_clear(&direction->queue);
        direction->taken = 0;
    } else {
        plan_pump(net, connection, (int)way, direction->queue.at[direction->taken].at);
    }
    if (!segment.bytes) {
        connection->is_open[end] = false;
        net->ports.closed(net->ports.ctx, end, host, id);
        maybe_forget(net, connection);
        return;
    }
    note_order(net, connection, (int)way);
    direction->waiting -= segment.len;
    net->ports.bytes(net->ports.ctx, end, host, id, (struct fl_str){segment.bytes, segment.len});
    free(segment.bytes);
}

static void push(struct net *net, struct connection *connection, int way, const char *bytes,
                 size_t len)
{
    struct direction *direction = &connection->directions[way];
    fl_ms at = net->sim->now + draw_delay(net, path_of(net, connection));
    char *copy = NULL;

    if (at > direction->newest_at) direction->newest_at = at;
    if (bytes) {
        copy = malloc(len);
        fl_assert(copy);
        memcpy(copy, bytes, len);
    }
    fl_vec_push(&direction->queue, ((struct segment){direction->newest_at, copy, len}));
    direction->waiting += len;
    if (!direction->is_pumping) plan_pump(net, connection, way, direction->newest_at);
}

void net_send(struct net *net, enum net_end end, uint64_t id, struct fl_str bytes)
{
    struct connection *connection = find(net, id);
    int way = end == NET_HUB ? TO_AGENT : TO_HUB;
    size_t cut;

    if (!connection || !connection->is_open[end] || bytes.len == 0) return;
    if (connection->is_swallowing) {
        connection->directions[way].waiting += bytes.len;
        return;
    }
    cut = bytes.len > 1 && sim_chance(net->sim, CUT_PPM)
              ? (size_t)sim_between(net->sim, 1, (int64_t)bytes.len - 1)
              : 0;
    if (cut) push(net, connection, way, bytes.at, cut);
    push(net, connection, way, bytes.at + cut, bytes.len - cut);
}

size_t net_waiting(const struct net *net, enum net_end end, uint64_t id)
{
    const struct connection *connection = find(net, id);

    return connection ? connection->directions[end == NET_HUB ? TO_AGENT : TO_HUB].waiting : 0;
}

void net_close(struct net *net, enum net_end end, uint64_t id)
{
    struct connection *connection = find(net, id);

    if (!connection || !connection->is_open[end]) return;
    connection->is_open[end] = false;
    if (!connection->is_swallowing && connection->is_open[1 - end]) {
        push(net, connection, end == NET_HUB ? TO_AGENT : TO_HUB, NULL, 0);
    }
    maybe_forget(net, connection);
}

/* ---- dialing --------------------------------------------------------------------------------- */

static void connected(void *ctx, uint64_t id, uint64_t b)
{
    struct net *net = ctx;
    struct connection *connection = find(net, id);
    struct path *path;

    (void)b;
    fl_assert(connection);
    path = path_of(net, connection);
    if (net->paused_until[NET_HUB][connection->hub] > net->sim->now ||
        net->paused_until[NET_AGENT][connection->agent] > net->sim->now) {
        sim_at(net->sim, net->sim->now + 500, connected, net, id, 0); /* there is no listener yet */
        return;
    }
    connection->is_dialing = false;
    if (path->blocked_until[TO_HUB] > net->sim->now ||
        path->blocked_until[TO_AGENT] > net->sim->now) {
        connection->is_open[NET_HUB] = connection->is_open[NET_AGENT] = false;
        maybe_forget(net, connection); /* the agent's own patience ends it */
        return;
    }
    if (!connection->is_open[NET_AGENT]) { /* it has given up meanwhile */
        maybe_forget(net, connection);
        return;
    }
    connection->is_open[NET_HUB] = true;
    net->ports.opened(net->ports.ctx, NET_HUB, connection->hub, id);
    connection = find(net, id);
    if (connection && connection->is_open[NET_AGENT]) {
        net->ports.opened(net->ports.ctx, NET_AGENT, connection->agent, id);
    }
}

uint64_t net_dial(struct net *net, uint32_t agent, uint32_t hub)
{
    struct connection *connection = fl_new(struct connection);

    fl_assert(agent < net->agents && hub < NET_HUBS_MAX);
    connection->id = ++net->connection_next;
    connection->agent = agent;
    connection->hub = hub;
    connection->is_open[NET_AGENT] = true;
    connection->is_dialing = true;
    fl_vec_push(&net->connections, connection);
    sim_at(net->sim, net->sim->now + 2 * draw_delay(net, path_of(net, connection)), connected, net,
           connection->id, 0);
    return connection->id;
}

void net_pause_host(struct net *net, enum net_end end, uint32_t host, fl_ms until)
{
    net->paused_until[end][host] = until;
}

uint32_t net_agent_of(const struct net *net, uint64_t id)
{
    const struct connection *connection = find(net, id);

    fl_assert(connection);
    return connection->agent;
}

/* ---- faults ---------------------------------------------------------------------------------- */

void net_host_gone(struct net *net, enum net_end end, uint32_t host, bool is_silent)
{
    for (size_t i = net->connections.len; i > 0; i--) {
        struct connection *connection = net->connections.at[i - 1];

        if ((end == NET_HUB ? connection->hub : connection->agent) != host) continue;
        if (!connection->is_open[end]) continue;
        if (is_silent) connection->is_swallowing = true;
        net_close(net, end, connection->id);
    }
}

void net_block(struct net *net, uint32_t agent, uint32_t hub, bool is_to_hub, bool is_to_agent,
               fl_ms until)
{
    struct path *path = &net->paths[agent][hub];

    if (is_to_hub) path->blocked_until[TO_HUB] = until;
    if (is_to_agent) path->blocked_until[TO_AGENT] = until;
}

void net_slow(struct net *net, uint32_t agent, uint32_t hub, fl_ms delay_ms, fl_ms until)
{
    net->paths[agent][hub].slow_ms = delay_ms;
    net->paths[agent][hub].slow_until = until;
}

bool net_reset_one(struct net *net, bool is_half_open)
{
    size_t len = net->connections.len;
    size_t from = len ? (size_t)sim_between(net->sim, 0, (int64_t)len - 1) : 0;

    for (size_t i = 0; i < len; i++) {
        struct connection *connection = net->connections.at[(from + i) % len];

        if (!connection->is_open[NET_HUB] || !connection->is_open[NET_AGENT]) continue;
        if (connection->is_swallowing) continue;
        if (is_half_open) {
            connection->is_swallowing = true;
            for (int way = 0; way < DIRECTIONS; way++) {
                empty(&connection->directions[way]);
            }
        } else { /* bytes on their way are lost with it */
            for (int way = 0; way < DIRECTIONS; way++) {
                empty(&connection->directions[way]);
                push(net, connection, way, NULL, 0);
            }
            connection->is_swallowing = true;
        }
        return true;
    }
    return false;
}

bool net_linger_one(struct net *net, fl_ms until)
{
    size_t len = net->connections.len;
    size_t from = len ? (size_t)sim_between(net->sim, 0, (int64_t)len - 1) : 0;

    for (size_t i = 0; i < len; i++) {
        struct connection *connection = net->connections.at[(from + i) % len];
        struct direction *to_hub = &connection->directions[TO_HUB];

        if (!connection->is_open[NET_HUB] || !connection->is_open[NET_AGENT]) continue;
        if (connection->is_swallowing || to_hub->taken == to_hub->queue.len) continue;
        for (size_t k = to_hub->taken; k < to_hub->queue.len; k++) {
            if (to_hub->queue.at[k].at < until) to_hub->queue.at[k].at = until;
        }
        if (to_hub->newest_at < until) to_hub->newest_at = until;
        push(net, connection, TO_HUB, NULL, 0);
        empty(&connection->directions[TO_AGENT]);
        push(net, connection, TO_AGENT, NULL, 0);
        connection->is_swallowing = true;
        return true;
    }
    return false;
}

void net_heal(struct net *net)
{
    memset(net->paths, 0, net->agents * sizeof(net->paths[0]));
}
