#include "agent/kube/log_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/output/output.h"
#include "agent/output/output_name.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/vec.h"

#define MARK_FILE "mark"

/* The mark's file has two slots, written in turn, so that one is always whole. */
enum {
    SLOT_BYTES = 128,
    SLOT_CRC_AT = SLOT_BYTES - 4,
    SLOT_VERSION = 1,
    READ_BYTES = 1 << 16,
};

struct log_spools {
    int dir;
    uint64_t each_bytes_max, all_bytes_max, file_bytes_max;
    uint64_t bytes;
    unsigned spools_len;
};

struct spool_file {
    uint64_t offset; /* its first byte's; its name */
    uint64_t bytes;  /* on disk, up to its last whole record */
};

struct slot {
    uint64_t number; /* counts commits; 0: none */
    uint64_t offset; /* how much had been put */
    bool is_ended;
    fl_ms ended_at;
    size_t mark_len;
    uint8_t mark[LOG_SPOOL_MARK_BYTES_MAX];
};

struct log_spool {
    struct log_spools *spools;
    int dir, fd, mark_fd; /* fd: the newest file; -1: the next record opens one */
    FL_VEC(struct spool_file) files;
    uint64_t end; /* how much was put in all */
    uint64_t
        lost_at; /* bytes from here to 'end' are in no file: their gap is still to be written */
    bool is_ended;
    fl_ms ended_at;
    struct slot slot; /* the last commit */
    struct output_place place;
};

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_file(struct log_spool *spool, size_t i)
{
    char name[OUTPUT_NAME_MAX];

    output_name(spool->files.at[i].offset, name);
    unlinkat(spool->dir, name, 0);
    spool->spools->bytes -= spool->files.at[i].bytes;
    fl_vec_remove(&spool->files, i);
}

static uint64_t bytes_of(const struct log_spool *spool)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < spool->files.len; i++) {
        bytes += spool->files.at[i].bytes;
    }
    return bytes;
}

/* The oldest and the newest stay. */
static void trim(struct log_spool *spool)
{
    const struct log_spools *spools = spool->spools;

    while (spool->files.len > 2 &&
           (bytes_of(spool) > spools->each_bytes_max || spools->bytes > spools->all_bytes_max)) {
        remove_file(spool, 1);
    }
}

static void close_file(struct log_spool *spool)
{
    if (spool->fd >= 0) close(spool->fd);
    spool->fd = -1;
}

static struct spool_file *newest(struct log_spool *spool)
{
    if (spool->files.len == 0 || !spool->files.at) return NULL;
    return &spool->files.at[spool->files.len - 1];
}

/* Opens the file for a record that begins at 'offset': a new one if the newest is full. */
static bool prepare(struct log_spool *spool, uint64_t offset)
{
    const struct spool_file *file = newest(spool);
    char name[OUTPUT_NAME_MAX];
    int flags = O_WRONLY | O_CLOEXEC;

    if (file && file->bytes >= spool->spools->file_bytes_max && file->offset < offset) {
        close_file(spool);
        file = NULL;
    }
    if (spool->fd >= 0) return true;
    if (!file) flags |= O_CREAT | O_TRUNC;
    output_name(file ? file->offset : offset, name);
    spool->fd = openat(spool->dir, name, flags, 0600);
    if (spool->fd < 0) return false;
    if (!file) {
        fl_vec_push(&spool->files, (struct spool_file){.offset = offset});
        trim(spool);
    }
    return true;
}

/* Writes a whole record or none. */
static bool append(struct log_spool *spool, const struct iovec *parts, int parts_len)
{
    struct spool_file *file = newest(spool);
    size_t want = 0;

    for (int i = 0; i < parts_len; i++) {
        want += parts[i].iov_len;
    }
    if (spool->spools->bytes + want > spool->spools->all_bytes_max) {
        trim(spool);
        file = newest(spool);
    }
    if (pwritev(spool->fd, parts, parts_len, (off_t)file->bytes) == (ssize_t)want) {
        file->bytes += want;
        spool->spools->bytes += want;
        return true;
    }
    FL_IGNORE(ftruncate(spool->fd, (off_t)file->bytes)); /* else the end looks torn */
    return false;
}

/* ---- putting --------------------------------------------------------------------------------- */

static bool append_gap(struct log_spool *spool, struct fl_log_record *record)
{
    uint8_t bytes[FL_LOG_GAP_BYTES];

    fl_log_record_gap(bytes, record);
    return prepare(spool, record->offset) && append(spool, &(struct iovec){bytes, sizeof bytes}, 1);
}

/* Writes the gap for the bytes from lost_at to 'end'. */
static bool append_lost(struct log_spool *spool, fl_ms time)
{
    struct fl_log_record record = {
        .offset = spool->lost_at,
        .time = time,
        .gap = FL_LOG_GAP_disk_full,
        .gap_bytes = spool->end - spool->lost_at,
    };

    if (record.gap_bytes == 0) return true;
    if (!append_gap(spool, &record)) return false;
    spool->lost_at = spool->end;
    return true;
}

static bool append_record(struct log_spool *spool, struct fl_log_record *record)
{
    uint8_t header[FL_LOG_RECORD_HEADER_BYTES];
    struct iovec parts[2] = {{header, sizeof header},
                             {(char *)(uintptr_t)record->bytes.at, record->bytes.len}};

    fl_log_record_header(header, record);
    return prepare(spool, record->offset) && append(spool, parts, 2);
}

static void count(struct log_spool *spool, uint64_t bytes, bool is_kept)
{
    spool->end += bytes;
    if (is_kept) spool->lost_at = spool->end;
}

void log_spool_put(struct log_spool *spool, fl_ms time, struct fl_str bytes)
{
    struct fl_log_record record = {.offset = spool->end, .time = time, .bytes = bytes};

    fl_assert(!spool->is_ended && bytes.len > 0 && bytes.len <= FL_LOG_RECORD_DATA_MAX);
    count(spool, bytes.len, append_lost(spool, time) && append_record(spool, &record));
}

void log_spool_put_gap(struct log_spool *spool, fl_ms time, enum fl_log_gap gap, uint64_t bytes)
{
    struct fl_log_record record = {
        .offset = spool->end, .time = time, .gap = gap, .gap_bytes = bytes};

    fl_assert(!spool->is_ended && bytes > 0);
    count(spool, bytes, append_lost(spool, time) && append_gap(spool, &record));
}

void log_spool_end(struct log_spool *spool, fl_ms now)
{
    spool->is_ended = true;
    spool->ended_at = now;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void encode_slot(const struct slot *slot, uint8_t ret_bytes[SLOT_BYTES])
{
    struct fl_buf out;
    uint32_t crc;
    bool is_put;

    memset(ret_bytes, 0, SLOT_BYTES);
    fl_buf_init(&out, SLOT_CRC_AT);
    is_put = fl_buf_put_u32(&out, SLOT_VERSION) && fl_buf_put_u64(&out, slot->number) &&
             fl_buf_put_u64(&out, slot->offset) && fl_buf_put_u8(&out, slot->is_ended) &&
             fl_buf_put_i64(&out, slot->ended_at) &&
             fl_buf_put_bytes(&out, slot->mark, slot->mark_len);
    fl_assert(is_put);
    memcpy(ret_bytes, out.at, out.len);
    fl_buf_clear(&out);
    crc = fl_crc32c(0, ret_bytes, SLOT_CRC_AT);
    is_put = fl_buf_put_u32(&out, crc);
    fl_assert(is_put);
    memcpy(ret_bytes + SLOT_CRC_AT, out.at, out.len);
    fl_buf_fini(&out);
}

/* False: it is torn, or was never written. */
static bool decode_slot(const uint8_t bytes[SLOT_BYTES], struct slot *ret_slot)
{
    struct fl_reader crc = fl_reader(bytes + SLOT_CRC_AT, SLOT_BYTES - SLOT_CRC_AT);
    struct fl_reader reader = fl_reader(bytes, SLOT_CRC_AT);
    struct slot slot = {0};
    struct fl_str mark;

    if (fl_read_u32(&crc) != fl_crc32c(0, bytes, SLOT_CRC_AT)) return false;
    if (fl_read_u32(&reader) != SLOT_VERSION) return false;
    slot.number = fl_read_u64(&reader);
    slot.offset = fl_read_u64(&reader);
    slot.is_ended = fl_read_u8(&reader);
    slot.ended_at = fl_read_i64(&reader);
    mark = fl_read_bytes(&reader, LOG_SPOOL_MARK_BYTES_MAX);
    if (reader.is_bad || slot.number == 0) return false;
    slot.mark_len = mark.len;
    if (mark.len > 0) memcpy(slot.mark, mark.at, mark.len);
    *ret_slot = slot;
    return true;
}

static bool read_mark(struct log_spool *spool, struct fl_err *err)
{
    uint8_t bytes[2 * SLOT_BYTES];
    struct slot slot;
    ssize_t len;

    spool->mark_fd = openat(spool->dir, MARK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool->mark_fd < 0) return fl_fail(err, FL_IO, "%s: %s", MARK_FILE, strerror(errno));
    len = pread(spool->mark_fd, bytes, sizeof bytes, 0);
    if (len < 0) return fl_fail(err, FL_IO, "%s: %s", MARK_FILE, strerror(errno));
    for (ssize_t at = 0; at + SLOT_BYTES <= len; at += SLOT_BYTES) {
        if (decode_slot(bytes + at, &slot) && slot.number > spool->slot.number) spool->slot = slot;
    }
    return true;
}

bool log_spool_commit(struct log_spool *spool, struct fl_str mark, struct fl_err *err)
{
    struct slot slot = {
        .number = spool->slot.number + 1,
        .offset = spool->end,
        .is_ended = spool->is_ended,
        .ended_at = spool->ended_at,
        .mark_len = mark.len,
    };
    uint8_t bytes[SLOT_BYTES];
    off_t at = (off_t)(slot.number % 2) * SLOT_BYTES;

    fl_assert(mark.len <= LOG_SPOOL_MARK_BYTES_MAX);
    if (mark.len > 0) memcpy(slot.mark, mark.at, mark.len);
    encode_slot(&slot, bytes);
    if (pwrite(spool->mark_fd, bytes, sizeof bytes, at) != (ssize_t)sizeof bytes) {
        return fl_fail(err, FL_IO, "cannot write where a log stands: %s", strerror(errno));
    }
    spool->slot = slot;
    return true;
}

struct fl_str log_spool_mark(const struct log_spool *spool)
{
    return (struct fl_str){(const char *)spool->slot.mark, spool->slot.mark_len};
}

/* ---- opening --------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b)
{
    const struct spool_file *one = a, *other = b;

    return (one->offset > other->offset) - (one->offset < other->offset);
}

static bool list_files(struct log_spool *spool, struct fl_err *err)
{
    int fd = openat(spool->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    if (!folder) {
        if (fd >= 0) close(fd);
        return fl_fail(err, FL_IO, "cannot list it: %s", strerror(errno));
    }
    while ((entry = readdir(folder))) {
        struct spool_file file = {0};
        struct stat stat;

        if (!output_name_parse(entry->d_name, &file.offset)) continue;
        if (fstatat(spool->dir, entry->d_name, &stat, 0) != 0) continue;
        file.bytes = (uint64_t)stat.st_size;
        spool->spools->bytes += file.bytes;
        fl_vec_push(&spool->files, file);
    }
    closedir(folder);
    if (spool->files.len > 1) {
        qsort(spool->files.at, spool->files.len, sizeof *spool->files.at, by_offset);
    }
    return true;
}

/* Walks through the newest file, up to the last commit and its last good record. */
static void scan_file(int fd, uint64_t offset, uint64_t commit, uint64_t *ret_bytes,
                      uint64_t *ret_end)
{
    uint8_t *piece = fl_alloc(READ_BYTES);
    struct fl_log_record record;
    struct fl_log_scan scan;
    bool is_done = false;
    off_t at = 0;

    fl_log_scan_init(&scan, offset);
    *ret_bytes = 0;
    *ret_end = offset;
    while (!is_done) {
        ssize_t len = pread(fd, piece, READ_BYTES, at);
        struct fl_str bytes = {(const char *)piece, len > 0 ? (size_t)len : 0};

        if (len <= 0) break;
        at += len;
        while (!is_done && fl_log_scan_next(&scan, &bytes, &record) == FL_LOG_READY) {
            is_done = scan.next_offset > commit;
            if (is_done) break;
            *ret_bytes = scan.good_bytes;
            *ret_end = scan.next_offset;
        }
        is_done = is_done || scan.is_bad;
    }
    fl_log_scan_fini(&scan);
    fl_free(piece);
}

/* Cuts off what was put since the last commit. */
static bool recover(struct log_spool *spool, struct fl_err *err)
{
    uint64_t commit = spool->slot.offset, end = 0;
    struct spool_file *file;
    char name[OUTPUT_NAME_MAX];

    while (newest(spool) && newest(spool)->offset >= commit) {
        remove_file(spool, spool->files.len - 1);
    }
    file = newest(spool);
    if (file) {
        uint64_t bytes;

        output_name(file->offset, name);
        spool->fd = openat(spool->dir, name, O_RDWR | O_CLOEXEC);
        if (spool->fd < 0) return fl_fail(err, FL_IO, "%s: %s", name, strerror(errno));
        scan_file(spool->fd, file->offset, commit, &bytes, &end);
        if (ftruncate(spool->fd, (off_t)bytes) != 0) {
            return fl_fail(err, FL_IO, "%s: %s", name, strerror(errno));
        }
        spool->spools->bytes -= file->bytes - bytes;
        file->bytes = bytes;
    }
    spool->lost_at = end;
    spool->end = commit;
    spool->is_ended = spool->slot.is_ended;
    spool->ended_at = spool->slot.ended_at;
    return true;
}

static bool open_folder(struct log_spool *spool, const char *name, struct fl_err *err)
{
    if (mkdirat(spool->spools->dir, name, 0700) != 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "cannot make it: %s", strerror(errno));
    }
    spool->dir = openat(spool->spools->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool->dir < 0) return fl_fail(err, FL_IO, "cannot open it: %s", strerror(errno));
    return true;
}

bool log_spool_open(struct log_spools *spools, const char *name, struct log_spool **ret_spool,
                    struct fl_err *err)
{
    struct log_spool *spool = fl_new(struct log_spool);

    *spool = (struct log_spool){.spools = spools, .dir = -1, .fd = -1, .mark_fd = -1};
    spools->spools_len++;
    if (!open_folder(spool, name, err) || !read_mark(spool, err) || !list_files(spool, err) ||
        !recover(spool, err)) {
        log_spool_close(spool);
        return fl_err_wrap(err, "the log spool %s", name);
    }
    *ret_spool = spool;
    return true;
}

void log_spool_close(struct log_spool *spool)
{
    if (!spool) return;
    spool->spools->bytes -= bytes_of(spool);
    spool->spools->spools_len--;
    close_file(spool);
    if (spool->mark_fd >= 0) close(spool->mark_fd);
    if (spool->dir >= 0) close(spool->dir);
    fl_vec_fini(&spool->files);
    fl_free(spool);
}

static void empty_folder(int dir)
{
    DIR *folder = fdopendir(dir);
    const struct dirent *entry;

    if (!folder) {
        close(dir);
        return;
    }
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] != '.') unlinkat(dir, entry->d_name, 0);
    }
    closedir(folder);
}

bool log_spool_remove(struct log_spools *spools, const char *name, struct fl_err *err)
{
    int dir = openat(spools->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0 && errno == ENOENT) return true;
    if (dir >= 0) empty_folder(dir);
    if (unlinkat(spools->dir, name, AT_REMOVEDIR) == 0) return true;
    return fl_fail(err, FL_IO, "cannot remove the log spool %s: %s", name, strerror(errno));
}

bool log_spools_create(const struct log_spools_config *config, struct log_spools **ret_spools,
                       struct fl_err *err)
{
    struct log_spools *spools;
    int dir = open(config->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0) return fl_fail(err, FL_IO, "%s: %s", config->path, strerror(errno));
    spools = fl_new(struct log_spools);
    *spools = (struct log_spools){
        .dir = dir,
        .each_bytes_max = config->each_bytes_max,
        .all_bytes_max = config->all_bytes_max,
        .file_bytes_max = config->each_bytes_max / LOG_SPOOL_FILES,
    };
    if (spools->file_bytes_max < LOG_SPOOL_FILE_BYTES_MIN) {
        spools->file_bytes_max = LOG_SPOOL_FILE_BYTES_MIN;
    }
    *ret_spools = spools;
    return true;
}

void log_spools_destroy(struct log_spools *spools)
{
    if (!spools) return;
    fl_assert(spools->spools_len == 0);
    close(spools->dir);
    fl_free(spools);
}

uint64_t log_spools_bytes(const struct log_spools *spools)
{
    return spools->bytes;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool log_spool_read(struct log_spool *spool, uint64_t offset, size_t bytes_max,
                    struct fl_buf *records, struct runtime_output *ret_output, struct fl_err *err)
{
    struct output_end end = {.is_known = true, .bytes = spool->end, .at = spool->ended_at};

    return output_read(spool->dir, &spool->place, offset, bytes_max, spool->is_ended ? &end : NULL,
                       records, ret_output, err);
}

void log_spool_taken(struct log_spool *spool, uint64_t offset)
{
    while (spool->files.len > 1 && spool->files.at[1].offset <= offset) {
        remove_file(spool, 0);
    }
}

uint64_t log_spool_bytes(const struct log_spool *spool)
{
    return spool->end;
}

bool log_spool_is_ended(const struct log_spool *spool)
{
    return spool->is_ended;
}
