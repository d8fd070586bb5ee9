/* slurm_flags.h - a flag of an '#SBATCH' line as the flags of 'fairlead run' that mean the same, or
 * the reason that there is none and what to write instead.  Uses shared/base and
 * shared/spec.  Pure. */
#pragma once

#include "shared/base/arena.h"
#include "shared/base/err.h"

enum { SLURM_FLAGS_MAX = 4 };

/* 'words' are those of a line; takes one flag at '*i', with its value, and moves '*i' behind it.
 * Writes "--cpus", "4" and so on; 0 words for a flag that says what Fairlead does anyhow.  False:
 * it cannot be kept. */
FL_CHECK bool slurm_flag(const char *const *words, size_t words_len, size_t *i,
                         struct fl_arena *arena, const char *ret_flags[SLURM_FLAGS_MAX],
                         size_t *ret_len, struct fl_err *err);
