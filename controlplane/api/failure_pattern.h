/* failure_pattern.h - an error line without what differs from one failure to the next.
 * A number becomes <n>, a number in hex <hex>, a UUID <uuid>, a date or time <time>, an address of
 * a network <addr>, a URL <url>, the path of a file <path>; blanks in a row become one.  Lines with
 * the same pattern fail alike.  The id of a group is made of a pattern, so a changed rule here
 * changes ids.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/str.h"

enum { FAILURE_PATTERN_BYTES_MAX = 400 }; /* a longer one is cut between two characters */

/* Returns the pattern, in 'ret_text'. */
struct fl_str failure_pattern(struct fl_str line, char ret_text[FAILURE_PATTERN_BYTES_MAX + 1]);
