#include "shared/base/uuid.h"

#include <string.h>

#include "shared/base/hex.h"

enum { TEXT_LEN = FL_UUID_TEXT_MAX - 1, HEX_LEN = 2 * sizeof((struct fl_uuid *)0)->at };

static bool is_dash(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void fl_uuid_print(struct fl_uuid uuid, char out[FL_UUID_TEXT_MAX])
{
    char hex[HEX_LEN + 1], *digit = hex;

    fl_hex_print(uuid.at, sizeof uuid.at, hex);
    for (size_t i = 0; i < TEXT_LEN; i++) {
        out[i] = is_dash(i) ? '-' : *digit++;
    }
    out[TEXT_LEN] = '\0';
}

bool fl_uuid_parse(struct fl_str s, struct fl_uuid *ret_uuid, struct fl_err *err)
{
    char hex[HEX_LEN], *digit = hex;
    struct fl_uuid uuid;

    if (s.len != TEXT_LEN) {
        return fl_fail(err, FL_INVALID, "a uuid has %d characters", TEXT_LEN);
    }
    for (size_t i = 0; i < TEXT_LEN; i++) {
        if (!is_dash(i)) {
            *digit++ = s.at[i];
        } else if (s.at[i] != '-') {
            return fl_fail(err, FL_INVALID, "a uuid has a dash at %zu", i);
        }
    }
    if (!fl_hex_parse(hex, sizeof uuid.at, uuid.at)) {
        return fl_fail(err, FL_INVALID, "a uuid has lower-case hex digits");
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
