#include "shared/tls/client_hello.h"

#include <openssl/ssl.h>

#include "shared/base/assert.h"
#include "tests/fl_test.h"

/* The first message of an OpenSSL client. */
static size_t hello_of_openssl(char *bytes, size_t bytes_max)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    int len;

    SSL_set_bio(ssl, in, out);
    SSL_set_tlsext_host_name(ssl, "hub.example");
    assert_int_equal(SSL_connect(ssl), -1);
    len = BIO_read(out, bytes, (int)bytes_max);
    assert_true(len > 0);
    SSL_free(ssl);
    SSL_CTX_free(context);
    return (size_t)len;
}

static void the_first_message_of_a_client_is_whole_at_its_end_and_not_before(void **state)
{
    char bytes[FL_CLIENT_HELLO_BYTES_MAX];
    size_t len = hello_of_openssl(bytes, sizeof bytes), needed;
    struct fl_str ticket;

    (void)state;
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(fl_client_hello_read((struct fl_str){bytes, i}, &needed, &ticket),
                         FL_CLIENT_HELLO_MORE);
        assert_int_equal(needed, i < 5 ? 5 : len);
    }
    assert_int_equal(fl_client_hello_read((struct fl_str){bytes, len}, &needed, &ticket),
                     FL_CLIENT_HELLO_WHOLE);
    assert_int_equal(ticket.len, 0);
}

static void a_ticket_is_found_behind_other_extensions(void **state)
{
    static const char bytes[] =
        "\x16\x03\x01\x00\x4f"                   /* a record of the handshake, 79 bytes */
        "\x01\x00\x00\x4b"                       /* ClientHello, 75 bytes */
        "\x03\x03"                               /* version */
        "0123456789abcdef0123456789abcdef"       /* random */
        "\x02id"                                 /* session id */
        "\x00\x02\x13\x01"                       /* suites */
        "\x01\x00"                               /* compression */
        "\x00\x1e"                               /* 30 bytes of extensions */
        "\x00\x0a\x00\x04\x00\x02\x00\x1d"       /* groups */
        "\x00\x29\x00\x12"                       /* pre_shared_key */
        "\x00\x0c\x00\x06ticket\x00\x00\x00\x01" /* an identity and its age */
        "\x00\x02xy";                            /* binders, cut short */
    struct fl_str ticket;
    size_t needed;

    (void)state;
    assert_int_equal(sizeof bytes - 1, 5 + 79);
    assert_int_equal(
        fl_client_hello_read((struct fl_str){bytes, sizeof bytes - 1}, &needed, &ticket),
        FL_CLIENT_HELLO_WHOLE);
    assert_true(fl_str_eq(ticket, FL_STR("ticket")));
}

static void other_bytes_are_no_tls_and_a_malformed_message_has_no_ticket(void **state)
{
    struct fl_str ticket;
    size_t needed;

    (void)state;
    assert_int_equal(fl_client_hello_read(FL_STR("GET / HTTP/1.1\r\n"), &needed, &ticket),
                     FL_CLIENT_HELLO_OTHER);
    assert_int_equal(
        fl_client_hello_read((struct fl_str){"\x16\x03\x01\x00\x02\x01\xff", 7}, &needed, &ticket),
        FL_CLIENT_HELLO_WHOLE);
    assert_int_equal(ticket.len, 0);
}

static void a_very_long_record_is_taken_as_whole_with_its_first_part(void **state)
{
    char bytes[FL_CLIENT_HELLO_BYTES_MAX] = "\x16\x03\x01\x40\x00\x01";
    struct fl_str ticket;
    size_t needed;

    (void)state;
    assert_int_equal(
        fl_client_hello_read((struct fl_str){bytes, sizeof bytes - 1}, &needed, &ticket),
        FL_CLIENT_HELLO_MORE);
    assert_int_equal(needed, sizeof bytes);
    assert_int_equal(fl_client_hello_read((struct fl_str){bytes, sizeof bytes}, &needed, &ticket),
                     FL_CLIENT_HELLO_WHOLE);
    assert_int_equal(ticket.len, 0);
}

FL_TESTS(cmocka_unit_test(the_first_message_of_a_client_is_whole_at_its_end_and_not_before),
         cmocka_unit_test(a_ticket_is_found_behind_other_extensions),
         cmocka_unit_test(other_bytes_are_no_tls_and_a_malformed_message_has_no_ticket),
         cmocka_unit_test(a_very_long_record_is_taken_as_whole_with_its_first_part))
