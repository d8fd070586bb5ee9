#include "shared/spec/quantity.h"

#include <string.h>

enum { EXPONENT_MAX = 18 };

struct unit {
    const char *name;
    int ten, two; /* times 10^ten 2^two */
};

static const struct unit units[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "e3", "E-2": an exponent in the place of a unit. */
static bool parse_exponent(struct fl_str s, int *ret_ten)
{
    bool is_minus;
    uint64_t n;

    if (s.len < 2 || (s.at[0] != 'e' && s.at[0] != 'E')) return false;
    s = (struct fl_str){s.at + 1, s.len - 1};
    is_minus = s.at[0] == '-';
    if (is_minus || s.at[0] == '+') s = (struct fl_str){s.at + 1, s.len - 1};
    if (!fl_str_parse_u64(s, &n) || n > EXPONENT_MAX) return false;
    *ret_ten = is_minus ? -(int)n : (int)n;
    return true;
}

static bool parse_unit(struct fl_str s, int *ret_ten, int *ret_two)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!fl_str_eq(s, fl_str_c(units[i].name))) continue;
        *ret_ten = units[i].ten;
        *ret_two = units[i].two;
        return true;
    }
    *ret_two = 0;
    return parse_exponent(s, ret_ten);
}

/* 'text' times 10^ten, rounded up. */
static bool parse(struct fl_str text, int ten, uint64_t *ret_n)
{
    uint64_t n = 0;
    size_t i = 0, digits = 0;
    int unit_ten, unit_two, decimals = 0;
    bool has_point = false, is_rounded = false;

    for (; i < text.len && (is_digit(text.at[i]) || text.at[i] == '.'); i++) {
        if (text.at[i] == '.') {
            if (has_point) return false;
            has_point = true;
            continue;
        }
        if (__builtin_mul_overflow(n, (uint64_t)10, &n)) return false;
        if (__builtin_add_overflow(n, (uint64_t)(text.at[i] - '0'), &n)) return false;
        decimals += has_point;
        digits++;
    }
    if (digits == 0 || decimals > EXPONENT_MAX) return false;
    if (!parse_unit((struct fl_str){text.at + i, text.len - i}, &unit_ten, &unit_two)) return false;
    for (; n && unit_two > 0; unit_two--) {
        if (__builtin_mul_overflow(n, (uint64_t)2, &n)) return false;
    }
    ten += unit_ten - decimals;
    for (; n && ten > 0; ten--) {
        if (__builtin_mul_overflow(n, (uint64_t)10, &n)) return false;
    }
    for (; n && ten < 0; ten++) {
        is_rounded |= n % 10 != 0;
        n /= 10;
    }
    *ret_n = n + is_rounded;
    return true;
}

bool fl_quantity_milli(struct fl_str text, uint64_t *ret_milli)
{
    return parse(text, 3, ret_milli);
}

bool fl_quantity_units(struct fl_str text, uint64_t *ret_units)
{
    return parse(text, 0, ret_units);
}

/* Each job's document has some of them, and printf takes longer than all else of a field. */
static void write_amount(uint64_t n, const char *unit, char ret_text[FL_QUANTITY_TEXT_MAX])
{
    char digits[FL_QUANTITY_TEXT_MAX], *at = digits + sizeof digits;
    size_t len, unit_len = strlen(unit);

    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    len = (size_t)(digits + sizeof digits - at);
    memcpy(ret_text, at, len);
    memcpy(ret_text + len, unit, unit_len + 1);
}

void fl_quantity_write_milli(uint64_t milli, char ret_text[FL_QUANTITY_TEXT_MAX])
{
    bool is_whole = milli % 1000 == 0;

    write_amount(is_whole ? milli / 1000 : milli, is_whole ? "" : "m", ret_text);
}

void fl_quantity_write_bytes(uint64_t bytes, char ret_text[FL_QUANTITY_TEXT_MAX])
{
    static const char *const names[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    size_t unit = 0;

    while (bytes && bytes % 1024 == 0 && unit + 1 < sizeof names / sizeof *names) {
        bytes /= 1024;
        unit++;
    }
    write_amount(bytes, names[unit], ret_text);
}

bool fl_duration_s(struct fl_str text, uint32_t *ret_s)
{
    static const struct {
        char letter;
        uint32_t s;
    } spans[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    size_t at = 0, span = 0;
    uint64_t sum = 0;

    if (fl_str_parse_u64(text, &sum)) {
        if (sum > UINT32_MAX) return false;
        *ret_s = (uint32_t)sum;
        return true;
    }
    sum = 0;
    if (text.len == 0) return false;
    while (at < text.len) {
        size_t start = at;
        uint64_t n;

        while (at < text.len && is_digit(text.at[at])) {
            at++;
        }
        if (at == text.len || !fl_str_parse_u64((struct fl_str){text.at + start, at - start}, &n)) {
            return false;
        }
        while (span < 4 && spans[span].letter != text.at[at]) {
            span++;
        }
        if (span == 4 || n > UINT32_MAX) return false;
        sum += n * spans[span++].s; /* at most four times 2^49 */
        at++;
    }
    if (sum > UINT32_MAX) return false;
    *ret_s = (uint32_t)sum;
    return true;
}
