/* Keys, the names of clusters, and requests: accepted and refused ones. */
#include "shared/tls/key.h"

#include <stdlib.h>

#include "shared/base/arena.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"
#include "shared/tls/san.h"
#include "tests/fl_test.h"
#include "tests/fuzz/csr_help.h"

#define UUID "0123abcd-4567-89ab-cdef-0123456789ab"
#define SAN "fairlead://cluster/" UUID

static void only_the_very_name_is_a_cluster(void **state)
{
    static const char *const bad[] = {"",
                                      "fairlead://cluster/",
                                      SAN " ",
                                      " " SAN,
                                      SAN "/",
                                      "FAIRLEAD://cluster/" UUID,
                                      "fairlead://Cluster/" UUID,
                                      "fairlead://cluster//" UUID,
                                      "fairlead:cluster/" UUID,
                                      "fairlead://cluster/0123ABCD-4567-89ab-cdef-0123456789ab",
                                      "fairlead://cluster/0123abcd-456789ab-cdef-0123456789ab",
                                      "fairlead://cluster/0123abcd4567-89ab-cdef-0123456789ab-",
                                      "fairlead://cluster/00000000-0000-0000-0000-000000000000",
                                      "fairlead://cluster/0123abcd-4567-89ab-cdef-0123456789ag",
                                      "https://cluster/" UUID,
                                      "fairlead://server/" UUID,
                                      SAN "?a=b",
                                      "xfairlead://cluster/" UUID};
    struct fl_uuid cluster;
    struct fl_err err = {0};
    char text[FL_SAN_TEXT_MAX];

    (void)state;
    assert_true(fl_san_parse(FL_STR(SAN), &cluster, &err));
    fl_san_print(cluster, text);
    assert_string_equal(text, SAN);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_san_parse(fl_str_c(bad[i]), &cluster, &err));
        assert_int_equal(err.code, FL_INVALID);
    }
    assert_false(fl_san_parse((struct fl_str){SAN "\0", sizeof SAN}, &cluster, &err));
}

static struct fl_str text_of(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void a_key_is_written_and_read(void **state)
{
    struct fl_key *key = fl_key_create(), *back = NULL;
    struct fl_err err = {0};
    struct fl_buf pem;

    (void)state;
    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    assert_true(fl_key_write(key, &pem, &err));
    assert_true(fl_key_read(text_of(&pem), &back, &err));
    assert_true(fl_digest_eq(fl_key_sha256(key), fl_key_sha256(back)));
    fl_key_destroy(back);
    assert_false(fl_key_read(FL_STR("no key"), &back, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(fl_key_read((struct fl_str){(const char *)pem.at, pem.len / 2}, &back, &err));
    fl_buf_fini(&pem);
    fl_key_destroy(key);
    fl_key_destroy(NULL);
}

static void a_key_of_another_kind_is_refused(void **state)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-384");
    struct fl_key *key = NULL;
    struct fl_err err = {0};
    BIO *bio = BIO_new(BIO_s_mem());
    char *at;
    long len;

    (void)state;
    assert_true(PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL) == 1);
    len = BIO_get_mem_data(bio, &at);
    assert_false(fl_key_read((struct fl_str){at, (size_t)len}, &key, &err));
    assert_int_equal(err.code, FL_UNSUPPORTED);
    BIO_free(bio);
    EVP_PKEY_free(pkey);
}

static void a_request_is_written_and_read_with_and_without_a_cluster(void **state)
{
    struct fl_key *key = fl_key_create();
    struct fl_uuid clusters[] = {{{0}}, fl_random_uuid()};
    struct fl_err err = {0};
    struct fl_csr csr = {0};
    struct fl_buf pem;

    (void)state;
    fl_buf_init(&pem, FL_CSR_BYTES_MAX);
    for (size_t i = 0; i < 2; i++) {
        fl_buf_clear(&pem);
        assert_true(fl_csr_write(key, clusters[i], &pem, &err));
        assert_true(fl_csr_read(text_of(&pem), &csr, &err));
        assert_true(fl_uuid_eq(csr.cluster, clusters[i]));
        assert_true(fl_digest_eq(csr.key_sha256, fl_key_sha256(key)));
        assert_true(fl_digest_eq(csr.key_sha256, fl_key_sha256(csr.key)));
        fl_csr_fini(&csr);
        pem.len--; /* the last newline may lack */
        assert_true(fl_csr_read(text_of(&pem), &csr, &err));
        fl_csr_fini(&csr);
        pem.len--;
        assert_false(fl_csr_read(text_of(&pem), &csr, &err));
    }
    fl_csr_fini(&csr);
    fl_csr_fini(NULL);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
}

static bool read_made(const struct csr_help *help, struct fl_err *err)
{
    unsigned char der[FL_CSR_BYTES_MAX];
    size_t len = csr_help_make(help, der, sizeof der);
    struct fl_csr csr = {0};
    bool is_good = fl_csr_read((struct fl_str){(const char *)der, len}, &csr, err);

    fl_csr_fini(&csr);
    return is_good;
}

static void a_request_for_more_is_refused(void **state)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-256"), *foreign = EVP_EC_gen("P-384");
    struct fl_err err = {0};
    struct csr_help good = {.pkey = pkey, .uri = SAN, .uri_len = sizeof SAN - 1};
    struct csr_help plain = {.pkey = pkey};

    (void)state;
    assert_true(read_made(&good, &err));
    assert_true(read_made(&plain, &err));
    for (int i = 0; i < 8; i++) {
        struct csr_help bad = good;

        if (i == 0) bad.second_dns = "controlplane.example";
        if (i == 1) bad.common_name = "admin";
        if (i == 2) bad.is_ca = true;
        if (i == 3) bad.is_critical = true;
        if (i == 4) bad.is_signed_by_other = true;
        if (i == 5) bad.pkey = foreign;
        if (i == 6) bad.uri_len--;
        if (i == 7) bad = (struct csr_help){.pkey = pkey, .second_dns = "controlplane.example"};
        err.code = FL_OK;
        assert_false(read_made(&bad, &err));
        assert_true(err.code == (i == 5 ? FL_UNSUPPORTED : FL_INVALID));
    }
    EVP_PKEY_free(pkey);
    EVP_PKEY_free(foreign);
}

static void what_is_around_a_request_and_what_is_none_is_refused(void **state)
{
    struct fl_key *key = fl_key_create();
    struct fl_arena arena = {0};
    struct fl_csr csr = {0};
    struct fl_err err = {0};
    struct fl_buf pem;
    char *text;

    (void)state;
    fl_buf_init(&pem, FL_CSR_BYTES_MAX);
    assert_true(fl_csr_write(key, (struct fl_uuid){{0}}, &pem, &err));
    text = fl_arena_printf(&arena, "%.*sx", (int)pem.len, (const char *)pem.at);
    assert_false(fl_csr_read(fl_str_c(text), &csr, &err));
    text = fl_arena_printf(&arena, "x\n%.*s", (int)pem.len, (const char *)pem.at);
    assert_false(fl_csr_read(fl_str_c(text), &csr, &err));
    text = fl_arena_printf(&arena, "%.*s\n\n", (int)pem.len, (const char *)pem.at);
    assert_false(fl_csr_read(fl_str_c(text), &csr, &err));
    assert_false(fl_csr_read((struct fl_str){0}, &csr, &err));
    assert_int_equal(err.code, FL_INVALID);
    text = fl_arena_alloc(&arena, FL_CSR_BYTES_MAX + 1);
    assert_false(fl_csr_read((struct fl_str){text, FL_CSR_BYTES_MAX + 1}, &csr, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    fl_arena_fini(&arena);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
}

FL_TESTS(cmocka_unit_test(only_the_very_name_is_a_cluster),
         cmocka_unit_test(a_key_is_written_and_read),
         cmocka_unit_test(a_key_of_another_kind_is_refused),
         cmocka_unit_test(a_request_is_written_and_read_with_and_without_a_cluster),
         cmocka_unit_test(a_request_for_more_is_refused),
         cmocka_unit_test(what_is_around_a_request_and_what_is_none_is_refused))
