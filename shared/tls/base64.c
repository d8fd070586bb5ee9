#include "shared/tls/base64.h"

#include <string.h>

struct alphabet {
    const char *digits;
    unsigned bits; /* bits that a digit holds */
};

static const struct alphabet base64 = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6};
static const struct alphabet base32 = {"0123456789abcdefghjkmnpqrstvwxyz", 5};

static void print(const struct alphabet *alphabet, const void *ptr, size_t len, char *out)
{
    const uint8_t *at = ptr;
    unsigned mask = (1u << alphabet->bits) - 1, held = 0, held_bits = 0;

    for (size_t i = 0; i < len; i++) {
        held = held << 8 | at[i];
        held_bits += 8;
        while (held_bits >= alphabet->bits) {
            held_bits -= alphabet->bits;
            *out++ = alphabet->digits[held >> held_bits & mask];
        }
        held &= 0xff;
    }
    if (held_bits > 0) *out++ = alphabet->digits[held << (alphabet->bits - held_bits) & mask];
    *out = '\0';
}

static bool parse(const struct alphabet *alphabet, struct fl_str s, uint8_t *ret, size_t len,
                  struct fl_err *err)
{
    unsigned held = 0, held_bits = 0;
    size_t at = 0;

    if (s.len != (len * 8 + alphabet->bits - 1) / alphabet->bits) {
        return fl_fail(err, FL_INVALID, "%zu bytes have another length", len);
    }
    for (size_t i = 0; i < s.len; i++) {
        const char *digit = memchr(alphabet->digits, s.at[i], (size_t)1 << alphabet->bits);

        if (!digit) return fl_fail(err, FL_INVALID, "has a character that is no digit of base64");
        held = (held << alphabet->bits | (unsigned)(digit - alphabet->digits)) & 0xffff;
        held_bits += alphabet->bits;
        if (held_bits < 8) continue;
        held_bits -= 8;
        ret[at++] = (uint8_t)(held >> held_bits);
    }
    /* The left-over bits must be zero, or another text would mean the same bytes. */
    if (held & ((1u << held_bits) - 1)) {
        return fl_fail(err, FL_INVALID, "the last digit has bits that mean nothing");
    }
    return true;
}

void fl_base64_print(const void *ptr, size_t len, char *out)
{
    print(&base64, ptr, len, out);
}

void fl_base32_print(const void *ptr, size_t len, char *out)
{
    print(&base32, ptr, len, out);
}

bool fl_base64_parse(struct fl_str s, void *ret_ptr, size_t len, struct fl_err *err)
{
    return parse(&base64, s, ret_ptr, len, err);
}

bool fl_base32_parse(struct fl_str s, void *ret_ptr, size_t len, struct fl_err *err)
{
    return parse(&base32, s, ret_ptr, len, err);
}

size_t fl_base64_bytes(size_t digits)
{
    if (digits % 4 == 1) return SIZE_MAX;
    return digits / 4 * 3 + digits % 4 * 6 / 8;
}
