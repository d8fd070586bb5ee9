#include "shared/tls/cert.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <time.h>

#include "shared/base/assert.h"
#include "shared/tls/digest.h"
#include "shared/tls/pem.h"

static bool read_time(const ASN1_TIME *time, fl_ms *ret_at, struct fl_err *err)
{
    struct tm parts;

    if (!time || ASN1_TIME_to_tm(time, &parts) != 1) return fl_pem_fail(err, "a time");
    *ret_at = (fl_ms)timegm(&parts) * FL_SECOND_MS;
    return true;
}

/* The subject's one serialNumber: decimal, from 1, in its shortest form. */
static bool read_generation(X509 *x509, uint64_t *ret_generation, struct fl_err *err)
{
    const X509_NAME *subject = X509_get_subject_name(x509);
    int at = X509_NAME_get_index_by_NID(subject, NID_serialNumber, -1);
    const ASN1_STRING *value;
    struct fl_str text;

    if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_serialNumber, at) >= 0) {
        return fl_fail(err, FL_INVALID, "the subject has no serialNumber, or more than one");
    }
    value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    text = (struct fl_str){(const char *)ASN1_STRING_get0_data(value),
                           (size_t)ASN1_STRING_length(value)};
    if (!fl_str_parse_u64(text, ret_generation) || text.at[0] == '0') {
        return fl_fail(err, FL_INVALID, "the subject's serialNumber is no generation");
    }
    return true;
}

/* Hashes the SubjectPublicKeyInfo as it stands: encoding the key anew costs a tenth of a
 * handshake. */
static struct fl_digest key_sha256_of(X509 *x509)
{
    unsigned char *der = NULL;
    int len = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509), &der);
    struct fl_digest digest;

    fl_assert(len > 0);
    digest = fl_sha256(der, (size_t)len);
    OPENSSL_free(der);
    return digest;
}

bool fl_cert_of(X509 *x509, struct fl_cert *ret_cert, struct fl_err *err)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(x509, NID_subject_alt_name, NULL, NULL);
    EVP_PKEY *pkey = X509_get0_pubkey(x509);
    struct fl_cert cert = {0};
    bool has_cluster = false, is_good;

    is_good = fl_pem_cluster_of(names, &has_cluster, &cert.cluster, err) &&
              (!has_cluster || read_generation(x509, &cert.generation, err)) &&
              read_time(X509_get0_notBefore(x509), &cert.from, err) &&
              read_time(X509_get0_notAfter(x509), &cert.until, err) &&
              (pkey || fl_pem_fail(err, "the certificate's key"));
    GENERAL_NAMES_free(names);
    if (!is_good) return false;
    cert.sha256 = fl_pem_sha256_of(x509);
    cert.key_sha256 = key_sha256_of(x509);
    *ret_cert = cert;
    return true;
}

bool fl_cert_read(struct fl_str pem, struct fl_cert *ret_cert, struct fl_err *err)
{
    X509 *x509;
    bool is_good;

    if (!fl_pem_read_cert(pem, &x509, err)) return false;
    is_good = fl_cert_of(x509, ret_cert, err);
    X509_free(x509);
    return is_good;
}

static bool deny(struct fl_err *err, const char *why)
{
    return fl_fail(err, FL_DENIED, "%s", why);
}

static bool check_peer(SSL *ssl, X509 *x509, struct fl_cert *cert, struct fl_err *err)
{
    long verified = SSL_get_verify_result(ssl);

    if (!(SSL_get_verify_mode(ssl) & SSL_VERIFY_PEER)) {
        return deny(err, "the listener asks for no certificate");
    }
    if (verified != X509_V_OK) return deny(err, X509_verify_cert_error_string(verified));
    /* The usage is UINT32_MAX for a certificate without limits. */
    if (X509_get_extended_key_usage(x509) != XKU_SSL_CLIENT) {
        return deny(err, "the certificate is not one for clients alone");
    }
    if (!fl_cert_of(x509, cert, err)) {
        err->code = FL_DENIED;
        return false;
    }
    if (fl_uuid_is_zero(cert->cluster)) return deny(err, "the certificate is no cluster's");
    return true;
}

bool fl_cert_of_cluster(SSL *ssl, struct fl_cert *ret_cert, struct fl_err *err)
{
    X509 *x509 = SSL_get1_peer_certificate(ssl);
    struct fl_cert cert;
    struct fl_err why = {0};
    bool is_good;

    if (!x509) return deny(err, "no certificate was shown");
    is_good = check_peer(ssl, x509, &cert, &why);
    X509_free(x509);
    if (is_good) {
        *ret_cert = cert;
    } else if (err) {
        *err = why;
    }
    return is_good;
}

void fl_cert_subject(X509 *x509, char *out, size_t bytes_max)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    long len;

    fl_assert(bio && bytes_max > 0);
    X509_NAME_print_ex(bio, X509_get_subject_name(x509), 0, XN_FLAG_ONELINE);
    len = BIO_get_mem_data(bio, &text);
    if (len < 0) len = 0;
    if ((size_t)len >= bytes_max) len = (long)bytes_max - 1;
    if (len) memcpy(out, text, (size_t)len);
    out[len] = 0;
    BIO_free(bio);
}
