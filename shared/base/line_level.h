/* line_level.h - how grave a line of output is, as far as its beginning tells.
 * A guess, by the rules of the dashboard's logs/level.ts; both are tested by the cases of
 * logs/level_cases.txt.  Colours (escape sequences) are passed over.
 * Pure. */
#pragma once

#include "shared/base/str.h"

#define FL_LINE_LEVELS(X) X(none) X(error) X(warn) X(info) X(debug)

enum fl_line_level {
#define FL_LINE_LEVEL_ENUM(name) FL_LINE_LEVEL_##name,
    FL_LINE_LEVELS(FL_LINE_LEVEL_ENUM)
#undef FL_LINE_LEVEL_ENUM
        FL_LINE_LEVELS_LEN
};

const char *fl_line_level_name(enum fl_line_level level);
enum fl_line_level fl_line_level_guess(struct fl_str line);

/* From names with commas between them: bit 1 << level for each.  False: a word is no level. */
bool fl_line_levels_parse(struct fl_str list, uint32_t *ret_levels);
