#include "shared/tls/join_token.h"

#include "shared/tls/digest.h"
#include "tests/fl_test.h"

static struct fl_join_token make(void)
{
    struct fl_join_token token;
    struct fl_err err = {0};

    assert_true(fl_join_token_init(&token, fl_sha256("ca", 2), FL_STR("https://hub.example:8474"),
                                   FL_STR("hub.example:8475"), &err));
    return token;
}

static void a_token_is_printed_and_read(void **state)
{
    struct fl_join_token token = make(), other = make(), back;
    char text[FL_JOIN_TOKEN_TEXT_MAX], again[FL_JOIN_TOKEN_TEXT_MAX];
    struct fl_err err = {0};

    (void)state;
    assert_memory_not_equal(token.secret, other.secret, sizeof token.secret);
    fl_join_token_print(&token, text);
    assert_int_equal(strncmp(text, "fl-join_", 8), 0);
    assert_true(fl_join_token_parse(fl_str_c(text), &back, &err));
    assert_memory_equal(back.secret, token.secret, sizeof token.secret);
    assert_true(fl_digest_eq(back.ca_sha256, token.ca_sha256));
    assert_string_equal(back.api_url, "https://hub.example:8474");
    assert_string_equal(back.tunnel, "hub.example:8475");
    fl_join_token_print(&back, again);
    assert_string_equal(text, again);
    assert_true(fl_digest_eq(fl_join_token_sha256(&token), fl_sha256(token.secret, 32)));
}

static void every_slip_in_it_is_noticed(void **state)
{
    struct fl_join_token token = make(), back;
    char text[FL_JOIN_TOKEN_TEXT_MAX];
    struct fl_err err = {0};
    size_t len;

    (void)state;
    fl_join_token_print(&token, text);
    len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        char before = text[i];

        text[i] = before == 'A' ? 'B' : 'A';
        assert_false(fl_join_token_parse(fl_str_c(text), &back, &err));
        text[i] = before;
        assert_false(fl_join_token_parse((struct fl_str){text, i}, &back, &err));
    }
    assert_false(fl_join_token_parse((struct fl_str){text, len + 1}, &back, &err));
    assert_true(fl_join_token_parse((struct fl_str){text, len}, &back, &err));
}

static void addresses_are_visible_text_of_bounded_length(void **state)
{
    struct fl_join_token token;
    struct fl_err err = {0};
    char url[FL_JOIN_TOKEN_ADDRESS_MAX], text[FL_JOIN_TOKEN_TEXT_MAX];
    struct fl_digest ca = fl_sha256("ca", 2);

    (void)state;
    memset(url, 'u', sizeof url);
    assert_false(
        fl_join_token_init(&token, ca, (struct fl_str){url, sizeof url}, FL_STR("t:1"), &err));
    assert_false(fl_join_token_init(&token, ca, FL_STR(""), FL_STR("t:1"), &err));
    assert_false(fl_join_token_init(&token, ca, FL_STR("a b"), FL_STR("t:1"), &err));
    assert_false(fl_join_token_init(&token, ca, FL_STR("a"), FL_STR("t\n"), &err));
    assert_true(fl_join_token_init(&token, ca, (struct fl_str){url, sizeof url - 1},
                                   (struct fl_str){url, sizeof url - 1}, &err));
    fl_join_token_print(&token, text);
    assert_true(fl_join_token_parse(fl_str_c(text), &token, &err));
}

FL_TESTS(cmocka_unit_test(a_token_is_printed_and_read),
         cmocka_unit_test(every_slip_in_it_is_noticed),
         cmocka_unit_test(addresses_are_visible_text_of_bounded_length))
