#include <stdlib.h>
#include <string.h>

#include "controlplane/logs/index.h"
#include "shared/base/vec.h"

#define RING_STEPS_MAX 256 /* chunks that one look-up passes, since it holds the lock */

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

/* How many outputs are listed at most; each may stand in several files. */
struct listing {
    struct log_known_list list;
    size_t outputs_max;
};

static bool add_known(struct listing *listing, const struct log_known *known, struct fl_err *err)
{
    if (listing->list.len > listing->outputs_max) {
        return fl_fail(err, FL_TOO_LARGE,
                       "the job has more than %zu outputs, which are not read at once: name an "
                       "element or a replica",
                       listing->outputs_max);
    }
    fl_vec_push(&listing->list, *known);
    return true;
}

static bool add_sealed(struct listing *listing, const struct log_sealed *sealed,
                       const struct log_key_range *range, struct fl_err *err)
{
    struct log_sealed_output output;
    uint32_t i;

    if (!log_sealed_lower_bound(sealed, &range->first, &i, err)) return false;
    for (; i < sealed->outputs_len; i++) {
        if (!log_sealed_output_at(sealed, i, &output, err)) return false;
        if (log_key_cmp(&output.key, &range->last) > 0) break;
        if (!add_known(listing, &(struct log_known){output.key, output.place, output.is_ended},
                       err)) {
            return false;
        }
    }
    return true;
}

/* Sorts the list.  If keys are equal only the last stays, which is the furthest. */
static void merge_known(struct log_known_list *list)
{
    size_t len = 0;

    if (list->len > 0) qsort(list->at, list->len, sizeof(list->at[0]), known_cmp);
    for (size_t i = 0; i < list->len; i++) {
        if (i + 1 < list->len && log_key_cmp(&list->at[i].key, &list->at[i + 1].key) == 0) continue;
        list->at[len++] = list->at[i];
    }
    list->len = len;
}

bool log_index_known(struct log_index *index, const struct log_key_range *range, size_t outputs_max,
                     struct log_known_list *ret_list, struct fl_err *err)
{
    uint64_t job = range->first.attempt.job.n;
    struct listing listing = {.outputs_max = outputs_max};
    struct log_sealed_list sealed;
    bool is_read = true;

    log_index_lock(index);
    if (fl_map_find(&index->forgotten, &job, sizeof(job), NULL)) {
        log_index_unlock(index);
        *ret_list = listing.list;
        return true;
    }
    for (const struct log_output *output = log_index_first(index, range); is_read && output;
         output = log_index_next(index, range, output)) {
        struct log_known known = {output->node.key, output->place, output->is_ended};

        is_read = add_known(&listing, &known, err);
    }
    sealed = log_index_sealed_of(index, range, true);
    log_index_unlock(index);
    for (size_t i = 0; is_read && i < sealed.len; i++) {
        is_read = add_sealed(&listing, sealed.at[i], range, err);
        merge_known(&listing.list);
    }
    log_sealed_list_fini(&sealed);
    if (!is_read) {
        fl_vec_fini(&listing.list);
        return false;
    }
    *ret_list = listing.list;
    return true;
}

bool log_index_sealed_end(struct log_index *index, struct fl_cluster cluster,
                          const struct log_key *key, struct log_known *ret_known,
                          struct fl_err *err)
{
    struct log_key_range range = {*key, *key};
    struct log_known known = {.key = *key};
    struct log_sealed_list sealed;
    bool is_read = true;

    log_index_lock(index);
    sealed = log_index_sealed_of_cluster(index, cluster, &range);
    log_index_unlock(index);
    for (size_t i = 0; is_read && i < sealed.len; i++) {
        struct log_sealed_output output;
        bool is_there;

        is_read = log_sealed_find(sealed.at[i], key, &is_there, &output, err);
        if (!is_read || !is_there) continue;
        if (output.place.offset >= known.place.offset) known.place = output.place;
        known.is_ended = known.is_ended || output.is_ended;
    }
    log_sealed_list_fini(&sealed);
    *ret_known = known;
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
    struct log_key_range range = log_key_range_of_attempt(attempt);
    struct log_sealed_list sealed;

    memset(ret_lengths, 0, FL_JOB_REPLICAS_MAX * sizeof(ret_lengths[0]));
    log_index_lock(index);
    for (const struct log_output *output = log_index_first(index, &range); output;
         output = log_index_next(index, &range, output)) {
        put_length(ret_lengths, &output->node.key, output->place.offset);
    }
    sealed = log_index_sealed_of(index, &range, true);
    log_index_unlock(index);
    for (size_t i = 0; i < sealed.len; i++) {
        put_sealed_lengths(sealed.at[i], attempt, ret_lengths);
    }
    log_sealed_list_fini(&sealed);
}

bool log_index_has_attempt(struct log_index *index, struct fl_attempt attempt)
{
    struct log_key_range range = log_key_range_of_attempt(attempt);
    bool is_there;

    log_index_lock(index);
    is_there = log_index_first(index, &range) != NULL;
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

/* Files may overlap: a merged one and those that it was made of, if the start came between the two
 * steps.  By offset, that part is wanted that holds the value, so the one that reaches further. */
static bool is_nearer(const struct search *search, const struct log_part *part)
{
    if (search->by == LOG_BY_OFFSET && part->end != search->before.end) {
        return part->end > search->before.end;
    }
    return part->offset > search->before.offset;
}

/* Takes a part if it is better.  An equally good part does not replace an earlier one: the ring
 * comes first, then marks, then sealed files. */
static void offer(struct search *search, const struct log_part *part)
{
    if (field(part, search->by) <= search->value) {
        if (search->has_before && !is_nearer(search, part)) return;
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

/* Marks in a segment that is sealed count no more: the sealed file may have less. */
static void offer_mark(struct search *search, const struct log_mark *mark)
{
    if (mark->segment->is_removed) return;
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
    /* The next one may be of a segment that is sealed, with nothing of it kept. */
    while (low < output->marks.len && output->marks.at[low].segment->is_removed) {
        low++;
    }
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
    bool is_there;
    uint32_t low;
    uint32_t high;
    uint32_t end;

    if (!log_sealed_find(sealed, key, &is_there, &output, err)) return false;
    if (!is_there) return true;
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
    struct log_key_range range = {*key, *key};
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
        sealed = log_index_sealed_of(index, &range, true);
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
