#include "shared/tls/ca.h"

#include <openssl/err.h>
#include <string.h>
#include <time.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/tls/pem.h"
#include "shared/tls/random.h"
#include "shared/tls/san.h"

enum { SERIAL_BYTES = 20, NAMES_MAX = 64, NAME_BYTES_MAX = 253 };
#define BACKDATED_MS (5 * FL_MINUTE_MS)

struct fl_ca {
    X509 *cert;
    struct fl_key *key;
    struct fl_buf pem; /* the certificate's */
    fl_ms ends_at;
};

/* ---- parts of a certificate: each function returns true when it added its part --------------- */

static bool set_serial(X509 *cert)
{
    uint8_t bytes[SERIAL_BYTES];
    BIGNUM *number;
    bool is_good;

    fl_random(bytes, sizeof bytes);
    bytes[0] = (uint8_t)((bytes[0] & 0x7f) | 0x40); /* positive, and always of one length */
    number = BN_bin2bn(bytes, sizeof bytes, NULL);
    is_good = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
    BN_free(number);
    return is_good;
}

static bool set_times(X509 *cert, fl_ms from, fl_ms until)
{
    return ASN1_TIME_set(X509_getm_notBefore(cert), (time_t)(from / FL_SECOND_MS)) &&
           ASN1_TIME_set(X509_getm_notAfter(cert), (time_t)(until / FL_SECOND_MS));
}

static bool add_word(X509_NAME *name, int nid, const char *text)
{
    return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8, (const unsigned char *)text, -1, -1,
                                      0) == 1;
}

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;
    bool is_good;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    is_good = extension && X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
    return is_good;
}

static X509 *make_cert(EVP_PKEY *pkey, fl_ms from, fl_ms until)
{
    X509 *cert = X509_new();
    bool is_good;

    fl_assert(cert);
    is_good = X509_set_version(cert, X509_VERSION_3) && set_serial(cert) &&
              set_times(cert, from, until) && X509_set_pubkey(cert, pkey);
    fl_assert(is_good);
    return cert;
}

/* ---- the CA itself --------------------------------------------------------------------------- */

static bool finish_ca(struct fl_ca *ca, struct fl_err *err)
{
    struct tm parts;

    fl_buf_init(&ca->pem, FL_CERT_PEM_MAX);
    if (!fl_pem_write_cert(ca->cert, &ca->pem, err)) return false;
    if (ASN1_TIME_to_tm(X509_get0_notAfter(ca->cert), &parts) != 1) {
        return fl_pem_fail(err, "the CA's end");
    }
    ca->ends_at = (fl_ms)timegm(&parts) * FL_SECOND_MS;
    return true;
}

bool fl_ca_create(const char *name, fl_ms now, fl_ms lifetime_ms, struct fl_ca **ret_ca,
                  struct fl_err *err)
{
    struct fl_ca *ca = fl_new(struct fl_ca);
    X509_NAME *subject = X509_NAME_new();
    bool is_good;

    fl_assert(subject);
    ca->key = fl_key_create();
    ca->cert = make_cert(ca->key->pkey, now - BACKDATED_MS, now + lifetime_ms);
    is_good =
        (add_word(subject, NID_commonName, name) && X509_set_subject_name(ca->cert, subject) &&
         X509_set_issuer_name(ca->cert, subject) &&
         add_extension(ca->cert, ca->cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
         add_extension(ca->cert, ca->cert, NID_key_usage, "critical,keyCertSign,cRLSign") &&
         add_extension(ca->cert, ca->cert, NID_subject_key_identifier, "hash") &&
         X509_sign(ca->cert, ca->key->pkey, EVP_sha256()) > 0) ||
        fl_pem_fail(err, "making a CA");
    X509_NAME_free(subject);
    if (!is_good || !finish_ca(ca, err)) {
        fl_ca_destroy(ca);
        return false;
    }
    *ret_ca = ca;
    return true;
}

bool fl_ca_read(struct fl_str cert_pem, struct fl_str key_pem, struct fl_ca **ret_ca,
                struct fl_err *err)
{
    struct fl_ca *ca = fl_new(struct fl_ca);
    bool is_good = fl_pem_read_cert(cert_pem, &ca->cert, err) &&
                   fl_key_read(key_pem, &ca->key, err) && finish_ca(ca, err);

    if (is_good && X509_check_ca(ca->cert) != 1) {
        is_good = fl_fail(err, FL_INVALID, "the certificate is not a CA's");
    }
    if (is_good && X509_check_private_key(ca->cert, ca->key->pkey) != 1) {
        ERR_clear_error();
        is_good = fl_fail(err, FL_INVALID, "certificate and key of the CA do not belong together");
    }
    if (!is_good) {
        fl_ca_destroy(ca);
        return false;
    }
    *ret_ca = ca;
    return true;
}

void fl_ca_destroy(struct fl_ca *ca)
{
    if (!ca) return;
    X509_free(ca->cert);
    fl_key_destroy(ca->key);
    fl_buf_fini(&ca->pem);
    fl_free(ca);
}

struct fl_str fl_ca_cert_pem(const struct fl_ca *ca)
{
    return (struct fl_str){(const char *)ca->pem.at, ca->pem.len};
}

bool fl_ca_write_key(const struct fl_ca *ca, struct fl_buf *ret_pem, struct fl_err *err)
{
    return fl_key_write(ca->key, ret_pem, err);
}

struct fl_digest fl_ca_sha256(const struct fl_ca *ca)
{
    return fl_pem_sha256_of(ca->cert);
}

fl_ms fl_ca_ends_at(const struct fl_ca *ca)
{
    return ca->ends_at;
}

/* ---- signing --------------------------------------------------------------------------------- */

static void push_name(GENERAL_NAMES *names, int type, ASN1_STRING *value)
{
    GENERAL_NAME *name = GENERAL_NAME_new();

    fl_assert(name && value);
    GENERAL_NAME_set0_value(name, type, value);
    sk_GENERAL_NAME_push(names, name);
}

static void push_text(GENERAL_NAMES *names, int type, const char *text)
{
    ASN1_IA5STRING *value = ASN1_IA5STRING_new();
    int is_good = value && ASN1_STRING_set(value, text, (int)strlen(text));

    fl_assert(is_good);
    push_name(names, type, value);
}

/* Adds what every leaf has, and signs it.  Destroys the names. */
static bool sign(const struct fl_ca *ca, X509 *cert, GENERAL_NAMES *names, const char *usage,
                 struct fl_buf *ret_pem, struct fl_err *err)
{
    bool is_good =
        (X509_set_issuer_name(cert, X509_get_subject_name(ca->cert)) &&
         add_extension(cert, ca->cert, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(cert, ca->cert, NID_key_usage, "critical,digitalSignature") &&
         add_extension(cert, ca->cert, NID_ext_key_usage, usage) &&
         add_extension(cert, ca->cert, NID_authority_key_identifier, "keyid:always") &&
         X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) == 1 &&
         X509_sign(cert, ca->key->pkey, EVP_sha256()) > 0) ||
        fl_pem_fail(err, "signing");

    GENERAL_NAMES_free(names);
    return is_good && fl_pem_write_cert(cert, ret_pem, err);
}

bool fl_ca_sign_cluster(const struct fl_ca *ca, const struct fl_key *key, struct fl_uuid cluster,
                        uint64_t generation, fl_ms from, fl_ms until, struct fl_buf *ret_pem,
                        struct fl_err *err)
{
    X509 *cert = make_cert(key->pkey, from, until);
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    char san[FL_SAN_TEXT_MAX], uuid[FL_UUID_TEXT_MAX], number[24];
    bool is_good;

    fl_assert(names && generation > 0 && !fl_uuid_is_zero(cluster));
    fl_san_print(cluster, san);
    fl_uuid_print(cluster, uuid);
    snprintf(number, sizeof number, "%llu", (unsigned long long)generation);
    push_text(names, GEN_URI, san);
    is_good = add_word(X509_get_subject_name(cert), NID_commonName, uuid) &&
              add_word(X509_get_subject_name(cert), NID_serialNumber, number);
    fl_assert(is_good);
    is_good = sign(ca, cert, names, "clientAuth", ret_pem, err);
    X509_free(cert);
    return is_good;
}

static bool is_dns_name(const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || len > NAME_BYTES_MAX || text[0] == '.' || text[0] == '-') return false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '.' || c == '_')) {
            return false;
        }
    }
    return true;
}

static bool push_host(GENERAL_NAMES *names, const char *text, struct fl_err *err)
{
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(text);

    if (address) {
        push_name(names, GEN_IPADD, address);
        return true;
    }
    ERR_clear_error();
    if (!is_dns_name(text)) {
        return fl_fail(err, FL_INVALID, "'%.80s' is neither a host's name nor its address", text);
    }
    push_text(names, GEN_DNS, text);
    return true;
}

bool fl_ca_sign_server(const struct fl_ca *ca, const struct fl_key *key, struct fl_ca_names wanted,
                       fl_ms from, fl_ms until, struct fl_buf *ret_pem, struct fl_err *err)
{
    X509 *cert;
    GENERAL_NAMES *names;
    bool is_good = true;

    if (wanted.len > NAMES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a certificate has at most %d names", NAMES_MAX);
    }
    names = sk_GENERAL_NAME_new_null();
    fl_assert(names);
    push_text(names, GEN_DNS, FL_TLS_SERVER_NAME);
    for (size_t i = 0; i < wanted.len && is_good; i++) {
        is_good = push_host(names, wanted.at[i], err);
    }
    if (!is_good) {
        GENERAL_NAMES_free(names);
        return false;
    }
    cert = make_cert(key->pkey, from, until);
    is_good = add_word(X509_get_subject_name(cert), NID_commonName, "fairlead control plane");
    fl_assert(is_good);
    is_good = sign(ca, cert, names, "serverAuth", ret_pem, err);
    X509_free(cert);
    if (!is_good) return false;
    if (fl_buf_put(ret_pem, ca->pem.at, ca->pem.len)) return true;
    return fl_fail(err, FL_TOO_LARGE, "the certificates have over %zu bytes", ret_pem->max);
}
