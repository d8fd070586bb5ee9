#include "controlplane/core/pair_table.h"

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { WORD_BITS = 64 };

static size_t words_of(uint32_t elements)
{
    return ((size_t)elements + WORD_BITS - 1) / WORD_BITS;
}

static uint64_t bit_of(uint32_t place)
{
    return UINT64_C(1) << (place % WORD_BITS);
}

static void fill(uint64_t *words, uint32_t elements)
{
    for (size_t i = 0; i < words_of(elements); i++) {
        words[i] = UINT64_MAX;
    }
    if (elements % WORD_BITS) words[elements / WORD_BITS] = bit_of(elements) - 1;
}

static void destroy(struct pair *pair)
{
    fl_free(pair->waiting);
    fl_free(pair->ready);
    fl_free(pair);
}

void pair_table_fini(struct pair_table *table)
{
    for (size_t i = 0; i < table->pairs.len; i++) {
        destroy(table->pairs.at[i]);
    }
    fl_vec_fini(&table->pairs);
}

bool pair_table_has_room(const struct pair_table *table, uint32_t elements)
{
    return table->pairs.len < PAIRS_MAX && elements <= PAIR_ELEMENTS_MAX - table->elements;
}

struct pair *pair_table_add(struct pair_table *table, struct job_slot job, struct job_slot target,
                            uint32_t elements)
{
    struct pair *pair = fl_new(struct pair);

    fl_assert(pair_table_has_room(table, elements));
    pair->job = job;
    pair->target = target;
    pair->elements = elements;
    pair->waiting = fl_new_array(uint64_t, words_of(elements));
    pair->ready = fl_new_array(uint64_t, words_of(elements));
    if (target.n) {
        fill(pair->waiting, elements);
        pair->waiting_len = elements;
    } else {
        fill(pair->ready, elements);
        pair->ready_len = elements;
    }
    pair->place_in_table = table->pairs.len;
    fl_vec_push(&table->pairs, pair);
    table->elements += elements;
    return pair;
}

void pair_table_remove(struct pair_table *table, struct pair *pair)
{
    struct pair *last = table->pairs.at[--table->pairs.len];

    last->place_in_table = pair->place_in_table;
    table->pairs.at[last->place_in_table] = last;
    table->elements -= pair->elements;
    destroy(pair);
}

bool pair_waits(const struct pair *pair, uint32_t place)
{
    fl_assert(place < pair->elements);
    return (pair->waiting[place / WORD_BITS] & bit_of(place)) != 0;
}

bool pair_is_ready(const struct pair *pair, uint32_t place)
{
    fl_assert(place < pair->elements);
    return (pair->ready[place / WORD_BITS] & bit_of(place)) != 0;
}

bool pair_make_ready(struct pair *pair, uint32_t place)
{
    if (!pair_waits(pair, place)) return false;
    pair->waiting[place / WORD_BITS] &= ~bit_of(place);
    pair->waiting_len--;
    pair->ready[place / WORD_BITS] |= bit_of(place);
    pair->ready_len++;
    if (place < pair->ready_from) pair->ready_from = place;
    return true;
}

/* Those that wait, of these bits of a word, may start. */
static void make_word_ready(struct pair *pair, size_t word, uint64_t bits)
{
    uint32_t count;

    bits &= pair->waiting[word];
    count = (uint32_t)__builtin_popcountll(bits);
    pair->waiting[word] &= ~bits;
    pair->waiting_len -= count;
    pair->ready[word] |= bits;
    pair->ready_len += count;
}

void pair_make_ready_before(struct pair *pair, uint32_t to)
{
    fl_assert(to <= pair->elements && pair->ready_from == 0);
    for (size_t word = 0; word < to / WORD_BITS; word++) {
        make_word_ready(pair, word, UINT64_MAX);
    }
    if (to % WORD_BITS) make_word_ready(pair, to / WORD_BITS, bit_of(to) - 1);
}

void pair_make_ready_begun(struct pair *pair, const struct pair *target)
{
    fl_assert(pair->elements == target->elements && pair->ready_from == 0);
    for (size_t word = 0; word < words_of(pair->elements); word++) {
        make_word_ready(pair, word, ~(target->waiting[word] | target->ready[word]));
    }
}

void pair_wait_again(struct pair *pair, uint32_t place)
{
    fl_assert(pair_is_ready(pair, place));
    pair->ready[place / WORD_BITS] &= ~bit_of(place);
    pair->ready_len--;
    pair->waiting[place / WORD_BITS] |= bit_of(place);
    pair->waiting_len++;
}

bool pair_take(struct pair *pair, uint32_t place)
{
    if (pair_waits(pair, place)) {
        pair->waiting[place / WORD_BITS] &= ~bit_of(place);
        pair->waiting_len--;
        return true;
    }
    if (!pair_is_ready(pair, place)) return false;
    pair->ready[place / WORD_BITS] &= ~bit_of(place);
    pair->ready_len--;
    return true;
}

/* The first bit, from a place on, of either set; UINT32_MAX: none. */
static uint32_t next_of(const struct pair *pair, uint32_t from, bool is_ready_only)
{
    for (size_t word = from / WORD_BITS; from < pair->elements && word < words_of(pair->elements);
         word++) {
        uint64_t bits = pair->ready[word] | (is_ready_only ? 0 : pair->waiting[word]);

        if (word == from / WORD_BITS) bits &= UINT64_MAX << (from % WORD_BITS);
        if (bits) return (uint32_t)(word * WORD_BITS) + (uint32_t)__builtin_ctzll(bits);
    }
    return UINT32_MAX;
}

uint32_t pair_first_ready(struct pair *pair)
{
    fl_assert(pair->ready_len > 0);
    pair->ready_from = next_of(pair, pair->ready_from, true);
    fl_assert(pair->ready_from < pair->elements);
    return pair->ready_from;
}

uint32_t pair_first_left(struct pair *pair)
{
    fl_assert(pair->waiting_len + pair->ready_len > 0);
    pair->left_from = next_of(pair, pair->left_from, false);
    return pair->left_from;
}

uint32_t pair_next_left(const struct pair *pair, uint32_t from)
{
    return next_of(pair, from, false);
}
