/* csr_help.h - certificate requests such as strangers make them, for tests: signed well, asking for
 * anything. */
#pragma once

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "shared/base/assert.h"

struct csr_help {
    EVP_PKEY *pkey;
    const void *uri; /* NULL: no alternative name */
    size_t uri_len;
    const char *second_dns;  /* beside it */
    const char *common_name; /* in the subject */
    bool is_ca;              /* asks to be one */
    bool is_critical;        /* the alternative name */
    bool is_signed_by_other; /* key */
};

static inline void csr_help_name(GENERAL_NAMES *names, int type, const void *at, size_t len)
{
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();
    int is_good = name && text && ASN1_STRING_set(text, at, (int)len);

    fl_assert(is_good);
    GENERAL_NAME_set0_value(name, type, text);
    sk_GENERAL_NAME_push(names, name);
}

static inline void csr_help_extensions(X509_REQ *request, const struct csr_help *help)
{
    STACK_OF(X509_EXTENSION) *extensions = NULL;
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    BASIC_CONSTRAINTS *basic = BASIC_CONSTRAINTS_new();
    int is_good = names && basic;

    fl_assert(is_good);
    basic->ca = 1;
    if (help->uri) csr_help_name(names, GEN_URI, help->uri, help->uri_len);
    if (help->second_dns) {
        csr_help_name(names, GEN_DNS, help->second_dns, strlen(help->second_dns));
    }
    if (sk_GENERAL_NAME_num(names) > 0) {
        is_good = X509V3_add1_i2d(&extensions, NID_subject_alt_name, names, help->is_critical,
                                  X509V3_ADD_DEFAULT);
    }
    if (help->is_ca) {
        is_good = is_good &&
                  X509V3_add1_i2d(&extensions, NID_basic_constraints, basic, 1, X509V3_ADD_DEFAULT);
    }
    if (extensions) is_good = is_good && X509_REQ_add_extensions(request, extensions);
    fl_assert(is_good);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
    BASIC_CONSTRAINTS_free(basic);
}

/* DER into 'out'; its length. */
static inline size_t csr_help_make(const struct csr_help *help, unsigned char *out, size_t out_max)
{
    X509_REQ *request = X509_REQ_new();
    EVP_PKEY *other = help->is_signed_by_other ? EVP_EC_gen("P-256") : NULL;
    int is_good = request && X509_REQ_set_version(request, X509_REQ_VERSION_1) &&
                  X509_REQ_set_pubkey(request, help->pkey);
    int len;

    fl_assert(is_good);
    if (help->common_name) {
        is_good = X509_NAME_add_entry_by_NID(X509_REQ_get_subject_name(request), NID_commonName,
                                             MBSTRING_UTF8,
                                             (const unsigned char *)help->common_name, -1, -1, 0);
        fl_assert(is_good);
    }
    csr_help_extensions(request, help);
    is_good = X509_REQ_sign(request, other ? other : help->pkey, EVP_sha256());
    fl_assert(is_good > 0);
    len = i2d_X509_REQ(request, NULL);
    fl_assert(len > 0 && (size_t)len <= out_max);
    len = i2d_X509_REQ(request, &out);
    X509_REQ_free(request);
    EVP_PKEY_free(other);
    return (size_t)len;
}
