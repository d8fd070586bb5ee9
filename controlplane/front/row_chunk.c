#include "controlplane/front/row_chunk.h"

#include <stdatomic.h>
#include <string.h>

#include "shared/base/alloc.h"

struct row_chunk {
    atomic_uint holders;
    size_t len;
    char at[];
};

struct row_chunk *row_chunk_create(struct fl_str rows)
{
    struct row_chunk *chunk = fl_alloc(sizeof *chunk + rows.len);

    atomic_init(&chunk->holders, 1);
    chunk->len = rows.len;
    if (rows.len > 0) memcpy(chunk->at, rows.at, rows.len);
    return chunk;
}

struct row_chunk *row_chunk_share(struct row_chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->holders, 1, memory_order_relaxed);
    return chunk;
}

void row_chunk_release(struct row_chunk *chunk)
{
    if (!chunk) return;
    if (atomic_fetch_sub_explicit(&chunk->holders, 1, memory_order_acq_rel) == 1) fl_free(chunk);
}

struct fl_str row_chunk_rows(const struct row_chunk *chunk)
{
    return (struct fl_str){chunk->at, chunk->len};
}
