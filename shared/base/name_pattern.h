/* name_pattern.h - whether a name fits a pattern, in which each '*' stands for any characters, also
 * none; other characters stand for themselves.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"

/* Takes at most pattern.len times name.len steps. */
bool fl_name_fits(struct fl_str pattern, struct fl_str name);
