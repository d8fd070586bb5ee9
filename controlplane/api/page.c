#include "controlplane/api/page.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct page_cookie page_cookie_make(const char *api_url, bool is_tls, const char *instance)
{
    struct page_cookie cookie = {.is_secure = is_tls || strncmp(api_url, "https://", 8) == 0};

    if (cookie.is_secure) {
        snprintf(cookie.name, sizeof cookie.name, "__Host-fairlead");
    } else {
        snprintf(cookie.name, sizeof cookie.name, "fairlead-%s", instance);
    }
    return cookie;
}

/* ---- the cookie ------------------------------------------------------------------------------ */

static bool has_name(struct fl_str pair, const char *name, struct fl_str *ret_value)
{
    size_t len = strlen(name);

    while (pair.len > 0 && pair.at[0] == ' ') {
        pair.at++;
        pair.len--;
    }
    if (pair.len <= len || memcmp(pair.at, name, len) != 0 || pair.at[len] != '=') return false;
    *ret_value = (struct fl_str){pair.at + len + 1, pair.len - len - 1};
    return true;
}

struct fl_str page_cookie_find(const struct page_cookie *cookie, const struct fl_http_head *head)
{
    struct fl_str found = {0};
    size_t times = 0;

    for (size_t i = 0; i < head->fields_len; i++) {
        struct fl_str name = head->fields[i].name, list = head->fields[i].value;

        if (name.len != 6 || strncasecmp(name.at, "cookie", 6) != 0) continue;
        while (list.len > 0) { /* "a=1; b=2" */
            times += has_name(fl_str_cut(&list, ';'), cookie->name, &found);
        }
    }
    return times == 1 ? found : (struct fl_str){0};
}

void page_cookie_print(const struct page_cookie *cookie, const char *text,
                       char ret_header[PAGE_COOKIE_MAX])
{
    snprintf(ret_header, PAGE_COOKIE_MAX, "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
             cookie->name, text, text[0] ? SESSION_LIFE_MS / 1000 : 0,
             cookie->is_secure ? "; Secure" : "");
}

/* ---- where a request comes from -------------------------------------------------------------- */

static struct fl_str header(const struct fl_http_head *head, const char *name)
{
    const struct fl_http_field *field = fl_http_head_find(head, fl_str_c(name));

    return field ? field->value : (struct fl_str){0};
}

/* "https://hub.example:8474" -> "hub.example:8474". */
static struct fl_str host_of(struct fl_str origin)
{
    const char *mark = memmem(origin.at, origin.len, "://", 3);

    if (!mark) return (struct fl_str){0};
    return (struct fl_str){mark + 3, origin.len - (size_t)(mark + 3 - origin.at)};
}

/* The page has the host that is asked, or the address by which people come: a proxy before us may
 * have put another host in. */
static bool is_own_origin(const struct fl_http_head *head, struct fl_str origin,
                          const char *api_url)
{
    struct fl_str host = host_of(origin);

    return (host.len > 0 && fl_str_eq(host, head->host)) || fl_str_eq(origin, fl_str_c(api_url));
}

const char *page_refusal(const struct fl_http_head *head, const char *api_url)
{
    struct fl_str site = header(head, "sec-fetch-site"), origin = header(head, "origin");
    bool is_safe = head->method == FL_HTTP_GET || head->method == FL_HTTP_HEAD;

    if (site.len > 0 && !fl_str_eq(site, FL_STR("same-origin")) &&
        !(is_safe && fl_str_eq(site, FL_STR("none")))) {
        return "a page of another site may not ask with this cookie";
    }
    if (origin.len > 0 && !is_own_origin(head, origin, api_url)) {
        return "the page that asks is not of this control plane; if people come by a proxy, the "
               "setting api_url has to name their address";
    }
    if (!is_safe && header(head, "fairlead-page").len == 0) {
        return "a page's request that changes something needs the header " PAGE_HEADER ": 1";
    }
    return NULL;
}

/* A page at http:// of the same host is another origin: anyone in between can write it. */
static bool is_same_origin(const struct fl_http_head *head, struct fl_str origin,
                           const char *api_url, bool is_secure)
{
    struct fl_str scheme = is_secure ? FL_STR("https://") : FL_STR("http://");

    if (fl_str_eq(origin, fl_str_c(api_url))) return true;
    return origin.len > scheme.len && memcmp(origin.at, scheme.at, scheme.len) == 0 &&
           fl_str_eq(host_of(origin), head->host);
}

const char *page_socket_refusal(const struct fl_http_head *head, const char *api_url,
                                const struct page_cookie *cookie)
{
    struct fl_str origin = header(head, "origin");
    const char *refusal = page_refusal(head, api_url);

    if (refusal) return refusal;
    if (origin.len == 0) return "a WebSocket with a cookie needs the Origin of its page";
    if (is_same_origin(head, origin, api_url, cookie->is_secure)) return NULL;
    return "the page that asks is of another origin; if people come by a proxy, api_url has to "
           "name their address";
}
