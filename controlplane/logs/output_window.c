#include "controlplane/logs/output_window.h"

#include <string.h>

#include "shared/base/assert.h"

#define SHORT_BYTES ((size_t)16 << 10) /* one output's window, if the view has several */

void output_window_drop(struct log_view_output *output)
{
    fl_buf_fini(&output->window);
    output->window_pos = 0;
}

static bool part_records(const struct log_part *part, struct fl_buf *out, struct fl_err *err)
{
    struct fl_buf block;
    bool is_good;

    if (part->chunk) {
        return fl_buf_put(out, part->chunk->records, part->len) ||
               fl_fail(err, FL_TOO_LARGE, "a run of records");
    }
    if (part->segment) return log_segment_read(part->segment, part->pos, part->len, out, err);
    fl_buf_init(&block, LOG_BLOCK_BYTES_MAX);
    is_good = log_sealed_block(part->sealed, part->block, &block, err);
    if (is_good && part->pos + part->len > block.len) {
        is_good = fl_fail(err, FL_TORN, "a piece of stored output is not in its block");
    }
    is_good = is_good && fl_buf_put(out, block.at + part->pos, part->len);
    fl_buf_fini(&block);
    return is_good;
}

static void put_gap(struct fl_buf *window, uint64_t offset, uint64_t end, fl_ms time,
                    enum fl_log_gap gap)
{
    struct fl_log_record record = {
        .offset = offset, .time = time, .gap = gap, .gap_bytes = end - offset};
    bool is_put = fl_log_record_put(window, &record);

    fl_assert(is_put);
}

static uint64_t newlines(const char *at, size_t len)
{
    const char *end = at + len;
    uint64_t n = 0;

    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        n++;
    }
    return n;
}

/* Moves the window to output->offset and counts the lines that it passes.  False: the records are
 * damaged. */
static bool skip_to_offset(struct log_view_output *output, uint64_t line)
{
    while (output->window_pos < output->window.len) {
        struct fl_str rest = {(const char *)output->window.at + output->window_pos,
                              output->window.len - output->window_pos};
        struct fl_log_record record;
        size_t before = rest.len;

        if (fl_log_record_next(&rest, &record) != FL_LOG_READY) return false;
        if (fl_log_record_end(&record) > output->offset) {
            if (!record.gap && record.offset < output->offset) {
                line += newlines(record.bytes.at, (size_t)(output->offset - record.offset));
            }
            output->line = line;
            return true;
        }
        line += record.gap ? 1 : newlines(record.bytes.at, record.bytes.len);
        output->window_pos += before - rest.len;
    }
    return false; /* the part should hold the offset, and does not */
}

/* Keeps about SHORT_BYTES of whole records from window_pos on. */
static void shorten(struct log_view_output *output)
{
    struct fl_str rest = {(const char *)output->window.at + output->window_pos,
                          output->window.len - output->window_pos};
    size_t len = rest.len;
    struct fl_log_record record;
    struct fl_buf kept;
    bool is_put;

    if (len <= SHORT_BYTES + FL_LOG_RECORD_BYTES_MAX) return;
    while (len - rest.len < SHORT_BYTES && fl_log_record_again(&rest, &record) == FL_LOG_READY) {
    }
    fl_buf_init(&kept, len);
    is_put = fl_buf_put(&kept, output->window.at + output->window_pos, len - rest.len);
    fl_assert(is_put);
    output_window_drop(output);
    output->window = kept;
}

/* Fills the window with the records from output->offset on.  False: see load->err. */
static bool fill(struct log_view_output *output, struct log_load *load)
{
    struct log_part part;
    struct fl_err err = {0};
    bool is_good;

    output_window_drop(output);
    fl_buf_init(&output->window, LOG_BLOCK_BYTES_MAX);
    if (!log_index_part(load->index, &output->key, LOG_BY_OFFSET, output->offset, &part, &err)) {
        if (err.code != FL_ABSENT) return fl_fail(&load->err, err.code, "%s", err.text);
        put_gap(&output->window, output->offset, output->end.offset, output->time,
                FL_LOG_GAP_limit);
        return true;
    }
    output->time = part.time;
    if (part.offset > output->offset) { /* the bytes between were dropped */
        put_gap(&output->window, output->offset, part.offset, part.time, FL_LOG_GAP_limit);
        log_part_fini(&part);
        return true;
    }
    load->bytes += part.len;
    is_good = part_records(&part, &output->window, &err) && skip_to_offset(output, part.line);
    if (!is_good && (err.code == FL_OK || err.code == FL_TORN)) {
        output_window_drop(output);
        fl_buf_init(&output->window, LOG_BLOCK_BYTES_MAX);
        put_gap(&output->window, output->offset, part.end, part.time, FL_LOG_GAP_damaged);
        is_good = true;
    } else if (!is_good) {
        fl_fail(&load->err, err.code, "%s", err.text);
    }
    log_part_fini(&part);
    if (is_good && load->is_short) shorten(output);
    return is_good;
}

bool output_window_peek(struct log_view_output *output, struct log_load *load,
                        struct fl_log_record *ret_record)
{
    for (;;) {
        struct fl_str rest = {(const char *)output->window.at + output->window_pos,
                              output->window.len - output->window_pos};
        struct fl_log_record record;
        size_t before = rest.len;

        if (output->is_over || output->offset >= output->end.offset) return false;
        if (rest.len == 0) {
            if (!fill(output, load)) return false;
            continue;
        }
        if (fl_log_record_again(&rest, &record) != FL_LOG_READY) {
            fl_fail(&load->err, FL_TORN, "stored output is damaged");
            return false;
        }
        if (fl_log_record_end(&record) <= output->offset) {
            output->window_pos += before - rest.len;
            continue;
        }
        if (!record.gap && record.offset < output->offset) {
            size_t skipped = (size_t)(output->offset - record.offset);

            record.bytes.at += skipped;
            record.bytes.len -= skipped;
            record.offset = output->offset;
        }
        output->time = record.time;
        *ret_record = record;
        return true;
    }
}
