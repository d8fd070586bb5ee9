#include "shared/base/buf.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

#define CAP_MIN 128
#define CAP_FEW 1024 /* up to here it grows in fewer steps */

/* ---- writing --------------------------------------------------------------------------------- */

void fl_buf_init(struct fl_buf *buf, size_t bytes_max)
{
    *buf = (struct fl_buf){.max = bytes_max};
}

void fl_buf_init_in(struct fl_buf *buf, size_t bytes_max, struct fl_arena *arena)
{
    *buf = (struct fl_buf){.max = bytes_max, .arena = arena};
}

struct fl_str fl_buf_take(struct fl_buf *buf)
{
    struct fl_str taken = {0};

    fl_assert(buf->arena);
    if (buf->len > 0) {
        taken.at = fl_arena_resize(buf->arena, buf->at, buf->cap, buf->len);
        taken.len = buf->len;
    }
    *buf = (struct fl_buf){0};
    return taken;
}

void fl_buf_fini(struct fl_buf *buf)
{
    if (!buf) return;
    if (!buf->arena) fl_free(buf->at);
    *buf = (struct fl_buf){0};
}

void fl_buf_clear(struct fl_buf *buf)
{
    buf->len = 0;
    buf->is_over = false;
}

void fl_buf_truncate(struct fl_buf *buf, size_t len)
{
    fl_assert(len <= buf->len);
    buf->len = len;
    buf->is_over = false;
}

static void set_cap(struct fl_buf *buf, size_t cap)
{
    if (buf->arena) {
        buf->at = fl_arena_resize(buf->arena, buf->at, buf->cap, cap);
    } else {
        buf->at = fl_realloc_array(buf->at, uint8_t, cap);
    }
    buf->cap = cap;
}

void fl_buf_reserve(struct fl_buf *buf, size_t bytes)
{
    if (bytes > buf->max) bytes = buf->max;
    if (bytes > buf->cap) set_cap(buf, bytes);
}

static void grow(struct fl_buf *buf, size_t len)
{
    size_t factor = buf->cap < CAP_FEW ? 4 : 2;
    size_t cap = buf->cap < buf->max / factor ? buf->cap * factor : buf->max;

    if (cap < buf->len + len) cap = buf->len + len;
    if (cap < CAP_MIN) cap = CAP_MIN < buf->max ? CAP_MIN : buf->max;
    set_cap(buf, cap);
}

uint8_t *fl_buf_room_by_growing(struct fl_buf *buf, size_t len)
{
    if (buf->is_over || len > buf->max - buf->len) {
        buf->is_over = true;
        return NULL;
    }
    grow(buf, len);
    return fl_buf_room(buf, len);
}

/* Compilers make one store of this on little-endian machines. */
static void store(uint8_t *at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
}

static bool put_number(struct fl_buf *buf, uint64_t v, size_t bytes)
{
    uint8_t *at = fl_buf_room(buf, bytes);

    if (!at) return false;
    store(at, v, bytes);
    return true;
}

static size_t encode_var(uint8_t at[FL_VAR_BYTES_MAX], uint64_t v)
{
    size_t len = 0;

    for (; v > 127; v >>= 7) {
        at[len++] = (uint8_t)(v | 128);
    }
    at[len++] = (uint8_t)v;
    return len;
}

bool fl_buf_put_u16(struct fl_buf *buf, uint16_t v)
{
    return put_number(buf, v, 2);
}

bool fl_buf_put_u32(struct fl_buf *buf, uint32_t v)
{
    return put_number(buf, v, 4);
}

bool fl_buf_put_u64(struct fl_buf *buf, uint64_t v)
{
    return put_number(buf, v, 8);
}

bool fl_buf_put_i32(struct fl_buf *buf, int32_t v)
{
    return put_number(buf, (uint32_t)v, 4);
}

bool fl_buf_put_i64(struct fl_buf *buf, int64_t v)
{
    return put_number(buf, (uint64_t)v, 8);
}

bool fl_buf_put_var(struct fl_buf *buf, uint64_t v)
{
    uint8_t var[FL_VAR_BYTES_MAX];

    return fl_buf_put(buf, var, encode_var(var, v));
}

bool fl_buf_put_bytes(struct fl_buf *buf, const void *ptr, size_t len)
{
    uint8_t var[FL_VAR_BYTES_MAX];
    size_t var_len = encode_var(var, len);
    size_t both_len;
    uint8_t *at;

    if (__builtin_add_overflow(var_len, len, &both_len)) both_len = SIZE_MAX;
    at = fl_buf_room(buf, both_len);
    if (!at) return false;
    memcpy(at, var, var_len);
    if (len) memcpy(at + var_len, ptr, len);
    return true;
}

bool fl_buf_put_str(struct fl_buf *buf, struct fl_str s)
{
    return fl_buf_put_bytes(buf, s.at, s.len);
}

void fl_buf_patch_u32(struct fl_buf *buf, size_t at, uint32_t v)
{
    fl_assert(buf->len >= 4 && at <= buf->len - 4);
    store(buf->at + at, v, 4);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct fl_reader fl_reader(const void *ptr, size_t len)
{
    return (struct fl_reader){.at = ptr, .len = len};
}

/* The next 'len' > 0 bytes, which are consumed; NULL when they are not there. */
static const uint8_t *next(struct fl_reader *reader, size_t len)
{
    const uint8_t *at;

    if (reader->is_bad || len > reader->len - reader->pos) {
        reader->is_bad = true;
        return NULL;
    }
    at = reader->at + reader->pos;
    reader->pos += len;
    return at;
}

static uint64_t read_number(struct fl_reader *reader, size_t bytes)
{
    const uint8_t *at = next(reader, bytes);
    uint64_t v = 0;

    if (!at) return 0;
    for (size_t i = 0; i < bytes; i++) {
        v |= (uint64_t)at[i] << (8 * i);
    }
    return v;
}

uint8_t fl_read_u8(struct fl_reader *reader)
{
    return (uint8_t)read_number(reader, 1);
}

uint16_t fl_read_u16(struct fl_reader *reader)
{
    return (uint16_t)read_number(reader, 2);
}

uint32_t fl_read_u32(struct fl_reader *reader)
{
    return (uint32_t)read_number(reader, 4);
}

uint64_t fl_read_u64(struct fl_reader *reader)
{
    return read_number(reader, 8);
}

int32_t fl_read_i32(struct fl_reader *reader)
{
    return (int32_t)(uint32_t)read_number(reader, 4);
}

int64_t fl_read_i64(struct fl_reader *reader)
{
    return (int64_t)read_number(reader, 8);
}

uint64_t fl_read_var(struct fl_reader *reader)
{
    uint64_t v = 0;

    for (uint32_t shift = 0; shift < 64; shift += 7) {
        const uint8_t *at = next(reader, 1);

        if (!at) return 0;
        if (shift == 63 && *at > 1) break; /* over 64 bits, or it would go on */
        if (*at == 0 && shift > 0) break;  /* a last byte that adds nothing */
        v |= (uint64_t)(*at & 127) << shift;
        if (*at < 128) return v;
    }
    reader->is_bad = true;
    return 0;
}

struct fl_str fl_read_raw(struct fl_reader *reader, size_t len)
{
    const uint8_t *at;

    if (len == 0) return (struct fl_str){0};
    at = next(reader, len);
    return at ? (struct fl_str){(const char *)at, len} : (struct fl_str){0};
}

struct fl_str fl_read_bytes(struct fl_reader *reader, size_t bytes_max)
{
    uint64_t len = fl_read_var(reader);

    if (len > bytes_max) {
        reader->is_bad = true;
        return (struct fl_str){0};
    }
    return fl_read_raw(reader, (size_t)len);
}

bool fl_reader_is_done(const struct fl_reader *reader)
{
    return !reader->is_bad && reader->pos == reader->len;
}
