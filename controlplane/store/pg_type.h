/* pg_type.h - the types of Postgres that we use, by its own numbers, and a value in binary.
 * Types only. */
#pragma once

#include <libpq-fe.h>

enum pg_type {
    PG_BOOL = 16,
    PG_BYTEA = 17,
    PG_INT8 = 20,
    PG_INT2 = 21,
    PG_INT4 = 23,
    PG_TEXT = 25,
    PG_BOOL_ARRAY = 1000,
    PG_BYTEA_ARRAY = 1001,
    PG_INT2_ARRAY = 1005,
    PG_INT4_ARRAY = 1007,
    PG_TEXT_ARRAY = 1009,
    PG_INT8_ARRAY = 1016,
};

/* A parameter in binary; NULL at is NULL. */
struct pg_value {
    const void *at;
    size_t bytes;
};
