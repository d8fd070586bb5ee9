/* line_level.h - how grave a line of output is, as far as its beginning tells.
 * A guess, by the rules of the dashboard's logs/level.ts; both are tested by the cases of
 * logs/level_cases.txt.  Colours (escape sequences) are passed over.
 * Pure. */
#pragma once

#include "shared/base/str.h"

#define LINE_LEVELS(X) X(none) X(error) X(warn) X(info) X(debug)

enum line_level {
#define LINE_LEVEL_ENUM(name) LINE_LEVEL_##name,
    LINE_LEVELS(LINE_LEVEL_ENUM)
#undef LINE_LEVEL_ENUM
        LINE_LEVELS_LEN
};

const char *line_level_name(enum line_level level);
enum line_level line_level_guess(struct fl_str line);
