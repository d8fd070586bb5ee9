/* token_share.h - what one token has of a front at a time: connections, bytes of answers that it
 * has not taken, bytes of bodies that it sends, requests in a second.
 * The limits are one number of percent for the first three, and a rate.  A token without a
 * connection stays for a second at most, so that its rate is not forgotten when it dials again.
 * Time comes in as 'now_us'.  Uses shared/base and limits.h.  Not thread-safe: one server owns
 * it. */
#pragma once

#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "shared/base/map.h"

struct http_share {
    uint64_t id; /* not 0 */
    uint64_t connections;
    size_t unsent_bytes;
    size_t body_bytes;                /* memory of its bodies in reception: exchange.h counts it */
    int64_t due_ns;                   /* when all its requests so far were due, at its rate */
    struct http_share *older, *newer; /* among those without a connection */
};

struct http_shares {
    const struct http_limits *limits; /* borrowed */
    struct fl_map by_id;              /* id -> struct http_share * */
    struct http_share *oldest, *newest;
    size_t unsent_bytes; /* on all connections, also those without a token */
};

void http_shares_fini(struct http_shares *shares); /* no connection is left */

/* Counts one request of the token, over the connection that 'current' has until now (NULL: it has
 * none).  HTTP_CLAIMED: 'ret_share' has the connection from now on, and is not freed while it has
 * one.  Else nothing has changed. */
enum http_claim http_share_claim(struct http_shares *shares, uint64_t id,
                                 struct http_share *current, int64_t now_us,
                                 struct http_share **ret_share);

/* It has one connection less.  NULL is fine. */
void http_share_leave(struct http_shares *shares, struct http_share *share, int64_t now_us);

/* The bytes that wait on one of its connections (NULL: on a stranger's) were 'before'. */
void http_share_count(struct http_shares *shares, struct http_share *share, size_t before,
                      size_t after);

/* Whether so many bytes more may wait for it.  A token that has taken all may have any answer. */
bool http_share_has_room(const struct http_shares *shares, const struct http_share *share,
                         size_t bytes);

/* Whether one of its bodies, which has 'before' bytes of memory, may have 'after'.  A token may
 * have any one body, and NULL any. */
bool http_share_may_receive(const struct http_share *share, const struct http_limits *limits,
                            size_t before, size_t after);
