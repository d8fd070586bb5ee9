#include "shared/base/element_set.h"

#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

void fl_element_set_fini(struct fl_element_set *set)
{
    fl_vec_fini(set);
}

bool fl_element_set_add(struct fl_element_set *set, uint32_t element, struct fl_err *err)
{
    struct fl_element_set_range *newest = set->len ? &set->at[set->len - 1] : NULL;
    struct fl_element_set_range range = {.first = element, .last = element};

    if (newest && element <= newest->last) {
        return fl_fail(err, FL_INVALID, "element %u does not come after element %u", element,
                       newest->last);
    }
    if (newest && element == newest->last + 1) {
        newest->last = element;
        return true;
    }
    if (set->len == FL_ELEMENT_SET_RANGES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "the elements are in more than %d ranges; choose fewer at a time",
                       FL_ELEMENT_SET_RANGES_MAX);
    }
    range.before = fl_element_set_count(set);
    fl_assert(set->len <= set->cap && (set->at || set->cap == 0));
    fl_vec_push(set, range);
    return true;
}

uint32_t fl_element_set_count(const struct fl_element_set *set)
{
    const struct fl_element_set_range *newest = set->len ? &set->at[set->len - 1] : NULL;

    return newest ? newest->before + (newest->last - newest->first) + 1 : 0;
}

/* How many ranges begin at or before the element. */
static size_t ranges_to(const struct fl_element_set *set, uint32_t element)
{
    size_t low = 0, end = set->len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (set->at[mid].first <= element) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    return low;
}

bool fl_element_set_has(const struct fl_element_set *set, uint32_t element)
{
    size_t ranges = ranges_to(set, element);

    return ranges > 0 && element <= set->at[ranges - 1].last;
}

uint32_t fl_element_set_rank(const struct fl_element_set *set, uint32_t element)
{
    size_t ranges = ranges_to(set, element);
    const struct fl_element_set_range *range;

    if (ranges == 0) return 0;
    range = &set->at[ranges - 1];
    if (element > range->last) return range->before + (range->last - range->first) + 1;
    return range->before + (element - range->first);
}

uint32_t fl_element_set_nth(const struct fl_element_set *set, uint32_t i)
{
    size_t low = 0, end = set->len;

    fl_assert(i < fl_element_set_count(set));
    while (end - low > 1) {
        size_t mid = low + (end - low) / 2;

        if (set->at[mid].before <= i) {
            low = mid;
        } else {
            end = mid;
        }
    }
    return set->at[low].first + (i - set->at[low].before);
}

bool fl_element_set_encode(struct fl_buf *out, const struct fl_element_set *set)
{
    uint64_t next = 0; /* the least first of the next range */

    for (size_t i = 0; i < set->len; i++) {
        const struct fl_element_set_range *range = &set->at[i];

        fl_buf_put_var(out, range->first - next);
        fl_buf_put_var(out, range->last - range->first);
        next = (uint64_t)range->last + 2;
    }
    return !out->is_over;
}

bool fl_element_set_decode(struct fl_str bytes, struct fl_element_set *ret_set, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_element_set set = {0};
    uint64_t next = 0, count = 0;

    if (bytes.len > FL_ELEMENT_SET_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a set of elements has at most %d bytes",
                       FL_ELEMENT_SET_BYTES_MAX);
    }
    while (reader.pos < reader.len) {
        uint64_t gap = fl_read_var(&reader), more = fl_read_var(&reader);

        if (reader.is_bad || gap > UINT32_MAX || more > UINT32_MAX || next + gap > UINT32_MAX ||
            next + gap + more > UINT32_MAX || count + more >= UINT32_MAX) {
            fl_element_set_fini(&set);
            return fl_fail(err, FL_TORN, "byte %zu: the set of elements is cut or out of range",
                           reader.pos);
        }
        fl_vec_push(&set, (struct fl_element_set_range){.first = (uint32_t)(next + gap),
                                                        .last = (uint32_t)(next + gap + more),
                                                        .before = (uint32_t)count});
        count += more + 1;
        next = next + gap + more + 2;
    }
    *ret_set = set;
    return true;
}
