#include "controlplane/logs/key.h"

#include <string.h>

int log_key_cmp(const struct log_key *a, const struct log_key *b)
{
    uint8_t a_bytes[LOG_KEY_BYTES];
    uint8_t b_bytes[LOG_KEY_BYTES];

    log_key_put(a_bytes, a);
    log_key_put(b_bytes, b);
    return memcmp(a_bytes, b_bytes, LOG_KEY_BYTES);
}

/* Writes big endian, so that bytes sort as numbers do. */
static uint8_t *put(uint8_t *at, uint64_t v, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        *at++ = (uint8_t)(v >> 8 * i);
    }
    return at;
}

static uint64_t get(const uint8_t **at, int bytes)
{
    uint64_t v = 0;

    for (int i = 0; i < bytes; i++) {
        v = v << 8 | *(*at)++;
    }
    return v;
}

void log_key_put(uint8_t ret_bytes[LOG_KEY_BYTES], const struct log_key *key)
{
    uint8_t *at = ret_bytes;

    at = put(at, key->attempt.job.n, 8);
    at = put(at, key->attempt.element, 4);
    at = put(at, key->attempt.incarnation, 4);
    at = put(at, key->attempt.n, 2);
    at = put(at, key->replica, 4);
    put(at, key->tenant.n, 4);
}

struct log_key log_key_get(const uint8_t bytes[LOG_KEY_BYTES])
{
    struct log_key key = {0};

    key.attempt.job.n = get(&bytes, 8);
    key.attempt.element = (uint32_t)get(&bytes, 4);
    key.attempt.incarnation = (uint32_t)get(&bytes, 4);
    key.attempt.n = (uint16_t)get(&bytes, 2);
    key.replica = (uint32_t)get(&bytes, 4);
    key.tenant.n = (uint32_t)get(&bytes, 4);
    return key;
}
