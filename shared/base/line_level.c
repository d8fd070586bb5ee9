#include "shared/base/line_level.h"

#include <string.h>

#include "shared/base/ascii.h"
#include "shared/base/enum_names.h"

/* Further to the right a word like these is more likely a part of the message. */
enum { LOOKED_AT = 160, SKIPPED_MAX = 160 };

static const struct {
    const char *word;
    enum fl_line_level level;
} words[] = {
    {"fatal", FL_LINE_LEVEL_error},    {"panic", FL_LINE_LEVEL_error},
    {"critical", FL_LINE_LEVEL_error}, {"crit", FL_LINE_LEVEL_error},
    {"alert", FL_LINE_LEVEL_error},    {"emerg", FL_LINE_LEVEL_error},
    {"severe", FL_LINE_LEVEL_error},   {"error", FL_LINE_LEVEL_error},
    {"err", FL_LINE_LEVEL_error},      {"warning", FL_LINE_LEVEL_warn},
    {"warn", FL_LINE_LEVEL_warn},      {"wrn", FL_LINE_LEVEL_warn},
    {"notice", FL_LINE_LEVEL_info},    {"info", FL_LINE_LEVEL_info},
    {"inf", FL_LINE_LEVEL_info},       {"debug", FL_LINE_LEVEL_debug},
    {"dbg", FL_LINE_LEVEL_debug},      {"trace", FL_LINE_LEVEL_debug},
    {"trc", FL_LINE_LEVEL_debug},      {"verbose", FL_LINE_LEVEL_debug},
};

/* These say it where they stand alone. */
static const char *const capitals[] = {"FATAL",   "PANIC", "CRITICAL", "SEVERE", "ERROR",
                                       "WARNING", "WARN",  "INFO",     "DEBUG",  "TRACE"};

/* The beginning of a line, without its escape sequences, and with a zero byte behind it. */
struct head {
    char at[LOOKED_AT + 1];
    size_t len;
};

FL_ENUM_NAMES(fl_line_level_name, enum fl_line_level, FL_LINE_LEVELS(FL_NAME))

/* Behind the escape sequence at 'i', which is a colour or the like: ESC [ ... letter.  One that is
 * cut ends with its line. */
static size_t skip_escape(struct fl_str line, size_t i)
{
    size_t end = i + 2;

    if (end > line.len || line.at[i + 1] != '[') return i + 1;
    while (end < line.len && end < i + SKIPPED_MAX && line.at[end] != '\n' &&
           !fl_is_letter(line.at[end])) {
        end++;
    }
    return end < line.len && line.at[end] != '\n' ? end + 1 : end;
}

static struct head head_of(struct fl_str line)
{
    struct head head = {0};

    for (size_t i = 0; i < line.len && head.len < LOOKED_AT && line.at[i] != '\n';) {
        if (line.at[i] == '\033') {
            i = skip_escape(line, i);
        } else {
            head.at[head.len++] = line.at[i] ? line.at[i] : '?';
            i++;
        }
    }
    return head;
}

static bool is_word(char c)
{
    return fl_is_alnum(c) || c == '_';
}

/* 'word' is in small letters. */
static bool is_same_word(const char *word, const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (fl_small(at[i]) != word[i]) return false;
    }
    return true;
}

static enum fl_line_level level_of(const char *at, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == len && is_same_word(words[i].word, at, len)) {
            return words[i].level;
        }
    }
    return FL_LINE_LEVEL_none;
}

static size_t letters(const char *at)
{
    size_t len = 0;

    while (fl_is_letter(at[len])) {
        len++;
    }
    return len;
}

static bool has_digits(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!fl_is_digit(at[i])) return false;
    }
    return true;
}

/* klog and glog: "E0102 15:04:05" */
static bool find_klog(const struct head *head, enum fl_line_level *ret_level)
{
    static const struct {
        char letter;
        enum fl_line_level level;
    } kinds[] = {{'F', FL_LINE_LEVEL_error},
                 {'E', FL_LINE_LEVEL_error},
                 {'W', FL_LINE_LEVEL_warn},
                 {'I', FL_LINE_LEVEL_info},
                 {'D', FL_LINE_LEVEL_debug}};
    const char *at = head->at;

    if (head->len < 14 || !has_digits(at + 1, 4) || at[5] != ' ' || !has_digits(at + 6, 2) ||
        at[8] != ':' || !has_digits(at + 9, 2) || at[11] != ':' || !has_digits(at + 12, 2)) {
        return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (at[0] != kinds[i].letter) continue;
        *ret_level = kinds[i].level;
        return true;
    }
    return false;
}

static const char *skip_quote(const char *at)
{
    return *at == '"' || *at == '\'' ? at + 1 : at;
}

static const char *skip_spaces(const char *at)
{
    while (fl_is_space(*at)) {
        at++;
    }
    return at;
}

/* The value behind a name, as in level=warn or "lvl": "info".  NULL: it is not there. */
static const char *value_of(const char *at)
{
    static const char *const names[] = {"level", "lvl", "severity"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        const char *behind;

        if (!is_same_word(names[i], at, len)) continue;
        behind = skip_spaces(skip_quote(at + len));
        if (*behind != '=' && *behind != ':') continue;
        behind = skip_quote(skip_spaces(behind + 1));
        if (fl_is_letter(*behind)) return behind;
    }
    return NULL;
}

static bool find_named(const struct head *head, enum fl_line_level *ret_level)
{
    for (size_t i = 0; i < head->len; i++) {
        const char *value;

        if (i > 0 && is_word(head->at[i - 1])) continue;
        value = value_of(head->at + i);
        if (!value) continue;
        *ret_level = level_of(value, letters(value));
        return true;
    }
    return false;
}

static bool find_capitals(const struct head *head, enum fl_line_level *ret_level)
{
    for (size_t i = 0; i < head->len; i++) {
        const char *at = head->at + i;

        if ((i > 0 && is_word(at[-1])) || !fl_is_capital(*at)) continue;
        for (size_t k = 0; k < sizeof capitals / sizeof *capitals; k++) {
            size_t len = strlen(capitals[k]);

            if (strncmp(at, capitals[k], len) != 0 || is_word(at[len])) continue;
            *ret_level = level_of(at, len);
            return true;
        }
    }
    return false;
}

/* "error: " where the line begins. */
static size_t leading_word(const struct head *head, const char **ret_at)
{
    const char *at = skip_spaces(head->at);
    size_t len = letters(at);

    *ret_at = at;
    return len >= 4 && len <= 8 && at[len] == ':' && fl_is_space(at[len + 1]) ? len : 0;
}

/* The first of [warn], <error>, (info), "error: ". */
static enum fl_line_level delimited(const struct head *head)
{
    const char *at;
    size_t len;

    for (size_t i = 0; i < head->len; i++) {
        if (i == 0) {
            len = leading_word(head, &at);
            if (len > 0) return level_of(at, len);
        } else if (!fl_is_space(head->at[i - 1])) {
            continue;
        }
        at = head->at + i + 1;
        len = strchr("[<(", head->at[i]) ? letters(at) : 0;
        if (len >= 3 && len <= 8 && at[len] && strchr("])>", at[len])) return level_of(at, len);
    }
    return FL_LINE_LEVEL_none;
}

/* How an uncaught exception of Python or Java is written. */
static bool is_exception(const struct head *head)
{
    static const char *const begins[] = {"Traceback (most recent call last)",
                                         "Exception in thread ", "Caused by: "};
    static const char *const ends[] = {"Error: ", "Exception: "};
    size_t len = 0;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncmp(head->at, begins[i], strlen(begins[i])) == 0) return true;
    }
    while (is_word(head->at[len]) || head->at[len] == '.' || head->at[len] == '$') {
        len++;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t name = strlen(ends[i]) - 2;

        if (len > name && strncmp(head->at + len - name, ends[i], name + 2) == 0) return true;
    }
    return false;
}

enum fl_line_level fl_line_level_guess(struct fl_str line)
{
    struct head head = head_of(line);
    enum fl_line_level level = FL_LINE_LEVEL_none;

    if (find_klog(&head, &level) || find_named(&head, &level) || find_capitals(&head, &level)) {
        return level;
    }
    level = delimited(&head);
    if (level != FL_LINE_LEVEL_none) return level;
    return is_exception(&head) ? FL_LINE_LEVEL_error : FL_LINE_LEVEL_none;
}

static bool parse(struct fl_str word, uint32_t *levels)
{
    for (int level = 0; level < FL_LINE_LEVELS_LEN; level++) {
        if (!fl_str_eq(word, fl_str_c(fl_line_level_name((enum fl_line_level)level)))) continue;
        *levels |= 1U << level;
        return true;
    }
    return false;
}

bool fl_line_levels_parse(struct fl_str list, uint32_t *ret_levels)
{
    uint32_t levels = 0;
    struct fl_str word;

    while (fl_str_next_word(&list, ',', &word)) {
        if (!parse(word, &levels)) return false;
    }
    if (levels == 0) return false;
    *ret_levels = levels;
    return true;
}
