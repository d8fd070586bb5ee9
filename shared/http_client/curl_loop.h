/* curl_loop.h - libcurl's multi handle on a loop; for this folder alone.
 * Sockets of libcurl become watches, its one timer becomes a timer of ours.  libcurl must not be
 * called from its own callbacks: fl_curl_loop_is_inside tells whether one is running, and the
 * caller then waits for the end of the turn. */
#pragma once

#include <curl/curl.h>

#include "shared/base/types.h"

struct fl_loop;
struct fl_curl_loop; /* opaque */

/* 'ended' gets CURLOPT_PRIVATE of a handle when its transfer is over; it may remove and free the
 * handle. */
struct fl_curl_loop *fl_curl_loop_create(struct fl_loop *loop, unsigned connections_max,
                                         void (*ended)(void *private, CURLcode result));
void fl_curl_loop_destroy(
    struct fl_curl_loop *curl); /* after each handle was removed; NULL is fine */

bool fl_curl_loop_is_inside(const struct fl_curl_loop *curl);

/* Not from a callback of libcurl. */
void fl_curl_loop_add(struct fl_curl_loop *curl, CURL *easy);
void fl_curl_loop_remove(struct fl_curl_loop *curl, CURL *easy);
void fl_curl_loop_unpause(struct fl_curl_loop *curl,
                          CURL *easy); /* both directions; may end the transfer */
