#include "cli/demo/demo_relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WIRES_MAX = 32, BYTES_MAX = 65536 };

struct way {
    char bytes[BYTES_MAX];
    size_t from, to;
};

static struct wire {
    bool is_open;
    int agent, hub;
    struct way up, down;
} wires[WIRES_MAX];

static volatile sig_atomic_t is_cut;

static void on_cut(int number)
{
    (void)number;
    is_cut = 1;
}

static void end_wire(struct wire *wire, bool is_reset)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};

    if (is_reset) {
        setsockopt(wire->agent, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        setsockopt(wire->hub, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    close(wire->agent);
    close(wire->hub);
    *wire = (struct wire){0};
}

static void accept_one(int listener, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int agent = accept4(listener, NULL, NULL, SOCK_CLOEXEC), hub;

    if (agent < 0) return;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    hub = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (hub >= 0 && connect(hub, (struct sockaddr *)&address, sizeof address) == 0) {
        for (size_t i = 0; i < WIRES_MAX; i++) {
            if (wires[i].is_open) continue;
            wires[i] = (struct wire){.is_open = true, .agent = agent, .hub = hub};
            return;
        }
    }
    if (hub >= 0) close(hub);
    close(agent);
}

/* False: the connection is gone. */
static bool take(int fd, struct way *way)
{
    ssize_t len = recv(fd, way->bytes, sizeof way->bytes, MSG_DONTWAIT);

    if (len < 0) return errno == EAGAIN || errno == EINTR;
    way->from = 0;
    way->to = (size_t)len;
    return len > 0;
}

static bool give(int fd, struct way *way)
{
    ssize_t len =
        send(fd, way->bytes + way->from, way->to - way->from, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (len < 0) return errno == EAGAIN || errno == EINTR;
    way->from += (size_t)len;
    if (way->from == way->to) way->from = way->to = 0;
    return true;
}

static void carry(struct wire *wire, short agent, short hub)
{
    bool is_good = true;

    if (agent & (POLLIN | POLLHUP | POLLERR) && wire->up.to == 0) {
        is_good = take(wire->agent, &wire->up);
    }
    if (is_good && hub & (POLLIN | POLLHUP | POLLERR) && wire->down.to == 0) {
        is_good = take(wire->hub, &wire->down);
    }
    if (is_good && wire->up.to) is_good = give(wire->hub, &wire->up);
    if (is_good && wire->down.to) is_good = give(wire->agent, &wire->down);
    if (!is_good) end_wire(wire, false);
}

void demo_relay_become(int listener, int port)
{
    struct sigaction action = {.sa_handler = on_cut};
    pid_t parent = getppid();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    sigaction(SIGUSR1, &action, NULL);
    while (true) {
        struct pollfd fds[1 + 2 * WIRES_MAX] = {{.fd = listener, .events = POLLIN}};

        for (size_t i = 0; i < WIRES_MAX; i++) {
            struct wire *wire = &wires[i];

            fds[1 + 2 * i] = (struct pollfd){
                .fd = wire->is_open ? wire->agent : -1,
                .events = (short)((wire->up.to ? 0 : POLLIN) | (wire->down.to ? POLLOUT : 0))};
            fds[2 + 2 * i] = (struct pollfd){
                .fd = wire->is_open ? wire->hub : -1,
                .events = (short)((wire->down.to ? 0 : POLLIN) | (wire->up.to ? POLLOUT : 0))};
        }
        if (poll(fds, 1 + 2 * WIRES_MAX, -1) < 0 && errno != EINTR) _exit(1);
        for (size_t i = 0; is_cut && i < WIRES_MAX; i++) {
            if (wires[i].is_open) end_wire(&wires[i], true);
        }
        if (is_cut) {
            is_cut = 0;
            continue;
        }
        for (size_t i = 0; i < WIRES_MAX; i++) {
            if (wires[i].is_open) carry(&wires[i], fds[1 + 2 * i].revents, fds[2 + 2 * i].revents);
        }
        if (fds[0].revents & POLLIN) accept_one(listener, port);
    }
}
