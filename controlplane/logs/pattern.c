#include "controlplane/logs/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"

/* One step of backtracking takes some nanoseconds.  PCRE2 counts them anew for each place where a
 * match may begin, so a line of n bytes takes at most n times its limit. */
enum {
    LINE_STEPS_MAX = 1 << 20, /* for a line that is not very long */
    PLACE_STEPS_MAX = 100000,
    PLACE_STEPS_MIN = 1000,
    DEPTH_MAX = 10000,
    HEAP_KIB_MAX = 4096,
    PARENS_MAX = 50,
    STACK_BYTES_MIN = 32 << 10, /* the machine code's */
    STACK_BYTES_MAX = 512 << 10,
};

struct log_pattern {
    bool is_inverted;
    struct fl_str text; /* searched for as bytes, if there is no 'code' */
    char bytes[LOG_PATTERN_BYTES_MAX];
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    bool has_tried_jit;
};

void log_pattern_destroy(struct log_pattern *pattern)
{
    if (!pattern) return;
    pcre2_match_data_free(pattern->data);
    pcre2_match_context_free(pattern->context);
    pcre2_jit_stack_free(pattern->stack);
    pcre2_code_free(pattern->code);
    fl_free(pattern);
}

/* ---- compiling ------------------------------------------------------------------------------- */

static bool fail(int code, size_t at, struct fl_err *err)
{
    PCRE2_UCHAR text[200];

    if (pcre2_get_error_message(code, text, sizeof text) < 0) text[0] = 0;
    return fl_fail(err, FL_INVALID, "%s, at byte %zu", (const char *)text, at);
}

static bool compile(struct log_pattern *pattern, const struct log_pattern_text *text,
                    struct fl_err *err)
{
    /* To find out which repeats may be possessive takes long for some patterns, on a front. */
    uint32_t of_regex = PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_POSSESS;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    PCRE2_SIZE at = 0;
    int code = 0;

    fl_assert(context);
    options |= text->is_regex ? of_regex : PCRE2_LITERAL;
    if (text->ignores_case) options |= PCRE2_CASELESS;
    fl_assert(pcre2_set_newline(context, PCRE2_NEWLINE_LF) == 0);
    fl_assert(pcre2_set_parens_nest_limit(context, PARENS_MAX) == 0);
    pattern->code = pcre2_compile((PCRE2_SPTR)pattern->text.at, pattern->text.len, options, &code,
                                  &at, context);
    pcre2_compile_context_free(context);
    if (!pattern->code) return fail(code, at, err);
    pattern->data = pcre2_match_data_create(1, NULL); /* the groups are not looked at */
    pattern->context = pcre2_match_context_create(NULL);
    fl_assert(pattern->data && pattern->context);
    fl_assert(pcre2_set_depth_limit(pattern->context, DEPTH_MAX) == 0);
    fl_assert(pcre2_set_heap_limit(pattern->context, HEAP_KIB_MAX) == 0);
    return true;
}

struct log_pattern *log_pattern_create(const struct log_pattern_text *text, struct fl_err *err)
{
    struct log_pattern *pattern = fl_new(struct log_pattern);

    fl_assert(text->text.len > 0 && text->text.len <= LOG_PATTERN_BYTES_MAX);
    pattern->is_inverted = text->is_inverted;
    memcpy(pattern->bytes, text->text.at, text->text.len);
    pattern->text = (struct fl_str){pattern->bytes, text->text.len};
    if ((text->is_regex || text->ignores_case) && !compile(pattern, text, err)) {
        log_pattern_destroy(pattern);
        return NULL;
    }
    return pattern;
}

/* Without memory that may be executed, PCRE2 interprets the pattern. */
static void try_jit(struct log_pattern *pattern)
{
    pattern->has_tried_jit = true;
    if (pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) != 0) return;
    pattern->stack = pcre2_jit_stack_create(STACK_BYTES_MIN, STACK_BYTES_MAX, NULL);
    if (pattern->stack) pcre2_jit_stack_assign(pattern->context, NULL, pattern->stack);
}

/* ---- matching -------------------------------------------------------------------------------- */

static size_t length_of(const struct log_subject *line)
{
    const char *at = line->bytes.at;
    size_t len = line->bytes.len;

    if (len == 0 || at[len - 1] != '\n') return len;
    len--;
    return len > 0 && at[len - 1] == '\r' ? len - 1 : len;
}

static uint32_t steps_max(size_t len)
{
    size_t steps = len > 0 ? LINE_STEPS_MAX / len : PLACE_STEPS_MAX;

    if (steps > PLACE_STEPS_MAX) return PLACE_STEPS_MAX;
    return steps < PLACE_STEPS_MIN ? PLACE_STEPS_MIN : (uint32_t)steps;
}

static int run(struct log_pattern *pattern, const struct log_subject *line, size_t len, size_t from)
{
    uint32_t options = (line->is_begin ? 0 : PCRE2_NOTBOL) | (line->is_end ? 0 : PCRE2_NOTEOL);
    const char *at = line->bytes.at ? line->bytes.at : "";

    if (!pattern->has_tried_jit) try_jit(pattern);
    fl_assert(pcre2_set_match_limit(pattern->context, steps_max(len)) == 0);
    return pcre2_match(pattern->code, (PCRE2_SPTR)at, len, from, options, pattern->data,
                       pattern->context);
}

static enum log_verdict find(struct log_pattern *pattern, const struct log_subject *line)
{
    size_t len = length_of(line);
    int found;

    if (!pattern->code) {
        return len > 0 && memmem(line->bytes.at, len, pattern->text.at, pattern->text.len)
                   ? LOG_HIT
                   : LOG_MISS;
    }
    found = run(pattern, line, len, 0);
    if (found >= 0) return LOG_HIT;
    return found == PCRE2_ERROR_NOMATCH ? LOG_MISS : LOG_UNDECIDED;
}

enum log_verdict log_pattern_match(struct log_pattern *pattern, const struct log_subject *line)
{
    enum log_verdict verdict = find(pattern, line);

    if (!pattern->is_inverted || verdict == LOG_UNDECIDED) return verdict;
    return verdict == LOG_HIT ? LOG_MISS : LOG_HIT;
}

/* The line breaks before the line in which the text is found first, or all. */
static struct log_passed pass_text(const struct log_pattern *pattern, struct fl_str lines)
{
    const char *at = lines.at, *end = at + lines.len, *next;
    const char *found = memmem(at, lines.len, pattern->text.at, pattern->text.len);
    struct log_passed passed = {0};

    if (found) end = found;
    while ((next = memchr(at, '\n', (size_t)(end - at)))) {
        at = next + 1;
        passed.lines++;
    }
    passed.bytes = (size_t)(at - lines.at);
    return passed;
}

struct log_passed log_pattern_pass(struct log_pattern *pattern, struct fl_str lines,
                                   int64_t until_us)
{
    struct log_passed passed = {0};

    if (!pattern->code && !pattern->is_inverted) return pass_text(pattern, lines);
    while (passed.lines < LOG_PASSED_MAX) {
        struct fl_str rest = {lines.at + passed.bytes, lines.len - passed.bytes};
        const char *end = rest.len > 0 ? memchr(rest.at, '\n', rest.len) : NULL;
        struct log_subject line = {.bytes = rest, .is_begin = true, .is_end = true};

        if (!end) break;
        line.bytes.len = (size_t)(end - rest.at) + 1;
        passed.verdict = log_pattern_match(pattern, &line);
        passed.has_verdict = passed.verdict != LOG_MISS;
        if (passed.has_verdict) break;
        passed.bytes += line.bytes.len;
        passed.lines++;
        if (pattern->code && fl_clock_mono_us() >= until_us) break;
    }
    return passed;
}

/* The next match from 'from' on. */
static bool next_span(struct log_pattern *pattern, const struct log_subject *line, size_t len,
                      size_t from, struct log_span *ret_span)
{
    const PCRE2_SIZE *places;
    const char *found;

    if (!pattern->code) {
        found = memmem(line->bytes.at + from, len - from, pattern->text.at, pattern->text.len);
        if (!found) return false;
        ret_span->begin = (uint32_t)(found - line->bytes.at);
        ret_span->end = ret_span->begin + (uint32_t)pattern->text.len;
        return true;
    }
    if (run(pattern, line, len, from) < 0) return false;
    places = pcre2_get_ovector_pointer(pattern->data);
    *ret_span = (struct log_span){(uint32_t)places[0], (uint32_t)places[1]};
    return true;
}

/* Behind an empty match the next one begins a character further. */
static size_t next_place(struct fl_str bytes, size_t len, const struct log_span *span)
{
    size_t at = span->end;

    if (span->end > span->begin) return at;
    at++;
    while (at < len && (bytes.at[at] & 0xc0) == 0x80) {
        at++;
    }
    return at;
}

void log_pattern_spans(struct log_pattern *pattern, const struct log_subject *line,
                       struct log_spans *ret_spans)
{
    size_t len = length_of(line), from = 0;
    struct log_span span;

    ret_spans->len = 0;
    if (pattern->is_inverted) return;
    for (size_t i = 0; i < LOG_SPANS_MAX && from < len; i++) {
        if (!next_span(pattern, line, len, from, &span) || span.end < from) return;
        if (span.end > span.begin) ret_spans->at[ret_spans->len++] = span;
        from = next_place(line->bytes, len, &span);
    }
}

bool log_pattern_is_costly(const struct log_pattern *pattern)
{
    return pattern->code != NULL;
}
