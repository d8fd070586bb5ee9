/* prng.h - numbers that look random and are the same on every machine for the same seed.
 * xoshiro256** seeded by splitmix64.  Not for secrets.
 * Uses libc only.  Pure: the state is the caller's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fl_prng {
    uint64_t s[4];
};

void fl_prng_seed(struct fl_prng *prng, uint64_t seed); /* any seed, 0 too; must come first */

uint64_t fl_prng_u64(struct fl_prng *prng);
uint64_t fl_prng_below(struct fl_prng *prng, uint64_t n); /* 0..n-1, each alike; n > 0 */
int64_t fl_prng_between(struct fl_prng *prng, int64_t lo, int64_t hi); /* lo..hi, both included */
bool fl_prng_chance(struct fl_prng *prng, uint32_t per_million);       /* true with this chance */
