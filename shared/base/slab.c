#include "shared/base/slab.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/poison.h"

/* A chunk holds at most this many bytes of records; a larger record has a chunk to itself. */
#define CHUNK_BYTES ((size_t)64 << 10)

static uint32_t chunk_records(const struct fl_slab *slab)
{
    return (uint32_t)1 << slab->chunk_shift;
}

static size_t chunk_bytes(const struct fl_slab *slab)
{
    return chunk_records(slab) * slab->record_bytes + (chunk_records(slab) + 63) / 64 * 8;
}

/* The word of bits that says whether the slot is taken, and which bit. */
static uint64_t *taken_word(const struct fl_slab *slab, uint32_t slot, uint64_t *ret_bit)
{
    uint32_t i = (slot - 1) & (chunk_records(slab) - 1);
    uint8_t *chunk = slab->chunks[(slot - 1) >> slab->chunk_shift];

    *ret_bit = (uint64_t)1 << (i & 63);
    return (uint64_t *)(void *)(chunk + chunk_records(slab) * slab->record_bytes) + (i >> 6);
}

static void add_chunk(struct fl_slab *slab)
{
    uint8_t *chunk = fl_alloc(chunk_bytes(slab));

    if (slab->chunks_len == slab->chunks_cap) {
        slab->chunks_cap = slab->chunks_cap ? slab->chunks_cap * 2 : 4;
        slab->chunks = fl_realloc_array(slab->chunks, uint8_t *, slab->chunks_cap);
    }
    slab->chunks[slab->chunks_len++] = chunk;
    fl_poison(chunk, chunk_records(slab) * slab->record_bytes);
}

void fl_slab_init(struct fl_slab *slab, size_t record_bytes, uint32_t records_max)
{
    fl_assert(record_bytes > 0 && record_bytes <= SIZE_MAX / 4);
    *slab = (struct fl_slab){
        .record_bytes = (record_bytes + 7) & ~(size_t)7,
        .records_max = records_max,
    };
    while (slab->record_bytes << (slab->chunk_shift + 1) <= CHUNK_BYTES &&
           chunk_records(slab) < records_max) {
        slab->chunk_shift++;
    }
}

void fl_slab_fini(struct fl_slab *slab)
{
    if (!slab) return;
    for (size_t i = 0; i < slab->chunks_len; i++) {
        fl_unpoison(slab->chunks[i], chunk_bytes(slab));
        fl_free(slab->chunks[i]);
    }
    fl_free(slab->chunks);
    *slab = (struct fl_slab){0};
}

uint32_t fl_slab_take(struct fl_slab *slab)
{
    uint64_t bit;
    uint64_t *word;
    uint32_t slot = slab->free;

    if (slot) {
        void *record = fl_slab_at(slab, slot);

        fl_unpoison(record, slab->record_bytes);
        memcpy(&slab->free, record, sizeof(slab->free));
        memset(record, 0, slab->record_bytes);
    } else {
        if (slab->used == slab->records_max) return 0;
        if (slab->used == slab->chunks_len << slab->chunk_shift) add_chunk(slab);
        slot = ++slab->used;
        fl_unpoison(fl_slab_at(slab, slot), slab->record_bytes); /* the chunk was zeroed */
    }
    word = taken_word(slab, slot, &bit);
    *word |= bit;
    slab->len++;
    return slot;
}

void fl_slab_give(struct fl_slab *slab, uint32_t slot)
{
    void *record = fl_slab_at(slab, slot);
    uint64_t bit;
    uint64_t *word = taken_word(slab, slot, &bit);

    fl_assert(*word & bit);
    *word &= ~bit;
    memcpy(record, &slab->free, sizeof(slab->free));
    fl_poison(record, slab->record_bytes);
    slab->free = slot;
    slab->len--;
}

bool fl_slab_is_taken(const struct fl_slab *slab, uint32_t slot)
{
    uint64_t bit;

    return slot - 1 < slab->used && (*taken_word(slab, slot, &bit) & bit) != 0;
}

size_t fl_slab_bytes(const struct fl_slab *slab)
{
    return slab->chunks_len * chunk_bytes(slab) + slab->chunks_cap * sizeof(slab->chunks[0]);
}
