#include "shared/base/taint.h"

#include <string.h>

#define EFFECT_BYTES_MAX 16 /* PreferNoSchedule */
_Static_assert(FL_TAINT_KEY_BYTES_MAX + 1 + FL_TAINT_VALUE_BYTES_MAX + 1 + EFFECT_BYTES_MAX ==
                   FL_TAINT_TEXT_BYTES_MAX,
               "the longest text");

static const struct {
    const char *name;
    enum fl_taint_effect effect;
} effects[] = {
#define FL_TAINT_EFFECT_ROW(name) {#name, FL_EFFECT_##name},
    FL_TAINT_EFFECTS(FL_TAINT_EFFECT_ROW)
#undef FL_TAINT_EFFECT_ROW
};

const char *fl_taint_effect_name(enum fl_taint_effect effect)
{
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        if (effects[i].effect == effect) return effects[i].name;
    }
    return "";
}

bool fl_taint_effect_parse(struct fl_str name, enum fl_taint_effect *ret)
{
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        if (!fl_str_eq(name, fl_str_c(effects[i].name))) continue;
        *ret = effects[i].effect;
        return true;
    }
    return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The parts of a text; a part that is left out has no 'at'. */
struct parts {
    struct fl_str key, value, effect;
};

static bool is_plain(struct fl_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];

        if (c <= ' ' || c >= 0x7f || c == '=' || c == ':') return false;
    }
    return true;
}

static bool cut(struct fl_str text, struct parts *ret)
{
    const char *colon = text.len ? memchr(text.at, ':', text.len) : NULL, *equals;

    *ret = (struct parts){.key = text};
    if (colon) {
        ret->key.len = (size_t)(colon - text.at);
        ret->effect = (struct fl_str){colon + 1, text.len - ret->key.len - 1};
    }
    equals = ret->key.len ? memchr(ret->key.at, '=', ret->key.len) : NULL;
    if (equals) {
        ret->value = (struct fl_str){equals + 1, ret->key.len};
        ret->key.len = (size_t)(equals - text.at);
        ret->value.len -= ret->key.len + 1;
    }
    return ret->key.len > 0 && ret->key.len <= FL_TAINT_KEY_BYTES_MAX &&
           ret->value.len <= FL_TAINT_VALUE_BYTES_MAX && is_plain(ret->key) && is_plain(ret->value);
}

bool fl_taint_parse(struct fl_str text, struct fl_taint *ret)
{
    struct parts parts;
    struct fl_taint taint;

    if (!cut(text, &parts) || fl_str_eq(parts.key, FL_STR("*"))) return false;
    if (parts.value.at && parts.value.len == 0) return false; /* "KEY:EFFECT" is its text */
    taint = (struct fl_taint){.key = parts.key, .value = parts.value};
    if (!fl_taint_effect_parse(parts.effect, &taint.effect)) return false;
    *ret = taint;
    return true;
}

bool fl_toleration_parse(struct fl_str text, struct fl_toleration *ret)
{
    struct parts parts;
    struct fl_toleration toleration = {.operates = FL_TOLERATES_Exists};

    if (!cut(text, &parts)) return false;
    if (parts.effect.at && !fl_taint_effect_parse(parts.effect, &toleration.effect)) return false;
    if (parts.value.at) toleration.operates = FL_TOLERATES_Equal;
    toleration.value = parts.value;
    if (!fl_str_eq(parts.key, FL_STR("*"))) {
        toleration.key = parts.key;
    } else if (parts.value.at) {
        return false;
    }
    *ret = toleration;
    return true;
}

static void put(char *text, size_t *len, struct fl_str part)
{
    if (part.len > FL_TAINT_TEXT_BYTES_MAX - *len) part.len = FL_TAINT_TEXT_BYTES_MAX - *len;
    if (part.len > 0) memcpy(text + *len, part.at, part.len);
    *len += part.len;
}

static void put_effect(char *text, size_t *len, enum fl_taint_effect effect)
{
    if (effect == FL_EFFECT_any) return;
    put(text, len, FL_STR(":"));
    put(text, len, fl_str_c(fl_taint_effect_name(effect)));
}

size_t fl_taint_write(const struct fl_taint *taint, char ret_text[FL_TAINT_TEXT_BYTES_MAX])
{
    size_t len = 0;

    put(ret_text, &len, taint->key);
    if (taint->value.len > 0) {
        put(ret_text, &len, FL_STR("="));
        put(ret_text, &len, taint->value);
    }
    put_effect(ret_text, &len, taint->effect);
    return len;
}

size_t fl_toleration_write(const struct fl_toleration *toleration,
                           char ret_text[FL_TAINT_TEXT_BYTES_MAX])
{
    size_t len = 0;

    put(ret_text, &len, toleration->key.len > 0 ? toleration->key : FL_STR("*"));
    if (toleration->operates == FL_TOLERATES_Equal) {
        put(ret_text, &len, FL_STR("="));
        put(ret_text, &len, toleration->value);
    }
    put_effect(ret_text, &len, toleration->effect);
    return len;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool take_line(struct fl_str *lines, struct fl_str *ret)
{
    if (lines->len == 0) return false;
    *ret = fl_str_cut(lines, '\n');
    return true;
}

bool fl_taint_take(struct fl_str *lines, struct fl_taint *ret)
{
    struct fl_str line;

    return take_line(lines, &line) && fl_taint_parse(line, ret);
}

bool fl_toleration_take(struct fl_str *lines, struct fl_toleration *ret)
{
    struct fl_str line;

    return take_line(lines, &line) && fl_toleration_parse(line, ret);
}

/* Whether the lines are at most so many, each with its end, sorted, none twice. */
static bool are_sorted(struct fl_str lines, size_t most)
{
    struct fl_str line, last = {0};

    if (lines.len > 0 && lines.at[lines.len - 1] != '\n') return false;
    for (size_t i = 0; take_line(&lines, &line); i++) {
        if (i == most || (i > 0 && fl_str_cmp(last, line) >= 0)) return false;
        last = line;
    }
    return true;
}

bool fl_taints_are_list(struct fl_str lines)
{
    struct fl_taint taint;

    if (lines.len > FL_NODE_TAINTS_BYTES_MAX || !are_sorted(lines, FL_NODE_TAINTS_MAX)) {
        return false;
    }
    while (lines.len > 0) {
        if (!fl_taint_take(&lines, &taint) || !fl_taint_is_hard(&taint)) return false;
    }
    return true;
}

bool fl_tolerations_are_list(struct fl_str lines, size_t most)
{
    struct fl_toleration toleration;

    if (!are_sorted(lines, most)) return false;
    while (lines.len > 0) {
        if (!fl_toleration_take(&lines, &toleration)) return false;
    }
    return true;
}

/* ---- the rule -------------------------------------------------------------------------------- */

bool fl_taint_is_hard(const struct fl_taint *taint)
{
    return taint->effect == FL_EFFECT_NoSchedule || taint->effect == FL_EFFECT_NoExecute;
}

bool fl_tolerates(const struct fl_toleration *toleration, const struct fl_taint *taint)
{
    if (toleration->effect != FL_EFFECT_any && toleration->effect != taint->effect) return false;
    if (toleration->key.len > 0 && !fl_str_eq(toleration->key, taint->key)) return false;
    return toleration->operates == FL_TOLERATES_Exists ||
           fl_str_eq(toleration->value, taint->value);
}
