/* http_body.h - where the body of an HTTP/1.1 request ends, by Content-Length or in chunks.
 * Chunks are read to the letter: CR LF everywhere, no white space before an extension, extensions
 * skipped up to a limit, trailers refused.  Bytes may come cut anywhere; that changes only where
 * the pieces of the body are cut.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdint.h>

#include "shared/base/str.h"
#include "shared/wire/http_head.h"

#define FL_HTTP_CHUNK_DIGITS_MAX 16
#define FL_HTTP_EXTENSION_BYTES_MAX 4096 /* in one body: only attackers use them */

enum fl_http_body_answer {
    FL_HTTP_BODY_MORE,  /* all bytes are taken, the body goes on */
    FL_HTTP_BODY_PIECE, /* *ret_piece is the next part of the body; ask again */
    FL_HTTP_BODY_END,   /* the body is over; the remaining bytes are the next request */
    FL_HTTP_BODY_BAD,   /* *ret_refusal is filled, and will be for good: answer and close */
};

/* Fields are the reader's own. */
struct fl_http_body {
    uint8_t state;
    uint8_t digits_len;
    uint32_t extension_bytes;
    uint64_t left_bytes; /* bytes that the chunk, or the body, still lacks */
    uint64_t body_bytes; /* announced so far, by chunks */
    uint64_t bytes_max;
    struct fl_http_refusal refusal;
};

/* A body whose announced length is over bytes_max is BAD (413) at the first call, before its first
 * byte. */
void fl_http_body_init(struct fl_http_body *body, const struct fl_http_head *head,
                       uint64_t bytes_max);

/* Takes bytes off the front of *bytes; a piece is a view into them. */
FL_CHECK enum fl_http_body_answer fl_http_body_next(struct fl_http_body *body, struct fl_str *bytes,
                                                    struct fl_str *ret_piece,
                                                    struct fl_http_refusal *ret_refusal);
