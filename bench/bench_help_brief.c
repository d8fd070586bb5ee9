#include "bench/bench_help_brief.h"

#include <string.h>

#include "bench/bench_help.h"
#include "shared/base/buf.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

enum { MESSAGE_BYTES = 100 }; /* about as many as the next message of an output has */

void bench_brief_fini(struct bench_brief *brief)
{
    fl_vec_fini(&brief->all);
    fl_vec_fini(&brief->due);
    fl_vec_fini(&brief->free);
}

static void set(struct bench_brief *brief, uint32_t number, enum bench_brief_state state)
{
    brief->all.at[number - 1].state = state;
    fl_vec_push(&brief->due, number);
}

void bench_brief_add(struct bench_brief *brief, struct fl_attempt attempt)
{
    uint32_t number;

    if (brief->free.len > 0) {
        number = brief->free.at[--brief->free.len];
    } else {
        if (brief->all.len == FL_LOG_SOURCES_MAX) bench_die("too many outputs wait");
        fl_vec_push(&brief->all, (struct bench_brief_output){0});
        number = (uint32_t)brief->all.len;
    }
    brief->all.at[number - 1] = (struct bench_brief_output){.attempt = attempt};
    set(brief, number, BRIEF_OPEN);
}

void bench_brief_restart(struct bench_brief *brief)
{
    brief->due.len = 0;
    for (size_t i = 0; i < brief->all.len; i++) {
        if (brief->all.at[i].state != BRIEF_FREE) set(brief, (uint32_t)i + 1, BRIEF_OPEN);
    }
}

uint64_t bench_brief_wants(const struct bench_brief *brief)
{
    return brief->due.len * MESSAGE_BYTES;
}

static bool put_line_and_end(struct fl_buf *out, uint32_t number, uint64_t has)
{
    struct fl_log_record record = {.time = bench_now_ns() / 1000000,
                                   .bytes = FL_STR("hello, world\n")};
    struct fl_log_message end = {.kind = FL_LOG_end, .source = number};
    size_t at;

    if (has < record.bytes.len) {
        if (!fl_log_records_begin(out, number, &at) || !fl_log_record_put(out, &record)) {
            return false;
        }
        fl_log_records_end(out, at);
    }
    end.offset = fl_log_record_end(&record);
    end.chain = fl_log_chain(0, &record);
    return fl_log_message_put(out, &end);
}

static bool put_next(struct bench_brief *brief, uint32_t number, struct fl_buf *out)
{
    struct bench_brief_output *output = &brief->all.at[number - 1];
    struct fl_log_message open = {
        .kind = FL_LOG_open, .source = number, .attempt = output->attempt};
    bool is_opening = output->state == BRIEF_OPEN;
    size_t before = out->len;

    if (!is_opening && output->state != BRIEF_LINE) return true; /* it was due twice */
    if (is_opening ? !fl_log_message_put(out, &open)
                   : !put_line_and_end(out, number, output->offset)) {
        fl_buf_truncate(out, before);
        return false;
    }
    output->state = is_opening ? BRIEF_OPENED : BRIEF_ENDED;
    return true;
}

size_t bench_brief_pull(struct bench_brief *brief, uint8_t *at, size_t bytes_max)
{
    size_t sent = 0, len;
    struct fl_buf out;

    fl_buf_init(&out, bytes_max);
    while (sent < brief->due.len && put_next(brief, brief->due.at[sent], &out)) {
        sent++;
    }
    brief->due.len -= sent;
    if (sent > 0 && brief->due.len > 0) {
        memmove(brief->due.at, brief->due.at + sent, brief->due.len * sizeof *brief->due.at);
    }
    len = out.len;
    if (len > 0) memcpy(at, out.at, len);
    fl_buf_fini(&out);
    return len;
}

void bench_brief_hear(struct bench_brief *brief, struct fl_str payload)
{
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct fl_log_message message;
    struct fl_err err = {0};

    while (reader.pos < reader.len) {
        struct bench_brief_output *output;

        if (!fl_log_message_next(&reader, &message, &err)) bench_die("logs: %s", err.text);
        if (message.source == 0 || message.source > brief->all.len) continue;
        output = &brief->all.at[message.source - 1];
        if (message.kind == FL_LOG_cursor || message.kind == FL_LOG_resume) {
            output->offset = message.offset;
            set(brief, message.source, BRIEF_LINE);
        } else if (message.kind == FL_LOG_end_ack) {
            output->state = BRIEF_FREE;
            fl_vec_push(&brief->free, message.source);
            brief->figures->outputs++;
        } else if (message.kind == FL_LOG_refuse) {
            bench_die("an output was refused: %s", fl_code_name((enum fl_code)message.code));
        }
    }
}
