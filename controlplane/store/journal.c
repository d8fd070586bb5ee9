#include "controlplane/store/journal.h"

#include <inttypes.h>
#include <threads.h>
#include <zstd.h>

#include "controlplane/core/row.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

/* zstd's fastest level that still finds repetition in rows: a higher one costs the engine's thread
 * more than it saves Postgres. */
enum { LEVEL = 1 };

enum {
    FORM = 2,         /* rows that carry their lengths */
    FORM_0001 = 0x28, /* the first byte of a zstd frame */
};

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
    make_room(packer, 1 + ZSTD_compressBound(rows.len));
    packer->at[0] = FORM;
    packed = ZSTD_compress2(packer->zstd, packer->at + 1, packer->cap - 1, rows.at, rows.len);
    fl_assert(!ZSTD_isError(packed)); /* there is room for the worst case */
    return (struct fl_str){(const char *)packer->at, 1 + packed};
}

/* A thread keeps what zstd unpacks with: to make it takes longer than to unpack a small batch. */
static once_flag is_key_made = ONCE_FLAG_INIT;
static tss_t unpacker_key;

static void free_unpacker(void *unpacker)
{
    ZSTD_freeDCtx(unpacker);
}

static void make_key(void)
{
    fl_assert(tss_create(&unpacker_key, free_unpacker) == thrd_success);
}

static ZSTD_DCtx *unpacker_of_thread(void)
{
    ZSTD_DCtx *unpacker;

    call_once(&is_key_made, make_key);
    unpacker = tss_get(unpacker_key);
    if (unpacker) return unpacker;
    unpacker = ZSTD_createDCtx();
    fl_assert(unpacker && tss_set(unpacker_key, unpacker) == thrd_success);
    return unpacker;
}

static bool unpack_frame(struct fl_str body, struct fl_arena *arena, struct fl_str *ret_rows,
                         struct fl_err *err)
{
    unsigned long long bytes;
    char *rows;
    size_t got;

    bytes = ZSTD_getFrameContentSize(body.at, body.len);
    if (bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes == ZSTD_CONTENTSIZE_ERROR || bytes == 0) {
        return fl_fail(err, FL_TORN, "its %zu bytes are not packed rows", body.len);
    }
    if (bytes > JOURNAL_ROWS_BYTES_MAX) {
        return fl_fail(err, FL_TORN,
                       "says to be %llu bytes of rows, which is more than there can be", bytes);
    }
    rows = fl_arena_alloc(arena, (size_t)bytes);
    got = ZSTD_decompressDCtx(unpacker_of_thread(), rows, (size_t)bytes, body.at, body.len);
    if (ZSTD_isError(got)) {
        return fl_fail(err, FL_TORN, "its %zu bytes: %s", body.len, ZSTD_getErrorName(got));
    }
    if (got != bytes) return fl_fail(err, FL_TORN, "%zu of %llu bytes of rows", got, bytes);
    *ret_rows = (struct fl_str){rows, got};
    return true;
}

/* Converts the rows of release 0001 to today's form. */
static bool renew(struct fl_str old, struct fl_arena *arena, struct fl_str *ret_rows,
                  struct fl_err *err)
{
    struct fl_reader reader = fl_reader(old.at, old.len);
    struct fl_buf rows;
    bool is_good = true;

    fl_buf_init(&rows, 2 * JOURNAL_ROWS_BYTES_MAX);
    while (is_good && reader.pos < reader.len) {
        struct row row;

        is_good = row_decode_0001(&reader, &row, err) && row_encode(&rows, &row);
    }
    *ret_rows = (struct fl_str){fl_arena_copy(arena, rows.at, rows.len), rows.len};
    fl_buf_fini(&rows);
    return is_good;
}

bool journal_unpack(struct fl_str body, struct fl_arena *arena, struct fl_str *ret_rows,
                    struct fl_err *err)
{
    struct fl_str frame = body;

    *ret_rows = (struct fl_str){0};
    if (body.len == 0) return true;
    if (body.at[0] == FORM_0001) {
        return unpack_frame(body, arena, &frame, err) && renew(frame, arena, ret_rows, err);
    }
    if (body.at[0] != FORM) {
        return fl_fail(err, FL_UNSUPPORTED, "its form %u is one of a newer program",
                       (unsigned)(uint8_t)body.at[0]);
    }
    frame.at++;
    frame.len--;
    return unpack_frame(frame, arena, ret_rows, err);
}
