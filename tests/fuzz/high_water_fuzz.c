/* The file that says how far a control plane has given out numbers, as a disk or a copy might have
 * left it.
 * Input: its text.  One without a right sum is read once more with one.
 * Property: a text that is read is written as the very same text; with another byte, cut, or longer
 * it is refused; no id was given out beyond the limit that it names.
 * The planted bug (planted/high_water.patch) takes ids beyond their limit.
 *
 *     tests/fuzz/planted.sh high_water */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/engine/high_water.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

static bool read_text(struct fl_str text)
{
    char again[HIGH_WATER_BYTES_MAX], other[HIGH_WATER_BYTES_MAX];
    struct high_water water, same;
    struct fl_err err = {0};

    if (!high_water_decode(text, &water, &err)) {
        fl_assert(err.code == FL_TORN || err.code == FL_INVALID);
        return false;
    }
    fl_assert(water.job_next <= water.job_below && water.incarnation <= UINT32_MAX);
    fl_assert(high_water_encode(&water, again) == text.len);
    fl_assert(memcmp(again, text.at, text.len) == 0);
    memcpy(other, again, text.len);
    other[fl_hash64(0, again, text.len) % text.len] ^= 1;
    fl_assert(!high_water_decode((struct fl_str){other, text.len}, &same, &err));
    fl_assert(!high_water_decode((struct fl_str){again, text.len - 1}, &same, &err));
    fl_assert(!high_water_decode((struct fl_str){again, text.len + 1}, &same, &err));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[HIGH_WATER_BYTES_MAX];
    int sum_len;

    if (size > HIGH_WATER_BYTES_MAX) return 0;
    if (read_text((struct fl_str){(const char *)data, size}) || size + 32 > sizeof text) return 0;
    if (size > 0) memcpy(text, data, size);
    sum_len =
        snprintf(text + size, sizeof text - size, "sum %" PRIu64 "\n", fl_hash64(0, text, size));
    (void)read_text((struct fl_str){text, size + (size_t)sum_len});
    return 0;
}
