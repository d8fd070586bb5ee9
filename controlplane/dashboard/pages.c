#include "controlplane/dashboard/pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/dashboard/assets.h"
#include "shared/base/hash.h"

enum { ETAG_SEED = 1, ETAG_MAX = 20 };

/* No script, style or request but to where the page comes from, none that stands in the page's
 * text, and no text that becomes a script or an element. */
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "                \
    "img-src 'self' data:; font-src 'self'; manifest-src 'self'; frame-ancestors 'none'; "         \
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "                    \
    "trusted-types 'none'"

/* First parts of the application's paths; its routes are in src/main.tsx. */
static const char *const firsts[] = {"jobs",  "queues", "clusters", "nodes",  "events",
                                     "usage", "admin",  "health",   "submit", "login"};

bool pages_has_path(struct fl_str path)
{
    const char *slash;
    struct fl_str first;

    if (path.len == 0 || path.at[0] != '/') return false;
    if (path.len == 1) return true;
    slash = memchr(path.at + 1, '/', path.len - 1);
    first = (struct fl_str){path.at + 1, slash ? (size_t)(slash - path.at - 1) : path.len - 1};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        if (fl_str_eq(first, fl_str_c(firsts[i]))) return true;
    }
    return false;
}

/* An asset's path changes with its content, the page's does not: it is asked for again each time,
 * and not sent when nothing has changed. */
static void answer(struct http_request *request, const struct asset *asset, bool is_page)
{
    char etag[ETAG_MAX];
    struct fl_http_field headers[] = {
        {FL_STR("Content-Type"), fl_str_c(asset->content_type)},
        {FL_STR("Cache-Control"),
         is_page ? FL_STR("no-cache") : FL_STR("public, max-age=31536000, immutable")},
        {FL_STR("ETag"), {0}},
        {FL_STR("Content-Security-Policy"), FL_STR(POLICY)},
        {FL_STR("X-Content-Type-Options"), FL_STR("nosniff")},
        {FL_STR("Referrer-Policy"), FL_STR("no-referrer")},
        {FL_STR("Cross-Origin-Opener-Policy"), FL_STR("same-origin")},
        {FL_STR("Cross-Origin-Resource-Policy"), FL_STR("same-origin")},
        {FL_STR("Content-Encoding"), FL_STR("gzip")}, /* the last: only of compressed ones */
    };
    size_t len = sizeof headers / sizeof headers[0] - (asset->is_gzip ? 0 : 1);

    snprintf(etag, sizeof etag, "\"%016" PRIx64 "\"",
             fl_hash64(ETAG_SEED, asset->body.at, asset->body.len));
    headers[2].value = fl_str_c(etag);
    if (http_has_etag(request, fl_str_c(etag))) {
        http_answer(request, 304, headers, len, (struct fl_str){0});
    } else {
        http_answer(request, 200, headers, len, asset->body);
    }
}

static bool is_asked_for(const struct fl_http_head *head, struct asset *ret_asset,
                         bool *ret_is_page)
{
    if (head->method != FL_HTTP_GET && head->method != FL_HTTP_HEAD) return false;
    *ret_is_page = pages_has_path(head->path);
    return asset_find(*ret_is_page ? FL_STR(ASSET_PAGE) : head->path, ret_asset);
}

static uint64_t on_head(void *ctx, struct http_request *request)
{
    const struct pages *pages = ctx;
    struct asset asset;
    bool is_page;

    if (!is_asked_for(http_head(request), &asset, &is_page)) {
        return pages->next.on_head(pages->next.ctx, request);
    }
    answer(request, &asset, is_page);
    return 0;
}

static void on_request(void *ctx, struct http_request *request)
{
    const struct pages *pages = ctx;

    pages->next.on_request(pages->next.ctx, request);
}

struct http_port pages_port(struct pages *pages, struct http_port next)
{
    pages->next = next;
    return (struct http_port){.ctx = pages, .on_head = on_head, .on_request = on_request};
}
