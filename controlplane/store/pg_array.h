/* pg_array.h - a one-dimensional array as Postgres takes it in binary: one column of many rows.
 * Memory is kept from one use to the next.  The functions that append are inline: they run for each
 * value of each row that is written.
 * Uses shared/base and Postgres's type numbers. */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "controlplane/store/pg_type.h"
#include "shared/base/str.h"

struct pg_array { /* {0} is fine */
    uint8_t *at;
    size_t len, cap;
    uint32_t items, nulls;
};

void pg_array_fini(struct pg_array *array);  /* leaves {0} */
void pg_array_start(struct pg_array *array); /* empties it */

void pg_array_grow(struct pg_array *array, size_t bytes); /* room for so many more */

static inline uint8_t *pg_array_item(struct pg_array *array, size_t bytes, uint32_t len)
{
    uint8_t *at;

    if (array->cap - array->len < 4 + bytes) pg_array_grow(array, 4 + bytes);
    at = array->at + array->len;
    len = htobe32(len);
    memcpy(at, &len, 4);
    array->len += 4 + bytes;
    array->items++;
    return at + 4;
}

static inline void pg_array_put_null(struct pg_array *array)
{
    (void)pg_array_item(array, 0, UINT32_MAX);
    array->nulls++;
}

static inline void pg_array_put_bytes(struct pg_array *array, const void *ptr, size_t bytes)
{
    uint8_t *at = pg_array_item(array, bytes, (uint32_t)bytes);

    if (bytes > 0) memcpy(at, ptr, bytes);
}

/* Unsigned numbers are stored bit for bit. */
static inline void pg_array_put_i64(struct pg_array *array, uint64_t v)
{
    v = htobe64(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

static inline void pg_array_put_i32(struct pg_array *array, uint32_t v)
{
    v = htobe32(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

static inline void pg_array_put_i16(struct pg_array *array, uint16_t v)
{
    v = htobe16(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

static inline void pg_array_put_bool(struct pg_array *array, uint8_t v)
{
    v = v != 0;
    pg_array_put_bytes(array, &v, 1);
}

static inline void pg_array_put_str(struct pg_array *array, struct fl_str s)
{
    pg_array_put_bytes(array, s.at, s.len);
}

/* An empty text becomes NULL. */
static inline void pg_array_put_some(struct pg_array *array, struct fl_str s)
{
    if (s.len == 0) {
        pg_array_put_null(array);
    } else {
        pg_array_put_str(array, s);
    }
}

Oid pg_array_type(Oid element); /* the array's type */

/* Whether all items are one and the same; then its value. */
bool pg_array_is_one(const struct pg_array *array);
struct pg_value pg_array_one(const struct pg_array *array);

/* The finished array, or NULL where nothing but NULLs was put in: beside others that have values,
 * unnest gives the same rows for it, and Postgres walks nothing.  Valid until it changes. */
struct pg_value pg_array_value(struct pg_array *array, Oid element);
