#include "shared/wire/history_seal.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";
static const char word[] = "\"history:";

void fl_history_seal_print(const struct fl_history_seal *seal, char out[FL_HISTORY_TEXT_MAX])
{
    size_t len = sizeof word - 1;

    memcpy(out, word, len);
    for (size_t i = 0; i < seal->len && i < FL_HISTORY_SEAL_BYTES_MAX; i++) {
        out[len++] = digits[seal->at[i] >> 4];
        out[len++] = digits[seal->at[i] & 15];
    }
    out[len++] = '"';
    out[len] = '\0';
}

/* -1: not a digit. */
static int digit_of(char c)
{
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at ? (int)(at - digits) : -1;
}

static void read_hex(struct fl_str text, struct fl_history_seal *seal)
{
    size_t len = 0;

    while (2 * len + 1 < text.len && text.at[2 * len] != '"') {
        int high = digit_of(text.at[2 * len]), low = digit_of(text.at[2 * len + 1]);

        if (high < 0 || low < 0 || len == FL_HISTORY_SEAL_BYTES_MAX) return;
        seal->at[len++] = (uint8_t)(high << 4 | low);
    }
    if (2 * len < text.len && text.at[2 * len] == '"') seal->len = len;
}

bool fl_history_seal_find(struct fl_str capabilities, struct fl_history_seal *ret_seal)
{
    size_t len = sizeof word - 1;

    *ret_seal = (struct fl_history_seal){.len = 0};
    for (size_t i = 0; i + len <= capabilities.len; i++) {
        if (memcmp(capabilities.at + i, word, len) != 0) continue;
        read_hex((struct fl_str){capabilities.at + i + len, capabilities.len - i - len}, ret_seal);
        return true;
    }
    return false;
}
