#include "agent/supervise/sink.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/output/output_name.h"
#include "shared/base/assert.h"
#include "shared/wire/log_record.h"

enum { TAIL_FILES = 8 };

void sink_init(struct sink *sink, int dir, uint64_t head_bytes, uint64_t tail_bytes)
{
    *sink = (struct sink){
        .dir = dir,
        .fd = -1,
        .head_bytes = head_bytes,
        .tail_bytes = tail_bytes,
        .is_head = true,
    };
}

void sink_fini(struct sink *sink)
{
    if (sink->fd >= 0) close(sink->fd);
    sink->fd = -1;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool open_file(struct sink *sink, uint64_t offset)
{
    char name[OUTPUT_NAME_MAX];

    output_name(offset, name);
    sink->fd = openat(sink->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    sink->file_bytes = 0;
    return sink->fd >= 0;
}

static void close_file(struct sink *sink)
{
    if (sink->fd >= 0) close(sink->fd);
    sink->fd = -1;
}

/* Removes the oldest file as long as the newer ones hold tail_bytes, or there are too many. */
static void trim(struct sink *sink)
{
    while (sink->files_len > 1) {
        char name[OUTPUT_NAME_MAX];
        uint64_t rest = 0;

        for (size_t i = 1; i < sink->files_len; i++) {
            rest += sink->files[i].bytes;
        }
        if (rest < sink->tail_bytes && sink->files_len < SINK_FILES_MAX) return;
        output_name(sink->files[0].offset, name);
        unlinkat(sink->dir, name, 0);
        sink->files_len--;
        for (size_t i = 0; i < sink->files_len; i++) {
            sink->files[i] = sink->files[i + 1];
        }
    }
}

/* Opens the file for a record that begins at 'offset': a new one if the newest is full. */
static bool prepare(struct sink *sink, uint64_t offset)
{
    if (sink->is_head && offset < sink->head_bytes) {
        return sink->fd >= 0 || open_file(sink, 0);
    }
    if (sink->is_head) {
        close_file(sink);
        sink->is_head = false;
    }
    if (sink->files_len > 0 &&
        offset - sink->files[sink->files_len - 1].offset >= sink->tail_bytes / TAIL_FILES) {
        close_file(sink);
    }
    if (sink->fd >= 0) return true;
    if (!open_file(sink, offset)) return false;
    trim(sink);
    if (sink->files_len > 0 && sink->files[sink->files_len - 1].offset == offset) return true;
    sink->files[sink->files_len++] = (struct sink_file){.offset = offset};
    return true;
}

/* Writes a whole record or none: it cuts off a part that the disk took of one. */
static bool append(struct sink *sink, const struct iovec *parts, int parts_len)
{
    size_t want = 0;

    for (int i = 0; i < parts_len; i++) {
        want += parts[i].iov_len;
    }
    if (pwritev(sink->fd, parts, parts_len, (off_t)sink->file_bytes) == (ssize_t)want) {
        sink->file_bytes += want;
        return true;
    }
    /* If this fails too, the next record overwrites the rest; until then the end looks torn. */
    FL_IGNORE(ftruncate(sink->fd, (off_t)sink->file_bytes));
    return false;
}

/* ---- records --------------------------------------------------------------------------------- */

static void count(struct sink *sink, uint64_t bytes)
{
    if (!sink->is_head) sink->files[sink->files_len - 1].bytes += bytes;
}

/* Writes a gap record for the bytes from lost_at to 'offset'. */
static bool put_gap(struct sink *sink, fl_ms now, uint64_t offset)
{
    uint8_t bytes[FL_LOG_GAP_BYTES];
    struct fl_log_record record = {
        .offset = sink->lost_at,
        .time = now,
        .gap = FL_LOG_GAP_disk_full,
        .gap_bytes = offset - sink->lost_at,
    };

    if (sink->lost_at == offset) return true;
    fl_log_record_gap(bytes, &record);
    if (!prepare(sink, sink->lost_at)) return false;
    if (!append(sink, &(struct iovec){bytes, sizeof(bytes)}, 1)) return false;
    count(sink, record.gap_bytes);
    sink->lost_at = offset;
    return true;
}

static bool put_record(struct sink *sink, fl_ms now, const void *ptr, size_t len)
{
    uint8_t header[FL_LOG_RECORD_HEADER_BYTES];
    struct fl_log_record record = {
        .offset = sink->offset, .time = now, .bytes = {.at = ptr, .len = len}};
    struct iovec parts[2] = {{header, sizeof(header)}, {(void *)ptr, len}};

    if (!prepare(sink, sink->offset)) return false;
    fl_log_record_header(header, &record);
    if (!append(sink, parts, 2)) return false;
    count(sink, len);
    return true;
}

void sink_put(struct sink *sink, fl_ms now, const void *ptr, size_t len)
{
    bool is_kept;

    fl_assert(len > 0 && len <= FL_LOG_RECORD_DATA_MAX);
    is_kept = put_gap(sink, now, sink->offset) && put_record(sink, now, ptr, len);
    sink->offset += len;
    if (is_kept) {
        sink->lost_at = sink->offset;
    } else {
        sink->dropped_bytes += len;
    }
}

void sink_end(struct sink *sink, fl_ms now)
{
    if (!put_gap(sink, now, sink->offset)) sink->lost_at = sink->offset;
}
