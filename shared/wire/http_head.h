/* http_head.h - the head of an HTTP/1.1 request: a strict part of RFC 9112.
 * The peer may be a stranger, so a head that two readers could understand in two ways is refused.
 * After a refusal, bytes that follow on the connection have no meaning: answer and close.  Refused
 * are, among others: a line that ends without CR, white space before a colon, folded lines, control
 * characters, an absolute or '*' target, a bad percent sign, no Host or two, two Content-Lengths
 * (equal ones too), Content-Length beside Transfer-Encoding, any coding but exactly 'chunked', a
 * body that is compressed, a version but 1.1.
 * Use: collect the bytes of a connection in one place, from the first byte of the head on; after
 * each read call fl_http_head_scan, which looks at every byte once, until it says that the head is
 * whole; then fl_http_head_parse.  How the bytes were cut changes no result.  A first line that has
 * not the form of a request is refused as soon as it is there.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_HTTP_FIELDS_MAX 256 /* the most that headers_max may be */

/* Methods that exist here; any other is answered with 501. */
#define FL_HTTP_METHODS(X) X(GET) X(HEAD) X(POST) X(PUT) X(PATCH) X(DELETE) X(OPTIONS)

enum fl_http_method {
#define FL_HTTP_METHOD_ENUM(name) FL_HTTP_##name,
    FL_HTTP_METHODS(FL_HTTP_METHOD_ENUM)
#undef FL_HTTP_METHOD_ENUM
};

const char *fl_http_method_name(enum fl_http_method method); /* "GET" */

struct fl_http_head_limits {
    size_t head_bytes_max; /* with all line ends; else 431, or 414 when the first line is as long */
    size_t target_bytes_max; /* else 414 */
    size_t headers_max;      /* else 431 */
    /* GET of this path is taken from HTTP/1.0, too, without a body; Host may lack, and the
     * connection closes.  Empty: none. */
    struct fl_str old_path;
};

/* Why the peer gets no more than this one answer. */
struct fl_http_refusal {
    unsigned status;
    const char *why; /* one constant sentence part, for a person */
};

struct fl_http_field {
    struct fl_str name, value; /* the value without white space around it */
};

/* All strings are views into the bytes that were parsed. */
struct fl_http_head {
    enum fl_http_method method;
    struct fl_str path;  /* raw: percent signs stand as they came; begins with '/' */
    struct fl_str query; /* raw, without the '?' */
    struct fl_str host;
    struct fl_http_field *fields; /* in the order they came */
    size_t fields_len;
    uint64_t content_bytes; /* the body's length; 0 without a body, or when it is chunked */
    bool is_chunked;
    bool expects_continue; /* the peer waits for '100 Continue' before it sends the body */
    bool wants_close;      /* 'Connection: close' */
};

/* ---- finding the end ------------------------------------------------------------------------- */

enum fl_http_answer {
    FL_HTTP_MORE,  /* nothing is wrong so far */
    FL_HTTP_READY, /* it is whole */
    FL_HTTP_BAD,   /* *ret_refusal is filled; there is nothing to go on with */
};

/* {0} is before the first byte.  After READY or BAD, begin with a new one. */
struct fl_http_head_scan {
    size_t seen_bytes, line_at, lines;
};

/* 'bytes' are all that came since the head's first byte: those of the call before, and more.  They
 * may lie elsewhere each time.  READY: the head has *ret_head_bytes; the body follows. */
FL_CHECK enum fl_http_answer fl_http_head_scan(struct fl_http_head_scan *scan, struct fl_str bytes,
                                               const struct fl_http_head_limits *limits,
                                               size_t *ret_head_bytes,
                                               struct fl_http_refusal *ret_refusal);

/* ---- reading it ------------------------------------------------------------------------------ */

/* 'head' is exactly the bytes that the scan found; 'fields' has room for limits->headers_max and
 * must live as long as *ret_head.  False: *ret_refusal is filled and *ret_head is not. */
FL_CHECK bool fl_http_head_parse(struct fl_str head, const struct fl_http_head_limits *limits,
                                 struct fl_http_field *fields, struct fl_http_head *ret_head,
                                 struct fl_http_refusal *ret_refusal);

static inline bool fl_http_head_has_body(const struct fl_http_head *head)
{
    return head->is_chunked || head->content_bytes > 0;
}

/* The first header of that name, in any case; NULL if it is absent.  'name' is in lower case. */
const struct fl_http_field *fl_http_head_find(const struct fl_http_head *head, struct fl_str name);

/* Takes the next tag, without its "W/", off a list; false: it is empty, or no list of tags and left
 * as it is. */
bool fl_http_etag_next(struct fl_str *list, struct fl_str *ret_tag);
/* Whether an If-None-Match value lists 'etag' (with its quotes, as sent).  The comparison is weak;
 * '*' matches any.  A malformed list matches nothing from its fault on: the whole answer goes out,
 * which is never wrong. */
bool fl_http_etag_is_listed(struct fl_str list, struct fl_str etag);

/* Whether a header that we send may have this value: a value without control characters cannot
 * begin a line. */
bool fl_http_is_header_value(struct fl_str value);
