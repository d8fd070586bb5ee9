#include "shared/http_client/curl_library.h"

#include "tests/fl_test.h"

/* Before it is loaded: afterwards no other one is looked at. */
static void a_library_that_will_not_do_is_named(void **state)
{
    struct fl_err err = {0};

    (void)state;
    assert_false(fl_curl_load("libcurl-nowhere.so.4", &err));
    assert_int_equal(err.code, FL_IO);
    assert_non_null(strstr(err.text, "libcurl-nowhere.so.4 cannot be loaded"));
    assert_non_null(strstr(err.text, "install"));
    assert_false(fl_curl_load("libcrypto.so.3", &err));
    assert_non_null(strstr(err.text, "libcrypto.so.3 has no curl_easy_cleanup"));
}

static void it_is_loaded_once(void **state)
{
    struct fl_err err = {0};

    (void)state;
    if (!fl_curl_load(FL_CURL_FILE, &err)) fail_msg("%s", err.text);
    assert_true(fl_curl_load("libcurl-nowhere.so.4", &err));
}

FL_TESTS(cmocka_unit_test(a_library_that_will_not_do_is_named), cmocka_unit_test(it_is_loaded_once))
