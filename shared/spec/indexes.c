#include "shared/spec/indexes.h"

#include <inttypes.h>
#include <stdio.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/job_limits.h"

/* first, first + step, ...: 'len' numbers. */
struct run {
    uint64_t first, step, len;
};

static uint64_t last_of(const struct run *run)
{
    return run->first + run->step * (run->len - 1);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_number(struct fl_str *rest, uint64_t *ret)
{
    size_t len = 0;

    while (len < rest->len && rest->at[len] >= '0' && rest->at[len] <= '9') {
        len++;
    }
    if (!fl_str_parse_u64((struct fl_str){rest->at, len}, ret) || *ret > FL_JOB_INDEX_LAST) {
        return false;
    }
    *rest = (struct fl_str){rest->at + len, rest->len - len};
    return true;
}

static bool read_sign(struct fl_str *rest, char sign)
{
    if (rest->len == 0 || rest->at[0] != sign) return false;
    *rest = (struct fl_str){rest->at + 1, rest->len - 1};
    return true;
}

/* "7", "1-9" or "1-9:2". */
static bool read_run(struct fl_str word, struct run *ret, struct fl_err *err)
{
    struct fl_str rest = word;
    struct run run = {.step = 1, .len = 1};
    uint64_t last = 0;

    if (!read_number(&rest, &run.first)) goto bad;
    if (read_sign(&rest, '-')) {
        if (!read_number(&rest, &last)) goto bad;
        if (read_sign(&rest, ':') && !read_number(&rest, &run.step)) goto bad;
        if (last < run.first) {
            return fl_fail(err, FL_INVALID,
                           "'" FL_STR_FMT "' ends before it begins: the smaller number comes first",
                           FL_STR_ARG(word));
        }
        if (run.step == 0) {
            return fl_fail(err, FL_INVALID, "'" FL_STR_FMT "' has the step 0: a step is from 1",
                           FL_STR_ARG(word));
        }
        run.len = (last - run.first) / run.step + 1;
    }
    if (rest.len > 0) goto bad;
    *ret = run;
    return true;
bad:
    return fl_fail(err, FL_INVALID,
                   "'" FL_STR_FMT "' is no number up to " FL_QUOTE(
                       FL_JOB_INDEX_LAST) " and no range of them, as 7, 1-9 or 1-9:2",
                   FL_STR_ARG(fl_str_begin(word, 40)));
}

/* ---- the canonical text ---------------------------------------------------------------------- */

/* The text depends on the numbers alone, so it is built as if they came one by one: each number
 * belongs to the run before it where the step stays the same.  Two numbers apart from each other
 * are no run, and neighbours belong together: "1,3,5-9". */
struct writer {
    struct fl_buf out;
    struct run open; /* not written yet */
};

static void put_number(struct fl_buf *out, const char *before, uint64_t n)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%s%" PRIu64, before, n);

    fl_buf_put(out, text, (size_t)len);
}

static void write_run(struct writer *writer, const struct run *run)
{
    if (run->len == 2 && run->step > 1) {
        write_run(writer, &(struct run){run->first, 1, 1});
        write_run(writer, &(struct run){last_of(run), 1, 1});
        return;
    }
    put_number(&writer->out, writer->out.len > 0 ? "," : "", run->first);
    if (run->len > 1) put_number(&writer->out, "-", last_of(run));
    if (run->len > 1 && run->step > 1) put_number(&writer->out, ":", run->step);
}

static void take_number(struct writer *writer, uint64_t n)
{
    struct run *open = &writer->open;

    if (open->len == 1) {
        open->step = n - open->first;
        open->len = 2;
    } else if (open->len > 1 && n == last_of(open) + open->step) {
        open->len++;
    } else if (open->step > 1 && (open->len == 2 || n == last_of(open) + 1)) {
        uint64_t last = last_of(open);

        open->len--;
        write_run(writer, open);
        *open = (struct run){last, n - last, 2};
    } else {
        if (open->len > 0) write_run(writer, open);
        *open = (struct run){n, 1, 1};
    }
}

/* The open run has the step of 'run' once it has taken three of its numbers. */
static void take_run(struct writer *writer, const struct run *run)
{
    uint64_t i = 0;

    for (; i < run->len && i < 3; i++) {
        take_number(writer, run->first + i * run->step);
    }
    writer->open.len += run->len - i;
}

static bool fail_long(struct fl_err *err)
{
    return fl_fail(err, FL_TOO_LARGE,
                   "the list has over " FL_QUOTE(
                       FL_JOB_INDEXES_BYTES_MAX) " bytes: give a range, and let the program look "
                                                 "its own number up");
}

/* True if it is all of 0, 1, 2... */
static bool is_plain(const struct writer *writer)
{
    return writer->out.len == 0 && writer->open.first == 0 &&
           (writer->open.len == 1 || writer->open.step == 1);
}

bool fl_indexes_parse(struct fl_str text, struct fl_arena *arena, struct fl_indexes *ret_indexes,
                      struct fl_err *err)
{
    struct writer writer = {0};
    struct fl_str rest = text, word;
    uint64_t len = 0, last = 0;

    if (text.len > FL_JOB_INDEXES_BYTES_MAX) return fail_long(err);
    fl_buf_init_in(&writer.out, FL_JOB_INDEXES_BYTES_MAX, arena);
    while (fl_str_next_word(&rest, ',', &word)) {
        struct run run;

        if (!read_run(word, &run, err)) return false;
        if (len > 0 && run.first <= last) {
            return fl_fail(err, FL_INVALID,
                           "'" FL_STR_FMT "' does not begin behind %" PRIu64
                           ", the number before it: each number stands once, in ascending order",
                           FL_STR_ARG(word), last);
        }
        last = last_of(&run);
        len += run.len;
        if (len > FL_JOB_ELEMENTS_MAX) {
            return fl_fail(err, FL_TOO_LARGE,
                           "the list has over " FL_QUOTE(FL_JOB_ELEMENTS_MAX) " numbers");
        }
        take_run(&writer, &run);
    }
    if (len == 0) return fl_fail(err, FL_INVALID, "the list has no number");
    *ret_indexes = (struct fl_indexes){.len = (uint32_t)len};
    if (is_plain(&writer)) return true;
    write_run(&writer, &writer.open);
    if (writer.out.is_over) return fail_long(err);
    ret_indexes->text = fl_buf_take(&writer.out);
    return true;
}

/* ---- looking numbers up ---------------------------------------------------------------------- */

/* False: the text is over, or is no list. */
static bool next_run(struct fl_str *rest, struct run *ret)
{
    struct fl_str word;
    struct fl_err err = {0};

    return fl_str_next_word(rest, ',', &word) && read_run(word, ret, &err);
}

uint32_t fl_indexes_at(struct fl_str text, uint32_t element)
{
    uint64_t before = 0;
    struct run run = {.step = 1};

    while (next_run(&text, &run)) {
        if (element < before + run.len) {
            return (uint32_t)(run.first + run.step * (element - before));
        }
        before += run.len;
    }
    return element;
}

bool fl_indexes_find(struct fl_str text, uint32_t index, uint32_t *ret_element)
{
    uint64_t before = 0;
    struct run run = {.step = 1};

    if (text.len == 0) {
        *ret_element = index;
        return true;
    }
    while (next_run(&text, &run)) {
        if (index >= run.first && index <= last_of(&run)) {
            if ((index - run.first) % run.step != 0) return false;
            *ret_element = (uint32_t)(before + (index - run.first) / run.step);
            return true;
        }
        before += run.len;
    }
    return false;
}
