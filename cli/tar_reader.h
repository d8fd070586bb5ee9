/* tar_reader.h - takes a tar archive apart while it arrives, in pieces of any size.
 * It reads the classic head of 512 bytes with ustar's prefix, GNU's long names and large numbers,
 * and pax's 'path' and 'size'; other records of pax it passes over.
 * It trusts nothing: a head without its checksum, a path or an extension over its limit and a
 * malformed number end the archive with an error.  It judges no path: copy_in.h does.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/buf.h"

enum {
    TAR_BLOCK_BYTES = 512,
    TAR_PATH_BYTES_MAX = 4096,
    TAR_EXTENSION_BYTES_MAX = 64 << 10, /* a long name, or pax's records */
};

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK /* symbolic, or hard */, TAR_OTHER };

struct tar_entry {
    enum tar_kind kind;
    const char *path; /* as it stands, never empty */
    uint32_t mode;    /* the nine bits */
    int64_t mtime;    /* seconds */
    uint64_t size;    /* so many bytes follow; 0 for all but files */
};

struct tar_reader_port {
    void *ctx;
    /* An entry begins; behind a file's last byte comes end.  False ends the archive with 'err'. */
    bool (*entry)(void *ctx, const struct tar_entry *entry, struct fl_err *err);
    bool (*bytes)(void *ctx, struct fl_str bytes, struct fl_err *err);
    bool (*end)(void *ctx, struct fl_err *err);
};

struct tar_reader {
    struct tar_reader_port port;
    uint8_t block[TAR_BLOCK_BYTES];
    size_t block_len;
    int state;             /* enum state, in the source */
    uint64_t left, filler; /* bytes of the entry, and behind them up to a whole block */
    char extension_type;
    struct fl_buf extension;
    char path[TAR_PATH_BYTES_MAX + 1]; /* for the next entry; empty: its head says it */
    uint64_t size;
    bool has_size;
};

void tar_reader_init(struct tar_reader *reader, const struct tar_reader_port *port);
void tar_reader_fini(struct tar_reader *reader);

/* Bytes behind the archive's end are dropped. */
FL_CHECK bool tar_reader_put(struct tar_reader *reader, struct fl_str bytes, struct fl_err *err);
/* Nothing more comes.  False: the archive is not whole. */
FL_CHECK bool tar_reader_end(const struct tar_reader *reader, struct fl_err *err);
