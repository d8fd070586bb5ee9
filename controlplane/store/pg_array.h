/* pg_array.h - a one-dimensional array as Postgres takes it in binary: one column of many rows.
 * Memory is kept from one use to the next.
 * Uses shared/base and Postgres's type numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "controlplane/store/pg_type.h"
#include "shared/base/str.h"

struct pg_array { /* {0} is fine */
    uint8_t *at;
    size_t len, cap;
    uint32_t items;
    bool has_nulls;
};

void pg_array_fini(struct pg_array *array);  /* leaves {0} */
void pg_array_start(struct pg_array *array); /* empties it */

/* Unsigned numbers are stored bit for bit. */
void pg_array_put_i64(struct pg_array *array, uint64_t v);
void pg_array_put_i32(struct pg_array *array, uint32_t v);
void pg_array_put_i16(struct pg_array *array, uint16_t v);
void pg_array_put_bool(struct pg_array *array, uint8_t v);
void pg_array_put_bytes(struct pg_array *array, const void *ptr, size_t bytes);
void pg_array_put_str(struct pg_array *array, struct fl_str s);
void pg_array_put_some(struct pg_array *array, struct fl_str s); /* an empty text becomes NULL */
void pg_array_put_null(struct pg_array *array);

Oid pg_array_type(Oid element); /* the array's type */

/* The finished array; valid until it changes. */
struct pg_value pg_array_value(struct pg_array *array, Oid element);
