#include "shared/base/prng.h"

#include "shared/base/assert.h"

static uint64_t rotl(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t v = *state += 0x9e3779b97f4a7c15u;

    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

void fl_prng_seed(struct fl_prng *prng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        prng->s[i] = splitmix64(&seed);
    }
}

uint64_t fl_prng_u64(struct fl_prng *prng)
{
    uint64_t *s = prng->s;
    uint64_t v = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    fl_assert(s[0] | s[1] | s[2] | s[3]); /* all zero: never seeded, and would stay zero for ever */
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return v;
}

/* Lemire's way: scale by multiplication, and draw again in the rare case that would favour a
 * value. */
uint64_t fl_prng_below(struct fl_prng *prng, uint64_t n)
{
    unsigned __int128 scaled;

    fl_assert(n > 0);
    scaled = (unsigned __int128)fl_prng_u64(prng) * n;
    if ((uint64_t)scaled < n) {
        uint64_t unfair = (0 - n) % n;

        while ((uint64_t)scaled < unfair) {
            scaled = (unsigned __int128)fl_prng_u64(prng) * n;
        }
    }
    return (uint64_t)(scaled >> 64);
}

int64_t fl_prng_between(struct fl_prng *prng, int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1; /* 0: every number there is */

    fl_assert(lo <= hi);
    return (int64_t)((uint64_t)lo + (span ? fl_prng_below(prng, span) : fl_prng_u64(prng)));
}

bool fl_prng_chance(struct fl_prng *prng, uint32_t per_million)
{
    return fl_prng_below(prng, 1000000) < per_million;
}
