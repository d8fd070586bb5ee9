#include "controlplane/logs/key.h"

static int cmp(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int log_key_cmp(const struct log_key *a, const struct log_key *b)
{
    int order = cmp(a->attempt.job.n, b->attempt.job.n);

    if (order == 0) order = cmp(a->attempt.element, b->attempt.element);
    if (order == 0) order = cmp(a->attempt.incarnation, b->attempt.incarnation);
    if (order == 0) order = cmp(a->attempt.n, b->attempt.n);
    if (order == 0) order = cmp(a->replica, b->replica);
    return order != 0 ? order : cmp(a->tenant.n, b->tenant.n);
}

static struct log_key_range up_to_all_replicas(struct fl_attempt first, struct fl_attempt last)
{
    return (struct log_key_range){
        .first = {.attempt = first},
        .last = {.attempt = last, .replica = UINT32_MAX, .tenant = {UINT32_MAX}}};
}

struct log_key_range log_key_range_of_job(struct fl_job job)
{
    return up_to_all_replicas(
        (struct fl_attempt){.job = job},
        (struct fl_attempt){
            .job = job, .element = UINT32_MAX, .incarnation = UINT32_MAX, .n = UINT16_MAX});
}

struct log_key_range log_key_range_of_element(struct fl_job job, uint32_t element)
{
    return up_to_all_replicas(
        (struct fl_attempt){.job = job, .element = element},
        (struct fl_attempt){
            .job = job, .element = element, .incarnation = UINT32_MAX, .n = UINT16_MAX});
}

struct log_key_range log_key_range_of_attempt(struct fl_attempt attempt)
{
    return up_to_all_replicas(attempt, attempt);
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
