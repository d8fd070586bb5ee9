#include "shared/tls/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/tls/digest.h"
#include "shared/tls/san.h"

enum { CERTS_MAX = 16 };
#define OUR_SCHEME "fairlead:"

bool fl_pem_fail(struct fl_err *err, const char *what)
{
    char text[160] = "malformed";
    unsigned long code = ERR_peek_error();

    if (code != 0) ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return fl_fail(err, FL_INVALID, "%s: %s", what, text);
}

static int no_password(char *buf, int size, int is_writing, void *ctx)
{
    (void)buf;
    (void)size;
    (void)is_writing;
    (void)ctx;
    return -1; /* never ask on a terminal */
}

bool fl_pem_read_certs(struct fl_str pem, STACK_OF(X509) * *ret_certs, struct fl_err *err)
{
    STACK_OF(X509) *certs = sk_X509_new_null();
    BIO *bio = BIO_new_mem_buf(pem.len > 0 ? pem.at : "", (int)(pem.len < INT32_MAX ? pem.len : 0));
    X509 *cert;
    bool is_good;

    fl_assert(certs && bio);
    while (sk_X509_num(certs) < CERTS_MAX &&
           (cert = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        sk_X509_push(certs, cert);
    }
    is_good = sk_X509_num(certs) > 0 && sk_X509_num(certs) < CERTS_MAX &&
              ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(bio);
    if (!is_good) {
        sk_X509_pop_free(certs, X509_free);
        return fl_pem_fail(err, "not 1 to 15 certificates in PEM");
    }
    ERR_clear_error();
    *ret_certs = certs;
    return true;
}

bool fl_pem_read_cert(struct fl_str pem, X509 **ret_cert, struct fl_err *err)
{
    STACK_OF(X509) *certs = NULL;

    if (!fl_pem_read_certs(pem, &certs, err)) return false;
    *ret_cert = sk_X509_shift(certs);
    sk_X509_pop_free(certs, X509_free);
    return true;
}

static bool take_bio(BIO *bio, struct fl_buf *ret, struct fl_err *err)
{
    char *at;
    long len = BIO_get_mem_data(bio, &at);

    if (fl_buf_put(ret, at, (size_t)len)) return true;
    return fl_fail(err, FL_TOO_LARGE, "the text has over %zu bytes", ret->max);
}

bool fl_pem_write_cert(X509 *cert, struct fl_buf *ret_pem, struct fl_err *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    bool is_good;

    fl_assert(bio);
    is_good = PEM_write_bio_X509(bio, cert) == 1 ? take_bio(bio, ret_pem, err)
                                                 : fl_pem_fail(err, "certificate");
    BIO_free(bio);
    return is_good;
}

struct fl_digest fl_pem_sha256_of(X509 *cert)
{
    struct fl_digest digest;
    unsigned len = sizeof digest.at;
    int is_good = X509_digest(cert, EVP_sha256(), digest.at, &len);

    fl_assert(is_good == 1 && len == sizeof digest.at);
    return digest;
}

struct fl_digest fl_pem_key_sha256_of(EVP_PKEY *pkey)
{
    unsigned char *der = NULL;
    int len = i2d_PUBKEY(pkey, &der);
    struct fl_digest digest;

    fl_assert(len > 0);
    digest = fl_sha256(der, (size_t)len);
    OPENSSL_free(der);
    return digest;
}

bool fl_pem_is_p256(EVP_PKEY *pkey)
{
    char group[32] = "";
    size_t len;

    return EVP_PKEY_get_base_id(pkey) == EVP_PKEY_EC &&
           EVP_PKEY_get_group_name(pkey, group, sizeof group, &len) == 1 &&
           strcmp(group, SN_X9_62_prime256v1) == 0;
}

bool fl_pem_cluster_of(const GENERAL_NAMES *names, bool *ret_has, struct fl_uuid *ret_cluster,
                       struct fl_err *err)
{
    int len = names ? sk_GENERAL_NAME_num(names) : 0;

    *ret_has = false;
    for (int i = 0; i < len; i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        struct fl_str uri;

        if (name->type != GEN_URI) continue;
        uri =
            (struct fl_str){(const char *)ASN1_STRING_get0_data(name->d.uniformResourceIdentifier),
                            (size_t)ASN1_STRING_length(name->d.uniformResourceIdentifier)};
        if (uri.len < sizeof OUR_SCHEME - 1 ||
            strncasecmp(uri.at, OUR_SCHEME, sizeof OUR_SCHEME - 1) != 0) {
            continue;
        }
        if (!fl_san_parse(uri, ret_cluster, err)) return false;
        if (len != 1) return fl_fail(err, FL_INVALID, "there are names beside the cluster's");
        *ret_has = true;
    }
    return true;
}
