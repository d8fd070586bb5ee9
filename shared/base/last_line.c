#include "shared/base/last_line.h"

#include <string.h>

#include "shared/base/ascii.h"
#include "shared/base/line_level.h"

enum { ESCAPE = '\033', BELL = '\a', CHARACTER_BYTES_MAX = 4 };

/* A line wins over those before it, unless one of them has a higher rank. */
enum rank { RANK_NONE, RANK_CUT, RANK_HEADING, RANK_PLAIN, RANK_ERROR };

struct pick {
    char text[FL_WORDS_BYTES_MAX + 1];
    size_t len;
    enum rank rank;
    bool is_report; /* a traceback or panic has begun: its next line without indent says why */
};

/* A line without escape sequences and control characters. */
struct clean {
    char at[FL_LAST_LINE_TAIL_MAX + 1];
    size_t len;
    bool has_word; /* a letter or digit */
};

/* ---- a line made clean ----------------------------------------------------------------------- */

/* ESC ] text, which BEL or ESC \ ends: a title, or a link. */
static size_t skip_text(struct fl_str line, size_t i)
{
    while (i < line.len && line.at[i] != BELL && line.at[i] != ESCAPE) {
        i++;
    }
    if (i < line.len && line.at[i] == ESCAPE && i + 1 < line.len && line.at[i + 1] == '\\') i++;
    return i < line.len ? i + 1 : i;
}

/* Behind the escape sequence at 'i'. */
static size_t skip_escape(struct fl_str line, size_t i)
{
    if (i + 1 >= line.len) return line.len;
    if (line.at[i + 1] == ']') return skip_text(line, i + 2);
    if (line.at[i + 1] != '[') return i + 2;
    i += 2;
    while (i < line.len && line.at[i] >= ' ' && line.at[i] < '@') {
        i++;
    }
    return i < line.len && line.at[i] >= '@' && line.at[i] <= '~' ? i + 1 : i;
}

/* 0: the bytes at 'i' are no character. */
static size_t character_at(struct fl_str line, size_t i)
{
    for (size_t len = 1; len <= CHARACTER_BYTES_MAX && len <= line.len - i; len++) {
        if (fl_str_is_utf8((struct fl_str){line.at + i, len})) return len;
    }
    return 0;
}

/* Beyond ASCII: no control character of Latin-1, no sign, box, block or arrow (U+2000 to U+2BFF),
 * and no mark of a damaged byte (U+FFFD). */
static bool is_letter_beyond(const char *at, size_t len)
{
    unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];

    if (len == 2) return first != 0xc2;
    if (len == 3 && first == 0xe2) return second >= 0xb0;
    return len != 3 || memcmp(at, "\xef\xbf\xbd", 3) != 0;
}

static void put_character(struct clean *clean, const char *at, size_t len)
{
    unsigned char first = (unsigned char)at[0];

    if (len == 1 && (first < ' ' || first == 0x7f)) {
        if (first == '\t') clean->at[clean->len++] = ' ';
        return;
    }
    if (len == 2 && first == 0xc2 && (unsigned char)at[1] < 0xa0) return;
    memcpy(clean->at + clean->len, at, len);
    clean->len += len;
    if (len == 1 ? fl_is_alnum(at[0]) : is_letter_beyond(at, len)) clean->has_word = true;
}

static void clean_line(struct fl_str line, struct clean *ret_clean)
{
    ret_clean->len = 0;
    ret_clean->has_word = false;
    for (size_t i = 0; i < line.len;) {
        size_t len = character_at(line, i);

        if (line.at[i] == ESCAPE) {
            i = skip_escape(line, i);
        } else if (len == 0) {
            put_character(ret_clean, "?", 1);
            i++;
        } else {
            put_character(ret_clean, line.at + i, len);
            i += len;
        }
    }
}

static struct fl_str trim(struct fl_str text)
{
    while (text.len > 0 && text.at[0] == ' ') {
        text.at++;
        text.len--;
    }
    while (text.len > 0 && text.at[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

/* ---- kinds of lines -------------------------------------------------------------------------- */

static bool begins(struct fl_str text, const char *with)
{
    size_t len = strlen(with);

    return text.len >= len && memcmp(text.at, with, len) == 0;
}

static bool has(struct fl_str text, const char *part)
{
    for (; text.len > 0; text.at++, text.len--) {
        if (begins(text, part)) return true;
    }
    return false;
}

/* Without the "[rank0]: " that programs of several processes put before each line. */
static struct fl_str without_rank(struct fl_str text)
{
    size_t i = 1;

    if (text.len == 0 || text.at[0] != '[') return text;
    while (i < text.len && fl_is_alnum(text.at[i])) {
        i++;
    }
    if (i + 2 >= text.len || memcmp(text.at + i, "]: ", 3) != 0) return text;
    return (struct fl_str){text.at + i + 3, text.len - i - 3};
}

static bool panics(struct fl_str text)
{
    return begins(text, "thread '") && has(text, "panicked at");
}

static bool begins_report(struct fl_str text)
{
    return begins(text, "Traceback (most recent call last)") || panics(text);
}

static bool is_error(struct fl_str whole, struct fl_str text)
{
    static const char *const starts[] = {"what():", "fatal error:", "Segmentation fault"};
    static const char *const parts[] = {": error: ", ": fatal error: "};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (begins(text, starts[i])) return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (has(text, parts[i])) return true;
    }
    return panics(text) || fl_line_level_guess(whole) == FL_LINE_LEVEL_error ||
           fl_line_level_guess(text) == FL_LINE_LEVEL_error;
}

static enum rank rank_of(struct pick *pick, struct fl_str whole, bool is_cut)
{
    struct fl_str inner = without_rank(whole), text = trim(inner);
    bool is_indented = inner.len > 0 && inner.at[0] == ' ';
    bool is_heading = text.len > 0 && text.at[text.len - 1] == ':';
    bool ends_report = pick->is_report && !is_indented;

    if (is_cut) return RANK_CUT;
    pick->is_report = (is_heading && begins_report(text)) || (pick->is_report && is_indented);
    if (is_heading) return RANK_HEADING;
    return ends_report || is_error(whole, text) ? RANK_ERROR : RANK_PLAIN;
}

static void take_line(struct pick *pick, struct fl_str line, bool is_cut)
{
    struct clean clean;
    struct fl_str text;
    enum rank rank;

    clean_line(line, &clean);
    if (!clean.has_word) return;
    rank = rank_of(pick, (struct fl_str){clean.at, clean.len}, is_cut);
    if (rank < pick->rank) return;
    text = fl_str_begin(trim((struct fl_str){clean.at, clean.len}), FL_WORDS_BYTES_MAX);
    memcpy(pick->text, text.at, text.len);
    pick->len = text.len;
    pick->rank = rank;
}

struct fl_str fl_last_line(struct fl_str tail, bool is_cut, char ret_text[FL_WORDS_BYTES_MAX + 1])
{
    struct pick pick = {.rank = RANK_NONE};
    struct fl_str text;

    if (tail.len > FL_LAST_LINE_TAIL_MAX) {
        tail.at += tail.len - FL_LAST_LINE_TAIL_MAX;
        tail.len = FL_LAST_LINE_TAIL_MAX;
        is_cut = true;
    }
    while (tail.len > 0) {
        size_t len = 0;

        while (len < tail.len && tail.at[len] != '\n' && tail.at[len] != '\r') {
            len++;
        }
        take_line(&pick, (struct fl_str){tail.at, len}, is_cut);
        is_cut = false;
        if (len < tail.len) len++;
        tail.at += len;
        tail.len -= len;
    }
    text = trim((struct fl_str){pick.text, pick.len}); /* the cut may have left a blank */
    memcpy(ret_text, text.at, text.len);
    ret_text[text.len] = '\0';
    return (struct fl_str){ret_text, text.len};
}
