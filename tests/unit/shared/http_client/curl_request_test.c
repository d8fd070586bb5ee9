#include "shared/http_client/curl_request.h"

#include "shared/http_client/curl_library.h"
#include "tests/fl_test.h"

static struct fl_curl_request request;

static int load(void **state)
{
    struct fl_err err = {0};

    (void)state;
    return fl_curl_load(FL_CURL_FILE, &err) ? 0 : -1;
}

static int begin(void **state)
{
    (void)state;
    fl_curl_request_init(&request);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fl_curl_request_fini(&request);
    return 0;
}

static bool set(const struct fl_http_request *what, const char *server_name, struct fl_err *err)
{
    return fl_curl_request_set(&request, what, &(struct fl_curl_route){.server_name = server_name},
                               err);
}

/* The lines for libcurl, joined by '|'. */
static const char *headers(void)
{
    static char text[512];
    size_t len = 0;

    text[0] = '\0';
    for (const struct curl_slist *line = request.headers; line; line = line->next) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s|", line->data);
    }
    return text;
}

static void headers_are_ours_and_none_is_libcurls(void **state)
{
    const struct fl_http_header ours[] = {
        {"X-A", "b c"}, {"X-Empty", ""}, {"accept", "text/plain"}};
    struct fl_err err = {0};

    (void)state;
    assert_true(set(
        &(struct fl_http_request){
            .method = "GET", .url = "https://hub:8443/v1", .headers = ours, .headers_len = 3},
        NULL, &err));
    /* "Name;" is empty, "Name:" is left out. */
    assert_string_equal(headers(), "X-A: b c|X-Empty;|accept: text/plain|Content-Type:|Expect:|");
}

static void another_name_is_asked_for_at_the_same_address(void **state)
{
    struct fl_err err = {0};
    char name[FL_NET_HOST_MAX];

    (void)state;
    assert_true(set(&(struct fl_http_request){.method = "GET", .url = "https://10.0.0.7:8443/v1"},
                    "hub.internal", &err));
    fl_curl_request_host(&request, name);
    assert_string_equal(name, "hub.internal");
    assert_string_equal(request.connect_to->data, "::10.0.0.7:8443");
    assert_string_equal(headers(), "Host: 10.0.0.7:8443|Accept:|Content-Type:|Expect:|");
}

static void the_name_of_an_address_has_no_brackets(void **state)
{
    struct fl_err err = {0};
    char name[FL_NET_HOST_MAX];

    (void)state;
    assert_true(
        set(&(struct fl_http_request){.method = "GET", .url = "https://[::1]:1/"}, NULL, &err));
    fl_curl_request_host(&request, name);
    assert_string_equal(name, "::1");
}

static void what_could_be_read_as_two_requests_is_refused(void **state)
{
    static const struct {
        const char *method, *url, *name, *value;
    } cases[] = {
        {"GE T", "http://a/", "X", "y"},
        {"", "http://a/", "X", "y"},
        {"GET", "http://a/", "X Y", "y"},
        {"GET", "http://a/", "", "y"},
        {"GET", "http://a/", "X", "y\r\nZ: 1"},
        {"GET", "http://a/", "X", "y\x7f"},
        {"GET", "http://user:word@a/", "X", "y"},
        {"GET", "ftp://a/", "X", "y"},
        {"GET", "a b", "X", "y"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_http_header header = {cases[i].name, cases[i].value};
        struct fl_err err = {0};

        fl_curl_request_fini(&request);
        fl_curl_request_init(&request);
        assert_false(set(&(struct fl_http_request){.method = cases[i].method,
                                                   .url = cases[i].url,
                                                   .headers = &header,
                                                   .headers_len = 1},
                         NULL, &err));
        assert_int_equal(err.code, FL_INVALID);
    }
}

static void so_many_headers_and_no_more(void **state)
{
    struct fl_http_header many[FL_HTTP_HEADERS_MAX + 1];
    struct fl_http_request what = {.method = "GET", .url = "http://a/", .headers = many};
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i <= FL_HTTP_HEADERS_MAX; i++) {
        many[i] = (struct fl_http_header){"X", "y"};
    }
    what.headers_len = FL_HTTP_HEADERS_MAX;
    assert_true(set(&what, NULL, &err));
    fl_curl_request_fini(&request);
    fl_curl_request_init(&request);
    what.headers_len++;
    assert_false(set(&what, NULL, &err));
    assert_int_equal(err.code, FL_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headers_are_ours_and_none_is_libcurls, begin, end),
        cmocka_unit_test_setup_teardown(another_name_is_asked_for_at_the_same_address, begin, end),
        cmocka_unit_test_setup_teardown(the_name_of_an_address_has_no_brackets, begin, end),
        cmocka_unit_test_setup_teardown(what_could_be_read_as_two_requests_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(so_many_headers_and_no_more, begin, end),
    };

    return cmocka_run_group_tests(tests, load, NULL) != 0;
}
