#include "shared/base/time_text.h"

/* So many digits of n, and what follows them. */
static char *put(char *out, int64_t n, size_t digits, char then)
{
    for (size_t i = digits; i > 0; i--) {
        out[i - 1] = (char)('0' + n % 10);
        n /= 10;
    }
    out[digits] = then;
    return out + digits + 1;
}

/* Days since the epoch to a civil date, after Howard Hinnant: no time zone data, no lock. */
void fl_time_print(fl_ms when, char out[FL_TIME_TEXT_MAX])
{
    int64_t seconds = when / 1000, days = seconds / 86400, of_day = seconds % 86400;
    int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    int64_t year = yoe + era * 400 + (month <= 2);

    out = put(out, year, 4, '-');
    out = put(out, month, 2, '-');
    out = put(out, day, 2, 'T');
    out = put(out, of_day / 3600, 2, ':');
    out = put(out, of_day / 60 % 60, 2, ':');
    out = put(out, of_day % 60, 2, '.');
    out = put(out, when % 1000, 3, 'Z');
    *out = '\0';
}

static bool digits(struct fl_str text, size_t from, size_t len, int64_t *ret_n)
{
    uint64_t n;

    if (from + len > text.len || !fl_str_parse_u64((struct fl_str){text.at + from, len}, &n)) {
        return false;
    }
    *ret_n = (int64_t)n;
    return true;
}

bool fl_time_parse(struct fl_str text, fl_ms *ret_at)
{
    int64_t year, month, day, hour, minute, second, ms = 0, era, doe, doy, yoe;
    char again[FL_TIME_TEXT_MAX];
    struct fl_str printed;
    fl_ms when;

    if ((text.len != 20 && text.len != 24) || !digits(text, 0, 4, &year) ||
        !digits(text, 5, 2, &month) || !digits(text, 8, 2, &day) || !digits(text, 11, 2, &hour) ||
        !digits(text, 14, 2, &minute) || !digits(text, 17, 2, &second) ||
        (text.len == 24 && !digits(text, 20, 3, &ms)) || year < 1970 || month < 1) {
        return false;
    }
    if (month <= 2) year--;
    era = year / 400;
    yoe = year - era * 400;
    doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    when = ((era * 146097 + doe - 719468) * 86400 + hour * 3600 + minute * 60 + second) * 1000 + ms;
    /* A text that is not a date, or has another sign in a gap, prints as something else. */
    if (when < 0) return false;
    fl_time_print(when, again);
    printed = fl_str_c(again);
    if (text.len == 20) {
        again[19] = 'Z';
        printed.len = 20;
    }
    if (!fl_str_eq(printed, text)) return false;
    *ret_at = when > 0 ? when : 1;
    return true;
}
