/* story.h - the latest events, for the reader of a failure.
 * A ring of the last lines; a line is a constant format and up to six numbers, and becomes text
 * only when it is read.  Every line also goes into the trace hash: equal seeds tell equal stories.
 * Single-threaded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/base/types.h"

enum { STORY_LINES = 600, STORY_ARGS = 6 };

struct story_line {
    fl_ms at;
    const char *format; /* a literal; every number is written %llu or %lld */
    uint64_t args[STORY_ARGS];
};

struct story {
    struct story_line lines[STORY_LINES];
    uint64_t len; /* lines told in all */
    uint64_t hash;
    bool is_live; /* every line is printed at once, too */
};

void story_init(struct story *story, uint64_t seed, bool is_live);
void story_tell(struct story *story, fl_ms at, const char *format, const uint64_t args[STORY_ARGS]);
void story_print(const struct story *story, FILE *out);

#define STORY_TELL(story, at, ...) STORY_TELL_(story, at, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define STORY_TELL_(story, at, format, a, b, c, d, e, f, ...)                                      \
    story_tell(story, at, format,                                                                  \
               (const uint64_t[STORY_ARGS]){(uint64_t)(a), (uint64_t)(b), (uint64_t)(c),           \
                                            (uint64_t)(d), (uint64_t)(e), (uint64_t)(f)})
