/* Names of clusters and requests for certificates, as any stranger might write them.
 * Input: a byte that says which, then the bytes.
 *   0  the bytes are a cluster's name (SAN).  Property: accepted if and only if a second reader,
 *      written here from the words of the rule, accepts; and what was read prints as the very
 *      bytes.  1  the bytes are the name in a request that is well signed by a key of ours.
 *      Property: the request is accepted if and only if that second reader accepts the name, and
 *      then it says this cluster and key.  2  the same, with more asked for beside it.  Property:
 *      never accepted.  3  the bytes are a request, PEM or DER.  Property: an accepted request has
 *      a key of P-256, and a name that is empty or prints and reads back as itself, and DER is
 *      accepted in no second spelling.  The corpus was written by hand, a file for each rule
 *      (requests: by fl_csr_write and openssl req): its name says which.  The planted bug
 *      (planted/csr.patch) takes upper-case digits in a uuid for lower-case ones.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/csr_fuzz -max_total_time=60 DIR tests/fuzz/corpus/csr
 *     tests/fuzz/planted.sh csr */
#include "tests/fuzz/fuzz.h"

#include "shared/base/uuid.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"
#include "shared/tls/san.h"
#include "tests/fuzz/csr_help.h"

enum { INPUT_BYTES_MAX = 8192, URI_BYTES_MAX = 1024, DER_BYTES_MAX = 4096 };

/* The rule again, in other words: fairlead://cluster/ and 8-4-4-4-12 lower-case hex digits, not all
 * zero. */
static bool is_name(const uint8_t *at, size_t len)
{
    static const char shape[] = "fairlead://cluster/xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    bool is_zero = true;

    if (len != sizeof shape - 1) return false;
    for (size_t i = 0; i < len; i++) {
        bool is_digit = (at[i] >= '0' && at[i] <= '9') || (at[i] >= 'a' && at[i] <= 'f');

        if (shape[i] == 'x' ? !is_digit : at[i] != (uint8_t)shape[i]) return false;
        if (shape[i] == 'x' && at[i] != '0') is_zero = false;
    }
    return !is_zero;
}

static void prints_as(struct fl_uuid cluster, const uint8_t *at, size_t len)
{
    char text[FL_SAN_TEXT_MAX];

    fl_san_print(cluster, text);
    fl_assert(strlen(text) == len && memcmp(text, at, len) == 0);
}

static void name(const uint8_t *at, size_t len)
{
    struct fl_uuid cluster;
    struct fl_err err = {0};
    bool is_good = fl_san_parse((struct fl_str){(const char *)at, len}, &cluster, &err);

    fl_assert(is_good == is_name(at, len));
    fl_assert(is_good == (err.code == FL_OK));
    if (is_good) prints_as(cluster, at, len);
}

static EVP_PKEY *our_key(void)
{
    static EVP_PKEY *pkey;

    if (!pkey) pkey = EVP_EC_gen("P-256");
    fl_assert(pkey);
    return pkey;
}

static void signed_request(const uint8_t *at, size_t len, bool asks_for_more)
{
    struct csr_help help = {.pkey = our_key(), .uri = at, .uri_len = len};
    unsigned char der[DER_BYTES_MAX];
    struct fl_csr csr = {0};
    struct fl_err err = {0};
    size_t der_len;
    bool is_good;

    if (len > URI_BYTES_MAX) return;
    if (asks_for_more) {
        if (len % 2 == 0) {
            help.second_dns = "hub.example";
        } else {
            help.is_ca = true;
        }
    }
    der_len = csr_help_make(&help, der, sizeof der);
    is_good = fl_csr_read((struct fl_str){(const char *)der, der_len}, &csr, &err);
    fl_assert(is_good == (is_name(at, len) && !asks_for_more));
    fl_assert(is_good == (err.code == FL_OK));
    if (is_good) prints_as(csr.cluster, at, len);
    fl_csr_fini(&csr);
}

static void request(const uint8_t *at, size_t len)
{
    struct fl_csr csr = {0};
    struct fl_err err = {0};
    bool is_good = fl_csr_read((struct fl_str){(const char *)at, len}, &csr, &err);

    fl_assert(is_good == (err.code == FL_OK));
    fl_assert(is_good == (csr.key != NULL));
    if (!is_good) return;
    fl_assert(fl_digest_eq(fl_key_sha256(csr.key), csr.key_sha256));
    if (!fl_uuid_is_zero(csr.cluster)) {
        char text[FL_SAN_TEXT_MAX];

        fl_san_print(csr.cluster, text);
        name((const uint8_t *)text, strlen(text));
    }
    if (at[0] != '-') {
        const unsigned char *der = at;
        X509_REQ *parsed = d2i_X509_REQ(NULL, &der, (long)len);
        unsigned char *again = NULL;
        int again_len = i2d_X509_REQ(parsed, &again);

        fl_assert(der == at + len && (size_t)again_len == len && memcmp(again, at, len) == 0);
        OPENSSL_free(again);
        X509_REQ_free(parsed);
    }
    fl_csr_fini(&csr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > INPUT_BYTES_MAX) return 0;
    switch (data[0] % 4) {
    case 0:
        name(data + 1, size - 1);
        break;
    case 1:
        signed_request(data + 1, size - 1, false);
        break;
    case 2:
        signed_request(data + 1, size - 1, true);
        break;
    default:
        request(data + 1, size - 1);
    }
    return 0;
}
