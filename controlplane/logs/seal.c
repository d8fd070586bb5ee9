#include "controlplane/logs/seal.h"

#include <stdlib.h>

#include "shared/base/alloc.h"
#include "shared/base/vec.h"

/* ---- filtering ------------------------------------------------------------------------------- */

/* The longest run at the front of 'records' that is wholly inside the middle or wholly outside.
 * False: the records are damaged. */
static bool first_run(struct fl_str records, const struct log_middle *middle,
                      struct fl_str *ret_bytes, bool *ret_is_middle)
{
    struct fl_str rest = records;
    bool is_middle = false;

    while (rest.len > 0) {
        struct fl_str after = rest;
        struct fl_log_record record;
        bool is_in;

        if (fl_log_record_next(&after, &record) != FL_LOG_READY) return false;
        is_in = log_middle_has(middle, record.offset, fl_log_record_end(&record));
        if (rest.len == records.len) is_middle = is_in;
        if (is_in != is_middle || records.len - after.len > FL_LOG_RECORDS_BYTES_MAX) break;
        rest = after;
    }
    *ret_bytes = (struct fl_str){records.at, records.len - rest.len};
    *ret_is_middle = is_middle;
    return true;
}

/* Cuts records into runs and writes the runs that are kept. */
static bool seal_records(struct log_sealer *sealer, struct fl_str records, uint64_t line,
                         const struct log_middle *middle, struct fl_err *err)
{
    while (records.len > 0) {
        struct fl_str bytes;
        struct log_run run;
        bool is_middle;

        if (!first_run(records, middle, &bytes, &is_middle)) return true; /* readers find a gap */
        if (!log_run_sum(bytes, true, &run)) return true;
        if (!is_middle && !log_sealer_run(sealer, bytes, &run, line, err)) return false;
        line += run.lines;
        records.at += bytes.len;
        records.len -= bytes.len;
    }
    return true;
}

/* A gap that was stored bytes. */
static bool seal_damage(struct log_sealer *sealer, uint64_t offset, uint64_t end, uint64_t line,
                        fl_ms time, struct fl_err *err)
{
    struct log_run run = {
        .offset = offset, .end = end, .lines = 1, .time = time, .last_time = time, .records = 1};
    struct fl_log_record record = {
        .offset = offset, .time = time, .gap = FL_LOG_GAP_damaged, .gap_bytes = end - offset};
    uint8_t bytes[FL_LOG_GAP_BYTES];

    fl_log_record_gap(bytes, &record);
    return log_sealer_run(sealer, (struct fl_str){(const char *)bytes, sizeof(bytes)}, &run, line,
                          err);
}

/* ---- sealing a segment ----------------------------------------------------------------------- */

static int source_cmp(const void *a, const void *b)
{
    const struct log_segment_source *const *x = a;
    const struct log_segment_source *const *y = b;
    int by_key = log_key_cmp(&(*x)->key, &(*y)->key);

    if (by_key != 0) return by_key;
    return *x < *y ? -1 : *x > *y; /* by number */
}

struct sealing {
    struct log_sealer *sealer;
    const struct log_segment *segment;
    const struct log_seal_filter *filter;
    struct log_mark_list marks;
    struct fl_buf records;
    uint64_t damaged;
};

static bool seal_mark(struct sealing *sealing, const struct log_mark *mark,
                      const struct log_middle *middle, struct fl_err *err)
{
    struct fl_err found = {0};
    struct fl_str records;
    struct log_run run;

    if (log_middle_has(middle, mark->offset, mark->end)) return true;
    fl_buf_clear(&sealing->records);
    if (!log_segment_read(sealing->segment, mark->pos, mark->len, &sealing->records, &found) &&
        found.code != FL_TORN) {
        return fl_fail(err, found.code, "%s", found.text);
    }
    records = (struct fl_str){(const char *)sealing->records.at, sealing->records.len};
    if (!log_run_sum(records, false, &run) || run.offset != mark->offset || run.end != mark->end) {
        if (mark->len > 0) sealing->damaged++; /* else it was found at the start */
        return seal_damage(sealing->sealer, mark->offset, mark->end, mark->line, mark->time, err);
    }
    if (log_middle_meets(middle, mark->offset, mark->end)) {
        return seal_records(sealing->sealer, records, mark->line, middle, err);
    }
    return log_sealer_run(sealing->sealer, records, &run, mark->line, err);
}

static bool seal_source(struct sealing *sealing, const struct log_segment_source *source,
                        struct fl_err *err)
{
    const struct log_seal_filter *filter = sealing->filter;
    struct log_place place = source->place;
    struct log_middle middle;
    bool is_sealed = true;
    uint64_t end;

    filter->marks_of(filter->ctx, &source->key, sealing->segment, &sealing->marks, &end);
    if (end < place.offset) place.offset = end; /* it was set back, and went on elsewhere */
    middle = filter->middle_of(filter->ctx, &source->key, place.offset);
    log_sealer_output(sealing->sealer, &source->key, &place, source->is_ended);
    for (size_t i = 0; is_sealed && i < sealing->marks.len; i++) {
        is_sealed = seal_mark(sealing, &sealing->marks.at[i], &middle, err);
    }
    log_mark_list_clear(&sealing->marks);
    return is_sealed;
}

/* Seals one output after the other.  An output has several numbers if the segment was continued
 * after a restart; the last counts. */
static bool seal_sources(struct sealing *sealing, struct fl_err *err)
{
    size_t len = sealing->segment->sources.len;
    const struct log_segment_source **sorted =
        fl_new_array(const struct log_segment_source *, len + 1);
    bool is_sealed = true;

    for (size_t i = 0; i < len; i++) {
        sorted[i] = &sealing->segment->sources.at[i];
    }
    if (len > 0) qsort((void *)sorted, len, sizeof(sorted[0]), source_cmp);
    for (size_t i = 0; is_sealed && i < len; i++) {
        struct fl_job job = sorted[i]->key.attempt.job;

        if (i + 1 < len && log_key_cmp(&sorted[i]->key, &sorted[i + 1]->key) == 0) continue;
        if (job.n == 0) continue; /* its SOURCE entry is lost, and it has no END */
        if (!sealing->filter->keeps_job(sealing->filter->ctx, job)) continue;
        is_sealed = seal_source(sealing, sorted[i], err);
    }
    fl_free((void *)sorted);
    return is_sealed;
}

static bool finish(struct log_sealer *sealer, struct log_sealed **ret_sealed, struct fl_err *err)
{
    *ret_sealed = NULL;
    if (log_sealer_outputs(sealer) == 0) return true;
    *ret_sealed = log_sealer_finish(sealer, err);
    return *ret_sealed != NULL;
}

bool log_seal_segment(const char *dir, const struct log_segment *segment, fl_ms now,
                      const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                      uint64_t *ret_damaged, struct fl_err *err)
{
    struct sealing sealing = {.sealer = log_sealer_create(dir, &segment->header, now, err),
                              .segment = segment,
                              .filter = filter};
    bool is_sealed = sealing.sealer != NULL;

    fl_buf_init(&sealing.records, FL_LOG_RECORDS_BYTES_MAX);
    is_sealed = is_sealed && seal_sources(&sealing, err) && finish(sealing.sealer, ret_sealed, err);
    *ret_damaged = sealing.damaged;
    fl_vec_fini(&sealing.marks);
    fl_buf_fini(&sealing.records);
    log_sealer_destroy(sealing.sealer);
    return is_sealed;
}

/* ---- trimming a sealed file ------------------------------------------------------------------ */

/* The block that was read last: small outputs share a block. */
struct block {
    struct fl_buf bytes;
    uint32_t number;
    bool is_read, is_damaged;
    uint64_t damaged; /* how many were, so far */
};

static bool read_block(struct log_sealed *old, uint32_t number, struct block *block,
                       struct fl_err *err)
{
    if (block->is_read && block->number == number) return true;
    fl_buf_clear(&block->bytes);
    block->is_read = true;
    block->number = number;
    block->is_damaged = false;
    if (log_sealed_block(old, number, &block->bytes, err)) return true;
    if (err->code != FL_TORN) return false;
    *err = (struct fl_err){0};
    block->is_damaged = true;
    block->damaged++;
    return true;
}

static bool seal_output(struct log_sealer *sealer, struct log_sealed *old,
                        const struct log_sealed_output *output, struct block *block,
                        const struct log_seal_filter *filter, struct fl_err *err)
{
    struct log_middle middle = filter->middle_of(filter->ctx, &output->key, output->place.offset);

    log_sealer_output(sealer, &output->key, &output->place, output->is_ended);
    for (uint32_t i = 0; i < output->pieces_len; i++) {
        struct log_sealed_piece piece;

        if (!log_sealed_piece_at(old, output->piece + i, &piece, err)) return false;
        if (log_middle_has(&middle, piece.offset, piece.end)) continue;
        if (!read_block(old, piece.block, block, err)) return false;
        if (block->is_damaged || (uint64_t)piece.pos + piece.len > block->bytes.len) {
            if (!seal_damage(sealer, piece.offset, piece.end, piece.line, piece.time, err)) {
                return false;
            }
            continue;
        }
        if (!seal_records(sealer,
                          (struct fl_str){(const char *)block->bytes.at + piece.pos, piece.len},
                          piece.line, &middle, err)) {
            return false;
        }
    }
    return true;
}

bool log_seal_again(const char *dir, struct log_sealed *old, const struct log_seal_filter *filter,
                    struct log_sealed **ret_sealed, uint64_t *ret_damaged, struct fl_err *err)
{
    struct log_sealer *sealer = log_sealer_create(dir, &old->header, old->sealed_at, err);
    struct block block = {0};
    bool is_sealed = sealer != NULL;

    fl_buf_init(&block.bytes, LOG_BLOCK_BYTES_MAX);
    for (uint32_t i = 0; is_sealed && i < old->outputs_len; i++) {
        struct log_sealed_output output;

        is_sealed = log_sealed_output_at(old, i, &output, err);
        if (!is_sealed || !filter->keeps_job(filter->ctx, output.key.attempt.job)) continue;
        is_sealed = seal_output(sealer, old, &output, &block, filter, err);
    }
    is_sealed = is_sealed && finish(sealer, ret_sealed, err);
    *ret_damaged = block.damaged;
    fl_buf_fini(&block.bytes);
    log_sealer_destroy(sealer);
    return is_sealed;
}
