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

void pg_array_grow(struct pg_array *array, size_t bytes)
{
    size_t cap = array->cap ? array->cap * 2 : FIRST_BYTES;

    while (cap < array->len + bytes) {
        cap *= 2;
    }
    array->at = fl_realloc_array(array->at, uint8_t, cap);
    array->cap = cap;
}

void pg_array_start(struct pg_array *array)
{
    if (!array->at) pg_array_grow(array, HEADER_BYTES);
    array->len = HEADER_BYTES;
    array->items = 0;
    array->nulls = 0;
}

static void put_be32(uint8_t *at, uint32_t v)
{
    v = htobe32(v);
    memcpy(at, &v, sizeof v);
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

/* -1: NULL. */
static int32_t first_len(const struct pg_array *array)
{
    uint32_t len;

    memcpy(&len, array->at + HEADER_BYTES, sizeof len);
    return (int32_t)be32toh(len);
}

/* They are as long as the first, and each is as the one before it. */
bool pg_array_is_one(const struct pg_array *array)
{
    const uint8_t *first = array->at + HEADER_BYTES;
    size_t item, bytes = array->len - HEADER_BYTES;
    int32_t len;

    if (array->items == 0) return false;
    len = first_len(array);
    item = 4 + (size_t)(len > 0 ? len : 0);
    return bytes == item * array->items && memcmp(first, first + item, bytes - item) == 0;
}

struct pg_value pg_array_one(const struct pg_array *array)
{
    int32_t len = first_len(array);

    if (len < 0) return (struct pg_value){NULL, 0};
    return (struct pg_value){array->at + HEADER_BYTES + 4, (size_t)len};
}

struct pg_value pg_array_value(struct pg_array *array, Oid element)
{
    if (array->items > 0 && array->nulls == array->items) return (struct pg_value){NULL, 0};
    put_be32(array->at, 1);
    put_be32(array->at + 4, array->nulls > 0);
    put_be32(array->at + 8, element);
    put_be32(array->at + 12, array->items);
    put_be32(array->at + 16, 1);
    return (struct pg_value){array->at, array->len};
}
