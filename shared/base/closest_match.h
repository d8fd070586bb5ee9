/* closest_match.h - the word that was probably meant: "did you mean".
 * Offer all words that would have been right; 'best' is the one that takes the fewest single-letter
 * changes (insert, drop, replace, swap of neighbours; case counts half a change), the first of
 * equals.  It stays empty when none is near: at most one change in three letters.
 *
 *     struct fl_closest_match match = fl_closest_match(got);
 *     for (...) fl_closest_match_offer(&match, name);
 *     if (match.best.len) ...
 *
 * Uses libc only.  Pure. */
#pragma once

#include "shared/base/str.h"

#define FL_CLOSEST_MATCH_BYTES_MAX 64 /* longer words match nothing */

struct fl_closest_match {
    struct fl_str word;
    struct fl_str best;    /* a view of what was offered */
    unsigned half_changes; /* to 'best'; the next offer must be nearer */
};

struct fl_closest_match fl_closest_match(struct fl_str word);
void fl_closest_match_offer(struct fl_closest_match *match, struct fl_str candidate);
