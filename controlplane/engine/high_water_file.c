#include "controlplane/engine/high_water_file.h"

#include <pthread.h>
#include <signal.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/file.h"

enum state { IDLE, WANTED, WRITTEN, STOPPING };

struct high_water_file {
    int dir_fd;
    void (*done)(void *ctx);
    void *ctx;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    enum state state;
    struct high_water water;
    bool is_good;
    struct fl_err err;
};

static bool read_one(int dir_fd, const char *name, struct high_water *ret_water, struct fl_err *err)
{
    struct fl_buf text;
    bool is_good;

    fl_buf_init(&text, HIGH_WATER_BYTES_MAX);
    is_good = fl_file_read(dir_fd, name, &text, err) &&
              high_water_decode((struct fl_str){(const char *)text.at, text.len}, ret_water, err);
    fl_buf_fini(&text);
    return is_good;
}

/* Torn by a crash, damaged, or on a sector that the disk cannot read; not of another release. */
static bool other_may_count(const struct fl_err *why)
{
    return why->code == FL_TORN || why->code == FL_ABSENT || why->code == FL_TOO_LARGE ||
           why->code == FL_IO;
}

bool high_water_file_read(int dir_fd, struct high_water *ret_water, struct fl_err *err)
{
    struct fl_err why = {0}, why_copy = {0};

    if (read_one(dir_fd, HIGH_WATER_FILE, ret_water, &why)) return true;
    if (other_may_count(&why)) {
        if (read_one(dir_fd, HIGH_WATER_COPY, ret_water, &why_copy)) return true;
        if (why.code == FL_ABSENT && why_copy.code == FL_ABSENT) {
            *ret_water = (struct high_water){0};
            return true;
        }
        if (why.code == FL_ABSENT || !other_may_count(&why_copy)) why = why_copy;
    }
    return fl_fail(err, why.code,
                   "%s in the state directory, or %s: %s.  Put a good copy in the place of both, "
                   "or move both away and expect that numbers of lost jobs may be given out again",
                   HIGH_WATER_FILE, HIGH_WATER_COPY, why.text);
}

static bool write_one(int dir_fd, const char *name, struct fl_str text, bool is_over,
                      struct fl_err *err)
{
    return is_over ? fl_file_overwrite(dir_fd, name, text.at, text.len, err)
                   : fl_file_write(dir_fd, name, text.at, text.len, 0600, err);
}

/* 'is_over': in place; else each is made anew. */
static bool write_both(int dir_fd, const struct high_water *water, bool is_over, struct fl_err *err)
{
    char text[HIGH_WATER_BYTES_MAX];
    struct fl_str written = {text, high_water_encode(water, text)};

    return (write_one(dir_fd, HIGH_WATER_FILE, written, is_over, err) &&
            write_one(dir_fd, HIGH_WATER_COPY, written, is_over, err)) ||
           fl_err_wrap(err, "%s in the state directory", HIGH_WATER_FILE);
}

bool high_water_file_write(int dir_fd, const struct high_water *water, struct fl_err *err)
{
    return write_both(dir_fd, water, false, err);
}

static void *run(void *ctx)
{
    struct high_water_file *file = ctx;
    bool are_whole = false; /* both, and the same */

    pthread_mutex_lock(&file->mutex);
    while (file->state != STOPPING) {
        struct high_water water = file->water;
        struct fl_err err = {0};
        bool is_good;

        if (file->state != WANTED) {
            pthread_cond_wait(&file->changed, &file->mutex);
            continue;
        }
        pthread_mutex_unlock(&file->mutex);
        is_good = write_both(file->dir_fd, &water, are_whole, &err);
        are_whole = is_good;
        pthread_mutex_lock(&file->mutex);
        file->is_good = is_good;
        file->err = err;
        if (file->state == WANTED) file->state = WRITTEN;
        pthread_mutex_unlock(&file->mutex);
        file->done(file->ctx);
        pthread_mutex_lock(&file->mutex);
    }
    pthread_mutex_unlock(&file->mutex);
    return NULL;
}

struct high_water_file *high_water_file_create(int dir_fd, void (*done)(void *ctx), void *ctx)
{
    struct high_water_file *file = fl_new(struct high_water_file);
    sigset_t all, before;
    int failed;

    file->dir_fd = dir_fd;
    file->done = done;
    file->ctx = ctx;
    pthread_mutex_init(&file->mutex, NULL);
    pthread_cond_init(&file->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&file->thread, NULL, run, file);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fl_assert(failed == 0);
    pthread_setname_np(file->thread, "fl-high-water");
    return file;
}

void high_water_file_destroy(struct high_water_file *file)
{
    if (!file) return;
    pthread_mutex_lock(&file->mutex);
    file->state = STOPPING;
    pthread_cond_signal(&file->changed);
    pthread_mutex_unlock(&file->mutex);
    pthread_join(file->thread, NULL);
    pthread_cond_destroy(&file->changed);
    pthread_mutex_destroy(&file->mutex);
    fl_free(file);
}

void high_water_file_put(struct high_water_file *file, const struct high_water *water)
{
    pthread_mutex_lock(&file->mutex);
    fl_assert(file->state == IDLE);
    file->water = *water;
    file->state = WANTED;
    pthread_cond_signal(&file->changed);
    pthread_mutex_unlock(&file->mutex);
}

bool high_water_file_has_result(struct high_water_file *file)
{
    bool has;

    pthread_mutex_lock(&file->mutex);
    has = file->state == WRITTEN;
    pthread_mutex_unlock(&file->mutex);
    return has;
}

bool high_water_file_take_result(struct high_water_file *file, bool *ret_is_good,
                                 struct fl_err *err)
{
    bool has;

    pthread_mutex_lock(&file->mutex);
    has = file->state == WRITTEN;
    if (has) {
        *ret_is_good = file->is_good;
        *err = file->err;
        file->state = IDLE;
    }
    pthread_mutex_unlock(&file->mutex);
    return has;
}
