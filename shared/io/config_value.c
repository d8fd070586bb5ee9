#include "shared/io/config_value.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"

struct unit {
    const char *name;
    int64_t factor;
};

/* Largest first. */
static const struct unit durations[] = {
    {"d", 24 * FL_HOUR_MS}, {"h", FL_HOUR_MS}, {"m", FL_MINUTE_MS}, {"s", FL_SECOND_MS}, {"ms", 1},
};
static const struct unit sizes[] = {
    {"TiB", (int64_t)1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1},
};
enum { UNITS_LEN = 5 };

void fl_config_value_fini(struct fl_config_value *value)
{
    fl_free(value->text);
    fl_free(value->words);
    fl_free(value->list);
    *value = (struct fl_config_value){0};
}

static void print_quantity(int64_t n, const struct unit *units, const char *zero, char *out)
{
    if (n == 0) {
        snprintf(out, FL_CONFIG_QUANTITY_MAX, "%s", zero);
        return;
    }
    for (size_t i = 0; i < UNITS_LEN; i++) {
        if (n % units[i].factor != 0) continue;
        snprintf(out, FL_CONFIG_QUANTITY_MAX, "%" PRId64 "%s", n / units[i].factor, units[i].name);
        return;
    }
}

void fl_config_print_duration(fl_ms ms, char out[FL_CONFIG_QUANTITY_MAX])
{
    print_quantity(ms, durations, "0s", out);
}

void fl_config_print_bytes(int64_t bytes, char out[FL_CONFIG_QUANTITY_MAX])
{
    print_quantity(bytes, sizes, "0", out);
}

static void print_bound(const struct fl_config_setting *setting, int64_t n, char *out)
{
    switch (setting->kind) {
    case FL_CONFIG_DURATION:
        fl_config_print_duration(n, out);
        break;
    case FL_CONFIG_BYTES:
        fl_config_print_bytes(n, out);
        break;
    default:
        snprintf(out, FL_CONFIG_QUANTITY_MAX, "%" PRId64, n);
    }
}

static bool check_bounds(const struct fl_config_setting *setting, int64_t n, struct fl_err *err)
{
    char least[FL_CONFIG_QUANTITY_MAX], most[FL_CONFIG_QUANTITY_MAX];

    if (n >= setting->min && n <= setting->max) return true;
    print_bound(setting, setting->min, least);
    print_bound(setting, setting->max, most);
    return fl_fail(err, FL_INVALID, "must be %s to %s", least, most);
}

static bool read_integer(struct fl_str text, int64_t *ret_n)
{
    bool is_negative = text.len > 1 && text.at[0] == '-';
    uint64_t n;

    if (is_negative) text = (struct fl_str){text.at + 1, text.len - 1};
    if (!fl_str_parse_u64(text, &n) || n > INT64_MAX) return false;
    *ret_n = is_negative ? -(int64_t)n : (int64_t)n;
    return true;
}

static bool read_quantity(struct fl_str text, const struct unit *units, int64_t *ret_n)
{
    size_t digits = 0;
    int64_t n;

    while (digits < text.len && text.at[digits] >= '0' && text.at[digits] <= '9') {
        digits++;
    }
    if (!read_integer((struct fl_str){text.at, digits}, &n)) return false;
    text = (struct fl_str){text.at + digits, text.len - digits};
    for (size_t i = 0; i < UNITS_LEN; i++) {
        if (!fl_str_eq(text, fl_str_c(units[i].name))) continue;
        return !__builtin_mul_overflow(n, units[i].factor, ret_n);
    }
    if (text.len > 0 || n != 0) return false; /* a bare 0 needs no unit */
    *ret_n = 0;
    return true;
}

static bool read_text(const struct fl_config_setting *setting, struct fl_str text,
                      struct fl_err *err)
{
    int64_t max = setting->max > 0 ? setting->max : FL_CONFIG_TEXT_MAX;

    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f) {
            return fl_fail(err, FL_INVALID, "has a control character");
        }
    }
    if ((int64_t)text.len < setting->min || (int64_t)text.len > max) {
        return fl_fail(err, FL_INVALID, "must have %" PRId64 " to %" PRId64 " bytes", setting->min,
                       max);
    }
    return true;
}

static struct fl_str trim(struct fl_str s)
{
    while (s.len > 0 && (s.at[0] == ' ' || s.at[0] == '\t')) {
        s = (struct fl_str){s.at + 1, s.len - 1};
    }
    while (s.len > 0 && (s.at[s.len - 1] == ' ' || s.at[s.len - 1] == '\t')) {
        s.len--;
    }
    return s;
}

static bool read_list(const struct fl_config_setting *setting, struct fl_str text,
                      struct fl_config_value *value, struct fl_err *err)
{
    int64_t max = setting->max > 0 ? setting->max : FL_CONFIG_LIST_MAX;
    char *at;

    text = trim(text);
    at = value->words = fl_new_array(char, text.len + 1);
    value->list = fl_new_array(const char *, (size_t)max);
    while (text.len > 0) {
        const char *comma = memchr(text.at, ',', text.len);
        size_t len = comma ? (size_t)(comma - text.at) : text.len;
        struct fl_str word = trim((struct fl_str){text.at, len});

        if (word.len == 0 || (comma && len + 1 == text.len)) {
            return fl_fail(err, FL_INVALID, "has an empty word");
        }
        if ((int64_t)value->list_len == max) {
            return fl_fail(err, FL_INVALID, "has over %" PRId64 " words", max);
        }
        memcpy(at, word.at, word.len);
        value->list[value->list_len++] = at;
        at += word.len + 1;
        if (comma) len++;
        text = (struct fl_str){text.at + len, text.len - len};
    }
    if ((int64_t)value->list_len < setting->min) {
        return fl_fail(err, FL_INVALID, "must have at least %" PRId64 " words", setting->min);
    }
    return true;
}

static bool read_kind(const struct fl_config_setting *setting, struct fl_str text,
                      struct fl_config_value *value, struct fl_err *err)
{
    switch (setting->kind) {
    case FL_CONFIG_STRING:
    case FL_CONFIG_PATH:
    case FL_CONFIG_SECRET:
        return read_text(setting, text, err);
    case FL_CONFIG_INT:
        if (!read_integer(text, &value->n)) return fl_fail(err, FL_INVALID, "is not a number");
        return check_bounds(setting, value->n, err);
    case FL_CONFIG_DURATION:
        if (!read_quantity(text, durations, &value->n)) {
            return fl_fail(err, FL_INVALID, "is not a time such as 500ms, 30s, 5m, 24h or 7d");
        }
        return check_bounds(setting, value->n, err);
    case FL_CONFIG_BYTES:
        if (!read_quantity(text, sizes, &value->n)) {
            return fl_fail(err, FL_INVALID, "is not a size such as 4096, 64KiB, 8MiB or 2GiB");
        }
        return check_bounds(setting, value->n, err);
    case FL_CONFIG_BOOL:
        value->n = fl_str_eq(text, FL_STR("true"));
        if (value->n == 0 && !fl_str_eq(text, FL_STR("false"))) {
            return fl_fail(err, FL_INVALID, "must be true or false");
        }
        return true;
    case FL_CONFIG_LIST:
        return read_text(&(struct fl_config_setting){.max = FL_CONFIG_TEXT_MAX}, text, err) &&
               read_list(setting, text, value, err);
    }
    return fl_fail(err, FL_INVALID, "is of no kind");
}

bool fl_config_value_read(const struct fl_config_setting *setting, struct fl_str text,
                          struct fl_config_value *ret_value, struct fl_err *err)
{
    struct fl_config_value value = {0};

    if (!fl_str_is_text(text)) return fl_fail(err, FL_INVALID, "is not UTF-8 text");
    if (!read_kind(setting, text, &value, err)) {
        fl_config_value_fini(&value);
        return false;
    }
    value.text = fl_new_array(char, text.len + 1);
    if (text.len > 0) memcpy(value.text, text.at, text.len);
    *ret_value = value;
    return true;
}
