/* page.h - requests of a page in a browser: they show a session's cookie in place of a token.
 * A browser sends a cookie by itself, also when a foreign page makes it ask.  So the cookie is
 * SameSite=Strict and HttpOnly, and a request with it counts only if it comes from a page of this
 * control plane: by Sec-Fetch-Site and Origin, where the browser sends them, and, if it may change
 * anything, by a header that a foreign page cannot add unasked.
 * Behind TLS the cookie is a __Host- one.  Without TLS, on a loopback address, there is none of
 * these, and cookies ignore ports: so its name holds the process's instance, and two control planes
 * at one address never take each other's.
 * Pure. */
#pragma once

#include "controlplane/api/session_table.h"
#include "shared/wire/http_head.h"

#define PAGE_HEADER "Fairlead-Page"

enum { PAGE_COOKIE_NAME_MAX = 32, PAGE_COOKIE_MAX = 256 };

struct page_cookie {
    char name[PAGE_COOKIE_NAME_MAX];
    bool is_secure;
};

/* 'api_url' is the address by which people come; 'is_tls': this process itself speaks TLS. */
struct page_cookie page_cookie_make(const char *api_url, bool is_tls, const char *instance);

/* The value of the cookie; empty: the request has none, or several of that name. */
struct fl_str page_cookie_find(const struct page_cookie *cookie, const struct fl_http_head *head);

/* The value of Set-Cookie.  'text' empty: the browser forgets it. */
void page_cookie_print(const struct page_cookie *cookie, const char *text,
                       char ret_header[PAGE_COOKIE_MAX]);

/* NULL: the request comes from a page of this control plane; else why it does not count. */
const char *page_refusal(const struct fl_http_head *head, const char *api_url);

/* The same for a WebSocket, by which a page may write without the header Fairlead-Page: its Origin,
 * which every browser sends with one, must be there, and be ours with its scheme and port. */
const char *page_socket_refusal(const struct fl_http_head *head, const char *api_url,
                                const struct page_cookie *cookie);
