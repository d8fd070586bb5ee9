#include "controlplane/views/view_feed.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

enum { ROW_BYTES_MAX = 1 << 20, FOLD_EACH = 256 };

struct view_feed_row {
    struct view_feed_row *next;
    struct fl_buf bytes; /* the row, encoded */
};

void view_feed_init(struct view_feed *feed, void (*fold)(void *view, const struct row *row),
                    void *view)
{
    *feed = (struct view_feed){.fold = fold, .view = view};
    pthread_mutex_init(&feed->mutex, NULL);
}

static void free_rows(struct view_feed_row *row)
{
    while (row) {
        struct view_feed_row *next = row->next;

        fl_buf_fini(&row->bytes);
        fl_free(row);
        row = next;
    }
}

void view_feed_fini(struct view_feed *feed)
{
    free_rows(atomic_load(&feed->came));
    free_rows(atomic_load(&feed->folded));
    pthread_mutex_destroy(&feed->mutex);
}

/* Puts a chain of rows on top of a stack. */
static void stack(_Atomic(struct view_feed_row *) *top, struct view_feed_row *first,
                  struct view_feed_row *last)
{
    last->next = atomic_load(top);
    while (!atomic_compare_exchange_weak(top, &last->next, first)) {
    }
}

/* Folds the rows that came; under the lock. */
static void fold_all(struct view_feed *feed)
{
    struct view_feed_row *newest, *oldest = NULL;

    if (!atomic_load(&feed->came)) return;
    newest = atomic_exchange(&feed->came, NULL);
    for (struct view_feed_row *row = newest, *next; row; row = next) {
        next = row->next;
        row->next = oldest;
        oldest = row;
    }
    for (struct view_feed_row *row = oldest; row; row = row->next) {
        struct fl_reader reader = fl_reader(row->bytes.at, row->bytes.len);
        struct fl_err err = {0};
        struct row decoded;

        if (!row_decode(&reader, &decoded, &err)) fl_unreachable("a row of our own can be read");
        feed->fold(feed->view, &decoded);
    }
    stack(&feed->folded, oldest, newest);
}

void view_feed_push(struct view_feed *feed, const struct row *row)
{
    struct view_feed_row *copy = fl_new(struct view_feed_row);
    bool is_encoded;

    free_rows(atomic_exchange(&feed->folded, NULL));
    fl_buf_init(&copy->bytes, ROW_BYTES_MAX);
    is_encoded = row_encode(&copy->bytes, row);
    fl_assert(is_encoded);
    stack(&feed->came, copy, copy);
    if (++feed->pushed % FOLD_EACH == 0 && pthread_mutex_trylock(&feed->mutex) == 0) {
        fold_all(feed);
        pthread_mutex_unlock(&feed->mutex);
    }
}

void view_feed_lock(struct view_feed *feed)
{
    pthread_mutex_lock(&feed->mutex);
    fold_all(feed);
}

void view_feed_unlock(struct view_feed *feed)
{
    pthread_mutex_unlock(&feed->mutex);
}
