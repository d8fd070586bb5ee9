/* key.h - the key of an output: one replica of one attempt.
 * Keys are ordered by job, element, incarnation, attempt number, replica: a job's outputs stand
 * together, and an element's attempts in the order in which they were placed.  Job ids are never
 * used twice, so the tenant does not take part in the order; it is stored for checks.
 * Uses shared/base only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/types.h"

#define LOG_KEY_BYTES 26 /* as log_key_put writes it; comparing two byte by byte orders them */
#define LOG_KEY_ATTEMPT_BYTES 18 /* the first bytes, equal for all replicas of an attempt */

struct log_key {
    struct fl_attempt attempt;
    uint32_t replica;
    struct fl_tenant tenant;
};

/* All keys from 'first' to 'last', both included. */
struct log_key_range {
    struct log_key first, last;
};

struct log_key_range log_key_range_of_job(struct fl_job job);
struct log_key_range log_key_range_of_element(struct fl_job job, uint32_t element);
struct log_key_range log_key_range_of_attempt(struct fl_attempt attempt);

int log_key_cmp(const struct log_key *a, const struct log_key *b);

void log_key_put(uint8_t ret_bytes[LOG_KEY_BYTES], const struct log_key *key);
struct log_key log_key_get(const uint8_t bytes[LOG_KEY_BYTES]);
