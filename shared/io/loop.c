#include "shared/io/loop.h"

#include <stddef.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"
#include "shared/io/clock.h"

struct fl_loop {
    struct ev_loop *ev;
    ev_check check;     /* the first of a turn: reads the clocks */
    ev_prepare prepare; /* the last: afters, and when to wake up */
    ev_timer alarm;     /* for the earliest timer; the only timer that libev knows */
    fl_ms alarm_at;     /* its time; valid while it is on */
    fl_ms turn_until;   /* fl_loop_turn's own deadline; INT64_MAX: none */

    int64_t now_us;
    fl_ms wall;
    int64_t longest_us;
    int64_t cpu_us; /* this thread's, at the end of the turn before */
    int64_t longest_cpu_us;

    FL_VEC(struct fl_timer *) timers; /* a heap by (at, tie); timer->place is its index + 1 */
    uint64_t ties;
    bool is_firing;
    struct fl_after afters; /* head of the ring */
    size_t watches_len;
    bool is_stopping;
};

static void read_clocks(struct fl_loop *loop)
{
    loop->now_us = fl_clock_mono_us();
    loop->wall = fl_clock_wall();
}

/* ---- timers ---------------------------------------------------------------------------------- */

static bool is_earlier(const struct fl_timer *a, const struct fl_timer *b)
{
    return a->at != b->at ? a->at < b->at : a->tie < b->tie;
}

static void put_at(struct fl_loop *loop, size_t i, struct fl_timer *timer)
{
    loop->timers.at[i] = timer;
    timer->place = i + 1;
}

static void sift_up(struct fl_loop *loop, size_t i, struct fl_timer *timer)
{
    while (i > 0 && is_earlier(timer, loop->timers.at[(i - 1) / 2])) {
        put_at(loop, i, loop->timers.at[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put_at(loop, i, timer);
}

static void sift_down(struct fl_loop *loop, size_t i, struct fl_timer *timer)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= loop->timers.len) break;
        if (child + 1 < loop->timers.len &&
            is_earlier(loop->timers.at[child + 1], loop->timers.at[child])) {
            child++;
        }
        if (!is_earlier(loop->timers.at[child], timer)) break;
        put_at(loop, i, loop->timers.at[child]);
        i = child;
    }
    put_at(loop, i, timer);
}

static void place(struct fl_loop *loop, size_t i, struct fl_timer *timer)
{
    if (i > 0 && is_earlier(timer, loop->timers.at[(i - 1) / 2])) {
        sift_up(loop, i, timer);
    } else {
        sift_down(loop, i, timer);
    }
}

void fl_timer_init(struct fl_timer *timer, struct fl_loop *loop, void (*fn)(void *ctx), void *ctx)
{
    *timer = (struct fl_timer){.loop = loop, .fn = fn, .ctx = ctx};
}

void fl_timer_at(struct fl_timer *timer, fl_ms at)
{
    struct fl_loop *loop = timer->loop;
    size_t i;

    /* Else a timer that sets itself to now again and again would keep the turn from ending. */
    if (loop->is_firing && at <= fl_loop_now(loop)) at = fl_loop_now(loop) + 1;
    if (timer->place == 0) {
        fl_vec_push(&loop->timers, timer);
        i = loop->timers.len - 1;
    } else {
        i = timer->place - 1;
    }
    timer->at = at;
    timer->tie = loop->ties++;
    place(loop, i, timer);
}

void fl_timer_in(struct fl_timer *timer, fl_ms after_ms)
{
    fl_ms now = fl_loop_now(timer->loop);

    if (after_ms < 0) after_ms = 0;
    fl_timer_at(timer, after_ms > INT64_MAX - now ? INT64_MAX : now + after_ms);
}

void fl_timer_off(struct fl_timer *timer)
{
    struct fl_loop *loop = timer->loop;
    size_t i = timer->place;
    struct fl_timer *last;

    if (i == 0) return;
    i--;
    timer->place = 0;
    last = fl_vec_pop(&loop->timers);
    if (last != timer) place(loop, i, last);
}

bool fl_timer_is_on(const struct fl_timer *timer)
{
    return timer->place != 0;
}

static void fire(struct fl_loop *loop)
{
    loop->is_firing = true;
    while (loop->timers.len > 0 && loop->timers.at[0]->at <= fl_loop_now(loop)) {
        struct fl_timer *timer = loop->timers.at[0];

        fl_timer_off(timer);
        timer->fn(timer->ctx); /* may free it */
    }
    loop->is_firing = false;
}

/* ---- watches --------------------------------------------------------------------------------- */

static void on_io(struct ev_loop *ev, ev_io *io, int events)
{
    struct fl_watch *watch =
        (struct fl_watch *)(void *)((char *)io - offsetof(struct fl_watch, io));
    unsigned happened =
        (events & EV_READ ? FL_WATCH_READ : 0u) | (events & EV_WRITE ? FL_WATCH_WRITE : 0u);

    (void)ev;
    watch->fn(watch->ctx, happened & watch->events);
}

void fl_watch_init(struct fl_watch *watch, struct fl_loop *loop, int fd,
                   void (*fn)(void *ctx, unsigned events), void *ctx)
{
    *watch = (struct fl_watch){.loop = loop, .fn = fn, .ctx = ctx};
    ev_io_init(&watch->io, on_io, fd, 0);
}

void fl_watch_set(struct fl_watch *watch, unsigned events)
{
    if (watch->events == events) return;
    fl_watch_off(watch);
    if (events == 0) return;
    watch->events = events;
    watch->loop->watches_len++;
    ev_io_set(&watch->io, watch->io.fd,
              (events & FL_WATCH_READ ? EV_READ : 0) | (events & FL_WATCH_WRITE ? EV_WRITE : 0));
    ev_io_start(watch->loop->ev, &watch->io);
}

void fl_watch_off(struct fl_watch *watch)
{
    if (watch->events == 0) return;
    watch->events = 0;
    watch->loop->watches_len--;
    ev_io_stop(watch->loop->ev, &watch->io); /* a pending call is forgotten too */
}

unsigned fl_watch_events(const struct fl_watch *watch)
{
    return watch->events;
}

/* ---- afters ---------------------------------------------------------------------------------- */

void fl_after_init(struct fl_after *after, struct fl_loop *loop, void (*fn)(void *ctx), void *ctx)
{
    *after = (struct fl_after){.loop = loop, .fn = fn, .ctx = ctx};
}

static void link_before(struct fl_after *after, struct fl_after *next)
{
    after->next = next;
    after->prev = next->prev;
    next->prev->next = after;
    next->prev = after;
}

void fl_after_put(struct fl_after *after)
{
    if (!after->next) link_before(after, &after->loop->afters);
}

void fl_after_off(struct fl_after *after)
{
    if (!after->next) return;
    after->prev->next = after->next;
    after->next->prev = after->prev;
    after->next = after->prev = NULL;
}

/* An after that is put meanwhile stands behind 'mark' and stays for the next turn. */
static void run_afters(struct fl_loop *loop)
{
    struct fl_after mark = {0};

    if (loop->afters.next == &loop->afters) return;
    link_before(&mark, &loop->afters);
    while (loop->afters.next != &mark) {
        struct fl_after *after = loop->afters.next;

        fl_after_off(after);
        after->fn(after->ctx); /* may free it */
    }
    fl_after_off(&mark);
}

/* ---- the turn -------------------------------------------------------------------------------- */

static void on_check(struct ev_loop *ev, ev_check *check, int events)
{
    (void)events;
    (void)check;
    read_clocks(ev_userdata(ev));
}

static void on_alarm(struct ev_loop *ev, ev_timer *alarm, int events)
{
    (void)alarm;
    (void)events;
    fire(ev_userdata(ev));
}

/* libev counts the alarm from its own clock, which it read at the same time as we did ours. */
static void set_alarm(struct fl_loop *loop)
{
    fl_ms at = loop->timers.len > 0 ? loop->timers.at[0]->at : INT64_MAX;

    if (loop->turn_until < at) at = loop->turn_until;
    if (loop->afters.next != &loop->afters) at = fl_loop_now(loop);
    if (ev_is_active(&loop->alarm) && loop->alarm_at == at) return;
    ev_timer_stop(loop->ev, &loop->alarm);
    if (at == INT64_MAX) return;
    loop->alarm_at = at;
    at = at > fl_loop_now(loop) ? at - fl_loop_now(loop) : 0;
    ev_timer_set(&loop->alarm, (double)at / 1000, 0.);
    ev_timer_start(loop->ev, &loop->alarm);
}

static void begin(struct fl_loop *loop)
{
    ev_now_update(loop->ev);
    read_clocks(loop);
    loop->cpu_us = fl_clock_thread_us();
}

static void end(struct fl_loop *loop)
{
    int64_t took_us, cpu_us;

    run_afters(loop);
    took_us = fl_clock_mono_us() - loop->now_us;
    if (took_us > loop->longest_us) loop->longest_us = took_us;
    cpu_us = fl_clock_thread_us();
    if (cpu_us - loop->cpu_us > loop->longest_cpu_us) loop->longest_cpu_us = cpu_us - loop->cpu_us;
    loop->cpu_us = cpu_us;
}

static void on_prepare(struct ev_loop *ev, ev_prepare *prepare, int events)
{
    struct fl_loop *loop = ev_userdata(ev);

    (void)prepare;
    (void)events;
    end(loop);
    set_alarm(loop);
}

struct fl_loop *fl_loop_create(void)
{
    struct fl_loop *loop = fl_new(struct fl_loop);

    loop->ev = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
    fl_assert(loop->ev);
    ev_set_userdata(loop->ev, loop);
    loop->afters.next = loop->afters.prev = &loop->afters;
    loop->turn_until = INT64_MAX;

    ev_check_init(&loop->check, on_check);
    ev_set_priority(&loop->check, EV_MAXPRI);
    ev_check_start(loop->ev, &loop->check);
    ev_prepare_init(&loop->prepare, on_prepare);
    ev_set_priority(&loop->prepare, EV_MINPRI);
    ev_prepare_start(loop->ev, &loop->prepare);
    ev_timer_init(&loop->alarm, on_alarm, 0., 0.);
    ev_now_update(loop->ev);
    read_clocks(loop);
    return loop;
}

void fl_loop_destroy(struct fl_loop *loop)
{
    if (!loop) return;
    fl_assert(loop->timers.len == 0);
    fl_assert(loop->watches_len == 0);
    fl_assert(loop->afters.next == &loop->afters);
    ev_timer_stop(loop->ev, &loop->alarm);
    ev_prepare_stop(loop->ev, &loop->prepare);
    ev_check_stop(loop->ev, &loop->check);
    ev_loop_destroy(loop->ev);
    fl_vec_fini(&loop->timers);
    fl_free(loop);
}

void fl_loop_run(struct fl_loop *loop)
{
    begin(loop);
    if (!loop->is_stopping) ev_run(loop->ev, 0);
    loop->is_stopping = false;
    end(loop);
}

void fl_loop_stop(struct fl_loop *loop)
{
    loop->is_stopping = true; /* libev forgets a break that comes before it runs */
    ev_break(loop->ev, EVBREAK_ONE);
}

void fl_loop_turn(struct fl_loop *loop, fl_ms wait_ms)
{
    begin(loop);
    if (wait_ms > 0) {
        loop->turn_until = fl_loop_now(loop) + wait_ms;
        ev_run(loop->ev, EVRUN_ONCE);
        loop->turn_until = INT64_MAX;
    } else {
        ev_run(loop->ev, EVRUN_NOWAIT);
    }
    end(loop);
}

fl_ms fl_loop_now(const struct fl_loop *loop)
{
    return loop->now_us / 1000;
}

int64_t fl_loop_now_us(const struct fl_loop *loop)
{
    return loop->now_us;
}

fl_ms fl_loop_wall(const struct fl_loop *loop)
{
    return loop->wall;
}

struct ev_loop *fl_loop_ev(const struct fl_loop *loop)
{
    return loop->ev;
}

int64_t fl_loop_longest_cpu_us(const struct fl_loop *loop)
{
    return loop->longest_cpu_us;
}

int64_t fl_loop_take_longest_us(struct fl_loop *loop)
{
    int64_t longest_us = loop->longest_us;

    loop->longest_us = 0;
    return longest_us;
}
