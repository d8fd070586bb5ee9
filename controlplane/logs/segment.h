/* segment.h - an open segment: one cluster's file, which only grows.
 * The worker appends and syncs; the reader and the sealer read up to an end that they know.  The
 * file stays readable as long as a reference is held, also after it was removed or sealed.
 * ref, unref and read are for any thread, the rest for the worker's. */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "controlplane/logs/entry.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"

/* The calls that write to the disk: the system's, or a test's fake. */
struct log_disk {
    ssize_t (*writev)(int fd, const struct iovec *iov, int iov_len, off_t pos);
    int (*sync)(int fd);
};

extern const struct log_disk log_disk_system;

/* An output in the segment, and where it ends there. */
struct log_segment_source {
    struct log_key key;
    struct log_place place;
    bool is_ended;
};

struct log_segment {
    struct log_segment_header header;
    const struct log_disk *disk;
    char *path;
    int fd;
    atomic_uint refs;
    uint64_t bytes;                            /* its length */
    uint64_t synced_bytes;                     /* the part that survives a loss of power */
    FL_VEC(struct log_segment_source) sources; /* by number; the worker's until it is sealed */
    bool is_damaged; /* entries between good ones are bad: its file is kept when it is sealed */
    bool is_removed; /* it is sealed, or was never used: the last reference removes the file */
};

/* The path of a segment or sealed file: DIR/CLUSTER-SEQ.open or .sealed, the numbers in 8 and 16
 * hex digits.  The caller frees it. */
char *log_file_path(const char *dir, const struct log_segment_header *header, const char *suffix);

/* Makes directory entries of 'dir' durable. */
FL_CHECK bool log_dir_sync(const char *dir, struct fl_err *err);

/* A new, empty one, durable as a file.  FL_NO_SPACE, FL_IO. */
struct log_segment *log_segment_create(const char *dir, const struct log_segment_header *header,
                                       const struct log_disk *disk, struct fl_err *err);

/* Bytes that were found damaged. */
struct log_damage {
    uint64_t at, bytes; /* the first bad byte, and how many are bad; 0: none */
};

/* Opens a segment, calls 'entry' for each good entry, and cuts what is behind the last one: a torn
 * end.  Bad entries between good ones are passed, and counted in *ret_damage.  A bad header is made
 * from the file's name, 'named'.  NULL: FL_IO, or FL_TORN: not even its header is whole. */
struct log_segment *log_segment_recover(
    const char *path, const struct log_segment_header *named, const struct log_disk *disk,
    void (*entry)(void *ctx, struct log_segment *segment, const struct log_entry *entry), void *ctx,
    struct log_damage *ret_damage, struct fl_err *err);

/* Keeps a damaged segment's file under another name, since a sealed file will replace it. */
FL_CHECK bool log_segment_keep(struct log_segment *segment, struct fl_err *err);

struct log_segment *log_segment_ref(struct log_segment *segment);
void log_segment_unref(struct log_segment *segment); /* NULL is fine */

/* Appends all of iov or nothing: on false the segment is as it was.  FL_NO_SPACE, FL_IO. */
FL_CHECK bool log_segment_append(struct log_segment *segment, struct iovec *iov, size_t iov_len,
                                 struct fl_err *err);

/* After a false the bytes behind synced_bytes are unknown: call log_segment_cut, and append no
 * more. */
FL_CHECK bool log_segment_sync(struct log_segment *segment, struct fl_err *err);

/* Cuts the file to synced_bytes. */
FL_CHECK bool log_segment_cut(struct log_segment *segment, struct fl_err *err);

/* Appends exactly 'len' bytes at 'pos' to 'out'. */
FL_CHECK bool log_segment_read(const struct log_segment *segment, uint64_t pos, size_t len,
                               struct fl_buf *out, struct fl_err *err);

/* The same for any file. */
FL_CHECK bool log_pread(int fd, uint64_t pos, size_t len, struct fl_buf *out, struct fl_err *err);
