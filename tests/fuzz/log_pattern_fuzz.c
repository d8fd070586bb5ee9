/* A pattern from outside, and a line that it is looked for in.
 * Property: a pattern is refused as invalid, or each line has a verdict; the inverted pattern has
 * the opposite one; matches lie in the line, in order and not empty; a text is found where a plain
 * loop finds it.
 * The planted bug (planted/log_pattern.patch) looks for a text in the line break, too.
 *
 *     tests/fuzz/planted.sh log_pattern */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/logs/pattern.h"
#include "shared/base/assert.h"

static struct log_pattern *create(struct log_pattern_text *text, bool is_inverted)
{
    struct fl_err err = {0};
    struct log_pattern *pattern;

    text->is_inverted = is_inverted;
    pattern = log_pattern_create(text, &err);
    fl_assert(pattern || (err.code == FL_INVALID && err.text[0]));
    return pattern;
}

static bool holds(struct fl_str line, struct fl_str text)
{
    size_t len = line.len;

    if (len > 0 && line.at[len - 1] == '\n') len--;
    if (len < line.len && len > 0 && line.at[len - 1] == '\r') len--;
    for (size_t i = 0; i + text.len <= len; i++) {
        if (memcmp(line.at + i, text.at, text.len) == 0) return true;
    }
    return false;
}

static void check_spans(const struct log_spans *spans, struct fl_str line)
{
    uint32_t end = 0;

    fl_assert(spans->len <= LOG_SPANS_MAX);
    for (size_t i = 0; i < spans->len; i++) {
        fl_assert(spans->at[i].begin >= end && spans->at[i].end > spans->at[i].begin);
        end = spans->at[i].end;
    }
    fl_assert(end <= line.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct log_pattern_text text = {0};
    struct log_pattern *pattern, *inverted;
    struct log_subject line;
    struct log_spans spans;
    enum log_verdict verdict, opposite;
    size_t len;

    if (size < 3) return 0;
    len = data[1];
    if (len == 0 || len > size - 2) return 0;
    text.text = (struct fl_str){(const char *)data + 2, len};
    if (memchr(text.text.at, '\n', len)) return 0; /* as the API refuses it */
    text.is_regex = data[0] & 1;
    text.ignores_case = data[0] & 2;
    line = (struct log_subject){
        {(const char *)data + 2 + len, size - 2 - len}, (data[0] & 4) == 0, (data[0] & 8) == 0};
    pattern = create(&text, false);
    if (!pattern) return 0;
    inverted = create(&text, true);
    fl_assert(inverted);
    verdict = log_pattern_match(pattern, &line);
    opposite = log_pattern_match(inverted, &line);
    fl_assert((verdict == LOG_UNDECIDED) == (opposite == LOG_UNDECIDED));
    fl_assert(verdict == LOG_UNDECIDED || verdict != opposite);
    if (!text.is_regex && !text.ignores_case) {
        fl_assert((verdict == LOG_HIT) == holds(line.bytes, text.text));
    }
    log_pattern_spans(pattern, &line, &spans);
    check_spans(&spans, line.bytes);
    fl_assert(spans.len == 0 || verdict == LOG_HIT);
    log_pattern_destroy(pattern);
    log_pattern_destroy(inverted);
    return 0;
}
