#include "shared/io/mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct fl_mailbox {
    pthread_mutex_t mutex; /* guards the list, its length and the flags */
    struct fl_letter *first;
    struct fl_letter **end; /* where the next one is linked */
    size_t len, letters_max;
    bool is_closed;
    bool is_ringing; /* wake_fd is readable, or its reader is about to look */

    int wake_fd;
    struct fl_watch watch;
    void (*fn)(void *ctx, struct fl_letter *letter);
    void *ctx;
};

static void ring(struct fl_mailbox *mailbox)
{
    uint64_t one = 1;

    if (write(mailbox->wake_fd, &one, sizeof one) < 0) fl_assert(errno == EAGAIN);
}

static struct fl_letter *take_locked(struct fl_mailbox *mailbox)
{
    struct fl_letter *letter = mailbox->first;

    if (!letter) return NULL;
    mailbox->first = letter->next;
    if (!mailbox->first) mailbox->end = &mailbox->first;
    mailbox->len--;
    letter->next = NULL;
    return letter;
}

struct fl_letter *fl_mailbox_take(struct fl_mailbox *mailbox)
{
    struct fl_letter *letter;

    pthread_mutex_lock(&mailbox->mutex);
    letter = take_locked(mailbox);
    pthread_mutex_unlock(&mailbox->mutex);
    return letter;
}

/* Takes up to FL_MAILBOX_TURN_MAX letters off the list, linked by 'next'. */
static struct fl_letter *take_turn_locked(struct fl_mailbox *mailbox)
{
    struct fl_letter *first = mailbox->first, *last = NULL;
    size_t len = 0;

    while (mailbox->first && len < FL_MAILBOX_TURN_MAX) {
        last = mailbox->first;
        mailbox->first = last->next;
        len++;
    }
    if (last) last->next = NULL;
    if (!mailbox->first) mailbox->end = &mailbox->first;
    mailbox->len -= len;
    return first;
}

static void on_ring(void *ctx, unsigned events)
{
    struct fl_mailbox *mailbox = ctx;
    struct fl_letter *letter;
    uint64_t rings;
    bool has_more;

    (void)events;
    pthread_mutex_lock(&mailbox->mutex);
    letter = take_turn_locked(mailbox);
    has_more = mailbox->first;
    if (!has_more) {
        /* A put from here on rings again. */
        if (read(mailbox->wake_fd, &rings, sizeof rings) < 0) fl_assert(errno == EAGAIN);
        mailbox->is_ringing = false;
    }
    pthread_mutex_unlock(&mailbox->mutex);
    while (letter) {
        struct fl_letter *next = letter->next;

        letter->next = NULL;
        mailbox->fn(mailbox->ctx, letter);
        letter = next;
    }
}

struct fl_mailbox *fl_mailbox_create(struct fl_loop *loop, size_t letters_max,
                                     void (*fn)(void *ctx, struct fl_letter *letter), void *ctx)
{
    struct fl_mailbox *mailbox = fl_new(struct fl_mailbox);

    fl_assert(letters_max > 0);
    pthread_mutex_init(&mailbox->mutex, NULL);
    mailbox->end = &mailbox->first;
    mailbox->letters_max = letters_max;
    mailbox->fn = fn;
    mailbox->ctx = ctx;
    mailbox->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    fl_assert(mailbox->wake_fd >= 0);
    fl_watch_init(&mailbox->watch, loop, mailbox->wake_fd, on_ring, mailbox);
    fl_watch_set(&mailbox->watch, FL_WATCH_READ);
    return mailbox;
}

void fl_mailbox_destroy(struct fl_mailbox *mailbox)
{
    if (!mailbox) return;
    fl_watch_off(&mailbox->watch);
    close(mailbox->wake_fd);
    pthread_mutex_destroy(&mailbox->mutex);
    fl_free(mailbox);
}

bool fl_mailbox_put(struct fl_mailbox *mailbox, struct fl_letter *letter)
{
    bool is_put, must_ring = false;

    pthread_mutex_lock(&mailbox->mutex);
    is_put = !mailbox->is_closed && mailbox->len < mailbox->letters_max;
    if (is_put) {
        letter->next = NULL;
        *mailbox->end = letter;
        mailbox->end = &letter->next;
        mailbox->len++;
        must_ring = !mailbox->is_ringing;
        mailbox->is_ringing = true;
    }
    /* Inside the lock: once it is open, the loop's thread may destroy the mailbox and wake_fd. */
    if (must_ring) ring(mailbox);
    pthread_mutex_unlock(&mailbox->mutex);
    return is_put;
}

void fl_mailbox_close(struct fl_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->is_closed = true;
    pthread_mutex_unlock(&mailbox->mutex);
}

size_t fl_mailbox_len(struct fl_mailbox *mailbox)
{
    size_t len;

    pthread_mutex_lock(&mailbox->mutex);
    len = mailbox->len;
    pthread_mutex_unlock(&mailbox->mutex);
    return len;
}
