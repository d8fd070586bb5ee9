#include "controlplane/api/line_level.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Further to the right a word like these is more likely a part of the message. */
enum { LOOKED_AT = 160, SKIPPED_MAX = 160 };

static const struct {
    const char *word;
    enum line_level level;
} words[] = {
    {"fatal", LINE_LEVEL_error},  {"panic", LINE_LEVEL_error},   {"critical", LINE_LEVEL_error},
    {"crit", LINE_LEVEL_error},   {"alert", LINE_LEVEL_error},   {"emerg", LINE_LEVEL_error},
    {"severe", LINE_LEVEL_error}, {"error", LINE_LEVEL_error},   {"err", LINE_LEVEL_error},
    {"warning", LINE_LEVEL_warn}, {"warn", LINE_LEVEL_warn},     {"wrn", LINE_LEVEL_warn},
    {"notice", LINE_LEVEL_info},  {"info", LINE_LEVEL_info},     {"inf", LINE_LEVEL_info},
    {"debug", LINE_LEVEL_debug},  {"dbg", LINE_LEVEL_debug},     {"trace", LINE_LEVEL_debug},
    {"trc", LINE_LEVEL_debug},    {"verbose", LINE_LEVEL_debug},
};

/* These say it where they stand alone. */
static const char *const capitals[] = {"FATAL",   "PANIC", "CRITICAL", "SEVERE", "ERROR",
                                       "WARNING", "WARN",  "INFO",     "DEBUG",  "TRACE"};

/* The beginning of a line, without its escape sequences, and with a zero byte behind it. */
struct head {
    char at[LOOKED_AT + 1];
    size_t len;
};

const char *line_level_name(enum line_level level)
{
    static const char *const names[] = {
#define LINE_LEVEL_NAME(name) #name,
        LINE_LEVELS(LINE_LEVEL_NAME)
#undef LINE_LEVEL_NAME
    };

    return names[level];
}

/* Behind the escape sequence at 'i', which is a colour or the like: ESC [ ... letter. */
static size_t skip_escape(struct fl_str line, size_t i)
{
    size_t end = i + 2;

    if (end > line.len || line.at[i + 1] != '[') return i + 1;
    while (end < line.len && end < i + SKIPPED_MAX && !isalpha((unsigned char)line.at[end])) {
        end++;
    }
    return end < line.len ? end + 1 : end;
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
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) != 0;
}

static bool is_space(char c)
{
    return isspace((unsigned char)c) != 0;
}

static enum line_level level_of(const char *at, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == len && strncasecmp(words[i].word, at, len) == 0) {
            return words[i].level;
        }
    }
    return LINE_LEVEL_none;
}

static size_t letters(const char *at)
{
    size_t len = 0;

    while (is_letter(at[len])) {
        len++;
    }
    return len;
}

static bool has_digits(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)at[i])) return false;
    }
    return true;
}

/* klog and glog: "E0102 15:04:05" */
static bool find_klog(const struct head *head, enum line_level *ret_level)
{
    static const struct {
        char letter;
        enum line_level level;
    } kinds[] = {{'F', LINE_LEVEL_error},
                 {'E', LINE_LEVEL_error},
                 {'W', LINE_LEVEL_warn},
                 {'I', LINE_LEVEL_info},
                 {'D', LINE_LEVEL_debug}};
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
    while (is_space(*at)) {
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

        if (strncasecmp(at, names[i], len) != 0) continue;
        behind = skip_spaces(skip_quote(at + len));
        if (*behind != '=' && *behind != ':') continue;
        behind = skip_quote(skip_spaces(behind + 1));
        if (is_letter(*behind)) return behind;
    }
    return NULL;
}

static bool find_named(const struct head *head, enum line_level *ret_level)
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

static bool find_capitals(const struct head *head, enum line_level *ret_level)
{
    for (size_t i = 0; i < head->len; i++) {
        const char *at = head->at + i;

        if ((i > 0 && is_word(at[-1])) || !isupper((unsigned char)*at)) continue;
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
    return len >= 4 && len <= 8 && at[len] == ':' && is_space(at[len + 1]) ? len : 0;
}

/* The first of [warn], <error>, (info), "error: ". */
static enum line_level delimited(const struct head *head)
{
    const char *at;
    size_t len;

    for (size_t i = 0; i < head->len; i++) {
        if (i == 0) {
            len = leading_word(head, &at);
            if (len > 0) return level_of(at, len);
        } else if (!is_space(head->at[i - 1])) {
            continue;
        }
        at = head->at + i + 1;
        len = strchr("[<(", head->at[i]) ? letters(at) : 0;
        if (len >= 3 && len <= 8 && at[len] && strchr("])>", at[len])) return level_of(at, len);
    }
    return LINE_LEVEL_none;
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

enum line_level line_level_guess(struct fl_str line)
{
    struct head head = head_of(line);
    enum line_level level = LINE_LEVEL_none;

    if (find_klog(&head, &level) || find_named(&head, &level) || find_capitals(&head, &level)) {
        return level;
    }
    level = delimited(&head);
    if (level != LINE_LEVEL_none) return level;
    return is_exception(&head) ? LINE_LEVEL_error : LINE_LEVEL_none;
}
