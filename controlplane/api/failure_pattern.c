#include "controlplane/api/failure_pattern.h"

#include <string.h>

#include "shared/base/ascii.h"
#include "shared/base/hex.h"

enum { HEX_WORD_MIN = 8, ADDRESS_COLONS_MIN = 3 };

/* ---- pieces of text: how many bytes of the beginning are one; 0: it does not begin so -------- */

static bool is_digit(struct fl_str s, size_t i)
{
    return i < s.len && fl_is_digit(s.at[i]);
}

static bool is_hex(struct fl_str s, size_t i)
{
    return i < s.len && fl_hex_digit(s.at[i]) >= 0;
}

static bool is_word(struct fl_str s, size_t i)
{
    return i < s.len && (fl_is_alnum(s.at[i]) || s.at[i] == '_');
}

static bool is_at(struct fl_str s, size_t i, char c)
{
    return i < s.len && s.at[i] == c;
}

static size_t digits(struct fl_str s, size_t i)
{
    size_t end = i;

    while (is_digit(s, end)) {
        end++;
    }
    return end - i;
}

/* Digits and other characters, as "####-##-##" shows them. */
static size_t match(struct fl_str s, size_t i, const char *form)
{
    size_t len = 0;

    for (; form[len]; len++) {
        if (form[len] == '#' ? !is_digit(s, i + len) : !is_at(s, i + len, form[len])) return 0;
    }
    return len;
}

static size_t uuid(struct fl_str s)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    size_t len = 0;

    for (; form[len]; len++) {
        if (form[len] == 'x' ? !is_hex(s, len) : !is_at(s, len, '-')) return 0;
    }
    return is_word(s, len) ? 0 : len;
}

/* Behind the seconds: a fraction, then Z or +01:00. */
static size_t clock_rest(struct fl_str s, size_t i)
{
    size_t end = i;

    if ((is_at(s, end, '.') || is_at(s, end, ',')) && is_digit(s, end + 1)) {
        end += 1 + digits(s, end + 1);
    }
    if (is_at(s, end, 'Z')) return end + 1 - i;
    if (is_at(s, end, '+') || is_at(s, end, '-')) {
        size_t zone = match(s, end + 1, "##:##");

        if (zone == 0) zone = match(s, end + 1, "####");
        if (zone > 0) end += 1 + zone;
    }
    return end - i;
}

static size_t clock_time(struct fl_str s, size_t i)
{
    size_t len = match(s, i, "##:##:##");

    if (len == 0 || is_digit(s, i + len) || is_at(s, i + len, ':')) return 0;
    return len + clock_rest(s, i + len);
}

static size_t date_or_time(struct fl_str s)
{
    size_t len = match(s, 0, "####-##-##"), rest;

    if (len == 0) len = match(s, 0, "####/##/##");
    if (len == 0) return clock_time(s, 0);
    if (is_digit(s, len)) return 0;
    if (!is_at(s, len, 'T') && !is_at(s, len, ' ') && !is_at(s, len, '_')) return len;
    rest = clock_time(s, len + 1);
    return rest > 0 ? len + 1 + rest : len;
}

static size_t port(struct fl_str s, size_t i)
{
    return is_at(s, i, ':') && is_digit(s, i + 1) ? 1 + digits(s, i + 1) : 0;
}

static size_t address_v4(struct fl_str s)
{
    size_t i = 0;

    for (int part = 0; part < 4; part++) {
        size_t len;

        if (part > 0 && !is_at(s, i++, '.')) return 0;
        len = digits(s, i);
        if (len == 0 || len > 3) return 0;
        i += len;
    }
    if (is_word(s, i) || (is_at(s, i, '.') && is_digit(s, i + 1))) return 0;
    return i + port(s, i);
}

/* An address of version 6, or of a network card. */
static size_t address_of_hex(struct fl_str s)
{
    size_t i = 0, colons = 0;
    bool is_short = false, has_digit = false;

    for (; is_hex(s, i) || is_at(s, i, ':'); i++) {
        has_digit = has_digit || is_digit(s, i);
        if (s.at[i] != ':') continue;
        colons++;
        is_short = is_short || is_at(s, i + 1, ':');
    }
    while (i > 0 && s.at[i - 1] == ':' && !(i > 1 && s.at[i - 2] == ':')) {
        i--;
        colons--;
    }
    if (is_word(s, i) || i < 3 || !has_digit) return 0;
    return colons >= ADDRESS_COLONS_MIN || is_short ? i : 0;
}

static size_t address(struct fl_str s)
{
    size_t len = address_v4(s);

    return len > 0 ? len : address_of_hex(s);
}

/* 0x7f3a, or a word of digits and letters of hex with both in it, as a digest has. */
static size_t hex(struct fl_str s)
{
    bool has_digit = false, has_letter = false;
    size_t len = 2;

    if (is_at(s, 0, '0') && (is_at(s, 1, 'x') || is_at(s, 1, 'X')) && is_hex(s, 2)) {
        while (is_hex(s, len)) {
            len++;
        }
        return is_word(s, len) ? 0 : len;
    }
    for (len = 0; is_hex(s, len); len++) {
        bool is_number = fl_is_digit(s.at[len]);

        has_digit = has_digit || is_number;
        has_letter = has_letter || !is_number;
    }
    return len >= HEX_WORD_MIN && has_digit && has_letter && !is_word(s, len) ? len : 0;
}

static bool ends_path(char c)
{
    return c == ' ' || strchr("\"'`()[]{}<>,;:|", c) != NULL;
}

static size_t url(struct fl_str s)
{
    size_t i = 0;

    while (i < s.len && (fl_is_alnum(s.at[i]) || s.at[i] == '+')) {
        i++;
    }
    if (i == 0 || match(s, i, "://") == 0) return 0;
    for (i += 3; i < s.len && (s.at[i] == ':' || !ends_path(s.at[i]));) {
        i++;
    }
    while (s.at[i - 1] == ':' || s.at[i - 1] == '.') {
        i--;
    }
    return i;
}

/* /a/b, ~/a, ./a, ../a: from the root, or from a folder that is named so. */
static size_t path(struct fl_str s)
{
    size_t i = is_at(s, 0, '~') ? 1 : 0;

    while (i < 2 && is_at(s, i, '.')) {
        i++;
    }
    if (!is_at(s, i, '/') || i + 1 >= s.len || ends_path(s.at[i + 1]) || s.at[i + 1] == '/') {
        return 0;
    }
    while (i < s.len && !ends_path(s.at[i])) {
        i++;
    }
    while (s.at[i - 1] == '.') {
        i--;
    }
    return i;
}

/* 7, 0.5, 1,024, 1e-05 */
static size_t number(struct fl_str s)
{
    size_t len = digits(s, 0), more = 1;

    if (len == 0) return 0;
    while ((is_at(s, len, '.') || is_at(s, len, ',')) && is_digit(s, len + 1)) {
        len += 1 + digits(s, len + 1);
    }
    if (!is_at(s, len, 'e') && !is_at(s, len, 'E')) return len;
    if (is_at(s, len + 1, '-') || is_at(s, len + 1, '+')) more = 2;
    if (!is_digit(s, len + more)) return len;
    return len + more + digits(s, len + more);
}

/* ---- the pattern ----------------------------------------------------------------------------- */

/* The first that fits counts. */
static const struct {
    const char *placeholder;
    size_t (*find)(struct fl_str s);
    bool is_whole; /* it begins no earlier than its word; else it may stand behind letters */
} kinds[] = {
    {"<url>", url, true},           {"<path>", path, true},    {"<uuid>", uuid, true},
    {"<time>", date_or_time, true}, {"<addr>", address, true}, {"<hex>", hex, true},
    {"<n>", number, false},
};

/* A piece that is replaced, or one character. */
static size_t next_piece(struct fl_str s, bool is_in_word, struct fl_str *ret_text)
{
    bool is_plain = is_in_word && !is_digit(s, 0); /* most bytes are */
    size_t one = 1;

    for (size_t i = 0; !is_plain && i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = kinds[i].is_whole && is_in_word ? 0 : kinds[i].find(s);

        if (len == 0) continue;
        *ret_text = fl_str_c(kinds[i].placeholder);
        return len;
    }
    while (one < s.len && ((unsigned char)s.at[one] & 0xc0) == 0x80) {
        one++;
    }
    *ret_text = (struct fl_str){s.at, one};
    return one;
}

struct fl_str failure_pattern(struct fl_str line, char ret_text[FAILURE_PATTERN_BYTES_MAX + 1])
{
    struct fl_str text = {ret_text, 0};
    bool is_in_word = false;

    while (line.len > 0) {
        struct fl_str piece;
        size_t len = next_piece(line, is_in_word, &piece);

        is_in_word = is_word(line, len - 1);
        line.at += len;
        line.len -= len;
        if (piece.at[0] == ' ' && (text.len == 0 || ret_text[text.len - 1] == ' ')) continue;
        if (text.len + piece.len > FAILURE_PATTERN_BYTES_MAX) break;
        memcpy(ret_text + text.len, piece.at, piece.len);
        text.len += piece.len;
    }
    while (text.len > 0 && ret_text[text.len - 1] == ' ') {
        text.len--;
    }
    ret_text[text.len] = '\0';
    return text;
}
