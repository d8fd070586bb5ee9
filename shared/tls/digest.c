/* SHA256_Init and its like are deprecated, not removed: their replacement looks its algorithm up
 * and allocates at each call, which costs three times as much as a short hash does. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "shared/tls/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hex.h"

struct fl_sha256_stream {
    SHA256_CTX context;
};

static struct fl_digest sha256_of(const void *head, size_t head_len, const void *ptr, size_t len)
{
    struct fl_digest digest;
    SHA256_CTX context;
    bool is_good = SHA256_Init(&context) == 1 && SHA256_Update(&context, head, head_len) == 1 &&
                   SHA256_Update(&context, ptr, len) == 1 && SHA256_Final(digest.at, &context) == 1;

    fl_assert(is_good);
    OPENSSL_cleanse(&context, sizeof context);
    return digest;
}

struct fl_digest fl_sha256(const void *ptr, size_t len)
{
    return sha256_of("", 0, len > 0 ? ptr : "", len);
}

/* RFC 2104. */
struct fl_digest fl_hmac_sha256(const void *key, size_t key_len, const void *ptr, size_t len)
{
    uint8_t inner[SHA256_CBLOCK] = {0}, outer[SHA256_CBLOCK];
    struct fl_digest digest;

    fl_assert(key_len > 0);
    if (key_len > sizeof inner) {
        digest = fl_sha256(key, key_len);
        key = digest.at;
        key_len = sizeof digest.at;
    }
    memcpy(inner, key, key_len);
    for (size_t i = 0; i < sizeof inner; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    digest = sha256_of(inner, sizeof inner, len > 0 ? ptr : "", len);
    digest = sha256_of(outer, sizeof outer, digest.at, sizeof digest.at);
    OPENSSL_cleanse(inner, sizeof inner);
    OPENSSL_cleanse(outer, sizeof outer);
    return digest;
}

bool fl_secret_eq(const void *a, const void *b, size_t len)
{
    return CRYPTO_memcmp(a, b, len) == 0;
}

bool fl_digest_eq(struct fl_digest a, struct fl_digest b)
{
    return fl_secret_eq(a.at, b.at, sizeof a.at);
}

void fl_secret_wipe(void *ptr, size_t len)
{
    OPENSSL_cleanse(ptr, len);
}

void fl_digest_print(struct fl_digest digest, char out[FL_DIGEST_TEXT_MAX])
{
    fl_hex_print(digest.at, sizeof digest.at, out);
}

bool fl_digest_parse(struct fl_str s, struct fl_digest *ret_digest, struct fl_err *err)
{
    struct fl_digest digest = {{0}};

    if (s.len != FL_DIGEST_TEXT_MAX - 1) {
        return fl_fail(err, FL_INVALID, "a SHA-256 has 64 hex digits");
    }
    if (!fl_hex_parse(s.at, sizeof digest.at, digest.at)) {
        return fl_fail(err, FL_INVALID, "a SHA-256 has lower-case hex digits");
    }
    *ret_digest = digest;
    return true;
}

struct fl_sha256_stream *fl_sha256_create(void)
{
    struct fl_sha256_stream *stream = fl_new(struct fl_sha256_stream);
    int is_good = SHA256_Init(&stream->context);

    fl_assert(is_good == 1);
    return stream;
}

void fl_sha256_put(struct fl_sha256_stream *stream, const void *ptr, size_t len)
{
    int is_good = SHA256_Update(&stream->context, len > 0 ? ptr : "", len);

    fl_assert(is_good == 1);
}

struct fl_digest fl_sha256_end(struct fl_sha256_stream *stream)
{
    struct fl_digest digest;
    int is_good = SHA256_Final(digest.at, &stream->context);

    fl_assert(is_good == 1);
    fl_sha256_destroy(stream);
    return digest;
}

void fl_sha256_destroy(struct fl_sha256_stream *stream)
{
    if (!stream) return;
    OPENSSL_cleanse(&stream->context, sizeof stream->context);
    fl_free(stream);
}
