#include "shared/base/picks.h"

#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

void fl_picks_fini(struct fl_picks *picks)
{
    fl_vec_fini(picks);
}

bool fl_picks_add(struct fl_picks *picks, uint32_t element, struct fl_err *err)
{
    struct fl_picks_range *newest = picks->len ? &picks->at[picks->len - 1] : NULL;
    struct fl_picks_range range = {.first = element, .last = element};

    if (newest && element <= newest->last) {
        return fl_fail(err, FL_INVALID, "element %u does not come after element %u", element,
                       newest->last);
    }
    if (newest && element == newest->last + 1) {
        newest->last = element;
        return true;
    }
    if (picks->len == FL_PICKS_RANGES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "the elements are in more than %d ranges; choose fewer at a time",
                       FL_PICKS_RANGES_MAX);
    }
    range.before = fl_picks_count(picks);
    fl_assert(picks->len <= picks->cap && (picks->at || picks->cap == 0));
    fl_vec_push(picks, range);
    return true;
}

uint32_t fl_picks_count(const struct fl_picks *picks)
{
    const struct fl_picks_range *newest = picks->len ? &picks->at[picks->len - 1] : NULL;

    return newest ? newest->before + (newest->last - newest->first) + 1 : 0;
}

/* How many ranges begin at or before the element. */
static size_t ranges_to(const struct fl_picks *picks, uint32_t element)
{
    size_t low = 0, end = picks->len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (picks->at[mid].first <= element) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    return low;
}

bool fl_picks_has(const struct fl_picks *picks, uint32_t element)
{
    size_t ranges = ranges_to(picks, element);

    return ranges > 0 && element <= picks->at[ranges - 1].last;
}

uint32_t fl_picks_rank(const struct fl_picks *picks, uint32_t element)
{
    size_t ranges = ranges_to(picks, element);
    const struct fl_picks_range *range;

    if (ranges == 0) return 0;
    range = &picks->at[ranges - 1];
    if (element > range->last) return range->before + (range->last - range->first) + 1;
    return range->before + (element - range->first);
}

uint32_t fl_picks_nth(const struct fl_picks *picks, uint32_t i)
{
    size_t low = 0, end = picks->len;

    fl_assert(i < fl_picks_count(picks));
    while (end - low > 1) {
        size_t mid = low + (end - low) / 2;

        if (picks->at[mid].before <= i) {
            low = mid;
        } else {
            end = mid;
        }
    }
    return picks->at[low].first + (i - picks->at[low].before);
}

bool fl_picks_encode(struct fl_buf *out, const struct fl_picks *picks)
{
    uint64_t next = 0; /* the least first of the next range */

    for (size_t i = 0; i < picks->len; i++) {
        const struct fl_picks_range *range = &picks->at[i];

        fl_buf_put_var(out, range->first - next);
        fl_buf_put_var(out, range->last - range->first);
        next = (uint64_t)range->last + 2;
    }
    return !out->is_over;
}

bool fl_picks_decode(struct fl_str bytes, struct fl_picks *ret_picks, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_picks picks = {0};
    uint64_t next = 0, count = 0;

    if (bytes.len > FL_PICKS_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a set of elements has at most %d bytes",
                       FL_PICKS_BYTES_MAX);
    }
    while (reader.pos < reader.len) {
        uint64_t gap = fl_read_var(&reader), more = fl_read_var(&reader);

        if (reader.is_bad || gap > UINT32_MAX || more > UINT32_MAX || next + gap > UINT32_MAX ||
            next + gap + more > UINT32_MAX || count + more >= UINT32_MAX) {
            fl_picks_fini(&picks);
            return fl_fail(err, FL_TORN, "byte %zu: the set of elements is cut or out of range",
                           reader.pos);
        }
        fl_vec_push(&picks, (struct fl_picks_range){.first = (uint32_t)(next + gap),
                                                    .last = (uint32_t)(next + gap + more),
                                                    .before = (uint32_t)count});
        count += more + 1;
        next = next + gap + more + 2;
    }
    *ret_picks = picks;
    return true;
}
