/* visit.h - what an EXEC or FORWARD stream carries.
 * A visit is a person's way into a replica that runs: a shell, a command, or a connection to one of
 * its ports.  Its stream is records, one behind the other, in both directions:
 *
 *     0  channel  u8    below
 *     1  length   u16   little endian, at most FL_VISIT_BYTES_MAX
 *     3  bytes
 *
 * The hub opens the stream, and its first record is OPEN.  Records may be cut by frames anywhere.
 * Channels 0 to 4 and 255 have the numbers and meaning of Kubernetes' v5.channel.k8s.io, but the
 * form of RESIZE and STATUS.  A forward uses STDIN towards the replica and STDOUT from it.
 * STATUS is an agent's last record; it closes the stream behind it.
 * An EXEC stream may also read files of a replica that has ended (is_files): STDOUT carries a tar
 * archive of the path that is its one word, or a list of what is there.  The agent leaves out the
 * bytes that the reader has from an earlier stream, and refuses if they were others.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_VISIT_HEADER_BYTES 3
#define FL_VISIT_BYTES_MAX 32768
#define FL_VISIT_WORDS_MAX 256 /* a command's */

enum fl_visit_channel {
    FL_VISIT_STDIN = 0,
    FL_VISIT_STDOUT = 1,
    FL_VISIT_STDERR = 2,
    FL_VISIT_STATUS = 3, /* struct fl_visit_status */
    FL_VISIT_RESIZE = 4, /* u16 rows, u16 columns */
    FL_VISIT_OPEN = 16,  /* struct fl_visit_open */
    FL_VISIT_CLOSE = 255 /* u8: the channel on which nothing more comes */
};

struct fl_visit_size {
    uint16_t rows, columns;
};

struct fl_visit_open {
    struct fl_attempt attempt;
    uint32_t replica;
    /* a forward's */
    uint16_t port;
    /* a command's */
    bool has_tty;
    struct fl_visit_size size;
    struct fl_str term;   /* TERM of a terminal; at most 64 bytes */
    struct fl_str *words; /* the command; none: a shell */
    size_t words_len;
    /* files of a replica that has ended */
    bool is_files;
    bool is_list;    /* only what is there */
    uint64_t offset; /* so many bytes of the archive are not sent ... */
    uint32_t crc;    /* ... and have this fl_crc32c */
};

struct fl_visit_status {
    enum fl_code code; /* FL_OK: it ran and ended with exit_code */
    int32_t exit_code; /* 128 + signal, when one ended it */
    struct fl_str text;
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends a record; false: there is no room in 'out'. */
FL_CHECK bool fl_visit_put(struct fl_buf *out, enum fl_visit_channel channel, struct fl_str bytes);
void fl_visit_header(enum fl_visit_channel channel, size_t len,
                     uint8_t ret_header[FL_VISIT_HEADER_BYTES]);
/* False: it is longer than a record. */
FL_CHECK bool fl_visit_put_open(struct fl_buf *out, const struct fl_visit_open *open);
FL_CHECK bool fl_visit_put_status(struct fl_buf *out, const struct fl_visit_status *status);
FL_CHECK bool fl_visit_put_size(struct fl_buf *out, struct fl_visit_size size);

/* ---- reading --------------------------------------------------------------------------------- */

struct fl_visit_record {
    enum fl_visit_channel channel;
    struct fl_str bytes;
};

/* Fields are the reader's own; {0} is before the first byte. */
struct fl_visit_reader {
    uint8_t at[FL_VISIT_HEADER_BYTES + FL_VISIT_BYTES_MAX];
    size_t len;
};

enum fl_visit_answer {
    FL_VISIT_MORE,  /* all bytes are taken */
    FL_VISIT_READY, /* *ret_record is filled, valid until the next call; ask again with the rest */
    FL_VISIT_BAD,   /* a channel or a length that cannot be */
};

FL_CHECK enum fl_visit_answer fl_visit_next(struct fl_visit_reader *reader, struct fl_str *bytes,
                                            struct fl_visit_record *ret_record, struct fl_err *err);

/* All records that these bytes complete.  False: a record cannot be, or was refused. */
FL_CHECK bool fl_visit_each(struct fl_visit_reader *reader, struct fl_str bytes,
                            bool (*each)(void *ctx, const struct fl_visit_record *record,
                                         struct fl_err *err),
                            void *ctx, struct fl_err *err);

/* The strings are views of 'bytes'.  'words' has room for FL_VISIT_WORDS_MAX. */
FL_CHECK bool fl_visit_read_open(struct fl_str bytes, struct fl_str *words,
                                 struct fl_visit_open *ret_open, struct fl_err *err);
FL_CHECK bool fl_visit_read_status(struct fl_str bytes, struct fl_visit_status *ret_status,
                                   struct fl_err *err);
FL_CHECK bool fl_visit_read_size(struct fl_str bytes, struct fl_visit_size *ret_size,
                                 struct fl_err *err);
