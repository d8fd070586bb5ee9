/* pattern.h - what is looked for in the lines of an output: a text, or a regular expression.
 * A text whose case counts is searched for as bytes.  All else goes to PCRE2, as UTF-8 in which
 * invalid bytes match nothing; \w, \d and \s are those of ASCII.  The pattern is compiled to
 * machine code; where the system refuses memory for that, PCRE2 interprets it.
 * Each match has a limit of backtracking for each place where it may begin, which is lower in a
 * long line, so that the work for one line is bounded.  A line whose match runs into a limit is
 * undecided.
 * A pattern keeps the scratch memory of its matches: one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

enum { LOG_PATTERN_BYTES_MAX = 256, LOG_PASSED_MAX = 16 };
#define LOG_SPANS_MAX 50

struct log_pattern; /* opaque */

struct log_pattern_text {
    struct fl_str text; /* not empty, without a line break; the pattern has a copy */
    bool is_regex;
    bool ignores_case;
    bool is_inverted; /* lines without it are the hits */
};

enum log_verdict { LOG_MISS, LOG_HIT, LOG_UNDECIDED };

/* Where a match stands in a line, in bytes. */
struct log_span {
    uint32_t begin, end;
};

/* A line, or a piece of one. */
struct log_subject {
    struct fl_str bytes; /* its line break is not looked at */
    bool is_begin, is_end;
};

struct log_spans {
    struct log_span at[LOG_SPANS_MAX];
    size_t len;
};

/* NULL: FL_INVALID, with the words of PCRE2 and the byte at which they apply. */
struct log_pattern *log_pattern_create(const struct log_pattern_text *text, struct fl_err *err);
void log_pattern_destroy(struct log_pattern *pattern); /* NULL is fine */

/* The first call also makes the machine code, some milliseconds of a long pattern. */
enum log_verdict log_pattern_match(struct log_pattern *pattern, const struct log_subject *line);

/* Whole lines, from the first byte on, that are no hits: their bytes and how many they are.  With
 * 'has_verdict' the line behind them is whole, and looked at already; else it may be a hit. */
struct log_passed {
    size_t bytes;
    uint64_t lines;
    bool has_verdict;
    enum log_verdict verdict; /* LOG_HIT or LOG_UNDECIDED */
};

/* Passes over at most LOG_PASSED_MAX lines, but of a text over all that have none; over no more
 * behind one that ends later than 'until_us' of the monotonic clock.  'lines' begins with a line.
 */
struct log_passed log_pattern_pass(struct log_pattern *pattern, struct fl_str lines,
                                   int64_t until_us);

/* The first matches in a line that is a hit; none of an inverted pattern. */
void log_pattern_spans(struct log_pattern *pattern, const struct log_subject *line,
                       struct log_spans *ret_spans);

/* Whether one line may take milliseconds: the clock is to be read behind each. */
bool log_pattern_is_costly(const struct log_pattern *pattern);
