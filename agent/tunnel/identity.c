#include "agent/tunnel/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/tls/ca.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"

#define NEXT "next.pem"
#define CERT_BEGIN "-----BEGIN CERTIFICATE-----"

enum { FILE_BYTES_MAX = FL_KEY_PEM_MAX + FL_CERT_PEM_MAX, NAME_MAX_BYTES = 40 };

struct agent_identity {
    struct fl_buf file, ca, hub; /* each ends with a zero byte behind its len */
    size_t key_len;              /* the key's part of the file; the chain follows */
    struct fl_cert cert;
};

/* ---- certificates by number ------------------------------------------------------------------ */

static void print_name(uint64_t number, char out[NAME_MAX_BYTES])
{
    snprintf(out, NAME_MAX_BYTES, "agent-%" PRIu64 ".pem", number);
}

/* 0: not one of ours. */
static uint64_t number_of(const char *name)
{
    char again[NAME_MAX_BYTES];
    uint64_t number;
    struct fl_str digits;

    if (strncmp(name, "agent-", 6) != 0) return 0;
    digits = (struct fl_str){name + 6, strspn(name + 6, "0123456789")};
    if (!fl_str_parse_u64(digits, &number)) return 0;
    print_name(number, again);
    return strcmp(name, again) == 0 ? number : 0;
}

struct numbers {
    uint64_t *at;
    size_t len, cap;
};

static int highest_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void add_number(void *ctx, const char *name)
{
    struct numbers *numbers = ctx;
    uint64_t number = number_of(name);

    if (number) fl_vec_push(numbers, number);
}

static bool list(struct identity_store store, struct numbers *ret_numbers, struct fl_err *err)
{
    *ret_numbers = (struct numbers){0};
    if (!store.ops->list(store.self, add_number, ret_numbers, err)) {
        fl_vec_fini(ret_numbers);
        return false;
    }
    if (ret_numbers->len) {
        qsort(ret_numbers->at, ret_numbers->len, sizeof *ret_numbers->at, highest_first);
    }
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Key and first certificate belong together. */
static bool check(struct fl_str key_pem, struct fl_str chain, struct fl_cert *ret_cert,
                  struct fl_err *err)
{
    struct fl_key *key = NULL;
    bool is_same;

    if (!fl_cert_read(chain, ret_cert, err)) return false;
    if (!fl_key_read(key_pem, &key, err)) return false;
    is_same = fl_digest_eq(fl_key_sha256(key), ret_cert->key_sha256);
    fl_key_destroy(key);
    return is_same || fl_fail(err, FL_INVALID, "the key is not the certificate's");
}

static bool read_text(struct identity_store store, const char *name, size_t bytes_max,
                      struct fl_buf *text, struct fl_err *err)
{
    fl_buf_fini(text);
    fl_buf_init(text, bytes_max);
    if (!store.ops->read(store.self, name, text, err)) return false;
    if (fl_buf_put_u8(text, 0)) {
        text->len--;
        return true;
    }
    return fl_fail(err, FL_TOO_LARGE, "%s: too large", name);
}

/* It is not there, or worth nothing: all else may pass, as too many open files do, and then it is
 * as good as before. */
static bool is_lost(const struct fl_err *why)
{
    return why->code == FL_ABSENT || why->code == FL_TORN || why->code == FL_TOO_LARGE;
}

static bool read_file(struct agent_identity *identity, struct identity_store store, uint64_t number,
                      struct fl_err *err)
{
    char name[NAME_MAX_BYTES];
    const char *chain;

    print_name(number, name);
    if (!read_text(store, name, FILE_BYTES_MAX, &identity->file, err)) return false;
    chain = strstr((const char *)identity->file.at, CERT_BEGIN);
    if (!chain) return fl_fail(err, FL_TORN, "%s: has no certificate", name);
    identity->key_len = (size_t)(chain - (const char *)identity->file.at);
    if (check(agent_identity_key(identity), agent_identity_chain(identity), &identity->cert, err)) {
        return true;
    }
    err->code = FL_TORN;
    return fl_err_wrap(err, "%s", name);
}

static bool load(struct agent_identity *identity, struct identity_store store, struct fl_err *err)
{
    struct numbers numbers;
    struct fl_err why = {FL_ABSENT, "no certificate is stored"};
    bool is_read = false;

    if (!list(store, &numbers, err)) return false;
    for (size_t i = 0; i < numbers.len && !is_read && is_lost(&why); i++) {
        is_read = read_file(identity, store, numbers.at[i], &why);
    }
    fl_vec_fini(&numbers);
    if (!is_read) {
        *err = why;
        return false;
    }
    return read_text(store, "ca.pem", FL_CERT_PEM_MAX, &identity->ca, err) &&
           read_text(store, "hub", FL_CERT_PEM_MAX, &identity->hub, err);
}

bool agent_identity_load(struct identity_store store, struct agent_identity **ret_identity,
                         struct fl_err *err)
{
    struct agent_identity *identity = fl_new(struct agent_identity);
    struct fl_err why = {0};

    if (!load(identity, store, &why)) {
        agent_identity_destroy(identity);
        if (err) *err = why;
        return false;
    }
    *ret_identity = identity;
    return true;
}

void agent_identity_destroy(struct agent_identity *identity)
{
    if (!identity) return;
    if (identity->file.at) fl_secret_wipe(identity->file.at, identity->file.len);
    fl_buf_fini(&identity->file);
    fl_buf_fini(&identity->ca);
    fl_buf_fini(&identity->hub);
    fl_free(identity);
}

struct fl_str agent_identity_key(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->file.at, identity->key_len};
}

struct fl_str agent_identity_chain(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->file.at + identity->key_len,
                           identity->file.len - identity->key_len};
}

struct fl_str agent_identity_ca(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->ca.at, identity->ca.len};
}

const char *agent_identity_hub(const struct agent_identity *identity)
{
    return (const char *)identity->hub.at;
}

const struct fl_cert *agent_identity_cert(const struct agent_identity *identity)
{
    return &identity->cert;
}

fl_ms agent_identity_renew_at(const struct fl_cert *cert, bool is_fresh, fl_ms now)
{
    fl_ms half_ms = (cert->until - cert->from) / 2;
    fl_ms half = cert->from + half_ms;

    if (is_fresh && (half <= now || half > now + half_ms)) return now + half_ms;
    if (now < cert->from) return now; /* the clock is behind, and would let it expire */
    return half;
}

/* ---- the next key ---------------------------------------------------------------------------- */

static bool write_next_key(struct identity_store store, const struct fl_key *key,
                           struct fl_buf *pem, struct fl_err *err)
{
    fl_buf_clear(pem);
    return fl_key_write(key, pem, err) &&
           store.ops->write(store.self, NEXT, (struct fl_str){(const char *)pem->at, pem->len},
                            err);
}

bool agent_identity_next_key(struct identity_store store, struct fl_key **ret_key,
                             struct fl_err *err)
{
    struct fl_key *key = NULL;
    struct fl_err why = {0}, none = {0};
    struct fl_buf pem;
    bool is_read, is_there;

    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    is_read = store.ops->read(store.self, NEXT, &pem, &why);
    is_there = is_read && fl_key_read((struct fl_str){(const char *)pem.at, pem.len}, &key, &none);
    if (!is_read && !is_lost(&why)) {
        fl_fail(err, why.code, "%s", why.text);
    } else if (!is_there) {
        key = fl_key_create();
        is_there = write_next_key(store, key, &pem, err);
    }
    if (pem.at) fl_secret_wipe(pem.at, pem.len);
    fl_buf_fini(&pem);
    if (is_there) {
        *ret_key = key;
    } else {
        fl_key_destroy(key);
    }
    return is_there;
}

/* ---- storing a newer identity ---------------------------------------------------------------- */

static bool write_next(struct identity_store store, struct fl_str key, struct fl_str chain,
                       struct fl_err *err)
{
    struct fl_err none = {0};
    struct numbers numbers;
    char name[NAME_MAX_BYTES];
    struct fl_buf file;
    bool is_written;

    if (!list(store, &numbers, &none) && none.code != FL_ABSENT) { /* absent: this is the first */
        return fl_fail(err, none.code, "%s", none.text);
    }
    print_name(numbers.len ? numbers.at[0] + 1 : 1, name);
    fl_buf_init(&file, FILE_BYTES_MAX);
    (void)fl_buf_put(&file, key.at, key.len);
    (void)fl_buf_put(&file, chain.at, chain.len);
    is_written = file.is_over
                     ? fl_fail(err, FL_TOO_LARGE, "key and chain are too long")
                     : store.ops->write(store.self, name,
                                        (struct fl_str){(const char *)file.at, file.len}, err);
    if (file.at) fl_secret_wipe(file.at, file.len);
    fl_buf_fini(&file);
    /* Only the newest counts; older ones that cannot be removed now do no harm. */
    for (size_t i = 0; is_written && i < numbers.len; i++) {
        print_name(numbers.at[i], name);
        if (!store.ops->remove(store.self, name, &none)) break;
    }
    fl_vec_fini(&numbers);
    return is_written;
}

static bool write_if_given(struct identity_store store, const char *name, struct fl_str text,
                           struct fl_err *err)
{
    return text.len == 0 || store.ops->write(store.self, name, text, err);
}

bool agent_identity_store(struct identity_store store, struct fl_str key, struct fl_str chain,
                          struct fl_str ca, struct fl_str hub, struct fl_err *err)
{
    struct fl_cert cert;

    /* The certificate comes last: with it, enrolment is done.  Its file holds its key; the next
     * certificate gets a new one. */
    return check(key, chain, &cert, err) && write_if_given(store, "ca.pem", ca, err) &&
           write_if_given(store, "hub", hub, err) && write_next(store, key, chain, err) &&
           store.ops->remove(store.self, NEXT, err);
}
