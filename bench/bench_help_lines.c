#include "bench/bench_help_lines.h"

#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "shared/base/buf.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

enum { RECORD_LINES_MAX = 16, STAMP_DIGITS = 19 };

void bench_lines_fini(struct bench_lines *lines)
{
    fl_vec_fini(&lines->sources);
}

void bench_lines_add(struct bench_lines *lines, struct fl_attempt attempt)
{
    fl_vec_push(&lines->sources, (struct bench_source){.attempt = attempt});
}

void bench_lines_restart(struct bench_lines *lines)
{
    lines->open_at = 0;
    for (size_t i = 0; i < lines->sources.len; i++) {
        lines->sources.at[i].is_open = lines->sources.at[i].is_ready = false;
    }
}

uint64_t bench_lines_wants(const struct bench_lines *lines)
{
    return lines->sources.len ? lines->due * BENCH_LINE_BYTES + lines->sources.len - lines->open_at
                              : 0;
}

static void put_opens(struct bench_lines *lines, struct fl_buf *out)
{
    while (lines->open_at < lines->sources.len) {
        struct bench_source *source = &lines->sources.at[lines->open_at];
        struct fl_log_message message = {.kind = FL_LOG_open,
                                         .source = (uint32_t)lines->open_at + 1,
                                         .attempt = source->attempt};

        if (!fl_log_message_put(out, &message)) return;
        source->is_open = true;
        lines->open_at++;
    }
}

static void put_lines(char *at, size_t len)
{
    char stamp[32];

    snprintf(stamp, sizeof stamp, "@%0*lld ", STAMP_DIGITS, (long long)bench_now_ns());
    for (size_t i = 0; i < len; i++, at += BENCH_LINE_BYTES) {
        memset(at, 'x', BENCH_LINE_BYTES);
        memcpy(at, stamp, STAMP_DIGITS + 2);
        at[BENCH_LINE_BYTES - 1] = '\n';
    }
}

/* One record of a source; false: it does not fit. */
static bool put_record(struct bench_lines *lines, size_t i, size_t len, struct fl_buf *out)
{
    struct bench_source *source = &lines->sources.at[i];
    char text[RECORD_LINES_MAX * BENCH_LINE_BYTES];
    struct fl_log_record record = {.offset = source->offset,
                                   .time = bench_now_ns() / 1000000,
                                   .bytes = {text, len * BENCH_LINE_BYTES}};
    size_t before = out->len, at;

    put_lines(text, len);
    if (!fl_log_records_begin(out, (uint32_t)i + 1, &at) || !fl_log_record_put(out, &record)) {
        fl_buf_truncate(out, before);
        return false;
    }
    fl_log_records_end(out, at);
    source->offset += record.bytes.len;
    lines->figures->log_bytes += record.bytes.len;
    lines->due -= len;
    return true;
}

size_t bench_lines_pull(struct bench_lines *lines, uint8_t *at, size_t bytes_max)
{
    size_t share = lines->sources.len ? lines->due / lines->sources.len + 1 : 1;
    size_t len, silent = 0;
    struct fl_buf out;

    fl_buf_init(&out, bytes_max);
    put_opens(lines, &out);
    if (share > RECORD_LINES_MAX) share = RECORD_LINES_MAX;
    while (lines->due > 0 && silent < lines->sources.len) {
        size_t i = lines->turn % lines->sources.len;

        if (!lines->sources.at[i].is_ready) {
            silent++;
        } else if (put_record(lines, i, share < lines->due ? share : lines->due, &out)) {
            silent = 0;
        } else {
            break;
        }
        lines->turn++;
    }
    len = out.len;
    if (len > 0) memcpy(at, out.at, len);
    fl_buf_fini(&out);
    return len;
}

void bench_lines_hear(struct bench_lines *lines, struct fl_str payload)
{
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct fl_log_message message;
    struct fl_err err = {0};

    while (reader.pos < reader.len) {
        struct bench_source *source;

        if (!fl_log_message_next(&reader, &message, &err)) bench_die("logs: %s", err.text);
        if (message.source == 0 || message.source > lines->sources.len) continue;
        source = &lines->sources.at[message.source - 1];
        switch (message.kind) {
        case FL_LOG_cursor:
        case FL_LOG_resume:
            source->offset = message.offset;
            source->is_ready = true;
            break;
        case FL_LOG_ack:
            lines->figures->log_acked += message.offset - source->acked;
            source->acked = message.offset;
            break;
        case FL_LOG_pause:
        case FL_LOG_refuse:
            source->is_ready = false;
            break;
        default:
            break;
        }
    }
}
