#include "shared/base/hex.h"

#include <stdint.h>

void fl_hex_print(const void *ptr, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = ptr;

    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

bool fl_hex_parse(const char *text, size_t len, void *ret_bytes)
{
    uint8_t *bytes = ret_bytes;

    for (size_t i = 0; i < 2 * len; i++) {
        int digit = fl_hex_digit(text[i]);

        if (digit < 0 || (text[i] >= 'A' && text[i] <= 'F')) return false;
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    return true;
}

int fl_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
