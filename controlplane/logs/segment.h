/* segment.h - an open segment: a file that only grows, of one cluster.
 * The worker appends and syncs; the reader and the sealer read up to the end they were given.  The
 * file stays readable for every holder of a reference, also when it was removed or sealed
 * meanwhile.
 * ref, unref and read are for any thread, the rest for the worker's. */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "controlplane/logs/entry.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"

/* How bytes reach the disk: the system's calls, or a fake's in a test. */
struct log_disk {
    ssize_t (*writev)(int fd, const struct iovec *iov, int iov_len, off_t pos);
    int (*sync)(int fd);
};

extern const struct log_disk log_disk_system;

struct log_segment {
    struct log_segment_header header;
    const struct log_disk *disk;
    char *path;
    int fd;
    atomic_uint refs;
    uint64_t bytes;        /* all that was appended */
    uint64_t synced_bytes; /* survives a loss of power */
    uint32_t sources_len;  /* numbers given out */
    bool is_removed;       /* its file goes with the last reference */
};

/* Where the segments and sealed files of 'dir' are: DIR/CCCCCCCC-SSSSSSSSSSSSSSSS.open or .sealed.
 * Freed by the caller. */
char *log_file_path(const char *dir, const struct log_segment_header *header, const char *suffix);

/* Makes directory entries of 'dir' durable. */
FL_CHECK bool log_dir_sync(const char *dir, struct fl_err *err);

/* A new, empty one, durable as a file.  FL_NO_SPACE, FL_IO. */
struct log_segment *log_segment_create(const char *dir, const struct log_segment_header *header,
                                       const struct log_disk *disk, struct fl_err *err);

/* Walks one that is there and cuts what is torn.  NULL: FL_IO; FL_TORN, not even its header is
 * whole. */
struct log_segment *log_segment_recover(const char *path, const struct log_disk *disk,
                                        void (*entry)(void *ctx, struct log_segment *segment,
                                                      const struct log_entry *entry),
                                        void *ctx, struct fl_err *err);

/* The same walk over what is there now, without cutting: for sealing.  *ret_scan is the
 * caller's. */
FL_CHECK bool log_segment_walk(const struct log_segment *segment,
                               void (*entry)(void *ctx, const struct log_entry *entry), void *ctx,
                               struct log_scan *ret_scan, struct fl_err *err);

struct log_segment *log_segment_ref(struct log_segment *segment);
void log_segment_unref(struct log_segment *segment); /* NULL is fine */

/* All or nothing: on false the file is as it was.  FL_NO_SPACE, FL_IO. */
FL_CHECK bool log_segment_append(struct log_segment *segment, struct iovec *iov, size_t iov_len,
                                 struct fl_err *err);

/* After a false the bytes on the disk after synced_bytes are unknown: log_segment_cut, and append
 * no more. */
FL_CHECK bool log_segment_sync(struct log_segment *segment, struct fl_err *err);

/* Back to synced_bytes. */
FL_CHECK bool log_segment_cut(struct log_segment *segment, struct fl_err *err);

/* Appends exactly 'len' bytes at 'pos' to 'out'. */
FL_CHECK bool log_segment_read(const struct log_segment *segment, uint64_t pos, size_t len,
                               struct fl_buf *out, struct fl_err *err);

/* The same of any file. */
FL_CHECK bool log_pread(int fd, uint64_t pos, size_t len, struct fl_buf *out, struct fl_err *err);
