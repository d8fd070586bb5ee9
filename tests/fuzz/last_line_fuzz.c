/* The end of a job's output, from which the line is picked that says why the job failed; and the
 * guess how grave a line is.
 * Input: the output, as the job wrote it.
 * Property: the picked line is text of one line without control characters and blanks around it,
 * within its limit; it is what one of the lines gives alone, and only the end of a long output
 * counts.  A guess does not depend on colours in front, nor on what follows the line.
 * The planted bug (planted/last_line.patch) lets through the control characters of Latin-1.
 *
 *     tests/fuzz/planted.sh last_line */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/last_line.h"
#include "shared/base/line_level.h"

enum { INPUT_BYTES_MAX = FL_LAST_LINE_TAIL_MAX + 512 };

static const char colour[] = "\033[1;31m", next_line[] = "\nERROR";

static void check_text(struct fl_str line)
{
    fl_assert(line.len <= FL_WORDS_BYTES_MAX && line.at[line.len] == '\0');
    fl_assert(fl_str_is_utf8(line));
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.at[i];

        fl_assert(c >= ' ' && c != 0x7f);
        if (c == 0xc2) fl_assert((unsigned char)line.at[i + 1] >= 0xa0);
    }
    if (line.len > 0) fl_assert(line.at[0] != ' ' && line.at[line.len - 1] != ' ');
}

static enum fl_line_level guess(struct fl_str line)
{
    enum fl_line_level level = fl_line_level_guess(line);
    struct fl_buf copy;

    fl_assert(level < FL_LINE_LEVELS_LEN);
    fl_buf_init(&copy, INPUT_BYTES_MAX + sizeof colour + sizeof next_line);
    fl_buf_put(&copy, colour, sizeof colour - 1);
    fl_buf_put(&copy, line.at, line.len);
    fl_assert(fl_line_level_guess((struct fl_str){(char *)copy.at, copy.len}) == level);
    fl_buf_put(&copy, next_line, sizeof next_line - 1);
    fl_assert(fl_line_level_guess((struct fl_str){(char *)copy.at, copy.len}) == level);
    fl_buf_fini(&copy);
    return level;
}

/* Is 'picked' what one of the lines gives alone? */
static bool is_of_a_line(struct fl_str tail, struct fl_str picked)
{
    char alone[FL_WORDS_BYTES_MAX + 1];
    bool is_found = false;

    while (tail.len > 0) {
        struct fl_str line = {tail.at, 0};
        size_t behind;

        while (line.len < tail.len && line.at[line.len] != '\n' && line.at[line.len] != '\r') {
            line.len++;
        }
        if (fl_str_eq(fl_last_line(line, false, alone), picked)) is_found = true;
        if (!memchr(line.at, '\n', line.len)) (void)guess(line);
        behind = line.len < tail.len ? line.len + 1 : line.len;
        tail = (struct fl_str){tail.at + behind, tail.len - behind};
    }
    return is_found;
}

static void pick(struct fl_str output, bool is_cut)
{
    char text[FL_WORDS_BYTES_MAX + 1], again[FL_WORDS_BYTES_MAX + 1];
    struct fl_str picked = fl_last_line(output, is_cut, text), tail = output;

    check_text(picked);
    if (tail.len > FL_LAST_LINE_TAIL_MAX) {
        tail.at += tail.len - FL_LAST_LINE_TAIL_MAX;
        tail.len = FL_LAST_LINE_TAIL_MAX;
        fl_assert(fl_str_eq(fl_last_line(tail, true, again), picked));
    }
    fl_assert(is_of_a_line(tail, picked) || picked.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t levels = 0;

    if (size > INPUT_BYTES_MAX) return 0;
    pick((struct fl_str){(const char *)data, size}, false);
    pick((struct fl_str){(const char *)data, size}, true);
    if (fl_line_levels_parse((struct fl_str){(const char *)data, size}, &levels)) {
        fl_assert(levels != 0 && levels < 1U << FL_LINE_LEVELS_LEN);
    }
    return 0;
}
