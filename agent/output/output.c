#include "agent/output/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/output/output_name.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/wire/log_record.h"

enum { PIECE_BYTES = 4 * FL_LOG_RECORD_BYTES_MAX };

#define NO_FILE UINT64_MAX

struct reading {
    int dir;
    struct output_place *place;
    size_t bytes_max;
    size_t begin; /* where this call's records begin in 'records' */
    struct fl_buf *records;
    uint8_t *piece; /* bytes read from the file */
    bool is_full;
    int failed; /* errno of a file that cannot be read: this is not the output's end */
};

/* ---- files ----------------------------------------------------------------------------------- */

/* Finds the newest file that begins at or before 'offset', and the oldest that begins behind it;
 * NO_FILE if there is none. */
static bool find_files(int dir, uint64_t offset, uint64_t *ret_before, uint64_t *ret_behind,
                       struct fl_err *err)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    *ret_before = *ret_behind = NO_FILE;
    if (!folder) {
        if (fd >= 0) close(fd);
        return fl_fail(err, FL_IO, "cannot list a replica's files: %s", strerror(errno));
    }
    while ((entry = readdir(folder))) {
        uint64_t file;

        if (!output_name_parse(entry->d_name, &file) || file == NO_FILE) continue;
        if (file <= offset && (*ret_before == NO_FILE || file > *ret_before)) *ret_before = file;
        if (file > offset && file < *ret_behind) *ret_behind = file;
    }
    closedir(folder);
    return true;
}

static ssize_t read_piece(struct reading *reading, uint64_t file, int64_t at)
{
    char name[OUTPUT_NAME_MAX];
    ssize_t len;
    int fd;

    output_name(file, name);
    fd = openat(reading->dir, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT) reading->failed = errno;
        return -1;
    }
    len = pread(fd, reading->piece, PIECE_BYTES, at);
    if (len < 0) reading->failed = errno;
    close(fd);
    return len;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool put(struct reading *reading, struct fl_log_record *record)
{
    size_t len = record->gap ? FL_LOG_GAP_BYTES : FL_LOG_RECORD_HEADER_BYTES + record->bytes.len;
    size_t put_bytes = reading->records->len - reading->begin;

    if (put_bytes > 0 && put_bytes + len > reading->bytes_max) reading->is_full = true;
    if (reading->is_full || !fl_log_record_put(reading->records, record)) {
        reading->is_full = true;
        return false;
    }
    reading->place->next = fl_log_record_end(record);
    return true;
}

static bool put_gap(struct reading *reading, uint64_t up_to, fl_ms time, enum fl_log_gap gap)
{
    struct fl_log_record record = {
        .offset = reading->place->next,
        .time = time,
        .gap = gap,
        .gap_bytes = up_to - reading->place->next,
    };

    return reading->place->next >= up_to || put(reading, &record);
}

/* The part of a record from 'offset' on. */
static void cut_front(struct fl_log_record *record, uint64_t offset)
{
    uint64_t len = offset - record->offset;

    if (record->offset >= offset) return;
    record->offset = offset;
    if (record->gap) {
        record->gap_bytes -= len;
    } else {
        record->bytes.at += len;
        record->bytes.len -= len;
    }
}

/* Puts records of the place's file from its byte on.  True: it put or passed over some, and there
 * may be more.  False: the file has no more now, or 'records' is full. */
static bool read_records(struct reading *reading)
{
    struct output_place *place = reading->place;
    ssize_t len = read_piece(reading, place->file, place->at);
    struct fl_str rest = {(const char *)reading->piece, len > 0 ? (size_t)len : 0};
    struct fl_log_record record;
    bool has_moved = false;

    for (;;) {
        struct fl_str before = rest;

        if (fl_log_record_next(&rest, &record) != FL_LOG_READY) return has_moved;
        if (fl_log_record_end(&record) > place->next) {
            cut_front(&record, place->next);
            if (!put_gap(reading, record.offset, record.time, FL_LOG_GAP_limit)) return false;
            if (!put(reading, &record)) return false;
        }
        place->at += (int64_t)(before.len - rest.len);
        has_moved = true;
    }
}

static bool is_in_place(const struct output_place *place, uint64_t offset)
{
    return place->next == offset && (place->at > 0 || offset > 0);
}

static bool search(struct reading *reading, uint64_t offset, struct fl_err *err)
{
    uint64_t before;
    uint64_t behind;

    if (is_in_place(reading->place, offset)) return true;
    if (!find_files(reading->dir, offset, &before, &behind, err)) return false;
    *reading->place = (struct output_place){
        .next = offset,
        .file = before != NO_FILE   ? before
                : behind != NO_FILE ? behind
                                    : 0,
    };
    return true;
}

/* Moves to the next file.  It first reads the present file to its end once more, which may have
 * grown until the next file was begun. */
static bool next_file(struct reading *reading, struct fl_err *err)
{
    uint64_t before;
    uint64_t behind;

    if (!find_files(reading->dir, reading->place->file, &before, &behind, err)) return false;
    if (behind == NO_FILE) return false;
    while (read_records(reading)) {
    }
    if (reading->is_full || reading->failed) return false;
    reading->place->file = behind;
    reading->place->at = 0;
    return true;
}

bool output_read(int dir, struct output_place *place, uint64_t offset, size_t bytes_max,
                 const struct output_end *end, struct fl_buf *records,
                 struct runtime_output *ret_output, struct fl_err *err)
{
    struct fl_err trouble = {0};
    struct reading reading = {
        .dir = dir,
        .place = place,
        .bytes_max = bytes_max,
        .begin = records->len,
        .records = records,
    };

    fl_assert(records->max - records->len >= FL_LOG_RECORD_BYTES_MAX);
    if (!search(&reading, offset, err)) return false;
    reading.piece = fl_alloc(PIECE_BYTES);
    do {
        while (read_records(&reading)) {
        }
    } while (!reading.is_full && !reading.failed && next_file(&reading, &trouble));
    fl_free(reading.piece);
    if (reading.failed) {
        fl_fail(&trouble, FL_IO, "cannot read a replica's output: %s", strerror(reading.failed));
    }
    if (trouble.code) {
        *err = trouble;
        return false;
    }
    /* A last gap stands for bytes that a full disk did not take, or whose files were given up. */
    if (end && end->is_known && !reading.is_full) {
        put_gap(&reading, end->bytes, end->at,
                end->is_given_up ? FL_LOG_GAP_rotated : FL_LOG_GAP_disk_full);
    }
    *ret_output = (struct runtime_output){
        .next_offset = place->next,
        .end_offset = end && end->is_known ? end->bytes : place->next,
        .is_more = reading.is_full,
        .is_ended = end && !reading.is_full,
    };
    return true;
}

uint64_t output_bytes(int dir)
{
    struct output_place place = {0};
    struct runtime_output output = {.is_more = true};
    struct fl_err err = {0};
    struct fl_buf buf;
    uint64_t newest;
    uint64_t behind;

    /* The newest file holds the end of the output. */
    if (!find_files(dir, NO_FILE - 1, &newest, &behind, &err) || newest == NO_FILE) return 0;
    fl_buf_init(&buf, (size_t)8 * FL_LOG_RECORD_BYTES_MAX);
    place = (struct output_place){.next = newest, .file = newest};
    output.next_offset = newest;
    while (output.is_more) {
        fl_buf_clear(&buf);
        if (!output_read(dir, &place, output.next_offset, buf.max, NULL, &buf, &output, &err)) {
            break;
        }
    }
    fl_buf_fini(&buf);
    return place.next;
}
