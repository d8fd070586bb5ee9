#include "controlplane/logs/index.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define RING_STEPS_MAX 256 /* chunks that one look-up passes, since it holds the lock */

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

struct log_output *log_index_find(const struct log_index *index, const struct log_key *key)
{
    uint8_t bytes[LOG_KEY_BYTES];
    uint64_t found;

    log_key_put(bytes, key);
    if (!fl_map_find(&index->by_key, bytes, sizeof(bytes), &found)) return NULL;
    return (struct log_output *)(uintptr_t)found;
}

struct log_output *log_index_first(const struct log_index *index, struct fl_job job)
{
    uint64_t found;

    if (!fl_map_find(&index->by_job, &job.n, sizeof(job.n), &found)) return NULL;
    return (struct log_output *)(uintptr_t)found;
}

/* The first output of the key's attempt. */
static struct log_output *first_of_attempt(const struct log_index *index,
                                           const uint8_t bytes[LOG_KEY_BYTES])
{
    uint64_t found;

    if (!fl_map_find(&index->by_attempt, bytes, LOG_KEY_ATTEMPT_BYTES, &found)) return NULL;
    return (struct log_output *)(uintptr_t)found;
}

struct log_output *log_index_add(struct log_index *index, const struct log_key *key,
                                 struct fl_cluster cluster, const struct log_place *place)
{
    struct log_output *output = fl_new(struct log_output);
    uint8_t bytes[LOG_KEY_BYTES];

    output->key = *key;
    output->cluster = cluster;
    output->place = output->durable = output->queued = *place;
    output->job_next = log_index_first(index, key->attempt.job);
    log_key_put(bytes, key);
    fl_map_put(&index->by_key, bytes, sizeof(bytes), (uint64_t)(uintptr_t)output);
    fl_map_put(&index->by_job, &key->attempt.job.n, sizeof(uint64_t), (uint64_t)(uintptr_t)output);
    output->attempt_next = first_of_attempt(index, bytes);
    if (output->attempt_next) output->attempt_next->attempt_prev = output;
    fl_map_put(&index->by_attempt, bytes, LOG_KEY_ATTEMPT_BYTES, (uint64_t)(uintptr_t)output);
    output->all_next = index->all;
    if (index->all) index->all->all_prev = output;
    index->all = output;
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

static void unchain_of_attempt(struct log_index *index, struct log_output *output,
                               const uint8_t bytes[LOG_KEY_BYTES])
{
    if (output->attempt_next) output->attempt_next->attempt_prev = output->attempt_prev;
    if (output->attempt_prev) {
        output->attempt_prev->attempt_next = output->attempt_next;
    } else if (output->attempt_next) {
        fl_map_put(&index->by_attempt, bytes, LOG_KEY_ATTEMPT_BYTES,
                   (uint64_t)(uintptr_t)output->attempt_next);
    } else {
        fl_map_remove(&index->by_attempt, bytes, LOG_KEY_ATTEMPT_BYTES);
    }
}

void log_index_remove(struct log_index *index, struct log_output *output)
{
    struct fl_job job = output->key.attempt.job;
    struct log_output *first = log_index_first(index, job);
    uint8_t bytes[LOG_KEY_BYTES];

    if (first == output && !output->job_next) {
        fl_map_remove(&index->by_job, &job.n, sizeof(job.n));
    } else if (first == output) {
        fl_map_put(&index->by_job, &job.n, sizeof(job.n), (uint64_t)(uintptr_t)output->job_next);
    } else {
        while (first->job_next != output) {
            first = first->job_next;
        }
        first->job_next = output->job_next;
    }
    log_key_put(bytes, &output->key);
    fl_map_remove(&index->by_key, bytes, sizeof(bytes));
    unchain_of_attempt(index, output, bytes);
    for (struct log_chunk *chunk = output->ring_first; chunk; chunk = chunk->output_next) {
        chunk->output = NULL;
    }
    if (output->marks.len > 0) drop_marks(index, output, 0, output->marks.len);
    fl_vec_fini(&output->marks);
    if (output->all_prev) {
        output->all_prev->all_next = output->all_next;
    } else {
        index->all = output->all_next;
    }
    if (output->all_next) output->all_next->all_prev = output->all_prev;
    fl_free(output);
    index->outputs_len--;
}

void log_index_mark(struct log_index *index, struct log_output *output, struct log_segment *segment,
                    uint64_t pos, uint32_t len, const struct log_run *run, uint64_t line)
{
    fl_vec_push(&output->marks, (struct log_mark){.offset = run->offset,
                                                  .end = run->end,
                                                  .line = line,
                                                  .time = run->time,
                                                  .segment = log_segment_ref(segment),
                                                  .pos = pos,
                                                  .len = len});
    index->marks_len++;
}

static void unmark(struct log_index *index, struct log_output *output,
                   const struct log_segment *segment)
{
    size_t first = 0;
    size_t end;

    while (first < output->marks.len && output->marks.at[first].segment != segment) {
        first++;
    }
    for (end = first; end < output->marks.len; end++) {
        if (output->marks.at[end].segment != segment) break;
    }
    if (end > first) drop_marks(index, output, first, end);
    if (output->unsealed_seq == segment->header.seq) output->unsealed_seq = 0;
}

void log_index_unmark(struct log_index *index, const struct log_segment *segment)
{
    for (struct log_output *output = index->all; output; output = output->all_next) {
        unmark(index, output, segment);
    }
}

void log_index_unmark_from(struct log_index *index, struct log_output *output, uint64_t offset)
{
    size_t first = output->marks.len;

    while (first > 0 && output->marks.at[first - 1].offset >= offset) {
        first--;
    }
    if (first < output->marks.len) drop_marks(index, output, first, output->marks.len);
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

void log_index_unseal(struct log_index *index, uint64_t seq)
{
    for (size_t i = 0; i < index->sealed.len; i++) {
        if (index->sealed.at[i]->header.seq != seq) continue;
        log_sealed_unref(index->sealed.at[i]);
        fl_vec_remove(&index->sealed, i);
        return;
    }
}

void log_index_seal(struct log_index *index, struct log_sealed *sealed)
{
    size_t i;

    log_index_unseal(index, sealed->header.seq);
    i = index->sealed.len;
    while (i > 0 && index->sealed.at[i - 1]->header.seq > sealed->header.seq) {
        i--;
    }
    fl_vec_insert(&index->sealed, i, sealed);
    index->births++;
}

struct log_sealed_list log_index_sealed_of(struct log_index *index, struct fl_job job,
                                           bool is_locked)
{
    struct log_sealed_list list = {0};

    if (!is_locked) log_index_lock(index);
    for (size_t i = 0; i < index->sealed.len; i++) {
        if (!log_sealed_may_have(index->sealed.at[i], job)) continue;
        fl_vec_push(&list, log_sealed_ref(index->sealed.at[i]));
    }
    if (!is_locked) log_index_unlock(index);
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
    while (index->all) {
        log_index_remove(index, index->all);
    }
    for (size_t i = 0; i < index->sealed.len; i++) {
        log_sealed_unref(index->sealed.at[i]);
    }
    fl_vec_fini(&index->sealed);
    fl_map_fini(&index->by_key);
    fl_map_fini(&index->by_job);
    fl_map_fini(&index->by_attempt);
    fl_map_fini(&index->forgotten);
    fl_assert(pthread_mutex_destroy(&index->lock) == 0);
}

/* ---- look-ups: the ends of outputs ----------------------------------------------------------- */

static int known_cmp(const void *a, const void *b)
{
    const struct log_known *x = a;
    const struct log_known *y = b;
    int by_key = log_key_cmp(&x->key, &y->key);

    if (by_key != 0) return by_key;
    if (x->place.offset != y->place.offset) return x->place.offset < y->place.offset ? -1 : 1;
    return x->is_ended - y->is_ended;
}

static bool add_sealed(const struct log_sealed *sealed, struct fl_job job,
                       struct log_known_list *list, struct fl_err *err)
{
    struct log_key first = {.attempt = {.job = job}};
    struct log_sealed_output output;
    uint32_t i;

    if (!log_sealed_lower_bound(sealed, &first, &i, err)) return false;
    for (; i < sealed->outputs_len; i++) {
        if (!log_sealed_output_at(sealed, i, &output, err)) return false;
        if (output.key.attempt.job.n != job.n) break;
        fl_vec_push(list, (struct log_known){output.key, output.place, output.is_ended});
    }
    return true;
}

bool log_index_known(struct log_index *index, struct fl_job job, size_t outputs_max,
                     struct log_known_list *ret_list, struct fl_err *err)
{
    struct log_known_list list = {0};
    struct log_sealed_list sealed;
    bool is_read = true;
    size_t len = 0;

    log_index_lock(index);
    if (fl_map_find(&index->forgotten, &job.n, sizeof(job.n), NULL)) {
        log_index_unlock(index);
        *ret_list = list;
        return true;
    }
    for (struct log_output *output = log_index_first(index, job); output;
         output = output->job_next) {
        fl_vec_push(&list, (struct log_known){output->key, output->place, output->is_ended});
    }
    sealed = log_index_sealed_of(index, job, true);
    log_index_unlock(index);
    for (size_t i = 0; is_read && i < sealed.len; i++) {
        is_read = add_sealed(sealed.at[i], job, &list, err);
    }
    log_sealed_list_fini(&sealed);
    if (list.len > 0) qsort(list.at, list.len, sizeof(list.at[0]), known_cmp);
    for (size_t i = 0; i < list.len; i++) { /* equal keys: the last entry is the furthest */
        if (i + 1 < list.len && log_key_cmp(&list.at[i].key, &list.at[i + 1].key) == 0) continue;
        list.at[len++] = list.at[i];
    }
    list.len = len;
    if (is_read && len > outputs_max) {
        is_read = fl_fail(err, FL_TOO_LARGE,
                          "the job has %zu outputs, at most %zu are read at once: name an element "
                          "or a replica",
                          len, outputs_max);
    }
    if (is_read) {
        *ret_list = list;
    } else {
        fl_vec_fini(&list);
    }
    return is_read;
}

static void put_length(uint64_t lengths[FL_JOB_REPLICAS_MAX], const struct log_key *key,
                       uint64_t length)
{
    if (key->replica >= FL_JOB_REPLICAS_MAX || lengths[key->replica] >= length) return;
    lengths[key->replica] = length;
}

static void put_sealed_lengths(const struct log_sealed *sealed, struct fl_attempt attempt,
                               uint64_t lengths[FL_JOB_REPLICAS_MAX])
{
    struct log_key first = {.attempt = attempt};
    struct log_sealed_output output;
    struct fl_err err = {0};
    uint32_t i;

    if (!log_sealed_lower_bound(sealed, &first, &i, &err)) return;
    for (; i < sealed->outputs_len; i++) {
        if (!log_sealed_output_at(sealed, i, &output, &err)) return;
        if (!fl_attempt_is_same(output.key.attempt, attempt)) return;
        put_length(lengths, &output.key, output.place.offset);
    }
}

void log_index_lengths(struct log_index *index, struct fl_attempt attempt,
                       uint64_t ret_lengths[FL_JOB_REPLICAS_MAX])
{
    struct log_sealed_list sealed;
    uint8_t bytes[LOG_KEY_BYTES];

    log_key_put(bytes, &(struct log_key){.attempt = attempt});
    memset(ret_lengths, 0, FL_JOB_REPLICAS_MAX * sizeof(ret_lengths[0]));
    log_index_lock(index);
    for (const struct log_output *output = first_of_attempt(index, bytes); output;
         output = output->attempt_next) {
        put_length(ret_lengths, &output->key, output->place.offset);
    }
    sealed = log_index_sealed_of(index, attempt.job, true);
    log_index_unlock(index);
    for (size_t i = 0; i < sealed.len; i++) {
        put_sealed_lengths(sealed.at[i], attempt, ret_lengths);
    }
    log_sealed_list_fini(&sealed);
}

bool log_index_has_attempt(struct log_index *index, struct fl_attempt attempt)
{
    uint8_t bytes[LOG_KEY_BYTES];
    bool is_there;

    log_key_put(bytes, &(struct log_key){.attempt = attempt});
    log_index_lock(index);
    is_there = first_of_attempt(index, bytes) != NULL;
    log_index_unlock(index);
    return is_there;
}

/* ---- look-ups: parts ------------------------------------------------------------------------- */

void log_part_fini(struct log_part *part)
{
    log_chunk_unref(part->chunk);
    log_segment_unref(part->segment);
    log_sealed_unref(part->sealed);
    *part = (struct log_part){0};
}

/* The best parts so far: the last that begins at or before the value, and the first behind it. */
struct search {
    enum log_by by;
    uint64_t value;
    bool has_before, has_behind;
    struct log_part before, behind;
};

static uint64_t field(const struct log_part *part, enum log_by by)
{
    switch (by) {
    case LOG_BY_OFFSET:
        return part->offset;
    case LOG_BY_LINE:
        return part->line;
    case LOG_BY_TIME:
        return part->time < 0 ? 0 : (uint64_t)part->time;
    }
    return 0;
}

static void hold(struct log_part *best, const struct log_part *part)
{
    log_part_fini(best);
    *best = *part;
    if (part->chunk) atomic_fetch_add(&part->chunk->refs, 1);
    if (part->segment) log_segment_ref(part->segment);
    if (part->sealed) log_sealed_ref(part->sealed);
}

/* Takes a part if it is better.  An equally good part does not replace an earlier one: the ring
 * comes first, then marks, then sealed files. */
static void offer(struct search *search, const struct log_part *part)
{
    if (field(part, search->by) <= search->value) {
        if (search->has_before && part->offset <= search->before.offset) return;
        search->has_before = true;
        hold(&search->before, part);
    } else {
        if (search->has_behind && part->offset >= search->behind.offset) return;
        search->has_behind = true;
        hold(&search->behind, part);
    }
}

/* Offers the ring's chunks from the newest back: followers need those; older ones come from the
 * file. */
static void offer_chunks(struct search *search, const struct log_output *output)
{
    struct log_chunk *chunk = output->ring_last;

    for (int steps = 0; chunk && steps < RING_STEPS_MAX; steps++, chunk = chunk->output_prev) {
        struct log_part part = {.offset = chunk->run.offset,
                                .end = chunk->run.end,
                                .line = chunk->line,
                                .time = chunk->run.time,
                                .chunk = chunk,
                                .len = chunk->len};

        offer(search, &part);
        if (field(&part, search->by) <= search->value) break;
    }
}

static void offer_mark(struct search *search, const struct log_mark *mark)
{
    offer(search, &(struct log_part){.offset = mark->offset,
                                     .end = mark->end,
                                     .line = mark->line,
                                     .time = mark->time,
                                     .segment = mark->segment,
                                     .pos = mark->pos,
                                     .len = mark->len});
}

static void offer_marks(struct search *search, const struct log_output *output)
{
    size_t low = 0;
    size_t high = output->marks.len;

    while (low < high) { /* finds the first mark behind the value */
        size_t middle = low + (high - low) / 2;
        const struct log_mark *mark = &output->marks.at[middle];
        struct log_part part = {.offset = mark->offset, .line = mark->line, .time = mark->time};

        if (field(&part, search->by) <= search->value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0) offer_mark(search, &output->marks.at[low - 1]);
    if (low < output->marks.len) offer_mark(search, &output->marks.at[low]);
}

static bool piece_part(struct log_sealed *sealed, uint32_t i, struct log_part *ret_part,
                       struct fl_err *err)
{
    struct log_sealed_piece piece;

    if (!log_sealed_piece_at(sealed, i, &piece, err)) return false;
    *ret_part = (struct log_part){.offset = piece.offset,
                                  .end = piece.end,
                                  .line = piece.line,
                                  .time = piece.time,
                                  .sealed = sealed,
                                  .pos = piece.pos,
                                  .block = piece.block,
                                  .len = piece.len};
    return true;
}

static bool offer_sealed(struct search *search, struct log_sealed *sealed,
                         const struct log_key *key, struct fl_err *err)
{
    struct log_sealed_output output;
    struct log_part part;
    uint32_t low;
    uint32_t high;
    uint32_t end;

    if (!log_sealed_lower_bound(sealed, key, &low, err)) return false;
    if (low == sealed->outputs_len) return true;
    if (!log_sealed_output_at(sealed, low, &output, err)) return false;
    if (log_key_cmp(&output.key, key) != 0) return true;
    low = output.piece;
    high = end = output.piece + output.pieces_len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (!piece_part(sealed, middle, &part, err)) return false;
        if (field(&part, search->by) <= search->value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > output.piece) {
        if (!piece_part(sealed, low - 1, &part, err)) return false;
        offer(search, &part);
    }
    if (low < end) {
        if (!piece_part(sealed, low, &part, err)) return false;
        offer(search, &part);
    }
    return true;
}

/* Chooses between the two parts; false: neither will do. */
static bool choose(struct search *search, struct log_part *ret_part)
{
    bool is_before = search->has_before;

    if (search->by == LOG_BY_OFFSET && search->before.end <= search->value) is_before = false;
    if (!is_before && !search->has_behind) {
        log_part_fini(&search->before);
        return false;
    }
    *ret_part = is_before ? search->before : search->behind;
    log_part_fini(is_before ? &search->behind : &search->before);
    return true;
}

bool log_index_part(struct log_index *index, const struct log_key *key, enum log_by by,
                    uint64_t value, struct log_part *ret_part, struct fl_err *err)
{
    struct search search = {.by = by, .value = value};
    struct log_sealed_list sealed = {0};
    const struct log_output *output;
    bool is_read = true;

    log_index_lock(index);
    output = log_index_find(index, key);
    if (output) {
        offer_chunks(&search, output);
        offer_marks(&search, output);
    }
    /* By offset, a part that holds the value is final; in other cases a file may have a better. */
    if (by != LOG_BY_OFFSET || !search.has_before || search.before.end <= value) {
        sealed = log_index_sealed_of(index, key->attempt.job, true);
    }
    log_index_unlock(index);
    for (size_t i = 0; is_read && i < sealed.len; i++) {
        is_read = offer_sealed(&search, sealed.at[i], key, err);
    }
    log_sealed_list_fini(&sealed);
    if (!is_read) {
        log_part_fini(&search.before);
        log_part_fini(&search.behind);
        return false;
    }
    return choose(&search, ret_part) || fl_fail(err, FL_ABSENT, "nothing is stored there");
}
