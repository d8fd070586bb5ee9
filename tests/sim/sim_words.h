/* sim_words.h - what the fake clusters say of an end: by which replica it was, or nothing, so that
 * the model knows which words belong to which replica.  Uses shared/base only. */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include "shared/base/str.h"
#include "shared/base/types.h"

enum { SIM_WORDS_BYTES = 96 };

static inline struct fl_str sim_words(struct fl_attempt attempt, uint32_t replica,
                                      char ret_words[SIM_WORDS_BYTES])
{
    int len = snprintf(ret_words, SIM_WORDS_BYTES, "job %" PRIu64 ".%u attempt %u: replica %u",
                       attempt.job.n, attempt.element, attempt.n, replica);

    if ((attempt.job.n + replica) % 3 == 0) return (struct fl_str){0}; /* some say nothing */
    return (struct fl_str){ret_words, (size_t)len};
}
