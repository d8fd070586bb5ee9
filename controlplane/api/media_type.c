#include "controlplane/api/media_type.h"

#include <string.h>
#include <strings.h>

enum { WEIGHT_MAX = 1000 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static struct fl_str trim(struct fl_str text)
{
    while (text.len > 0 && is_space(text.at[0])) {
        text.at++;
        text.len--;
    }
    while (text.len > 0 && is_space(text.at[text.len - 1])) {
        text.len--;
    }
    return text;
}

static struct fl_str next(struct fl_str *rest, char end)
{
    return trim(fl_str_cut(rest, end));
}

static bool is_alike(struct fl_str a, struct fl_str b)
{
    return a.len == b.len && strncasecmp(a.at, b.at, b.len) == 0;
}

/* By its name, or by one that it had before that was registered. */
static bool is_same(struct fl_str text, struct fl_str type)
{
    static const char *const names[][2] = {{"application/yaml", "application/x-yaml"},
                                           {"application/yaml", "text/yaml"},
                                           {"application/x-ndjson", "application/ndjson"}};

    if (is_alike(text, type)) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_alike(text, fl_str_c(names[i][1]))) return is_alike(type, fl_str_c(names[i][0]));
    }
    return false;
}

bool media_type_is(struct fl_str header, const char *type)
{
    return is_same(next(&header, ';'), fl_str_c(type));
}

bool media_type_is_in(struct fl_str header, const char *types)
{
    struct fl_str list = fl_str_c(types), named = next(&header, ';');

    while (list.len > 0) {
        if (is_same(named, next(&list, ','))) return true;
    }
    return false;
}

static bool is_utf8_name(struct fl_str name)
{
    static const char *const names[] = {"utf-8", "utf8", "us-ascii"};

    if (name.len >= 2 && name.at[0] == '"' && name.at[name.len - 1] == '"') {
        name = (struct fl_str){name.at + 1, name.len - 2};
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_alike(name, fl_str_c(names[i]))) return true;
    }
    return false;
}

bool media_type_is_utf8(struct fl_str header)
{
    (void)next(&header, ';');
    while (header.len > 0) {
        struct fl_str value = next(&header, ';');
        struct fl_str name = next(&value, '=');

        if (is_alike(name, FL_STR("charset")) && !is_utf8_name(trim(value))) return false;
    }
    return true;
}

/* "0", "0.25", "1.000"; -1: malformed. */
static int read_weight(struct fl_str text)
{
    static const int worth[] = {100, 10, 1};
    int weight;

    if (text.len == 0 || text.len > 5 || (text.at[0] != '0' && text.at[0] != '1')) return -1;
    weight = text.at[0] == '1' ? WEIGHT_MAX : 0;
    if (text.len > 1 && text.at[1] != '.') return -1;
    for (size_t i = 2; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return -1;
        weight += (text.at[i] - '0') * worth[i - 2];
    }
    return weight > WEIGHT_MAX ? -1 : weight;
}

/* The weight among the parameters of a range. */
static int weight_of(struct fl_str parameters)
{
    while (parameters.len > 0) {
        struct fl_str one = next(&parameters, ';');

        if (one.len >= 2 && (one.at[0] == 'q' || one.at[0] == 'Q') && one.at[1] == '=') {
            return read_weight((struct fl_str){one.at + 2, one.len - 2});
        }
    }
    return WEIGHT_MAX;
}

enum fit { FITS_NOT, FITS_ANY, FITS_FAMILY, FITS_NAME };

static enum fit fit_of(struct fl_str range, struct fl_str type)
{
    size_t family = (size_t)((const char *)memchr(type.at, '/', type.len) - type.at) + 1;

    if (is_same(range, type)) return FITS_NAME;
    if (fl_str_eq(range, FL_STR("*/*"))) return FITS_ANY;
    if (range.len == family + 1 && range.at[family] == '*' &&
        strncasecmp(range.at, type.at, family) == 0) {
        return FITS_FAMILY;
    }
    return FITS_NOT;
}

struct media_wish media_wish_for(struct fl_str accept, const char *type)
{
    struct media_wish wish = {.weight = trim(accept).len == 0 ? WEIGHT_MAX : 0};
    enum fit best = FITS_NOT;

    for (size_t place = 0; accept.len > 0; place++) {
        struct fl_str parameters = next(&accept, ',');
        struct fl_str range = next(&parameters, ';');
        enum fit fit = fit_of(range, fl_str_c(type));
        int weight = weight_of(parameters);

        if (fit <= best || weight < 0) continue;
        best = fit;
        wish = (struct media_wish){weight, fit == FITS_NAME, place};
    }
    return wish;
}
