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

bool log_seal_damage(struct log_sealer *sealer, uint64_t offset, uint64_t end, uint64_t line,
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
        return log_seal_damage(sealing->sealer, mark->offset, mark->end, mark->line, mark->time,
                               err);
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
    bool is_sealed;
    uint64_t end;

    filter->marks_of(filter->ctx, &source->key, sealing->segment, &sealing->marks, &end);
    if (end < place.offset) place.offset = end; /* it was set back, and went on elsewhere */
    middle = filter->middle_of(filter->ctx, &source->key, place.offset);
    is_sealed = log_sealer_output(sealing->sealer, &source->key, &place, source->is_ended, err);
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

/* ---- sealed files ---------------------------------------------------------------------------- */

/* A file that is read, output by output.  The block that was read last is kept, since small outputs
 * share one. */
struct input {
    struct log_sealed *file;
    uint32_t next; /* the output behind 'output' */
    struct log_sealed_output output;
    bool is_over;
    struct fl_buf block;
    uint32_t block_number;
    bool has_block, is_damaged;
    uint64_t *damaged; /* blocks of the file so far */
};

/* Goes to the next output. */
static bool next_output(struct input *input, struct fl_err *err)
{
    input->is_over = input->next == input->file->outputs_len;
    return input->is_over || log_sealed_output_at(input->file, input->next++, &input->output, err);
}

static bool read_block(struct input *input, uint32_t number, struct fl_err *err)
{
    if (input->has_block && input->block_number == number) return true;
    fl_buf_clear(&input->block);
    input->has_block = true;
    input->block_number = number;
    input->is_damaged = false;
    if (log_sealed_block(input->file, number, &input->block, err)) return true;
    if (err->code != FL_TORN) return false;
    *err = (struct fl_err){0};
    input->is_damaged = true;
    (*input->damaged)++;
    return true;
}

/* Takes the records off the front that end at or before 'offset', which are stored already. */
static void pass_records(struct fl_str *records, uint64_t *line, uint64_t offset)
{
    struct fl_str rest = *records;
    struct fl_log_record record;
    struct log_run run;

    while (fl_log_record_again(&rest, &record) == FL_LOG_READY &&
           fl_log_record_end(&record) <= offset) {
        struct fl_str one = {records->at, records->len - rest.len};

        if (log_run_sum(one, true, &run)) *line += run.lines;
        *records = rest;
    }
}

/* Writes what the input has of its output behind *end, and moves that on. */
static bool seal_pieces(struct log_sealer *sealer, struct input *input,
                        const struct log_middle *middle, uint64_t *end, struct fl_err *err)
{
    for (uint32_t i = 0; i < input->output.pieces_len; i++) {
        struct log_sealed_piece piece;
        struct fl_str records;

        if (!log_sealed_piece_at(input->file, input->output.piece + i, &piece, err)) return false;
        if (piece.end <= *end || log_middle_has(middle, piece.offset, piece.end)) continue;
        if (!read_block(input, piece.block, err)) return false;
        if (input->is_damaged || (uint64_t)piece.pos + piece.len > input->block.len) {
            if (piece.offset < *end) piece.offset = *end;
            if (!log_seal_damage(sealer, piece.offset, piece.end, piece.line, piece.time, err)) {
                return false;
            }
        } else {
            records = (struct fl_str){(const char *)input->block.at + piece.pos, piece.len};
            if (piece.offset < *end) pass_records(&records, &piece.line, *end);
            if (!seal_records(sealer, records, piece.line, middle, err)) return false;
        }
        *end = piece.end;
    }
    return true;
}

/* The least key among the inputs; NULL: all are over. */
static const struct log_key *least(const struct input *inputs, size_t len)
{
    const struct log_key *key = NULL;

    for (size_t i = 0; i < len; i++) {
        if (inputs[i].is_over) continue;
        if (!key || log_key_cmp(&inputs[i].output.key, key) < 0) key = &inputs[i].output.key;
    }
    return key;
}

/* Seals one output, of all inputs that have it, and moves those on. */
static bool seal_output(struct log_sealer *sealer, struct input *inputs, size_t len,
                        const struct log_key *key, const struct log_seal_filter *filter,
                        struct fl_err *err)
{
    bool is_kept = filter->keeps_job(filter->ctx, key->attempt.job);
    struct log_place place = {0};
    struct log_middle middle = {0};
    bool is_ended = false;
    bool is_sealed = true;
    uint64_t end = 0;

    for (size_t i = 0; i < len; i++) {
        const struct log_sealed_output *output = &inputs[i].output;

        if (inputs[i].is_over || log_key_cmp(&output->key, key) != 0) continue;
        if (output->place.offset >= place.offset) place = output->place;
        is_ended = is_ended || output->is_ended;
    }
    if (is_kept) {
        middle = filter->middle_of(filter->ctx, key, place.offset);
        is_sealed = log_sealer_output(sealer, key, &place, is_ended, err);
    }
    for (size_t i = 0; is_sealed && i < len; i++) {
        if (inputs[i].is_over || log_key_cmp(&inputs[i].output.key, key) != 0) continue;
        is_sealed = (!is_kept || seal_pieces(sealer, &inputs[i], &middle, &end, err)) &&
                    next_output(&inputs[i], err);
    }
    return is_sealed;
}

bool log_seal_files(const char *dir, const struct log_sealed_list *files,
                    const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                    uint64_t *ret_damaged, struct fl_err *err)
{
    struct log_sealed *last = files->at[files->len - 1];
    struct log_segment_header header = last->header;
    struct input *inputs = fl_new_array(struct input, files->len);
    struct log_sealer *sealer;
    const struct log_key *key;
    bool is_sealed = true;

    header.created_at = files->at[0]->header.created_at;
    sealer = log_sealer_create(dir, &header, last->sealed_at, err);
    is_sealed = sealer != NULL;
    for (size_t i = 0; i < files->len; i++) {
        inputs[i].file = files->at[i];
        inputs[i].damaged = &ret_damaged[i];
        ret_damaged[i] = 0;
        fl_buf_init(&inputs[i].block, LOG_BLOCK_BYTES_MAX);
        is_sealed = is_sealed && next_output(&inputs[i], err);
    }
    while (is_sealed && (key = least(inputs, files->len))) {
        struct log_key of = *key;

        is_sealed = seal_output(sealer, inputs, files->len, &of, filter, err);
        filter->between(filter->ctx);
    }
    is_sealed = is_sealed && finish(sealer, ret_sealed, err);
    for (size_t i = 0; i < files->len; i++) {
        fl_buf_fini(&inputs[i].block);
    }
    fl_free(inputs);
    log_sealer_destroy(sealer);
    return is_sealed;
}
