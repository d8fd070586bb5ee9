#include "shared/io/signal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct fl_signals {
    int fd;
    struct fl_watch watch;
    void (*fn)(void *ctx, int number);
    void *ctx;
};

static sigset_t ours(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaddset(&set, numbers[i]);
    }
    return set;
}

void fl_signals_block(void)
{
    sigset_t set = ours();

    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void fl_signals_restore(void)
{
    sigset_t set = ours();

    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void on_signal(void *ctx, unsigned events)
{
    struct fl_signals *signals = ctx;
    struct signalfd_siginfo info;

    (void)events;
    /* Reads one signal a turn: 'fn' may destroy us, and the watch fires again for more. */
    if (read(signals->fd, &info, sizeof info) != (ssize_t)sizeof info) return;
    signals->fn(signals->ctx, (int)info.ssi_signo);
}

struct fl_signals *fl_signals_create(struct fl_loop *loop, void (*fn)(void *ctx, int number),
                                     void *ctx)
{
    struct fl_signals *signals = fl_new(struct fl_signals);
    sigset_t set = ours();

    signals->fn = fn;
    signals->ctx = ctx;
    signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    fl_assert(signals->fd >= 0);
    fl_watch_init(&signals->watch, loop, signals->fd, on_signal, signals);
    fl_watch_set(&signals->watch, FL_WATCH_READ);
    return signals;
}

void fl_signals_destroy(struct fl_signals *signals)
{
    if (!signals) return;
    fl_watch_off(&signals->watch);
    close(signals->fd);
    fl_free(signals);
}
