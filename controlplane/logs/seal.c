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

/* ---- sealing a segment ----------------------------------------------------------------------- */

struct item {
    uint32_t number; /* the source's; after 'rank', the source's rank by key */
    uint32_t len;
    uint64_t pos, line;
    struct log_run run;
};

struct gather {
    FL_VEC(struct item) items;
};

static void gather_entry(void *ctx, const struct log_entry *entry)
{
    struct gather *gather = ctx;

    if (entry->kind != LOG_ENTRY_RECORDS) return;
    fl_vec_push(&gather->items, (struct item){.number = entry->number,
                                              .len = (uint32_t)entry->records.len,
                                              .pos = entry->pos,
                                              .line = entry->place.lines,
                                              .run = entry->run});
}

struct ranked {
    const struct log_scan_source *source;
    uint32_t number;
};

static int ranked_cmp(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    int by_key = log_key_cmp(&x->source->key, &y->source->key);

    if (by_key != 0) return by_key;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int item_cmp(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;

    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* Sorts the sources by key, and the items in the order of their sources. */
static struct ranked *rank(const struct log_scan *scan, struct gather *gather)
{
    struct ranked *ranked = fl_new_array(struct ranked, scan->sources.len + 1);
    uint32_t *rank_of = fl_new_array(uint32_t, scan->sources.len + 1);

    for (size_t i = 0; i < scan->sources.len; i++) {
        ranked[i] = (struct ranked){&scan->sources.at[i], (uint32_t)i};
    }
    if (scan->sources.len > 0) {
        qsort(ranked, scan->sources.len, sizeof(ranked[0]), ranked_cmp);
    }
    for (size_t i = 0; i < scan->sources.len; i++) {
        rank_of[ranked[i].number] = (uint32_t)i;
    }
    for (size_t i = 0; i < gather->items.len; i++) {
        gather->items.at[i].number = rank_of[gather->items.at[i].number];
    }
    if (gather->items.len > 0) {
        qsort(gather->items.at, gather->items.len, sizeof(gather->items.at[0]), item_cmp);
    }
    fl_free(rank_of);
    return ranked;
}

static bool seal_items(struct log_sealer *sealer, const struct log_segment *segment,
                       const struct log_scan_source *source, const struct item *items, size_t len,
                       const struct log_seal_filter *filter, struct fl_err *err)
{
    struct log_middle middle = filter->middle_of(filter->ctx, &source->key, source->place.offset);
    struct fl_buf buf;
    bool is_sealed = true;

    fl_buf_init(&buf, FL_LOG_RECORDS_BYTES_MAX);
    for (size_t i = 0; is_sealed && i < len; i++) {
        const struct log_run *run = &items[i].run;
        struct fl_str records;

        if (log_middle_has(&middle, run->offset, run->end)) continue;
        fl_buf_clear(&buf);
        is_sealed = log_segment_read(segment, items[i].pos, items[i].len, &buf, err);
        if (!is_sealed) break;
        records = (struct fl_str){(const char *)buf.at, buf.len};
        is_sealed = log_middle_meets(&middle, run->offset, run->end)
                        ? seal_records(sealer, records, items[i].line, &middle, err)
                        : log_sealer_run(sealer, records, run, items[i].line, err);
    }
    fl_buf_fini(&buf);
    return is_sealed;
}

/* Seals one output after the other.  An output has several numbers if the segment was continued
 * after a restart. */
static bool seal_sources(struct log_sealer *sealer, const struct log_segment *segment,
                         const struct ranked *ranked, size_t ranked_len,
                         const struct gather *gather, const struct log_seal_filter *filter,
                         struct fl_err *err)
{
    size_t at = 0;

    for (size_t i = 0; i < ranked_len;) {
        const struct log_scan_source *last;
        size_t first_item = at;
        size_t end = i;

        while (end < ranked_len &&
               log_key_cmp(&ranked[end].source->key, &ranked[i].source->key) == 0) {
            end++;
        }
        while (at < gather->items.len && gather->items.at[at].number < end) {
            at++;
        }
        last = ranked[end - 1].source;
        i = end;
        if (!filter->keeps_job(filter->ctx, last->key.attempt.job)) continue;
        log_sealer_output(sealer, &last->key, &last->place, last->is_ended);
        if (!seal_items(sealer, segment, last, gather->items.at + first_item, at - first_item,
                        filter, err)) {
            return false;
        }
    }
    return true;
}

static bool finish(struct log_sealer *sealer, struct log_sealed **ret_sealed, struct fl_err *err)
{
    *ret_sealed = NULL;
    if (log_sealer_outputs(sealer) == 0) return true;
    *ret_sealed = log_sealer_finish(sealer, err);
    return *ret_sealed != NULL;
}

bool log_seal_segment(const char *dir, const struct log_segment *segment,
                      const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                      bool *ret_is_damaged, struct fl_err *err)
{
    struct gather gather = {0};
    struct log_sealer *sealer = NULL;
    struct ranked *ranked = NULL;
    struct log_scan scan;
    bool is_sealed = log_segment_walk(segment, gather_entry, &gather, &scan, err);

    *ret_is_damaged = is_sealed && scan.good_bytes != segment->bytes;
    if (is_sealed) {
        sealer = log_sealer_create(dir, &segment->header, err);
        is_sealed = sealer != NULL;
    }
    if (is_sealed) {
        ranked = rank(&scan, &gather);
        is_sealed = seal_sources(sealer, segment, ranked, scan.sources.len, &gather, filter, err) &&
                    finish(sealer, ret_sealed, err);
    }
    fl_free(ranked);
    log_sealer_destroy(sealer);
    log_scan_fini(&scan);
    fl_vec_fini(&gather.items);
    return is_sealed;
}

/* ---- trimming a sealed file ------------------------------------------------------------------ */

/* The block that was read last: small outputs share a block. */
struct block {
    struct fl_buf bytes;
    uint32_t number;
    bool is_read, is_damaged;
};

static bool read_block(const struct log_sealed *old, uint32_t number, struct block *block,
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
    return true;
}

static bool seal_output(struct log_sealer *sealer, const struct log_sealed *old,
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
        if (block->is_damaged || (uint64_t)piece.pos + piece.len > block->bytes.len) continue;
        if (!seal_records(sealer,
                          (struct fl_str){(const char *)block->bytes.at + piece.pos, piece.len},
                          piece.line, &middle, err)) {
            return false;
        }
    }
    return true;
}

bool log_seal_again(const char *dir, const struct log_sealed *old,
                    const struct log_seal_filter *filter, struct log_sealed **ret_sealed,
                    struct fl_err *err)
{
    struct log_sealer *sealer = log_sealer_create(dir, &old->header, err);
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
    fl_buf_fini(&block.bytes);
    log_sealer_destroy(sealer);
    return is_sealed;
}
