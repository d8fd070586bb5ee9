/* The log of a container as the kubelet serves it (issue 13, F13): a file that grows and is
 * rotated, and answers that begin at a whole second and are cut anywhere.
 * The input is a program: each byte is an operation, some with an operand.  After each answer only
 * the cursor is kept, as when the agent dies.
 * Properties: without a rotation the output is all that was written, byte for byte and without a
 * gap.  With rotations it is pieces of it, in order, nothing twice, with a gap wherever something
 * is missing.  No more than the limit is held.  Bytes that are no log at all break nothing.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_log.patch) counts the bytes of lines with other times, too.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/kube_log_fuzz -max_total_time=60 DIR tests/fuzz/corpus/kube_log
 *     tests/fuzz/planted.sh kube_log */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_log_cursor.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { LINES_MAX = 512, TEXT_MAX = 24, INPUT_BYTES_MAX = 1024, OUTPUT_BYTES_MAX = 1 << 17 };
enum { WRITTEN_BYTES_MAX = LINES_MAX * TEXT_MAX };

#define BEGIN_MS INT64_C(1767323045000)

struct line {
    fl_ms time;
    size_t at; /* in all that was written */
    size_t len;
};

struct world {
    struct line lines[LINES_MAX];
    size_t lines_len, file_begin; /* the file's first line */
    size_t rotations, uncertain;  /* before anything was taken, a rotation leaves no trace */
    fl_ms clock, newest;
    struct fl_buf written;
    struct kube_log_cursor cursor;
    /* Where in what was written the output may end so far, and whether something may be missing
     * behind it. */
    uint8_t may_end[WRITTEN_BYTES_MAX + 1];
    bool is_gap;
};

/* Lines with one time stand together, as they do where times are nanoseconds. */
static bool is_taken(const struct world *world, fl_ms time)
{
    for (size_t i = 0; i + 1 < world->lines_len; i++) {
        if (world->lines[i].time == time) return world->lines[world->lines_len - 1].time != time;
    }
    return false;
}

/* Times differ by up to a second from the order in the file. */
static void write_line(struct world *world, uint8_t kind)
{
    static const unsigned jitter_ms[] = {0, 0, 1, 1000};
    struct line *line = &world->lines[world->lines_len];
    char text[TEXT_MAX];
    int len;

    if (world->lines_len == LINES_MAX) return;
    world->clock += kind & 1 ? (kind >> 3) * 13 : 0;
    line->time = world->clock - jitter_ms[kind >> 1 & 3];
    if (is_taken(world, line->time)) line->time = ++world->clock;
    if (line->time > world->newest) world->newest = line->time;
    len = kind & 64 ? snprintf(text, sizeof text, "\n")
                    : snprintf(text, sizeof text, "%zu:%.*s\n", world->lines_len, kind & 15,
                               "abcdefghijklmnop");
    line->at = world->written.len;
    line->len = (size_t)len;
    fl_assert(len < (int)sizeof text && fl_buf_put(&world->written, text, (size_t)len));
    world->lines_len++;
}

static void rotate(struct world *world)
{
    world->file_begin = world->lines_len;
    world->clock += 1001; /* no time is on both sides */
    world->rotations++;
    if (world->cursor.at_ns == 0 && world->lines_len > 0) world->uncertain++;
}

/* The bytes that the kubelet sends. */
static void write_answer(const struct world *world, struct fl_buf *answer)
{
    char since[FL_TIME_TEXT_MAX], time[FL_TIME_TEXT_MAX];
    fl_ms since_ms = 0;

    kube_log_cursor_since(&world->cursor, since);
    if (since[0]) fl_assert(fl_time_parse(fl_str_c(since), &since_ms));
    for (size_t i = world->file_begin; i < world->lines_len; i++) {
        const struct line *line = &world->lines[i];

        if (line->time < since_ms) continue;
        fl_time_print(line->time, time);
        fl_assert(fl_buf_put(answer, time, strlen(time)));
        fl_assert(fl_buf_put(answer, " ", 1));
        fl_assert(fl_buf_put(answer, world->written.at + line->at, line->len));
    }
}

/* The bytes must stand in what was written: right behind the last ones, or after a gap further on.
 * Empty lines look alike, so the output may end at several places, of which all are kept. */
static void check_output(struct world *world, const struct fl_buf *output)
{
    bool is_anywhere = world->is_gap || world->uncertain;
    bool was_here = false, is_found = false;
    uint8_t may_end[WRITTEN_BYTES_MAX + 1] = {0};

    if (output->len == 0) return;
    for (size_t at = 0; at + output->len <= world->written.len; at++) {
        was_here |= world->may_end[at];
        if (!(is_anywhere ? was_here : world->may_end[at])) continue;
        if (memcmp(world->written.at + at, output->at, output->len) != 0) continue;
        may_end[at + output->len] = 1;
        is_found = true;
    }
    fl_assert(is_found);
    memcpy(world->may_end, may_end, sizeof may_end);
    world->is_gap = false;
    world->uncertain = 0;
}

static void drain(struct world *world, struct kube_log_reader *reader, struct fl_str bytes,
                  struct fl_buf *output)
{
    struct kube_log_piece piece;

    while (kube_log_reader_next(reader, &bytes, world->newest, &piece)) {
        fl_assert(reader->held.len <= KUBE_LOG_HELD_BYTES_MAX);
        if (piece.kind == KUBE_LOG_GAP) {
            fl_assert(world->rotations > 0);
            check_output(world, output);
            fl_buf_clear(output);
            world->is_gap = true;
        } else {
            fl_assert(piece.bytes.len > 0);
            fl_assert(fl_buf_put(output, piece.bytes.at, piece.bytes.len));
        }
    }
    fl_assert(bytes.len == 0);
}

/* Sends the first 'len' bytes of an answer, in parts that are memory of their own. */
static void read_answer(struct world *world, size_t len, size_t part)
{
    struct fl_buf answer, output;
    struct kube_log_reader reader;
    uint8_t mark[KUBE_LOG_CURSOR_BYTES];
    bool is_whole;

    fl_buf_init(&answer, OUTPUT_BYTES_MAX);
    fl_buf_init(&output, OUTPUT_BYTES_MAX);
    write_answer(world, &answer);
    is_whole = len >= answer.len;
    if (is_whole) len = answer.len;
    kube_log_reader_init(&reader, &world->cursor);
    kube_log_reader_begin(&reader, world->newest);
    for (size_t at = 0; at < len; at += part) {
        size_t now = len - at < part ? len - at : part;
        char *copy = fl_alloc(now);

        memcpy(copy, answer.at + at, now);
        drain(world, &reader, (struct fl_str){copy, now}, &output);
        fl_free(copy);
    }
    if (is_whole) kube_log_reader_settle(&reader);
    drain(world, &reader, (struct fl_str){0}, &output);
    check_output(world, &output);
    kube_log_cursor_encode(&reader.cursor, mark);
    fl_assert(kube_log_cursor_decode((struct fl_str){(char *)mark, sizeof mark}, &world->cursor));
    kube_log_reader_fini(&reader);
    fl_buf_fini(&answer);
    fl_buf_fini(&output);
}

static void run(struct fl_reader *input)
{
    struct world world = {.clock = BEGIN_MS, .newest = BEGIN_MS, .may_end = {1}};

    fl_buf_init(&world.written, WRITTEN_BYTES_MAX);
    while (input->pos < input->len) {
        uint8_t op = fl_read_u8(input);

        if (op < 128) {
            write_line(&world, op);
        } else if (op < 250) {
            read_answer(&world, (size_t)fl_read_u8(input) * (op & 3 ? 1 : 64), 1 + op % 61);
        } else {
            rotate(&world);
        }
    }
    /* In the end all is read that the file still has. */
    read_answer(&world, SIZE_MAX, 1000);
    read_answer(&world, SIZE_MAX, 1000);
    if (world.file_begin < world.lines_len) fl_assert(world.may_end[world.written.len]);
    fl_buf_fini(&world.written);
}

/* The same bytes as an answer, with a pause in the middle. */
static void read_anything(const uint8_t *data, size_t size)
{
    struct kube_log_cursor cursor = {.at_ns = BEGIN_MS * 1000000, .bytes = 3, .crc = 7};
    struct kube_log_reader reader;
    struct kube_log_piece piece;

    kube_log_reader_init(&reader, &cursor);
    kube_log_reader_begin(&reader, BEGIN_MS);
    for (size_t i = 0; i < 2; i++) {
        size_t half = size / 2;
        struct fl_str bytes = {(const char *)data + (i ? half : 0), i ? size - half : half};

        while (kube_log_reader_next(&reader, &bytes, BEGIN_MS + (fl_ms)i * 60000, &piece)) {
            fl_assert(piece.kind == KUBE_LOG_GAP || piece.bytes.len > 0);
            fl_assert(piece.time > 0);
        }
        fl_assert(bytes.len == 0);
    }
    fl_assert(strlen(reader.complaint) <= KUBE_LOG_COMPLAINT_BYTES_MAX);
    kube_log_reader_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_reader input = fl_reader(data, size);

    if (size > INPUT_BYTES_MAX) return 0;
    run(&input);
    read_anything(data, size);
    return 0;
}
