#include "shared/tls/key.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/tls/pem.h"
#include "shared/tls/san.h"

static struct fl_key *wrap(EVP_PKEY *pkey)
{
    struct fl_key *key = fl_new(struct fl_key);

    key->pkey = pkey;
    return key;
}

struct fl_key *fl_key_create(void)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-256");

    fl_assert(pkey);
    return wrap(pkey);
}

void fl_key_destroy(struct fl_key *key)
{
    if (!key) return;
    EVP_PKEY_free(key->pkey);
    fl_free(key);
}

static bool take_bio(BIO *bio, struct fl_buf *ret, struct fl_err *err)
{
    char *at;
    long len = BIO_get_mem_data(bio, &at);

    if (fl_buf_put(ret, at, (size_t)len)) return true;
    return fl_fail(err, FL_TOO_LARGE, "the text has over %zu bytes", ret->max);
}

bool fl_key_write(const struct fl_key *key, struct fl_buf *ret_pem, struct fl_err *err)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    bool is_good;

    fl_assert(bio);
    is_good = PEM_write_bio_PKCS8PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL) == 1
                  ? take_bio(bio, ret_pem, err)
                  : fl_pem_fail(err, "private key");
    BIO_free(bio);
    return is_good;
}

static int no_password(char *buf, int size, int is_writing, void *ctx)
{
    (void)buf;
    (void)size;
    (void)is_writing;
    (void)ctx;
    return -1; /* never ask on a terminal */
}

bool fl_key_read(struct fl_str pem, struct fl_key **ret_key, struct fl_err *err)
{
    EVP_PKEY *pkey;
    BIO *bio;

    if (pem.len > FL_KEY_PEM_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a private key has under %d bytes", FL_KEY_PEM_MAX);
    }
    bio = BIO_new_mem_buf(pem.len > 0 ? pem.at : "", (int)pem.len);
    fl_assert(bio);
    pkey = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
    BIO_free(bio);
    if (!pkey) return fl_pem_fail(err, "not a private key in PEM");
    if (!fl_pem_is_p256(pkey)) {
        EVP_PKEY_free(pkey);
        return fl_fail(err, FL_UNSUPPORTED, "the private key is not one of P-256");
    }
    *ret_key = wrap(pkey);
    return true;
}

struct fl_digest fl_key_sha256(const struct fl_key *key)
{
    return fl_pem_key_sha256_of(key->pkey);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_san(X509_REQ *request, struct fl_uuid cluster)
{
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *uri = ASN1_IA5STRING_new();
    STACK_OF(X509_EXTENSION) *extensions = NULL;
    char text[FL_SAN_TEXT_MAX];
    int is_good;

    fl_assert(names && name && uri);
    fl_san_print(cluster, text);
    is_good = ASN1_STRING_set(uri, text, (int)strlen(text));
    fl_assert(is_good == 1);
    GENERAL_NAME_set0_value(name, GEN_URI, uri);
    sk_GENERAL_NAME_push(names, name);
    is_good = X509V3_add1_i2d(&extensions, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) &&
              X509_REQ_add_extensions(request, extensions);
    fl_assert(is_good);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
}

/* The only request that we write for this key and cluster, without its signature. */
static X509_REQ *make_request(EVP_PKEY *pkey, struct fl_uuid cluster)
{
    X509_REQ *request = X509_REQ_new();
    int is_good;

    fl_assert(request);
    is_good =
        X509_REQ_set_version(request, X509_REQ_VERSION_1) && X509_REQ_set_pubkey(request, pkey);
    fl_assert(is_good);
    if (!fl_uuid_is_zero(cluster)) add_san(request, cluster);
    return request;
}

bool fl_csr_write(const struct fl_key *key, struct fl_uuid cluster, struct fl_buf *ret_pem,
                  struct fl_err *err)
{
    X509_REQ *request = make_request(key->pkey, cluster);
    BIO *bio = BIO_new(BIO_s_mem());
    bool is_good;

    fl_assert(bio);
    is_good = X509_REQ_sign(request, key->pkey, EVP_sha256()) > 0 &&
              PEM_write_bio_X509_REQ(bio, request) == 1;
    is_good = is_good ? take_bio(bio, ret_pem, err) : fl_pem_fail(err, "certificate request");
    BIO_free(bio);
    X509_REQ_free(request);
    return is_good;
}

static X509_REQ *decode_der(struct fl_str der)
{
    const unsigned char *at = (const unsigned char *)der.at;
    X509_REQ *request = d2i_X509_REQ(NULL, &at, (long)der.len);

    if (request && at != (const unsigned char *)der.at + der.len) {
        X509_REQ_free(request);
        return NULL;
    }
    return request;
}

/* Whether 'pem' is how we write these bytes; the last newline may be missing. */
static bool is_our_pem(struct fl_str pem, const char *name, const unsigned char *der, long len)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *at;
    long text_len;
    bool is_ours;

    fl_assert(bio);
    is_ours = strcmp(name, PEM_STRING_X509_REQ) == 0 &&
              PEM_write_bio(bio, PEM_STRING_X509_REQ, "", der, len) > 0;
    text_len = BIO_get_mem_data(bio, &at);
    is_ours = is_ours && text_len > 0 &&
              (fl_str_eq(pem, (struct fl_str){at, (size_t)text_len}) ||
               fl_str_eq(pem, (struct fl_str){at, (size_t)text_len - 1}));
    BIO_free(bio);
    return is_ours;
}

static X509_REQ *decode_pem(struct fl_str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.at, (int)pem.len);
    char *name = NULL, *header = NULL;
    unsigned char *der = NULL;
    long len = 0;
    X509_REQ *request = NULL;

    fl_assert(bio);
    if (PEM_read_bio(bio, &name, &header, &der, &len) == 1 && is_our_pem(pem, name, der, len)) {
        request = decode_der((struct fl_str){(const char *)der, (size_t)len});
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(der);
    BIO_free(bio);
    return request;
}

static bool read_cluster(X509_REQ *request, struct fl_uuid *ret_cluster, struct fl_err *err)
{
    STACK_OF(X509_EXTENSION) *extensions = X509_REQ_get_extensions(request);
    GENERAL_NAMES *names = X509V3_get_d2i(extensions, NID_subject_alt_name, NULL, NULL);
    bool has_cluster, is_good;

    *ret_cluster = (struct fl_uuid){{0}};
    is_good = fl_pem_cluster_of(names, &has_cluster, ret_cluster, err);
    GENERAL_NAMES_free(names);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    return is_good;
}

/* The signed part is, byte for byte, what we would have written for this key and cluster. */
static bool is_plain(X509_REQ *request, EVP_PKEY *pkey, struct fl_uuid cluster)
{
    X509_REQ *plain = make_request(pkey, cluster);
    unsigned char *ours = NULL, *theirs = NULL;
    int ours_len = i2d_re_X509_REQ_tbs(plain, &ours);
    int theirs_len = i2d_re_X509_REQ_tbs(request, &theirs);
    bool is_same =
        ours_len > 0 && ours_len == theirs_len && memcmp(ours, theirs, (size_t)ours_len) == 0;

    OPENSSL_free(ours);
    OPENSSL_free(theirs);
    X509_REQ_free(plain);
    return is_same;
}

static bool check(X509_REQ *request, struct fl_csr *csr, struct fl_err *err)
{
    EVP_PKEY *pkey = X509_REQ_get0_pubkey(request);

    if (!pkey) return fl_pem_fail(err, "the request's key");
    if (!fl_pem_is_p256(pkey)) {
        return fl_fail(err, FL_UNSUPPORTED, "the request's key is not one of P-256");
    }
    if (X509_REQ_get_signature_nid(request) != NID_ecdsa_with_SHA256 ||
        X509_REQ_verify(request, pkey) != 1) {
        return fl_pem_fail(err, "the request is not signed by its key");
    }
    if (!read_cluster(request, &csr->cluster, err)) return false;
    if (!is_plain(request, pkey, csr->cluster)) {
        return fl_fail(err, FL_INVALID, "the request asks for more than a cluster's name");
    }
    EVP_PKEY_up_ref(pkey);
    csr->key = wrap(pkey);
    csr->key_sha256 = fl_pem_key_sha256_of(pkey);
    return true;
}

bool fl_csr_read(struct fl_str bytes, struct fl_csr *ret_csr, struct fl_err *err)
{
    struct fl_csr csr = {0};
    X509_REQ *request;
    bool is_good;

    if (bytes.len == 0 || bytes.len > FL_CSR_BYTES_MAX) {
        return fl_fail(err, bytes.len == 0 ? FL_INVALID : FL_TOO_LARGE,
                       "a certificate request has 1 to %d bytes", FL_CSR_BYTES_MAX);
    }
    request = bytes.at[0] == '-' ? decode_pem(bytes) : decode_der(bytes);
    if (!request) return fl_pem_fail(err, "not a certificate request in PEM or DER");
    is_good = check(request, &csr, err);
    X509_REQ_free(request);
    ERR_clear_error();
    if (is_good) *ret_csr = csr;
    return is_good;
}

void fl_csr_fini(struct fl_csr *csr)
{
    if (!csr) return;
    fl_key_destroy(csr->key);
    *csr = (struct fl_csr){0};
}
