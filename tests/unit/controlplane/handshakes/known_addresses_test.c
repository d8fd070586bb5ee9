#include "controlplane/handshakes/known_addresses.h"

#include "tests/fl_test.h"

static uint64_t number(const char *text)
{
    struct fl_net_address address;
    struct fl_err err = {0};

    assert_true(fl_net_parse(fl_str_c(text), &address, &err));
    return known_addresses_number(&address);
}

static void one_host_has_one_number(void **state)
{
    (void)state;
    assert_int_equal(number("10.0.0.1:80"), number("10.0.0.1:81"));
    assert_int_not_equal(number("10.0.0.1:80"), number("10.0.0.2:80"));
    assert_int_equal(number("[::ffff:10.0.0.1]:80"), number("10.0.0.1:80"));
    assert_int_equal(number("[2001:db8:1:2::1]:80"), number("[2001:db8:1:2:3::9]:80"));
    assert_int_not_equal(number("[2001:db8:1:2::1]:80"), number("[2001:db8:1:3::1]:80"));
}

static void an_address_is_forgotten_in_the_end(void **state)
{
    struct known_addresses *known = known_addresses_create();
    fl_ms now = 5000, fresh = KNOWN_ADDRESSES_FRESH_MS;

    (void)state;
    assert_false(known_addresses_has(known, 7, now));
    known_addresses_put(known, 7, now);
    assert_true(known_addresses_has(known, 7, now));
    assert_false(known_addresses_has(known, 8, now));
    assert_true(known_addresses_has(known, 7, now + fresh));
    known_addresses_put(known, 8, now + fresh + 1);
    assert_true(known_addresses_has(known, 7, now + fresh + 1));
    assert_false(known_addresses_has(known, 7, now + 2 * fresh + 1));
    assert_true(known_addresses_has(known, 8, now + 2 * fresh + 1));
    assert_false(known_addresses_has(known, 8, now + 9 * fresh));
    known_addresses_destroy(known);
}

static void many_addresses_push_out_the_oldest_half(void **state)
{
    struct known_addresses *known = known_addresses_create();

    (void)state;
    for (uint64_t i = 0; i < 3 * KNOWN_ADDRESSES_MAX; i++) {
        known_addresses_put(known, i, 1);
    }
    assert_false(known_addresses_has(known, 0, 1));
    for (uint64_t i = 0; i < KNOWN_ADDRESSES_MAX / 2; i++) {
        assert_true(known_addresses_has(known, 3 * KNOWN_ADDRESSES_MAX - 1 - i, 1));
    }
    known_addresses_destroy(known);
}

FL_TESTS(cmocka_unit_test(one_host_has_one_number),
         cmocka_unit_test(an_address_is_forgotten_in_the_end),
         cmocka_unit_test(many_addresses_push_out_the_oldest_half))
