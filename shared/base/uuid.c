#include "shared/base/uuid.h"

#include <string.h>

enum { TEXT_LEN = FL_UUID_TEXT_MAX - 1 };

static const char digits[] = "0123456789abcdef";

static bool is_dash(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void fl_uuid_print(struct fl_uuid uuid, char out[FL_UUID_TEXT_MAX])
{
    size_t nibble = 0;

    for (size_t i = 0; i < TEXT_LEN; i++) {
        if (is_dash(i)) {
            out[i] = '-';
        } else {
            uint8_t byte = uuid.at[nibble / 2];

            out[i] = digits[nibble % 2 == 0 ? byte >> 4 : byte & 15];
            nibble++;
        }
    }
    out[TEXT_LEN] = '\0';
}

bool fl_uuid_parse(struct fl_str s, struct fl_uuid *ret_uuid, struct fl_err *err)
{
    struct fl_uuid uuid = {{0}};
    size_t nibble = 0;

    if (s.len != TEXT_LEN) {
        return fl_fail(err, FL_INVALID, "a uuid has %d characters", TEXT_LEN);
    }
    for (size_t i = 0; i < TEXT_LEN; i++) {
        const char *digit;

        if (is_dash(i)) {
            if (s.at[i] != '-') return fl_fail(err, FL_INVALID, "a uuid has a dash at %zu", i);
            continue;
        }
        digit = memchr(digits, s.at[i], sizeof digits - 1);
        if (!digit) return fl_fail(err, FL_INVALID, "a uuid has lower-case hex digits");
        uuid.at[nibble / 2] = (uint8_t)(uuid.at[nibble / 2] << 4 | (digit - digits));
        nibble++;
    }
    *ret_uuid = uuid;
    return true;
}

bool fl_uuid_eq(struct fl_uuid a, struct fl_uuid b)
{
    return memcmp(a.at, b.at, sizeof a.at) == 0;
}

bool fl_uuid_is_zero(struct fl_uuid uuid)
{
    return fl_uuid_eq(uuid, (struct fl_uuid){{0}});
}
