#include "cli/answer_yaml.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { INDENT = 2 };

/* ---- texts ----------------------------------------------------------------------------------- */

/* A reader of version 1.1 takes these for booleans or null. */
static bool is_reserved(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* It needs no quotes.  Texts that begin with a digit may be numbers or times. */
static bool is_plain(const char *text)
{
    const char *c = text;

    if (!is_letter(*c) && *c != '/' && *c != '_') return false;
    for (; *c; c++) {
        bool is_last = c[1] == 0;

        if (is_letter(*c) || (*c >= '0' && *c <= '9') || strchr("_./+=@(),;-", *c)) continue;
        if (strchr(" :", *c) && !is_last && c[1] != ' ') continue;
        return false;
    }
    return !is_reserved(text);
}

/* A character that may stand as it is. */
static bool is_seen(uint32_t c)
{
    return c >= ' ' && c != 0xfeff && (c < 0x7f || c > 0x9f) && c != 0x2028 && c != 0x2029 &&
           c != 0xfffe && c != 0xffff;
}

/* jansson's strings are UTF-8. */
static uint32_t next(const char **at)
{
    unsigned char first = (unsigned char)*(*at)++;
    uint32_t c = first < 0xc0   ? first
                 : first < 0xe0 ? first & 0x1f
                 : first < 0xf0 ? first & 0xf
                                : first & 7;

    while (((unsigned char)**at & 0xc0) == 0x80) {
        c = c << 6 | ((unsigned char)*(*at)++ & 0x3f);
    }
    return c;
}

static void put_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    while (*text) {
        const char *from = text;
        uint32_t c = next(&text);

        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", (char)c);
        } else if (c == '\n' || c == '\t') {
            fputs(c == '\n' ? "\\n" : "\\t", out);
        } else if (is_seen(c)) {
            fwrite(from, 1, (size_t)(text - from), out);
        } else {
            fprintf(out, c > 0xff ? "\\u%04x" : "\\x%02x", c);
        }
    }
    fputc('"', out);
}

/* Several lines that can be shown as lines: a script. */
static bool is_block(const char *text)
{
    size_t len = strlen(text);

    if (!strchr(text, '\n') || strchr(" \t\n", *text)) return false;
    if (len > 1 && text[len - 1] == '\n' && text[len - 2] == '\n') return false;
    while (*text) {
        uint32_t c = next(&text);

        if (c != '\n' && c != '\t' && !is_seen(c)) return false;
    }
    return true;
}

static void put_block(const char *text, int indent, FILE *out)
{
    fputs(text[strlen(text) - 1] == '\n' ? "|" : "|-", out);
    while (*text) {
        size_t len = strcspn(text, "\n");

        fprintf(out, "\n%*s%.*s", len ? indent : 0, "", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

static void put_text(const char *text, int indent, FILE *out)
{
    if (is_plain(text)) {
        fputs(text, out);
    } else if (is_block(text)) {
        put_block(text, indent, out);
    } else {
        put_quoted(text, out);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* YAML 1.1 takes 1e9 for a text: it wants a point, and a sign behind the 'e'. */
static void put_number(const json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY), *exponent = text ? strchr(text, 'e') : NULL;

    if (text && json_is_real(value) && exponent) {
        *exponent++ = 0;
        fprintf(out, "%s%se%s%s", text, strchr(text, '.') ? "" : ".0",
                strchr("+-", *exponent) ? "" : "+", exponent);
    } else if (text) {
        fputs(text, out);
    }
    free(text);
}

static bool is_nested(const json_t *value)
{
    return json_object_size(value) > 0 || json_array_size(value) > 0;
}

static void put_scalar(const json_t *value, int indent, FILE *out)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        put_text(json_string_value(value), indent, out);
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        put_number(value, out);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        fputs(json_is_true(value) ? "true" : "false", out);
        break;
    case JSON_NULL:
        fputs("null", out);
        break;
    case JSON_OBJECT:
        fputs("{}", out);
        break;
    case JSON_ARRAY:
        fputs("[]", out);
        break;
    }
}

/* The cursor stands where the first member or item begins. */
static void put_nested(const json_t *value, int indent, FILE *out);

static void put_value(const json_t *value, int indent, FILE *out)
{
    if (is_nested(value)) {
        put_nested(value, indent, out);
    } else {
        put_scalar(value, indent, out);
        fputc('\n', out);
    }
}

static void put_nested(const json_t *value, int indent, FILE *out)
{
    bool is_first = true;
    const char *key;
    json_t *one;
    size_t i;

    json_array_foreach(value, i, one)
    {
        fprintf(out, "%*s- ", i ? indent : 0, "");
        put_value(one, indent + INDENT, out);
    }
    json_object_foreach((json_t *)value, key, one)
    {
        fprintf(out, "%*s", is_first ? 0 : indent, "");
        is_first = false;
        if (is_plain(key)) {
            fputs(key, out);
        } else {
            put_quoted(key, out);
        }
        fputc(':', out);
        if (is_nested(one)) {
            fprintf(out, "\n%*s", indent + INDENT, "");
        } else {
            fputc(' ', out);
        }
        put_value(one, indent + INDENT, out);
    }
}

void cli_yaml_put(const json_t *answer, FILE *out)
{
    put_value(answer, 0, out);
}
