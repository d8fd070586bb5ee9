#include "controlplane/logs/log_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controlplane/logs/index.h"
#include "controlplane/logs/reader.h"
#include "controlplane/logs/rebuild.h"
#include "controlplane/logs/sealer_thread.h"
#include "controlplane/logs/store_threads.h"
#include "controlplane/logs/worker.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

struct log_store {
    struct log_store_config config;
    char *dir;
    struct log_index index;
    struct log_worker *worker;
    struct log_reader *reader;
    struct log_sealer_thread *sealer;
};

struct log_store_config log_store_config_default(const char *dir)
{
    return (struct log_store_config){
        .dir = dir,
        .segment_bytes = 64u << 20,
        .segment_age_ms = FL_HOUR_MS,
        .attempt_bytes_max = (uint64_t)256 << 20,
        .sources_max = 262144,
        .ended_max = 8192,
        .sync_ms = 100,
        .retention_ms = 30 * 24 * FL_HOUR_MS,
        .damaged_wait_ms = 15 * FL_MINUTE_MS,
        .stray_wait_ms = 15 * FL_MINUTE_MS,
        .ring_bytes = 16u << 20,
        .inbox_bytes_max = 32u << 20,
        .requests_max = 16384,
    };
}

struct log_store_threads log_store_threads(const struct log_store *store)
{
    return (struct log_store_threads){.worker = store->worker,
                                      .reader = store->reader,
                                      .requests_max = store->config.requests_max,
                                      .stray_wait_ms = store->config.stray_wait_ms};
}

/* ---- the start ------------------------------------------------------------------------------- */

/* A file of the directory, read from its name: CLUSTER-SEQ.open or .sealed, both in hex. */
struct file {
    uint64_t seq;
    uint32_t cluster;
    char *path;
    bool is_sealed;
};

struct file_list {
    struct file *at;
    size_t len, cap;
    bool has_damaged; /* files that were kept, since they are damaged */
};

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    size_t end_len = strlen(end);

    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

static char *join(const char *dir, const char *name)
{
    size_t bytes = strlen(dir) + strlen(name) + 2;
    char *path = fl_alloc(bytes);

    snprintf(path, bytes, "%s/%s", dir, name);
    return path;
}

static int file_cmp(const void *a, const void *b)
{
    const struct file *x = a;
    const struct file *y = b;

    if (x->seq != y->seq) return x->seq < y->seq ? -1 : 1;
    return y->is_sealed - x->is_sealed; /* the sealed file first: it replaces the open one */
}

static bool list_files(const char *path, struct file_list *list, struct fl_err *err)
{
    DIR *dir = opendir(path);
    struct dirent *found;

    if (!dir) return fl_fail(err, FL_IO, "open %s: %s", path, strerror(errno));
    while ((found = readdir(dir))) {
        bool is_sealed = ends_with(found->d_name, ".sealed");
        char *end;
        uint64_t seq;

        if (ends_with(found->d_name, ".part")) { /* a sealed file that was not finished */
            char *part = join(path, found->d_name);

            unlink(part);
            fl_free(part);
            continue;
        }
        list->has_damaged = list->has_damaged || ends_with(found->d_name, ".damaged");
        if (!is_sealed && !ends_with(found->d_name, ".open")) continue;
        if (strlen(found->d_name) < 25 || found->d_name[8] != '-') continue;
        seq = strtoull(found->d_name + 9, &end, 16);
        if (*end != '.') continue;
        fl_vec_push(list, (struct file){.seq = seq,
                                        .cluster = (uint32_t)strtoull(found->d_name, NULL, 16),
                                        .path = join(path, found->d_name),
                                        .is_sealed = is_sealed});
    }
    closedir(dir);
    if (list->len > 0) qsort(list->at, list->len, sizeof(list->at[0]), file_cmp);
    return true;
}

struct recovery {
    struct log_store *store;
    bool has_damage; /* something stored was found damaged, now or before */
    uint64_t gaps;   /* in the segment */
};

/* Puts an output into the table that begins in this segment, as far as this start has seen.  Behind
 * damage, bytes between its last file and here may be lost. */
static struct log_output *add_output(struct recovery *recovery, const struct log_segment *segment,
                                     const struct log_entry *entry)
{
    struct log_index *index = &recovery->store->index;
    struct log_known known = {.place = entry->place};
    struct fl_err err = {0};
    struct log_output *output;

    if ((recovery->has_damage || segment->is_damaged) && entry->place.offset > 0 &&
        !log_index_sealed_end(index, segment->header.cluster, &entry->key, &known, &err)) {
        fl_log(FL_LOG_ERROR, "logs", "look_up_failed", FL_LOG_ERR(&err));
    }
    log_index_lock(index);
    output = log_index_add(index, &entry->key, segment->header.cluster, &known.place);
    log_index_unlock(index);
    return output;
}

/* Puts an entry of a recovered segment into the index. */
static void recover_entry(void *ctx, struct log_segment *segment, const struct log_entry *entry)
{
    struct recovery *recovery = ctx;
    struct log_index *index = &recovery->store->index;
    struct log_output *output;

    log_index_lock(index);
    output = log_index_find(index, &entry->key);
    log_index_unlock(index);
    if (!output) output = add_output(recovery, segment, entry);
    log_index_lock(index);
    if (entry->kind == LOG_ENTRY_SOURCE && entry->place.offset < output->place.offset) {
        /* The source was set back: later bytes of an earlier segment were never acknowledged. */
        log_index_unmark_from(index, output, entry->place.offset);
    } else if (entry->place.offset > output->place.offset) {
        log_index_mark_gap(index, output, segment, entry->place.offset,
                           output->marks.len > 0 ? output->marks.at[output->marks.len - 1].time
                                                 : entry->run.time);
        recovery->gaps++;
    }
    if (entry->kind == LOG_ENTRY_RECORDS) {
        log_index_mark(index, output, segment, entry->pos, entry->len, &entry->run,
                       entry->place.lines);
    }
    output->place = output->durable = output->queued = entry->after;
    output->unsealed_seq = output->segment_seq = segment->header.seq;
    output->segment_number = entry->number;
    output->is_ended = entry->kind == LOG_ENTRY_END;
    log_index_unlock(index);
}

/* Outputs of earlier segments, which are not sealed yet, go on in this file.  Their agents may have
 * been set back to a hole first: then the file has what the segments lack.  The index is locked,
 * and no other thread runs yet. */
static void recover_further(struct recovery *recovery, const struct log_sealed *sealed)
{
    struct log_index *index = &recovery->store->index;
    struct log_key_range all = {sealed->first, sealed->last};

    for (struct log_output *output = log_index_first(index, &all); output;
         output = log_index_next(index, &all, output)) {
        struct log_sealed_output found;
        struct log_sealed_piece piece;
        struct fl_err err = {0};
        bool is_there;

        if (output->cluster.n != sealed->header.cluster.n) continue;
        if (!log_sealed_find(sealed, &output->node.key, &is_there, &found, &err) || !is_there ||
            (found.pieces_len > 0 && !log_sealed_piece_at(sealed, found.piece, &piece, &err))) {
            continue; /* a later read fails too, and tells */
        }
        if (found.pieces_len > 0 && piece.offset < output->place.offset) {
            log_index_unmark_from(index, output, piece.offset);
        }
        output->place = output->durable = output->queued = found.place;
        output->is_ended = found.is_ended;
    }
}

/* 'may_resume': there is no later file of its cluster. */
static bool recover_open(struct recovery *recovery, const struct file *file,
                         const struct log_disk *disk, bool may_resume, struct fl_err *err)
{
    struct log_store *store = recovery->store;
    struct log_segment_header named = {.cluster = {file->cluster}, .seq = file->seq};
    struct log_segment *segment;
    struct log_damage damage;

    recovery->gaps = 0;
    segment = log_segment_recover(file->path, &named, disk, recover_entry, recovery, &damage, err);
    if (!segment && err->code == FL_TORN) { /* it was not even made completely */
        *err = (struct fl_err){0};
        unlink(file->path);
        return true;
    }
    if (!segment) return false;
    recovery->has_damage = recovery->has_damage || segment->is_damaged;
    if (segment->is_damaged) {
        fl_log(FL_LOG_ERROR, "logs", "segment_damaged", FL_LOG_S("file", file->path),
               FL_LOG_N("at", damage.at), FL_LOG_N("bytes", damage.bytes),
               FL_LOG_N("gaps", recovery->gaps));
        log_sealer_thread_note_damage(store->sealer, recovery->gaps > 0 ? recovery->gaps : 1);
        log_worker_hold(store->worker, segment);
        log_sealer_thread_hold(store->sealer, &segment->header);
    } else if (may_resume && segment->bytes < store->config.segment_bytes / 2) {
        log_worker_resume(store->worker, segment);
    } else {
        log_sealer_thread_seal(store->sealer, segment);
    }
    return true;
}

/* The tables of a sealed file are damaged.  An open segment beside it has all that the file has;
 * else they are made again, before any agent asks where its output ends. */
static struct log_sealed *mend_sealed(struct log_store *store, const struct file *file,
                                      bool has_segment)
{
    struct log_segment_header named = {.cluster = {file->cluster}, .seq = file->seq};
    struct log_rebuilt rebuilt = {0};
    struct fl_err err = {0};

    if (has_segment) {
        char *kept = log_file_path(store->dir, &named, "sealed.damaged");

        if (rename(file->path, kept) != 0) {
            fl_log(FL_LOG_ERROR, "logs", "keep_failed", FL_LOG_S("file", file->path));
        }
        fl_free(kept);
    } else if (log_rebuild(store->dir, file->path, &named, &rebuilt, &err)) {
        log_sealer_thread_note_damage(store->sealer, rebuilt.lost);
        fl_log(FL_LOG_WARN, "logs", "sealed_rebuilt", FL_LOG_S("file", file->path),
               FL_LOG_N("outputs", rebuilt.sealed->outputs_len), FL_LOG_N("lost", rebuilt.lost));
    } else { /* the store starts without it; the file stays for a person to look at */
        fl_log(FL_LOG_ERROR, "logs", "rebuild_failed", FL_LOG_S("file", file->path),
               FL_LOG_ERR(&err));
    }
    return rebuilt.sealed;
}

/* False: it is not there, and an open segment of the same seq is to be used. */
static bool recover_sealed(struct recovery *recovery, const struct file *file, bool has_segment)
{
    struct log_store *store = recovery->store;
    struct fl_err err = {0};
    struct log_sealed *sealed = log_sealed_open(file->path, &err);

    if (!sealed) {
        fl_log(FL_LOG_ERROR, "logs", "sealed_damaged", FL_LOG_S("file", file->path),
               FL_LOG_ERR(&err));
        log_sealer_thread_note_damage(store->sealer, 1);
        recovery->has_damage = true;
        if (err.code != FL_UNSUPPORTED) sealed = mend_sealed(store, file, has_segment);
    }
    if (!sealed) return false;
    log_index_lock(&store->index);
    recover_further(recovery, sealed);
    log_index_seal(&store->index, sealed);
    log_index_unlock(&store->index);
    return true;
}

static bool is_last(const struct file_list *files, size_t i)
{
    for (size_t k = i + 1; k < files->len; k++) {
        if (files->at[k].cluster == files->at[i].cluster) return false;
    }
    return true;
}

static bool recover(struct log_store *store, const struct file_list *files,
                    const struct log_disk *disk, struct fl_err *err)
{
    struct recovery recovery = {.store = store, .has_damage = files->has_damaged};
    bool is_sealed = false; /* the file before this one is sealed, and in use */

    for (size_t i = 0; i < files->len; i++) {
        const struct file *file = &files->at[i];

        if (file->is_sealed) {
            bool has_segment = i + 1 < files->len && files->at[i + 1].seq == file->seq;

            is_sealed = recover_sealed(&recovery, file, has_segment);
        } else if (is_sealed && files->at[i - 1].seq == file->seq) {
            unlink(file->path); /* the sealed file replaces it */
        } else if (!recover_open(&recovery, file, disk, is_last(files, i), err)) {
            return false;
        }
    }
    return true;
}

static void free_files(struct file_list *files)
{
    for (size_t i = 0; i < files->len; i++) {
        fl_free(files->at[i].path);
    }
    fl_vec_fini(files);
}

static void make_parts(struct log_store *store, uint64_t seq)
{
    const struct log_store_config *config = &store->config;

    store->sealer = log_sealer_thread_create(
        &(struct log_sealer_thread_config){.dir = store->dir,
                                           .attempt_bytes_max = config->attempt_bytes_max,
                                           .retention_ms = config->retention_ms},
        &store->index);
    store->reader = log_reader_create(&store->index, config->requests_max);
    store->worker = log_worker_create(
        &(struct log_worker_config){.dir = store->dir,
                                    .disk = config->disk ? config->disk : &log_disk_system,
                                    .segment_bytes = config->segment_bytes,
                                    .segment_age_ms = config->segment_age_ms,
                                    .sources_max = config->sources_max,
                                    .ended_max = config->ended_max,
                                    .damaged_wait_ms = config->damaged_wait_ms,
                                    .sync_ms = config->sync_ms,
                                    .inbox_bytes_max = config->inbox_bytes_max},
        &store->index, store->reader, store->sealer, seq);
}

static bool is_valid(const struct log_store_config *config, struct fl_err *err)
{
    if (config->segment_bytes < (uint32_t)LOG_BLOCK_BYTES || config->segment_bytes > 1u << 30) {
        return fl_fail(err, FL_INVALID, "segments of %u bytes", config->segment_bytes);
    }
    if (config->attempt_bytes_max < LOG_BLOCK_BYTES || config->sources_max == 0 ||
        config->requests_max == 0 || config->inbox_bytes_max < 1u << 20) {
        return fl_fail(err, FL_INVALID, "a limit of the log store is too small");
    }
    return true;
}

struct log_store *log_store_create(const struct log_store_config *config, struct fl_err *err)
{
    struct log_store *store;
    struct file_list files = {0};
    const struct log_disk *disk = config->disk ? config->disk : &log_disk_system;

    if (!is_valid(config, err)) return NULL;
    if (mkdir(config->dir, 0700) != 0 && errno != EEXIST) {
        fl_fail(err, FL_IO, "make %s: %s", config->dir, strerror(errno));
        return NULL;
    }
    if (!list_files(config->dir, &files, err)) return NULL;
    store = fl_new(struct log_store);
    store->config = *config;
    store->dir = join(config->dir, "");
    store->dir[strlen(config->dir)] = '\0';
    log_index_init(&store->index, config->ring_bytes);
    make_parts(store, files.len > 0 ? files.at[files.len - 1].seq + 1 : 1);
    if (!log_sealer_thread_load(store->sealer, err) || !recover(store, &files, disk, err)) {
        free_files(&files);
        log_store_destroy(store);
        return NULL;
    }
    free_files(&files);
    log_sealer_thread_run(store->sealer);
    log_reader_run(store->reader);
    log_worker_run(store->worker);
    return store;
}

void log_store_destroy(struct log_store *store)
{
    if (!store) return;
    log_worker_destroy(store->worker);
    log_reader_destroy(store->reader);
    log_sealer_thread_destroy(store->sealer);
    log_index_fini(&store->index);
    fl_free(store->dir);
    fl_free(store);
}

bool log_store_forget(struct log_store *store, struct fl_job job, struct fl_err *err)
{
    struct log_request *request;

    if (!log_sealer_thread_forget(store->sealer, job, err)) return false;
    request = fl_new(struct log_request);
    request->kind = LOG_REQUEST_FORGET;
    request->key.attempt.job = job;
    if (log_worker_put(store->worker, request)) return true;
    fl_free(request);
    return fl_fail(err, FL_UNAVAILABLE,
                   "the log store is busy; the job is forgotten, say it again");
}

struct log_store_stats log_store_stats(struct log_store *store)
{
    struct log_worker_stats worker = log_worker_stats(store->worker);
    struct log_sealer_thread_stats sealer = log_sealer_thread_stats(store->sealer);
    struct log_store_stats stats = {
        .bytes_appended = worker.bytes_appended,
        .records_appended = worker.records_appended,
        .appends_refused = worker.appends_refused,
        .chains_differ = worker.chains_differ,
        .syncs = worker.syncs,
        .syncs_failed = worker.syncs_failed,
        .sync_us_max = worker.sync_us_max,
        .segments_sealed = sealer.segments_sealed,
        .segments_removed = sealer.segments_removed,
        .damaged = sealer.damaged,
        .files_merged = sealer.files_merged,
        .files_trimmed = sealer.files_trimmed,
        .sealed_bytes_in = sealer.bytes_in,
        .sealed_bytes_out = sealer.bytes_out,
        .segments_open = worker.segments_open,
        .sources_waiting = worker.sources_waiting,
        .sources_max = store->config.sources_max,
        .followers = log_reader_followers(store->reader),
        .inbox_bytes = worker.inbox_bytes,
        .is_full = worker.is_full,
    };

    log_index_lock(&store->index);
    stats.sources = store->index.outputs_len;
    stats.files_sealed = store->index.sealed.len;
    log_index_unlock(&store->index);
    return stats;
}
