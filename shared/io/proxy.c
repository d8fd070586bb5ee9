#include "shared/io/proxy.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "shared/base/hex.h"
#include "shared/base/str.h"

static bool matches(struct fl_str entry, const char *host, uint16_t port)
{
    const char *colon = entry.len ? memrchr(entry.at, ':', entry.len) : NULL;
    size_t host_len = strlen(host);

    if (colon && memchr(entry.at, ':', (size_t)(colon - entry.at)) == NULL) {
        uint64_t only;
        struct fl_str digits = {colon + 1, (size_t)(entry.at + entry.len - colon - 1)};

        if (!fl_str_parse_u64(digits, &only) || only != port) return false;
        entry.len = (size_t)(colon - entry.at);
    }
    if (entry.len == 1 && entry.at[0] == '*') return true;
    while (entry.len && entry.at[0] == '.') {
        entry.at++;
        entry.len--;
    }
    if (entry.len == 0 || entry.len > host_len) return false;
    if (strncasecmp(host + host_len - entry.len, entry.at, entry.len) != 0) return false;
    return entry.len == host_len || host[host_len - entry.len - 1] == '.';
}

static bool is_exempt(const char *no_proxy, const char *host, uint16_t port)
{
    const char *at = no_proxy ? no_proxy : "";

    while (*at) {
        size_t len = strcspn(at, ", \t");

        if (len && matches((struct fl_str){at, len}, host, port)) return true;
        at += len;
        at += strspn(at, ", \t");
    }
    return false;
}

/* Decodes percent signs.  False: it is too long, or has a control character. */
static bool decode_login(struct fl_str text, char out[FL_PROXY_LOGIN_MAX])
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];

        if (c == '%' && i + 2 < text.len && fl_hex_digit(text.at[i + 1]) >= 0 &&
            fl_hex_digit(text.at[i + 2]) >= 0) {
            c = (char)(fl_hex_digit(text.at[i + 1]) * 16 + fl_hex_digit(text.at[i + 2]));
            i += 2;
        }
        if (iscntrl((unsigned char)c) || len + 1 == FL_PROXY_LOGIN_MAX) return false;
        out[len++] = c;
    }
    out[len] = 0;
    return true;
}

bool fl_proxy_for(const char *proxy, const char *no_proxy, const char *host, uint16_t port,
                  struct fl_proxy *ret_proxy, struct fl_err *err)
{
    struct fl_proxy found = {0};
    struct fl_str text = fl_str_c(proxy);
    const char *at;
    char address[FL_NET_HOST_MAX + 8];

    *ret_proxy = found;
    if (text.len == 0 || is_exempt(no_proxy, host, port)) return true;
    if (text.len > 7 && strncasecmp(text.at, "http://", 7) == 0) {
        text.at += 7;
        text.len -= 7;
    } else if (strstr(proxy, "://")) {
        return fl_fail(err, FL_INVALID, "the proxy is not an http:// one");
    }
    while (text.len && text.at[text.len - 1] == '/') {
        text.len--;
    }
    at = text.len ? memrchr(text.at, '@', text.len) : NULL;
    if (at) {
        struct fl_str login = {text.at, (size_t)(at - text.at)};

        if (!decode_login(login, found.login)) {
            return fl_fail(err, FL_INVALID, "the proxy's user and password are not plain text");
        }
        text.len -= login.len + 1;
        text.at = at + 1;
    }
    if (text.len >= sizeof address) return fl_fail(err, FL_INVALID, "the proxy's name is too long");
    snprintf(address, sizeof address, FL_STR_FMT, FL_STR_ARG(text));
    if (!fl_net_split(fl_str_c(address), found.host, &found.port, err)) {
        return fl_err_wrap(err, "the proxy");
    }
    found.is_on = true;
    *ret_proxy = found;
    return true;
}
