#include "controlplane/logs/sealer_thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controlplane/logs/budget.h"
#include "controlplane/logs/merge_plan.h"
#include "controlplane/logs/seal.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/log.h"

#define FORGOTTEN_MAX 65536
#define PASS_MS ((fl_ms)10000) /* between two passes over the sealed files */
#define RETRY_MS FL_MINUTE_MS
#define RETENTION_PARTS 10 /* a merged file is kept too long by a tenth of the retention at most */
#define FORGOTTEN_BYTES_MAX ((size_t)FORGOTTEN_MAX * 8)

struct log_sealer_thread {
    struct log_sealer_thread_config config;
    struct log_index *index;
    struct log_budget budget; /* for the thread only */
    char *forgotten_path;
    pthread_mutex_t lock;
    pthread_cond_t has_work;
    FL_VEC(struct log_segment *) segments;  /* to seal, the oldest first */
    FL_VEC(struct log_segment_header) held; /* these come later, or are among 'segments' by now */
    FL_VEC(struct fl_job) forgotten;
    bool has_forgotten_more; /* a job was forgotten since the last pass */
    bool is_stopping;
    bool may_merge;
    fl_ms retry_at, pass_at; /* monotonic */
    struct log_sealer_thread_stats stats;
    pthread_t thread;
    bool is_running;
};

struct log_sealer_thread *log_sealer_thread_create(const struct log_sealer_thread_config *config,
                                                   struct log_index *index)
{
    struct log_sealer_thread *sealer = fl_new(struct log_sealer_thread);
    pthread_condattr_t attr;
    size_t bytes = strlen(config->dir) + sizeof("/forgotten");

    sealer->config = *config;
    sealer->index = index;
    log_budget_init(&sealer->budget, index, config->attempt_bytes_max);
    sealer->forgotten_path = fl_alloc(bytes);
    memcpy(sealer->forgotten_path, config->dir, strlen(config->dir));
    memcpy(sealer->forgotten_path + strlen(config->dir), "/forgotten", sizeof("/forgotten"));
    fl_assert(pthread_mutex_init(&sealer->lock, NULL) == 0);
    fl_assert(pthread_condattr_init(&attr) == 0);
    fl_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    fl_assert(pthread_cond_init(&sealer->has_work, &attr) == 0);
    pthread_condattr_destroy(&attr);
    return sealer;
}

static void lock(struct log_sealer_thread *sealer)
{
    fl_assert(pthread_mutex_lock(&sealer->lock) == 0);
}

static void unlock(struct log_sealer_thread *sealer)
{
    fl_assert(pthread_mutex_unlock(&sealer->lock) == 0);
}

void log_sealer_thread_destroy(struct log_sealer_thread *sealer)
{
    if (!sealer) return;
    log_sealer_thread_stop(sealer);
    for (size_t i = 0; i < sealer->segments.len; i++) {
        log_segment_unref(sealer->segments.at[i]);
    }
    fl_vec_fini(&sealer->segments);
    fl_vec_fini(&sealer->held);
    fl_vec_fini(&sealer->forgotten);
    log_budget_fini(&sealer->budget);
    fl_assert(pthread_cond_destroy(&sealer->has_work) == 0);
    fl_assert(pthread_mutex_destroy(&sealer->lock) == 0);
    fl_free(sealer->forgotten_path);
    fl_free(sealer);
}

void log_sealer_thread_seal(struct log_sealer_thread *sealer, struct log_segment *segment)
{
    lock(sealer);
    fl_vec_push(&sealer->segments, segment);
    fl_assert(pthread_cond_signal(&sealer->has_work) == 0);
    unlock(sealer);
}

void log_sealer_thread_hold(struct log_sealer_thread *sealer,
                            const struct log_segment_header *segment)
{
    lock(sealer);
    fl_vec_push(&sealer->held, *segment);
    unlock(sealer);
}

struct log_sealer_thread_stats log_sealer_thread_stats(struct log_sealer_thread *sealer)
{
    struct log_sealer_thread_stats stats;

    lock(sealer);
    stats = sealer->stats;
    unlock(sealer);
    return stats;
}

/* ---- forgotten jobs -------------------------------------------------------------------------- */

/* Writes the list to its file; the lock is held. */
static bool save_forgotten(struct log_sealer_thread *sealer, struct fl_err *err)
{
    struct fl_buf buf;
    bool is_saved;

    fl_buf_init(&buf, FORGOTTEN_BYTES_MAX);
    for (size_t i = 0; i < sealer->forgotten.len; i++) {
        fl_buf_put_u64(&buf, sealer->forgotten.at[i].n);
    }
    is_saved = buf.len == 0
                   ? fl_file_remove(AT_FDCWD, sealer->forgotten_path, err)
                   : fl_file_write(AT_FDCWD, sealer->forgotten_path, buf.at, buf.len, 0600, err);
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

bool log_sealer_thread_forget(struct log_sealer_thread *sealer, struct fl_job job,
                              struct fl_err *err)
{
    bool is_known = false;
    bool is_kept = true;

    lock(sealer);
    for (size_t i = 0; i < sealer->forgotten.len; i++) {
        is_known = is_known || sealer->forgotten.at[i].n == job.n;
    }
    if (!is_known && sealer->forgotten.len == FORGOTTEN_MAX) {
        is_kept = fl_fail(err, FL_FULL, "%d jobs are being forgotten", FORGOTTEN_MAX);
    } else if (!is_known) {
        fl_vec_push(&sealer->forgotten, job);
        is_kept = save_forgotten(sealer, err);
        if (!is_kept) sealer->forgotten.len--;
    }
    if (is_kept) {
        set_forgotten(sealer->index, job, true);
        sealer->has_forgotten_more = true;
        fl_assert(pthread_cond_signal(&sealer->has_work) == 0);
    }
    unlock(sealer);
    return is_kept;
}

bool log_sealer_thread_load(struct log_sealer_thread *sealer, struct fl_err *err)
{
    struct fl_err found = {0};
    struct fl_buf buf;
    struct fl_reader reader;

    fl_buf_init(&buf, FORGOTTEN_BYTES_MAX);
    if (!fl_file_read(AT_FDCWD, sealer->forgotten_path, &buf, &found) && found.code != FL_ABSENT) {
        fl_buf_fini(&buf);
        return fl_fail(err, found.code, "%s", found.text);
    }
    reader = fl_reader(buf.at, buf.len - buf.len % 8);
    while (reader.pos < reader.len) {
        struct fl_job job = {fl_read_u64(&reader)};

        fl_vec_push(&sealer->forgotten, job);
        set_forgotten(sealer->index, job, true);
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

/* ---- retention ------------------------------------------------------------------------------- */

static bool keeps_job(void *ctx, struct fl_job job)
{
    const struct log_sealer_thread *sealer = ctx;

    return !is_forgotten(sealer->index, job);
}

static struct log_middle middle_of(void *ctx, const struct log_key *key, uint64_t end)
{
    struct log_sealer_thread *sealer = ctx;

    return log_budget_middle(&sealer->budget, key, end);
}

static void marks_of(void *ctx, const struct log_key *key, const struct log_segment *segment,
                     struct log_mark_list *ret_marks, uint64_t *ret_end)
{
    const struct log_sealer_thread *sealer = ctx;

    log_index_lock(sealer->index);
    log_index_marks_of(sealer->index, key, segment, ret_marks, ret_end);
    log_index_unlock(sealer->index);
}

static struct log_seal_filter filter_of(struct log_sealer_thread *sealer)
{
    log_budget_renew(&sealer->budget);
    return (struct log_seal_filter){
        .ctx = sealer, .keeps_job = keeps_job, .middle_of = middle_of, .marks_of = marks_of};
}

/* ---- sealing --------------------------------------------------------------------------------- */

void log_sealer_thread_note_damage(struct log_sealer_thread *sealer, uint64_t damaged)
{
    lock(sealer);
    sealer->stats.damaged += damaged;
    unlock(sealer);
}

static void tell_damage(struct log_sealer_thread *sealer, const char *file, uint64_t damaged)
{
    if (damaged == 0) return;
    fl_log(FL_LOG_ERROR, "logs", "output_damaged", FL_LOG_S("file", file),
           FL_LOG_N("gaps", damaged));
    log_sealer_thread_note_damage(sealer, damaged);
}

static bool seal(struct log_sealer_thread *sealer, struct log_segment *segment)
{
    struct log_seal_filter filter = filter_of(sealer);
    struct log_sealed *sealed = NULL;
    struct fl_err err = {0};
    uint64_t damaged = 0;
    uint64_t bytes_in = segment->bytes;
    uint64_t bytes_out;

    if (!log_seal_segment(sealer->config.dir, segment, fl_clock_wall(), &filter, &sealed, &damaged,
                          &err)) {
        fl_log(FL_LOG_ERROR, "logs", "seal_failed", FL_LOG_S("file", segment->path),
               FL_LOG_ERR(&err));
        return false;
    }
    tell_damage(sealer, segment->path, damaged);
    segment->is_damaged = segment->is_damaged || damaged > 0;
    if (segment->is_damaged && !log_segment_keep(segment, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "keep_failed", FL_LOG_ERR(&err));
    }
    bytes_out = sealed ? sealed->bytes : 0;
    log_index_lock(sealer->index);
    if (sealed) log_index_seal(sealer->index, sealed);
    segment->is_removed = true;
    fl_vec_push(&sealer->index->done, segment);
    sealer->index->births++;
    log_index_unlock(sealer->index);
    lock(sealer);
    sealer->stats.segments_sealed++;
    sealer->stats.bytes_in += bytes_in;
    sealer->stats.bytes_out += bytes_out;
    unlock(sealer);
    return true;
}

/* The lock is held. */
static void drop_held(struct log_sealer_thread *sealer, const struct log_segment_header *sealed)
{
    for (size_t i = 0; i < sealer->held.len; i++) {
        const struct log_segment_header *held = &sealer->held.at[i];

        if (held->cluster.n != sealed->cluster.n || held->seq != sealed->seq) continue;
        fl_vec_remove(&sealer->held, i);
        return;
    }
}

/* Seals the oldest segment that waits; the lock is held, but not meanwhile. */
static void seal_next(struct log_sealer_thread *sealer)
{
    struct log_segment *segment = sealer->segments.at[0];
    struct log_segment_header header = segment->header;
    bool is_sealed;

    unlock(sealer);
    is_sealed = seal(sealer, segment);
    lock(sealer);
    if (is_sealed) {
        fl_vec_remove(&sealer->segments, 0);
        drop_held(sealer, &header);
    } else {
        sealer->retry_at = fl_clock_mono() + RETRY_MS;
    }
}

/* Between two outputs of a merge: segments do not wait for its end, since the table of sources has
 * their outputs until they are sealed. */
static void seal_waiting(void *ctx)
{
    struct log_sealer_thread *sealer = ctx;

    lock(sealer);
    while (sealer->segments.len > 0 && !sealer->is_stopping &&
           fl_clock_mono() >= sealer->retry_at) {
        seal_next(sealer);
    }
    unlock(sealer);
}

/* ---- removing -------------------------------------------------------------------------------- */

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

static void remove_file(struct log_sealer_thread *sealer, struct log_sealed *sealed)
{
    sealed->is_removed = true;
    log_index_lock(sealer->index);
    log_index_unseal(sealer->index, &sealed->header);
    sealer->index->births++;
    log_index_unlock(sealer->index);
    lock(sealer);
    sealer->stats.segments_removed++;
    unlock(sealer);
}

/* A second name for a file, in case that it is damaged and a new one takes its own.  A start
 * removes what ends in ".part".  The caller frees it. */
static char *second_path(const struct log_sealer_thread *sealer, const struct log_sealed *sealed)
{
    return log_file_path(sealer->config.dir, &sealed->header, "kept.part");
}

/* Keeps the files with damage, and tells of it, unless a reader has found it before. */
static void keep_damaged(struct log_sealer_thread *sealer, const struct log_sealed_list *files,
                         const uint64_t *damaged)
{
    for (size_t i = 0; i < files->len; i++) {
        char *second = second_path(sealer, files->at[i]);
        char *kept = log_file_path(sealer->config.dir, &files->at[i]->header, "sealed.damaged");

        if (damaged[i] == 0 || rename(second, kept) != 0) unlink(second);
        if (!files->at[i]->is_told) tell_damage(sealer, files->at[i]->path, damaged[i]);
        fl_free(second);
        fl_free(kept);
    }
}

/* The new file, NULL if no output is left, takes the place of the others. */
static void replace_files(struct log_sealer_thread *sealer, const struct log_sealed_list *files,
                          struct log_sealed *anew)
{
    log_index_lock(sealer->index);
    for (size_t i = 0; i < files->len; i++) {
        /* On the disk the new one has replaced the last already. */
        files->at[i]->is_removed = !anew || i + 1 < files->len;
        log_index_unseal(sealer->index, &files->at[i]->header);
    }
    if (anew) log_index_seal(sealer->index, anew);
    sealer->index->births++;
    log_index_unlock(sealer->index);
    lock(sealer);
    if (files->len == 1) sealer->stats.files_trimmed++;
    if (files->len > 1) sealer->stats.files_merged += files->len;
    if (!anew) sealer->stats.segments_removed += files->len;
    unlock(sealer);
}

/* Writes one or more files of a cluster again, as one.  False: it failed, and nothing changed. */
static bool write_again(struct log_sealer_thread *sealer, const struct log_sealed_list *files)
{
    struct log_seal_filter filter = filter_of(sealer);
    uint64_t *damaged = fl_new_array(uint64_t, files->len);
    struct log_sealed *anew = NULL;
    struct fl_err err = {0};
    bool is_written;

    for (size_t i = 0; i < files->len; i++) {
        char *second = second_path(sealer, files->at[i]);

        unlink(second);
        if (link(files->at[i]->path, second) != 0) {
            fl_log(FL_LOG_WARN, "logs", "link_failed", FL_LOG_S("file", second));
        }
        fl_free(second);
    }
    filter.between = seal_waiting;
    is_written = log_seal_files(sealer->config.dir, files, &filter, &anew, damaged, &err);
    if (is_written) {
        replace_files(sealer, files, anew);
    } else {
        fl_log(FL_LOG_ERROR, "logs", "rewrite_failed", FL_LOG_S("file", files->at[0]->path),
               FL_LOG_ERR(&err));
    }
    keep_damaged(sealer, files, damaged);
    fl_free(damaged);
    return is_written;
}

/* Whether a segment that is not sealed yet lies between these files of one cluster. */
static bool has_held_between(struct log_sealer_thread *sealer,
                             const struct log_segment_header *before,
                             const struct log_segment_header *behind)
{
    bool has_one = false;

    lock(sealer);
    for (size_t i = 0; i < sealer->held.len; i++) {
        const struct log_segment_header *held = &sealer->held.at[i];

        has_one = has_one || (held->cluster.n == before->cluster.n && held->seq > before->seq &&
                              held->seq < behind->seq);
    }
    unlock(sealer);
    return has_one;
}

/* Merges some files of one cluster.  False: none are to be merged, or it failed. */
static bool merge_some(struct log_sealer_thread *sealer)
{
    struct log_sealed_list all = all_sealed(sealer->index);
    struct log_merge_file *plan = fl_new_array(struct log_merge_file, all.len + 1);
    fl_ms span_ms = sealer->config.retention_ms > 0 ? sealer->config.retention_ms / RETENTION_PARTS
                                                    : INT64_MAX / 2;
    bool is_merged = false;

    for (size_t i = 0, end; !is_merged && i < all.len; i = end) { /* one cluster after the other */
        size_t first;
        struct log_sealed_list files = {0};

        for (end = i; end < all.len && all.at[end]->header.cluster.n == all.at[i]->header.cluster.n;
             end++) {
            plan[end - i] = (struct log_merge_file){
                all.at[end]->bytes, all.at[end]->outputs_len, all.at[end]->sealed_at,
                end > i &&
                    has_held_between(sealer, &all.at[end - 1]->header, &all.at[end]->header)};
        }
        if (!log_merge_plan(plan, end - i, span_ms, &first, &files.len)) continue;
        files.at = all.at + i + first;
        if (!write_again(sealer, &files)) break;
        is_merged = true;
    }
    fl_free(plan);
    log_sealed_list_fini(&all);
    return is_merged;
}

/* Whether the file really has output of the job; its filter alone may be wrong. */
static bool holds_job(const struct log_sealed *sealed, struct fl_job job)
{
    struct log_key_range range = log_key_range_of_job(job);
    struct log_sealed_output output;
    struct fl_err err = {0};
    uint32_t i;

    if (!log_sealed_may_have(sealed, &range)) return false;
    if (!log_sealed_lower_bound(sealed, &range.first, &i, &err) || i == sealed->outputs_len) {
        return false;
    }
    return log_sealed_output_at(sealed, i, &output, &err) && output.key.attempt.job.n == job.n;
}

/* Takes a job off the list of forgotten jobs when neither a file nor the table has its output. */
static void forget_done(struct log_sealer_thread *sealer, struct fl_job job, bool is_in_files)
{
    struct fl_err err = {0};
    struct log_key_range range = log_key_range_of_job(job);
    bool is_in_table;

    log_index_lock(sealer->index);
    is_in_table = log_index_first(sealer->index, &range) != NULL;
    log_index_unlock(sealer->index);
    if (is_in_files || is_in_table) return;
    lock(sealer);
    for (size_t i = 0; i < sealer->forgotten.len; i++) {
        if (sealer->forgotten.at[i].n != job.n) continue;
        fl_vec_remove(&sealer->forgotten, i);
        break;
    }
    if (!save_forgotten(sealer, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "forget_failed", FL_LOG_ERR(&err));
    }
    unlock(sealer);
    set_forgotten(sealer->index, job, false);
}

static struct fl_job *forgotten_jobs(struct log_sealer_thread *sealer, size_t *ret_len)
{
    struct fl_job *jobs;

    lock(sealer);
    sealer->has_forgotten_more = false;
    jobs = fl_new_array(struct fl_job, sealer->forgotten.len + 1);
    *ret_len = sealer->forgotten.len;
    if (*ret_len > 0) memcpy(jobs, sealer->forgotten.at, *ret_len * sizeof(jobs[0]));
    unlock(sealer);
    return jobs;
}

/* Looks through all sealed files for output to drop. */
static void pass(struct log_sealer_thread *sealer)
{
    struct log_sealed_list list = all_sealed(sealer->index);
    size_t jobs_len;
    struct fl_job *jobs = forgotten_jobs(sealer, &jobs_len);
    bool *is_in_files = fl_new_array(bool, jobs_len + 1);
    uint64_t *middle_bytes = fl_new_array(uint64_t, list.len + 1);
    fl_ms oldest = fl_clock_wall() - sealer->config.retention_ms;

    log_budget_weigh(&sealer->budget, &list, middle_bytes);
    for (size_t i = 0; i < list.len; i++) {
        struct log_sealed *sealed = list.at[i];
        bool holds_forgotten = false;

        if (atomic_load(&sealed->is_damaged) && !sealed->is_told) { /* a reader has found it */
            sealed->is_told = true;
            tell_damage(sealer, sealed->path, 1);
        }
        if (sealer->config.retention_ms > 0 && sealed->sealed_at < oldest) {
            remove_file(sealer, sealed);
            continue;
        }
        for (size_t k = 0; k < jobs_len; k++) {
            if (!holds_job(sealed, jobs[k])) continue;
            holds_forgotten = true;
            is_in_files[k] = true; /* until the next pass, since the file is rewritten below */
        }
        if (holds_forgotten || (middle_bytes[i] > 0 && middle_bytes[i] >= sealed->raw_bytes / 2)) {
            struct log_sealed_list one = {.at = &sealed, .len = 1};

            /* After a failure the next pass tries again. */
            FL_IGNORE(write_again(sealer, &one));
        }
    }
    log_sealed_list_fini(&list);
    for (size_t k = 0; k < jobs_len; k++) {
        forget_done(sealer, jobs[k], is_in_files[k]);
    }
    fl_free(middle_bytes);
    fl_free(is_in_files);
    fl_free(jobs);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The lock is held. */
static void wait_until(struct log_sealer_thread *sealer, fl_ms at)
{
    struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
    int answer = pthread_cond_timedwait(&sealer->has_work, &sealer->lock, &until);

    (void)answer; /* woken or timed out, the caller looks again */
}

static void *keep(void *ctx)
{
    struct log_sealer_thread *sealer = ctx;

    lock(sealer);
    while (!sealer->is_stopping) {
        fl_ms now = fl_clock_mono();

        if (sealer->segments.len > 0 && now >= sealer->retry_at) {
            seal_next(sealer);
        } else if (sealer->has_forgotten_more || now >= sealer->pass_at) {
            unlock(sealer);
            pass(sealer);
            lock(sealer);
            sealer->pass_at = fl_clock_mono() + PASS_MS;
            sealer->may_merge = true;
        } else if (sealer->may_merge) { /* one merge at a time: segments go first */
            bool is_merged;

            unlock(sealer);
            is_merged = merge_some(sealer);
            lock(sealer);
            sealer->may_merge = is_merged;
        } else {
            wait_until(sealer, sealer->segments.len > 0 && sealer->retry_at < sealer->pass_at
                                   ? sealer->retry_at
                                   : sealer->pass_at);
        }
    }
    unlock(sealer);
    return NULL;
}

void log_sealer_thread_run(struct log_sealer_thread *sealer)
{
    fl_assert(pthread_create(&sealer->thread, NULL, keep, sealer) == 0);
    sealer->is_running = true;
}

void log_sealer_thread_stop(struct log_sealer_thread *sealer)
{
    if (!sealer->is_running) return;
    lock(sealer);
    sealer->is_stopping = true;
    fl_assert(pthread_cond_signal(&sealer->has_work) == 0);
    unlock(sealer);
    fl_assert(pthread_join(sealer->thread, NULL) == 0);
    sealer->is_running = false;
}
