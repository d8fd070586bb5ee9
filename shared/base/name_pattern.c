#include "shared/base/name_pattern.h"

/* Only the last star that was passed is ever widened: an earlier one would gain nothing. */
bool fl_name_fits(struct fl_str pattern, struct fl_str name)
{
    size_t at = 0, i = 0, star = SIZE_MAX, taken = 0;

    while (i < name.len) {
        if (at < pattern.len && pattern.at[at] == '*') {
            star = at++;
            taken = i;
        } else if (at < pattern.len && pattern.at[at] == name.at[i]) {
            at++;
            i++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            i = ++taken;
        } else {
            return false;
        }
    }
    while (at < pattern.len && pattern.at[at] == '*') {
        at++;
    }
    return at == pattern.len;
}
