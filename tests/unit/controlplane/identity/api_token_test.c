#include "controlplane/identity/api_token.h"

#include "shared/tls/digest.h"
#include "tests/fl_test.h"

static void a_token_is_printed_and_read(void **state)
{
    struct api_token token = api_token_random(), back;
    char text[API_TOKEN_TEXT_MAX], id[API_TOKEN_ID_TEXT_MAX];
    struct fl_err err = {0};
    uint64_t number;

    (void)state;
    api_token_print(&token, text);
    assert_int_equal(strlen(text), API_TOKEN_TEXT_MAX - 1);
    assert_int_equal(strncmp(text, "fl_", 3), 0);
    assert_true(api_token_parse(fl_str_c(text), &back, &err));
    assert_true(back.id == token.id && token.id > 0 && token.id < (uint64_t)1 << 60);
    assert_memory_equal(back.secret, token.secret, sizeof token.secret);
    api_token_id_print(token.id, id);
    assert_int_equal(strncmp(text + 3, id, strlen(id)), 0);
    assert_true(api_token_id_parse(fl_str_c(id), &number, &err));
    assert_true(number == token.id);
    assert_false(api_token_id_parse(FL_STR("000000000000"), &number, &err));
    assert_false(api_token_id_parse(FL_STR("00000000000"), &number, &err));
    assert_false(api_token_id_parse(FL_STR("00000000000L"), &number, &err));
}

static void every_slip_in_it_is_noticed(void **state)
{
    struct api_token token = api_token_random(), back;
    char text[API_TOKEN_TEXT_MAX];
    struct fl_err err = {0};

    (void)state;
    api_token_print(&token, text);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        char before = text[i];

        text[i] = before == '0' ? '1' : '0';
        assert_false(api_token_parse(fl_str_c(text), &back, &err));
        assert_int_equal(err.code, FL_INVALID);
        text[i] = before;
        assert_false(api_token_parse((struct fl_str){text, i}, &back, &err));
    }
    assert_true(api_token_parse(fl_str_c(text), &back, &err));
}

static void the_mac_depends_on_id_secret_and_pepper(void **state)
{
    struct api_token token = api_token_random(), other = token;
    struct fl_digest mac = api_token_mac(&token, FL_STR("pepper"));

    (void)state;
    assert_true(fl_digest_eq(mac, api_token_mac(&other, FL_STR("pepper"))));
    assert_false(fl_digest_eq(mac, api_token_mac(&token, FL_STR("salt"))));
    other.id ^= 1;
    assert_false(fl_digest_eq(mac, api_token_mac(&other, FL_STR("pepper"))));
    other = token;
    other.secret[31] ^= 1;
    assert_false(fl_digest_eq(mac, api_token_mac(&other, FL_STR("pepper"))));
}

FL_TESTS(cmocka_unit_test(a_token_is_printed_and_read),
         cmocka_unit_test(every_slip_in_it_is_noticed),
         cmocka_unit_test(the_mac_depends_on_id_secret_and_pepper))
