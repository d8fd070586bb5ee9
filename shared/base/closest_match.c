#include "shared/base/closest_match.h"

enum {
    CHANGE = 2, /* half changes */
    CASE_CHANGE = 1,
};

struct fl_closest_match fl_closest_match(struct fl_str word)
{
    struct fl_closest_match match = {.word = word};

    if (word.len > 0 && word.len <= FL_CLOSEST_MATCH_BYTES_MAX) {
        unsigned changes = (unsigned)(word.len + 2) / 3;

        match.half_changes =
            CHANGE * changes + 1; /* fl_closest_match_offer takes smaller distances only */
    }
    return match;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static unsigned replace_cost(char a, char b)
{
    if (a == b) return 0;
    return lower(a) == lower(b) ? CASE_CHANGE : CHANGE;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment, three rows of the table at a time. */
static unsigned distance(struct fl_str a, struct fl_str b)
{
    unsigned rows[3][FL_CLOSEST_MATCH_BYTES_MAX + 1];
    unsigned *before = rows[0], *above = rows[1],
             *row = rows[2]; /* 'before' is read from i = 2 on */

    for (size_t j = 0; j <= b.len; j++) {
        above[j] = CHANGE * (unsigned)j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *unused = before;

        row[0] = CHANGE * (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            row[j] = least(above[j - 1] + replace_cost(a.at[i - 1], b.at[j - 1]),
                           least(above[j], row[j - 1]) + CHANGE);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1]) {
                row[j] = least(row[j], before[j - 2] + CHANGE);
            }
        }
        before = above;
        above = row;
        row = unused;
    }
    return above[b.len];
}

void fl_closest_match_offer(struct fl_closest_match *match, struct fl_str candidate)
{
    unsigned half_changes;

    if (match->half_changes == 0 || candidate.len == 0 ||
        candidate.len > FL_CLOSEST_MATCH_BYTES_MAX) {
        return;
    }
    half_changes = distance(match->word, candidate);
    if (half_changes >= match->half_changes) return;
    match->half_changes = half_changes;
    match->best = candidate;
}
