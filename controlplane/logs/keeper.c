#include "controlplane/logs/keeper.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "controlplane/logs/budget.h"
#include "controlplane/logs/seal.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/log.h"

#define FORGOTTEN_MAX 65536
#define PASS_MS ((fl_ms)10000) /* between two looks at what is over */
#define RETRY_MS FL_MINUTE_MS
#define FORGOTTEN_BYTES_MAX ((size_t)FORGOTTEN_MAX * 8)

struct log_keeper {
    struct log_keeper_config config;
    struct log_index *index;
    struct log_budget budget; /* of its thread */
    char *forgotten_path;
    pthread_mutex_t lock;
    pthread_cond_t has_work;
    FL_VEC(struct log_segment *) segments; /* to be sealed, the oldest first */
    FL_VEC(struct fl_job) forgotten;
    bool has_forgotten_more; /* since the last pass */
    bool is_stopping;
    fl_ms retry_at, pass_at; /* monotonic */
    struct log_keeper_stats stats;
    pthread_t thread;
    bool is_running;
};

struct log_keeper *log_keeper_create(const struct log_keeper_config *config,
                                     struct log_index *index)
{
    struct log_keeper *keeper = fl_new(struct log_keeper);
    pthread_condattr_t attr;
    size_t bytes = strlen(config->dir) + sizeof("/forgotten");

    keeper->config = *config;
    keeper->index = index;
    log_budget_init(&keeper->budget, index, config->attempt_bytes_max);
    keeper->forgotten_path = fl_alloc(bytes);
    memcpy(keeper->forgotten_path, config->dir, strlen(config->dir));
    memcpy(keeper->forgotten_path + strlen(config->dir), "/forgotten", sizeof("/forgotten"));
    fl_assert(pthread_mutex_init(&keeper->lock, NULL) == 0);
    fl_assert(pthread_condattr_init(&attr) == 0);
    fl_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    fl_assert(pthread_cond_init(&keeper->has_work, &attr) == 0);
    pthread_condattr_destroy(&attr);
    return keeper;
}

static void lock(struct log_keeper *keeper)
{
    fl_assert(pthread_mutex_lock(&keeper->lock) == 0);
}

static void unlock(struct log_keeper *keeper)
{
    fl_assert(pthread_mutex_unlock(&keeper->lock) == 0);
}

void log_keeper_destroy(struct log_keeper *keeper)
{
    if (!keeper) return;
    log_keeper_stop(keeper);
    for (size_t i = 0; i < keeper->segments.len; i++) {
        log_segment_unref(keeper->segments.at[i]);
    }
    fl_vec_fini(&keeper->segments);
    fl_vec_fini(&keeper->forgotten);
    log_budget_fini(&keeper->budget);
    fl_assert(pthread_cond_destroy(&keeper->has_work) == 0);
    fl_assert(pthread_mutex_destroy(&keeper->lock) == 0);
    fl_free(keeper->forgotten_path);
    fl_free(keeper);
}

void log_keeper_seal(struct log_keeper *keeper, struct log_segment *segment)
{
    lock(keeper);
    fl_vec_push(&keeper->segments, segment);
    fl_assert(pthread_cond_signal(&keeper->has_work) == 0);
    unlock(keeper);
}

struct log_keeper_stats log_keeper_stats(struct log_keeper *keeper)
{
    struct log_keeper_stats stats;

    lock(keeper);
    stats = keeper->stats;
    unlock(keeper);
    return stats;
}

/* ---- what is forgotten ------------------------------------------------------------------------- */

/* The lock is held: the file is what the list is. */
static bool save_forgotten(struct log_keeper *keeper, struct fl_err *err)
{
    struct fl_buf buf;
    bool is_saved;

    fl_buf_init(&buf, FORGOTTEN_BYTES_MAX);
    for (size_t i = 0; i < keeper->forgotten.len; i++) {
        fl_buf_put_u64(&buf, keeper->forgotten.at[i].n);
    }
    is_saved = buf.len == 0
                   ? fl_file_remove(AT_FDCWD, keeper->forgotten_path, err)
                   : fl_file_write(AT_FDCWD, keeper->forgotten_path, buf.at, buf.len, 0600, err);
    fl_buf_fini(&buf);
    return is_saved;
}

static void set_forgotten(struct log_index *index, struct fl_job job, bool is_forgotten)
{
    log_index_lock(index);
    if (is_forgotten) {
        fl_map_put(&index->forgotten, &job.n, sizeof(job.n), 1);
    } else {
        fl_map_remove(&index->forgotten, &job.n, sizeof(job.n));
    }
    index->births++;
    log_index_unlock(index);
}

bool log_keeper_forget(struct log_keeper *keeper, struct fl_job job, struct fl_err *err)
{
    bool is_known = false;
    bool is_kept = true;

    lock(keeper);
    for (size_t i = 0; i < keeper->forgotten.len; i++) {
        is_known = is_known || keeper->forgotten.at[i].n == job.n;
    }
    if (!is_known && keeper->forgotten.len == FORGOTTEN_MAX) {
        is_kept = fl_fail(err, FL_FULL, "%d jobs are being forgotten", FORGOTTEN_MAX);
    } else if (!is_known) {
        fl_vec_push(&keeper->forgotten, job);
        is_kept = save_forgotten(keeper, err);
        if (!is_kept) keeper->forgotten.len--;
    }
    if (is_kept) {
        set_forgotten(keeper->index, job, true);
        keeper->has_forgotten_more = true;
        fl_assert(pthread_cond_signal(&keeper->has_work) == 0);
    }
    unlock(keeper);
    return is_kept;
}

bool log_keeper_load(struct log_keeper *keeper, struct fl_err *err)
{
    struct fl_err found = {0};
    struct fl_buf buf;
    struct fl_reader reader;

    fl_buf_init(&buf, FORGOTTEN_BYTES_MAX);
    if (!fl_file_read(AT_FDCWD, keeper->forgotten_path, &buf, &found) && found.code != FL_ABSENT) {
        fl_buf_fini(&buf);
        return fl_fail(err, found.code, "%s", found.text);
    }
    reader = fl_reader(buf.at, buf.len - buf.len % 8);
    while (reader.pos < reader.len) {
        struct fl_job job = {fl_read_u64(&reader)};

        fl_vec_push(&keeper->forgotten, job);
        set_forgotten(keeper->index, job, true);
    }
    fl_buf_fini(&buf);
    return true;
}

static bool is_forgotten(struct log_index *index, struct fl_job job)
{
    bool found;

    log_index_lock(index);
    found = fl_map_find(&index->forgotten, &job.n, sizeof(job.n), NULL);
    log_index_unlock(index);
    return found;
}

/* ---- what is kept ------------------------------------------------------------------------------ */

static bool keeps_job(void *ctx, struct fl_job job)
{
    const struct log_keeper *keeper = ctx;

    return !is_forgotten(keeper->index, job);
}

static struct log_middle middle_of(void *ctx, const struct log_key *key, uint64_t end)
{
    struct log_keeper *keeper = ctx;

    return log_budget_middle(&keeper->budget, key, end);
}

static struct log_seal_filter filter_of(struct log_keeper *keeper)
{
    log_budget_renew(&keeper->budget);
    return (struct log_seal_filter){.ctx = keeper, .keeps_job = keeps_job, .middle_of = middle_of};
}

/* ---- sealing ----------------------------------------------------------------------------------- */

static bool seal(struct log_keeper *keeper, struct log_segment *segment)
{
    struct log_seal_filter filter = filter_of(keeper);
    struct log_sealed *sealed = NULL;
    struct fl_err err = {0};
    bool is_damaged = false;
    uint64_t bytes_out;

    if (!log_seal_segment(keeper->config.dir, segment, &filter, &sealed, &is_damaged, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "seal_failed", FL_LOG_S("file", segment->path),
               FL_LOG_ERR(&err));
        return false;
    }
    if (is_damaged) {
        fl_log(FL_LOG_ERROR, "logs", "segment_damaged", FL_LOG_S("file", segment->path));
    }
    bytes_out = sealed ? sealed->bytes : 0;
    log_index_lock(keeper->index);
    if (sealed) log_index_seal(keeper->index, sealed);
    log_index_unmark(keeper->index, segment);
    keeper->index->has_unmarked = true;
    keeper->index->births++;
    log_index_unlock(keeper->index);
    lock(keeper);
    keeper->stats.segments_sealed++;
    keeper->stats.segments_damaged += is_damaged;
    keeper->stats.bytes_in += segment->bytes;
    keeper->stats.bytes_out += bytes_out;
    unlock(keeper);
    segment->is_removed = true;
    log_segment_unref(segment);
    return true;
}

/* ---- removing ---------------------------------------------------------------------------------- */

/* References to all sealed files, so that they can be looked at without the lock. */
static struct log_sealed_list all_sealed(struct log_index *index)
{
    struct log_sealed_list list = {0};

    log_index_lock(index);
    for (size_t i = 0; i < index->sealed.len; i++) {
        fl_vec_push(&list, log_sealed_ref(index->sealed.at[i]));
    }
    log_index_unlock(index);
    return list;
}

static void remove_file(struct log_keeper *keeper, struct log_sealed *sealed)
{
    sealed->is_removed = true;
    log_index_lock(keeper->index);
    log_index_unseal(keeper->index, sealed->header.seq);
    keeper->index->births++;
    log_index_unlock(keeper->index);
    lock(keeper);
    keeper->stats.segments_removed++;
    unlock(keeper);
}

static void write_again(struct log_keeper *keeper, struct log_sealed *sealed)
{
    struct log_seal_filter filter = filter_of(keeper);
    struct log_sealed *anew = NULL;
    struct fl_err err = {0};

    if (!log_seal_again(keeper->config.dir, sealed, &filter, &anew, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "trim_failed", FL_LOG_S("file", sealed->path),
               FL_LOG_ERR(&err));
        return;
    }
    lock(keeper);
    keeper->stats.files_trimmed++;
    unlock(keeper);
    if (!anew) {
        remove_file(keeper, sealed);
        return;
    }
    log_index_lock(keeper->index);
    log_index_seal(keeper->index, anew); /* the old one's name is the new one's already */
    log_index_unlock(keeper->index);
}

/* Does it hold anything of the job, beyond what its filter says? */
static bool holds_job(const struct log_sealed *sealed, struct fl_job job)
{
    struct log_key first = {.attempt = {.job = job}};
    struct log_sealed_output output;
    struct fl_err err = {0};
    uint32_t i;

    if (!log_sealed_may_have(sealed, job)) return false;
    if (!log_sealed_lower_bound(sealed, &first, &i, &err) || i == sealed->outputs_len) return false;
    return log_sealed_output_at(sealed, i, &output, &err) && output.key.attempt.job.n == job.n;
}

/* A job is done with when no file and no output in the table is of it any more. */
static void forget_done(struct log_keeper *keeper, struct fl_job job, bool is_in_files)
{
    struct fl_err err = {0};
    bool is_in_table;

    log_index_lock(keeper->index);
    is_in_table = log_index_first(keeper->index, job) != NULL;
    log_index_unlock(keeper->index);
    if (is_in_files || is_in_table) return;
    lock(keeper);
    for (size_t i = 0; i < keeper->forgotten.len; i++) {
        if (keeper->forgotten.at[i].n != job.n) continue;
        fl_vec_remove(&keeper->forgotten, i);
        break;
    }
    if (!save_forgotten(keeper, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "forget_failed", FL_LOG_ERR(&err));
    }
    unlock(keeper);
    set_forgotten(keeper->index, job, false);
}

static struct fl_job *forgotten_jobs(struct log_keeper *keeper, size_t *ret_len)
{
    struct fl_job *jobs;

    lock(keeper);
    keeper->has_forgotten_more = false;
    jobs = fl_new_array(struct fl_job, keeper->forgotten.len + 1);
    *ret_len = keeper->forgotten.len;
    if (*ret_len > 0) memcpy(jobs, keeper->forgotten.at, *ret_len * sizeof(jobs[0]));
    unlock(keeper);
    return jobs;
}

/* One look at all sealed files. */
static void pass(struct log_keeper *keeper)
{
    struct log_sealed_list list = all_sealed(keeper->index);
    size_t jobs_len;
    struct fl_job *jobs = forgotten_jobs(keeper, &jobs_len);
    bool *is_in_files = fl_new_array(bool, jobs_len + 1);
    uint64_t *middle_bytes = fl_new_array(uint64_t, list.len + 1);
    fl_ms oldest = fl_clock_wall() - keeper->config.retention_ms;

    log_budget_weigh(&keeper->budget, &list, middle_bytes);
    for (size_t i = 0; i < list.len; i++) {
        struct log_sealed *sealed = list.at[i];
        bool holds_forgotten = false;

        if (keeper->config.retention_ms > 0 && sealed->last_time < oldest) {
            remove_file(keeper, sealed);
            continue;
        }
        for (size_t k = 0; k < jobs_len; k++) {
            if (!holds_job(sealed, jobs[k])) continue;
            holds_forgotten = true;
            is_in_files[k] = true; /* the next pass sees that it is not */
        }
        if (holds_forgotten || (middle_bytes[i] > 0 && middle_bytes[i] >= sealed->raw_bytes / 2)) {
            write_again(keeper, sealed);
        }
    }
    log_sealed_list_fini(&list);
    for (size_t k = 0; k < jobs_len; k++) {
        forget_done(keeper, jobs[k], is_in_files[k]);
    }
    fl_free(middle_bytes);
    fl_free(is_in_files);
    fl_free(jobs);
}

/* ---- the loop ---------------------------------------------------------------------------------- */

/* The lock is held. */
static void wait_until(struct log_keeper *keeper, fl_ms at)
{
    struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
    int answer = pthread_cond_timedwait(&keeper->has_work, &keeper->lock, &until);

    (void)answer; /* woken or late: both look again */
}

static void *keep(void *ctx)
{
    struct log_keeper *keeper = ctx;

    lock(keeper);
    while (!keeper->is_stopping) {
        fl_ms now = fl_clock_mono();

        if (keeper->segments.len > 0 && now >= keeper->retry_at) {
            struct log_segment *segment = keeper->segments.at[0];
            bool is_sealed;

            unlock(keeper);
            is_sealed = seal(keeper, segment);
            lock(keeper);
            if (is_sealed) {
                fl_vec_remove(&keeper->segments, 0);
            } else {
                keeper->retry_at = now + RETRY_MS;
            }
        } else if (keeper->has_forgotten_more || now >= keeper->pass_at) {
            unlock(keeper);
            pass(keeper);
            lock(keeper);
            keeper->pass_at = fl_clock_mono() + PASS_MS;
        } else {
            wait_until(keeper, keeper->segments.len > 0 && keeper->retry_at < keeper->pass_at
                                   ? keeper->retry_at
                                   : keeper->pass_at);
        }
    }
    unlock(keeper);
    return NULL;
}

void log_keeper_run(struct log_keeper *keeper)
{
    fl_assert(pthread_create(&keeper->thread, NULL, keep, keeper) == 0);
    keeper->is_running = true;
}

void log_keeper_stop(struct log_keeper *keeper)
{
    if (!keeper->is_running) return;
    lock(keeper);
    keeper->is_stopping = true;
    fl_assert(pthread_cond_signal(&keeper->has_work) == 0);
    unlock(keeper);
    fl_assert(pthread_join(keeper->thread, NULL) == 0);
    keeper->is_running = false;
}
