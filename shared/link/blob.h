/* blob.h - job specs sent from hub to agent: the bytes of a BLOB stream, and what both ends
 * remember of it.  A BLOB stream carries one blob behind the other:
 *
 *     0  digest  32   SHA-256 of the bytes
 *    32  length  u32  little endian, at most FL_BLOB_BYTES_MAX
 *    36  bytes
 *
 * Both ends remember the newest blobs of the connection by the same rule, so that the hub knows
 * without asking which ones the agent still has: at most FL_BLOBS_MAX blobs and FL_BLOBS_BYTES_MAX
 * bytes; the oldest go first.  A blob counts once its last byte went out, or came in.
 * Uses shared/base only.  Pure; not thread-safe. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_BLOB_HEADER_BYTES 36
#define FL_BLOB_BYTES_MAX ((uint32_t)1 << 20)
#define FL_BLOBS_MAX 256
#define FL_BLOBS_BYTES_MAX ((uint64_t)16 << 20)

void fl_blob_header(struct fl_digest digest, uint32_t length,
                    uint8_t ret_header[FL_BLOB_HEADER_BYTES]);

/* ---- the memory ------------------------------------------------------------------------------ */

struct fl_blobs; /* opaque */

/* keeps_bytes: true at an agent; a hub remembers only which blobs it has sent. */
struct fl_blobs *fl_blobs_create(bool keeps_bytes);
void fl_blobs_destroy(struct fl_blobs *blobs); /* NULL is fine */

/* *ret_bytes (NULL is fine) is valid until the next add; empty unless bytes are kept. */
bool fl_blobs_find(const struct fl_blobs *blobs, struct fl_digest digest, struct fl_str *ret_bytes);

/* A blob that is there already keeps its age. */
void fl_blobs_add(struct fl_blobs *blobs, struct fl_digest digest, struct fl_str bytes);

/* ---- reading a stream ------------------------------------------------------------------------ */

enum fl_blob_answer {
    FL_BLOB_MORE,  /* all bytes are taken, no blob is complete */
    FL_BLOB_READY, /* *ret_digest and *ret_bytes are filled; ask again for the next */
    FL_BLOB_BAD,   /* too long: close the tunnel */
};

/* Fields are the reader's own; {0} with fl_blob_reader_init. */
struct fl_blob_reader {
    uint8_t header[FL_BLOB_HEADER_BYTES];
    size_t header_len;
    struct fl_digest digest;
    uint32_t length;
    struct fl_buf bytes;
};

void fl_blob_reader_init(struct fl_blob_reader *reader);
void fl_blob_reader_fini(struct fl_blob_reader *reader); /* NULL is fine */

/* *ret_bytes is valid until the next call.  The caller checks it against *ret_digest. */
FL_CHECK enum fl_blob_answer fl_blob_reader_next(struct fl_blob_reader *reader,
                                                 struct fl_str *bytes, struct fl_digest *ret_digest,
                                                 struct fl_str *ret_bytes, struct fl_err *err);
