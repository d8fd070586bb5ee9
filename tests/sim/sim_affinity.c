#include "tests/sim/sim_affinity.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/prng.h"

/* A fake node's labels; without them, zeros and a tier of -1. */
struct node_words {
    char disk, zone; /* 'f' or 's'; 'a' to 'c' */
    int tier;
};

static bool zone_is_a_or_b(struct node_words node)
{
    return node.zone == 'a' || node.zone == 'b';
}

static bool zone_is_not_b(struct node_words node)
{
    return node.zone != 'b';
}

static bool is_any(struct node_words node)
{
    (void)node;
    return true;
}

static bool is_none(struct node_words node)
{
    (void)node;
    return false;
}

static bool has_labels(struct node_words node)
{
    return node.zone != 0;
}

static bool has_none(struct node_words node)
{
    return node.zone == 0;
}

static bool is_slow_of_low_tier(struct node_words node)
{
    return node.disk == 's' && node.tier < 3;
}

static bool tier_is_over_0(struct node_words node)
{
    return node.tier > 0;
}

static bool is_fast_or_of_zone_a(struct node_words node)
{
    return node.disk == 'f' || node.zone == 'a';
}

static bool is_fast_over_1_or_slow_outside_c(struct node_words node)
{
    return (node.disk == 'f' && node.tier > 1) || (node.disk == 's' && node.zone != 'c');
}

static const struct {
    const char *text;
    bool (*lets)(struct node_words node);
} affinities[] = {
    {"zone in (a,b)\n", zone_is_a_or_b},
    {"zone notin (b)\n", zone_is_not_b},
    {"!rack\n", is_any},
    {"rack notin (r1,r2)\n", is_any},
    {"zone\n", has_labels},
    {"!zone\n", has_none},
    {"zone>1\n", is_none},
    {"disk in (slow),tier<3\n", is_slow_of_low_tier},
    {"tier>0\n", tier_is_over_0},
    {"disk in (fast)\nzone in (a)\n", is_fast_or_of_zone_a},
    {"disk in (fast),tier>1\ndisk in (slow),zone notin (c)\n", is_fast_over_1_or_slow_outside_c},
};

static char letter_behind(const char *labels, const char *key)
{
    const char *at = strstr(labels, key);

    return at ? at[strlen(key)] : '\0';
}

bool sim_affinity_lets(const struct shape *shape, const char *labels)
{
    struct node_words node = {letter_behind(labels, "disk="), letter_behind(labels, "zone="), -1};
    char tier = letter_behind(labels, "tier=");

    if (shape->affinity.len == 0) return true;
    if (tier) node.tier = tier - '0';
    for (size_t i = 0; i < sizeof affinities / sizeof *affinities; i++) {
        if (!fl_str_eq(shape->affinity, fl_str_c(affinities[i].text))) continue;
        return affinities[i].lets(node);
    }
    fl_unreachable("each text was drawn here");
}

const char *sim_affinity_draw(uint64_t seed)
{
    struct fl_prng prng;

    fl_prng_seed(&prng, seed);
    if (fl_prng_below(&prng, 1000) >= 250) return "";
    return affinities[fl_prng_below(&prng, sizeof affinities / sizeof *affinities)].text;
}
