#include "controlplane/logs/index.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct log_chunk *log_chunk_create(struct fl_str records, const struct log_run *run)
{
    struct log_chunk *chunk = (void *)fl_realloc_array(NULL, char, sizeof(*chunk) + records.len);

    *chunk = (struct log_chunk){.run = *run, .len = (uint32_t)records.len};
    atomic_init(&chunk->refs, 1);
    memcpy(chunk->records, records.at, records.len);
    return chunk;
}

void log_chunk_unref(struct log_chunk *chunk)
{
    if (chunk && atomic_fetch_sub(&chunk->refs, 1) == 1) fl_free(chunk);
}

void log_index_init(struct log_index *index, uint64_t ring_bytes_max)
{
    *index = (struct log_index){.ring_bytes_max = ring_bytes_max};
    fl_assert(pthread_mutex_init(&index->lock, NULL) == 0);
}

void log_index_lock(struct log_index *index)
{
    fl_assert(pthread_mutex_lock(&index->lock) == 0);
}

void log_index_unlock(struct log_index *index)
{
    fl_assert(pthread_mutex_unlock(&index->lock) == 0);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* A node is the first field of its output. */
static struct log_output *output_of(struct log_output_node *node)
{
    return (struct log_output *)node;
}

struct log_output *log_index_find(const struct log_index *index, const struct log_key *key)
{
    struct log_output_node *node = log_output_tree_from(&index->outputs, key, false);

    return node && log_key_cmp(&node->key, key) == 0 ? output_of(node) : NULL;
}

static struct log_output *within(struct log_output_node *node, const struct log_key_range *range)
{
    return node && log_key_cmp(&node->key, &range->last) <= 0 ? output_of(node) : NULL;
}

struct log_output *log_index_first(const struct log_index *index, const struct log_key_range *range)
{
    return within(log_output_tree_from(&index->outputs, &range->first, false), range);
}

struct log_output *log_index_next(const struct log_index *index, const struct log_key_range *range,
                                  const struct log_output *output)
{
    return within(log_output_tree_from(&index->outputs, &output->node.key, true), range);
}

struct log_output *log_index_add(struct log_index *index, const struct log_key *key,
                                 struct fl_cluster cluster, const struct log_place *place)
{
    struct log_output *output = fl_new(struct log_output);

    output->node.key = *key;
    output->cluster = cluster;
    output->place = output->durable = output->queued = *place;
    log_output_tree_add(&index->outputs, &output->node);
    index->outputs_len++;
    index->births++;
    return output;
}

static void drop_marks(struct log_index *index, struct log_output *output, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        log_segment_unref(output->marks.at[i].segment);
    }
    memmove(&output->marks.at[from], &output->marks.at[to],
            (output->marks.len - to) * sizeof(output->marks.at[0]));
    output->marks.len -= to - from;
    index->marks_len -= to - from;
}

void log_index_remove(struct log_index *index, struct log_output *output)
{
    log_output_tree_remove(&index->outputs, &output->node);
    for (struct log_chunk *chunk = output->ring_first; chunk; chunk = chunk->output_next) {
        chunk->output = NULL;
    }
    if (output->marks.len > 0) drop_marks(index, output, 0, output->marks.len);
    fl_vec_fini(&output->marks);
    fl_free(output);
    index->outputs_len--;
}

void log_index_mark(struct log_index *index, struct log_output *output, struct log_segment *segment,
                    uint64_t pos, uint32_t len, const struct log_run *run, uint64_t line)
{
    if (!output->marks.at) { /* most outputs are short: one mark is all they need */
        output->marks.at = fl_new(struct log_mark);
        output->marks.cap = 1;
    }
    fl_vec_push(&output->marks, (struct log_mark){.offset = run->offset,
                                                  .end = run->end,
                                                  .line = line,
                                                  .time = run->time,
                                                  .segment = log_segment_ref(segment),
                                                  .pos = pos,
                                                  .len = len});
    index->marks_len++;
}

void log_index_mark_gap(struct log_index *index, struct log_output *output,
                        struct log_segment *segment, uint64_t end, fl_ms time)
{
    struct log_run gap = {.offset = output->place.offset, .end = end, .time = time};

    if (!output->has_hole) output->hole = output->place;
    output->has_hole = true;
    log_index_mark(index, output, segment, 0, 0, &gap, output->place.lines);
}

void log_index_marks_of(const struct log_index *index, const struct log_key *key,
                        const struct log_segment *segment, struct log_mark_list *ret_marks,
                        uint64_t *ret_end)
{
    const struct log_output *output = log_index_find(index, key);
    bool is_behind = false;

    *ret_end = UINT64_MAX;
    for (size_t i = 0; output && !is_behind && i < output->marks.len; i++) {
        const struct log_mark *mark = &output->marks.at[i];

        if (mark->segment == segment) {
            fl_vec_push(ret_marks, *mark);
            log_segment_ref(mark->segment);
        } else if (mark->segment->header.seq > segment->header.seq) {
            *ret_end = mark->offset;
            is_behind = true;
        }
    }
}

void log_mark_list_clear(struct log_mark_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        log_segment_unref(list->at[i].segment);
    }
    list->len = 0;
}

struct log_output *log_index_unmark(struct log_index *index, const struct log_key *key,
                                    const struct log_segment *segment)
{
    struct log_output *output = log_index_find(index, key);
    size_t first = 0;
    size_t end;

    if (!output) return NULL;
    while (first < output->marks.len && output->marks.at[first].segment != segment) {
        first++;
    }
    for (end = first; end < output->marks.len; end++) {
        if (output->marks.at[end].segment != segment) break;
    }
    if (end > first) drop_marks(index, output, first, end);
    output->has_hole = false;
    for (size_t i = 0; i < output->marks.len; i++) {
        output->has_hole = output->has_hole || output->marks.at[i].len == 0;
    }
    if (output->unsealed_seq == segment->header.seq) output->unsealed_seq = 0;
    return output;
}

void log_index_unmark_from(struct log_index *index, struct log_output *output, uint64_t offset)
{
    size_t first = output->marks.len;

    while (first > 0 && output->marks.at[first - 1].offset >= offset) {
        first--;
    }
    if (first < output->marks.len) drop_marks(index, output, first, output->marks.len);
    if (output->has_hole && output->hole.offset >= offset) output->has_hole = false;
}

/* ---- the ring -------------------------------------------------------------------------------- */

static void ring_drop(struct log_index *index)
{
    struct log_chunk *chunk = index->ring_head;
    struct log_output *output;

    fl_assert(chunk); /* a ring with bytes has a head */
    output = chunk->output;
    index->ring_head = chunk->ring_next;
    if (!index->ring_head) index->ring_tail = NULL;
    index->ring_bytes -= sizeof(*chunk) + chunk->len;
    if (output) {
        fl_assert(output->ring_first == chunk); /* both lists are in the order of arrival */
        output->ring_first = chunk->output_next;
        if (output->ring_first) {
            output->ring_first->output_prev = NULL;
        } else {
            output->ring_last = NULL;
        }
    }
    log_chunk_unref(chunk);
}

void log_index_ring_put(struct log_index *index, struct log_output *output, struct log_chunk *chunk)
{
    chunk->output = output;
    chunk->ring_next = chunk->output_next = NULL;
    chunk->output_prev = output->ring_last;
    if (index->ring_tail) {
        index->ring_tail->ring_next = chunk;
    } else {
        index->ring_head = chunk;
    }
    index->ring_tail = chunk;
    if (output->ring_last) {
        output->ring_last->output_next = chunk;
    } else {
        output->ring_first = chunk;
    }
    output->ring_last = chunk;
    index->ring_bytes += sizeof(*chunk) + chunk->len;
    while (index->ring_bytes > index->ring_bytes_max) {
        ring_drop(index);
    }
}

void log_index_ring_clear(struct log_index *index)
{
    while (index->ring_head) {
        ring_drop(index);
    }
}

/* ---- sealed files ---------------------------------------------------------------------------- */

/* Where a file of this cluster and seq stands, or should stand. */
static size_t sealed_at(const struct log_index *index, struct fl_cluster cluster, uint64_t seq)
{
    size_t low = 0;
    size_t high = index->sealed.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct log_segment_header *header = &index->sealed.at[middle]->header;

        if (header->cluster.n < cluster.n ||
            (header->cluster.n == cluster.n && header->seq < seq)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void log_index_unseal(struct log_index *index, const struct log_segment_header *header)
{
    size_t i = sealed_at(index, header->cluster, header->seq);

    if (i == index->sealed.len || index->sealed.at[i]->header.seq != header->seq) return;
    log_sealed_unref(index->sealed.at[i]);
    fl_vec_remove(&index->sealed, i);
}

void log_index_seal(struct log_index *index, struct log_sealed *sealed)
{
    log_index_unseal(index, &sealed->header);
    fl_vec_insert(&index->sealed, sealed_at(index, sealed->header.cluster, sealed->header.seq),
                  sealed);
    index->births++;
}

struct log_sealed_list log_index_sealed_of(struct log_index *index,
                                           const struct log_key_range *range, bool is_locked)
{
    struct log_sealed_list list = {0};

    if (!is_locked) log_index_lock(index);
    for (size_t i = 0; i < index->sealed.len; i++) {
        if (!log_sealed_may_have(index->sealed.at[i], range)) continue;
        fl_vec_push(&list, log_sealed_ref(index->sealed.at[i]));
    }
    if (!is_locked) log_index_unlock(index);
    return list;
}

struct log_sealed_list log_index_sealed_of_cluster(struct log_index *index,
                                                   struct fl_cluster cluster,
                                                   const struct log_key_range *range)
{
    struct log_sealed_list list = {0};

    for (size_t i = sealed_at(index, cluster, 0);
         i < index->sealed.len && index->sealed.at[i]->header.cluster.n == cluster.n; i++) {
        if (!log_sealed_may_have(index->sealed.at[i], range)) continue;
        fl_vec_push(&list, log_sealed_ref(index->sealed.at[i]));
    }
    return list;
}

void log_sealed_list_fini(struct log_sealed_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        log_sealed_unref(list->at[i]);
    }
    fl_vec_fini(list);
}

void log_index_fini(struct log_index *index)
{
    log_index_ring_clear(index);
    while (index->outputs.root) {
        log_index_remove(index, output_of(index->outputs.root));
    }
    for (size_t i = 0; i < index->sealed.len; i++) {
        log_sealed_unref(index->sealed.at[i]);
    }
    fl_vec_fini(&index->sealed);
    for (size_t i = 0; i < index->done.len; i++) {
        log_segment_unref(index->done.at[i]);
    }
    fl_vec_fini(&index->done);
    fl_map_fini(&index->forgotten);
    fl_assert(pthread_mutex_destroy(&index->lock) == 0);
}
