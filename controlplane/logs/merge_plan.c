#include "controlplane/logs/merge_plan.h"

#define TIERS 5
#define TIER_BYTES                                                                                 \
    ((uint64_t)256 << 10) /* the lowest begins there; each further one at eight times that */

static int tier_of(const struct log_merge_file *file)
{
    int tier = 0;

    for (uint64_t bytes = TIER_BYTES; file->bytes >= bytes && tier < TIERS - 1; bytes *= 8) {
        tier++;
    }
    return tier;
}

static bool are_near(const struct log_merge_file *a, const struct log_merge_file *b, fl_ms span_ms)
{
    fl_ms apart = a->sealed_at - b->sealed_at;

    return apart <= span_ms && -apart <= span_ms;
}

/* How many files from the first one on may become one: enough of this tier, and smaller ones among
 * them.  0: not enough. */
static size_t run_of(const struct log_merge_file *files, size_t len, int tier, fl_ms span_ms)
{
    uint64_t bytes = 0;
    uint64_t outputs = 0;
    size_t of_tier = 0;
    size_t n;

    for (n = 0; n < len && n < LOG_MERGE_FILES_MAX; n++) {
        if (n > 0 && files[n].is_behind_segment) break;
        bytes += files[n].bytes;
        outputs += files[n].outputs;
        if (tier_of(&files[n]) > tier || bytes > LOG_MERGE_BYTES_MAX ||
            outputs > LOG_MERGE_OUTPUTS_MAX || !are_near(&files[0], &files[n], span_ms)) {
            break;
        }
        of_tier += tier_of(&files[n]) == tier;
    }
    return of_tier >= LOG_MERGE_FILES ? n : 0;
}

bool log_merge_plan(const struct log_merge_file *files, size_t len, fl_ms span_ms,
                    size_t *ret_first, size_t *ret_len)
{
    for (int tier = 0; tier < TIERS; tier++) {
        for (size_t i = 0; i < len; i++) {
            size_t n = run_of(files + i, len - i, tier, span_ms);

            if (n == 0) continue;
            *ret_first = i;
            *ret_len = n;
            return true;
        }
    }
    return false;
}
