/* A certificate, as a peer shows it and as it is kept in files.
 * Input: its DER bytes.
 * Property: a certificate that is a cluster's has that cluster's one name and its generation in its
 * bytes, in the only spelling that each has; as PEM it reads as the same, also with another one
 * behind it; cut PEM is refused.
 * The corpus was made by openssl req, a file for each rule.
 * The planted bug (planted/certificate.patch) takes a generation with zeros in front.
 *
 *     tests/fuzz/planted.sh certificate */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/uuid.h"
#include "shared/tls/cert.h"
#include "shared/tls/pem.h"
#include "shared/tls/san.h"

enum { INPUT_BYTES_MAX = 8192, PEM_BYTES_MAX = 1 << 16, TEXT_BYTES_MAX = 128 };

/* Does the text stand there as a whole ASN.1 string, behind its length? */
static bool has_text(const uint8_t *der, size_t len, const char *text)
{
    char bytes[TEXT_BYTES_MAX];
    int bytes_len = snprintf(bytes, sizeof bytes, "%c%s", (char)strlen(text), text);

    fl_assert(bytes_len > 0 && (size_t)bytes_len < sizeof bytes);
    return memmem(der, len, bytes, (size_t)bytes_len) != NULL;
}

static void check_cluster(const struct fl_cert *cert, const uint8_t *der, size_t len)
{
    char name[FL_SAN_TEXT_MAX], generation[32];

    if (fl_uuid_is_zero(cert->cluster)) return;
    fl_san_print(cert->cluster, name);
    snprintf(generation, sizeof generation, "%" PRIu64, cert->generation);
    fl_assert(cert->generation > 0 && has_text(der, len, name) && has_text(der, len, generation));
}

static void check_same(const struct fl_cert *a, const struct fl_cert *b)
{
    fl_assert(a->from == b->from && a->until == b->until && a->generation == b->generation);
    fl_assert(memcmp(&a->sha256, &b->sha256, sizeof a->sha256) == 0);
    fl_assert(memcmp(&a->key_sha256, &b->key_sha256, sizeof a->key_sha256) == 0);
    fl_assert(memcmp(&a->cluster, &b->cluster, sizeof a->cluster) == 0);
}

static void read_pem(X509 *x509, const struct fl_cert *cert)
{
    struct fl_cert again;
    struct fl_err err = {0};
    STACK_OF(X509) * all;
    struct fl_buf pem;
    struct fl_str text;
    size_t one;

    fl_buf_init(&pem, PEM_BYTES_MAX);
    fl_assert(fl_pem_write_cert(x509, &pem, &err));
    one = pem.len;
    fl_assert(fl_pem_write_cert(x509, &pem, &err));
    text = (struct fl_str){(const char *)pem.at, pem.len};
    fl_assert(fl_cert_read(text, &again, &err));
    check_same(cert, &again);
    fl_assert(fl_pem_read_certs(text, &all, &err) && sk_X509_num(all) == 2);
    sk_X509_pop_free(all, X509_free);
    text.len = one / 2;
    fl_assert(!fl_cert_read(text, &again, &err) && err.code == FL_INVALID);
    fl_buf_fini(&pem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned char *at = data;
    struct fl_cert cert;
    struct fl_err err = {0};
    X509 *x509;

    if (size > INPUT_BYTES_MAX) return 0;
    x509 = d2i_X509(NULL, &at, (long)size);
    ERR_clear_error();
    if (!x509) return 0;
    if (fl_cert_of(x509, &cert, &err)) {
        check_cluster(&cert, data, (size_t)(at - data));
        read_pem(x509, &cert);
    } else {
        fl_assert(err.code == FL_INVALID);
    }
    X509_free(x509);
    return 0;
}
