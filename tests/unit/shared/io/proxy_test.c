#include "shared/io/proxy.h"

#include "tests/fl_test.h"

static void no_proxy_names_who_is_reached_directly(void **state)
{
    const struct {
        const char *no_proxy, *host;
        bool is_on;
    } cases[] = {
        {NULL, "a.example", true},           {"", "a.example", true},
        {"example", "a.example", false},     {".example", "a.example", false},
        {"a.example", "a.example", false},   {"A.Example", "a.example", false},
        {"ample", "a.example", true},        {"b.example, c", "a.example", true},
        {"b,*", "a.example", false},         {"a.example:443", "a.example", false},
        {"a.example:80", "a.example", true}, {"10.0.0.1", "10.0.0.1", false},
        {"10.0.0.0/8", "10.0.0.1", true},    {"::1", "::1", false},
    };
    struct fl_proxy proxy;
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fl_proxy_for("http://p.example:3128", cases[i].no_proxy, cases[i].host, 443,
                                 &proxy, &err));
        assert_int_equal(proxy.is_on, cases[i].is_on);
    }
    assert_true(fl_proxy_for("http://us%40er:p%3aw@p.example:3128/", NULL, "x", 1, &proxy, &err));
    assert_string_equal(proxy.login, "us@er:p:w");
    assert_string_equal(proxy.host, "p.example");
    assert_int_equal(proxy.port, 3128);
    assert_false(fl_proxy_for("socks5://p:1", NULL, "x", 1, &proxy, &err));
    assert_false(fl_proxy_for("http://p.example", NULL, "x", 1, &proxy, &err));
    assert_false(fl_proxy_for("http://a%0db@p:1", NULL, "x", 1, &proxy, &err));
}

FL_TESTS(cmocka_unit_test(no_proxy_names_who_is_reached_directly))
