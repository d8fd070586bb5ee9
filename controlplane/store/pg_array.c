#include "controlplane/store/pg_array.h"

#include <endian.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum {
    HEADER_BYTES = 20, /* dimensions, has NULLs, element type, length, first index */
    FIRST_BYTES = 4096,
};

void pg_array_fini(struct pg_array *array)
{
    fl_free(array->at);
    *array = (struct pg_array){0};
}

static uint8_t *room(struct pg_array *array, size_t bytes)
{
    uint8_t *at;

    if (array->len + bytes > array->cap) {
        size_t cap = array->cap ? array->cap * 2 : FIRST_BYTES;

        while (cap < array->len + bytes) {
            cap *= 2;
        }
        array->at = fl_realloc_array(array->at, uint8_t, cap);
        array->cap = cap;
    }
    at = array->at + array->len;
    array->len += bytes;
    return at;
}

void pg_array_start(struct pg_array *array)
{
    array->len = 0;
    array->items = 0;
    array->has_nulls = false;
    (void)room(array, HEADER_BYTES);
}

static void put_be32(uint8_t *at, uint32_t v)
{
    v = htobe32(v);
    memcpy(at, &v, sizeof v);
}

void pg_array_put_bytes(struct pg_array *array, const void *ptr, size_t bytes)
{
    uint8_t *at = room(array, 4 + bytes);

    put_be32(at, (uint32_t)bytes);
    if (bytes > 0) memcpy(at + 4, ptr, bytes);
    array->items++;
}

void pg_array_put_null(struct pg_array *array)
{
    put_be32(room(array, 4), UINT32_MAX);
    array->items++;
    array->has_nulls = true;
}

void pg_array_put_i64(struct pg_array *array, uint64_t v)
{
    v = htobe64(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

void pg_array_put_i32(struct pg_array *array, uint32_t v)
{
    v = htobe32(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

void pg_array_put_i16(struct pg_array *array, uint16_t v)
{
    v = htobe16(v);
    pg_array_put_bytes(array, &v, sizeof v);
}

void pg_array_put_bool(struct pg_array *array, uint8_t v)
{
    v = v != 0;
    pg_array_put_bytes(array, &v, 1);
}

void pg_array_put_str(struct pg_array *array, struct fl_str s)
{
    pg_array_put_bytes(array, s.at, s.len);
}

void pg_array_put_some(struct pg_array *array, struct fl_str s)
{
    if (s.len == 0) {
        pg_array_put_null(array);
    } else {
        pg_array_put_str(array, s);
    }
}

Oid pg_array_type(Oid element)
{
    switch (element) {
    case PG_BOOL:
        return PG_BOOL_ARRAY;
    case PG_BYTEA:
        return PG_BYTEA_ARRAY;
    case PG_INT2:
        return PG_INT2_ARRAY;
    case PG_INT4:
        return PG_INT4_ARRAY;
    case PG_TEXT:
        return PG_TEXT_ARRAY;
    case PG_INT8:
        return PG_INT8_ARRAY;
    default:
        fl_unreachable("no column has another type");
    }
}

struct pg_value pg_array_value(struct pg_array *array, Oid element)
{
    put_be32(array->at, 1);
    put_be32(array->at + 4, array->has_nulls);
    put_be32(array->at + 8, element);
    put_be32(array->at + 12, array->items);
    put_be32(array->at + 16, 1);
    return (struct pg_value){array->at, array->len};
}
