/* Cookies, and which requests with one count. */
#include "controlplane/api/page.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

enum { FIELDS_MAX = 4 };

struct ask {
    struct fl_http_field fields[FIELDS_MAX];
    struct fl_http_head head;
};

/* "name: value" lines. */
static const struct fl_http_head *ask(enum fl_http_method method, const char *lines)
{
    static struct ask ask;
    struct fl_str rest = fl_str_c(lines);

    ask = (struct ask){.head = {.method = method, .host = FL_STR("hub.example:8474")}};
    ask.head.fields = ask.fields;
    while (rest.len > 0) {
        struct fl_str value = fl_str_cut(&rest, '\n'), name = fl_str_cut(&value, ':');

        assert_true(ask.head.fields_len < FIELDS_MAX);
        ask.fields[ask.head.fields_len++] =
            (struct fl_http_field){name, {value.at + 1, value.len - 1}};
    }
    return &ask.head;
}

/* ---- cookies --------------------------------------------------------------------------------- */

static void behind_tls_the_cookie_is_bound_to_the_host(void **state)
{
    struct page_cookie own = page_cookie_make("https://hub.example", true, "ab12"),
                       proxied = page_cookie_make("https://hub.example", false, "ab12"),
                       listed = page_cookie_make("http://hub.example", true, "ab12");
    char header[PAGE_COOKIE_MAX];

    (void)state;
    assert_string_equal(own.name, "__Host-fairlead");
    assert_string_equal(proxied.name, "__Host-fairlead");
    assert_string_equal(listed.name, "__Host-fairlead");
    page_cookie_print(&own, "s3cret", header);
    assert_string_equal(header, "__Host-fairlead=s3cret; Path=/; HttpOnly; SameSite=Strict; "
                                "Max-Age=43200; Secure");
    page_cookie_print(&own, "", header);
    assert_string_equal(header,
                        "__Host-fairlead=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure");
}

static void without_tls_the_cookie_names_the_process(void **state)
{
    struct page_cookie cookie = page_cookie_make("http://127.0.0.1:8474", false, "ab12");
    char header[PAGE_COOKIE_MAX];

    (void)state;
    assert_string_equal(cookie.name, "fairlead-ab12");
    page_cookie_print(&cookie, "s3cret", header);
    assert_string_equal(header,
                        "fairlead-ab12=s3cret; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200");
}

static const char *found(const char *lines)
{
    static char text[64];
    struct page_cookie cookie = page_cookie_make("http://127.0.0.1:8474", false, "ab12");
    struct fl_str value = page_cookie_find(&cookie, ask(FL_HTTP_GET, lines));

    memset(text, 0, sizeof text);
    if (value.len > 0) memcpy(text, value.at, value.len);
    return text;
}

static void the_cookie_of_this_name_is_found_among_others(void **state)
{
    (void)state;
    assert_string_equal(found("cookie: fairlead-ab12=x"), "x");
    assert_string_equal(found("Cookie: a=1; fairlead-ab12=x=y; b=2"), "x=y");
    assert_string_equal(found("cookie: a=1\ncookie: fairlead-ab12=x"), "x");
    assert_string_equal(found("cookie: fairlead-ab1=x; fairlead-ab123=y; xfairlead-ab12=z"), "");
    assert_string_equal(found("cookie: a=fairlead-ab12=x"), "");
    assert_string_equal(found("cookie: fairlead-ab12"), "");
    assert_string_equal(found("cookie: fairlead-ab12="), "");
    assert_string_equal(found("cookie: ;;; ; "), "");
    assert_string_equal(found("accept: fairlead-ab12=x"), "");
}

static void two_cookies_of_one_name_are_none(void **state)
{
    (void)state;
    assert_string_equal(found("cookie: fairlead-ab12=x; fairlead-ab12=y"), "");
    assert_string_equal(found("cookie: fairlead-ab12=x\ncookie: fairlead-ab12=x"), "");
}

/* ---- where it comes from --------------------------------------------------------------------- */

static bool counts(enum fl_http_method method, const char *lines)
{
    return !page_refusal(ask(method, lines), "https://fairlead.example");
}

static void own_pages_may_look(void **state)
{
    (void)state;
    assert_true(counts(FL_HTTP_GET, ""));
    assert_true(counts(FL_HTTP_GET, "sec-fetch-site: same-origin"));
    assert_true(counts(FL_HTTP_HEAD, "sec-fetch-site: none")); /* typed into the address bar */
    assert_true(counts(FL_HTTP_GET, "origin: http://hub.example:8474"));
    assert_true(counts(FL_HTTP_GET, "origin: https://fairlead.example")); /* through a proxy */
}

static void foreign_pages_may_nothing(void **state)
{
    static const char *const foreign[] = {
        "sec-fetch-site: cross-site",           "sec-fetch-site: same-site",
        "sec-fetch-site: SAME-ORIGIN",          "origin: null",
        "origin: https://evil.example",         "origin: http://hub.example",
        "origin: http://hub.example:8474.evil", "origin: hub.example:8474",
        "origin: https://fairlead.example:444", "origin: ://",
    };

    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        char lines[128];

        assert_false(counts(FL_HTTP_GET, foreign[i]));
        snprintf(lines, sizeof lines, "fairlead-page: 1\n%s", foreign[i]);
        assert_false(counts(FL_HTTP_POST, lines));
    }
    assert_false(
        counts(FL_HTTP_GET, "sec-fetch-site: cross-site\norigin: http://hub.example:8474"));
}

static void a_change_needs_the_pages_header(void **state)
{
    (void)state;
    assert_false(counts(FL_HTTP_POST, "sec-fetch-site: same-origin"));
    assert_false(counts(FL_HTTP_DELETE, ""));
    assert_false(counts(FL_HTTP_PATCH, "origin: http://hub.example:8474"));
    assert_true(counts(FL_HTTP_POST, "sec-fetch-site: same-origin\nFairlead-Page: 1"));
    assert_true(counts(FL_HTTP_DELETE, "fairlead-page: 1"));
    assert_false(counts(FL_HTTP_POST, "sec-fetch-site: none\nfairlead-page: 1"));
}

/* ---- a WebSocket ----------------------------------------------------------------------------- */

static bool opens(bool is_tls, const char *api_url, const char *lines)
{
    struct page_cookie cookie = page_cookie_make(api_url, is_tls, "ab12");

    return !page_socket_refusal(ask(FL_HTTP_GET, lines), api_url, &cookie);
}

static void a_page_of_our_origin_opens_a_socket(void **state)
{
    (void)state;
    assert_true(opens(true, "https://127.0.0.1:8474", "origin: https://hub.example:8474"));
    assert_true(opens(false, "http://127.0.0.1:8474", "origin: http://hub.example:8474"));
    assert_true(opens(false, "https://fairlead.example", "origin: https://fairlead.example"));
    assert_true(opens(true, "https://127.0.0.1:8474",
                      "sec-fetch-site: same-origin\norigin: https://hub.example:8474"));
}

/* A cookie goes to all ports of its host, and a foreign page may open a WebSocket unasked. */
static void a_page_of_another_origin_opens_none(void **state)
{
    static const char *const foreign[] = {
        "",
        "origin: null",
        "origin: https://evil.example",
        "origin: https://hub.example",
        "origin: https://hub.example:8475",
        "origin: https://hub.example:8474.evil.example",
        "origin: https://evil.example/://hub.example:8474",
        "origin: wss://hub.example:8474",
        "origin: https://",
        "sec-fetch-site: same-site\norigin: https://hub.example:8474",
        "sec-fetch-site: none\norigin: https://hub.example:8475",
        "fairlead-page: 1\nsec-fetch-site: same-origin",
    };

    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (opens(true, "https://fairlead.example", foreign[i])) fail_msg("'%s'", foreign[i]);
    }
}

static void a_page_without_tls_opens_none_behind_it(void **state)
{
    (void)state;
    assert_false(opens(true, "https://fairlead.example", "origin: http://hub.example:8474"));
    assert_false(opens(false, "https://fairlead.example", "origin: http://hub.example:8474"));
    assert_false(opens(false, "http://127.0.0.1:8474", "origin: https://hub.example:8474"));
}

FL_TESTS(cmocka_unit_test(behind_tls_the_cookie_is_bound_to_the_host),
         cmocka_unit_test(without_tls_the_cookie_names_the_process),
         cmocka_unit_test(the_cookie_of_this_name_is_found_among_others),
         cmocka_unit_test(two_cookies_of_one_name_are_none), cmocka_unit_test(own_pages_may_look),
         cmocka_unit_test(foreign_pages_may_nothing),
         cmocka_unit_test(a_change_needs_the_pages_header),
         cmocka_unit_test(a_page_of_our_origin_opens_a_socket),
         cmocka_unit_test(a_page_of_another_origin_opens_none),
         cmocka_unit_test(a_page_without_tls_opens_none_behind_it))
