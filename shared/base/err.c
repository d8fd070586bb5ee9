#include "shared/base/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"

static const struct {
    const char *name;
    const char *meaning;
} codes[] = {
#define FL_CODE(constant, name, meaning) [constant] = {name, meaning},
#include "shared/base/codes.def"
#undef FL_CODE
};

static const size_t codes_len = sizeof(codes) / sizeof(codes[0]);

const char *fl_code_name(enum fl_code code)
{
    return (size_t)code < codes_len ? codes[code].name : "unknown";
}

const char *fl_code_meaning(enum fl_code code)
{
    return (size_t)code < codes_len ? codes[code].meaning : "not in the list of codes";
}

/* Texts travel as UTF-8: where one was cut, no part of a character may stay behind. */
static void drop_cut_character(char *text, size_t len)
{
    size_t start = len;
    size_t wanted = 1;

    while (start > 0 && len - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--;
    }
    if (start == 0) return;
    if ((unsigned char)text[start - 1] >= 0xf0) {
        wanted = 4;
    } else if ((unsigned char)text[start - 1] >= 0xe0) {
        wanted = 3;
    } else if ((unsigned char)text[start - 1] >= 0xc0) {
        wanted = 2;
    }
    if (len - (start - 1) < wanted) text[start - 1] = 0;
}

/* Formats into a text of its own, since the arguments may point into err->text; then adds as much
 * of 'tail' as fits. */
FL_PRINTF(2, 0)
static void set_text(struct fl_err *err, const char *fmt, va_list args, const char *tail)
{
    char text[sizeof(err->text)];
    int wanted = vsnprintf(text, sizeof(text), fmt, args);
    size_t len;
    size_t tail_len = strlen(tail);
    bool is_cut;

    fl_assert(wanted >= 0);
    is_cut = (size_t)wanted >= sizeof(text);
    len = is_cut ? sizeof(text) - 1 : (size_t)wanted;
    if (tail_len > sizeof(text) - 1 - len) {
        tail_len = sizeof(text) - 1 - len;
        is_cut = true;
    }
    memcpy(text + len, tail, tail_len);
    len += tail_len;
    text[len] = 0;
    if (is_cut) drop_cut_character(text, len);
    memcpy(err->text, text, len + 1);
}

bool fl_fail(struct fl_err *err, enum fl_code code, const char *fmt, ...)
{
    va_list args;

    fl_assert(code != FL_OK);
    if (!err) return false;
    va_start(args, fmt);
    set_text(err, fmt, args, "");
    va_end(args);
    err->code = code;
    return false;
}

bool fl_err_wrap(struct fl_err *err, const char *fmt, ...)
{
    va_list args;
    char tail[sizeof(err->text) + 2] = ": ";

    if (!err) return false;
    memcpy(tail + 2, err->text, sizeof(err->text));
    tail[sizeof(tail) - 1] = 0;
    va_start(args, fmt);
    set_text(err, fmt, args, tail);
    va_end(args);
    return false;
}
