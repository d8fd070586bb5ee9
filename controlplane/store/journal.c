#include "controlplane/store/journal.h"

#include <inttypes.h>
#include <zstd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

/* The fastest of its levels that still finds what rows repeat: more would cost the engine's thread more than it
 * spares Postgres. */
enum { LEVEL = 1 };

struct journal_packer {
    ZSTD_CCtx *zstd;
    uint8_t *at;
    size_t cap;
};

struct journal_packer *journal_packer_create(void)
{
    struct journal_packer *packer = fl_new(struct journal_packer);

    packer->zstd = ZSTD_createCCtx();
    fl_assert(packer->zstd);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
    return packer;
}

void journal_packer_destroy(struct journal_packer *packer)
{
    if (!packer) return;
    ZSTD_freeCCtx(packer->zstd);
    fl_free(packer->at);
    fl_free(packer);
}

static void make_room(struct journal_packer *packer, size_t bytes)
{
    if (bytes <= packer->cap && packer->cap <= JOURNAL_KEPT_BYTES) return;
    fl_free(packer->at);
    packer->cap = bytes;
    packer->at = fl_alloc(bytes);
}

struct fl_str journal_pack(struct journal_packer *packer, struct fl_str rows)
{
    size_t packed;

    fl_assert(rows.len <= JOURNAL_ROWS_BYTES_MAX);
    if (rows.len == 0) return (struct fl_str){"", 0};
    make_room(packer, ZSTD_compressBound(rows.len));
    packed = ZSTD_compress2(packer->zstd, packer->at, packer->cap, rows.at, rows.len);
    fl_assert(!ZSTD_isError(packed)); /* there is room for the worst */
    return (struct fl_str){(const char *)packer->at, packed};
}

bool journal_unpack(struct fl_str body, struct fl_arena *arena, struct fl_str *ret_rows,
                    struct fl_err *err)
{
    unsigned long long bytes;
    char *rows;
    size_t got;

    *ret_rows = (struct fl_str){0};
    if (body.len == 0) return true;
    bytes = ZSTD_getFrameContentSize(body.at, body.len);
    if (bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes == ZSTD_CONTENTSIZE_ERROR || bytes == 0) {
        return fl_fail(err, FL_TORN, "its %zu bytes are not packed rows", body.len);
    }
    if (bytes > JOURNAL_ROWS_BYTES_MAX) {
        return fl_fail(err, FL_TORN,
                       "says to be %llu bytes of rows, which is more than there can be", bytes);
    }
    rows = fl_arena_alloc(arena, (size_t)bytes);
    got = ZSTD_decompress(rows, (size_t)bytes, body.at, body.len);
    if (ZSTD_isError(got)) {
        return fl_fail(err, FL_TORN, "its %zu bytes: %s", body.len, ZSTD_getErrorName(got));
    }
    if (got != bytes) return fl_fail(err, FL_TORN, "%zu of %llu bytes of rows", got, bytes);
    *ret_rows = (struct fl_str){rows, got};
    return true;
}
