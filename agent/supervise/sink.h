/* sink.h - keeps a job's output in the files of its directory, as records, within bounds, and never
 * waits.  The first head_bytes stay for good in the first file.  Later bytes go to files of an
 * eighth of tail_bytes.  The oldest of these files is removed when the others hold tail_bytes: the
 * middle is given up, and a reader sees by the names of the files that it is missing.  Bytes that
 * the disk does not take are dropped and counted, and a gap record stands for them in front of the
 * next bytes.  Uses shared/base and the log record.  One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/types.h"

enum { SINK_FILES_MAX = 16 };

struct sink {
    int dir; /* the caller's */
    int fd;  /* the newest file; -1: the next record opens one */
    uint64_t head_bytes, tail_bytes;
    uint64_t offset;  /* the next byte's, so how many the job wrote */
    uint64_t lost_at; /* bytes from here to 'offset' were dropped, and no file has their gap yet */
    uint64_t dropped_bytes;
    uint64_t file_bytes; /* the newest file's, up to its last whole record */
    bool is_head;
    struct sink_file {
        uint64_t offset, bytes; /* the output in it, with gaps */
    } files[SINK_FILES_MAX];    /* the tail's files, oldest first */
    size_t files_len;
};

void sink_init(struct sink *sink, int dir, uint64_t head_bytes, uint64_t tail_bytes);
void sink_fini(struct sink *sink);

/* len at most FL_LOG_RECORD_DATA_MAX, and not 0. */
void sink_put(struct sink *sink, fl_ms now, const void *ptr, size_t len);

/* Tries once more to write the gap that no file has. */
void sink_end(struct sink *sink, fl_ms now);
