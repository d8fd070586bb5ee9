/* fuzz.h - what a fuzz target defines.
 * tests/fuzz/x_fuzz.c takes one input, feeds it to one parser and asserts a property with fl_assert
 * (what was decoded encodes to the same bytes, say): 'does not crash' alone is a weak property.
 * Return 0.  tests/fuzz/corpus/x/ is its kept corpus: at least one file, small, each for a
 * reason. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
