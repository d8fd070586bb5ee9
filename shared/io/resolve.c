#include "shared/io/resolve.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"
#include "shared/io/mailbox.h"

enum { TEXT_MAX = FL_NET_HOST_MAX + 16 };

/* The work of a helper thread.  The loop frees it when the letter came; the helper frees it when it
 * finds, under the mutex, that the mailbox is gone. */
struct lookup {
    struct fl_letter letter;
    pthread_mutex_t mutex; /* guards 'mailbox' */
    struct fl_mailbox *mailbox;
    char text[TEXT_MAX];
    struct fl_net_addresses found;
    bool is_found;
    struct fl_err err;
};

struct fl_resolver {
    struct fl_loop *loop;
    fl_ms timeout_ms;
    fl_resolver_fn fn;
    void *ctx;
    struct fl_mailbox *mailbox; /* has room for one letter, since there is one helper */
    struct lookup *running;
    bool is_wanted;
    char text[TEXT_MAX]; /* valid while is_wanted */
    struct fl_timer timer;
    struct fl_after after; /* begins the look-up outside of the ask */
};

/* ---- the helper ------------------------------------------------------------------------------ */

static void lookup_free(struct lookup *lookup)
{
    pthread_mutex_destroy(&lookup->mutex);
    fl_free(lookup);
}

static void *look_up(void *ctx)
{
    struct lookup *lookup = ctx;
    bool is_put;

    lookup->is_found = fl_net_resolve(fl_str_c(lookup->text), &lookup->found, &lookup->err);
    pthread_mutex_lock(&lookup->mutex);
    is_put = lookup->mailbox && fl_mailbox_put(lookup->mailbox, &lookup->letter);
    pthread_mutex_unlock(&lookup->mutex);
    if (!is_put) lookup_free(lookup);
    return NULL;
}

/* The helper blocks all signals, so that the program's go to its loop. */
static bool start_thread(struct lookup *lookup)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attr, look_up, lookup);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return failed == 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answer(struct fl_resolver *resolver, const struct fl_net_addresses *found,
                   const struct fl_err *err)
{
    fl_resolver_forget(resolver); /* 'fn' may ask anew */
    resolver->fn(resolver->ctx, found, err);
}

static void refuse(struct fl_resolver *resolver, const char *why)
{
    char text[TEXT_MAX];
    struct fl_err err = {0};

    snprintf(text, sizeof text, "%s", resolver->text);
    fl_fail(&err, FL_UNAVAILABLE, "no address of %s: %s", text, why);
    answer(resolver, NULL, &err);
}

static void on_timer(void *ctx)
{
    refuse(ctx, "no name server answers in time");
}

/* Starts a helper.  If one still runs, its letter calls this again. */
static void begin(struct fl_resolver *resolver)
{
    struct lookup *lookup;

    if (resolver->running) return;
    lookup = fl_new(struct lookup);
    pthread_mutex_init(&lookup->mutex, NULL);
    lookup->mailbox = resolver->mailbox;
    snprintf(lookup->text, sizeof lookup->text, "%s", resolver->text);
    if (start_thread(lookup)) {
        resolver->running = lookup;
        return;
    }
    lookup_free(lookup);
    refuse(resolver, "no thread can be made");
}

static void on_letter(void *ctx, struct fl_letter *letter)
{
    struct fl_resolver *resolver = ctx;
    struct lookup *lookup = (struct lookup *)(void *)letter;

    fl_assert(lookup == resolver->running);
    resolver->running = NULL;
    pthread_mutex_lock(&lookup->mutex); /* the helper has let go of it */
    pthread_mutex_unlock(&lookup->mutex);
    if (resolver->is_wanted && strcmp(lookup->text, resolver->text) == 0) {
        answer(resolver, lookup->is_found ? &lookup->found : NULL, &lookup->err);
    } else if (resolver->is_wanted) {
        begin(resolver);
    }
    lookup_free(lookup);
}

static void on_after(void *ctx)
{
    struct fl_resolver *resolver = ctx;
    struct fl_net_addresses found = {.len = 1};
    struct fl_err err = {0};

    if (fl_net_parse(fl_str_c(resolver->text), &found.at[0], &err)) {
        answer(resolver, &found, &err);
    } else {
        begin(resolver);
    }
}

/* ---- its life -------------------------------------------------------------------------------- */

struct fl_resolver *fl_resolver_create(struct fl_loop *loop, fl_ms timeout_ms, fl_resolver_fn fn,
                                       void *ctx)
{
    struct fl_resolver *resolver = fl_new(struct fl_resolver);

    fl_assert(timeout_ms > 0);
    resolver->loop = loop;
    resolver->timeout_ms = timeout_ms;
    resolver->fn = fn;
    resolver->ctx = ctx;
    resolver->mailbox = fl_mailbox_create(loop, 1, on_letter, resolver);
    fl_timer_init(&resolver->timer, loop, on_timer, resolver);
    fl_after_init(&resolver->after, loop, on_after, resolver);
    return resolver;
}

void fl_resolver_destroy(struct fl_resolver *resolver)
{
    struct lookup *lookup;

    if (!resolver) return;
    fl_resolver_forget(resolver);
    lookup = resolver->running;
    if (lookup) {
        bool is_put;

        pthread_mutex_lock(&lookup->mutex);
        lookup->mailbox = NULL;
        is_put = fl_mailbox_take(resolver->mailbox) != NULL;
        pthread_mutex_unlock(&lookup->mutex);
        if (is_put) lookup_free(lookup);
    }
    fl_mailbox_destroy(resolver->mailbox);
    fl_free(resolver);
}

void fl_resolver_ask(struct fl_resolver *resolver, struct fl_str text)
{
    resolver->is_wanted = true;
    /* A text that is cut here is too long for a host and a port, and will be refused. */
    snprintf(resolver->text, sizeof resolver->text, FL_STR_FMT, FL_STR_ARG(text));
    fl_timer_in(&resolver->timer, resolver->timeout_ms);
    fl_after_put(&resolver->after);
}

void fl_resolver_forget(struct fl_resolver *resolver)
{
    resolver->is_wanted = false;
    fl_timer_off(&resolver->timer);
    fl_after_off(&resolver->after);
}
