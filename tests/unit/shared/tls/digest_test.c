/* Digests, random bytes and their spellings. */
#include "shared/tls/digest.h"

#include <stdlib.h>

#include "shared/base/prng.h"
#include "shared/tls/base64.h"
#include "shared/tls/random.h"
#include "tests/fl_test.h"

static void digests_are_those_of_the_standards(void **state)
{
    char text[FL_DIGEST_TEXT_MAX];
    struct fl_sha256_stream *stream;
    struct fl_digest digest;
    struct fl_err err = {0};

    (void)state;
    fl_digest_print(fl_sha256("abc", 3), text); /* FIPS 180-2, B.1 */
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    fl_digest_print(fl_sha256(NULL, 0), text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    fl_digest_print(fl_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28), text);
    /* RFC 4231, 4.3 */
    assert_string_equal(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_true(fl_digest_parse(fl_str_c(text), &digest, &err));
    assert_true(
        fl_digest_eq(digest, fl_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28)));
    text[0] = 'F';
    assert_false(fl_digest_parse(fl_str_c(text), &digest, &err));
    assert_false(fl_digest_parse(FL_STR("5b"), &digest, &err));

    stream = fl_sha256_create();
    fl_sha256_put(stream, "a", 1);
    fl_sha256_put(stream, NULL, 0);
    fl_sha256_put(stream, "bc", 2);
    assert_true(fl_digest_eq(fl_sha256_end(stream), fl_sha256("abc", 3)));
    fl_sha256_destroy(fl_sha256_create());
    fl_sha256_destroy(NULL);
    assert_true(fl_secret_eq("abc", "abd", 2));
    assert_false(fl_secret_eq("abc", "abd", 3));
}

static void random_bytes_differ_and_a_random_uuid_is_one(void **state)
{
    uint8_t a[32] = {0}, b[32] = {0};
    char text[FL_UUID_TEXT_MAX];
    struct fl_uuid uuid = fl_random_uuid(), parsed;
    struct fl_err err = {0};

    (void)state;
    fl_random(a, sizeof a);
    fl_random(b, sizeof b);
    assert_memory_not_equal(a, b, sizeof a);
    assert_true(fl_random_u64() != fl_random_u64());
    fl_uuid_print(uuid, text);
    assert_int_equal(text[14], '4');
    assert_true(fl_uuid_parse(fl_str_c(text), &parsed, &err));
    assert_true(fl_uuid_eq(uuid, parsed));
    assert_false(fl_uuid_is_zero(uuid));
}

static void bytes_have_one_spelling(void **state)
{
    uint8_t bytes[64], back[64];
    char text[FL_BASE64_LEN(64) * 2];
    struct fl_prng prng;
    struct fl_err err = {0};

    (void)state;
    fl_prng_seed(&prng, 3);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        for (size_t i = 0; i < len; i++) {
            bytes[i] = (uint8_t)fl_prng_below(&prng, 256);
        }
        fl_base64_print(bytes, len, text);
        assert_int_equal(strlen(text), FL_BASE64_LEN(len));
        assert_int_equal(fl_base64_bytes(strlen(text)), len);
        assert_true(fl_base64_parse(fl_str_c(text), back, len, &err));
        assert_memory_equal(back, bytes, len);
        assert_false(fl_base64_parse(fl_str_c(text), back, len + 3, &err));
        fl_base32_print(bytes, len, text);
        assert_int_equal(strlen(text), FL_BASE32_LEN(len));
        assert_true(fl_base32_parse(fl_str_c(text), back, len, &err));
        assert_memory_equal(back, bytes, len);
    }
    fl_base64_print("\xfb\xff", 2, text);
    assert_string_equal(text, "-_8");
    assert_false(fl_base64_parse(FL_STR("-_9"), back, 2, &err)); /* bits that mean nothing */
    assert_false(fl_base64_parse(FL_STR("+/8"), back, 2, &err));
    assert_false(fl_base64_parse(FL_STR("-_8="), back, 2, &err));
    assert_false(fl_base32_parse(FL_STR("0I"), back, 1, &err));
    assert_int_equal(fl_base64_bytes(5), SIZE_MAX);
}

FL_TESTS(cmocka_unit_test(digests_are_those_of_the_standards),
         cmocka_unit_test(random_bytes_differ_and_a_random_uuid_is_one),
         cmocka_unit_test(bytes_have_one_spelling))
