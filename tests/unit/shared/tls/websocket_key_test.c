/* The handshake's key and its answer. */
#include "shared/tls/websocket_key.h"

#include "tests/fl_test.h"

static void the_example_of_the_rfc_has_its_answer(void **state)
{
    char accept[FL_WEBSOCKET_ACCEPT_MAX];

    (void)state;
    assert_true(fl_websocket_accept(FL_STR("dGhlIHNhbXBsZSBub25jZQ=="), accept));
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void keys_differ_and_each_is_good(void **state)
{
    char one[FL_WEBSOCKET_KEY_MAX], other[FL_WEBSOCKET_KEY_MAX], accept[FL_WEBSOCKET_ACCEPT_MAX];

    (void)state;
    fl_websocket_key(one);
    fl_websocket_key(other);
    assert_string_not_equal(one, other);
    assert_true(fl_websocket_accept(fl_str_c(one), accept));
}

static void what_is_not_the_base64_of_16_bytes_is_no_key(void **state)
{
    static const char *const bad[] = {"",
                                      "c2hvcnQ=",
                                      "dGhlIHNhbXBsZSBub25jZQ=",
                                      "dGhlIHNhbXBsZSBub25jZQ===",
                                      "dGhlIHNhbXBsZSBub25jZQAA",
                                      "dGhlIHNhbXBs\nSBub25jZQ=="};
    char accept[FL_WEBSOCKET_ACCEPT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_websocket_accept(fl_str_c(bad[i]), accept));
    }
}

FL_TESTS(cmocka_unit_test(the_example_of_the_rfc_has_its_answer),
         cmocka_unit_test(keys_differ_and_each_is_good),
         cmocka_unit_test(what_is_not_the_base64_of_16_bytes_is_no_key))
