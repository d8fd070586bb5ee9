/* buf.h - bytes being written, up to a limit, and bytes being read, never past their end.
 * Writing: numbers are little endian, 'var' is LEB128 in its shortest form.  A put that would pass
 * 'max' is refused as a whole: false, nothing written, 'is_over' set; from then on every put is
 * refused, so it is enough to look once at the end, until fl_buf_clear or fl_buf_truncate.  Memory
 * grows as needed.  Reading: the first read past the end, or of a var that is longer than it needs
 * to be or over 64 bits, sets 'is_bad' for good; it and all later reads give 0 or the empty string.
 * Strings are views into what is read.  Nothing that was read may be trusted before
 * fl_reader_is_done, or a look at is_bad.  Uses libc only.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shared/base/err.h"
#include "shared/base/str.h"

#define FL_VAR_BYTES_MAX 10

struct fl_arena;

struct fl_buf {
    uint8_t *at;
    size_t len, cap, max;
    bool is_over;
    struct fl_arena *arena; /* that its memory is from; NULL: its memory is its own */
};

void fl_buf_init(struct fl_buf *buf, size_t bytes_max); /* allocates nothing yet */
void fl_buf_fini(struct fl_buf *buf);                   /* NULL or zeroed is fine */

/* The same with memory of an arena, for bytes that live as long: take them, instead of fini. */
void fl_buf_init_in(struct fl_buf *buf, size_t bytes_max, struct fl_arena *arena);
struct fl_str fl_buf_take(struct fl_buf *buf);
void fl_buf_clear(struct fl_buf *buf); /* keeps the memory and the limit */

/* Takes the memory for so many bytes at once, if the limit allows them. */
void fl_buf_reserve(struct fl_buf *buf, size_t bytes);

/* Back to an earlier length, and not over any more. */
void fl_buf_truncate(struct fl_buf *buf, size_t len);

static inline bool fl_buf_put(struct fl_buf *buf, const void *ptr, size_t len);
/* Adds len > 0 bytes, which the caller writes where this says, before the next call; NULL: over the
 * limit. */
static inline uint8_t *fl_buf_room(struct fl_buf *buf, size_t len);
static inline bool fl_buf_put_u8(struct fl_buf *buf, uint8_t v);
bool fl_buf_put_u16(struct fl_buf *buf, uint16_t v);
bool fl_buf_put_u32(struct fl_buf *buf, uint32_t v);
bool fl_buf_put_u64(struct fl_buf *buf, uint64_t v);
bool fl_buf_put_i32(struct fl_buf *buf, int32_t v);
bool fl_buf_put_i64(struct fl_buf *buf, int64_t v);
bool fl_buf_put_var(struct fl_buf *buf, uint64_t v);
bool fl_buf_put_bytes(struct fl_buf *buf, const void *ptr, size_t len); /* var length, then bytes */
bool fl_buf_put_str(struct fl_buf *buf, struct fl_str s);               /* the same */

/* Overwrites four bytes that were written before (at + 4 <= len). */
void fl_buf_patch_u32(struct fl_buf *buf, size_t at, uint32_t v);

struct fl_reader {
    const uint8_t *at;
    size_t len, pos;
    bool is_bad;
};

struct fl_reader fl_reader(const void *ptr, size_t len);

uint8_t fl_read_u8(struct fl_reader *reader);
uint16_t fl_read_u16(struct fl_reader *reader);
uint32_t fl_read_u32(struct fl_reader *reader);
uint64_t fl_read_u64(struct fl_reader *reader);
int32_t fl_read_i32(struct fl_reader *reader);
int64_t fl_read_i64(struct fl_reader *reader);
uint64_t fl_read_var(struct fl_reader *reader);

struct fl_str fl_read_raw(struct fl_reader *reader, size_t len); /* exactly len bytes */

/* Reads bytes that fl_buf_put_bytes wrote; a length over bytes_max is bad. */
struct fl_str fl_read_bytes(struct fl_reader *reader, size_t bytes_max);

bool fl_reader_is_done(const struct fl_reader *reader); /* all consumed, and not bad */

/* ---- calls for each few bytes ---------------------------------------------------------------- */

uint8_t *fl_buf_room_by_growing(struct fl_buf *buf, size_t len); /* for fl_buf_room only */

static inline uint8_t *fl_buf_room(struct fl_buf *buf, size_t len)
{
    uint8_t *at;

    if (buf->is_over || len > buf->cap - buf->len) return fl_buf_room_by_growing(buf, len);
    at = buf->at + buf->len;
    buf->len += len;
    return at;
}

static inline bool fl_buf_put(struct fl_buf *buf, const void *ptr, size_t len)
{
    uint8_t *at;

    if (len == 0) return !buf->is_over;
    at = fl_buf_room(buf, len);
    if (!at) return false;
    memcpy(at, ptr, len);
    return true;
}

static inline bool fl_buf_put_u8(struct fl_buf *buf, uint8_t v)
{
    uint8_t *at = fl_buf_room(buf, 1);

    if (!at) return false;
    *at = v;
    return true;
}
