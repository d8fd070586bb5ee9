/* near.h - the word that was probably meant: "did you mean".
 * Offer all words that would have been right; 'best' is the one that takes the fewest single-letter
 * changes (insert, drop, replace, swap of neighbours; case counts half a change), the first of
 * equals.  It stays empty when none is near: at most one change in three letters.
 *
 *     struct fl_near near = fl_near(got);
 *     for (...) fl_near_offer(&near, name);
 *     if (near.best.len) ...
 *
 * Uses libc only.  Pure. */
#pragma once

#include "shared/base/str.h"

#define FL_NEAR_BYTES_MAX 64 /* longer words are near nothing */

struct fl_near {
    struct fl_str word;
    struct fl_str best;    /* a view of what was offered */
    unsigned half_changes; /* to 'best'; the next offer must be nearer */
};

struct fl_near fl_near(struct fl_str word);
void fl_near_offer(struct fl_near *near, struct fl_str candidate);
