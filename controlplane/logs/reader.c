#include "controlplane/logs/reader.h"

#include <pthread.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct log_reader {
    struct log_index *index;
    size_t reads_len, reads_max, followers_len;
    pthread_mutex_t lock; /* guards the counts, all below, and the reads' shared part */
    pthread_cond_t has_work;
    struct log_read *head, *tail; /* to be served */
    struct log_read *all;
    struct fl_map by_job; /* -> the first follower of the job */
    bool is_stopping;
    pthread_t thread;
    bool is_running;
};

struct log_reader *log_reader_create(struct log_index *index, size_t reads_max)
{
    struct log_reader *reader = fl_new(struct log_reader);

    reader->index = index;
    reader->reads_max = reads_max;
    fl_assert(pthread_mutex_init(&reader->lock, NULL) == 0);
    fl_assert(pthread_cond_init(&reader->has_work, NULL) == 0);
    return reader;
}

void log_reader_destroy(struct log_reader *reader)
{
    if (!reader) return;
    log_reader_stop(reader);
    fl_assert(reader->reads_len == 0);
    fl_map_fini(&reader->by_job);
    fl_assert(pthread_cond_destroy(&reader->has_work) == 0);
    fl_assert(pthread_mutex_destroy(&reader->lock) == 0);
    fl_free(reader);
}

static void lock(struct log_reader *reader)
{
    fl_assert(pthread_mutex_lock(&reader->lock) == 0);
}

static void unlock(struct log_reader *reader)
{
    fl_assert(pthread_mutex_unlock(&reader->lock) == 0);
}

/* ---- lists: under the lock ------------------------------------------------------------------- */

static void list(struct log_reader *reader, struct log_read *read)
{
    if (read->is_listed) return;
    read->is_listed = true;
    read->next = NULL;
    if (reader->tail) {
        reader->tail->next = read;
    } else {
        reader->head = read;
    }
    reader->tail = read;
    fl_assert(pthread_cond_signal(&reader->has_work) == 0);
}

static struct log_read *first_of(const struct log_reader *reader, struct fl_job job)
{
    uint64_t found;

    if (!fl_map_find(&reader->by_job, &job.n, sizeof(job.n), &found)) return NULL;
    return (struct log_read *)(uintptr_t)found;
}

static void set_first(struct log_reader *reader, struct fl_job job, struct log_read *read)
{
    if (read) {
        fl_map_put(&reader->by_job, &job.n, sizeof(job.n), (uint64_t)(uintptr_t)read);
    } else {
        fl_map_remove(&reader->by_job, &job.n, sizeof(job.n));
    }
}

static void follow(struct log_reader *reader, struct log_read *read)
{
    struct fl_job job = read->view.query.job;

    read->job_next = first_of(reader, job);
    if (read->job_next) read->job_next->job_prev = read;
    set_first(reader, job, read);
    reader->followers_len++;
}

static void unfollow(struct log_reader *reader, struct log_read *read)
{
    if (read->job_next) read->job_next->job_prev = read->job_prev;
    if (read->job_prev) {
        read->job_prev->job_next = read->job_next;
    } else {
        set_first(reader, read->view.query.job, read->job_next);
    }
    reader->followers_len--;
}

bool log_reader_add(struct log_reader *reader, struct log_read *read, struct fl_err *err)
{
    bool is_added;

    lock(reader);
    is_added = reader->reads_len < reader->reads_max;
    if (is_added) {
        reader->reads_len++;
        read->all_next = reader->all;
        if (reader->all) reader->all->all_prev = read;
        reader->all = read;
        if (read->view.query.is_following) follow(reader, read);
    }
    unlock(reader);
    return is_added || fl_fail(err, FL_FULL, "%zu reads of logs are open", reader->reads_max);
}

void log_reader_want(struct log_reader *reader, struct log_read *read)
{
    lock(reader);
    read->is_wanted = true;
    list(reader, read);
    unlock(reader);
}

void log_reader_settle(struct log_reader *reader, struct log_read *read,
                       const struct log_attempts *attempts)
{
    struct log_ended_outputs *ended_outputs = log_ended_outputs_create(&read->view.query, attempts),
                             *old;

    lock(reader);
    old = read->ended_outputs;
    read->ended_outputs = ended_outputs;
    if (read->is_parked) list(reader, read);
    unlock(reader);
    log_ended_outputs_destroy(old);
}

void log_reader_close(struct log_reader *reader, struct log_read *read)
{
    lock(reader);
    read->is_closing = true;
    list(reader, read);
    unlock(reader);
}

void log_reader_hurry(struct log_reader *reader, struct log_read *read)
{
    lock(reader);
    read->is_hurried = true;
    if (read->is_parked) list(reader, read);
    unlock(reader);
}

void log_reader_wake(struct log_reader *reader, struct fl_job job)
{
    lock(reader);
    for (struct log_read *read = first_of(reader, job); read; read = read->job_next) {
        read->is_woken = true;
        if (read->is_parked) list(reader, read);
    }
    unlock(reader);
}

size_t log_reader_owes(struct log_reader *reader, const struct fl_mailbox *mailbox)
{
    size_t owed = 0;

    lock(reader);
    for (const struct log_read *read = reader->all; read; read = read->all_next) {
        owed += read->mailbox == mailbox;
    }
    unlock(reader);
    return owed;
}

size_t log_reader_followers(struct log_reader *reader)
{
    size_t len;

    lock(reader);
    len = reader->followers_len;
    unlock(reader);
    return len;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void free_read(struct log_reader *reader, struct log_read *read)
{
    lock(reader);
    if (read->view.query.is_following) unfollow(reader, read);
    reader->reads_len--;
    if (read->all_next) read->all_next->all_prev = read->all_prev;
    if (read->all_prev) {
        read->all_prev->all_next = read->all_next;
    } else {
        reader->all = read->all_next;
    }
    unlock(reader);
    log_ended_outputs_destroy(read->ended_outputs);
    log_view_fini(&read->view);
    fl_free(read);
}

static void send_page(struct log_read *read)
{
    if (!fl_mailbox_put(read->mailbox, &read->letter.letter)) {
        fl_unreachable("a front's mailbox has room for one letter of each read");
    }
}

/* One step of one read. */
static void serve(struct log_reader *reader, struct log_read *read,
                  struct log_ended_outputs *ended_outputs)
{
    enum log_view_answer answer;
    bool is_sent;

    if (ended_outputs) log_view_settle(&read->view, ended_outputs);
    answer = log_view_step(&read->view, reader->index);
    is_sent = answer == LOG_VIEW_PAGE;

    lock(reader);
    if (read->is_hurried && !is_sent) { /* the front closes it: an empty page ends its wait */
        read->view.page = (struct log_page){.is_over = true};
        is_sent = true;
    }
    if (is_sent) {
        read->is_wanted = false;
    } else if (answer == LOG_VIEW_AGAIN || read->is_woken || read->ended_outputs) {
        list(reader, read); /* behind the others */
    } else {
        read->is_parked = true;
    }
    unlock(reader);
    if (is_sent) send_page(read);
}

static void *read_loop(void *ctx)
{
    struct log_reader *reader = ctx;

    lock(reader);
    while (!reader->is_stopping || reader->head) {
        struct log_read *read = reader->head;
        struct log_ended_outputs *ended_outputs;

        if (!read) {
            fl_assert(pthread_cond_wait(&reader->has_work, &reader->lock) == 0);
            continue;
        }
        reader->head = read->next;
        if (!reader->head) reader->tail = NULL;
        read->is_listed = read->is_parked = read->is_woken = false;
        if (read->is_closing) {
            unlock(reader);
            free_read(reader, read);
        } else if (read->is_wanted) {
            ended_outputs = read->ended_outputs;
            read->ended_outputs = NULL;
            unlock(reader);
            serve(reader, read, ended_outputs);
        } else {
            unlock(reader);
        }
        lock(reader);
    }
    unlock(reader);
    return NULL;
}

void log_reader_run(struct log_reader *reader)
{
    fl_assert(pthread_create(&reader->thread, NULL, read_loop, reader) == 0);
    reader->is_running = true;
}

void log_reader_stop(struct log_reader *reader)
{
    if (!reader->is_running) return;
    lock(reader);
    reader->is_stopping = true;
    fl_assert(pthread_cond_signal(&reader->has_work) == 0);
    unlock(reader);
    fl_assert(pthread_join(reader->thread, NULL) == 0);
    reader->is_running = false;
}
