#include "shared/wire/named_resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/resource_name.h"

static bool is_sound(const struct fl_named_resource *offers, size_t len)
{
    if (len > FL_NAMED_RESOURCES_MAX) return false;
    for (size_t i = 0; i < len; i++) {
        if (!fl_is_resource_name(offers[i].name) || offers[i].total == 0 ||
            offers[i].total > FL_NAMED_AMOUNT_MAX || offers[i].free > offers[i].total ||
            (i > 0 && fl_str_cmp(offers[i - 1].name, offers[i].name) >= 0)) {
            return false;
        }
    }
    return true;
}

bool fl_named_resources_write(struct fl_buf *out, const struct fl_named_resource *offers,
                              size_t len)
{
    if (!is_sound(offers, len)) return false;
    for (size_t i = 0; i < len; i++) {
        char numbers[48];
        int bytes = snprintf(numbers, sizeof numbers, "=%" PRIu64 "/%" PRIu64 "\n", offers[i].total,
                             offers[i].free);

        fl_buf_put(out, offers[i].name.at, offers[i].name.len);
        fl_buf_put(out, numbers, (size_t)bytes);
    }
    return !out->is_over;
}

/* Up to 'end', which goes too; false: it is not there. */
static bool take_until(struct fl_str *text, char end, struct fl_str *ret)
{
    const char *at = text->len > 0 ? memchr(text->at, end, text->len) : NULL;

    if (!at) return false;
    *ret = (struct fl_str){text->at, (size_t)(at - text->at)};
    text->len -= ret->len + 1;
    text->at = at + 1;
    return true;
}

/* In its one spelling. */
static bool read_number(struct fl_str text, uint64_t *ret)
{
    if (text.len == 0 || (text.len > 1 && text.at[0] == '0')) return false;
    return fl_str_parse_u64(text, ret);
}

static bool read_line(struct fl_str line, struct fl_named_resource *ret)
{
    size_t name_len = line.len;
    struct fl_str numbers, total;

    do { /* the last '=' */
        if (name_len == 0) return false;
        name_len--;
    } while (line.at[name_len] != '=');
    ret->name = (struct fl_str){line.at, name_len};
    numbers = (struct fl_str){line.at + name_len + 1, line.len - name_len - 1};
    return take_until(&numbers, '/', &total) && read_number(total, &ret->total) &&
           read_number(numbers, &ret->free);
}

bool fl_named_resources_read(struct fl_str text, struct fl_arena *arena,
                             const struct fl_named_resource **ret_offers, size_t *ret_len,
                             struct fl_err *err)
{
    struct fl_named_resource offers[FL_NAMED_RESOURCES_MAX];
    struct fl_str line;
    size_t len = 0;

    while (text.len > 0) {
        if (len == FL_NAMED_RESOURCES_MAX) {
            return fl_fail(err, FL_TOO_LARGE, "a node offers over %d resources by name",
                           FL_NAMED_RESOURCES_MAX);
        }
        if (!take_until(&text, '\n', &line) || !read_line(line, &offers[len])) {
            return fl_fail(err, FL_INVALID, "offers[%zu] is no line \"name=total/free\"", len);
        }
        len++;
    }
    if (!is_sound(offers, len)) {
        return fl_fail(err, FL_INVALID,
                       "offers are not sorted, repeat a name, or have an amount that cannot be");
    }
    *ret_offers = fl_arena_copy(arena, offers, len * sizeof *offers);
    *ret_len = len;
    return true;
}
